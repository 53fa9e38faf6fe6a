//! The tables of the aggregators: CSV with named columns.

use csv::{ReaderBuilder, StringRecord};

use crate::offer::{DroppedBecause, Tally};
use crate::reading::DocumentAge;

/// The maximum number of rows of a table.
const MAX_ROWS: usize = 1_000_000;
/// A row of a table, in terms that both projects share.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TableRow {
    pub id: String,
    pub accelerator: String,
    pub count: f64,
    /// The memory per accelerator.
    pub memory_gb: Option<f64>,
    pub vcpu: Option<f64>,
    pub host_memory_gib: Option<f64>,
    pub region: Option<String>,
    /// The price tier, if the provider has several.
    pub tier: Option<&'static str>,
    pub on_demand: Option<f64>,
    pub spot: Option<f64>,
}

/// The text, the version and the date of a table, and its age.
pub(super) type AggregatorTable = (Vec<u8>, String, i64, DocumentAge);

/// Reads the rows of a table by column name. `read` converts a record to a row; `None` if it has no
/// accelerators.
pub(super) fn rows_of(
    table: &[u8],
    read: impl Fn(&Cells<'_>) -> Result<Option<TableRow>, DroppedBecause>,
) -> Result<(Vec<TableRow>, Tally), csv::Error> {
    let mut reader = ReaderBuilder::new().flexible(true).from_reader(table);
    let names = reader.headers()?.clone();
    let mut record = StringRecord::new();
    let mut rows = Vec::new();
    let mut dropped = Tally::default();
    let mut count = 0;
    while count < MAX_ROWS && reader.read_record(&mut record)? {
        count += 1;
        let cells = Cells {
            names: &names,
            record: &record,
        };
        match read(&cells) {
            Ok(row) => rows.extend(row),
            Err(because) => dropped.add(because),
        }
    }
    Ok((rows, dropped))
}

/// The values of a row by column name.
pub(super) struct Cells<'c> {
    names: &'c StringRecord,
    record: &'c StringRecord,
}

impl Cells<'_> {
    /// Returns a value; empty if it is missing.
    pub(super) fn text(&self, name: &str) -> &str {
        let at = self.names.iter().position(|column| column == name);
        at.and_then(|at| self.record.get(at))
            .unwrap_or_default()
            .trim()
    }

    /// Returns a number above zero.
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        let number: f64 = self.text(name).parse().ok()?;
        (number.is_finite() && number > 0.0).then_some(number)
    }
}
