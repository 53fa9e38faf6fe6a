//! Models, their families, formats of weights, and the figures of sizing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sky_accel_core::sizing::Vision;

use super::spanned::{Spanned, SpannedText};

/// The shape of a language model, in the terms of its `config.json`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModelEntry {
    /// The id, which is also a name.
    pub id: SpannedText,
    /// Other names of the model.
    #[serde(default)]
    pub names: Vec<SpannedText>,
    /// The kind of output: `text` by default, or `encoder`.
    pub kind: Option<SpannedText>,
    /// The width of the hidden state.
    pub hidden: u32,
    /// The number of layers.
    pub layers: u32,
    /// The number of query heads of a layer.
    pub heads: u32,
    /// The number of key and value heads; by default `heads`.
    pub kv_heads: Option<u32>,
    /// The width of a head.
    pub head_dim: u32,
    /// The width of the dense MLP.
    pub ffn: u32,
    /// The number of tokens in the vocabulary, padding included.
    pub vocab: u32,
    /// True if the head shares the embedding's weights.
    #[serde(default)]
    pub tied: bool,
    /// True if an MLP has three matrices instead of two; by default true.
    pub gated: Option<bool>,
    /// The parts with biases: `qkv`, `out`, `mlp`, `norm`, `head`.
    #[serde(default)]
    pub biases: Vec<SpannedText>,
    /// The norms of queries and keys: `head` for one weight vector for all heads, `full` for one
    /// per head.
    pub qk_norm: Option<SpannedText>,
    /// The norms with weights in a layer; by default 2.
    pub norms_per_layer: Option<u32>,
    /// The number of rows of learned positions; 0 if positions are not learned.
    #[serde(default)]
    pub positions: u32,
    /// The attention window of some layers.
    pub window: Option<WindowEntry>,
    /// The mixture of experts.
    pub experts: Option<ExpertsEntry>,
    /// The widths of multi-head latent attention.
    pub mla: Option<MlaEntry>,
    /// Attention to the tokens that an index selects.
    pub sparse: Option<SparseEntry>,
    /// The layers that keep one entry in the cache for several tokens.
    pub compressed: Option<CompressedEntry>,
    /// The values per token in the cache of a layer, if the heads do not say it.
    pub cache_width: Option<u32>,
    /// The number of layers that are an MLP, if each layer is either that, attention or a recurrence.
    pub mlp_layers: Option<u32>,
    /// The number of layers with attention; left out if all layers have it.
    pub attention_layers: Option<u32>,
    /// The values that a sequence keeps in the layers without attention, at any length.
    #[serde(default)]
    pub state_values: u64,
    /// The parameters of matrices that the other fields do not describe.
    #[serde(default)]
    pub other_matrices: i64,
    /// Other parameters that the other fields do not describe.
    #[serde(default)]
    pub extra_parameters: i64,
    /// The parameters of the tower for images, which are not among `parameters`; left out for models of text.
    #[serde(default)]
    pub image_parameters: u64,
    /// The tower for images; left out for models of text, and if its shape is unknown.
    pub vision: Option<VisionEntry>,
    /// The tokens of a sequence that the model was made for.
    pub context: Option<u32>,
    /// The YaRN scaling that reaches this context, if the model's files state a shorter one.
    pub yarn: Option<YarnEntry>,
    /// The published number of parameters, against which the shape is checked.
    pub parameters: Option<Spanned<f64>>,
    /// The number of parameters in the files, if it differs from the model's.
    pub checkpoint_parameters: Option<Spanned<f64>>,
    /// The format of the published files; left out for bf16.
    pub stored_as: Option<SpannedText>,
    /// The bits of their matrices, if they differ from the format.
    pub bits: Option<CheckpointBits>,
    /// The first version of vLLM that serves it, or `nightly` if no release does.
    pub min_vllm: Option<SpannedText>,
    /// The width of the blocks of weights that share a scale in its FP8 files.
    pub fp8_block: Option<u32>,
    /// Whether vLLM refuses to compute it in fp16, which overflows.
    #[serde(default)]
    pub no_fp16: bool,
    /// Published checkpoints that differ in format or in the version that serves them.
    #[serde(default)]
    pub checkpoints: Vec<CheckpointEntry>,
    /// The source of the facts.
    pub source: SpannedText,
}

/// A model with the shape of another model: a later release, or a model that was trained from it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModelReleaseEntry {
    /// The id, which is also a name.
    pub id: SpannedText,
    /// The `[[model]]` with the same shape.
    pub like: SpannedText,
    /// Other names of the model.
    #[serde(default)]
    pub names: Vec<SpannedText>,
    /// The tokens of a sequence that it was made for, if they differ.
    pub context: Option<u32>,
    /// Parameters in addition to those of the other model, such as a tower for images.
    #[serde(default)]
    pub extra_parameters: i64,
    /// The parameters of a tower for images, if they are not among `extra_parameters`: the other model's, if left out.
    pub image_parameters: Option<u64>,
    /// The shape of the tower: the other model's, if left out.
    pub vision: Option<VisionEntry>,
    /// The number of parameters in the files, if they contain more than the model.
    pub checkpoint_parameters: Option<Spanned<f64>>,
    /// The format of the published files; left out for bf16.
    pub stored_as: Option<SpannedText>,
    /// The bits of their matrices, if they differ from the format.
    pub bits: Option<CheckpointBits>,
    /// The first version of vLLM that serves it, or `nightly` if no release does.
    pub min_vllm: Option<SpannedText>,
    /// The width of the blocks of weights that share a scale in its FP8 files: the other model's, if left out.
    pub fp8_block: Option<u32>,
    /// Published checkpoints that differ in format or in the version that serves them.
    #[serde(default)]
    pub checkpoints: Vec<CheckpointEntry>,
    /// The source of the facts.
    pub source: SpannedText,
}

/// A checkpoint of a model, with the facts that differ from the facts of its model.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckpointEntry {
    /// The hub id, which is also a name.
    pub id: SpannedText,
    /// The format of its files: the model's, if left out.
    pub stored_as: Option<SpannedText>,
    /// The first version of vLLM that serves it: the model's, if left out.
    pub min_vllm: Option<SpannedText>,
    /// The bits of its matrices, if they differ from the format.
    pub bits: Option<CheckpointBits>,
    /// The format of the KV cache that its files prescribe.
    pub kv_cache: Option<SpannedText>,
}

/// The bits per weight of the matrices of a checkpoint, on average over the layers.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckpointBits {
    /// Routed experts, or MLPs in a dense model.
    pub experts: Option<Spanned<f64>>,
    /// Attention and recurrent layers.
    pub attention: Option<Spanned<f64>>,
    /// Dense MLPs and shared experts beside routed experts.
    pub mlp: Option<Spanned<f64>>,
}

/// A model of images, video or speech, or a text model that cannot be sized.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MediaModelEntry {
    /// The id, which is also a name.
    pub id: SpannedText,
    /// Other names of the model.
    #[serde(default)]
    pub names: Vec<SpannedText>,
    /// The kind of output: `image`, `video` or `speech`; `text` only if it is refused.
    pub kind: SpannedText,
    /// The run that its activations are stated for.
    pub unit: SpannedText,
    /// The parts that have to be loaded, with their parameters in thousands of millions.
    pub parts: BTreeMap<SpannedText, f64>,
    /// The activations of a run in 16 bits, in GiB.
    pub activations_gib: Spanned<f64>,
    /// The diffusion transformer, from which seconds are computed.
    pub diffusion: Option<DiffusionEntry>,
    /// The shape of a model that writes down speech, from which its speed is computed.
    pub transcriber: Option<TranscriberEntry>,
    /// The first version of vLLM that serves it, or `nightly` if no release does.
    pub min_vllm: Option<SpannedText>,
    /// The reason why it cannot be sized. Its parts are then empty.
    pub refused: Option<SpannedText>,
    /// The model for which it drafts tokens in speculative decoding, instead of `refused`: it is not served alone.
    pub draft_of: Option<SpannedText>,
    /// The source of the facts.
    pub source: SpannedText,
    /// The date of the source.
    pub as_of: SpannedText,
}

/// A diffusion transformer, with its default settings.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DiffusionEntry {
    /// The width of the hidden state.
    pub hidden: Spanned<u32>,
    /// The number of attention layers.
    pub layers: Spanned<u32>,
    /// The width of a head.
    pub head_dim: Spanned<u32>,
    /// The parameters of the matrices that a token of the picture passes in a step, in thousands of millions.
    pub token_parameters: Spanned<f64>,
    /// Pixels per token in each direction.
    pub patch: Spanned<u32>,
    /// Frames per latent frame. Default: 1.
    pub frame_stride: Option<Spanned<u32>>,
    /// Latent frames per token. Default: 1.
    pub frame_patch: Option<Spanned<u32>>,
    /// Tokens of the prompt.
    pub prompt_tokens: Spanned<u32>,
    /// True if the tokens of the prompt pass the layers together with those of the picture.
    #[serde(default)]
    pub joint: bool,
    /// Parameters of the text encoders, in thousands of millions.
    pub encoder: Spanned<f64>,
    /// Pictures of the same size that are read with the prompt. Default: none.
    pub references: Option<Spanned<u32>>,
    /// Passes of a step: 2 with classifier-free guidance.
    pub passes: Spanned<u32>,
    /// True if the cost of attention is linear in the number of tokens.
    #[serde(default)]
    pub linear: bool,
    /// The kind of decoder: `image`, `deep` or `video`.
    pub decoder: SpannedText,
    /// The default number of steps.
    pub steps: Spanned<u32>,
    /// The default height in pixels.
    pub height: Spanned<u32>,
    /// The default width in pixels.
    pub width: Spanned<u32>,
    /// The default number of frames. Default: 1.
    pub frames: Option<Spanned<u32>>,
}

/// A model that writes down speech.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TranscriberEntry {
    /// Parameters of the encoder, in thousands of millions.
    pub encoder: Spanned<f64>,
    /// Frames of the encoder per second of speech.
    pub frames_per_s: Spanned<f64>,
    /// Seconds of the window that shorter speech is padded to. Default: no padding.
    pub window_s: Option<Spanned<u32>>,
    /// The width of the hidden state.
    pub hidden: Spanned<u32>,
    /// The layers of the encoder.
    pub layers: Spanned<u32>,
    /// Parameters of the decoder, in thousands of millions. Default: no decoder that attends to the frames.
    pub decoder: Option<Spanned<f64>>,
    /// The layers of the decoder.
    pub decoder_layers: Option<Spanned<u32>>,
}

/// The tower for images.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VisionEntry {
    /// The parameters of the tower. Default: `image_parameters`.
    pub parameters: Option<u64>,
    /// The width of the hidden state of a patch.
    pub hidden: u32,
    /// The number of layers.
    pub layers: u32,
    /// The number of layers whose patches attend to the whole image. Default: all.
    pub global_layers: Option<u32>,
    /// The patches that are merged into a token of the decoder.
    pub patches: u32,
    /// The values of the pixels of a patch: colors × pixels × frames.
    pub values: u32,
    /// The tokens of an image of 1024 × 1024 pixels.
    pub tokens: u32,
}

impl VisionEntry {
    /// Returns the tower of a model with `image_parameters`.
    pub fn tower(&self, image_parameters: u64) -> Vision {
        Vision {
            parameters: self.parameters.unwrap_or(image_parameters),
            hidden: self.hidden,
            layers: self.layers,
            global_layers: self.global_layers.unwrap_or(self.layers),
            patches: self.patches,
            values: self.values,
            tokens: self.tokens,
        }
    }
}

/// Positions that are stretched by YaRN.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct YarnEntry {
    /// The tokens of a sequence without it: `max_position_embeddings` of the files.
    pub native_context: u32,
    /// The tokens that the positions were trained for: `original_max_position_embeddings`.
    pub original_context: u32,
    /// The base of the rotations: `rope_theta`.
    pub rope_theta: u32,
}

/// Attention to only the nearest tokens, in some layers.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WindowEntry {
    /// The number of tokens in the window.
    pub tokens: u32,
    /// The number of layers with the window for each one without; 0 if all have it.
    #[serde(default)]
    pub local_per_global: u32,
    /// The number of layers without the window, if `local_per_global` does not give it.
    pub global_layers: Option<u32>,
    /// The values per token in the cache of a layer without the window, if they differ.
    pub global_cache_width: Option<u32>,
    /// The key and value heads of a layer without the window, if their number is not `kv_heads`.
    pub global_kv_heads: Option<u32>,
    /// The key and value heads of a layer with the window, if their number is not `kv_heads`.
    pub kv_heads: Option<u32>,
}

/// A mixture of experts.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpertsEntry {
    /// The number of routed experts in a layer.
    pub count: u32,
    /// The number of routed experts that a token goes through.
    pub active: u32,
    /// The inner width of a routed expert.
    pub width: u32,
    /// The width of the experts that all tokens go through; 0 without such experts.
    #[serde(default)]
    pub shared_width: u32,
    /// The number of dense layers before the first mixture.
    #[serde(default)]
    pub dense_first: u32,
    /// The interval between layers with a mixture; by default 1, which is every layer.
    pub every: Option<u32>,
    /// The width to which the hidden state is projected for the routed experts; 0 if it is not.
    #[serde(default)]
    pub latent_width: u32,
    /// The inner width of experts for images, as many as `count`, that tokens of text never choose; 0 without such experts.
    #[serde(default)]
    pub image_width: u32,
}

/// Attention to the tokens that an index selects.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SparseEntry {
    /// The number of cache entries that a token attends to, at most.
    pub top_k: u32,
    /// The number of layers that attend to selected entries; by default all.
    pub layers: Option<u32>,
    /// The number of layers with an index; by default `layers`.
    pub index_layers: Option<u32>,
    /// The number of query heads of the index.
    pub index_heads: u32,
    /// The width of a head of the index.
    pub index_width: u32,
}

/// Layers that keep one entry in the cache for several tokens, in addition to a window.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CompressedEntry {
    /// The number of layers that attend to selected entries.
    pub sparse_layers: u32,
    /// The tokens of one entry in these layers.
    pub sparse_ratio: u32,
    /// The number of layers that attend to all entries.
    pub heavy_layers: u32,
    /// The tokens of one entry in these layers.
    pub heavy_ratio: u32,
}

/// The widths of multi-head latent attention.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MlaEntry {
    /// The width to which keys and values are compressed.
    pub kv_rank: u32,
    /// The width to which queries are compressed; 0 if they are not.
    #[serde(default)]
    pub q_rank: u32,
    /// The width of the part of a query or key head without positions.
    pub nope_dim: u32,
    /// The width of the part of a head with positions.
    pub rope_dim: u32,
    /// The width of a value head.
    pub value_dim: u32,
}

/// The values that a `config.json` leaves out, for models that are built alike.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FamilyEntry {
    /// The values of `model_type` in `config.json`.
    pub model_types: Vec<SpannedText>,
    /// True if an MLP has three matrices instead of two; by default true.
    pub gated: Option<bool>,
    /// True if the head shares the embedding's weights by default.
    #[serde(default)]
    pub tied: bool,
    /// The norms with weights in a layer; by default 2.
    pub norms_per_layer: Option<u32>,
    /// True if attention and MLP run in parallel after one norm, unless the configuration says otherwise.
    #[serde(default)]
    pub parallel: bool,
    /// True if the width of the MLP counts both halves of its gate.
    #[serde(default)]
    pub both_halves: bool,
    /// The parts with biases by default: `qkv`, `out`, `mlp`, `norm`, `head`.
    #[serde(default)]
    pub biases: Vec<SpannedText>,
    /// The parts to which `attention_bias` of the configuration applies.
    #[serde(default)]
    pub attention_bias: Vec<SpannedText>,
    /// True if one flag sets the biases of attention and MLP together.
    #[serde(default)]
    pub one_bias: bool,
    /// The norms of queries and keys: `head` or `full`.
    pub qk_norm: Option<SpannedText>,
    /// True if queries and keys have norms by default; left out, true if `qk_norm` is set.
    pub qk_norm_by_default: Option<bool>,
    /// The rows of learned positions in addition to the number of tokens; left out if not learned.
    pub positions: Option<u32>,
    /// The interval between layers without an attention window.
    pub window_pattern: Option<u32>,
    /// True if its models are encoders, which generate no text.
    #[serde(default)]
    pub encoder: bool,
    /// True if a norm follows the embedding.
    #[serde(default)]
    pub embedding_norm: bool,
    /// True if experts and routers have biases.
    #[serde(default)]
    pub expert_biases: bool,
    /// True if the router has a correction bias for each expert.
    #[serde(default)]
    pub router_bias: bool,
    /// True if a gate weights the output of the shared expert.
    #[serde(default)]
    pub shared_gate: bool,
    /// True if each query head has an attention sink.
    #[serde(default)]
    pub sinks: bool,
    /// How layers without attention mix tokens: `mamba`, `mamba2`, `short-convolution`,
    /// `gated-delta`, `kimi-delta` or `lightning`; left out if all layers have attention.
    pub recurrence: Option<SpannedText>,
    /// `either` if each layer has attention or the recurrence, the default; `both` if it has both;
    /// `one-part` if it is one of them or an MLP; `alone` if there is only the recurrence.
    pub arrangement: Option<SpannedText>,
    /// True if the parts of the recurrence have norms by default.
    #[serde(default)]
    pub recurrence_norm: bool,
    /// True if each head of attention has a gate.
    #[serde(default)]
    pub head_gates: bool,
    /// True if each layer has a learned scale.
    #[serde(default)]
    pub layer_scales: bool,
    /// The values of fields that a configuration may leave out.
    #[serde(default)]
    pub defaults: BTreeMap<String, u32>,
}

/// A format of weights.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WeightFormatEntry {
    /// The name, such as `bf16`.
    pub name: SpannedText,
    /// Other names of the format.
    #[serde(default)]
    pub aliases: Vec<SpannedText>,
    /// The bits per weight.
    pub bits: Spanned<f64>,
    /// The bits per weight of attention; by default `bits`.
    pub attention_bits: Option<f64>,
    /// The bits per weight of the embedding; by default `bits`.
    pub embedding_bits: Option<f64>,
    /// The bits per weight of the head; by default `bits`.
    pub head_bits: Option<f64>,
    /// The bits per weight of norms, biases and routers; by default `bits`, but at least 16.
    pub small_bits: Option<f64>,
    /// True if a head that shares the embedding's weights is stored separately.
    #[serde(default)]
    pub unties: bool,
    /// True if a product with several tokens first writes the matrix in 16 bits and then reads it.
    #[serde(default)]
    pub dequantizes: bool,
    /// The bits of the values in computations; by default 16.
    pub compute_bits: Option<f64>,
    /// The bits of a group in addition to its weights, such as a scale.
    pub group_bits: Option<f64>,
    /// The number of weights in a group.
    pub group_size: Option<f64>,
    /// The only serving engine that runs files in this format.
    pub engine: Option<SpannedText>,
    /// True if models are commonly converted to it, so that it is suggested where one does not fit.
    #[serde(default)]
    pub common: bool,
    /// `general.file_type` of GGUF files in this format.
    pub file_type: Option<u32>,
    /// Words of quantized checkpoints for it: a method, or `method:algorithm`.
    #[serde(default)]
    pub quantized_as: Vec<SpannedText>,
    /// The published rate of products in this format: a key of specs such as `fp8`.
    pub rate: Option<SpannedText>,
    /// The minimum compute capability of devices that multiply in it.
    pub min_compute_capability: Option<SpannedText>,
    /// Architectures without a compute capability that multiply in it.
    #[serde(default)]
    pub computed_on: Vec<SpannedText>,
    /// Architectures without a compute capability that do not multiply in it.
    #[serde(default)]
    pub not_computed_on: Vec<SpannedText>,
    /// The source of the facts.
    pub source: SpannedText,
}

/// A measured figure for sizing.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CoefficientEntry {
    /// The name, which ends with the unit if it has one: `workspace-gib`.
    pub name: SpannedText,
    /// The engine, architecture or kind of work that it holds for; left out for all others.
    pub scope: Option<SpannedText>,
    /// The first version of the engine that it no longer holds for; left out for the newest.
    pub before: Option<SpannedText>,
    /// The figure.
    pub value: f64,
    /// The value expected before measurements of whole runs moved the figure; left out if none did.
    pub prior: Option<PriorEntry>,
    /// The source of the figure.
    pub source: SpannedText,
    /// The date of the figure.
    pub as_of: SpannedText,
}

/// The prior of a coefficient, from which `cargo xtask hold-out` starts.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PriorEntry {
    /// The expected figure.
    pub value: f64,
    /// Its uncertainty, as the standard deviation of its logarithm.
    pub width: f64,
}

/// The speed of sums and exchanges over links.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LinkEntry {
    /// The name of the links: an entry has a name and a number of devices.
    pub name: SpannedText,
    /// The links that it holds for: values of `interconnect`, or `PCIe`, generation and class;
    /// `other` covers all other kinds.
    pub kinds: Vec<SpannedText>,
    /// The number of participating devices.
    pub devices: Spanned<u32>,
    /// The latency of a sum over all of them, in microseconds.
    pub latency_us: f64,
    /// The bytes of the summed tensor per second, as a share of the one-way rate of a link.
    pub sum_share: f64,
    /// The bytes that each device sends to others per second, as a share of that rate.
    pub exchange_share: f64,
    /// The source of the figures.
    pub source: SpannedText,
    /// The date of the figures.
    pub as_of: SpannedText,
}

/// The scores of models on a public leaderboard.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LeaderboardEntry {
    /// The name for people.
    pub name: SpannedText,
    /// The scores by the id or a name of the model; more is better.
    pub scores: BTreeMap<SpannedText, Spanned<f64>>,
    /// The source of the scores.
    pub source: SpannedText,
    /// The date of the scores.
    pub as_of: SpannedText,
}
