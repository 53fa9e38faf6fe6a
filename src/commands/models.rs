//! `models`: the models of the catalog.

use sky_accel_core::text::{number, printable};
use sky_accel_engine::contract::Num;
use sky_accel_engine::text::grouped;
use sky_accel_engine::{KnownModelOut, ModelsRequest};

use crate::cli::ModelsArgs;
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
    "stored_as",
    "min_vllm",
    "unit",
    "names",
    "source",
];

/// The version of vLLM for models that no release serves.
const NIGHTLY: &str = "nightly";

pub fn run(context: &mut Context<'_>, args: &ModelsArgs) -> Result<ExitCode> {
    let answer = context.engine.models(&ModelsRequest {
        filter: args.filter.clone(),
    });
    let envelope = answer.envelope;
    let count = envelope.results.len();
    if count == 0 {
        let filter = printable(args.filter.as_deref().unwrap_or_default());
        let near = if answer.near.is_empty() {
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
            "{count} models; parameters in billions; catalog {}",
            envelope.catalog.version
        )
    });
    let report = Report {
        names: envelope
            .results
            .iter()
            .map(|row| row.id.to_owned())
            .collect(),
        envelope,
        csv: CSV,
        page: Box::new(|rows: &[KnownModelOut<'_>], _| match rows {
            [] => Page::default(),
            [row] => details(row),
            rows => Page::table(table(rows)),
        }),
        footer: footer.into_iter().collect(),
        exit_code: found(count > 0),
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

fn billions(parameters: Num) -> String {
    let billions = parameters.0 / 1e9;
    let digits = if billions < 10.0 { 100.0 } else { 10.0 };
    number((billions * digits).round() / digits)
}

fn table(rows: &[KnownModelOut<'_>]) -> Table {
    let mut table = Table::new([
        Column::left("ID", 0),
        Column::left("KIND", 0),
        Column::right("PARAMETERS", 0),
        Column::right("ACTIVE", 1),
        Column::right("CONTEXT", 1),
        Column::right("CACHE KB/TOKEN", 2),
        Column::left("FILES", 2),
    ]);
    let dash = || "—".to_owned();
    for row in rows {
        table.row(
            RowStyle::Plain,
            [
                row.id.to_owned(),
                row.kind.to_string(),
                billions(row.parameters),
                row.active_parameters.map_or_else(dash, billions),
                row.context
                    .map_or_else(dash, |tokens| grouped(f64::from(tokens))),
                row.cache_bytes_per_token
                    .map_or_else(dash, |bytes| number((bytes.0 / 100.0).round() / 10.0)),
                row.stored_as.to_owned(),
            ],
        );
    }
    table
}

/// The details of a model.
fn details(row: &KnownModelOut<'_>) -> Page {
    let mut items = vec![
        ("kind".to_owned(), row.kind.to_string()),
        (
            "parameters".to_owned(),
            format!("{} billion", billions(row.parameters)),
        ),
    ];
    let mut add = |label: &str, text: Option<String>| {
        items.extend(text.map(|text| (label.to_owned(), text)));
    };
    let active = row
        .active_parameters
        .filter(|active| active.0 < 0.9 * row.parameters.0);
    add(
        "active",
        active.map(|n| format!("{} billion per token", billions(n))),
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
        row.cache_bytes_per_token
            .map(|bytes| format!("{} bytes per token in 16 bits", grouped(bytes.0))),
    );
    add("sized for", row.unit.map(str::to_owned));
    add("files", Some(row.stored_as.to_owned()));
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
    add("source", Some(row.source.to_owned()));
    Page {
        blocks: vec![Block::Heading(row.id.to_owned()), Block::Items(items)],
    }
}
