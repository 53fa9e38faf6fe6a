//! Models, what is known about their memory and speed, and the guide to choosing by size.

#[cfg(doc)]
use super::Catalog;
use super::{Rows, Str};
use crate::sizing::{Architecture, Biases, QkNorm, WeightFormat};

/// A language model.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    pub id: Str,
    pub shape: Architecture,
    /// Parameters of the files, where they hold more or less than the model.
    pub checkpoint_parameters: Option<f64>,
    /// A format of the catalog; empty for 16 bits.
    pub stored_as: Str,
    pub source: Str,
}

/// One way to write the name of a model.
#[derive(Clone, Copy, Debug)]
pub struct ModelName {
    pub key: Str,
    /// A row of [`Catalog::models`].
    pub model: u16,
}

/// Model types of `config.json` whose models are built alike: what their configurations leave out.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Strings.
    pub model_types: Rows,
    pub gated: bool,
    pub tied: bool,
    pub norms_per_layer: u32,
    /// Parts that have biases when nothing is said, and those that `attention_bias` is about.
    pub biases: Biases,
    pub attention_bias: Biases,
    /// Whether one flag is about all biases.
    pub one_bias: bool,
    pub qk_norm: Option<QkNorm>,
    pub qk_norm_by_default: bool,
    /// Learned positions: how many rows more than tokens.
    pub positions: Option<u32>,
    /// Every so many layers has no window.
    pub window_pattern: Option<u32>,
    pub embedding_norm: bool,
    pub expert_biases: bool,
    pub router_bias: bool,
    pub shared_gate: bool,
    pub sinks: bool,
    /// A run of [`Catalog::family_defaults`]: fields that may be left out.
    pub defaults: Rows,
}

/// A format of weights.
#[derive(Clone, Copy, Debug)]
pub struct NamedFormat {
    pub name: Str,
    /// Strings.
    pub aliases: Rows,
    pub format: WeightFormat,
    /// Bits that a group of weights has besides, and how many are in it by default.
    pub group: Option<(f64, f64)>,
    pub source: Str,
}

/// A figure that is measured, not derived.
#[derive(Clone, Copy, Debug)]
pub struct Coefficient {
    pub name: Str,
    /// What it is for, where it differs: an engine, an architecture.
    pub scope: Str,
    pub value: f64,
    pub source: Str,
    pub as_of: Str,
}

/// Rule of thumb: what to pick for a kind of work.
#[derive(Clone, Copy, Debug)]
pub struct GuideWorkload {
    pub workload: Str,
    pub title: Str,
    /// Strings: values of `--workload` that it answers.
    pub flags: Rows,
    /// Strings: specs.
    pub pick: Rows,
    pub because: Str,
}

/// Rule of thumb: what to pick for a number of parameters.
#[derive(Clone, Copy, Debug)]
pub struct GuideSize {
    pub title: Str,
    /// Billions of parameters; the bound belongs to the row when `inclusive`.
    pub up_to: Option<f64>,
    pub inclusive: bool,
    pub minimum: Str,
    pub recommended: Str,
}

/// Rule of thumb: what a strategy saves.
#[derive(Clone, Copy, Debug)]
pub struct GuideStrategy {
    pub strategy: Str,
    pub title: Str,
    pub claimed_low_percent: f64,
    pub claimed_high_percent: f64,
    pub good_for: Str,
    pub compare: Comparison,
    /// Specs, for [`Comparison::SpecPrices`].
    pub cheap: Str,
    pub dear: Str,
}

/// How the real saving of a strategy is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Spot against on-demand, over every offer with both prices.
    SpotDiscount,
    /// One MIG slice against the whole GPU.
    SliceShare,
    /// The lowest price of one spec against that of another.
    SpecPrices,
}
