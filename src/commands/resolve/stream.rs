//! `resolve -` as JSON lines or CSV: each spec is answered when it is read, and then forgotten.

use sky_accel_engine::ResolveRequest;

use super::{input, remarks, tell};
use crate::commands::{Context, Result, found, live};
use crate::exit_code::ExitCode;
use crate::present::offers::OFFER_CSV;
use crate::render::{Rows, overlays};

/// Answers the specs of standard input. A wrong one is an error in its place, and the next one is
/// read.
pub(super) fn run(context: &mut Context<'_>, request: &ResolveRequest) -> Result<ExitCode> {
    let engine = context.engine;
    // What is wrong with the filters is wrong for every spec.
    let catalog = engine.resolve_bound(request, &[])?.envelope.catalog;
    let mut rows = Rows::new(context.settings.output, OFFER_CSV);
    let (mut is_empty, mut is_found) = (true, false);
    let (mut failed, mut too_old) = (None, None);
    let money = request.offers.money(&engine.catalog())?;
    for text in input::of_stdin() {
        is_empty = false;
        let specs = text.and_then(|text| engine.read_specs(&[text]));
        match specs.and_then(|specs| engine.resolve_bound(request, &specs)) {
            Ok(answer) => {
                is_found |= answer.outcomes.iter().any(|outcome| outcome.has_verified);
                let capacity_filter = answer.envelope.request.offers.capacity_type;
                let unmatched = remarks(&engine, &answer, capacity_filter, &money).unmatched;
                tell(context, &unmatched, answer.envelope.explain.as_deref())?;
                too_old = too_old.or(answer.too_old);
                rows.answer(context.ui, answer.envelope)?;
            }
            Err(error) => {
                rows.error(context.ui, &error)?;
                failed.get_or_insert(ExitCode::from(error.kind));
            }
        }
        context.ui.flush()?;
    }
    if is_empty {
        return Err(input::none().into());
    }
    if let Some(line) = overlays(&catalog) {
        context.ui.footer(&line)?;
    }
    let too_old = too_old.map(|error| live::tell(context, &error));
    let failed = failed.or(too_old.transpose()?);
    Ok(failed.unwrap_or_else(|| found(is_found)))
}
