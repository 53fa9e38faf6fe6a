//! `recommend --workload` without a model: offers by rule of thumb.

use sky_accel_engine::contract::RecommendOut;
use sky_accel_engine::{Error, ErrorCode, WorkRequest};

use super::csv;
use super::for_model::footer;
use crate::cli::RecommendArgs;
use crate::context::{Context, Result, found};
use crate::exit_code::ExitCode;
use crate::present::offers::{OfferTable, names};
use crate::present::prices;
use crate::render::{Block, Page, Report, print};
use crate::requests;

/// Rejects options that only a model gives an effect.
fn check(args: &RecommendArgs) -> std::result::Result<(), Error> {
    let search = &args.search;
    let given = [
        ("--compare", args.compare.is_some()),
        ("--own", args.own.is_some()),
        ("--bill", args.whole_bill.requested().is_some()),
        ("--chart", args.chart),
        ("--on", search.on.is_some()),
        ("--nodes", search.nodes.is_some()),
        ("--objective", search.objective.is_some()),
        ("--tokens", search.tokens.is_some()),
        ("--deadline", search.deadline.is_some()),
        ("--budget", search.budget.is_some()),
        ("--live", search.live),
    ];
    let of_run = search.run.names().find(|flag| *flag != "--workload");
    let given = given.into_iter().find(|(_, is_given)| *is_given);
    let Some(flag) = given.map(|(flag, _)| flag).or(of_run) else {
        return Ok(());
    };
    let message =
        format!("{flag} needs a model: without one, the rules of thumb know only the kind of work");
    Err(Error::new(ErrorCode::BadValue, message)
        .advise("name a model, as in `sky-accel recommend Llama-3.1-8B`"))
}

pub fn run(context: &mut Context<'_>, args: &RecommendArgs, work: &str) -> Result<ExitCode> {
    check(args)?;
    let answer = context.engine.recommend_for_work(&WorkRequest {
        work: work.to_owned(),
        offers: requests::offers_of_search(&args.search, context.settings),
    })?;
    let mut footer = footer(context, &answer, context.settings.detail());
    let (envelope, has_verified) = (answer.envelope, answer.has_verified);
    if envelope.results.is_empty() {
        let message = format!("no offer for {work} is within the limits");
        context.ui.stderr_line(&message)?;
    }
    let money = super::money::money(context, &envelope.request.offers)?;
    let capacity_filter = envelope.request.offers.capacity_type;
    let hours = envelope.request.offers.hours;
    footer
        .parts
        .splice(0..0, prices::total_note(hours, capacity_filter));
    footer.parts.extend(money.rate());
    let heading = answer.summary.unwrap_or_default();
    let report = Report {
        names: names(envelope.results.iter().map(|row| &row.offer)),
        envelope,
        csv: csv::FOR_WORK,
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
                is_by_one: false,
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
