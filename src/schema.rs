//! JSON Schemas of everything that is printed as JSON. Only the generator needs this.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

use crate::commands::schemas as commands;
use crate::output::{
    AcceleratorOut, CandidateOut, ConvertOut, ConvertRequest, Envelope, ErrorEnvelope, OfferOut,
    PlanParts, PlanRequest, ResolveRequest, ShowOut,
};

/// Every schema with its name, which is also that of its file without `.json`.
pub fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        of::<Envelope<'_, commands::ListRequest, AcceleratorOut<'_>>>("sky-accel.list.v1"),
        of::<Envelope<'_, commands::NamesRequest, ShowOut<'_>>>("sky-accel.show.v1"),
        of::<Envelope<'_, commands::NamesRequest, commands::CompareOut<'_>>>(
            "sky-accel.compare.v1",
        ),
        of::<Envelope<'_, ResolveRequest, OfferOut<'_>>>("sky-accel.resolve.v1"),
        of::<Envelope<'_, commands::RecommendRequest, commands::RecommendOut<'_>>>(
            "sky-accel.recommend.v1",
        ),
        of::<Envelope<'_, commands::GuideRequest, commands::GuideOut>>("sky-accel.guide.v1"),
        of::<Envelope<'_, commands::RequestOut, commands::ModelFitOut>>("sky-accel.fit.v1"),
        of::<Envelope<'_, PlanRequest, CandidateOut<'_>, PlanParts<'_>>>("sky-accel.plan.v1"),
        of::<Envelope<'_, commands::DiffRequest, commands::ChangeOut>>("sky-accel.plan-diff.v1"),
        of::<Envelope<'_, ConvertRequest, ConvertOut>>("sky-accel.convert.v1"),
        of::<Envelope<'_, commands::ProfilesRequest, commands::ProfileRow<'_>>>(
            "sky-accel.mig-profiles.v1",
        ),
        of::<Envelope<'_, commands::FitRequest, commands::FitOut>>("sky-accel.mig-fit.v1"),
        of::<Envelope<'_, commands::PackRequest, commands::PackOut>>("sky-accel.mig-pack.v1"),
        of::<Envelope<'_, commands::IsRequest, commands::IsOut>>("sky-accel.is.v1"),
        of::<Envelope<'_, commands::CatalogRequest, commands::VerifyOut>>(
            "sky-accel.catalog-verify.v1",
        ),
        of::<Envelope<'_, commands::CatalogRequest, commands::PathOut>>(
            "sky-accel.catalog-path.v1",
        ),
        of::<Envelope<'_, commands::CatalogDiffRequest, commands::DifferenceOut>>(
            "sky-accel.catalog-diff.v1",
        ),
        of::<Envelope<'_, commands::UpdateRequest, commands::UpdateOut>>(
            "sky-accel.catalog-update.v1",
        ),
        of::<Envelope<'_, commands::DetectRequest, commands::HardwareOut<'_>>>(
            "sky-accel.detect.v1",
        ),
        of::<Envelope<'_, commands::ReportRequest, commands::ReportOut>>("sky-accel.report.v1"),
        of::<commands::WatchLine<'_>>("sky-accel.watch.v1"),
        of::<Envelope<'_, commands::ConfigRequest, commands::SettingOut>>("sky-accel.config.v1"),
        of::<ErrorEnvelope>("sky-accel.error.v1"),
    ]
}

/// As it is written, not as it would be read: a field that is always printed is required.
fn of<T: JsonSchema>(name: &'static str) -> (&'static str, Schema) {
    let mut schema = SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<T>();
    schema.insert("title".to_owned(), name.into());
    if let Some(field) = schema.pointer_mut("/properties/schema") {
        *field = serde_json::json!({ "const": name });
    }
    (name, schema)
}
