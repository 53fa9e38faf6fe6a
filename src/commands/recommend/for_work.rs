//! `recommend --workload` without a model: offers by rule of thumb.

use sky_accel_engine::WorkRequest;
use sky_accel_engine::contract::RecommendOut;

use super::for_model::footer;
use crate::cli::RecommendArgs;
use crate::context::{Context, Result, found};
use crate::exit_code::ExitCode;
use crate::present::offers::{OfferTable, names};
use crate::render::{Block, Page, Report, print};
use crate::requests;

const CSV: &[&str] = &[
    "rank",
    "spec",
    "usd_per_hour",
    "offer.provider",
    "offer.instance_type",
    "offer.accelerator",
    "offer.count",
    "offer.total_memory_gb",
    "offer.on_demand.region",
    "offer.on_demand.kind",
    "offer.on_demand.as_of",
    "offer.spot.usd_per_hour",
    "offer.spot.kind",
    "why",
];

pub fn run(context: &mut Context<'_>, args: &RecommendArgs, work: &str) -> Result<ExitCode> {
    let answer = context.engine.recommend_for_work(&WorkRequest {
        work: work.to_owned(),
        offers: requests::offers_for(
            &args.search.offers,
            args.search.hours,
            &context.settings.offers,
        ),
    })?;
    let mut footer = footer(context, &answer);
    let (envelope, has_verified) = (answer.envelope, answer.has_verified);
    if envelope.results.is_empty() {
        let message = format!("no offer for {work} is within the limits");
        context.ui.stderr_line(&message)?;
    }
    let money = super::money::money(context, &envelope.request.offers)?;
    footer.extend(money.rate());
    let capacity_filter = envelope.request.offers.capacity_type;
    let heading = answer.summary.unwrap_or_default();
    let report = Report {
        names: names(envelope.results.iter().map(|row| &row.offer)),
        envelope,
        csv: CSV,
        page: Box::new(move |rows: &[RecommendOut<'_>], wide| {
            if rows.is_empty() {
                return Page::default();
            }
            let table = OfferTable {
                lead: Some(("SPEC", rows.iter().map(|row| row.spec.clone()).collect())),
                offers: rows.iter().map(|row| &row.offer).collect(),
                capacity_filter,
                money: money.clone(),
                wide,
            };
            Page {
                blocks: vec![Block::Heading(heading), Block::Table(table.build())],
            }
        }),
        footer,
        exit_code: found(has_verified),
    };
    Ok(print(context.ui, context.settings.output, report)?)
}
