//! JSON Schemas of everything that is printed as JSON. Only the generator needs this.

use schemars::Schema;
use sky_accel_engine::contract::{CatalogRequest, Envelope};
use sky_accel_engine::root;

use crate::commands::schemas as commands;

/// Every schema with its name, which is also that of its file without `.json`.
pub fn schemas() -> Vec<(&'static str, Schema)> {
    let mut schemas = sky_accel_engine::schemas();
    schemas.extend([
        root::<Envelope<'_, CatalogRequest, commands::PathOut>>("sky-accel.catalog-path.v1"),
        root::<Envelope<'_, commands::ReportRequest, commands::ReportOut>>("sky-accel.report.v1"),
        root::<Envelope<'_, commands::ConfigRequest, commands::SettingOut>>("sky-accel.config.v1"),
        root::<Envelope<'_, commands::ConfigRequest, commands::TrustOut>>(
            "sky-accel.config-trust.v1",
        ),
    ]);
    schemas
}
