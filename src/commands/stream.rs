//! Streaming answers to specs on standard input, as JSON lines or CSV. Memory is bounded: no answer is kept.

use serde::Serialize;
use sky_accel_core::bind::BoundChoice;
use sky_accel_engine::Error;
use sky_accel_engine::contract::{CatalogInfo, Envelope};

use super::{input, live};
use crate::context::{Context, Result, found};
use crate::exit_code::ExitCode;
use crate::render::{StreamedRows, overlays};

/// Answer to the spec of one line.
pub struct LineAnswer<'c, Req, Res, More> {
    pub envelope: Envelope<'c, Req, Res, More>,
    pub is_found: bool,
    /// Error if every price is stale.
    pub too_old: Option<Error>,
    /// Messages for standard error.
    pub remarks: Vec<String>,
}

/// Answers the specs of standard input. An invalid spec prints an error in place of its answer; the next spec follows.
pub fn answer_lines<'c, Req: Serialize, Res: Serialize, More>(
    context: &mut Context<'_>,
    columns: &'static [&'static str],
    catalog: &CatalogInfo<'_>,
    start: input::Start,
    mut answer: impl FnMut(
        Vec<BoundChoice>,
    ) -> std::result::Result<LineAnswer<'c, Req, Res, More>, Error>,
) -> Result<ExitCode> {
    let engine = context.engine;
    let mut rows = StreamedRows::new(context.settings.output, columns);
    let (mut is_empty, mut is_found) = (true, false);
    let (mut failed, mut too_old) = (None, None);
    for spec in input::specs_of_stdin(context.ui, start) {
        is_empty = false;
        let specs = spec.and_then(|spec| engine.bind(&[spec]));
        match specs.and_then(|specs| answer(specs.concat())) {
            Ok(answer) => {
                is_found |= answer.is_found;
                for line in &answer.remarks {
                    context.ui.stderr_line(line)?;
                }
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
        return Err(input::no_spec().into());
    }
    if let Some(line) = overlays(catalog) {
        context.ui.footer(&line)?;
    }
    let too_old = too_old.map(|error| live::tell(context, &error));
    let failed = failed.or(too_old.transpose()?);
    Ok(failed.unwrap_or_else(|| found(is_found)))
}
