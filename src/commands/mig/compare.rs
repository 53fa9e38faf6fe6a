//! `mig pack any`: compares GPUs for some slices by cost.

use std::sync::LazyLock;

use sky_accel_core::text::number;
use sky_accel_engine::contract::{Envelope, PackOut, PackRequest};
use sky_accel_engine::text::dollars;

use super::output::{COST_CSV, estimated, price_ages, stated};
use crate::context::{Context, Result};
use crate::exit_code::ExitCode;
use crate::present::offers::{BEST_MARK, DOUBT_MARK, doubt_note, reason_words};
use crate::present::prices::{age_of, mark_note};
use crate::render::{Column, Footer, Page, Report, RowStyle, Table, print};

/// CSV columns of a GPU; [`COST_CSV`] follows.
const GPU_CSV: [&str; 3] = ["gpu", "gpus_needed", "proved"];
static CSV: LazyLock<Vec<&str>> = LazyLock::new(|| [&GPU_CSV[..], &COST_CSV].concat());

/// The title of the column with the cheapest machines, which link to the provider's page.
const CHEAPEST: &str = "CHEAPEST";

/// Prints the comparison.
pub(super) fn show(
    context: &mut Context<'_>,
    envelope: Envelope<'_, PackRequest, PackOut>,
) -> Result<ExitCode> {
    let ages = price_ages(context, &envelope.results);
    let costs = envelope
        .results
        .iter()
        .filter_map(|result| result.cheapest.as_ref());
    let doubts = costs.flat_map(|cost| cost.doubts.iter().copied());
    let doubts = doubt_note(doubts.filter_map(reason_words));
    let mut costs = envelope
        .results
        .iter()
        .filter_map(|result| result.cheapest.as_ref());
    let estimates = mark_note(costs.any(|cost| stated(cost).is_some()), false);
    let report = Report {
        names: envelope
            .results
            .iter()
            .map(|result| result.gpu.clone())
            .collect(),
        envelope,
        csv: &CSV,
        page: Box::new(|results, is_wide| Page::table(table(results, is_wide))),
        footer: Footer {
            parts: ages.into_iter().collect(),
            marks: doubts.into_iter().chain(estimates).collect(),
            ..Footer::default()
        },
        exit_code: ExitCode::Found,
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

fn table(results: &[PackOut], is_wide: bool) -> Table {
    let mut table = Table::new([
        Column::left("", 0),
        Column::left("GPU", 0),
        Column::left("SLICES", 3),
        Column::right("GPUS", 0),
        Column::right("UNUSED", 2),
        Column::left(CHEAPEST, 0),
        Column::right("USD/H", 0),
        Column::right("STATED", 1).yielding(),
        Column::right("PER SLICE", 0),
        Column::of_ages(1),
    ]);
    for (at, result) in results.iter().enumerate() {
        let cost = result.cheapest.as_ref();
        let is_doubtful = cost.is_some_and(|cost| !cost.doubts.is_empty());
        let is_best = at == 0 && cost.is_some() && !is_doubtful;
        let mark = match () {
            () if is_doubtful => DOUBT_MARK,
            () if is_best => BEST_MARK,
            () => "",
        };
        let unknown = || "?".to_owned();
        table.row(
            if is_best {
                RowStyle::Best
            } else {
                RowStyle::Plain
            },
            [
                mark.to_owned(),
                result.gpu.clone(),
                result.slices.clone(),
                result.gpus_needed.to_string(),
                format!("{}%", number(result.waste.compute_percent.0)),
                cost.map_or_else(unknown, |cost| {
                    format!(
                        "{} × {} {}",
                        cost.machines, cost.provider, cost.instance_type
                    )
                }),
                cost.map_or_else(unknown, |cost| {
                    format!("{}{:.2}", estimated(cost), cost.likely_usd_per_hour.0)
                }),
                cost.and_then(stated)
                    .map_or_else(String::new, |usd| format!("{:.2}", usd.0)),
                cost.map_or_else(unknown, |cost| {
                    format!("{}{}", estimated(cost), dollars(cost.usd_per_slice_hour))
                }),
                cost.map_or_else(String::new, |cost| age_of(cost.kind, None, cost.age_days)),
            ],
        );
        let url = cost.and_then(|cost| cost.url.as_deref());
        table.link(&[CHEAPEST], url);
    }
    if is_wide {
        table.with_link_column()
    } else {
        table
    }
}
