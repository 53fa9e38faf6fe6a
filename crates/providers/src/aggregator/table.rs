//! The tables of the aggregators: CSV with named columns.

use csv::{ReaderBuilder, StringRecord};

use crate::budget::count_row;
use crate::offer::{DroppedBecause, Tally};
use crate::reading::DocumentAge;

/// A row of a table, in terms that both projects share.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TableRow {
    pub id: String,
    /// The line of the table.
    pub line: u32,
    /// The zone or the size of the disk, which may differ between rows for the same machine in a region.
    pub variant: String,
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

/// Reads the rows of a table by column name. `names` are the names of the columns that `read` uses.
/// `read` converts a record to a row; `None` if it has no accelerators.
pub(super) fn rows_of<const N: usize>(
    table: &[u8],
    names: [&'static str; N],
    read: impl Fn(&Cells<'_, N>) -> Result<Option<TableRow>, DroppedBecause>,
) -> Result<(Vec<TableRow>, Tally), csv::Error> {
    let mut reader = ReaderBuilder::new().flexible(true).from_reader(table);
    let header = reader.headers()?;
    // Each column is found once: a hostile table has a million columns and a million rows.
    let columns = names.map(|name| (name, header.iter().position(|column| column == name)));
    let mut record = StringRecord::new();
    let mut rows = Vec::new();
    let mut dropped = Tally::default();
    while reader.read_record(&mut record)? {
        // Tables are longer than lists, so only the budget limits their rows.
        if count_row(1).is_err() {
            break;
        }
        let cells = Cells {
            columns: &columns,
            record: &record,
        };
        let line = record.position().map(csv::Position::line);
        let line = line.and_then(|line| u32::try_from(line).ok());
        match read(&cells) {
            Ok(row) => rows.extend(row.map(|row| TableRow {
                line: line.unwrap_or_default(),
                ..row
            })),
            Err(because) => dropped.add_at(because, line),
        }
    }
    Ok((rows, dropped))
}

/// The values of a row by column name.
pub(super) struct Cells<'c, const N: usize> {
    /// The names of the columns, and where each of them is.
    columns: &'c [(&'static str, Option<usize>); N],
    record: &'c StringRecord,
}

impl<const N: usize> Cells<'_, N> {
    /// Returns a value; empty if it is missing.
    pub(super) fn text(&self, name: &str) -> &str {
        let column = self.columns.iter().find(|(column, _)| *column == name);
        let at = column.and_then(|(_, at)| *at);
        at.and_then(|at| self.record.get(at))
            .unwrap_or_default()
            .trim()
    }

    /// Returns a price in dollars; `None` if it is missing, zero or not a number.
    ///
    /// # Errors
    ///
    /// Fails if the price is negative, or other text, such as an amount with a currency.
    pub(super) fn price(&self, name: &str) -> Result<Option<f64>, DroppedBecause> {
        let text = self.text(name);
        match text.parse::<f64>() {
            Ok(price) if price < 0.0 => Err(DroppedBecause::Unreadable),
            Ok(price) => Ok(Some(price).filter(|price| price.is_finite() && *price > 0.0)),
            Err(_) if text.is_empty() => Ok(None),
            Err(_) => Err(DroppedBecause::Unreadable),
        }
    }

    /// Returns a number above zero.
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        let number: f64 = self.text(name).parse().ok()?;
        (number.is_finite() && number > 0.0).then_some(number)
    }
}
