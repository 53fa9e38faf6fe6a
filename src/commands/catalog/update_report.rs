//! The table of an update.

use sky_accel_engine::contract::{UpdateOut, UpdateStatus};

use crate::render::{Block, Column, Page, RowStyle, Table};

/// The maximum number of changes that are listed.
pub(super) const SHOWN: usize = 30;

/// The columns of CSV.
pub(super) const CSV: &[&str] = &[
    "provider", "from", "status", "path", "types", "prices", "kept",
];

/// A row for each source that answered, then the changes.
pub(super) fn page(results: &[UpdateOut], lines: Vec<String>) -> Page {
    let mut table = Table::new([
        Column::left("PROVIDER", 0),
        Column::left("FROM", 1),
        Column::left("STATUS", 0),
        Column::right("TYPES", 0),
        Column::right("PRICES", 0),
        Column::right("KEPT", 1),
        Column::left("FILE", 2),
    ]);
    // Most providers have no API, so they have no row.
    let asked = results
        .iter()
        .filter(|row| row.status != UpdateStatus::NoLiveSource);
    for row in asked {
        let [types, prices, kept] = [row.types, row.prices, row.kept].map(|n| n.to_string());
        let file = row.path.clone().unwrap_or_default();
        let cells = [
            row.provider.clone(),
            row.from.to_string(),
            row.status.to_string(),
            types,
            prices,
            kept,
            file,
        ];
        table.row(RowStyle::Plain, cells);
    }
    let lines = lines.into_iter().map(Block::Text);
    Page {
        blocks: std::iter::once(Block::Table(table)).chain(lines).collect(),
    }
}
