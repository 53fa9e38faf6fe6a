//! The parts that targets for the GPUs of an existing machine share.

use sky_accel_core::mig::targets::Layout;

use crate::job::Handover;
use crate::{LossCode, Rendered, Unsupported};

/// The default name of a job, whose absence from the files is not a loss.
const DEFAULT_NAME: &str = "sky-accel";

/// Returns the layout of a plan.
pub(super) fn layout<'h, 'a>(handover: &Handover<'h, 'a>) -> Result<Layout<'h, 'a>, Unsupported> {
    handover.layout.ok_or(Unsupported::NoSlices)
}

/// Adds the losses: everything except the slices.
pub(super) fn lost(handover: &Handover<'_, '_>, out: &mut Rendered) {
    if handover.job.nodes > 1 {
        out.lose(
            LossCode::Nodes,
            format!(
                "the file is for one machine: run it on each of the {}",
                handover.job.nodes
            ),
        );
    }
    out.lose(
        LossCode::Provider,
        "the GPUs of an existing machine are partitioned, so the plan cannot choose the provider",
    );
    handover.lose_region("the GPUs are in the region of their machine", out);
    handover.lose_market("a layout of slices", out);
    if handover.candidates.len() > 1 {
        out.lose(LossCode::Fallback, "only the first candidate is included");
    }
    let job = handover.job;
    let settings = [
        (LossCode::Name, job.name != DEFAULT_NAME),
        (LossCode::Image, job.image.is_some()),
        (LossCode::Command, job.command.is_some()),
        (LossCode::Disk, job.asks_disk()),
        (LossCode::Interconnect, job.interconnect.is_some()),
        (LossCode::CudaMin, job.cuda.is_some()),
    ];
    for (code, is_given) in settings {
        out.lose_given(code, is_given, "the target only partitions the GPUs");
    }
}
