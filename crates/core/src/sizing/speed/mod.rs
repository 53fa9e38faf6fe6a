//! How fast a model runs: rooflines with measured efficiencies.
//!
//! [`ReplicaTimes`] has the times of a decode step and of a prefill, [`load`] combines them for a server under load,
//! and [`training`] has the time of an optimizer step. `docs/sizing.md` has the formulas, and the catalog has the
//! coefficients.

mod cache_reads;
mod eager;
mod experts;
mod flops;
mod load;
mod overlap;
mod parts;
mod rates;
mod reading;
mod replica;
mod rollouts;
mod training;

use super::architecture::Architecture;
use super::calibration::Calibration;
use super::device::Device;
use super::run::{Layout, Run};
pub use load::{LayoutScore, Served, goodput, layout_score, served};
pub use parts::TimeParts;
pub use rates::{Bound, Speed};
pub use reading::TOKENS_OF_A_PASS;
use replica::ReplicaTimes;
pub use rollouts::{refit_s, rollouts_s};

/// The speed of a run. The run has to pass [`Run::check`].
pub fn speed(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    calibration: &Calibration,
) -> Speed {
    if run.workload.is_training() {
        training::training(model, run, layout, device, calibration).unwrap_or_default()
    } else {
        inference(model, run, layout, device, calibration)
    }
}

/// The speed of a static batch, whose sequences begin and end together.
fn inference(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    calibration: &Calibration,
) -> Speed {
    let replicas = f64::from(layout.data);
    let replica = ReplicaTimes::new(model, run, layout, device, calibration);
    let step = replica.step(run.batch);
    let prompts = replica.prompts(run.batch);
    let tokens = (run.batch * run.prompt()).max(1.0);
    let output = run.output();
    Speed {
        prefill: prompts.map(|prompts| replicas * tokens / prompts.seconds),
        decode: step.map(|step| replicas * replica.tokens_of_step() * run.batch / step.seconds),
        output: prompts
            .zip(step)
            .filter(|_| output >= 0.5)
            .map(|(prompts, step)| {
                let generating = output * step.seconds / replica.tokens_of_step();
                replicas * run.batch * output / (prompts.seconds + generating)
            }),
        first_token_s: prompts
            .zip(step)
            .map(|(prompts, step)| prompts.seconds + step.seconds),
        bound: step.and_then(|step| step.bound()),
        parts: prompts.zip(step).map(|(prompts, step)| {
            let steps = output / replica.tokens_of_step();
            (prompts.parts + step.parts().times(steps)).shares()
        }),
        mfu: prompts.and_then(|prompts| prompts.mfu),
        ..Speed::default()
    }
}
