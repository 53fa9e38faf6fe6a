//! `report`: writes a self-contained page of a recommendation, or of a document of `resolve` or `compare`.

mod chart;
mod document;
mod page;
mod sheet;
mod stock;

use std::path::Path;

use serde::Serialize;
use sky_accel_core::text::printable;
use sky_accel_engine::age::described;
use sky_accel_engine::contract::{Envelope, NoteOut};
use sky_accel_engine::{Engine, Error, ErrorCode};

use self::document::Document;
use self::page::Frame;
use super::recommend::for_model::{footer, recommend};
use crate::cli::ReportArgs;
use crate::context::{Context, Result, found};
use crate::exit_code::ExitCode;
use crate::files;
use crate::flags::translate_notes;
use crate::render::{Block, Footer, Page, Report, overlays, print};

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
    let to_stdout = args.file == Path::new("-");
    if !to_stdout {
        files::probe(&args.file)?;
    }
    let made = match &args.from {
        Some(source) => of_document(context, source)?,
        None => of_model(context, args)?,
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
    if to_stdout {
        context.ui.line(html)?;
        context.ui.flush()?;
        return Ok(ExitCode::Found);
    }
    files::write(&args.file, html.as_bytes())?;
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

/// Builds the page of a recommendation; `None` if no machine matches.
fn of_model(context: &mut Context<'_>, args: &ReportArgs) -> Result<Option<Made>> {
    let mut answer = recommend(context, &args.search, None)?;
    translate_notes(&mut answer.envelope.notes);
    let Some(summary) = answer.summary.clone() else {
        return Ok(None);
    };
    let shown = footer(context, &answer, context.settings.verbose);
    let engine = context.engine;
    let money = answer.envelope.request.offers.money(&engine.catalog())?;
    // The page stays, and readers cannot ask again with -v.
    let page_footer = footer(context, &answer, true);
    let mut provenance = [page_footer.parts, page_footer.hints].concat();
    provenance.extend(overlays(&answer.envelope.catalog));
    let page = page::ReportPage {
        answer: &answer,
        summary: &summary,
        money: &money,
        provenance: &provenance,
        today: engine.today().to_string(),
        dated: &|provider: &str, as_of: &str| dated(&engine, provider, as_of),
    };
    Ok(Some(Made {
        html: page.document(),
        heading: summary,
        notes: answer.envelope.notes,
        footer: shown,
    }))
}

/// Builds the page of a document; `None` if it has no results.
fn of_document(context: &mut Context<'_>, source: &Path) -> Result<Option<Made>> {
    let document = Document::read(context.ui, source)?;
    let engine = context.engine;
    let sheet = document.sheet(&|provider, as_of| dated(&engine, provider, as_of));
    if sheet.rows.is_empty() {
        return Ok(None);
    }
    let frame = Frame {
        heading: &sheet.heading,
        today: &engine.today().to_string(),
        provenance: &document.provenance(),
        remark: &sheet.remark,
        notes: document.notes(),
    };
    Ok(Some(Made {
        html: frame.document(&sheet.sections()),
        heading: sheet.heading.clone(),
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
