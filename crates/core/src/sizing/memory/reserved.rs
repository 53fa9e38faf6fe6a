//! The memory that the allocator reserves in training beyond the tensors in use.

use super::super::calibration::Calibration;
use super::super::run::{Layout, Run};
use super::super::units::GIB;
use super::super::words::{Checkpointing, Offload, Workload};
use super::trained::Trained;

/// Bytes that an optimizer copies if it updates all tensors in one step without a fused kernel.
pub(super) fn copied(
    trained: &Trained,
    gradients: f64,
    run: &Run,
    layout: &Layout,
    calibration: &Calibration,
) -> f64 {
    let is_fused = calibration.fused_optimizer > 0.5 && layout.shards(1) <= 1.0;
    if has_small_step(run) || run.optimizer_in_backward || is_fused {
        return 0.0;
    }
    gradients + trained.parameters * run.parameters.bytes() / trained.shards(layout, 1)
}

/// Whether the optimizer needs next to no memory of the device: only adapters are trained, or it runs on the host.
pub(super) fn has_small_step(run: &Run) -> bool {
    run.adapters || run.offload != Offload::None
}

/// Bytes in use at the moments of a step that decide what the allocator reserves, and of the tensors that leave gaps.
pub(super) struct Moments {
    /// At all times.
    pub kept: f64,
    /// As the backward pass begins, in addition.
    pub begins: f64,
    /// The peak.
    pub allocated: f64,
    /// Gradients on the device.
    pub gradients: f64,
    /// Logits of a pass.
    pub logits: f64,
    /// Activations of one layer.
    pub layer: f64,
}

/// The peak that the allocator reserves: temporary tensors of varying sizes leave gaps, and so does quantizing weights.
/// The coefficients were fitted to reserved peaks.
pub(super) fn reserved(
    moments: &Moments,
    run: &Run,
    layout: &Layout,
    calibration: &Calibration,
) -> f64 {
    let is_one = layout.zero_stage == 0 && run.workload != Workload::Pretrain;
    let is_varied = is_one && run.packed.is_none();
    let is_counted = is_one && !is_varied && calibration.logit_gap_share > 0.0;
    let slack = match (is_varied, is_counted) {
        (true, _) => calibration.slack_varied,
        (false, true) => 1.0,
        (false, false) => calibration.slack_equal,
    };
    let gaps = if is_one && !is_counted {
        calibration.slack_gib * GIB
    } else {
        0.0
    };
    // Large tensors use the gaps that small ones leave, so the larger of both decides.
    let reserved = moments.kept + (moments.begins * slack).hypot(gaps);
    let equal_gaps = if is_counted {
        equal_gaps(moments, run, calibration)
    } else {
        0.0
    };
    reserved.max(moments.allocated) + equal_gaps
}

/// The gaps of training on sequences of equal length, which are the same in each step.
fn equal_gaps(moments: &Moments, run: &Run, calibration: &Calibration) -> f64 {
    let is_recomputed = run.checkpointing != Checkpointing::None;
    if run.adapters {
        // A recomputed layer does not fit where the logits were.
        let recomputed = if is_recomputed { moments.layer } else { 0.0 };
        return calibration.logit_gap_share * (moments.logits + recomputed);
    }
    // Gradients fill the memory of activations as these are freed. If layers are recomputed, most memory of the forward
    // pass is logits, and gradients do not fit where these were.
    let share = if is_recomputed {
        calibration.gradient_gap_share
    } else {
        calibration.logit_gap_share
    };
    share * moments.gradients.min(moments.begins)
}
