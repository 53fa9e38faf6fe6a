//! `models`: the models of the catalog.

use sky_accel_core::catalog::TokenUnit;
use sky_accel_core::text::{Rounded, counted, number, printable};
use sky_accel_engine::contract::{Envelope, Num};
use sky_accel_engine::text::grouped;
use sky_accel_engine::{ApiPricesOut, KnownModelOut, ModelsParts, ModelsRequest};

use super::models_on;
use crate::cli::{ModelsArgs, OutputFormat};
use crate::context::{Context, Result, found};
use crate::exit_code::ExitCode;
use crate::render::{Block, Column, Page, Report, RowStyle, Table, print};

const CSV: &[&str] = &[
    "id",
    "kind",
    "parameters",
    "active_parameters",
    "context",
    "cache_bytes_per_token",
    "cache_fixed_bytes",
    "stored_as",
    "min_vllm",
    "weights_gb",
    "unit",
    "names",
    "source",
];

/// The version of vLLM for models that no release serves.
const NIGHTLY: &str = "nightly";

/// Lists the models of the catalog, or shows one.
pub fn run(context: &mut Context<'_>, args: &ModelsArgs) -> Result<ExitCode> {
    if args.on.is_some() {
        return models_on::run(context, args);
    }
    let answer = context.engine.models(&ModelsRequest {
        filter: args.filter.clone(),
        ..ModelsRequest::default()
    });
    let envelope = answer.envelope;
    let count = envelope.results.len();
    if count == 0 {
        let filter = printable(args.filter.as_deref().unwrap_or_default());
        let is_hardware = context.engine.read_hardware(&filter).is_ok();
        let near = if is_hardware {
            let spec = shlex::try_quote(&filter).unwrap_or_default();
            format!("`sky-accel models --on {spec}` lists the models that it runs; ")
        } else if answer.near.is_empty() {
            String::new()
        } else {
            format!("did you mean {}? ", answer.near.join(", "))
        };
        context.ui.stderr_line(&format!(
            "no model of the catalog has '{filter}' in its name: {near}`fit` and `recommend` also take a config.json, a folder, a GGUF file, or hf:organization/name with --live"
        ))?;
    }
    let footer = (count > 1).then(|| {
        format!(
            "{count} models; parameters in billions, ACTIVE per token of a mixture; cache in MB per 1,000 tokens; files in GB; catalog {}",
            envelope.catalog.version
        )
    });
    let footer = footer.into_iter().collect();
    let report = report(envelope, footer, context.settings.output);
    Ok(print(context.ui, context.settings.output, report)?)
}

/// The report of a list of models.
pub fn report<'c>(
    envelope: Envelope<'c, ModelsRequest, KnownModelOut<'c>, ModelsParts<'c>>,
    footer: Vec<String>,
    format: OutputFormat,
) -> Report<'c, ModelsRequest, KnownModelOut<'c>, ModelsParts<'c>> {
    let has_models = !envelope.results.is_empty();
    Report {
        names: match format {
            OutputFormat::Names => ids(&envelope.results),
            _ => Vec::new(),
        },
        envelope,
        csv: CSV,
        page: Box::new(|rows: &[KnownModelOut<'_>], _| match rows {
            [] => Page::default(),
            [row] => details(row),
            rows => Page::table(table(rows)),
        }),
        footer: footer.into(),
        exit_code: found(has_models),
    }
}

fn ids(rows: &[KnownModelOut<'_>]) -> Vec<String> {
    rows.iter().map(|row| row.id.to_owned()).collect()
}

/// `23 prices: USD per million tokens of input from 0.2, median 0.59; of output from 0.2, median 0.75`.
fn api_prices(prices: &ApiPricesOut) -> String {
    let unit = match prices.unit {
        TokenUnit::Tokens => "million tokens of output",
        unit => unit.in_words(),
    };
    let range = |unit: &str, lowest: Option<Num>, median: Option<Num>| {
        let (lowest, median) = (lowest?.0, median?.0);
        let (lowest, median) = (number(lowest), number(median));
        Some(format!("from ${lowest} per {unit}, median ${median}"))
    };
    let ranges = [
        range(
            "million tokens of input",
            prices.lowest_input_usd,
            prices.median_input_usd,
        ),
        range(unit, prices.lowest_output_usd, prices.median_output_usd),
    ];
    let ranges: Vec<String> = ranges.into_iter().flatten().collect();
    format!("{}: {}", counted(prices.prices, "price"), ranges.join("; "))
}

/// A number of parameters in billions, with three digits or one after the point.
fn billions(parameters: Num) -> Rounded {
    let value = parameters.0 / 1e9;
    let places = if value < 10.0 { 2 } else { 1 };
    Rounded { value, places }
}

/// A figure with three digits, or all digits before the point.
fn rounded(value: f64) -> Rounded {
    let places = match value {
        10.0.. => 0,
        1.0..10.0 => 1,
        _ => 2,
    };
    Rounded { value, places }
}

/// The active parameters of a mixture of experts, or of a model with large tables; `None` for others.
fn active(row: &KnownModelOut<'_>) -> Option<Num> {
    let most = 0.9 * (row.parameters?.0 - row.embedding_parameters.map_or(0.0, |n| n.0));
    row.active_parameters.filter(|active| active.0 < most)
}

fn table(rows: &[KnownModelOut<'_>]) -> Table {
    let mut table = Table::new([
        Column::left("ID", 0),
        Column::left("KIND", 0),
        Column::right("PARAMS", 0),
        Column::right("ACTIVE", 0),
        Column::right("CONTEXT", 1),
        Column::right("MB/1K TOKENS", 1),
        Column::left("FILES", 1),
        Column::right("GB", 0),
    ]);
    for row in rows {
        let mut cells = table.start_row(RowStyle::Plain);
        cells.text(row.id);
        cells.text(row.kind.word());
        match row.parameters {
            Some(parameters) => cells.number(Some(billions(parameters))),
            None => cells.text("?"),
        }
        cells.number(active(row).map(billions));
        cells.grouped(row.context.map(f64::from));
        cells.number(
            row.cache_bytes_per_token
                .map(|bytes| rounded(bytes.0 / 1e3)),
        );
        cells.text(row.stored_as.unwrap_or("—"));
        cells.number(row.weights_gb.map(|size| rounded(size.0)));
    }
    table
}

/// The details of a model.
fn details(row: &KnownModelOut<'_>) -> Page {
    let mut items = vec![("kind".to_owned(), row.kind.to_string())];
    let mut add = |label: &str, text: Option<String>| {
        items.extend(text.map(|text| (label.to_owned(), text)));
    };
    let parameters = row.parameters.map(billions);
    add(
        "parameters",
        parameters.map(|billions| format!("{billions} billion")),
    );
    add(
        "active",
        active(row).map(|n| {
            let looked_up = row.embedding_parameters.map_or_else(String::new, |more| {
                let both = Num(n.0 + more.0);
                format!(", {} with the embedding", billions(both))
            });
            format!("{} billion per token{looked_up}", billions(n))
        }),
    );
    add(
        "context",
        row.context.map(|tokens| {
            let tokens = grouped(f64::from(tokens));
            match row.native_context {
                Some(native) => {
                    let native = grouped(f64::from(native));
                    format!("{tokens} tokens, with YaRN above {native}")
                }
                None => format!("{tokens} tokens"),
            }
        }),
    );
    add(
        "cache",
        row.cache_bytes_per_token.map(|bytes| {
            if bytes.0 <= 0.0 {
                return "does not grow: every layer has a window".to_owned();
            }
            format!(
                "{} MB per 1,000 tokens in 16 bits ({} bytes per token)",
                rounded(bytes.0 / 1e3),
                grouped(bytes.0)
            )
        }),
    );
    add(
        "",
        row.cache_fixed_bytes.map(|bytes| {
            format!(
                "{} MB per sequence for full windows and states",
                rounded(bytes.0 / 1e6)
            )
        }),
    );
    add("not sized", row.refused.as_deref().map(str::to_owned));
    add("sized for", row.unit.map(str::to_owned));
    let size = row
        .weights_gb
        .map_or_else(String::new, |size| format!(", {} GB", rounded(size.0)));
    add(
        "files",
        row.stored_as.map(|format| format!("{format}{size}")),
    );
    add(
        "vLLM",
        row.min_vllm.map(|version| match version {
            NIGHTLY => "a nightly build".to_owned(),
            version => format!("{version} or newer"),
        }),
    );
    let checkpoints = row.checkpoints.iter();
    let checkpoints: Vec<String> = checkpoints
        .map(|checkpoint| format!("{} in {}", checkpoint.id, checkpoint.stored_as))
        .collect();
    add(
        "checkpoints",
        Some(checkpoints.join(", ")).filter(|text| !text.is_empty()),
    );
    add(
        "names",
        Some(row.names.join(", ")).filter(|names| !names.is_empty()),
    );
    add(
        "quality",
        row.quality.map(|quality| {
            format!(
                "{} on {} of {} ({})",
                number(quality.score.0),
                quality.leaderboard,
                quality.as_of,
                quality.source
            )
        }),
    );
    add("API prices", row.api_prices.as_deref().map(api_prices));
    add("source", Some(row.source.to_owned()));
    Page {
        blocks: vec![Block::Heading(row.id.to_owned()), Block::Items(items)],
    }
}
