//! `mcp`: answers an agent until it hangs up.

use std::io::IsTerminal as _;

use super::{Context, Result};
use crate::cli::McpArgs;
use crate::exit_code::ExitCode;
use crate::mcp::{Desk, serve};

pub fn run(context: &mut Context<'_>, args: &McpArgs) -> Result<ExitCode> {
    if std::io::stdin().is_terminal() {
        let message =
            "waiting for a client on standard input: agents start this command, see docs/agents.md";
        context.ui.footer(message)?;
        context.ui.flush()?;
    }
    serve(&Desk {
        engine: context.engine,
        session: context.session,
        settings: context.settings,
        live: &args.live,
    })?;
    Ok(ExitCode::Found)
}
