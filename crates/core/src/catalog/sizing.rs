//! Models, formats of weights, coefficients of memory and speed, and the guide.

use super::{Catalog, Rows, Str, Table};
use crate::sizing::{
    Architecture, Biases, Diffusion, ModelKind, QkNorm, ServingEngine, Transcriber, WeightFormat,
};
use crate::text::{NameKey, same_name};
use crate::word::Word as _;

crate::rows! {
    /// A language model.
    #[derive(Clone, Copy, Debug)]
    pub struct Model {
        /// The catalog's id, such as `DeepSeek-R1`.
        pub id: Str,
        /// The kind of output: text, or none.
        pub kind: ModelKind,
        /// The shape of its layers.
        pub shape: Architecture,
        /// The number of parameters in the files; `None` if it equals the number of the model.
        pub checkpoint_parameters: Option<f64>,
        /// The format of the published files: the name of a [`NamedFormat`], empty for 16 bits.
        pub stored_as: Str,
        /// The first version of vLLM that serves it, or `nightly`; empty if unknown.
        pub min_vllm: Str,
        /// The width of the blocks of weights that share a scale in its FP8 files; `None` without such blocks.
        pub fp8_block: Option<u32>,
        /// True if vLLM refuses to compute it in fp16, which overflows.
        pub no_fp16: bool,
        /// The source of the facts.
        pub source: Str,
    }

    /// A model of images, video or speech.
    #[derive(Clone, Copy, Debug)]
    pub struct MediaModel {
        /// The catalog's id, such as `FLUX.1-dev`.
        pub id: Str,
        /// Other names: a run of [`field@Catalog::strings`].
        pub names: Rows,
        /// The kind of output.
        pub kind: ModelKind,
        /// The run that its activations are for, such as `an image of 1024 × 1024`.
        pub unit: Str,
        /// The names of its parts: a run of [`field@Catalog::strings`].
        pub parts: Rows,
        /// Parameters of all parts that are loaded.
        pub parameters: f64,
        /// Bytes of activations, in 16 bits.
        pub activations: f64,
        /// The diffusion transformer; `None` for other models.
        pub diffusion: Option<Diffusion>,
        /// The shape of a model that writes down speech; `None` for other models, and if it is unknown.
        pub transcriber: Option<Transcriber>,
        /// The first version of vLLM that serves it, or `nightly`; empty if unknown.
        pub min_vllm: Str,
        /// The reason why it cannot be sized; empty if it can.
        pub refused: Str,
        /// The id of the model for which it drafts tokens in speculative decoding; empty for other models.
        pub draft_of: Str,
        /// The source of the facts.
        pub source: Str,
        /// The date of the facts: a day, a month or a year.
        pub as_of: Str,
    }

    /// The quality of a language model on a public leaderboard.
    #[derive(Clone, Copy, Debug)]
    pub struct ModelScore {
        /// The index of the model in [`Catalog::models`].
        pub model: u16,
        /// The score; more is better.
        pub score: f64,
        /// The name of the leaderboard, such as `Arena text`.
        pub leaderboard: Str,
        /// The source of the score.
        pub source: Str,
        /// The date of the score: a day, a month or a year.
        pub as_of: Str,
    }

    /// One spelling of the name of a model.
    #[derive(Clone, Copy, Debug)]
    pub struct ModelName {
        /// The name in lower case, without spaces, `-` and `_`.
        pub key: Str,
        /// The spelling: `meta-llama/Llama-3.1-8B`.
        pub text: Str,
        /// The index of the model in [`Catalog::models`].
        pub model: u16,
        /// The format of the checkpoint with this name; empty if it is the model's.
        pub stored_as: Str,
        /// The first version of vLLM that serves the checkpoint with this name; empty if it is the model's.
        pub min_vllm: Str,
        /// The index in [`Catalog::checkpoint_formats`]; `None` if the checkpoint has the usual bits of its format.
        pub exact: Option<u16>,
    }

    /// The bits and the cache of a checkpoint that differ from the usual bits of its format.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct CheckpointFormat {
        /// The bits of routed experts, or of MLPs in a dense model.
        pub bits: Option<f64>,
        /// The bits of attention and of recurrent layers.
        pub attention_bits: Option<f64>,
        /// The bits of dense MLPs and shared experts beside routed experts.
        pub mlp_bits: Option<f64>,
        /// The format of the KV cache that the checkpoint prescribes; empty without one.
        pub kv_cache: Str,
    }

    /// The rules for models that are built alike: the facts that their `config.json` leaves out.
    #[derive(Clone, Copy, Debug)]
    pub struct Family {
        /// The values of `model_type` in `config.json`: a run of [`field@Catalog::strings`].
        pub model_types: Rows,
        /// True if the MLP has a gate: three matrices instead of two.
        pub gated: bool,
        /// True if the head shares the embedding's weights by default.
        pub tied: bool,
        /// The number of norms with weights in a layer; 0 where norms have none.
        pub norms_per_layer: u32,
        /// True if attention and MLP run in parallel after one norm, unless `parallel_attn` or
        /// `new_decoder_architecture` says otherwise.
        pub parallel: bool,
        /// True if the width of the MLP counts both halves of its gate.
        pub both_halves: bool,
        /// The parts with biases by default.
        pub biases: Biases,
        /// The parts that `attention_bias` in the configuration applies to.
        pub attention_bias: Biases,
        /// True if one flag switches the biases of attention and MLP together.
        pub one_bias: bool,
        /// The kind of norms of queries and keys; `None` if the family states none.
        pub qk_norm: Option<QkNorm>,
        /// True if queries and keys have norms unless the configuration says otherwise.
        pub qk_norm_by_default: bool,
        /// The number of rows of learned positions beyond the number of tokens; `None` if positions
        /// are not learned.
        pub positions: Option<u32>,
        /// The interval between layers without an attention window, in layers.
        /// `None` if the family has no such pattern.
        pub window_pattern: Option<u32>,
        /// True if its models are encoders, which generate no text.
        pub encoder: bool,
        /// True if a norm follows the embedding.
        pub embedding_norm: bool,
        /// True if experts and routers have biases.
        pub expert_biases: bool,
        /// True if the router has a correction bias for each expert.
        pub router_bias: bool,
        /// True if a gate weights the output of the shared expert.
        pub shared_gate: bool,
        /// True if each query head has an attention sink.
        pub sinks: bool,
        /// How layers without attention mix tokens; `None` if all layers have attention.
        pub recurrence: Option<Recurrence>,
        /// How attention and the recurrence are arranged.
        pub arrangement: Arrangement,
        /// True if each part of a recurrence has a norm, unless the configuration says otherwise.
        pub recurrence_norm: bool,
        /// True if each head of attention has a gate.
        pub head_gates: bool,
        /// True if each layer has a learned scale.
        pub layer_scales: bool,
        /// The fields that a configuration may leave out, with their values: a run of
        /// [`Catalog::family_defaults`].
        pub defaults: Rows,
    }

    /// A format of weights, by name.
    #[derive(Clone, Copy, Debug)]
    pub struct NamedFormat {
        /// The name, such as `bf16`.
        pub name: Str,
        /// Other names: a run of [`field@Catalog::strings`].
        pub aliases: Rows,
        /// The properties of the format.
        pub format: WeightFormat,
        /// The extra bits of a group of weights, and the default number of weights in a group; `None`
        /// for a format without groups.
        pub group: Option<(f64, f64)>,
        /// The only engine that runs files in this format; empty if several engines do.
        pub engine: Str,
        /// True if models are commonly converted to it, so that it is suggested where one does not fit.
        pub is_common: bool,
        /// The value of `general.file_type` of GGUF files in this format; `None` without such files.
        pub file_type: Option<u32>,
        /// The names in quantized checkpoints, a method or `method:algorithm`: a run of
        /// [`field@Catalog::strings`].
        pub quantized_as: Rows,
        /// The key of the accelerators' rate in this format, such as `bf16`; empty if rates are not published.
        pub rate: Str,
        /// The minimum compute capability of devices that multiply in it; empty if any device does.
        pub min_compute_capability: Str,
        /// The architectures that multiply in it, for devices without a compute capability: a run of
        /// [`field@Catalog::strings`].
        pub computed_on: Rows,
        /// The architectures that do not: a run of [`field@Catalog::strings`].
        pub not_computed_on: Rows,
        /// The source of the facts.
        pub source: Str,
    }
}

crate::words! {
    /// A part of a model that a format makes smaller.
    pub enum QuantizedPart {
        /// The weights.
        Weights = "weights",
        /// The KV cache.
        KvCache = "kv-cache",
    }
}

crate::words! {
    /// How the loss of quality of a format is measured.
    pub enum LossMeasure {
        /// The lower score in benchmarks of answers.
        Benchmarks = "benchmarks",
        /// The higher perplexity.
        Perplexity = "perplexity",
    }
}

crate::rows! {
    /// The measured loss of quality of models in a format.
    #[derive(Clone, Copy, Debug)]
    pub struct QualityLoss {
        /// The name of the format.
        pub format: Str,
        /// The part of the model that is in the format.
        pub part: QuantizedPart,
        /// The minimum and the maximum measured loss, in percent of the value without the format.
        pub low: f64,
        pub high: f64,
        /// The kind of measurement.
        pub measure: LossMeasure,
        /// The source of the figures.
        pub source: Str,
        /// The date of the figures: a day, a month or a year.
        pub as_of: Str,
    }
}

/// Set in `general.file_type` where llama.cpp guessed it from the tensors.
const GUESSED_FILE_TYPE: u32 = 1024;

impl CheckpointFormat {
    /// Returns a format with the bits of the checkpoint.
    pub fn applied_to(&self, format: WeightFormat) -> WeightFormat {
        WeightFormat {
            bits: self.bits.unwrap_or(format.bits),
            attention_bits: self.attention_bits.unwrap_or(format.attention_bits),
            mlp_bits: self.mlp_bits.unwrap_or(format.mlp_bits),
            ..format
        }
    }
}

impl<'a> Catalog<'a> {
    /// Returns the model with a name, ignoring case, spaces, `-` and `_`; `None` if it is unknown. The format and
    /// version are the facts of the checkpoint with that name.
    pub fn model(&self, name: &str) -> Option<Model> {
        let named = self.model_name(name)?;
        let mut model = self.models.get(named.model.into())?;
        if named.stored_as.len > 0 {
            model.stored_as = named.stored_as;
        }
        if named.min_vllm.len > 0 {
            model.min_vllm = named.min_vllm;
        }
        Some(model)
    }

    /// Returns the language model with an id of the catalog; `None` for other names.
    pub fn model_with_id(&self, id: &str) -> Option<Model> {
        let named = self.whole_name(NameKey::new(id)?.as_bytes())?;
        let model = self.models.get(named.model.into())?;
        (self.str(model.id) == id).then_some(model)
    }

    fn whole_name(&self, key: &[u8]) -> Option<ModelName> {
        let names = self.model_names;
        names.find(|row| self.pool.bytes_of(row.key).cmp(key))
    }

    /// Returns a name of a model, ignoring case, spaces, `-` and `_`; `None` if it is unknown. The name of a checkpoint
    /// may be given without its organization, if all checkpoints with that name are of the same model and format.
    pub fn model_name(&self, name: &str) -> Option<ModelName> {
        let key = NameKey::new(name)?;
        let key = key.as_bytes();
        let whole = self.whole_name(key);
        if whole.is_some() || key.contains(&b'/') {
            return whole;
        }
        let mut same = self.model_names.iter().filter(|row| {
            let before = self.pool.bytes_of(row.key).strip_suffix(key);
            before.is_some_and(|before| before.ends_with(b"/"))
        });
        let first = same.next()?;
        let facts = |row: &ModelName| (row.model, row.stored_as, row.min_vllm, row.exact);
        same.all(|row| facts(&row) == facts(&first))
            .then_some(first)
    }

    /// Returns the bits and KV cache format of a checkpoint that differ from its format; `None` if nothing differs.
    pub fn checkpoint_format(&self, named: &ModelName) -> Option<CheckpointFormat> {
        self.checkpoint_formats.get(named.exact?.into())
    }

    /// Returns the model of images, video or speech with a name, ignoring case, spaces, `-` and `_`; `None` when
    /// it is unknown.
    pub fn media_model(&self, name: &str) -> Option<MediaModel> {
        self.media_models.iter().find(|row| {
            let mut names = self.strings(row.names);
            same_name(self.str(row.id), name) || names.any(|known| same_name(known, name))
        })
    }

    /// Returns the fields that configurations of a family may leave out, with their values.
    pub fn defaults(&self, family: &Family) -> Table<'a, (Str, u32)> {
        self.family_defaults.run(family.defaults)
    }

    /// Returns the family of a model type of `config.json`; `None` if unknown.
    pub fn family_of(&self, model_type: &str) -> Option<Family> {
        let mut families = self.families.iter();
        families.find(|row| self.strings(row.model_types).any(|name| name == model_type))
    }

    /// Returns a format of weights by one of its names, ignoring case; `None` if unknown.
    pub fn weight_format(&self, name: &str) -> Option<NamedFormat> {
        let exact = |row: &NamedFormat| self.pool.bytes_of(row.name) == name.as_bytes();
        let formats = self.weight_formats;
        formats.iter().find(exact).or_else(|| {
            formats.iter().find(|row| {
                let mut names = self.strings(row.aliases);
                self.str(row.name).eq_ignore_ascii_case(name)
                    || names.any(|alias| alias.eq_ignore_ascii_case(name))
            })
        })
    }
}

impl Catalog<'_> {
    /// Returns the only engine that runs files in a format; `None` if several do.
    pub fn engine_of(&self, format: &NamedFormat) -> Option<ServingEngine> {
        self.text(format.engine).and_then(ServingEngine::from_word)
    }
}

impl Catalog<'_> {
    /// Returns the measured loss of quality of a part of a model in a format, by its name; `None` if it is unknown.
    pub fn quality_loss(&self, part: QuantizedPart, format: &str) -> Option<QualityLoss> {
        self.quality_losses
            .iter()
            .find(|row| row.part == part && self.str(row.format) == format)
    }

    /// Returns the format of GGUF files with this `general.file_type`, guessed by llama.cpp or not;
    /// `None` if unknown.
    pub fn format_of_file_type(&self, file_type: u32) -> Option<NamedFormat> {
        let number = file_type & !GUESSED_FILE_TYPE;
        self.weight_formats
            .iter()
            .find(|format| format.file_type == Some(number))
    }

    /// Returns the format that a quantized checkpoint calls `method:algorithm`, or `method` alone
    /// where a method has one format, ignoring case; `None` if unknown.
    pub fn format_quantized_as(&self, word: &str) -> Option<NamedFormat> {
        self.weight_formats.iter().find(|format| {
            let mut words = self.strings(format.quantized_as);
            words.any(|known| known.eq_ignore_ascii_case(word))
        })
    }
}

crate::rows! {
    /// A figure that is measured, not derived.
    #[derive(Clone, Copy, Debug)]
    pub struct Coefficient {
        /// The name, which ends with the unit, if any: `workspace-gib`.
        pub name: Str,
        /// The engine, architecture or kind of work that it applies to; empty if it applies in general.
        pub scope: Str,
        /// The first version of the engine that it no longer applies to; empty if it applies to the newest.
        pub before: Str,
        /// The figure.
        pub value: f64,
        /// The source of the figure.
        pub source: Str,
        /// The date of the figure: a day, a month or a year.
        pub as_of: Str,
    }

    /// The speed of sums and exchanges over the links of one kind.
    #[derive(Clone, Copy, Debug)]
    pub struct Link {
        /// The name of the links, such as `NVLink`.
        pub name: Str,
        /// The links that it holds for, as [`Catalog::link_kind`] names them: a run of
        /// [`field@Catalog::strings`].
        pub kinds: Rows,
        /// The number of participating devices.
        pub devices: u32,
        /// The latency of a sum over all of them, in microseconds.
        pub latency_us: f64,
        /// The bytes of the summed tensor per second, as a share of the one-way rate of a link.
        pub sum_share: f64,
        /// The bytes that each device sends to others per second, as a share of the one-way rate of
        /// a link.
        pub exchange_share: f64,
        /// The source of the figures.
        pub source: Str,
        /// The date of the figures: a day, a month or a year.
        pub as_of: Str,
    }

    /// A rule of thumb: the accelerators for a kind of work.
    #[derive(Clone, Copy, Debug)]
    pub struct GuideWorkload {
        /// The id of the kind of work, such as `inference-small`.
        pub workload: Str,
        /// The title of the kind of work.
        pub title: Str,
        /// The values of `--workload` that the rule answers: a run of [`field@Catalog::strings`].
        pub flags: Rows,
        /// The recommended specs: a run of [`field@Catalog::strings`].
        pub pick: Rows,
        /// The reason for the recommendation.
        pub because: Str,
    }

    /// A rule of thumb: the accelerators for a number of parameters.
    #[derive(Clone, Copy, Debug)]
    pub struct GuideSize {
        /// The title of the range of sizes, such as `7B to 13B`.
        pub title: Str,
        /// The upper bound in billions of parameters; `None` for the last row.
        pub up_to: Option<f64>,
        /// True if the bound belongs to this row.
        pub inclusive: bool,
        /// The spec of the smallest hardware.
        pub minimum: Str,
        /// The spec of the recommended hardware.
        pub recommended: Str,
    }

    /// A rule of thumb: the saving of a strategy.
    #[derive(Clone, Copy, Debug)]
    pub struct GuideStrategy {
        /// The id of the strategy, such as `spot`.
        pub strategy: Str,
        /// The title of the strategy.
        pub title: Str,
        /// The lower end of the claimed saving, in percent.
        pub claimed_low_percent: f64,
        /// The upper end of the claimed saving, in percent.
        pub claimed_high_percent: f64,
        /// The work that it suits.
        pub good_for: Str,
        /// How the real saving is computed.
        pub compare: Comparison,
        /// The cheaper spec, for [`Comparison::SpecPrices`]; empty otherwise.
        pub cheap: Str,
        /// The more expensive spec, for [`Comparison::SpecPrices`]; empty otherwise.
        pub dear: Str,
    }
}

super::table::choice! {
    /// How a layer without attention mixes tokens.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Recurrence {
        /// A selective state space (Mamba, arXiv 2312.00752).
        Mamba,
        /// State space duality (Mamba-2, arXiv 2405.21060).
        Mamba2,
        /// A gated convolution over few tokens (LFM2).
        ShortConvolution,
        /// A gated delta rule with a gate for each head (arXiv 2412.06464).
        GatedDelta,
        /// A gated delta rule with a gate for each channel (Kimi Linear, arXiv 2510.26692).
        KimiDelta,
        /// Linear attention with a decay for each head (Lightning attention, arXiv 2501.08313).
        Lightning,
    }
}

super::table::choice! {
    /// How attention and the recurrence of a family are arranged.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Arrangement {
        /// Each layer has one of them, and an MLP.
        EitherWithMlp,
        /// Each layer has both, and an MLP.
        BothWithMlp,
        /// Each layer is one of them or an MLP.
        OnePart,
        /// Each layer is the recurrence, without attention or MLP.
        RecurrenceOnly,
    }
}

super::table::choice! {
    /// How the real saving of a strategy is computed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Comparison {
        /// Spot against on-demand, over every offer with both prices.
        SpotDiscount,
        /// One MIG slice against the whole GPU.
        SliceShare,
        /// The lowest price of one spec against the lowest price of another.
        SpecPrices,
    }
}
