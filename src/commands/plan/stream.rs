//! `plan -` as JSON lines or CSV: the spec of each line has a plan of its own.

use std::io::{BufRead as _, stdin};

use sky_accel_engine::{Error, ErrorCode, PlanRequest};

use super::{CSV, nothing};
use crate::cli::{OutputFormat, PlanArgs};
use crate::commands::stream::{LineAnswer, answer_lines};
use crate::commands::{Context, Result};
use crate::exit_code::ExitCode;
use crate::render::Rows;

/// Whether standard input has a spec on each line, and the format has room for many plans. What begins with a
/// brace is an answer of another command, and one plan is made of all of it.
pub(super) fn is_due(args: &PlanArgs, format: OutputFormat) -> bool {
    let is_answer = || {
        let mut input = stdin().lock();
        let start = input.fill_buf().unwrap_or_default();
        start.trim_ascii_start().starts_with(b"{")
    };
    args.spec.as_deref() == Some("-") && !args.live.live && Rows::are_of(format) && !is_answer()
}

/// Plans for each spec of standard input.
pub(super) fn run(
    context: &mut Context<'_>,
    args: &PlanArgs,
    mut request: PlanRequest,
) -> Result<ExitCode> {
    if args.hand_over.lock.is_some() {
        let message = "--lock is for one plan, and with jsonl and csv each line of standard input has its own: use -o json";
        return Err(Error::new(ErrorCode::Format, message).into());
    }
    request.nodes = args.nodes.unwrap_or(1);
    let engine = context.engine;
    // What is wrong with the filters is wrong for every spec.
    let catalog = engine.plan_bound(&request, &[])?.envelope.catalog;
    answer_lines(context, CSV, &catalog, |specs| {
        let mut answer = engine.plan_bound(&request, specs.first().map_or(&[], Vec::as_slice))?;
        let is_found = !answer.envelope.results.is_empty();
        let too_old = answer.too_old.take();
        let remarks = if is_found || too_old.is_some() {
            Vec::new()
        } else {
            nothing(&engine, &answer)?
        };
        Ok(LineAnswer {
            envelope: answer.envelope,
            is_found,
            too_old,
            remarks,
        })
    })
}
