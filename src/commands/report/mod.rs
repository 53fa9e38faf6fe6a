//! `report`: writes a self-contained page of a recommendation, or of a document of `resolve` or `compare`.

mod document;
mod stock;

use std::path::Path;

use serde::Serialize;
use sky_accel_core::text::printable;
use sky_accel_engine::age::described;
use sky_accel_engine::contract::{Envelope, NoteOut};
use sky_accel_engine::{Engine, Error, ErrorCode, ModelSource};
use sky_accel_files::inputs::Inputs;

use self::document::Document;
use super::recommend::for_model::{self, RecommendView, exit_code, footer, recommend};
use crate::cli::{Detail, ReportArgs};
use crate::context::{Context, Result, found};
use crate::exit_code::ExitCode;
use crate::files::OutputFile;
use crate::flags::translate_notes;
use crate::render::{Block, Footer, HtmlAnswer, Page, Report, page_of, print};

/// Normalized request; the page has the rest.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReportRequest {
    pub file: String,
}

/// Result: the written page.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReportOut {
    pub file: String,
    pub bytes: usize,
    /// Summary sentence of the page: the recommendation, or the list.
    pub recommendation: String,
}

/// A rendered page.
struct Made {
    html: String,
    heading: String,
    notes: Vec<NoteOut>,
    footer: Footer,
}

pub fn run(context: &mut Context<'_>, args: &ReportArgs) -> Result<ExitCode> {
    let run = &args.search.run;
    let has_model =
        run.model.is_some() || run.model_size.is_some() || args.search.model_word.is_some();
    if !has_model && args.from.is_none() {
        let message =
            "name a model, as in `report FILE.html Llama-3.1-8B`, or give --from ANSWER.json";
        return Err(Error::new(ErrorCode::NothingAsked, message).into());
    }
    let others = run.flags();
    if args.from.is_some() && !others.is_empty() {
        let message = format!("--from uses the answer unchanged: remove{others}");
        return Err(Error::new(ErrorCode::Usage, message).into());
    }
    let output = if args.file == Path::new("-") {
        None
    } else {
        Some(OutputFile::open(&args.file, &inputs(context, args))?)
    };
    let made = match &args.from {
        Some(source) => of_document(context, source)?,
        None => match of_model(context, args)? {
            Ok(made) => Some(made),
            Err(exit_code) => return Ok(exit_code),
        },
    };
    let Some(Made {
        html,
        heading,
        notes,
        footer,
    }) = made
    else {
        return Ok(found(false));
    };
    let Some(output) = output else {
        context.ui.line(html)?;
        context.ui.flush()?;
        return Ok(ExitCode::Found);
    };
    output.write(html.as_bytes())?;
    let file = printable(&args.file.display().to_string());
    let result = ReportOut {
        file: file.clone(),
        bytes: html.len(),
        recommendation: heading,
    };
    let request = ReportRequest { file: file.clone() };
    let catalog = context.engine.catalog();
    let mut envelope = Envelope::new("sky-accel.report.v1", &catalog, request, vec![result]);
    envelope.notes = notes;
    let report = Report {
        envelope,
        csv: &["file", "bytes", "recommendation"],
        names: vec![file],
        page: Box::new(|rows: &[ReportOut], _| Page {
            blocks: rows
                .iter()
                .map(|row| Block::Text(format!("{}: {}", row.file, row.recommendation)))
                .collect(),
        }),
        footer,
        exit_code: ExitCode::Found,
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

/// Returns the files that the page is made of.
fn inputs(context: &Context<'_>, args: &ReportArgs) -> Inputs {
    let run = &args.search.run;
    let mut inputs = context.settings.inputs();
    if let Some(source) = &args.from {
        inputs.add(source);
    }
    let given = match &run.model {
        Some(ModelSource::Name(name)) => Some(name),
        _ => None,
    };
    for model in given.into_iter().chain(&args.search.model_word) {
        // The name of a model may be a path.
        let path = Path::new(model);
        inputs.add(path);
        inputs.add_folder(path, &["json", "safetensors", "gguf"]);
    }
    inputs
}

/// Builds the page of a recommendation; the exit code if no machine matches.
fn of_model(
    context: &mut Context<'_>,
    args: &ReportArgs,
) -> Result<std::result::Result<Made, ExitCode>> {
    let answer = recommend(context, &args.search, None)?;
    let Some(heading) = answer.summary.clone() else {
        return Ok(Err(exit_code(&answer)));
    };
    let footer = footer(context, &answer, context.settings.detail());
    let notes = answer.envelope.notes.iter().map(|note| NoteOut {
        code: note.code.clone(),
        message: note.message.clone(),
        quoted: note.quoted.clone(),
        is_detail: note.is_detail,
    });
    let mut notes: Vec<NoteOut> = notes.collect();
    translate_notes(&mut notes);
    let view = RecommendView {
        is_chart: false,
        width: None,
        shows_energy: args.search.run.energy == Some(true),
        detail: Detail::Page,
    };
    let report = for_model::report(context, answer, view)?;
    Ok(Ok(Made {
        html: page_of(context.ui, report, true)?,
        heading,
        notes,
        footer,
    }))
}

/// Builds the page of a document; `None` if it has no results.
fn of_document(context: &mut Context<'_>, source: &Path) -> Result<Option<Made>> {
    let document = Document::read(context.ui, source)?;
    let engine = context.engine;
    let page = document.page(&|provider, as_of| dated(&engine, provider, as_of));
    let Some(page) = page else {
        return Ok(None);
    };
    let heading = match page.blocks.first() {
        Some(Block::Heading(heading)) => heading.clone(),
        _ => String::new(),
    };
    let answer = HtmlAnswer::of_page(page, document.provenance(), document.notes());
    Ok(Some(Made {
        html: answer.document(&engine.today().to_string()),
        heading,
        notes: Vec::new(),
        footer: Footer::default(),
    }))
}

/// Formats the date of a provider's price with its age.
fn dated(engine: &Engine<'_>, provider: &str, as_of: &str) -> String {
    let catalog = engine.catalog();
    let row = catalog
        .provider_named(provider)
        .map(|id| catalog.provider(id));
    let max = row.map_or(u16::MAX, |row| row.price_max_age_days);
    described(engine.today(), as_of, max)
}
