//! `mig`: the profiles of a GPU, whether a mix can be placed and where, and the fewest GPUs for many
//! slices.

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

/// The way on from a packing or a placement.
const MAKES_IT: &str =
    "--to nvidia-smi prints the commands that make it; see --help for other tools";

pub fn run(context: &mut Context<'_>, command: &MigCommand) -> Result<ExitCode> {
    match command {
        MigCommand::Profiles(Lazy(args)) => profiles::run(context, args),
        MigCommand::Fit(Lazy(args)) => fit::run(context, args),
        MigCommand::Pack(Lazy(args)) => pack::run(context, args),
    }
}

/// Slices as one list: `=` and `*` say how many.
fn joined(slices: &[String]) -> String {
    slices.join("+").replace('=', "*")
}

/// Prints a layout in the words of a tool.
fn write_for(ui: &mut Ui, layout: &MigLayout<'_>, tool: MigTool) -> Result<()> {
    let text = layout.written_for(tool.into())?;
    Ok(ui.stdout().write_all(text.as_bytes())?)
}
