//! Sizing: from a request to the model, run and layout of the core, and back to the contract.

mod answer;
mod best;
mod blocks;
mod bounds;
mod energy;
mod execution;
mod fitted;
mod formats;
mod host;
mod hub;
mod images;
mod load;
mod media;
mod media_fit;
mod media_items;
mod media_settings;
mod memory_settings;
mod model;
mod model_facts;
mod model_folders;
mod model_size;
mod model_source;
mod names;
mod option_kind;
mod options;
mod precisions;
mod request;
mod rollouts;
mod rounded;
mod run;
mod sampling;
mod scope;
mod sizer;
mod step;
mod usual_engine;

pub use fitted::FitVerdict;
pub use hub::ModelHub;
pub use model_facts::{Media, ModelFacts};
pub use model_folders::ModelFolders;
pub use model_size::ModelSize;
pub use model_source::ModelSource;
pub use option_kind::WorkKind;
pub use options::{CompletedBy, RunOption, RunOut, RunRequest, run_from_json};
pub use run::ModelRun;

pub(crate) use answer::{SizedDevice, fit, out, out_of};
pub(crate) use energy::grid_intensity;
pub(crate) use execution::{
    engines_on, execution, is_measured, may_multiply_integers, narrows_range, other_trainer,
    peak_on, runs_on, scaled_loss, unmeasured, unsupported, without_fp16,
};
pub(crate) use fitted::Fitted;
pub(crate) use formats::{ANY, QLORA, weights_in};
pub(crate) use host::{host_memory, peak_bandwidth, usual_host};
pub(crate) use load::{UsualService, read_limits};
pub(crate) use media::{draft_reason, facts_of_media};
pub(crate) use memory_settings::{LARGEST_MEMORY_SHARE, MemorySettings};
pub(crate) use model::read_files;
pub(crate) use names::{USUAL_GGUF, facts_of_row, is_model, published_gguf};
pub(crate) use precisions::{
    Precision, WeightSource, in_other_formats, losses, own, published_checkpoint, weight_bytes,
    weight_source,
};
pub(crate) use request::{read, read_known};
pub(crate) use rounded::rate;
pub(crate) use run::MeasuredWork;
pub(crate) use sizer::{DevicePart, Sizer, has_usual_stages};
