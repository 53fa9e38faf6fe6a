//! `mig`: the profiles of a GPU, whether a mix can be placed and where, and the fewest GPUs for many
//! slices.

mod compare;
mod fit;
mod pack;
mod picture;
mod profiles;

use std::io::Write as _;

use sky_accel_engine::{Error, ErrorCode, MigLayout};

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

/// Writes a layout in the words of a tool.
fn write_for(ui: &mut Ui, layout: &MigLayout<'_>, tool: MigTool) -> Result<()> {
    let layout = layout.layout();
    let text = match tool {
        MigTool::NvidiaSmi => Ok(layout.nvidia_smi()),
        MigTool::NvidiaSmiUndo => Ok(layout.nvidia_smi_undo()),
        MigTool::MigParted => Ok(layout.mig_parted()),
        MigTool::Kubernetes => layout.kubernetes(),
        MigTool::GpuOperator => layout.gpu_operator(),
        MigTool::Dra => layout.dra(),
        MigTool::Flyte => layout.flyte(),
        MigTool::Gke => layout.gke(),
        MigTool::Aks => layout.aks(),
    };
    let text = text.map_err(|why| Error::new(ErrorCode::MigCannotSay, why.to_string()))?;
    Ok(ui.stdout().write_all(text.as_bytes())?)
}
