//! JSON Schemas of everything that is printed as JSON. Only the generator needs this.

use schemars::Schema;
use sky_accel_engine::contract::Envelope;
use sky_accel_engine::root;

use crate::commands::schemas as commands;

/// Every schema with its name, which is also that of its file without `.json`.
pub fn schemas() -> Vec<(&'static str, Schema)> {
    let mut schemas = sky_accel_engine::schemas();
    schemas.extend([
        root::<Envelope<'_, commands::CatalogRequest, commands::VerifyOut>>(
            "sky-accel.catalog-verify.v1",
        ),
        root::<Envelope<'_, commands::CatalogRequest, commands::PathOut>>(
            "sky-accel.catalog-path.v1",
        ),
        root::<Envelope<'_, commands::CatalogDiffRequest, commands::DifferenceOut>>(
            "sky-accel.catalog-diff.v1",
        ),
        root::<Envelope<'_, commands::UpdateRequest, commands::UpdateOut>>(
            "sky-accel.catalog-update.v1",
        ),
        root::<Envelope<'_, commands::ReportRequest, commands::ReportOut>>("sky-accel.report.v1"),
        root::<commands::WatchLine<'_>>("sky-accel.watch.v1"),
        root::<Envelope<'_, commands::ConfigRequest, commands::SettingOut>>("sky-accel.config.v1"),
    ]);
    schemas
}
