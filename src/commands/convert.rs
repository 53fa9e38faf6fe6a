//! `convert`: the same hardware in another tool's words.

use sky_accel_core::note::Note;
use sky_accel_targets::{Dialect, convert};

use super::{Context, Result, read_spec};
use crate::cli::{ConvertArgs, OutputFormat};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::output::{ConvertOut, ConvertRequest, Envelope, losses};
use crate::render::{Block, Page, Report, print};

const CSV: &[&str] = &["spec", "dialect", "text"];

pub fn run(context: &mut Context<'_>, args: &ConvertArgs) -> Result<ExitCode> {
    let catalog = context.catalog;
    let dialect = Dialect::named(&args.to).unwrap_or(Dialect::SkyAccel);
    let wanted = read_spec(&catalog, &args.spec)?;
    let mut results = Vec::new();
    let mut notes: Vec<Note> = Vec::new();
    for choice in &wanted {
        let converted = convert(&catalog, choice, dialect)
            .map_err(|why| CliError::usage("convert.cannot-say", why.to_string()))?;
        notes.extend(choice.notes.iter().cloned());
        results.push(ConvertOut {
            spec: choice.spec.clone(),
            dialect: dialect.name(),
            text: converted.text,
            lossy: losses(&converted.lossy),
        });
    }
    let lossy: Vec<String> = results
        .iter()
        .flat_map(|own| &own.lossy)
        .map(|loss| format!("lost: {}: {}", loss.code, loss.message))
        .collect();
    if args.strict
        && let Some(first) = lossy.first()
    {
        let message = format!("{} cannot say all of {}: {first}", args.to, args.spec);
        return Err(CliError::usage("convert.lossy", message).into());
    }
    let is_told = matches!(
        context.settings.output,
        OutputFormat::Json | OutputFormat::Jsonl | OutputFormat::Yaml
    );
    for line in lossy.iter().filter(|_| !is_told) {
        context.ui.always(line)?;
    }
    let specs: Vec<&str> = wanted.iter().map(|own| own.spec.as_str()).collect();
    let request = ConvertRequest {
        spec: specs.join("|"),
        to: dialect.name(),
    };
    let names = results.iter().map(|own| own.text.clone()).collect();
    let report = Report {
        envelope: Envelope::new("sky-accel.convert.v1", &catalog, request, results)
            .with_notes(notes),
        csv: CSV,
        names,
        page: Box::new(move |results, _| {
            let mut texts: Vec<String> = results.iter().map(|own| own.text.clone()).collect();
            // One spec has several choices; other dialects have no word for that.
            if dialect == Dialect::SkyAccel {
                texts = vec![texts.join("|")];
            }
            Page {
                blocks: texts.into_iter().map(Block::Text).collect(),
            }
        }),
        footer: Vec::new(),
        exit_code: ExitCode::Found,
    };
    Ok(print(context.ui, context.settings.output, report)?)
}
