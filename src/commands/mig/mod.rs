//! `mig`: lists MIG profiles, places slices on one GPU, and packs slices onto a minimum number of GPUs.

mod compare;
mod fit;
mod pack;
mod picture;
mod profiles;

use std::io::Write as _;

use sky_accel_engine::MigLayout;

use super::{Context, Result};
use crate::cli::{Lazy, MigCommand, MigTool};
use crate::exit_code::ExitCode;
use crate::ui::Ui;

/// The hint after a packing or a placement.
const MAKES_IT: &str =
    "--to nvidia-smi prints the commands for this layout; see --help for other tools";

pub fn run(context: &mut Context<'_>, command: &MigCommand) -> Result<ExitCode> {
    match command {
        MigCommand::Profiles(Lazy(args)) => profiles::run(context, args),
        MigCommand::Fit(Lazy(args)) => fit::run(context, args),
        MigCommand::Pack(Lazy(args)) => pack::run(context, args),
    }
}

/// Joins slices into one list; `=` and `*` precede the count.
fn joined(slices: &[String]) -> String {
    slices.join("+").replace('=', "*")
}

/// Prints a layout in the format of a tool.
fn write_for(ui: &mut Ui, layout: &MigLayout<'_>, tool: MigTool) -> Result<()> {
    let text = layout.render(tool.into())?;
    Ok(ui.stdout().write_all(text.as_bytes())?)
}
