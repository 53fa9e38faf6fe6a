//! `compare`: figures of accelerators side by side, with ratios to the first.

use sky_accel_core::text::number;
use sky_accel_engine::contract::{ACCELERATOR_CSV, AcceleratorOut};
use sky_accel_engine::{CompareOut, NamesRequest};

use super::list::sellers;
use crate::cli::CompareArgs;
use crate::context::{Context, Result};
use crate::exit_code::ExitCode;
use crate::render::{Column, Page, Report, RowStyle, Table, print};

pub fn run(context: &mut Context<'_>, args: &CompareArgs) -> Result<ExitCode> {
    let request = NamesRequest {
        names: args.names.clone(),
    };
    let envelope = context.engine.compare(&request)?;
    let report = Report {
        csv: ACCELERATOR_CSV,
        names: envelope
            .results
            .iter()
            .map(|row| row.accelerator.id.to_owned())
            .collect(),
        footer: vec![format!(
            "per device, dense rates; ratios to the first in parentheses; catalog {}",
            envelope.catalog.version
        )]
        .into(),
        envelope,
        page: Box::new(|rows, _| Page::table(table(rows))),
        exit_code: ExitCode::Found,
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

/// Returns a text about an accelerator.
type TextOf = fn(&AcceleratorOut<'_>) -> String;

/// Returns a table with a row for each figure and a column for each accelerator.
fn table(results: &[CompareOut<'_>]) -> Table {
    let mut columns = vec![Column::left("FIGURE", 0), Column::left("UNIT", 1)];
    // In a narrow terminal, columns are dropped from the right; the first two always stay.
    columns.extend(results.iter().enumerate().map(|(at, row)| {
        let priority = u8::try_from(at).unwrap_or(u8::MAX).saturating_sub(1);
        Column::right(row.accelerator.id.to_owned(), priority)
    }));
    let mut table = Table::new(columns);
    let figures: Vec<_> = results
        .iter()
        .map(|row| row.accelerator.labeled_figures())
        .collect();
    for (at, (name, first, unit)) in figures[0].iter().enumerate() {
        if figures.iter().all(|rows| rows[at].1.is_none()) {
            continue;
        }
        let comparable = !unit.is_empty();
        let cells = figures
            .iter()
            .enumerate()
            .map(|(column, rows)| match (rows[at].1, first) {
                (Some(value), Some(first)) if column > 0 && comparable => {
                    format!("{} ({:.2}x)", number(value.0), value.0 / first.0)
                }
                (Some(value), _) => number(value.0),
                (None, _) => "—".to_owned(),
            });
        table.row(
            RowStyle::Plain,
            [(*name).to_owned(), (*unit).to_owned()]
                .into_iter()
                .chain(cells),
        );
    }
    let words: [(&str, TextOf); 5] = [
        ("architecture", |a| {
            a.architecture.unwrap_or_default().to_owned()
        }),
        ("form factor", |a| a.form_factor.to_owned()),
        ("compute capability", |a| {
            a.compute_capability.unwrap_or("—").to_owned()
        }),
        ("MIG", |a| {
            if a.mig == Some(true) { "yes" } else { "no" }.to_owned()
        }),
        ("sold by", |a| {
            if a.providers.is_empty() {
                "—".to_owned()
            } else {
                sellers(&a.providers, false)
            }
        }),
    ];
    for (name, word) in words {
        let cells = results.iter().map(|row| word(&row.accelerator));
        table.row(
            RowStyle::Plain,
            [name.to_owned(), String::new()].into_iter().chain(cells),
        );
    }
    table
}
