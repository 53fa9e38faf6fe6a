//! The tables as Rust source: a `static` that needs no work at start.

use std::fmt::{self, Write};

use crate::Tables;

/// Writes the tables as `pub static CATALOG: Catalog<'static>`. Each row is written in its `Debug`
/// form, which is a Rust expression.
///
/// # Errors
///
/// Fails if writing to `out` fails.
pub fn write_rust(tables: &Tables, out: &mut impl Write) -> fmt::Result {
    writeln!(out, "use sky_accel_core::catalog::*;")?;
    writeln!(
        out,
        "use sky_accel_core::catalog::{{Availability::*, CapacityType::*, Comparison::*, Meaning::*, PriceKind::*, Sells::*, Statistic::*, Status::*}};\nuse sky_accel_core::sizing::QkNorm::*;"
    )?;
    writeln!(out, "use sky_accel_core::money::{{Count, Usd}};")?;
    writeln!(out, "use sky_accel_core::sizing::*;")?;
    writeln!(out, "pub static CATALOG: Catalog<'static> = Catalog {{")?;
    tables.write_fields(out)?;
    writeln!(out, "}};")
}
