//! JSON Schemas of the contract, for the generator.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

use crate::contract::{
    AcceleratorOut, AccountQuotaOut, BilledOut, CandidateOut, CatalogDiffRequest, CatalogRequest,
    ChangeOut, CompileOut, ConvertOut, ConvertRequest, CredentialsOut, DetectRequest,
    DifferenceOut, DoctorEcho, Envelope, ErrorEnvelope, FitEcho, FitOut, HardwareOut, MarketOut,
    MigFitOut, MigFitRequest, OfferOut, PackOut, PackRequest, PastPriceOut, PlanDiffRequest,
    PlanEcho, PlanParts, PricesParts, ProfileRow, ProfilesRequest, QuotaEcho, RecommendEcho,
    RecommendOut, RecommendParts, ShownOut, UpdateOut, UpdateRequest, VerifyOut, WatchLine,
};
use crate::{
    BillEcho, CompareEcho, CompareOut, GuideOut, GuideRequest, IsOut, IsRequest, KnownModelOut,
    ListRequest, MixEcho, MixOut, ModelsParts, ModelsRequest, NamesRequest, PricesEcho,
    ResolveEcho,
};

/// Every schema of the engine, with its name (the file name without `.json`).
pub fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        root::<Envelope<'_, ListRequest, AcceleratorOut<'_>>>("sky-accel.list.v1"),
        root::<Envelope<'_, NamesRequest, ShownOut<'_>>>("sky-accel.show.v1"),
        root::<Envelope<'_, CompareEcho, CompareOut<'_>>>("sky-accel.compare.v1"),
        root::<Envelope<'_, ResolveEcho, OfferOut<'_>>>("sky-accel.resolve.v1"),
        root::<Envelope<'_, MixEcho, MixOut<'_>>>("sky-accel.mix.v1"),
        root::<Envelope<'_, PricesEcho, MarketOut<'_>, PricesParts<'_>>>("sky-accel.prices.v1"),
        root::<Envelope<'_, PricesEcho, PastPriceOut<'_>, PricesParts<'_>>>(
            "sky-accel.price-history.v1",
        ),
        root::<Envelope<'_, RecommendEcho, RecommendOut<'_>, RecommendParts>>(
            "sky-accel.recommend.v1",
        ),
        root::<Envelope<'_, GuideRequest, GuideOut>>("sky-accel.guide.v1"),
        root::<Envelope<'_, FitEcho, FitOut>>("sky-accel.fit.v1"),
        root::<Envelope<'_, ModelsRequest, KnownModelOut<'_>, ModelsParts<'_>>>(
            "sky-accel.models.v1",
        ),
        root::<Envelope<'_, BillEcho, BilledOut<'_>>>("sky-accel.bill.v1"),
        root::<Envelope<'_, PlanEcho, CandidateOut<'_>, PlanParts<'_>>>("sky-accel.plan.v1"),
        root::<Envelope<'_, PlanDiffRequest, ChangeOut>>("sky-accel.plan-diff.v1"),
        root::<Envelope<'_, ConvertRequest, ConvertOut>>("sky-accel.convert.v1"),
        root::<Envelope<'_, ProfilesRequest, ProfileRow<'_>>>("sky-accel.mig-profiles.v1"),
        root::<Envelope<'_, MigFitRequest, MigFitOut>>("sky-accel.mig-fit.v1"),
        root::<Envelope<'_, PackRequest, PackOut>>("sky-accel.mig-pack.v1"),
        root::<Envelope<'_, IsRequest, IsOut>>("sky-accel.is.v1"),
        root::<Envelope<'_, DetectRequest, HardwareOut<'_>>>("sky-accel.detect.v1"),
        root::<Envelope<'_, CatalogRequest, VerifyOut>>("sky-accel.catalog-verify.v1"),
        root::<Envelope<'_, CatalogRequest, CompileOut>>("sky-accel.catalog-compile.v1"),
        root::<Envelope<'_, CatalogDiffRequest, DifferenceOut>>("sky-accel.catalog-diff.v1"),
        root::<Envelope<'_, UpdateRequest, UpdateOut>>("sky-accel.catalog-update.v1"),
        root::<Envelope<'_, QuotaEcho, AccountQuotaOut<'_>>>("sky-accel.quota.v1"),
        root::<Envelope<'_, DoctorEcho, CredentialsOut>>("sky-accel.live-doctor.v1"),
        root::<WatchLine<'_>>("sky-accel.watch.v1"),
        root::<ErrorEnvelope>("sky-accel.error.v1"),
    ]
}

/// The schema of a document as written, not as read: a field that is always written is required.
pub fn root<T: JsonSchema>(name: &'static str) -> (&'static str, Schema) {
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
