//! Whether a model fits, how fast it runs, and the request as it was understood.

use serde::Serialize;
use serde_json::Value;

use super::Num;

/// Whether a model fits, and why.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FitOut {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<String>,
    pub accelerator: String,
    pub count: u32,
    /// Whether the high end of the band is within what is usable; `null` where the memory of the
    /// device is not known.
    pub fits: Option<bool>,
    pub parallelism: ParallelismOut,
    pub per_device_gib: MemoryOut,
    /// Memory of the host that offloaded state takes, for each device; missing where nothing is
    /// offloaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_gib: Option<Num>,
    pub model: ModelOut,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kv_cache: Option<CacheOut>,
    /// The most that fits, with everything else as it is.
    pub largest: LargestOut,
    pub throughput: SpeedOut,
}

/// How the work is spread.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ParallelismOut {
    pub tensor: u32,
    pub pipeline: u32,
    pub data: u32,
    #[serde(skip_serializing_if = "is_one")]
    pub context: u32,
    #[serde(skip_serializing_if = "is_one")]
    pub expert: u32,
    pub zero_stage: u8,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_one(n: &u32) -> bool {
    *n == 1
}

/// GiB on the device that holds most.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemoryOut {
    pub weights: Num,
    pub kv_cache: Num,
    pub activations: Num,
    pub logits: Num,
    pub gradients: Num,
    pub optimizer: Num,
    pub adapters: Num,
    /// Workspaces, what the allocator holds besides, and what the driver takes.
    pub framework: Num,
    /// What stays after a step: weights, cache, state of the training.
    pub steady: Num,
    /// The peak that the allocator counts as in use.
    pub allocated: Num,
    /// What it holds at the peak.
    pub reserved: Num,
    /// What the driver shows.
    pub device: Num,
    /// The band in which eight of ten measurements were, whichever counter they read.
    pub low: Num,
    pub high: Num,
    pub usable: Option<Num>,
    pub headroom: Option<Num>,
}

/// The model.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelOut {
    pub name: String,
    pub parameters: Num,
    pub active_parameters: Num,
    /// Of all devices together, each weight once.
    pub weights_gib: Num,
    /// Of the files; `null` where they are not known.
    pub checkpoint_gib: Option<Num>,
    pub source: String,
}

/// The KV cache.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CacheOut {
    /// Over all devices, each value once.
    pub bytes_per_token: Num,
    /// That the whole group can hold.
    pub max_tokens: Option<Num>,
    /// Sequences as long as asked for that the whole group can hold.
    pub max_sequences: Option<Num>,
}

/// The most that fits.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LargestOut {
    /// Tokens of context; 0 where nothing fits, `null` where the memory of the device is not known.
    pub context: Option<Num>,
    /// Sequences for each data-parallel rank.
    pub batch: Option<Num>,
}

/// Tokens per second, and what bounds them.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpeedOut {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefill_tokens_per_s: Option<Num>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decode_tokens_per_s: Option<Num>,
    /// Generated tokens over all of the time, reading the prompt included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens_per_s: Option<Num>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_to_first_token_s: Option<Num>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub train_tokens_per_s_per_device: Option<Num>,
    pub bound: Option<&'static str>,
    /// Useful operations as a share of the 16-bit peak.
    pub mfu: Option<Num>,
}

/// The request as it was understood: every choice, in the words of the flags.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunOut {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<String>,
    /// A name or a path; a configuration as it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_size: Option<String>,
    pub workload: &'static str,
    pub precision: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_size: Option<Num>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kv_precision: Option<&'static str>,
    pub context: Num,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generate: Option<Num>,
    pub batch: Num,
    pub engine: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu_memory_utilization: Option<Num>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_batched_tokens: Option<Num>,
    pub attention: &'static str,
    pub logits: &'static str,
    #[serde(flatten)]
    pub training: Option<TrainingOut>,
    /// What was given of the layout; the rest is searched, and in each result.
    #[serde(flatten)]
    pub layout: LayoutRequest,
}

/// What only training has.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrainingOut {
    pub compile: bool,
    pub optimizer: &'static str,
    pub optimizer_in_backward: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub master_weights: Option<&'static str>,
    pub parameter_precision: &'static str,
    pub gradient_precision: &'static str,
    pub checkpointing: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lora_rank: Option<Num>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lora_targets: Option<&'static str>,
    pub offload: &'static str,
}

/// What was given of a layout.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LayoutRequest {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tensor_parallel: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pipeline_parallel: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_parallel: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_parallel: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expert_parallel: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zero_stage: Option<u8>,
}
