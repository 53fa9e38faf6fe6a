//! `plan -` as JSON lines or CSV: the spec of each line has a plan of its own.

use sky_accel_engine::{Error, ErrorCode, PlanRequest};

use super::page::rejection;
use super::{CSV, nothing};
use crate::cli::PlanArgs;
use crate::commands::input::Start;
use crate::commands::stream::{LineAnswer, answer_lines};
use crate::commands::{Context, Result};
use crate::exit_code::ExitCode;

/// Plans for each spec of standard input.
pub(super) fn run(
    context: &mut Context<'_>,
    args: &PlanArgs,
    mut request: PlanRequest,
    start: Start,
) -> Result<ExitCode> {
    check(args)?;
    request.nodes = args.nodes.unwrap_or(1);
    let (engine, is_explained) = (context.engine, context.settings.explain);
    // What is wrong with the filters is wrong for every spec.
    let catalog = engine.plan_bound(&request, &[])?.envelope.catalog;
    answer_lines(context, CSV, &catalog, start, |wanted| {
        let mut answer = engine.plan_bound(&request, wanted)?;
        let is_found = !answer.envelope.results.is_empty();
        let too_old = answer.too_old.take();
        let rejected = &answer.envelope.more.rejected;
        let remarks = match (is_found, &too_old) {
            (true, _) if is_explained => rejected.iter().map(rejection).collect(),
            (false, None) => nothing(&engine, &answer)?,
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

/// Refuses what is for one plan.
fn check(args: &PlanArgs) -> std::result::Result<(), Error> {
    let flag = if args.hand_over.lock.is_some() {
        "--lock"
    } else if args.live.live {
        "--live"
    } else {
        return Ok(());
    };
    let message = format!(
        "{flag} is for one plan, and with jsonl and csv each line of standard input has its own"
    );
    let advice = "with -o json, one plan has all lines as alternatives";
    Err(Error::new(ErrorCode::Format, message).advise(advice))
}
