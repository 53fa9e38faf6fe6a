//! Sizing: from a request to the core's model, run and layout, and back to the contract.

mod answer;
mod hub;
mod json;
mod load;
mod media;
mod model;
mod names;
mod request;
mod rollouts;
mod sizer;
mod step;

pub use hub::ModelHub;
pub use json::{MEASURED, read_measured, read_seconds, run_from_json};
pub use load::LoadRequest;
pub use media::Media;
pub use model::{ModelFacts, ModelSize};
pub use request::{ModelRun, ModelSource, RunRequest};
pub use step::StepRequest;

pub(crate) use answer::{execution, fit, out, rate, unsupported};
pub(crate) use load::{UsualService, read_limits};
pub(crate) use names::USUAL_GGUF;
pub(crate) use request::{QLORA, read};
pub(crate) use sizer::{Fitted, Part, Sizer, has_usual_stages};
