//! `list`: which accelerators exist.

use serde::Serialize;
use sky_accel_core::bind::interpret;
use sky_accel_core::catalog::{AcceleratorId, Catalog};
use sky_accel_core::note::Note;
use sky_accel_core::text::number;

use super::{Context, Result, offers};
use crate::cli::{ListArgs, ListSort, word_of};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::output::{self, AcceleratorOut, Envelope, Num};
use crate::render::{Column, Page, Report, RowStyle, Table, print};

/// CSV columns of an accelerator.
pub const ACCELERATOR_CSV: &[&str] = &[
    "id",
    "family",
    "vendor",
    "line",
    "architecture",
    "class",
    "form_factor",
    "memory_gb",
    "memory_mib",
    "memory_type",
    "memory_bandwidth_gb_s",
    "fp64_tflops",
    "fp32_tflops",
    "tf32_tflops",
    "fp16_tflops",
    "bf16_tflops",
    "fp8_tflops",
    "fp4_tflops",
    "int8_tops",
    "tdp_w",
    "compute_capability",
    "cuda_min",
    "cuda_last",
    "rocm_gfx",
    "interconnect",
    "interconnect_gb_s",
    "mig",
    "release_year",
    "sdk",
    "providers",
    "aliases",
    "sources",
];

/// The request as it was understood.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ListRequest {
    /// All of them hold.
    pub filters: Vec<String>,
    pub providers: Vec<String>,
    pub mig: bool,
    /// `name`, `memory`, `bandwidth`, `tflops`, `tdp` or `year`; missing: by class, the newest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

pub fn run(context: &mut Context<'_>, args: ListArgs) -> Result<ExitCode> {
    let catalog = context.catalog;
    let mut filters = args.filters;
    for (key, value) in [
        ("vendor=", args.vendor),
        ("class=", args.class),
        ("arch=", args.arch),
        ("memory>=", args.min_memory.map(with_unit)),
    ] {
        let Some(value) = value else { continue };
        if value.contains([':', '|']) {
            let message = format!("'{value}' is not one word");
            return Err(CliError::usage("usage.bad-value", message).into());
        }
        filters.push(format!("{key}{value}"));
    }
    let providers = offers::providers_named(&catalog, &args.provider)?;
    let providers: Vec<&str> = providers
        .into_iter()
        .map(|id| catalog.provider_id(id))
        .collect();

    let mut notes = Vec::new();
    let mut ids: Vec<AcceleratorId> = catalog
        .accelerator_ids()
        .filter(|id| !filters.is_empty() || !catalog.only_by_name(*id))
        .collect();
    for filter in &filters {
        let (kept, more) = matching(&catalog, filter)?;
        ids.retain(|id| kept.contains(id));
        notes.extend(more);
    }
    ids.retain(|id| !args.mig || catalog.accelerator(*id).mig == Some(true));
    if !providers.is_empty() {
        ids.retain(|id| {
            output::providers(&catalog, *id)
                .iter()
                .any(|sold_by| providers.contains(sold_by))
        });
    }
    order(&catalog, &mut ids, args.sort);
    let total = ids.len();
    ids.truncate(args.limit.map_or(usize::MAX, |limit| limit as usize));

    let results: Vec<AcceleratorOut<'_>> = ids
        .iter()
        .map(|id| output::accelerator(&catalog, *id))
        .collect();
    let exit_code = if results.is_empty() {
        ExitCode::NothingMatches
    } else {
        ExitCode::Found
    };
    if results.is_empty() {
        context.ui.always(&format!(
            "no accelerator is all of that: {}",
            filters.join(", ")
        ))?;
    }
    let names = results.iter().map(|row| row.id.to_owned()).collect();
    let providers = providers.into_iter().map(str::to_owned).collect();
    let request = ListRequest {
        filters,
        providers,
        mig: args.mig,
        sort: args.sort.map(word_of),
        limit: args.limit,
    };
    let mut envelope =
        Envelope::new("sky-accel.list.v1", &catalog, request, results).with_notes(notes);
    envelope.left_off = args.limit.map(|_| total - ids.len());
    let report = Report {
        envelope,
        csv: ACCELERATOR_CSV,
        names,
        page: Box::new(|rows, wide| {
            if rows.is_empty() {
                Page::default()
            } else {
                Page::table(table(rows, wide))
            }
        }),
        footer: if total > 0 {
            vec![format!(
                "{total} accelerators, figures per device, dense rates; catalog {}",
                catalog.version
            )]
        } else {
            Vec::new()
        },
        exit_code,
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

/// A size; no unit means GB.
fn with_unit(size: String) -> String {
    if size.ends_with(|c: char| c.is_ascii_digit()) {
        size + "GB"
    } else {
        size
    }
}

/// A filter is a name, a word of the catalog, or a part of a spec.
fn matching(
    catalog: &Catalog<'_>,
    filter: &str,
) -> std::result::Result<(Vec<AcceleratorId>, Vec<Note>), CliError> {
    let ids = |wanted: Vec<sky_accel_core::bind::Wanted>| {
        wanted
            .iter()
            .flat_map(|w| w.candidates.iter().map(|c| c.accelerator))
            .collect::<Vec<_>>()
    };
    if catalog.name(filter).is_none() && catalog.vendor(filter).is_none() {
        for key in ["arch", "class", "line", "sdk"] {
            if let Ok(wanted) = interpret(catalog, &format!("any:{key}={filter}")) {
                return Ok((ids(wanted), Vec::new()));
            }
        }
    }
    let is_part = interpret(catalog, filter).is_err();
    match interpret(catalog, &format!("any:{filter}")) {
        Ok(wanted) if is_part => return Ok((ids(wanted), Vec::new())),
        Err(errors) if is_part && filter.contains(['=', '<', '>']) => {
            let shifted: Vec<_> = errors
                .into_iter()
                .map(|mut error| {
                    let shift = |at: usize| at.saturating_sub("any:".len());
                    error.span = shift(error.span.start)..shift(error.span.end);
                    error
                })
                .collect();
            return Err(CliError::spec(filter, &shifted, None));
        }
        _ => {}
    }
    let wanted = super::read_spec(catalog, filter)?;
    let notes = wanted
        .iter()
        .flat_map(|w| w.notes.iter().cloned())
        .collect();
    Ok((ids(wanted), notes))
}

/// Classes in the order in which people look for them.
const CLASSES: [&str; 5] = ["datacenter", "asic", "workstation", "consumer", "media"];

fn order(catalog: &Catalog<'_>, ids: &mut [AcceleratorId], sort: Option<ListSort>) {
    let row = |id: &AcceleratorId| catalog.accelerator(*id);
    let Some(sort) = sort else {
        let class = |id: &AcceleratorId| {
            CLASSES
                .iter()
                .position(|class| *class == catalog.str(row(id).class))
        };
        // The newest first; the sort is stable, so families stay together.
        return ids.sort_by_cached_key(|id| {
            (
                class(id),
                std::cmp::Reverse(row(id).release_year.unwrap_or(0.0) as u32),
            )
        });
    };
    let figure = |id: &AcceleratorId| match sort {
        ListSort::Name => None,
        ListSort::Memory => row(id).memory_gb,
        ListSort::Bandwidth => row(id).memory_bandwidth_gb_s,
        ListSort::Tflops => row(id).headline_tflops(),
        ListSort::Tdp => row(id).tdp_w,
        ListSort::Year => row(id).release_year,
    };
    ids.sort_by(|a, b| {
        let by_figure = figure(b)
            .unwrap_or(-1.0)
            .total_cmp(&figure(a).unwrap_or(-1.0));
        by_figure.then_with(|| catalog.accelerator_id(*a).cmp(catalog.accelerator_id(*b)))
    });
}

fn table(rows: &[AcceleratorOut<'_>], wide: bool) -> Table {
    let mut columns = vec![
        Column::left("ID", 0),
        Column::left("VENDOR", 3),
        Column::left("ARCHITECTURE", 4),
        Column::left("FORM", 3),
        Column::right("MEM GB", 0),
        Column::right("BW GB/S", 1),
        Column::right("FP16 TFLOPS", 1),
        Column::right("FP8", 2),
        Column::left("SOLD BY", 0),
    ];
    if wide {
        columns.extend([
            Column::left("CLASS", 7),
            Column::left("TYPE", 7),
            Column::right("TDP W", 7),
            Column::left("MIG", 7),
            Column::right("YEAR", 7),
            Column::right("MEM MIB", 7),
            Column::right("FP32", 7),
            Column::right("FP4", 7),
            Column::right("INT8", 7),
            Column::left("CC", 7),
            Column::left("INTERCONNECT", 7),
            Column::right("LINK GB/S", 7),
        ]);
    }
    let mut table = Table::new(columns);
    let figure = |figure: Option<Num>| figure.map_or("?".to_owned(), |n| number(n.0));
    for row in rows {
        let mut cells = vec![
            row.id.to_owned(),
            row.vendor.to_owned(),
            row.architecture.unwrap_or_default().to_owned(),
            row.form_factor.to_owned(),
            figure(row.memory_gb),
            figure(row.memory_bandwidth_gb_s),
            figure(row.fp16_tflops.or(row.bf16_tflops)),
            row.fp8_tflops.map_or("—".to_owned(), |n| number(n.0)),
            if row.providers.is_empty() {
                "—".to_owned()
            } else {
                row.providers.join(" ")
            },
        ];
        if wide {
            cells.extend([
                row.class.to_owned(),
                row.memory_type.unwrap_or_default().to_owned(),
                figure(row.tdp_w),
                if row.mig == Some(true) { "yes" } else { "" }.to_owned(),
                figure(row.release_year),
                figure(row.memory_mib),
                figure(row.fp32_tflops),
                row.fp4_tflops.map_or("—".to_owned(), |n| number(n.0)),
                row.int8_tops.map_or("—".to_owned(), |n| number(n.0)),
                row.compute_capability.unwrap_or_default().to_owned(),
                row.interconnect.unwrap_or_default().to_owned(),
                row.interconnect_gb_s
                    .map(|n| number(n.0))
                    .unwrap_or_default(),
            ]);
        }
        table.row(RowStyle::Plain, cells);
    }
    table
}
