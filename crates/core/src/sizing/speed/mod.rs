//! How fast a model runs: rooflines with the efficiencies that were measured.
//!
//! [`Pace`](pace) has the times of one step and of one prompt, [`load`] puts them together for many
//! users at once, and [`training`] has the time of an optimizer step. `docs/sizing.md` has the
//! formulas, and the catalog has the coefficients.

mod experts;
mod load;
mod pace;
mod rollouts;
mod training;

use super::architecture::Architecture;
use super::calibration::Calibration;
use super::device::Device;
use super::run::{Layout, Run};
pub use load::{Arrival, Limits, Load, Served, Standing, served, standing};
use pace::Pace;
pub use rollouts::{refit_s, rollouts_s};

crate::words! {
    /// The part of a step that takes most of its time.
    pub enum Bound {
        /// Reading weights and cache from the device's memory.
        Memory = "memory",
        /// Computing.
        Compute = "compute",
        /// Sending data between devices.
        Network = "network",
        /// Starting kernels takes longer than running them.
        Launch = "launch",
        /// Transfers to the host's memory, and the optimizer that runs there.
        Host = "host",
    }
}

/// Tokens per second. A rate is missing where a figure of the device is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Speed {
    /// Of all devices, reading prompts.
    pub prefill: Option<f64>,
    /// Of all devices, generating.
    pub decode: Option<f64>,
    /// Of all devices, generating, the time to read the prompts included.
    pub output: Option<f64>,
    /// Seconds until a prompt is read and its first token is there.
    pub first_token_s: Option<f64>,
    /// Of one device, training.
    pub train: Option<f64>,
    /// Seconds of an optimizer step.
    pub step_s: Option<f64>,
    /// Seconds of it in which models are run that the step does not train.
    pub scoring_s: Option<f64>,
    /// The part of a step that takes most of its time.
    pub bound: Option<Bound>,
    /// The share of the peak rate that useful operations take, between 0 and 1.
    pub mfu: Option<f64>,
}

/// The speed of a run, which has to pass [`Run::check`].
pub fn speed(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    known: &Calibration,
) -> Speed {
    if run.workload.is_training() {
        training::training(model, run, layout, device, known).unwrap_or_default()
    } else {
        inference(model, run, layout, device, known)
    }
}

/// Operations of attention for one token and one entry of a layer that it attends to.
fn entry_flops(model: &Architecture) -> f64 {
    // Scores and their sums are as wide as keys and values are, which differ where they are latent.
    // What an index selects is read as it lies in the cache: latent.
    let width = model.mla.map_or(model.query_width(), |mla| {
        let widths = if model.sparse.is_some() {
            2 * mla.kv_rank + mla.rope_dim
        } else {
            mla.nope_dim + mla.rope_dim + mla.value_dim
        };
        f64::from(model.heads) * f64::from(widths) / 2.0
    });
    4.0 * width
}

/// Operations of attention for one token in one pass, with so many tokens before it.
fn attention_flops(model: &Architecture, before: f64) -> f64 {
    entry_flops(model) * model.attended_entries(before) + model.index_flops(before)
}

/// The same with so many entries in each layer, whatever its window.
fn unwindowed_flops(model: &Architecture, entries: f64) -> f64 {
    let layers = model.attention_layers.unwrap_or(model.layers);
    entry_flops(model) * entries * f64::from(layers)
}

/// A batch of sequences that begin and end together.
fn inference(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    known: &Calibration,
) -> Speed {
    let replicas = f64::from(layout.data);
    let pace = Pace::new(model, run, layout, device, known);
    let step = pace.step(run.batch);
    let prompts = pace.prompts(run.batch);
    let tokens = (run.batch * run.prompt()).max(1.0);
    let output = run.output();
    Speed {
        prefill: prompts.map(|prompts| replicas * tokens / prompts.seconds),
        decode: step.map(|step| replicas * pace.tokens_of_step() * run.batch / step.seconds),
        output: prompts
            .zip(step)
            .filter(|_| output >= 0.5)
            .map(|(prompts, step)| {
                let generating = output * step.seconds / pace.tokens_of_step();
                replicas * run.batch * output / (prompts.seconds + generating)
            }),
        first_token_s: prompts
            .zip(step)
            .map(|(prompts, step)| prompts.seconds + step.seconds),
        bound: step.and_then(|step| step.bound()),
        mfu: prompts.and_then(|prompts| prompts.mfu),
        ..Speed::default()
    }
}
