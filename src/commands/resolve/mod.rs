//! `resolve`: finds offers and prices for specs.

use std::ops::Range;

use sky_accel_core::catalog::Catalog;
use sky_accel_core::money::{Count, Usd};
use sky_accel_core::resolve::{CapacityFilter, Relation, Sort, sorted_figure};
use sky_accel_core::text::{grouped_to, number};
use sky_accel_engine::asking::LiveRequest;
use sky_accel_engine::contract::{ExplainOut, NearestOut, Num, OfferOut};
use sky_accel_engine::{
    Engine, Error, ErrorCode, Money, Problem, ResolveAnswer, ResolveRequest, Spec,
};

use super::input::Start;
use super::stream::{LineAnswer, answer_lines};
use super::{input, live, map};
use crate::cli::{OutputFormat, ResolveArgs};
use crate::context::{Context, Result, found};
use crate::exit_code::ExitCode;
use crate::present::ages::{ages, nearest_prices, offers_footer};
use crate::present::groups::group_table;
use crate::present::nearest::{nearest_lines, no_instance_advice, nothing_lines};
use crate::present::offers::{
    COMMITTED_CSV, FOLDED_CSV, OFFER_CSV, OfferTable, first_rows, is_doubtful, more_line, names,
};
use crate::present::prices::{ESTIMATED, has_drifted};
use crate::present::{commitments, prices};
use crate::render::{Column, Footer, Page, Report, RowStyle, StreamedRows, Table, print};
use crate::requests;
use crate::ui::Ui;

/// The spec that lists every offer.
const EVERY_OFFER: &str = "any";

/// Rows of each spec in a fragment without `--limit` or `--all`. A page asks for one after each key, and lays it out.
const FRAGMENT_ROWS: u32 = 20;

pub fn run(context: &mut Context<'_>, args: &ResolveArgs) -> Result<ExitCode> {
    let mut request = requests::resolve(args, context.settings);
    if context.settings.output == OutputFormat::Fragment && !args.all {
        request.offers.limit.get_or_insert(FRAGMENT_ROWS);
    }
    if args.specs == ["-"] && !args.live.live && StreamedRows::are_of(context.settings.output) {
        return lines(context, request);
    }
    let specs = if args.specs == [EVERY_OFFER] {
        vec![context.engine.read_hardware(EVERY_OFFER)?]
    } else {
        context.engine.bind(&read_specs(context.ui, &args.specs)?)?
    };
    let live = if args.live.live {
        let options = LiveRequest {
            machines: args.nodes,
            confidential: context.ui.is_terminal(),
            required: request.offers.providers_by_name(&context.engine.catalog()),
            ..requests::live(
                &args.live,
                args.offers.max_age,
                context.settings,
                args.at_least,
                args.disk,
            )
        };
        Some(live::ask(context, &specs, &request.offers, &options)?)
    } else {
        None
    };
    let engine = context.engine.with(live.as_ref());
    let has_alternatives = specs.iter().map(Vec::len).sum::<usize>() > 1;
    request.specs = specs.into_iter().map(Spec::from).collect();
    let answer = engine.resolve(&request).map_err(with_streaming_advice)?;
    let layout = TableLayout {
        is_map: args.map,
        is_complete: args.all
            || context.settings.output.is_html()
            || args.map
            || args.group_by.is_some()
            || request.offers.limit.is_some(),
        has_alternatives,
    };
    show(context, &engine, answer, layout)
}

/// Adds the formats that have no limit to the error of an answer with too many rows.
fn with_streaming_advice(error: Error) -> Error {
    let is_too_long = |problem: &Problem| problem.code == ErrorCode::TooManyRows;
    if error.problems.iter().any(is_too_long) {
        error.advise(
            "`resolve -` with -o jsonl or -o csv answers line by line, without a limit; --limit \
             bounds the rows of each spec",
        )
    } else {
        error
    }
}

/// How the table shows an answer.
#[derive(Clone, Copy)]
struct TableLayout {
    /// True to show the price in each region.
    is_map: bool,
    /// True to show all offers instead of the first of each spec.
    is_complete: bool,
    /// True to show the alternative that each offer matches.
    has_alternatives: bool,
}

/// Answers each spec of standard input separately.
fn lines(context: &mut Context<'_>, mut request: ResolveRequest) -> Result<ExitCode> {
    let engine = context.engine;
    // Invalid filters are reported once, not for every spec.
    request.specs.clear();
    let catalog = engine.resolve(&request)?.envelope.catalog;
    let money = request.offers.money(&engine.catalog())?;
    let columns = match request.offers.commit {
        Some(_) => &COMMITTED_CSV,
        None => OFFER_CSV,
    };
    answer_lines(context, columns, &catalog, Start::default(), |choices| {
        request.specs = vec![choices.into()];
        let answer = engine.resolve(&request)?;
        let capacity_filter = answer.envelope.request.offers.capacity_type;
        let told = remarks(&engine, &answer, capacity_filter, &money);
        let mut remarks = told.unmatched;
        remarks.extend(told.advice);
        remarks.extend(verdict_lines(answer.envelope.explain.as_deref()));
        Ok(LineAnswer {
            is_found: answer.outcomes.iter().any(|outcome| outcome.has_verified),
            too_old: answer.too_old,
            envelope: answer.envelope,
            remarks,
        })
    })
}

/// Reads the specs of the arguments; `-` is standard input.
fn read_specs(ui: &mut Ui, arguments: &[String]) -> std::result::Result<Vec<Spec>, Error> {
    let mut specs = Vec::new();
    for argument in arguments {
        if argument == "-" {
            let advice = "`resolve - -o jsonl` without --live has no limit";
            input::add_specs_of_stdin(ui, Start::default(), &mut specs, advice)?;
        } else {
            specs.push(Spec::from(argument.clone()));
        }
    }
    if specs.is_empty() {
        return Err(input::no_spec());
    }
    Ok(specs)
}

/// Prints an answer.
fn show(
    context: &mut Context<'_>,
    engine: &Engine<'_>,
    answer: ResolveAnswer<'_>,
    layout: TableLayout,
) -> Result<ExitCode> {
    let format = context.settings.output;
    let capacity_filter = answer.envelope.request.offers.capacity_type;
    let money = answer.envelope.request.offers.money(&engine.catalog())?;
    let parts: Vec<_> = answer
        .outcomes
        .iter()
        .map(|outcome| outcome.offers.clone())
        .collect();
    let names = if format == OutputFormat::Names {
        names(&answer.envelope.results)
    } else {
        Vec::new()
    };
    let is_found = answer.outcomes.iter().any(|outcome| outcome.has_verified);
    let mut exit_code = found(is_found);
    let Remarks {
        unmatched,
        advice,
        footer: lines,
    } = remarks(engine, &answer, capacity_filter, &money);
    if format == OutputFormat::Names && names.is_empty() {
        exit_code = ExitCode::NothingMatches;
    }
    if let Some(partial) = live::tell_failures(context, engine)? {
        exit_code = partial;
    }
    if !format.is_document() {
        let verdicts = verdict_lines(answer.envelope.explain.as_deref());
        explain(context, unmatched, advice, verdicts)?;
    }
    let mut footer = Footer::default();
    let mut at_end = Vec::new();
    if format.is_page() && (!answer.envelope.results.is_empty() || engine.live().is_some()) {
        let (offers, detail) = (&answer.envelope.results[..], context.settings.detail());
        let shown = shown(offers, &parts, layout.is_complete);
        let hours = answer.envelope.request.offers.hours;
        let more = more_line(&shown, offers, detail.is_full());
        let total = prices::total_note(hours, capacity_filter);
        at_end = commitments::end_lines(&shown);
        footer = offers_footer(engine, shown, None, capacity_filter, detail);
        footer.parts.splice(0..0, more.into_iter().chain(total));
        footer.parts.extend(money.rate());
    }
    footer.lines = lines;
    footer.lines.extend(at_end);
    if let Some(error) = &answer.too_old {
        exit_code = live::tell(context, error)?;
    }
    let width = context.ui.width();
    let is_folded = answer.envelope.request.group_by.is_some();
    let (catalog, sort) = (engine.catalog(), answer.envelope.request.sort);
    let is_by_one = sort == Sort::PricePerGpu;
    let is_committed = answer.envelope.request.offers.commit.is_some();
    let report = Report {
        envelope: answer.envelope,
        csv: match is_folded {
            true => &FOLDED_CSV,
            false if is_committed => &COMMITTED_CSV,
            false => OFFER_CSV,
        },
        names,
        page: Box::new(move |offers, wide| {
            if offers.is_empty() {
                return Page::default();
            }
            if layout.is_map {
                return map::page(offers, width);
            }
            let offers = shown(offers, &parts, layout.is_complete);
            if is_folded {
                return Page::table(group_table(&offers, capacity_filter, &money));
            }
            let specs = || offers.iter().map(|offer| offer.spec.clone()).collect();
            let in_units = unit_prices(&catalog, &offers, sort, capacity_filter, &money);
            let table = OfferTable {
                lead: in_units.or_else(|| layout.has_alternatives.then(|| ("SPEC", specs()))),
                offers,
                capacity_filter,
                money: money.clone(),
                wide,
                is_by_one,
            };
            Page::table(table.build())
        }),
        footer,
        exit_code,
    };
    Ok(print(context.ui, format, report)?)
}

/// The column with the prices that sort offers by the gigabyte or the TFLOP; `None` for other orders.
fn unit_prices(
    catalog: &Catalog<'_>,
    offers: &[&OfferOut<'_>],
    sort: Sort,
    capacity_filter: CapacityFilter,
    money: &Money<'_>,
) -> Option<(&'static str, Vec<String>)> {
    let title = match sort {
        Sort::PricePerGb => "PER GB",
        Sort::PricePerTflop => "PER TFLOP",
        Sort::Price | Sort::PricePerGpu | Sort::Obtainability => return None,
    };
    let cell = |offer: &&OfferOut<'_>| {
        let price = offer.ranking_quote(capacity_filter)?;
        let usd = Usd::from_decimal(price.likely_usd_per_hour.0)?;
        let count = Count::from_decimal(offer.count.0)?;
        let figure = sorted_figure(catalog, sort, usd, count, offer.accelerator_id)? / 1e6;
        let mark = if has_drifted(price) { ESTIMATED } else { "" };
        Some(format!(
            "{mark}{}",
            grouped_to(money.from_usd(Num(figure)).0, 5)
        ))
    };
    let cells = offers.iter().map(|offer| cell(offer).unwrap_or_default());
    Some((title, cells.collect()))
}

/// Prints what did not match, advice, and the verdicts of `--explain`.
fn explain(
    context: &mut Context<'_>,
    unmatched: Vec<String>,
    advice: Option<String>,
    verdicts: Vec<String>,
) -> Result<()> {
    for line in unmatched {
        context.ui.stderr_line(&line)?;
    }
    if let Some(advice) = advice {
        context.ui.advice(&advice)?;
    }
    for line in verdicts {
        context.ui.stderr_line(&line)?;
    }
    Ok(())
}

/// The offers of each spec that a table shows.
fn shown<'o, 'a>(
    offers: &'o [OfferOut<'a>],
    parts: &[Range<usize>],
    is_complete: bool,
) -> Vec<&'o OfferOut<'a>> {
    if is_complete {
        return offers.iter().collect();
    }
    let parts = parts.iter().filter_map(|part| offers.get(part.clone()));
    parts.flat_map(first_rows).collect()
}

/// Lines in addition to the table.
struct Remarks {
    /// For specs without matches.
    unmatched: Vec<String>,
    /// Suggested commands if a spec has no match.
    advice: Option<String>,
    /// For specs whose offers have no known price.
    footer: Vec<String>,
}

/// Why the region of an offer may be unknown.
const UNPUBLISHED: &str = "the remaining providers do not publish its regions";

fn remarks(
    engine: &Engine<'_>,
    answer: &ResolveAnswer<'_>,
    capacity_filter: CapacityFilter,
    money: &Money<'_>,
) -> Remarks {
    let mut remarks = Remarks {
        unmatched: Vec::new(),
        advice: None,
        footer: Vec::new(),
    };
    // An error or a note names the newest price of the others.
    let outcomes = answer.outcomes.iter();
    for outcome in outcomes.filter(|outcome| !outcome.is_too_old) {
        let nearest = &answer.envelope.nearest[outcome.nearest.clone()];
        let funnel = &answer.envelope.funnel[outcome.funnel.clone()];
        let ages = ages(engine, &nearest_prices(nearest, capacity_filter));
        if !outcome.has_verified {
            let spec = &outcome.spec;
            let heading = if outcome.offers.is_empty() {
                format!("nothing matches {spec}")
            } else {
                format!("no offer of {spec} is known in the requested regions: {UNPUBLISHED}")
            };
            let lines = nothing_lines(heading, funnel, nearest, capacity_filter, money, ages);
            remarks.unmatched.extend(lines);
            let is_live = engine.live().is_some();
            remarks.advice = Some(no_instance_advice(is_live));
        } else if !nearest.is_empty() {
            let is_priced = |offer: &OfferOut<'_>| offer.ranking_quote(capacity_filter).is_some();
            let spec = &outcome.spec;
            let has_price = answer.envelope.results[outcome.offers.clone()]
                .iter()
                .any(is_priced);
            let is_dearer = |near: &NearestOut<'_>| near.relation == Relation::HigherPrice;
            let mut found = answer.envelope.results[outcome.offers.clone()].iter();
            let has_confirmed_only_near =
                found.all(is_doubtful) && nearest.iter().any(|near| !is_doubtful(&near.offer));
            let heading = if !has_price {
                format!("no price is known for {spec}; nearest:")
            } else if nearest.iter().any(is_dearer) {
                format!("every offer of {spec} within the price limit is doubtful; above it:")
            } else if has_confirmed_only_near {
                "spot machines of other sizes with a confirmed price:".to_owned()
            } else {
                "spot machines of other sizes cost less for each accelerator:".to_owned()
            };
            remarks
                .footer
                .extend(nearest_lines(&heading, nearest, capacity_filter, money));
            remarks.footer.extend(ages);
        }
    }
    remarks
}

/// The verdicts on offers, if `explain` was requested.
fn verdict_lines(verdicts: Option<&[ExplainOut<'_>]>) -> Vec<String> {
    let Some(verdicts) = verdicts else {
        return Vec::new();
    };
    let mut table = Table::new([
        Column::left("VERDICT", 0),
        Column::left("PROVIDER", 0),
        Column::left("INSTANCE TYPE", 0),
        Column::left("ACCELERATOR", 1),
        Column::right("COUNT", 1),
        Column::left("WHY", 0),
    ]);
    for verdict in verdicts {
        table.row(
            RowStyle::Plain,
            [
                if verdict.kept { "kept" } else { "dropped" }.to_owned(),
                verdict.provider.to_owned(),
                verdict.instance_type.to_owned(),
                verdict.accelerator.to_owned(),
                verdict
                    .count
                    .map(|count| number(count.0))
                    .unwrap_or_default(),
                format!("{}: {}", verdict.code, verdict.message),
            ],
        );
    }
    table.lines()
}
