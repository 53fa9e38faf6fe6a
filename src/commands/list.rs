//! `list`: the accelerators of the catalog.

use sky_accel_core::text::{counted, grouped, number};
use sky_accel_engine::contract::{ACCELERATOR_CSV, AcceleratorOut, Num};

use crate::cli::ListArgs;
use crate::context::{Context, Result, found};
use crate::exit_code::ExitCode;
use crate::render::{Column, Page, Report, RowStyle, Table, print};
use crate::requests;

pub fn run(context: &mut Context<'_>, args: &ListArgs) -> Result<ExitCode> {
    let answer = context.engine.list(&requests::list(args))?;
    let envelope = answer.envelope;
    let is_found = !envelope.results.is_empty();
    if !is_found {
        let filters = envelope.request.filters.join(", ");
        let message = format!("no accelerator matches all filters: {filters}");
        context.ui.stderr_line(&message)?;
    }
    let version = envelope.catalog.version;
    let total = answer.total;
    let footer = (total > 0).then(|| {
        let total = counted(total, "accelerator");
        format!("{total}, figures per device, dense rates; catalog {version}")
    });
    let report = Report {
        names: envelope
            .results
            .iter()
            .map(|row| row.id.to_owned())
            .collect(),
        envelope,
        csv: ACCELERATOR_CSV,
        page: Box::new(|rows, wide| {
            if rows.is_empty() {
                Page::default()
            } else {
                Page::table(table(rows, wide))
            }
        }),
        footer: footer.into_iter().collect::<Vec<_>>().into(),
        exit_code: found(is_found),
    };
    Ok(print(context.ui, context.settings.output, report)?)
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
    let figure = |figure: Option<Num>| figure.map_or("?".to_owned(), |n| grouped(n.0));
    for row in rows {
        let mut cells = vec![
            row.id.to_owned(),
            row.vendor.to_owned(),
            row.architecture.unwrap_or_default().to_owned(),
            row.form_factor.to_owned(),
            figure(row.memory_gb),
            figure(row.memory_bandwidth_gb_s),
            figure(row.fp16_tflops.or(row.bf16_tflops)),
            row.fp8_tflops.map_or("—".to_owned(), |n| grouped(n.0)),
            if row.providers.is_empty() {
                "—".to_owned()
            } else {
                sellers(&row.providers, wide)
            },
        ];
        if wide {
            cells.extend([
                row.class.to_owned(),
                row.memory_type.unwrap_or_default().to_owned(),
                figure(row.tdp_w),
                if row.mig == Some(true) { "yes" } else { "" }.to_owned(),
                row.release_year
                    .map_or("?".to_owned(), |year| number(year.0)),
                figure(row.memory_mib),
                figure(row.fp32_tflops),
                row.fp4_tflops.map_or("—".to_owned(), |n| grouped(n.0)),
                row.int8_tops.map_or("—".to_owned(), |n| grouped(n.0)),
                row.compute_capability.unwrap_or_default().to_owned(),
                row.interconnect.unwrap_or_default().to_owned(),
                row.interconnect_gb_s
                    .map(|n| grouped(n.0))
                    .unwrap_or_default(),
            ]);
        }
        table.row(RowStyle::Plain, cells);
    }
    table
}

/// The maximum number of providers in a row, unless the table is wide.
const MOST_SELLERS: usize = 3;

/// Returns the providers that sell an accelerator: `aws azure gcp +29`.
pub fn sellers(providers: &[&str], is_complete: bool) -> String {
    let more = providers.len().saturating_sub(MOST_SELLERS);
    if is_complete || more == 0 {
        return providers.join(" ");
    }
    format!("{} +{more}", providers[..MOST_SELLERS].join(" "))
}
