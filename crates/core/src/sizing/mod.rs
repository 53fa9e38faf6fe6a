//! Whether a model fits, how fast it is and why: pure arithmetic over its shape.
//!
//! [`Architecture`] is the shape of a model, [`Run`] what is done with it, [`Layout`] how it is spread
//! over devices. [`Run::check`] refuses what is not computed. [`memory()`] and [`speed()`] are functions of these three, of the device, and of a
//! [`Calibration`]: the figures that only measuring tells.

#![warn(missing_docs)]

mod architecture;
mod cache;
mod calibration;
mod device;
mod format;
mod memory;
mod offload;
mod run;
mod search;
mod support;
#[cfg(test)]
mod testing;
mod train_memory;
#[macro_use]
mod words;
mod speed;

pub use architecture::{Architecture, Biases, Experts, Mla, Parameters, QkNorm, Window, Yarn};
pub use cache::{Compressed, Sparse};
pub use calibration::Calibration;
pub use device::{CacheShares, Device, EngineCosts, Links, Peak, Shares};
pub use format::{WeightBytes, WeightFormat};
pub use memory::{
    GIB, Memory, adapter_parameters, cache_bytes_per_token, cache_share, memory, weights,
};
pub use offload::{HostState, host_state};
pub use run::{Frozen, Layout, Rollouts, Run, RunError, SavedModules, Speculation, StepSize};
pub use search::{GivenLayout, Indivisible, divides, layouts};
pub use speed::{
    Arrival, Bound, Limits, Load, Served, Speed, Standing, refit_s, rollouts_s, served, speed,
    standing,
};
pub use support::{Support, supports, supports_format};
pub use words::{
    Attention, CacheFormat, Checkpointing, Engine, Float, Logits, LoraTargets, MasterWeights,
    ModelKind, Offload, Optimizer, Workload,
};
