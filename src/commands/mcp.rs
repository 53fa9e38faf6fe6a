//! `mcp`: serves an agent until it closes the connection.

use std::io::IsTerminal as _;

use sky_accel_engine::asking::{Canceller, DEFAULT_DISK_GB, Session};
use sky_accel_engine::{ModelFolders, OfferFilter};
use sky_accel_mcp::{ServerContext, serve};

use crate::cli::McpArgs;
use crate::context::{Context, Result};
use crate::exit_code::ExitCode;
use crate::requests;

pub fn run(context: &mut Context<'_>, args: &McpArgs) -> Result<ExitCode> {
    let folders = ModelFolders::new(&args.allow)?;
    if std::io::stdin().is_terminal() {
        let message =
            "waiting for a client on standard input: agents start this command, see docs/agents.md";
        context.ui.footer(message)?;
        context.ui.flush()?;
    }
    let canceller = Canceller::default();
    let session = Session::new()
        .allowing_plain_http(context.settings.insecure)
        .canceled_by(&canceller);
    serve(ServerContext {
        engine: context.engine,
        session: &session,
        canceller,
        live: args.live.live.then(|| {
            requests::live(
                &args.live,
                args.max_age,
                context.settings,
                false,
                DEFAULT_DISK_GB,
            )
        }),
        offline: context.settings.offline,
        folders,
        offers: OfferFilter {
            max_age_s: args.max_age.map(|age| age.as_secs()),
            ..OfferFilter::from(&context.settings.offers)
        },
    })?;
    Ok(ExitCode::Found)
}
