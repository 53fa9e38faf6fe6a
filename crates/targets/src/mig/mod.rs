//! MIG layouts as text: for tools that create the slices, and for tools that request them.
//!
//! Each function writes a [`Layout`] for one tool, and fails with [`CannotSay`] if the tool cannot
//! express a slice of the layout.

mod commands;
mod counts;
mod flyte;
mod kubernetes;
mod parted;

use sky_accel_core::mig::targets::Layout;

use crate::job::Handover;
use crate::{CannotSay, LossCode, Rendered};

pub use commands::{aks, gke, nvidia_smi, nvidia_smi_undo};
pub(crate) use commands::{aks_profile, gke_partition};
pub use flyte::flyte;
pub use kubernetes::{dra, gpu_operator, kubernetes};
pub use parted::mig_parted;

/// The file of the commands that cut the GPUs.
pub(crate) const SCRIPT: &str = "mig.sh";

/// The name of work that nobody named: nothing is lost with it.
const DEFAULT_NAME: &str = "sky-accel";

/// The layout of a plan: without slices there is nothing to cut.
fn layout<'h, 'a>(handover: &Handover<'h, 'a>) -> Result<Layout<'h, 'a>, CannotSay> {
    handover.layout.ok_or_else(|| {
        CannotSay("there is nothing to cut: ask for slices, as in H100:mig=3g.40gb".to_owned())
    })
}

/// `mig-parted.yaml`, for the first candidate.
pub(crate) fn render_parted(
    handover: &Handover<'_, '_>,
    out: &mut Rendered,
) -> Result<(), CannotSay> {
    out.file("mig-parted.yaml", mig_parted(&layout(handover)?));
    lost(handover, out);
    Ok(())
}

/// `mig.sh`, for the first candidate.
pub(crate) fn render_commands(
    handover: &Handover<'_, '_>,
    out: &mut Rendered,
) -> Result<(), CannotSay> {
    out.file(SCRIPT, script(&layout(handover)?));
    lost(handover, out);
    Ok(())
}

/// The commands as a script that stops at the first one that fails.
pub(crate) fn script(layout: &Layout<'_, '_>) -> String {
    let commands = nvidia_smi(layout);
    format!("#!/usr/bin/env bash\nset -euo pipefail\n\n{commands}")
}

fn lost(handover: &Handover<'_, '_>, out: &mut Rendered) {
    if handover.job.nodes > 1 {
        out.lose(
            LossCode::Nodes,
            format!(
                "it is for one machine: run it on each of the {}",
                handover.job.nodes
            ),
        );
    }
    out.lose(
        LossCode::Provider,
        "it cuts the GPUs of an existing machine, so the provider cannot be chosen",
    );
    handover.lose_region("it runs on the machine, wherever that is", out);
    handover.lose_market("a layout of slices", out);
    if handover.candidates.len() > 1 {
        out.lose(LossCode::Fallback, "it is for the first candidate");
    }
    let job = handover.job;
    let wishes = [
        (LossCode::Name, job.name != DEFAULT_NAME),
        (LossCode::Image, job.image.is_some()),
        (LossCode::Command, job.command.is_some()),
        (LossCode::Disk, job.disk_gb.is_some()),
        (LossCode::Interconnect, job.interconnect.is_some()),
        (LossCode::CudaMin, job.cuda.is_some()),
    ];
    for (code, is_given) in wishes {
        out.lose_given(code, is_given, "it only cuts the GPUs");
    }
}
