//! `resolve`: specs in, each provider's own names and prices out.

use std::ops::Range;

use sky_accel_core::bind::Wanted;
use sky_accel_core::resolve::CapacityFilter;
use sky_accel_core::text::number;
use sky_accel_engine::asking::LiveRequest;
use sky_accel_engine::contract::{ExplainOut, OfferOut};
use sky_accel_engine::{Engine, Error, ErrorCode, Money, ResolveAnswer, ResolveRequest, SpecText};

use super::input::Start;
use super::stream::{LineAnswer, answer_lines};
use super::{Context, Result, input, live, map};
use crate::cli::{OutputFormat, ResolveArgs};
use crate::exit_code::ExitCode;
use crate::present::ages::{ages, nearest_prices, offers_footer};
use crate::present::offers::{
    FOLDED_CSV, OFFER_CSV, OfferTable, first_rows, group_table, more_line, names, nearest_lines,
    nothing_lines,
};
use crate::render::{Column, Page, Report, RowStyle, Rows, Table, print};
use crate::requests;

/// The most specs of an answer that is one document or table.
const MAX_SPECS: usize = 100_000;

pub fn run(context: &mut Context<'_>, args: &ResolveArgs) -> Result<ExitCode> {
    let request = requests::resolve(args, context.settings);
    if args.specs == ["-"] && !args.live.live && Rows::are_of(context.settings.output) {
        return lines(context, &request);
    }
    let specs = context.engine.read_specs(&texts(&args.specs)?)?;
    let live = if args.live.live {
        let options = LiveRequest {
            required: request.offers.providers_by_name(&context.engine.catalog()),
            ..requests::live(&args.live, context.settings, args.at_least, args.disk)
        };
        Some(live::ask(context, &specs, &request.offers, &options)?)
    } else {
        None
    };
    let engine = context.engine.with(live.as_ref());
    let answer = engine.resolve_bound(&request, &specs)?;
    let is_complete =
        args.all || args.map || args.group_by.is_some() || request.offers.limit.is_some();
    show(context, &engine, answer, (args.map, is_complete), &specs)
}

/// Answers each spec of standard input by itself.
fn lines(context: &mut Context<'_>, request: &ResolveRequest) -> Result<ExitCode> {
    let engine = context.engine;
    // What is wrong with the filters is wrong for every spec.
    let catalog = engine.resolve_bound(request, &[])?.envelope.catalog;
    let money = request.offers.money(&engine.catalog())?;
    answer_lines(context, OFFER_CSV, &catalog, Start::default(), |wanted| {
        let answer = engine.resolve_bound(request, &[wanted.to_vec()])?;
        let capacity_filter = answer.envelope.request.offers.capacity_type;
        let mut remarks = remarks(&engine, &answer, capacity_filter, &money).unmatched;
        remarks.extend(verdict_lines(answer.envelope.explain.as_deref()));
        Ok(LineAnswer {
            is_found: answer.outcomes.iter().any(|outcome| outcome.has_verified),
            too_old: answer.too_old,
            envelope: answer.envelope,
            remarks,
        })
    })
}

/// The specs of the arguments; `-` is standard input.
fn texts(arguments: &[String]) -> std::result::Result<Vec<SpecText>, Error> {
    let mut texts = Vec::new();
    for argument in arguments {
        if argument == "-" {
            for text in input::specs_of_stdin(Start::default()) {
                texts.push(text?);
                if texts.len() > MAX_SPECS {
                    let message = format!(
                        "there are more than {MAX_SPECS} specs: `resolve - -o jsonl` reads any number, without --live"
                    );
                    return Err(Error::new(ErrorCode::Stdin, message));
                }
            }
        } else {
            texts.push(SpecText::from(argument.clone()));
        }
    }
    if texts.is_empty() {
        return Err(input::no_spec());
    }
    Ok(texts)
}

/// Prints an answer.
fn show(
    context: &mut Context<'_>,
    engine: &Engine<'_>,
    answer: ResolveAnswer<'_>,
    (is_map, is_complete): (bool, bool),
    specs: &[Vec<Wanted>],
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
    let mut exit_code = super::found(is_found);
    let Remarks {
        unmatched,
        mut footer,
    } = remarks(engine, &answer, capacity_filter, &money);
    if format == OutputFormat::Names && names.is_empty() {
        exit_code = ExitCode::NothingMatches;
    }
    if let Some(partial) = live::tell_partial(context, engine)? {
        exit_code = partial;
    }
    if !format.is_document() {
        let verdicts = verdict_lines(answer.envelope.explain.as_deref());
        for line in unmatched.into_iter().chain(verdicts) {
            context.ui.always(&line)?;
        }
    }
    if format.is_page() && (!answer.envelope.results.is_empty() || engine.live().is_some()) {
        let (offers, verbose) = (&answer.envelope.results[..], context.settings.verbose);
        let shown = shown(offers, &parts, is_complete);
        footer.extend(more_line(&shown, offers));
        footer.extend(money.rate());
        footer.extend(offers_footer(engine, shown, capacity_filter, verbose));
    }
    if let Some(error) = &answer.too_old {
        exit_code = live::tell(context, error)?;
    }
    let has_choices = specs.iter().map(Vec::len).sum::<usize>() > 1;
    let width = context.ui.width();
    let is_folded = answer.envelope.request.group_by.is_some();
    let report = Report {
        envelope: answer.envelope,
        csv: if is_folded { &FOLDED_CSV } else { OFFER_CSV },
        names,
        page: Box::new(move |offers, wide| {
            if offers.is_empty() {
                return Page::default();
            }
            if is_map {
                return map::page(offers, width);
            }
            let offers = shown(offers, &parts, is_complete);
            if is_folded {
                return Page::table(group_table(&offers, capacity_filter, &money));
            }
            let specs = || offers.iter().map(|offer| offer.spec.clone()).collect();
            let table = OfferTable {
                lead: has_choices.then(|| ("SPEC", specs())),
                offers,
                capacity_filter,
                money: money.clone(),
                wide,
            };
            Page::table(table.build())
        }),
        footer,
        exit_code,
    };
    Ok(print(context.ui, format, report)?)
}

/// The offers that a table shows, of each spec's part of them.
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

/// Lines beside the table.
struct Remarks {
    /// For specs that nothing matches.
    unmatched: Vec<String>,
    /// For specs whose offers have no known price.
    footer: Vec<String>,
}

/// Why an offer's region may be unknown.
const UNPUBLISHED: &str = "the providers left do not publish where they have it";

fn remarks(
    engine: &Engine<'_>,
    answer: &ResolveAnswer<'_>,
    capacity_filter: CapacityFilter,
    money: &Money<'_>,
) -> Remarks {
    let mut remarks = Remarks {
        unmatched: Vec::new(),
        footer: Vec::new(),
    };
    for outcome in &answer.outcomes {
        let nearest = &answer.envelope.nearest[outcome.nearest.clone()];
        let funnel = &answer.envelope.funnel[outcome.funnel.clone()];
        let ages = ages(engine, &nearest_prices(nearest, capacity_filter));
        if !outcome.has_verified {
            let spec = &outcome.spec;
            let heading = if outcome.offers.is_empty() {
                format!("nothing matches {spec}")
            } else {
                format!("no offer of {spec} is known to be in such a region: {UNPUBLISHED}")
            };
            let lines = nothing_lines(heading, funnel, nearest, capacity_filter, money, ages);
            remarks.unmatched.extend(lines);
        } else if !nearest.is_empty() {
            let heading = format!("no price is known for {}; nearest:", outcome.spec);
            remarks
                .footer
                .extend(nearest_lines(&heading, nearest, capacity_filter, money));
            remarks.footer.extend(ages);
        }
    }
    remarks
}

/// The verdicts on offers, where they are asked for.
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
