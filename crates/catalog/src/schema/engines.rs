//! The sections about engines.

use serde::{Deserialize, Serialize};

use super::spanned::{Spanned, SpannedText};

/// The execution of formats of weights by an engine on some devices.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EngineFormatEntry {
    /// The serving or training engine.
    pub engine: SpannedText,
    /// The formats of weights.
    pub formats: Vec<SpannedText>,
    /// `inference` or `training`; by default `inference`.
    pub work: Option<SpannedText>,
    /// The minimum compute capability of the devices.
    pub from: Option<SpannedText>,
    /// The exclusive upper bound of their compute capability.
    pub below: Option<SpannedText>,
    /// The architectures of devices without a compute capability.
    #[serde(default)]
    pub architectures: Vec<SpannedText>,
    /// The kind of execution: `native`, `unpacked`, `half` or `none`.
    pub computed: SpannedText,
    /// The first version of the engine that does it.
    pub since: Option<SpannedText>,
    /// The source of the facts.
    pub source: SpannedText,
    /// The date of the facts.
    pub as_of: SpannedText,
}

/// The measured loss of quality of models in a format.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct QualityLossEntry {
    /// The format of weights, or of the KV cache.
    pub format: SpannedText,
    /// `weights` or `kv-cache`; by default `weights`.
    pub part: Option<SpannedText>,
    /// The least loss that was measured, in percent.
    pub low: Spanned<f64>,
    /// The greatest loss that was measured, in percent.
    pub high: f64,
    /// `benchmarks` or `perplexity`.
    pub measure: SpannedText,
    /// The source of the figures.
    pub source: SpannedText,
    /// The date of the figures.
    pub as_of: SpannedText,
}

/// Kinds of parallelism that a serving engine does not support.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct UnsupportedParallelismEntry {
    /// The serving or training engine.
    pub engine: SpannedText,
    /// The kinds: `tensor`, `pipeline`, `context`, `expert`.
    pub axes: Vec<SpannedText>,
    /// The formats of weights that it holds for; by default all.
    #[serde(default)]
    pub formats: Vec<SpannedText>,
    /// `inference` or `training`; by default `inference`.
    pub work: Option<SpannedText>,
    /// The source of the facts.
    pub source: SpannedText,
    /// The date of the facts.
    pub as_of: SpannedText,
}

/// The arguments and variables that a recipe of a serving engine adds to the command that starts some models.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecipeEntry {
    /// The serving engine.
    pub engine: SpannedText,
    /// The ids of the models.
    pub models: Vec<SpannedText>,
    /// The vendor of the devices; by default all.
    pub vendor: Option<SpannedText>,
    /// The architectures of the devices; by default all.
    #[serde(default)]
    pub architectures: Vec<SpannedText>,
    /// The words of the command line.
    #[serde(default)]
    pub arguments: Vec<SpannedText>,
    /// The variables of the environment, such as `NAME=1`.
    #[serde(default)]
    pub variables: Vec<SpannedText>,
    /// The source of the recipe.
    pub source: SpannedText,
    /// The date of the recipe.
    pub as_of: SpannedText,
}

/// A public container image of a serving engine.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EngineImageEntry {
    /// The serving engine.
    pub engine: SpannedText,
    /// The vendor of the devices.
    pub vendor: SpannedText,
    /// The image, with `{version}` in place of the version.
    pub image: SpannedText,
    /// The newest known version.
    pub version: SpannedText,
    /// True if every engine version has an image tag of the same name.
    #[serde(default)]
    pub versioned: bool,
    /// The program that the entry point of the image starts, if it runs no other command.
    pub entry_point: Option<SpannedText>,
    /// The source of the image.
    pub source: SpannedText,
    /// The date of the version.
    pub as_of: SpannedText,
}
