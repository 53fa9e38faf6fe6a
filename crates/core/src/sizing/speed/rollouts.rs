//! The time in which a model generates what it is then trained on.
//!
//! A step generates answers to many prompts on all replicas of an engine at once. As answers end, fewer
//! sequences are left, until the longest one ends; then the trained weights go to the engine. An engine that
//! runs several steps ahead goes on with the next prompts instead.

use super::super::architecture::Architecture;
use super::super::calibration::Calibration;
use super::super::device::Device;
use super::super::run::{Layout, Rollouts, Run};
use super::pace::Pace;

/// Seconds in which the replicas of a layout generate the sequences of a step, each of which has `room` for
/// so many at once; `None` where a figure of the device is not known.
pub fn rollouts_s(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    known: &Calibration,
    rollouts: Rollouts,
    room: f64,
) -> Option<f64> {
    let pace = Pace::new(model, run, layout, device, known);
    let each = (rollouts.sequences / f64::from(layout.data))
        .ceil()
        .max(1.0);
    let ahead = rollouts.off_policy_steps;
    let at_once = (each * ahead).min(room.min(device.engine.most_sequences).max(1.0));
    let prompts = each * pace.prompt_work()? / f64::from(layout.pipeline);
    let token = pace.step(at_once)?.seconds / pace.tokens_of_step();
    let generating = each / at_once * run.output().max(1.0) * token;
    let tail = if ahead > 1.0 { 1.0 } else { known.rollout_tail };
    Some(device.engine.first_token + (prompts + generating) * tail)
}

/// Seconds until the engine has the weights that were trained.
pub fn refit_s(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    known: &Calibration,
    devices: f64,
) -> f64 {
    let bytes = run.weights.bytes(model).total() / f64::from(layout.tensor);
    known.refit_s + bytes / (device.links.among(devices) * known.refit_share).max(1.0)
}
