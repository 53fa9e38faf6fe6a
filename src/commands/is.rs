//! `is`: checks whether an accelerator is of a kind, and reports it by exit code.

use sky_accel_engine::IsRequest;

use crate::cli::IsArgs;
use crate::context::{Context, Result, found};
use crate::exit_code::ExitCode;
use crate::render::{Block, Footer, Page, Report, print};

pub fn run(context: &mut Context<'_>, args: &IsArgs) -> Result<ExitCode> {
    let envelope = context.engine.is(&IsRequest {
        kind: args.kind.clone(),
        name: args.name.clone(),
    })?;
    let is_of_kind = envelope.results.iter().all(|result| result.is);
    let names = envelope.results.iter().filter(|result| result.is);
    let report = Report {
        csv: &["kind", "name", "accelerators", "is"],
        names: names
            .flat_map(|result| result.accelerators.clone())
            .collect(),
        envelope,
        page: Box::new(move |_, _| Page {
            blocks: vec![Block::Text(
                if is_of_kind { "yes" } else { "no" }.to_owned(),
            )],
        }),
        footer: Footer::default(),
        exit_code: found(is_of_kind),
    };
    Ok(print(context.ui, context.settings.output, report)?)
}
