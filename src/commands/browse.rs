//! `browse`: shows offers in the terminal and prints the choice on standard output.

use std::thread;

use sky_accel_engine::asking::{DEFAULT_DISK_GB, LiveRequest};
use sky_accel_engine::{Engine, Error, ErrorCode, ResolveRequest};

use super::live;
use crate::browse::{BrowseContext, Browser, Chosen, SizedModel, ViewOutcome};
use crate::cli::{BrowseArgs, ChoiceArgs, ChoiceFormat, LiveArgs, Output, OutputFormat};
use crate::context::{Context, Result};
use crate::exit_code::ExitCode;
use crate::present::offers::{OFFER_CSV, qualified};
use crate::render::{Page, Report, print};
use crate::requests;

pub fn run(context: &mut Context<'_>, given: &ChoiceArgs, args: &BrowseArgs) -> Result<ExitCode> {
    let engine = context.engine;
    let settings = context.settings;
    let setup = BrowseContext {
        engine,
        offers: requests::offers(&args.offers, &settings.offers),
        run: requests::run(&args.run),
        live: LiveRequest {
            // The chosen offers go to standard output.
            confidential: context.ui.is_terminal(),
            ..requests::live(
                &live_options(args),
                args.offers.max_age,
                settings,
                true,
                DEFAULT_DISK_GB,
            )
        },
        insecure: settings.insecure,
        color: context.ui.colors_terminal(),
    };
    // Report invalid filters, currencies and models before drawing.
    let request = ResolveRequest {
        offers: setup.offers.clone(),
        ..ResolveRequest::default()
    };
    engine.resolve(&request)?;
    let model = args.run.model_word();
    let model = model.map(|word| SizedModel::size(&engine, &setup.run, word, &setup.offers));
    let mut model = model.transpose()?;
    let word = model.as_ref().map_or("", SizedModel::name).to_owned();
    let query = args.query.join(" ");
    let mut browser = Browser::open(&setup, &query, &word, args.live).map_err(|error| {
        let message = format!("browse needs a terminal: {error}");
        Error::new(ErrorCode::NoTerminal, message).advise("`resolve` needs no terminal")
    })?;
    thread::scope(|scope| {
        let mut answered = None;
        loop {
            let engine = engine.with(answered.as_ref());
            let outcome = browser.visit(&engine, model.take(), scope)?;
            answered = match outcome {
                ViewOutcome::Chosen(chosen) => {
                    drop(browser);
                    return show(context, &engine, given, *chosen);
                }
                ViewOutcome::Left => return Ok(ExitCode::Interrupted),
                ViewOutcome::Answered(live) => Some(*live),
                ViewOutcome::Elsewhere => None,
            };
        }
    })
}

/// The options of live queries.
fn live_options(args: &BrowseArgs) -> LiveArgs {
    LiveArgs {
        live: true,
        public: args.public,
        refresh: args.refresh,
        timeout: args.timeout,
        spot_scores: false,
        capacity_blocks: None,
        check_quota: false,
    }
}

/// Prints the chosen offers.
fn show(
    context: &mut Context<'_>,
    engine: &Engine<'_>,
    given: &ChoiceArgs,
    chosen: Chosen<'_>,
) -> Result<ExitCode> {
    let exit_code = live::tell_failures(context, engine)?.unwrap_or_default();
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
        footer: Vec::new().into(),
        exit_code,
    };
    Ok(print(context.ui, format, report)?)
}
