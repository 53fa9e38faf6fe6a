//! `compare`: the same figures side by side, with ratios against the first.

use std::collections::BTreeMap;

use serde::Serialize;
use sky_accel_core::text::number;

use super::list::ACCELERATOR_CSV;
use super::show::{NamesRequest, figure_rows};
use super::{Context, Result, read_accelerators, unless_one};
use crate::cli::CompareArgs;
use crate::exit_code::ExitCode;
use crate::output::{self, AcceleratorOut, Envelope, Num};
use crate::render::{Column, Page, Report, RowStyle, Table, print};

/// An accelerator, and how it compares with the first one.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CompareOut<'a> {
    #[serde(flatten)]
    pub accelerator: AcceleratorOut<'a>,
    /// Its figure divided by that of the first result; what either lacks is missing.
    pub ratios: BTreeMap<&'static str, Num>,
}

pub fn run(context: &mut Context<'_>, args: &CompareArgs) -> Result<ExitCode> {
    let catalog = context.catalog;
    let mut rows: Vec<AcceleratorOut<'_>> = Vec::new();
    let mut notes = Vec::new();
    for name in &args.names {
        let (ids, more) = read_accelerators(&catalog, name)
            .map_err(|error| unless_one(&catalog, &args.names, error))?;
        rows.extend(ids.first().map(|id| output::accelerator(&catalog, *id)));
        notes.extend(more);
    }
    let first = rows[0].clone();
    let results: Vec<CompareOut<'_>> = rows
        .into_iter()
        .map(|accelerator| CompareOut {
            ratios: ratios(&accelerator, &first),
            accelerator,
        })
        .collect();
    let names = results
        .iter()
        .map(|row| row.accelerator.id.to_owned())
        .collect();
    let request = NamesRequest {
        names: args.names.clone(),
    };
    let report = Report {
        envelope: Envelope::new("sky-accel.compare.v1", &catalog, request, results)
            .with_notes(notes),
        csv: ACCELERATOR_CSV,
        names,
        page: Box::new(|rows, _| Page::table(table(rows))),
        footer: vec![format!(
            "per device, dense rates; in parentheses against the first; catalog {}",
            catalog.version
        )],
        exit_code: ExitCode::Found,
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

fn ratios(of: &AcceleratorOut, against: &AcceleratorOut<'_>) -> BTreeMap<&'static str, Num> {
    let pairs = [
        ("memory_gb", of.memory_gb, against.memory_gb),
        (
            "memory_bandwidth_gb_s",
            of.memory_bandwidth_gb_s,
            against.memory_bandwidth_gb_s,
        ),
        ("fp64_tflops", of.fp64_tflops, against.fp64_tflops),
        ("fp32_tflops", of.fp32_tflops, against.fp32_tflops),
        ("tf32_tflops", of.tf32_tflops, against.tf32_tflops),
        ("fp16_tflops", of.fp16_tflops, against.fp16_tflops),
        ("bf16_tflops", of.bf16_tflops, against.bf16_tflops),
        ("fp8_tflops", of.fp8_tflops, against.fp8_tflops),
        ("fp4_tflops", of.fp4_tflops, against.fp4_tflops),
        ("int8_tops", of.int8_tops, against.int8_tops),
        ("tdp_w", of.tdp_w, against.tdp_w),
        (
            "interconnect_gb_s",
            of.interconnect_gb_s,
            against.interconnect_gb_s,
        ),
    ];
    let ratio = |(name, own, first): (&'static str, Option<Num>, Option<Num>)| {
        Some((name, Num((own?.0 / first?.0 * 1000.0).round() / 1000.0)))
    };
    pairs.into_iter().filter_map(ratio).collect()
}

/// A word about an accelerator.
type Word = fn(&AcceleratorOut<'_>) -> String;

/// Figures down, accelerators across.
fn table(results: &[CompareOut<'_>]) -> Table {
    let mut columns = vec![Column::left("FIGURE", 0), Column::left("UNIT", 1)];
    // What finds no room is left out from the right; two always stay.
    columns.extend(results.iter().enumerate().map(|(at, row)| {
        let priority = u8::try_from(at).unwrap_or(u8::MAX).saturating_sub(1);
        Column::right(row.accelerator.id.to_owned(), priority)
    }));
    let mut table = Table::new(columns);
    let figures: Vec<_> = results
        .iter()
        .map(|row| figure_rows(&row.accelerator))
        .collect();
    for (at, (name, first, unit)) in figures[0].iter().enumerate() {
        if figures.iter().all(|rows| rows[at].1.is_none()) {
            continue;
        }
        let comparable = !matches!(*name, "released" | "per machine at most");
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
    let words: [(&str, Word); 5] = [
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
                a.providers.join(" ")
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
