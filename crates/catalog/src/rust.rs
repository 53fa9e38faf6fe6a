//! The tables as Rust source: a `static` that needs no start-up work.

use std::fmt::{self, Debug, Write};

use crate::Tables;

/// Writes `pub static CATALOG: Catalog<'static>`. The rows are what their `Debug` prints, which
/// is a Rust expression for each of them.
pub fn write_rust(tables: &Tables, out: &mut impl Write) -> fmt::Result {
    writeln!(out, "use sky_accel_core::catalog::*;")?;
    writeln!(
        out,
        "use sky_accel_core::catalog::{{Availability::*, CapacityType::*, Comparison::*, Meaning::*, PriceKind::*, Sells::*, Statistic::*, Status::*}};\nuse sky_accel_core::sizing::QkNorm::*;"
    )?;
    writeln!(out, "use sky_accel_core::money::{{Count, Usd}};")?;
    writeln!(out, "use sky_accel_core::sizing::*;")?;
    writeln!(out, "static POOL: &str = {:?};", tables.pool)?;
    writeln!(out, "pub static CATALOG: Catalog<'static> = Catalog {{")?;
    writeln!(
        out,
        "version: {:?}, as_of: {:?}, pool: POOL,",
        tables.version, tables.as_of
    )?;
    writeln!(
        out,
        "guide_source: {:?}, guide_as_of: {:?},",
        tables.guide_source, tables.guide_as_of
    )?;
    rows(out, "strings", &tables.strings)?;
    rows(out, "accelerators", &tables.accelerators)?;
    rows(out, "disputed", &tables.disputed)?;
    rows(out, "quoted_memory", &tables.quoted_memory)?;
    rows(out, "names", &tables.names)?;
    rows(out, "spellings", &tables.spellings)?;
    rows(out, "accelerator_lists", &tables.accelerator_lists)?;
    rows(out, "vendors", &tables.vendors)?;
    rows(out, "providers", &tables.providers)?;
    rows(out, "regions", &tables.regions)?;
    rows(out, "region_lists", &tables.region_lists)?;
    rows(out, "offers", &tables.offers)?;
    rows(out, "offers_by_accelerator", &tables.offers_by_accelerator)?;
    rows(out, "prices", &tables.prices)?;
    rows(out, "geometries", &tables.geometries)?;
    rows(out, "profiles", &tables.profiles)?;
    rows(out, "starts", &tables.starts)?;
    rows(out, "compute_instances", &tables.compute_instances)?;
    rows(out, "said_by", &tables.said_by)?;
    rows(out, "sharing", &tables.sharing)?;
    rows(out, "sdks", &tables.sdks)?;
    rows(out, "tools", &tables.tools)?;
    rows(out, "tool_words", &tables.tool_words)?;
    rows(out, "tool_providers", &tables.tool_providers)?;
    rows(out, "tool_counts", &tables.tool_counts)?;
    rows(out, "quotas", &tables.quotas)?;
    rows(out, "cuda_releases", &tables.cuda_releases)?;
    rows(out, "models", &tables.models)?;
    rows(out, "model_names", &tables.model_names)?;
    rows(out, "family_defaults", &tables.family_defaults)?;
    rows(out, "families", &tables.families)?;
    rows(out, "weight_formats", &tables.weight_formats)?;
    rows(out, "coefficients", &tables.coefficients)?;
    rows(out, "guide_workloads", &tables.guide_workloads)?;
    rows(out, "guide_sizes", &tables.guide_sizes)?;
    rows(out, "guide_strategies", &tables.guide_strategies)?;
    writeln!(out, "}};")
}

fn rows<T: Debug>(out: &mut impl Write, name: &str, rows: &[T]) -> fmt::Result {
    writeln!(out, "{name}: &[")?;
    for row in rows {
        writeln!(out, "{row:?},")?;
    }
    writeln!(out, "],")
}
