//! `browse`: offers in the terminal, and the choice on standard output.

use std::thread;

use sky_accel_engine::asking::DEFAULT_DISK_GB;
use sky_accel_engine::{Engine, Error, ErrorCode, ResolveRequest};

use super::{Context, Result, live};
use crate::browse::{Browser, Chosen, Desk, Model, Outcome};
use crate::cli::{BrowseArgs, ChoiceArgs, ChoiceFormat, Output, OutputFormat};
use crate::exit_code::ExitCode;
use crate::present::offers::{OFFER_CSV, qualified};
use crate::render::{Page, Report, print};
use crate::requests;

pub fn run(context: &mut Context<'_>, given: &ChoiceArgs, args: &BrowseArgs) -> Result<ExitCode> {
    let engine = context.engine;
    let settings = context.settings;
    let desk = Desk {
        engine,
        offers: requests::offers(&args.offers, &settings.offers),
        run: requests::run(&args.run),
        live: requests::live(
            &requests::live_of_browser(args),
            settings,
            true,
            DEFAULT_DISK_GB,
        ),
        insecure: settings.insecure,
        colour: context.ui.colours_terminal(),
    };
    // What is wrong with filters, currency and model is told before anything is drawn.
    let request = ResolveRequest {
        offers: desk.offers.clone(),
        ..ResolveRequest::default()
    };
    engine.resolve(&request)?;
    let model = args.run.model_word();
    let model = model.map(|word| Model::size(&engine, &desk.run, word, &desk.offers));
    let mut model = model.transpose()?;
    let word = model.as_ref().map_or("", Model::name).to_owned();
    let query = args.query.join(" ");
    let mut browser = Browser::open(&desk, &query, &word, args.live).map_err(|error| {
        let message = format!("browse needs a terminal: {error}");
        Error::new(ErrorCode::NoTerminal, message).advise("`resolve` answers without one")
    })?;
    thread::scope(|scope| {
        let mut answered = None;
        loop {
            let engine = engine.with(answered.as_ref());
            let outcome = browser.visit(&engine, model.take(), scope)?;
            answered = match outcome {
                Outcome::Chosen(chosen) => {
                    drop(browser);
                    return show(context, &engine, (given, args), *chosen);
                }
                Outcome::Left => return Ok(ExitCode::Interrupted),
                Outcome::Answered(live) => Some(*live),
                Outcome::Elsewhere => None,
            };
        }
    })
}

/// Prints the choice.
fn show(
    context: &mut Context<'_>,
    engine: &Engine<'_>,
    (given, args): (&ChoiceArgs, &BrowseArgs),
    chosen: Chosen<'_>,
) -> Result<ExitCode> {
    if let Some(max_age) = args.max_age {
        let capacity_filter = chosen.request.offers.capacity_type;
        engine.check_ages(&chosen.results, capacity_filter, max_age)?;
    }
    let exit_code = live::tell_partial(context, engine)?.unwrap_or_default();
    let format = match given.output {
        Some(Output::Choice(format)) => format,
        _ if context.settings.output.is_json() => ChoiceFormat::Json,
        _ => ChoiceFormat::Names,
    };
    let (format, names) = match format {
        ChoiceFormat::Names => {
            let ids = chosen.results.iter();
            let ids = ids.map(|offer| (offer.provider, offer.instance_type));
            (OutputFormat::Names, qualified(&ids.collect::<Vec<_>>()))
        }
        ChoiceFormat::Spec => (OutputFormat::Names, chosen.request.specs.clone()),
        ChoiceFormat::Json => (OutputFormat::Json, Vec::new()),
    };
    let report = Report {
        envelope: chosen,
        csv: OFFER_CSV,
        names,
        page: Box::new(|_, _| Page::default()),
        footer: Vec::new(),
        exit_code,
    };
    Ok(print(context.ui, format, report)?)
}
