//! `models --on`: the models that run on some hardware.

use std::borrow::Cow;

use sky_accel_core::text::{counted, number, printable};
use sky_accel_engine::contract::{Envelope, Num};
use sky_accel_engine::text::grouped;
use sky_accel_engine::{
    Error, ErrorCode, KnownModelOut, ModelRunOut, ModelsAnswer, ModelsParts, ModelsRequest, Money,
    NO_DEVICE, OnHardwareOut,
};

use crate::cli::ModelsArgs;
use crate::context::{Context, Result, found};
use crate::exit_code::ExitCode;
use crate::present::prices;
use crate::render::{Column, Page, Report, RowStyle, Table, print};
use crate::requests;

const CSV: &[&str] = &[
    "id",
    "kind",
    "parameters",
    "quality.score",
    "run.precision",
    "run.engine",
    "run.checkpoint",
    "run.tokens_per_s_per_user",
    "run.tokens_per_s",
    "run.ttft_s",
    "run.max_context",
    "run.high_gib",
    "run.usable_gib",
];

/// Lists the models that run on the hardware of `--on`.
pub fn run(context: &mut Context<'_>, args: &ModelsArgs) -> Result<ExitCode> {
    let request = ModelsRequest {
        filter: args.filter.clone(),
        on: args.on.clone(),
        concurrency: args.concurrency.map(|users| Num(users.into())),
        context: args.context.map(Num),
        generate: args.generate.map(Num),
        budget_usd_per_hour: args.budget.map(Num),
        limit: args.limit,
        prices: requests::price_policy(&args.prices),
    };
    let engine = context.engine;
    let answer = if request.is_on_this_machine() {
        let machine = engine.read_machine(args.from.as_deref())?;
        engine.models_on(&request, Some(&machine))?
    } else {
        if args.from.is_some() {
            let message = "--from is a recorded machine: it needs --on detect";
            return Err(Error::new(ErrorCode::BadValue, message).into());
        }
        engine.models_on(&request, None)?
    };
    let is_found = !answer.envelope.results.is_empty();
    if !is_found {
        context.ui.stderr_line(&nothing(&request, &answer))?;
    }
    let envelope = answer.envelope;
    let report = Report {
        names: envelope
            .results
            .iter()
            .map(|row| row.id.to_owned())
            .collect(),
        footer: footer(&request, &envelope).into(),
        csv: CSV,
        page: Box::new(|rows: &[KnownModelOut<'_>], _| match rows {
            [] => Page::default(),
            rows => Page::table(table(rows)),
        }),
        envelope,
        exit_code: found(is_found),
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

/// The hardware as text: `2 × RTX4090, from $0.68 per hour at RunPod`.
fn in_words(hardware: &OnHardwareOut<'_>) -> String {
    let name = if hardware.accelerator == NO_DEVICE {
        let memory = hardware.memory_gib.map_or(0.0, |gib| gib.0);
        format!(
            "the processors of a host, with {} GiB for models",
            number(memory)
        )
    } else {
        format!("{} × {}", hardware.count, hardware.accelerator)
    };
    let (Some(usd), Some(provider)) = (hardware.usd_per_hour, hardware.provider_name) else {
        return name;
    };
    let price = hardware.price.as_deref();
    let mark = price.map_or("", prices::mark);
    let basis = price.map(|price| prices::basis(price, &Money::DOLLARS));
    let basis = basis.map_or_else(String::new, |basis| format!(" ({basis})"));
    format!(
        "{name}, from {mark}${:.2} per hour at {provider}{basis}",
        usd.0
    )
}

/// The reason for an empty list.
fn nothing(request: &ModelsRequest, answer: &ModelsAnswer<'_>) -> String {
    let hardware = answer.envelope.more.hardware.as_ref();
    let on = hardware.map_or_else(String::new, in_words);
    if let (Some(budget), Some(hardware)) = (request.budget_usd_per_hour, hardware)
        && hardware.usd_per_hour.is_none_or(|usd| usd > budget)
    {
        let budget = number(budget.0);
        return match hardware.usd_per_hour {
            Some(_) => format!("{on}: more than the budget of ${budget} per hour"),
            None => format!("{on}: no price is known that could be within ${budget} per hour"),
        };
    }
    let filter = request.filter.as_deref().map(printable);
    let what = match &filter {
        Some(filter) if answer.matching == 0 => {
            return match &answer.near[..] {
                [] => format!("no model of the catalog has '{filter}' in its name"),
                near => format!(
                    "no model of the catalog has '{filter}' in its name: did you mean {}?",
                    near.join(", ")
                ),
            };
        }
        Some(filter) => format!("no model with '{filter}' in its name"),
        None => "no model of the catalog".to_owned(),
    };
    let load = match request.concurrency {
        Some(users) if users.0 > 1.0 => format!(" for {}", counted(users.0 as u32, "user")),
        _ => String::new(),
    };
    let more = match hardware {
        Some(hardware) if hardware.accelerator == NO_DEVICE => "a larger host, such as cpu:128GB,",
        _ => "more devices,",
    };
    format!("{what} runs on {on}{load}, even in 4 bits: use {more} or a shorter --context")
}

/// The document of an answer.
type Document<'c> = Envelope<'c, ModelsRequest, KnownModelOut<'c>, ModelsParts<'c>>;

fn footer(request: &ModelsRequest, document: &Document<'_>) -> Vec<String> {
    let rows = &document.results;
    let Some(first) = rows.first() else {
        return Vec::new();
    };
    let mut footer = Vec::new();
    let spec = document.request.on.as_deref().unwrap_or_default();
    footer.extend(document.more.hardware.as_ref().map(in_words));
    let users = match request.concurrency {
        Some(users) if users.0 > 1.0 => format!("TOK/S of each of {} users", number(users.0)),
        _ => "TOK/S of one user".to_owned(),
    };
    footer.push(format!(
        "{users}, CONTEXT the longest prompt that fits, GIB of each device at most of those usable"
    ));
    let rated = rows.iter().find_map(|row| row.quality);
    footer.extend(rated.map(|quality| {
        format!(
            "SCORE: {} of {} ({}), for the published precision",
            quality.leaderboard, quality.as_of, quality.source
        )
    }));
    footer.extend(first.run.as_ref().map(|run| {
        let engine = run.engine;
        let precision = &run.precision;
        // The load is a part of the question.
        let options = [
            ("users", request.concurrency.filter(|users| users.0 > 1.0)),
            ("context", request.context),
            ("generate", request.generate),
        ];
        let options = options.into_iter();
        let options = options.filter_map(|(flag, value)| Some(format!(" --{flag} {}", value?.0)));
        format!(
            "memory and the start command: `sky-accel fit {spec} {} --engine {engine} --precision {precision}{}`",
            first.id,
            options.collect::<String>()
        )
    }));
    footer
}

/// A format without the prefix of GGUF files.
fn short(precision: &str) -> &str {
    precision.strip_prefix("gguf:").unwrap_or(precision)
}

fn table(rows: &[KnownModelOut<'_>]) -> Table {
    let is_mixed = rows.iter().any(|row| row.kind != rows[0].kind);
    let mut columns = vec![
        Column::left("MODEL", 0),
        Column::right("SCORE", 0),
        Column::left("PRECISION", 0),
        Column::left("ENGINE", 1),
        Column::right("TOK/S", 0),
        Column::right("TTFT S", 2),
        Column::right("CONTEXT", 0),
        Column::right("GIB", 1),
    ];
    if is_mixed {
        columns.insert(1, Column::left("KIND", 0));
    }
    let mut table = Table::new(columns);
    for row in rows {
        let Some(run) = &row.run else { continue };
        let mut cells = cells(row, run);
        if is_mixed {
            cells.insert(1, Cow::Owned(row.kind.to_string()));
        }
        table.row(RowStyle::Plain, cells);
    }
    table
}

fn cells<'r>(row: &'r KnownModelOut<'_>, run: &'r ModelRunOut) -> Vec<Cow<'r, str>> {
    let dash = || Cow::Borrowed("—");
    let figure = |figure: Num| Cow::Owned(number(figure.0));
    vec![
        Cow::Borrowed(row.id),
        row.quality
            .map_or_else(dash, |quality| figure(quality.score)),
        Cow::Borrowed(short(&run.precision)),
        Cow::Owned(run.engine.to_string()),
        run.tokens_per_s_per_user.map_or_else(dash, figure),
        run.ttft_s.map_or_else(dash, figure),
        run.max_context
            .map_or_else(dash, |tokens| Cow::Owned(grouped(tokens.0))),
        Cow::Owned(format!("{:.1}/{:.1}", run.high_gib.0, run.usable_gib.0)),
    ]
}
