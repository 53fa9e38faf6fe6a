//! Models, what is known about their memory and speed, and the guide to choosing by size.

use super::{Catalog, Rows, Str};
use crate::sizing::{Architecture, Biases, Engine, QkNorm, WeightFormat, Word as _};

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
    /// As it is written: `meta-llama/Llama-3.1-8B`.
    pub text: Str,
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
    /// The word of the only engine that runs files in this format; empty where several do.
    pub engine: Str,
    /// `general.file_type` of GGUF files in this format.
    pub file_type: Option<u32>,
    /// Strings: what quantized checkpoints call it, a method or `method:algorithm`.
    pub quantized_as: Rows,
    /// The key of the published rate of products in it.
    pub rate: Str,
    /// The least compute capability of devices that multiply in it.
    pub min_compute_capability: Str,
    /// Strings: architectures that multiply in it, where no compute capability decides.
    pub computed_on: Rows,
    /// Strings: architectures that do not.
    pub not_computed_on: Rows,
    pub source: Str,
}

/// Set in `general.file_type` where llama.cpp guessed it from the tensors.
const GUESSED_FILE_TYPE: u32 = 1024;

impl Catalog<'_> {
    /// The engine that a format implies: files in it are run by no other one.
    pub fn engine_of(&self, format: &NamedFormat) -> Option<Engine> {
        self.text(format.engine).and_then(Engine::from_word)
    }
}

impl<'a> Catalog<'a> {
    /// The format of GGUF files with this `general.file_type`, guessed by llama.cpp or not.
    pub fn format_of_file_type(&self, file_type: u32) -> Option<&'a NamedFormat> {
        let number = file_type & !GUESSED_FILE_TYPE;
        self.weight_formats
            .iter()
            .find(|format| format.file_type == Some(number))
    }

    /// The format that a quantized checkpoint calls `method:algorithm`, or `method` alone where a
    /// method has one format. Case does not matter.
    pub fn format_quantized_as(&self, word: &str) -> Option<&'a NamedFormat> {
        self.weight_formats.iter().find(|format| {
            let mut words = self.strings(format.quantized_as);
            words.any(|known| known.eq_ignore_ascii_case(word))
        })
    }
}

/// A figure that is measured, not derived.
#[derive(Clone, Copy, Debug)]
pub struct Coefficient {
    pub name: Str,
    /// The engine or architecture that it is for, where they differ.
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
