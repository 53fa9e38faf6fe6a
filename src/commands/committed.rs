//! The catalog with committed prices, for the commands that `--commit` applies to.

use sky_accel_engine::{Error, ErrorCode, OfferFilter};

use crate::context::{Context, Result};
use crate::exit_code::ExitCode;

/// Runs a command with the prices of the commitments that its filter asks for, if any.
pub fn committed(
    context: &mut Context<'_>,
    offers: &OfferFilter,
    is_live: bool,
    verb: impl FnOnce(&mut Context<'_>) -> Result<ExitCode>,
) -> Result<ExitCode> {
    if is_live && offers.commit.is_some() {
        let message = "`commit` and `live` contradict each other: providers do not answer with the prices of commitments";
        return Err(Error::new(ErrorCode::BadValue, message).into());
    }
    let Some(committed) = context.engine.committed(offers)? else {
        return verb(context);
    };
    verb(&mut Context {
        engine: context.engine.with_commitments(&committed),
        session: context.session,
        settings: context.settings,
        ui: context.ui,
    })
}
