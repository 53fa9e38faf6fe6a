//! `report`: what `recommend` says, as one page that stands alone.

mod chart;
mod page;

use std::path::Path;

use serde::Serialize;

use super::recommend::by_model::{Recommendation, recommend};
use super::{Context, Result, age};
use crate::cli::ReportArgs;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::files;
use crate::output::Envelope;
use crate::render::{Block, Page, Report, print};

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
    /// In a sentence.
    pub recommendation: String,
}

pub fn run(context: &mut Context<'_>, args: &ReportArgs) -> Result<ExitCode> {
    let run = &args.search.run;
    if run.model.is_none() && run.model_size.is_none() {
        let message = "say --model Llama-3.1-8B or --model-size 13B";
        return Err(CliError::usage("usage.nothing-asked", message).into());
    }
    let to_stdout = args.file == Path::new("-");
    if !to_stdout {
        files::probe(&args.file)?;
    }
    let found = recommend(context, &args.search)?;
    let exit_code = found.exit_code();
    let Some(heading) = found.heading.clone() else {
        return Ok(exit_code);
    };
    let html = html(context, &found, &heading);
    if to_stdout {
        context.ui.line(html)?;
        context.ui.flush()?;
        return Ok(exit_code);
    }
    files::write(&args.file, html.as_bytes())?;
    let file = sky_accel_core::text::printable(&args.file.display().to_string());
    let result = ReportOut {
        file: file.clone(),
        bytes: html.len(),
        recommendation: heading,
    };
    let report = Report {
        envelope: Envelope::new(
            "sky-accel.report.v1",
            &context.catalog,
            ReportRequest { file: file.clone() },
            vec![result],
        )
        .with_notes(found.notes),
        csv: &["file", "bytes", "recommendation"],
        names: vec![file],
        page: Box::new(|rows: &[ReportOut], _| Page {
            blocks: rows
                .iter()
                .map(|row| Block::Text(format!("{}: {}", row.file, row.recommendation)))
                .collect(),
        }),
        footer: found.footer,
        exit_code,
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

fn html(context: &Context<'_>, found: &Recommendation<'_>, heading: &str) -> String {
    let catalog = context.catalog;
    let settings = context.settings;
    let dated = |provider: &str, as_of: &str| {
        let row = catalog
            .provider_named(provider)
            .map(|id| catalog.provider(id));
        age::described(
            settings,
            as_of,
            row.map_or(u16::MAX, |row| row.price_max_age_days),
        )
    };
    let today = age::today(settings).to_string();
    page::document(found, heading, &today, &dated)
}
