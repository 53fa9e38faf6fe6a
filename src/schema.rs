//! JSON Schemas of all JSON output. Only the generator uses them.

use schemars::Schema;
use sky_accel_engine::contract::{CatalogRequest, Envelope};
use sky_accel_engine::root;

use crate::commands::schemas as commands;

/// Returns every schema with its name, which is the file name without `.json`.
pub fn schemas() -> Vec<(&'static str, Schema)> {
    let mut schemas = sky_accel_engine::schemas();
    schemas.extend([
        root::<Envelope<'_, CatalogRequest, commands::PathOut>>("sky-accel.catalog-path.v1"),
        root::<Envelope<'_, commands::ReportRequest, commands::ReportOut>>("sky-accel.report.v1"),
        root::<Envelope<'_, commands::WebRequest, commands::WebOut>>("sky-accel.web.v1"),
        root::<Envelope<'_, commands::ConfigRequest, commands::SettingOut>>("sky-accel.config.v1"),
        root::<Envelope<'_, commands::ConfigRequest, commands::TrustOut>>(
            "sky-accel.config-trust.v1",
        ),
    ]);
    schemas
}
