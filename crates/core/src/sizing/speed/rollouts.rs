//! The time of rollouts: a model generates the answers that it is then trained on.
//!
//! A step generates answers to many prompts on all replicas of a serving engine at once. As answers end, fewer
//! sequences are in flight, until the longest answer ends. Then the engine receives the trained weights. An engine that
//! runs several steps ahead continues with the next prompts instead of waiting for the longest answers.

use super::super::architecture::Architecture;
use super::super::calibration::Calibration;
use super::super::device::Device;
use super::super::run::{Layout, Rollouts, Run};
use super::replica::ReplicaTimes;

/// Seconds that the replicas of a layout take to generate the sequences of a step; `None` if a figure of the device is
/// unknown. `capacity` is the number of sequences that the cache of a replica holds.
pub fn rollouts_s(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    calibration: &Calibration,
    rollouts: Rollouts,
    capacity: f64,
) -> Option<f64> {
    let times = ReplicaTimes::new(model, run, layout, device, calibration);
    let per_replica = (rollouts.sequences / f64::from(layout.data))
        .ceil()
        .max(1.0);
    let ahead = rollouts.off_policy_steps;
    let at_once = (per_replica * ahead).min(capacity.min(device.engine.most_sequences).max(1.0));
    let prompts = per_replica * times.prompt_work()? / f64::from(layout.pipeline);
    let token = times.step(at_once)?.seconds / times.tokens_of_step();
    let generating = per_replica / at_once * run.output().max(1.0) * token;
    let tail = if ahead > 1.0 {
        1.0
    } else {
        calibration.rollout_tail
    };
    Some(device.engine.first_token + (prompts + generating) * tail)
}

/// Seconds until the serving engine has the trained weights: a fixed time to load them, and their transfer.
pub fn refit_s(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    calibration: &Calibration,
    devices: f64,
) -> f64 {
    let bytes = run.weights.bytes(model).total() / f64::from(layout.tensor);
    calibration.refit_s + bytes / (device.links.among(devices) * calibration.refit_share).max(1.0)
}
