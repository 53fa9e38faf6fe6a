//! `report`: the answer of `recommend` as one page that stands alone.

mod chart;
mod page;

use std::path::Path;

use serde::Serialize;
use sky_accel_core::text::printable;
use sky_accel_engine::age::described;
use sky_accel_engine::contract::Envelope;
use sky_accel_engine::{Engine, Error, ErrorCode};

use super::recommend::for_model::{footer, recommend};
use super::{Context, Result, found};
use crate::cli::ReportArgs;
use crate::exit_code::ExitCode;
use crate::files;
use crate::render::{Block, Page, Report, overlays, print};

/// The question as it was understood: the rest is on the page.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReportRequest {
    pub file: String,
}

/// The page.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReportOut {
    pub file: String,
    pub bytes: usize,
    /// The recommendation in a sentence.
    pub recommendation: String,
}

pub fn run(context: &mut Context<'_>, args: &ReportArgs) -> Result<ExitCode> {
    let run = &args.search.run;
    if run.model.is_none() && run.model_size.is_none() {
        let message = "say --model Llama-3.1-8B or --model-size 13B";
        return Err(Error::new(ErrorCode::NothingAsked, message).into());
    }
    let to_stdout = args.file == Path::new("-");
    if !to_stdout {
        files::probe(&args.file)?;
    }
    let answer = recommend(context, &args.search)?;
    let Some(summary) = answer.summary.clone() else {
        return Ok(found(false));
    };
    let footer = footer(context, &answer);
    let engine = context.engine;
    let mut provenance = footer.clone();
    provenance.extend(overlays(&answer.envelope.catalog));
    let page = page::ReportPage {
        answer: &answer,
        summary: &summary,
        provenance: &provenance,
        today: engine.today().to_string(),
        dated: &|provider: &str, as_of: &str| dated(&engine, provider, as_of),
    };
    let html = page.document();
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
        recommendation: summary,
    };
    let request = ReportRequest { file: file.clone() };
    let mut envelope = Envelope::new(
        "sky-accel.report.v1",
        &engine.catalog(),
        request,
        vec![result],
    );
    envelope.notes = answer.envelope.notes;
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

/// A date of a provider's price with its age.
fn dated(engine: &Engine<'_>, provider: &str, as_of: &str) -> String {
    let catalog = engine.catalog();
    let row = catalog
        .provider_named(provider)
        .map(|id| catalog.provider(id));
    let max = row.map_or(u16::MAX, |row| row.price_max_age_days);
    described(engine.today(), as_of, max)
}
