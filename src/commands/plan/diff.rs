//! `plan diff`: the differences between two plans.

use std::path::Path;

use sky_accel_engine::contract::ChangeOut;
use sky_accel_engine::{Error, ErrorCode};
use sky_accel_files::input::{MAX_TEXT, read_bounded, read_text};

use crate::cli::PlanDiffArgs;
use crate::context::{Context, Result};
use crate::exit_code::ExitCode;
use crate::flags::with_flags;
use crate::render::{Block, Footer, Page, Report, print};
use crate::ui::Ui;

pub(super) fn run(context: &mut Context<'_>, args: &PlanDiffArgs) -> Result<ExitCode> {
    if args.a == "-" && args.b == "-" {
        let message = "only one of the two plans can come from standard input";
        return Err(Error::new(ErrorCode::Stdin, message).into());
    }
    let (before, after) = (read(context.ui, &args.a)?, read(context.ui, &args.b)?);
    let envelope = context
        .engine
        .plan_diff((&args.a, &before), (&args.b, &after))?;
    let is_same = envelope.results.is_empty();
    let report = Report {
        envelope,
        csv: &["change", "what", "before", "after", "percent", "message"],
        names: Vec::new(),
        page: Box::new(|results: &[ChangeOut], _| Page {
            blocks: results
                .iter()
                .map(|change| Block::Text(with_flags(&change.message).into_owned()))
                .collect(),
        }),
        footer: if is_same {
            vec!["nothing differs".to_owned()].into()
        } else {
            Footer::default()
        },
        exit_code: ExitCode::Found,
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

/// Reads a plan or lock file; `-` is standard input.
fn read(ui: &mut Ui, path: &str) -> std::result::Result<String, Error> {
    let text = if path == "-" {
        ui.read(|input| read_bounded(input, MAX_TEXT))
    } else {
        read_text(Path::new(path), MAX_TEXT)
    };
    text.map_err(|error| Error::new(ErrorCode::PlanFile, format!("{path}: {error}")))
}
