//! Sizing: from a request to the core's model, run and layout, and back to the contract.

mod answer;
mod hub;
mod json;
mod model;
mod request;
mod sizer;

pub use hub::ModelHub;
pub use json::run_from_json;
pub use model::{ModelFacts, ModelSize};
pub use request::{ModelRun, ModelSource, RunRequest};

pub(crate) use answer::{fit, out, rate, unsupported};
pub(crate) use request::{read, spread};
pub(crate) use sizer::{Fitted, Part, Sizer};
