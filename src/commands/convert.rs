//! `convert`: a spec in the notation of another tool.

use sky_accel_engine::{Dialect, Error, ErrorCode};

use crate::cli::{ConvertArgs, OutputFormat};
use crate::context::{Context, Result};
use crate::exit_code::ExitCode;
use crate::render::{Block, Page, Report, print};

pub fn run(context: &mut Context<'_>, args: &ConvertArgs) -> Result<ExitCode> {
    let dialect = args.to;
    let envelope = context.engine.convert(&args.spec, dialect)?;
    let losses = envelope.results.iter().flat_map(|result| &result.lossy);
    let losses: Vec<String> = losses
        .map(|loss| format!("lost: {}: {}", loss.code, loss.message))
        .collect();
    if args.strict
        && let Some(first) = losses.first()
    {
        let (name, spec) = (dialect.name(), &args.spec);
        let message = format!("{name} cannot express all of {spec}: {first}");
        return Err(Error::new(ErrorCode::ConvertLossy, message).into());
    }
    let format = context.settings.output;
    if !format.is_document() && format != OutputFormat::Jsonl {
        for line in &losses {
            context.ui.stderr_line(line)?;
        }
    }
    let report = Report {
        names: envelope
            .results
            .iter()
            .map(|result| result.text.clone())
            .collect(),
        envelope,
        csv: &["spec", "dialect", "text"],
        page: Box::new(move |results, _| {
            let mut texts: Vec<String> = results.iter().map(|result| result.text.clone()).collect();
            // One spec can have several alternatives, which other notations cannot express.
            if dialect == Dialect::SkyAccel {
                texts = vec![texts.join("|")];
            }
            Page {
                blocks: texts.into_iter().map(Block::Text).collect(),
            }
        }),
        footer: Vec::new().into(),
        exit_code: ExitCode::Found,
    };
    Ok(print(context.ui, context.settings.output, report)?)
}
