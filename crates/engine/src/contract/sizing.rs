//! Whether a model fits, how fast it runs, and the request as it was understood.

use serde::Serialize;

use sky_accel_core::sizing::{Bound, Layout, ModelKind};

use super::Num;
use crate::fit::RemedyKind;

pub use crate::sizing::RunOut;

/// The memory and the speed of a model on some devices. `docs/sizing.md` has the formulas, and
/// `docs/accuracy.md` compares them with published measurements.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FitOut {
    /// The choice of the spec, in canonical form. Missing where a machine was read instead of a
    /// spec.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<String>,
    /// The catalog's id of the accelerator.
    pub accelerator: String,
    /// The number of devices, of all machines together.
    pub count: u32,
    /// The number of machines. Missing where it is 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u32>,
    /// True if the high end of the estimate is within the usable memory; `null` where the memory of
    /// the device is unknown.
    pub fits: Option<bool>,
    /// The reason why the engine does not run the format on the device; `fits` is then false. Missing
    /// where it runs or where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// The distribution of the work over the devices.
    pub parallelism: ParallelismOut,
    /// The memory of the device that holds most, in GiB.
    pub per_device_gib: MemoryOut,
    /// Host memory for offloaded state and for layers that the host computes, in GiB per device. Missing where nothing is offloaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_gib: Option<Num>,
    /// The model.
    pub model: ModelOut,
    /// The KV cache. Missing for training.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kv_cache: Option<CacheOut>,
    /// The largest context and batch that fit, each with all other settings unchanged.
    pub largest: LargestOut,
    /// The speed in tokens per second.
    pub throughput: SpeedOut,
    /// The step of the optimizer. Missing for inference or where its time is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<OptimizerStepOut>,
    /// The command that starts the engine with this layout, on each machine. Missing where the model does
    /// not fit, or the engine has no such command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub launch: Option<LaunchOut>,
    /// The least change of each kind with which the model fits. Missing where it fits, or where nothing
    /// that is tried would do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub would_fit: Vec<RemedyOut>,
}

/// A command for a POSIX shell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LaunchOut {
    /// The command. It asks for variables that are not set, and fails.
    pub command: String,
    /// The variables that have to be set. Missing where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<VariableOut>,
}

/// A variable of a shell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VariableOut {
    /// Its name.
    pub name: String,
    /// What it stands for.
    pub meaning: String,
}

/// A change with which a model fits, all else as asked.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RemedyOut {
    /// What is changed.
    pub change: RemedyKind,
    /// The change as flags of `fit`, or as the spec to give it.
    pub flags: String,
    /// The high end of the memory of a device, in GiB.
    pub high_gib: Num,
    /// The memory of a device that can be used, in GiB.
    pub usable_gib: Num,
    /// Memory of the host, in GiB for all devices of a machine. Missing where none is needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_gib: Option<Num>,
    /// Tokens per second of all devices, generated or trained on. Missing where the speed is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_s: Option<Num>,
    /// The same as a sentence whose wording may change.
    pub message: String,
}

sky_accel_core::words! {
    /// A part of a training step that follows another.
    pub enum Phase {
        /// The model generates answers.
        Rollout = "rollout",
        /// Models are run that the step does not train: a reference, a teacher, the model itself for the
        /// probabilities of its answers.
        Scoring = "scoring",
        /// The model is trained.
        Training = "training",
        /// The trained weights go to the engine that generates.
        Refit = "refit",
    }
}

/// The step of an optimizer, or all of them that follow one rollout.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OptimizerStepOut {
    /// Seconds.
    pub seconds: Num,
    /// Sequences of all devices; two for each pair of `dpo`.
    pub sequences: Num,
    /// Tokens of all devices.
    pub tokens: Num,
    /// The phases, one after the other unless rollouts have devices of their own. Missing where there is
    /// only one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<PhaseOut>,
    /// The devices that generate while the others train. Missing where all devices do both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rollout_devices: Option<u32>,
    /// The devices that share each matrix while answers are generated. Missing where none are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rollout_tensor: Option<u32>,
}

/// A phase of a training step.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PhaseOut {
    /// The phase.
    pub phase: Phase,
    /// Seconds.
    pub seconds: Num,
    /// The peak of a device in GiB, as the driver shows it. Missing where it is that of another phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_gib: Option<Num>,
}

/// The distribution of the work over devices.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ParallelismOut {
    /// Devices that share each matrix.
    pub tensor: u32,
    /// Devices that share the layers.
    pub pipeline: u32,
    /// Groups of devices that process separate batches.
    pub data: u32,
    /// Devices that share each sequence. Missing where it is 1.
    #[serde(skip_serializing_if = "is_one")]
    pub context: u32,
    /// Devices that share the experts. Missing where it is 1.
    #[serde(skip_serializing_if = "is_one")]
    pub expert: u32,
    /// The ZeRO stage, from 0 (nothing is sharded) to 3.
    pub zero_stage: u8,
    /// Groups of devices that each hold all of what ZeRO shards. Missing where it is 1.
    #[serde(skip_serializing_if = "is_one")]
    pub shard_groups: u32,
}

impl From<&Layout> for ParallelismOut {
    fn from(layout: &Layout) -> Self {
        Self {
            tensor: layout.tensor,
            pipeline: layout.pipeline,
            data: layout.data,
            context: layout.context,
            expert: layout.expert,
            zero_stage: layout.zero_stage,
            shard_groups: layout.shard_groups,
        }
    }
}

impl From<&ParallelismOut> for Layout {
    fn from(out: &ParallelismOut) -> Self {
        Self {
            tensor: out.tensor,
            pipeline: out.pipeline,
            data: out.data,
            context: out.context,
            expert: out.expert,
            zero_stage: out.zero_stage,
            shard_groups: out.shard_groups,
        }
    }
}

impl ParallelismOut {
    /// The layout in the words of the flags: `tensor 4, data 2, ZeRO 3`; empty for one device.
    pub fn words(&self) -> String {
        let axes = [
            ("tensor", self.tensor),
            ("pipeline", self.pipeline),
            ("data", self.data),
            ("context", self.context),
            ("expert", self.expert),
            ("shard groups", self.shard_groups),
        ];
        let axes = axes.into_iter().filter(|(_, n)| *n > 1);
        let mut parts: Vec<String> = axes.map(|(name, n)| format!("{name} {n}")).collect();
        if self.zero_stage > 0 {
            parts.push(format!("ZeRO {}", self.zero_stage));
        }
        parts.join(", ")
    }
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_one(n: &u32) -> bool {
    *n == 1
}

/// Memory in GiB on the device that holds most.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemoryOut {
    /// The weights of the model.
    pub weights: Num,
    /// The weights of a model that training runs without training it: a reference, a teacher. Missing
    /// where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frozen: Option<Num>,
    /// The KV cache; 0 for training.
    pub kv_cache: Num,
    /// Activations of the forward pass, or those that training keeps for the backward pass.
    pub activations: Num,
    /// Logits of the positions that are computed.
    pub logits: Num,
    /// Gradients of the trained parameters; 0 for inference.
    pub gradients: Num,
    /// The state of the optimizer, with its copy of the parameters; 0 for inference.
    pub optimizer: Num,
    /// LoRA weights with their gradients and optimizer state.
    pub adapters: Num,
    /// Workspaces, slack of the allocator, and memory that the driver takes.
    pub framework: Num,
    /// Memory that remains in use after a step: weights, cache and training state.
    pub steady: Num,
    /// The peak that the allocator counts as in use.
    pub allocated: Num,
    /// The peak that the allocator holds.
    pub reserved: Num,
    /// The peak that the driver shows.
    pub device: Num,
    /// The low end of the estimate. Low and high enclose eight of ten published measurements,
    /// whichever counter they read.
    pub low: Num,
    /// The high end of the estimate, which has to be within the usable memory.
    pub high: Num,
    /// The memory that the work may use; `null` where the memory of the device is unknown.
    pub usable: Option<Num>,
    /// The usable memory less the high end of the estimate, negative when the model does not fit;
    /// `null` where the memory of the device is unknown.
    pub headroom: Option<Num>,
}

/// The model that was computed.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelOut {
    /// The name of the model.
    pub name: String,
    /// What it makes. Missing for text.
    #[serde(skip_serializing_if = "is_text")]
    pub kind: ModelKind,
    /// What its activations are computed for, in words. Missing for models that read or write text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The number of parameters.
    pub parameters: Num,
    /// The number of parameters that take part in each token; for a mixture of experts less than
    /// `parameters`.
    pub active_parameters: Num,
    /// The weights in the chosen format, in GiB over all devices, each weight counted once.
    pub weights_gib: Num,
    /// The size of the model's files in GiB; `null` where it is unknown.
    pub checkpoint_gib: Option<Num>,
    /// The source of the model's shape.
    pub source: String,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_text(kind: &ModelKind) -> bool {
    *kind == ModelKind::Text
}

/// The KV cache.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CacheOut {
    /// Bytes per token over all devices, each value counted once.
    pub bytes_per_token: Num,
    /// The most tokens that all devices can hold together; `null` where the memory of the device is
    /// unknown.
    pub max_tokens: Option<Num>,
    /// The most sequences of the requested length that all devices can hold together; `null` where
    /// the memory of the device is unknown.
    pub max_sequences: Option<Num>,
}

/// The largest context and batch that fit, each with all other settings unchanged.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LargestOut {
    /// Tokens of context; 0 where nothing fits, `null` where the memory of the device is unknown or
    /// training generates what it is trained on.
    pub context: Option<Num>,
    /// Concurrent sequences per data-parallel group; 0 where nothing fits, `null` as for `context`.
    pub batch: Option<Num>,
}

/// Computed speed, and the part of the hardware that limits it.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpeedOut {
    /// Prompt tokens read per second on all devices together. Missing for training or where it is
    /// unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefill_tokens_per_s: Option<Num>,
    /// Tokens generated per second on all devices together. Missing for training or where it is
    /// unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decode_tokens_per_s: Option<Num>,
    /// Tokens generated per second on all devices together, the time to read the prompts included.
    /// Missing for training or where it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens_per_s: Option<Num>,
    /// Seconds until the prompts of a batch are read and their first tokens are generated. Missing for
    /// training, under a load (`ttft_s`), or where it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_to_first_token_s: Option<Num>,
    /// Training tokens per second and device. Missing for inference or where it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub train_tokens_per_s_per_device: Option<Num>,
    /// The part of a step that takes most of the time: `memory`, `compute`, `network`, `launch` or
    /// `host`; `null` where it is unknown.
    pub bound: Option<Bound>,
    /// Model FLOPs utilization: operations of the model, none of them computed twice, as a share of the
    /// dense peak rate of the precision that multiplies, from 0 to 1; `null` where it is unknown.
    pub mfu: Option<Num>,
    /// The figures of a server under load. Missing where no load is given.
    #[serde(flatten)]
    pub load: Option<LoadOut>,
    /// The low end of speeds and times. Low and high enclose eight of ten published measurements
    /// of models and releases that chose no coefficient.
    pub low: SpeedBandOut,
    /// The high end of speeds and times.
    pub high: SpeedBandOut,
}

/// One end of a band of speeds and times, in the units of the fields with the same names.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpeedBandOut {
    /// Tokens generated per second. Missing for training or where it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens_per_s: Option<Num>,
    /// Milliseconds per output token. Missing where no load is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tpot_ms: Option<Num>,
    /// Seconds to the first token. Missing where no load is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttft_s: Option<Num>,
    /// Training tokens per second and device. Missing for inference or where it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub train_tokens_per_s_per_device: Option<Num>,
}

/// A server under load: `output_tokens_per_s` is then of the load too.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoadOut {
    /// True if all requests of the load are served within its limits.
    pub serves: bool,
    /// Requests in flight at once, those that wait included.
    pub concurrency: Num,
    /// Seconds from a request to its first token.
    pub ttft_s: Num,
    /// Milliseconds per output token after the first one.
    pub tpot_ms: Num,
    /// Tokens per second on all devices together, those of prompts included.
    pub total_tokens_per_s: Num,
    /// Output tokens per second that one user sees.
    pub tokens_per_s_per_user: Num,
    /// The most users who wait no longer than the limits of the request, with this layout; without limits, the
    /// most who are served at once.
    pub max_concurrency: Num,
    /// Requests per second, arriving at random, of which nineteen of twenty wait no longer than the
    /// limits.
    pub goodput_per_s: Num,
    /// Seconds until the last answer of a load that ends after a number of `requests`; `output_tokens_per_s` is then the
    /// average until it. Missing where the load goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_s: Option<Num>,
    /// Replicas that read prompts, where others generate. Missing where each does both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefill_replicas: Option<Num>,
}
