//! `plan -` as JSON lines or CSV: one plan per line of input.

use sky_accel_engine::{Error, ErrorCode, PlanRequest, Spec};

use super::page::{CSV, advice, nothing, rejection};
use crate::cli::PlanArgs;
use crate::commands::input::Start;
use crate::commands::stream::{LineAnswer, answer_lines};
use crate::context::{Context, Result};
use crate::exit_code::ExitCode;

/// Plans for each spec of standard input.
pub(super) fn run(
    context: &mut Context<'_>,
    args: &PlanArgs,
    mut request: PlanRequest,
    start: Start,
) -> Result<ExitCode> {
    check(args)?;
    let (engine, is_explained) = (context.engine, context.settings.explain);
    // Invalid filters are reported once, not for every spec.
    request.spec = Spec::Bound(Vec::new());
    let catalog = engine.plan(&request)?.envelope.catalog;
    answer_lines(context, CSV, &catalog, start, |choices| {
        request.spec = choices.into();
        let mut answer = engine.plan(&request)?;
        let is_found = !answer.envelope.results.is_empty();
        let too_old = answer.too_old.take();
        let rejected = &answer.envelope.more.rejected;
        let remarks = match (is_found, &too_old) {
            (true, _) if is_explained => rejected.iter().map(rejection).collect(),
            (false, None) => {
                let mut lines = nothing(&engine, &answer)?;
                lines.extend(advice(&engine, &answer));
                lines
            }
            _ => Vec::new(),
        };
        Ok(LineAnswer {
            envelope: answer.envelope,
            is_found,
            too_old,
            remarks,
        })
    })
}

/// Rejects options that apply to a single plan.
fn check(args: &PlanArgs) -> std::result::Result<(), Error> {
    let flag = if args.hand_over.lock.is_some() {
        "--lock"
    } else if args.live.live {
        "--live"
    } else {
        return Ok(());
    };
    let message = format!(
        "{flag} applies to one plan, but jsonl and csv print one plan per line of standard input"
    );
    let advice = "with -o json, all lines are alternatives of one plan";
    Err(Error::new(ErrorCode::Format, message).advise(advice))
}
