//! Memory of one device, term by term.
//!
//! Weights and cache follow from the shape of the model. A forward pass adds the activations of one layer or the
//! logits, whichever is larger. Their bytes per value are coefficients of the catalog. `docs/sizing.md` explains the
//! terms.

mod cache;
mod inference;
mod kept;
mod pages;
mod profile;
mod reserved;
mod terms;
pub(super) mod trained;
mod training;
mod weights;

use super::architecture::Architecture;
use super::calibration::Calibration;
use super::run::{Layout, Run};
pub use cache::{CacheGrowth, cache_of_device, reported_tokens};
pub use terms::Memory;
pub use weights::{adapter_parameters, weights};

/// The memory of a run on the fullest device, in bytes.
///
/// The run has to pass [`Run::check`]; runs that it rejects are not modeled.
pub fn memory(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    calibration: &Calibration,
) -> Memory {
    if run.workload.is_training() {
        training::training(model, run, layout, calibration)
    } else {
        inference::inference(model, run, layout, calibration)
    }
}
