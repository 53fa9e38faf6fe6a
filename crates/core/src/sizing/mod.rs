//! Whether a model fits and how fast it is, computed from its shape.
//!
//! [`Architecture`] is the shape of a model, [`Run`] is the work, and [`Layout`] says how the model is spread over
//! devices. [`Run::check`] rejects runs that are not modeled. [`memory()`] and [`speed()`] are functions of these
//! three, of the device, and of a [`Calibration`], which holds the measured coefficients.

#![warn(missing_docs)]

mod architecture;
mod cache;
mod calibration;
mod device;
mod device_reader;
mod diffusion;
mod format;
mod links;
mod load;
mod memory;
mod offload;
mod peak;
mod run;
mod search;
mod support;
#[cfg(test)]
mod testing;
mod transcription;
mod units;
mod vision;
#[macro_use]
mod words;
mod speed;

pub use architecture::{
    Architecture, Biases, Compressed, Experts, Mla, Parameters, QkNorm, Sparse, Window, Yarn,
};
pub use calibration::{Calibration, Profile, Profiles};
pub use device::{
    ByWidth, CacheShares, Device, EngineCosts, Links, MOST_DEVICES_OF_A_MACHINE, Shares,
};
pub use device_reader::DeviceReader;
pub use diffusion::{DecoderKind, Diffusion, DiffusionShares, Picture, PictureTime, picture_time};
pub use format::{WeightBytes, WeightFormat};
pub use load::{Arrival, Limits, Load};
pub use memory::{CacheGrowth, Memory, adapter_parameters, memory, reported_tokens, weights};
pub use offload::{HostState, host_state};
pub use peak::Peak;
pub use run::{Frozen, Layout, Rollouts, Run, RunError, SavedModules, Speculation, StepSize};
pub use search::{GivenLayout, Indivisible, divides, divides_blocks, layouts};
pub use speed::{
    Bound, LayoutScore, Served, Speed, TOKENS_OF_A_PASS, TimeParts, goodput, layout_score, refit_s,
    rollouts_s, served, speed,
};
pub use support::{Support, supports, supports_format};
pub use transcription::{Transcriber, TranscriptionShares, TranscriptionTime, transcription_time};
pub use units::GIB;
pub use vision::{Images, Vision};
pub use words::{
    Attention, CacheFormat, Checkpointing, Float, Logits, LoraTargets, MasterWeights, ModelKind,
    Offload, Optimizer, Sampling, ServingEngine, Workload,
};
