//! The memory and the speed of a model.

use serde::Serialize;

use sky_accel_core::catalog::{LossMeasure, OfferKind, PriceKind, Quality, QuantizedPart};
use sky_accel_core::resolve::{PriceBasis, Reason};
use sky_accel_core::sizing::{Bound, CacheFormat, Layout, ModelKind, ServingEngine};

use super::Num;
use crate::fit::RemedyKind;

pub use crate::sizing::{FitVerdict, RunOut};

/// The memory and the speed of a model on some devices. `docs/sizing.md` has the formulas, and
/// `docs/accuracy.md` compares them with published measurements.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FitOut {
    /// The choice of the spec, in canonical form.
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
    /// `fits` if `fits` is true. If not, `tight` if the usable memory is between `low` and `high`, so that the model
    /// may run or fail, and else `does-not-fit`. `null` where the memory of the device is unknown.
    pub verdict: Option<FitVerdict>,
    /// The reason why the serving engine does not run the format on the device; `fits` is then false. Missing where it
    /// runs, or if that is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// The engine, where it differs from the engine of the request: each device of a spec has its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<ServingEngine>,
    /// The format of the weights, where it differs from the format of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precision: Option<String>,
    /// The distribution of the work over the devices.
    pub parallelism: ParallelismOut,
    /// The memory of the fullest device, in GiB.
    pub per_device_gib: MemoryOut,
    /// Host memory for offloaded state and for layers that the host computes, in GiB per device. Missing where nothing
    /// is offloaded.
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
    /// Seconds per image or video: the time of a batch, divided by the images of all devices at once. Of embeddings and
    /// rerankers, seconds per text or pair of texts. Missing for other models, or if it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds_per_item: Option<Num>,
    /// The price of the first offer of the hardware, with `price` or `max_age`. Missing otherwise, and without a priced
    /// offer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<FitPriceOut>,
    /// The energy of the devices at this speed. Missing for training, if the rated power or the speed is unknown, for
    /// parts of devices, and on the processors of a host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<EnergyOut>,
    /// The optimizer step. Missing for inference, or if its time is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<OptimizerStepOut>,
    /// The formats of weights and of the KV cache in which the engine runs the model on these devices, the format of
    /// the request first. Missing for training, for recommendations, and without another format.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub formats: Vec<FormatFitOut>,
    /// The command that starts the engine with this layout, on each machine. Missing where the model does not fit, or
    /// for engines without such a command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub launch: Option<LaunchOut>,
    /// The smallest change of each kind with which the model fits. Missing where it fits, or where no change is enough.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub would_fit: Vec<RemedyOut>,
}

/// The request of `fit` as it was understood.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FitEcho {
    /// The model and the work.
    #[serde(flatten)]
    pub run: RunOut,
    /// The price that ranks the offers of the hardware. Missing without prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<PriceBasis>,
    /// The maximum age of a price in seconds. Missing without a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_age_s: Option<u64>,
}

/// The price of the first offer of some hardware: the offer that `resolve` lists first.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FitPriceOut {
    /// US dollars per hour of all machines, as the source states it.
    pub usd_per_hour: Num,
    /// The likely price of today in US dollars per hour, of all machines.
    pub likely_usd_per_hour: Num,
    /// The lower end of the band that holds four of five likely prices, of all machines.
    pub low: Num,
    /// The upper end of the band.
    pub high: Num,
    /// The number of sources that have stated a price of the machine.
    pub sources: u8,
    /// The reliability of the price.
    pub quality: Quality,
    /// The date of the price: a day, a month or a year.
    pub as_of: String,
    /// The provider.
    pub provider: String,
    /// The provider's id of the instance type.
    pub instance_type: String,
    /// The number of devices in a machine.
    pub count: Num,
    /// True if the hardware is a part of a device, and the machine has whole devices, which the renter divides. Missing
    /// otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub of_whole_devices: bool,
    /// The product of the provider: `machine`, `endpoint`, `share` or `attached`.
    pub sells: OfferKind,
    /// The provider's region id. Missing if the price applies to all regions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// The origin of the price.
    pub kind: PriceKind,
    /// The provider's tier. Missing without tiers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
    /// The age of the price in days. Missing if its date is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age_days: Option<i32>,
    /// The reasons to doubt the price or its host. Missing without any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<Reason>,
    /// The provider's page with the machine or its prices. Missing if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// The energy of devices, without hosts and cooling.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EnergyOut {
    /// The average power of a device in watts.
    pub watts_per_device: Num,
    /// Watt-hours of all devices for a million generated tokens; of a model without output, for a million prompt
    /// tokens. Missing for images and videos.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wh_per_million_tokens: Option<Num>,
    /// Watt-hours of all devices for an image or video. Missing for other models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wh_per_item: Option<Num>,
    /// Grams of CO2 for a million tokens, with the average intensity of the region's grid. Missing where it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grams_co2_per_million_tokens: Option<Num>,
    /// Grams of CO2 for an image or video. Missing where they are unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grams_co2_per_item: Option<Num>,
    /// The low end of the power. Low and high enclose 80 % of published measurements.
    pub low: PowerBandOut,
    /// The high end of the power.
    pub high: PowerBandOut,
}

/// One end of the band of the power.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PowerBandOut {
    /// Watts of a device.
    pub watts_per_device: Num,
}

impl EnergyOut {
    /// Adds the grams of CO2 for an intensity of the grid in grams per kilowatt-hour.
    pub(crate) fn add_carbon(&mut self, grams_per_kwh: f64) {
        let grams = |wh: Option<Num>| wh.map(|wh| crate::sizing::rate(wh.0 / 1e3 * grams_per_kwh));
        self.grams_co2_per_million_tokens = grams(self.wh_per_million_tokens);
        self.grams_co2_per_item = grams(self.wh_per_item);
    }
}

/// The expected loss of quality of a part of a model, from measurements of models in the format.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QualityLossOut {
    /// The part.
    pub part: QuantizedPart,
    /// Its format.
    pub format: String,
    /// The least loss that was measured, in percent of the value in the model's own precision; `null` if it was not
    /// measured.
    pub low_percent: Option<Num>,
    /// The greatest loss that was measured, in percent; `null` if it was not measured.
    pub high_percent: Option<Num>,
    /// The measurement: lower scores in `benchmarks`, or a higher `perplexity`. Missing if it was not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measure: Option<LossMeasure>,
    /// The source of the figures. Missing if it was not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The date of the figures: a day, a month or a year. Missing if it was not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
}

/// A model in a format of weights and of the KV cache, with all other settings unchanged.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FormatFitOut {
    /// The format of the weights.
    pub precision: String,
    /// The format of the KV cache.
    pub kv_precision: CacheFormat,
    /// The hub id of the published checkpoint in `precision`. Missing for the model's own files, and where the serving
    /// engine quantizes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<String>,
    /// True if the high end of the estimate is within the usable memory; `null` where the memory of the device is
    /// unknown.
    pub fits: Option<bool>,
    /// The high end of the memory of a device, in GiB.
    pub high_gib: Num,
    /// Generated tokens per second of all devices. Missing where it does not fit, or if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_s: Option<Num>,
}

impl FitOut {
    /// Marks the work as refused by the engine on the device.
    pub(crate) fn refuse(&mut self, why: String) {
        self.fits = Some(false);
        self.verdict = Some(FitVerdict::DoesNotFit);
        self.refused = Some(why);
    }
}

impl QualityLossOut {
    /// The loss with its source, as text: `0 to 1.2% of benchmark scores (model cards of RedHatAI)`.
    pub fn words(&self) -> String {
        let (Some(low), Some(high), Some(measure)) =
            (self.low_percent, self.high_percent, self.measure)
        else {
            return "not measured".to_owned();
        };
        let number = |percent: Num| sky_accel_core::text::number(percent.0);
        let band = if low == high {
            number(low)
        } else {
            format!("{} to {}", number(low), number(high))
        };
        let kind = match measure {
            LossMeasure::Benchmarks => "of benchmark scores",
            LossMeasure::Perplexity => "in perplexity",
        };
        let source = self.source.as_deref().unwrap_or_default();
        let as_of = self.as_of.as_deref().unwrap_or_default();
        format!("{band}% {kind} ({source}, {as_of})")
    }
}

/// A command for a POSIX shell.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LaunchOut {
    /// The command. It fails with a message if a variable is not set.
    pub command: String,
    /// Tokens of the longest request that the server admits, with its answer. Missing for training, and for engines
    /// without such a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<Num>,
    /// The variables to set. Missing for commands without variables.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<VariableOut>,
}

/// A shell variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VariableOut {
    /// Its name.
    pub name: String,
    /// Its meaning.
    pub meaning: String,
}

/// A change with which a model fits, with all other settings unchanged.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RemedyOut {
    /// The kind of change.
    pub change: RemedyKind,
    /// The change as flags of `fit`, or as the spec to give it.
    pub flags: String,
    /// The high end of the memory of a device, in GiB.
    pub high_gib: Num,
    /// The usable memory of a device, in GiB.
    pub usable_gib: Num,
    /// Host memory in GiB, for all devices of a machine. Missing where it is not needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_gib: Option<Num>,
    /// Tokens per second of all devices, generated or trained on. Missing where the speed is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_s: Option<Num>,
    /// The same as a sentence whose wording may change.
    pub message: String,
}

sky_accel_core::words! {
    /// A phase of a training step.
    pub enum Phase {
        /// The model generates rollouts.
        Rollout = "rollout",
        /// Forward passes of a reference or teacher model, or of the model itself for the probabilities of its
        /// rollouts.
        Scoring = "scoring",
        /// The model is trained.
        Training = "training",
        /// The trained weights move to the serving engine that generates.
        Refit = "refit",
    }
}

/// An optimizer step, or all optimizer steps after one rollout.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OptimizerStepOut {
    /// Seconds.
    pub seconds: Num,
    /// Sequences of all devices; two for each pair of `dpo`.
    pub sequences: Num,
    /// Tokens of all devices.
    pub tokens: Num,
    /// The phases, one after the other unless rollouts have separate devices. Missing where there is only one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<PhaseOut>,
    /// The devices that generate while the others train. Missing where all devices do both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rollout_devices: Option<u32>,
    /// Tensor parallelism of the rollouts. Missing without rollouts.
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
    /// The peak of a device in GiB, as the driver reports it. Missing where another phase has the peak.
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
    /// Groups of devices that each hold all of the sharded state. Missing where it is 1.
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
    /// A short description of the layout: `tensor 4, data 2, ZeRO 3`; empty for one device.
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

/// Memory in GiB on the fullest device.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemoryOut {
    /// The weights of the model.
    pub weights: Num,
    /// The weights of a frozen model of training: a reference or a teacher. Missing for other work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frozen: Option<Num>,
    /// The KV cache; 0 for training.
    pub kv_cache: Num,
    /// Activations of the forward pass; for training, the activations that are kept for the backward pass.
    pub activations: Num,
    /// Logits of the positions that are computed.
    pub logits: Num,
    /// Gradients of the trained parameters; 0 for inference.
    pub gradients: Num,
    /// The state of the optimizer, with its copy of the parameters; 0 for inference.
    pub optimizer: Num,
    /// LoRA weights with their gradients and optimizer state.
    pub adapters: Num,
    /// Workspaces, slack of the allocator, and memory of the driver.
    pub framework: Num,
    /// Memory that remains in use after a step: weights, cache and training state.
    pub steady: Num,
    /// The peak that the allocator counts as in use.
    pub allocated: Num,
    /// The peak that the allocator holds.
    pub reserved: Num,
    /// The peak that the driver reports.
    pub device: Num,
    /// The low end of the estimate. Low and high enclose 80 % of published measurements, whichever counter they read.
    pub low: Num,
    /// The high end of the estimate. The model fits if it is at most `usable`.
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
    /// The kind of output. Missing for text.
    #[serde(skip_serializing_if = "is_text")]
    pub kind: ModelKind,
    /// The unit of work that activations are sized for, such as one image. Missing for text models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The number of parameters.
    pub parameters: Num,
    /// The number of parameters that are active for each token: all of a dense model. For a mixture of experts, the
    /// routed experts that a token chooses, all other matrices, and the head, but not the embedding.
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
    /// Bytes that each token adds once all windows are full, over all devices, each value counted once.
    pub bytes_per_token: Num,
    /// Bytes that a sequence keeps in addition, whatever its length: full windows and recurrent states. Missing for
    /// models without them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixed_bytes: Option<Num>,
    /// The maximum number of tokens that all devices can hold together; `null` where the memory of the device is
    /// unknown.
    pub max_tokens: Option<Num>,
    /// The maximum number of sequences of the requested length that all devices can hold together; `null` where
    /// the memory of the device is unknown.
    pub max_sequences: Option<Num>,
}

/// The largest context and batch that fit, each with all other settings unchanged.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LargestOut {
    /// Tokens of context; 0 where nothing fits, `null` if the memory of the device is unknown, and for training with
    /// rollouts.
    pub context: Option<Num>,
    /// Concurrent sequences per data-parallel group; 0 where nothing fits, `null` as for `context`.
    pub batch: Option<Num>,
}

/// The computed speed, and the hardware that limits it.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpeedOut {
    /// Prefill tokens per second of all devices together. Missing for training, or if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefill_tokens_per_s: Option<Num>,
    /// Decode tokens per second of all devices together. Missing for training, or if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decode_tokens_per_s: Option<Num>,
    /// Generated tokens per second of all devices together, including the time of prefill. Missing for training, or if
    /// unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens_per_s: Option<Num>,
    /// Seconds until the first tokens of a batch are generated. Missing for training, with a load (which has `ttft_s`),
    /// or if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_to_first_token_s: Option<Num>,
    /// Training tokens per second and device. Missing for inference, or if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub train_tokens_per_s_per_device: Option<Num>,
    /// Seconds until a batch of images, videos or segments of speech is complete: as long as a user waits. Missing for other models, or if
    /// unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds_per_batch: Option<Num>,
    /// Seconds of speech that all devices write down in a second. Missing for other models, or if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rtfx: Option<Num>,
    /// The bottleneck of a step: `memory`, `compute`, `network`, `launch` or
    /// `host`; `null` if unknown.
    pub bound: Option<Bound>,
    /// Model FLOPs utilization, from 0 to 1: operations of the model without recomputation, as a fraction of the dense
    /// peak rate of the compute precision; `null` if unknown.
    pub mfu: Option<Num>,
    /// The figures of a server under load. Missing without a load.
    #[serde(flatten)]
    pub load: Option<LoadOut>,
    /// The low end of speeds and times. Low and high enclose 80 % of published measurements of models and engine
    /// versions that were not used for calibration.
    pub low: SpeedBandOut,
    /// The high end of speeds and times.
    pub high: SpeedBandOut,
}

/// One end of a band of speeds and times, in the units of the fields with the same names.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpeedBandOut {
    /// Generated tokens per second. Missing for training, or if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens_per_s: Option<Num>,
    /// Milliseconds per output token. Missing without a load.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tpot_ms: Option<Num>,
    /// Seconds to the first token. Missing without a load.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttft_s: Option<Num>,
    /// Training tokens per second and device. Missing for inference, or if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub train_tokens_per_s_per_device: Option<Num>,
    /// Seconds per image or video. Missing for other models, or if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds_per_item: Option<Num>,
}

/// A server under load, to which `output_tokens_per_s` then refers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoadOut {
    /// True if the load is served within its limits.
    pub serves: bool,
    /// Requests in flight, including waiting ones.
    pub concurrency: Num,
    /// Seconds from a request to its first token; of texts that are only read, such as embeddings, to the answer.
    pub ttft_s: Num,
    /// Milliseconds per output token after the first one. Missing where no tokens are generated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tpot_ms: Option<Num>,
    /// Requests that are answered per second, by all devices together.
    pub requests_per_s: Num,
    /// The load as a share of `max_concurrency`, or of `goodput_per_s` for a rate. Missing where that is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub utilization: Option<Num>,
    /// Tokens per second of all devices together, including prompt tokens.
    pub total_tokens_per_s: Num,
    /// Output tokens per second of each user. Missing where no tokens are generated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_s_per_user: Option<Num>,
    /// The maximum number of users that this layout serves within the limits of the request; without limits, the
    /// maximum that it serves concurrently.
    pub max_concurrency: Num,
    /// The maximum Poisson rate of requests per second at which 95 % of requests are within the limits.
    pub goodput_per_s: Num,
    /// Seconds until the last answer of a load with a number of `requests`; `output_tokens_per_s` is then the average
    /// until that time. Missing where the load does not end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_s: Option<Num>,
    /// Prefill replicas. Missing where each replica does both prefill and decode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefill_replicas: Option<Num>,
}
