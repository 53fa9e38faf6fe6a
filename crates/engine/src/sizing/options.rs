//! The options of a run, each declared once.
//!
//! An entry of the table below has the JSON name of an option, its type, the kind of its values, its description, its
//! flag, and its value in the echo of a request. [`RunRequest`], the JSON reader, the command-line flags, [`RunOut`]
//! and the arguments of MCP tools follow from the table.

use serde::Serialize;
use serde_json::{Map, Value};
use sky_accel_core::sizing::{
    Arrival, Attention, CacheFormat, Checkpointing, Float, GivenLayout, Limits, Logits,
    LoraTargets, MasterWeights, Offload, Optimizer, Picture, Run, Sampling, ServingEngine,
    StepSize, Workload,
};
use sky_accel_core::suggest;

use super::media_items::MediaItems;
use super::model_size::ModelSize;
use super::model_source::ModelSource;
use super::option_kind::{
    Count, Measurement, ModelName, Number, OneOf, OptionKind, OptionScope, PlainText, Positive,
    Seconds, Switch, TextList, Work, WorkKind,
};
use crate::code::ErrorCode;
use crate::contract::Num;
use crate::error::{Error, Result};

/// Names of the catalog that complete the value of a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletedBy {
    /// Names of models.
    Models,
    /// Names of weight formats.
    WeightFormats,
}

/// The description of an option of a run.
#[derive(Clone, Copy, Debug)]
pub struct RunOption {
    /// The name in JSON.
    pub name: &'static str,
    /// The other accepted name in JSON.
    pub alias: Option<&'static str>,
    /// The JSON type of a value; empty where there are several.
    pub json_type: &'static str,
    /// Returns the accepted words; empty if values are not chosen from a set.
    pub words: fn() -> Vec<&'static str>,
    /// The description.
    pub about: &'static str,
    /// A description for agents, for the options that most requests need; empty where the name is clear. Agents pay for
    /// each word with every question, so the other options are not described to them.
    pub agent: Option<&'static str>,
    /// The names that complete the flag's value.
    pub completed_by: Option<CompletedBy>,
    /// The work that the option applies to.
    pub scope: OptionScope,
}

/// Declares the options. Their order is also the order of the echo, of the flags in help, and of the list in error
/// messages.
///
/// An entry without `echo` is not repeated in answers. `missing` describes when an echoed value is left out.
macro_rules! run_options {
    ($(
        $name:ident: $type:ty as $kind:ty, $about:tt,
        flag($($flag:tt)*)
        $(, scope $scope:ident)?
        $(, alias $alias:ident)?
        $(, agent $agent:literal)?
        $(, completed_by $names:ident)?
        $(, echo $echo_type:ty = |$echo:ident| $value:expr $(, missing $missing:tt)?)?;
    )+) => {
        /// A model and the work. Options that are `None` get documented defaults, and answers echo the choice.
        #[derive(Clone, Debug, Default, PartialEq)]
        #[cfg_attr(feature = "clap", derive(clap::Args))]
        #[cfg_attr(feature = "clap", command(next_help_heading = "The model and the work"))]
        pub struct RunRequest {
            $(
                #[doc = $about]
                #[cfg_attr(feature = "clap", arg(value_parser = <$kind as OptionKind<$type>>::parser(), $($flag)*))]
                pub $name: Option<$type>,
            )+
        }

        impl RunRequest {
            /// All options, in declaration order.
            pub const OPTIONS: &'static [RunOption] = &[$(RunOption {
                name: stringify!($name),
                alias: [$(Some(stringify!($alias)),)? None][0],
                json_type: <$kind as OptionKind<$type>>::JSON_TYPE,
                words: <$kind as OptionKind<$type>>::words,
                about: $about,
                agent: [$(Some($agent),)? None][0],
                completed_by: [$(Some(CompletedBy::$names),)? None][0],
                scope: [$(OptionScope::$scope,)? OptionScope::All][0],
            },)+];

            /// Whether each option is given, in declaration order.
            pub(super) fn given(&self) -> [bool; Self::OPTIONS.len()] {
                [$(self.$name.is_some(),)+]
            }

            /// Sets an option from a JSON value. False if there is no such option.
            #[allow(clippy::float_cmp, reason = "the same text under two names is the same number")]
            fn set(&mut self, field: &str, value: Value) -> Result<bool> {
                $(
                    if field == stringify!($name) $(|| field == stringify!($alias))? {
                        let value = <$kind as OptionKind<$type>>::read(field, value)?;
                        if self.$name.as_ref().is_some_and(|other| *other != value) {
                            return Err(two_names(stringify!($name)));
                        }
                        self.$name = Some(value);
                        return Ok(true);
                    }
                )+
                Ok(false)
            }
        }

        /// The model and the work of an answer, with every default filled in, under the names of the request.
        #[derive(Clone, Debug, Serialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub struct RunOut {
            /// The hardware as a spec in canonical form. Missing where it is not given as a spec.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub spec: Option<String>,
            /// The number of machines. Missing where it is 1.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub nodes: Option<u32>,
            $($(
                #[doc = $about]
                $(#[doc = $missing] #[serde(skip_serializing_if = "Option::is_none")])?
                pub $name: $echo_type,
            )?)+
        }

        impl RunOut {
            /// Echoes a run.
            pub(super) fn new(run: &EchoInput<'_>, spec: Option<&str>) -> Self {
                Self {
                    spec: spec.map(str::to_owned),
                    nodes: None,
                    $($($name: {
                        let $echo = run;
                        $value
                    },)?)+
                }
            }
        }
    };
}

/// The input of an echo.
pub(super) struct EchoInput<'r> {
    pub request: &'r RunRequest,
    pub run: &'r Run,
    pub precision: &'r str,
    pub group_size: Option<f64>,
    pub engine_version: Option<&'r str>,
    pub measured_tokens_per_s: Option<f64>,
    pub items: Option<&'r MediaItems>,
    pub given: GivenLayout,
}

impl EchoInput<'_> {
    fn trains(&self) -> bool {
        self.run.workload.is_training()
    }

    /// True for inference and for training that generates its samples.
    fn generates(&self) -> bool {
        !self.trains() || self.run.rollouts.is_some()
    }

    /// True if a serving engine generates.
    fn serves(&self) -> bool {
        self.run.engine.serves() && self.generates()
    }

    fn arrival(&self) -> Option<Arrival> {
        self.run.load.map(|load| load.arrival)
    }

    /// A setting of the images or videos of a run.
    fn picture(&self, setting: impl FnOnce(&Picture) -> f64) -> Option<Num> {
        let picture = self.items.and_then(MediaItems::picture);
        picture.map(|picture| Num(setting(picture)))
    }

    fn limits(&self) -> Limits {
        self.run.load.map(|load| load.limits).unwrap_or_default()
    }

    /// A setting of training.
    fn training<T>(&self, setting: impl FnOnce(&Run) -> T) -> Option<T> {
        self.trains().then(|| setting(self.run))
    }

    /// A setting of adapters.
    fn adapters<T>(&self, setting: impl FnOnce(&Run) -> T) -> Option<T> {
        self.training(setting).filter(|_| self.run.adapters)
    }
}

/// The heading of the flags that describe images and videos.
#[cfg(feature = "clap")]
const MEDIA: &str = "Images, videos and speech";

/// The heading of the flags that describe the load of a server.
#[cfg(feature = "clap")]
const LOAD: &str = "The load of a server";

run_options! {
    model: ModelSource as ModelName,
        "Name (Llama-3.1-8B, Qwen/Qwen3-32B), a config.json, a folder with safetensors, or a GGUF file",
        flag(long, value_name = "MODEL", conflicts_with = "model_size", hide_short_help = true),
        completed_by Models,
        echo Option<Value> = |echo| match &echo.request.model {
            Some(ModelSource::Name(name)) => Some(Value::from(name.as_str())),
            Some(ModelSource::Config(fields)) => Some(Value::Object(fields.clone())),
            Some(ModelSource::Size(_)) | None => None,
        },
        missing "Missing where only a size was given.";
    model_size: String as PlainText,
        "Number of parameters, for a model that the catalog does not know: 7B, 13B, 350M",
        flag(long, value_name = "SIZE", hide_short_help = true),
        echo Option<String> = |echo| match &echo.request.model {
            Some(ModelSource::Size(size)) => Some(size.as_str().to_owned()),
            _ => echo.request.model_size.clone(),
        },
        missing "Missing where the model itself was given.";
    assume: String as PlainText,
        "Read a config.json of an unknown model type as this type: llama, qwen3, …",
        flag(long, value_name = "TYPE", hide_short_help = true);
    workload: WorkKind as Work,
        "Kind of work: inference, lora, qlora, full, pretrain, dpo, grpo, ppo or distill; without a model also development",
        flag(long, value_name = "KIND"),
        agent "",
        echo Workload = |echo| echo.run.workload;
    precision: String as PlainText,
        "Format of the weights: bf16, fp8, awq, nf4, gguf:Q4_K_M, …, or any",
        flag(long, value_name = "FORMAT"),
        agent "Of weights: bf16, fp8, awq, any",
        completed_by WeightFormats,
        echo String = |echo| echo.precision.to_owned();
    group_size: f64 as Positive,
        "Weights per group of a quantized format",
        flag(long, value_name = "N", hide_short_help = true),
        echo Option<Num> = |echo| echo.group_size.map(Num),
        missing "Missing for formats without groups.";
    kv_precision: CacheFormat as OneOf<CacheFormat>,
        "Format of the KV cache",
        flag(long, value_name = "FORMAT", hide_short_help = true),
        scope Generation,
        echo Option<CacheFormat> = |echo| echo.generates().then_some(echo.run.cache),
        missing "Missing for training without rollouts.";
    context: f64 as Positive,
        "Tokens of the prompt, or of a training sequence: 4096, 32k",
        flag(long, value_name = "TOKENS"),
        scope Tokens,
        agent "Prompt or training tokens",
        echo Num = |echo| Num(echo.run.text_tokens());
    generate: f64 as Number,
        "Tokens generated after the prompt, also by grpo and ppo",
        flag(long, value_name = "TOKENS"),
        scope Generation,
        agent "Output tokens",
        echo Option<Num> = |echo| echo.generates().then_some(Num(echo.run.generate)),
        missing "Missing for training without rollouts.";
    max_context: f64 as Positive,
        "Tokens of the longest request that a server must admit, prompt and answer [default: up to twice the average]",
        flag(long, value_name = "TOKENS", hide_short_help = true),
        scope Tokens,
        echo Option<Num> = |echo| echo.run.max_context.map(Num),
        missing "Missing where the request does not state it.";
    batch: f64 as Positive,
        "Concurrent sequences or images per data-parallel rank; in training, sequences per micro-batch",
        flag(long, value_name = "N", visible_alias = "micro-batch", hide_short_help = true),
        alias micro_batch,
        agent "Training micro-batch",
        echo Option<Num> = |echo| echo.run.load.is_none().then_some(Num(echo.run.batch)),
        missing "Missing with a load: the serving engine admits as many as it holds.";
    images: f64 as Positive,
        "Total number of images, or of videos: each device then generates its own",
        flag(long, help_heading = MEDIA, value_name = "N"),
        echo Option<Num> = |echo| echo.items.filter(|items| items.picture().is_some()).and_then(|items| items.total).map(Num),
        missing "Missing where it was not given.";
    audio_hours: f64 as Positive,
        "Hours of speech to write down",
        flag(long, help_heading = MEDIA, value_name = "HOURS", hide_short_help = true),
        echo Option<Num> = |echo| echo.items.filter(|items| items.picture().is_none()).and_then(|items| items.total).map(Num),
        missing "Missing where it was not given.";
    steps: f64 as Positive,
        "Denoising steps of an image or video [default: from the model card]",
        flag(long, help_heading = MEDIA, value_name = "N", hide_short_help = true),
        echo Option<Num> = |echo| echo.picture(|picture| picture.steps),
        missing "Missing for models without denoising steps.";
    height: f64 as Positive,
        "Height of an image or video in pixels [default: from the model card]",
        flag(long, help_heading = MEDIA, value_name = "PIXELS", hide_short_help = true),
        echo Option<Num> = |echo| echo.picture(|picture| picture.height),
        missing "Missing for models without denoising steps.";
    width: f64 as Positive,
        "Width of an image or video in pixels [default: from the model card]",
        flag(long, help_heading = MEDIA, value_name = "PIXELS", hide_short_help = true),
        echo Option<Num> = |echo| echo.picture(|picture| picture.width),
        missing "Missing for models without denoising steps.";
    frames: f64 as Positive,
        "Frames of a video [default: from the model card]",
        flag(long, help_heading = MEDIA, value_name = "N", hide_short_help = true),
        echo Option<Num> = |echo| echo.picture(|picture| picture.frames).filter(|frames| frames.0 > 1.0),
        missing "Missing for models without videos.";
    concurrency: f64 as Positive,
        "Requests in flight at once",
        flag(id = "users", long = "users", alias = "concurrency", help_heading = LOAD, value_name = "N", conflicts_with = "batch"),
        scope Requests,
        agent "Requests in flight",
        echo Option<Num> = |echo| match echo.arrival() {
            Some(Arrival::Users(users)) => Some(Num(users)),
            _ => None,
        },
        missing "Missing without a closed-loop load.";
    request_rate: f64 as Positive,
        "Requests per second, with Poisson arrivals",
        flag(long, alias = "rate", help_heading = LOAD, value_name = "R", conflicts_with_all = ["users", "batch"], hide_short_help = true),
        scope Requests,
        agent "Per second",
        echo Option<Num> = |echo| match echo.arrival() {
            Some(Arrival::Rate(rate)) => Some(Num(rate)),
            _ => None,
        },
        missing "Missing without such a load.";
    requests: f64 as Positive,
        "Total number of requests: the load ends with the last answer, and tokens/s are the average until then",
        flag(long, help_heading = LOAD, value_name = "N", requires = "users", conflicts_with = "request_rate", hide_short_help = true),
        scope Requests,
        echo Option<Num> = |echo| echo.run.load.and_then(|load| load.requests).map(Num),
        missing "Missing where the load does not end.";
    max_ttft: f64 as Seconds,
        "Maximum time to first token or answer: 2s, 500ms",
        flag(long, help_heading = LOAD, value_name = "TIME"),
        scope Requests,
        agent "Seconds to the first token",
        echo Option<Num> = |echo| echo.limits().first_token_s.map(Num),
        missing "In seconds. Missing without such a limit.";
    min_speed: f64 as Positive,
        "Minimum output tokens per second of each user",
        flag(long, help_heading = LOAD, value_name = "TOKENS", hide_short_help = true),
        scope Answers,
        agent "Tokens/s of one user";
    max_tpot: f64 as Seconds,
        "Maximum time per output token: 50ms; instead of a minimum speed",
        flag(long, help_heading = LOAD, value_name = "TIME", conflicts_with = "min_speed", hide_short_help = true),
        scope Answers,
        echo Option<Num> = |echo| echo.limits().token_s.map(Num),
        missing "In seconds. Missing without such a limit.";
    prefix_cache: f64 as Number,
        "Fraction of the prompt that is already in the cache, from 0 to 1",
        flag(long, help_heading = LOAD, value_name = "SHARE", hide_short_help = true),
        scope Answers,
        echo Option<Num> = |echo| (echo.run.prefix_cached > 0.0).then_some(Num(echo.run.prefix_cached)),
        missing "Missing where it is 0.";
    images_per_request: f64 as Number,
        "Images of each prompt on average, beside the tokens of its text",
        flag(long, help_heading = LOAD, value_name = "N", hide_short_help = true),
        scope Answers,
        echo Option<Num> = |echo| Some(Num(echo.run.images.per_request)).filter(|images| images.0 > 0.0),
        missing "Missing without images.";
    image_tokens: f64 as Positive,
        "Tokens of an image [default: of 1024 × 1024 pixels]",
        flag(long, help_heading = LOAD, value_name = "TOKENS", requires = "images_per_request", hide_short_help = true),
        scope Answers,
        echo Option<Num> = |echo| Some(Num(echo.run.images.tokens)).filter(|tokens| tokens.0 > 0.0),
        missing "Missing without images.";
    speculative: String as PlainText,
        "Speculative tokens per step, and the fraction that is accepted: 3:0.7",
        flag(long, help_heading = LOAD, value_name = "TOKENS:SHARE", hide_short_help = true),
        scope Answers,
        echo Option<String> = |echo| {
            let speculation = echo.run.speculation.as_ref();
            speculation.map(|speculation| format!("{}:{}", speculation.tokens, speculation.acceptance))
        },
        missing "Missing without speculative decoding.";
    length_spread: f64 as Number,
        "Spread S of prompt and output lengths L, which are uniform in [(1 − S) × L, L]; 0 if all are equal",
        flag(long, help_heading = LOAD, value_name = "SHARE", hide_short_help = true),
        scope Generation,
        echo Option<Num> = |echo| echo.run.length_spread.map(Num),
        missing "Missing where it was not given.";
    admission_interval: f64 as Number,
        "ServingEngine steps between scheduling new requests (SGLang, TensorRT-LLM)",
        flag(long, help_heading = LOAD, value_name = "STEPS", hide_short_help = true),
        scope Answers,
        echo Option<Num> = |echo| echo.run.admission_interval.map(Num),
        missing "Missing where it was not given.";
    disaggregated: bool as Switch,
        "Prefill and decode on separate replicas; with grpo and ppo, generate and train on separate devices",
        flag(long, help_heading = LOAD, num_args = 0..=1, default_missing_value = "true", require_equals = true, value_name = "BOOL", hide_short_help = true),
        scope Generation,
        echo Option<bool> = |echo| {
            let (load, rollouts) = (echo.run.load, echo.run.rollouts);
            let is_apart = load.is_some_and(|load| load.is_disaggregated)
                || rollouts.is_some_and(|rollouts| rollouts.is_apart);
            is_apart.then_some(true)
        },
        missing "Missing where it is false.";
    engine_version: String as PlainText,
        "Version of the serving engine; the newest by default",
        flag(long, help_heading = LOAD, value_name = "VERSION", hide_short_help = true),
        scope Inference,
        echo Option<String> = |echo| echo.engine_version.map(str::to_owned),
        missing "Missing for the newest version.";
    calibrate: f64 as Measurement,
        "A measured speed that all speeds are scaled to: tokens_per_s=4100",
        flag(long, value_name = "NUMBER", hide_short_help = true),
        echo Option<String> = |echo| echo.measured_tokens_per_s.map(|rate| format!("tokens_per_s={rate}")),
        missing "Missing where it was not given.";
    energy: bool as Switch,
        "Show the power of the devices, and the energy of a million tokens or of an image; JSON always has them",
        flag(long, num_args = 0..=1, default_missing_value = "true", require_equals = true, value_name = "BOOL", hide_short_help = true);
    engine: ServingEngine as OneOf<ServingEngine>,
        "Software that runs the model",
        flag(long, value_name = "ENGINE"),
        agent "vllm, sglang, llama.cpp, unsloth",
        echo ServingEngine = |echo| echo.run.engine;
    gpu_memory_utilization: f64 as Positive,
        "Fraction of device memory for vLLM; for SGLang and TensorRT-LLM, of the memory left after weights",
        flag(long, value_name = "SHARE", hide_short_help = true),
        scope Serving,
        echo Option<Num> = |echo| echo.serves().then_some(Num(echo.run.gpu_memory_utilization)),
        missing "Missing without a serving engine.";
    max_batched_tokens: f64 as Positive,
        "Maximum tokens that a serving engine computes in one step",
        flag(long, alias = "max-num-batched-tokens", value_name = "TOKENS", hide_short_help = true),
        scope Serving,
        echo Option<Num> = |echo| echo.run.max_batched_tokens.filter(|_| echo.serves()).map(Num),
        missing "Missing for the engine's default, which depends on the device.";
    max_num_seqs: f64 as Positive,
        "Maximum sequences that a serving engine decodes at once",
        flag(long, value_name = "N", hide_short_help = true),
        scope Serving,
        echo Option<Num> = |echo| echo.run.max_sequences.map(Num),
        missing "Missing for the engine's default.";
    sampling: Sampling as OneOf<Sampling>,
        "How tokens are chosen [default: as the model's generation config]",
        flag(long, value_name = "KIND", hide_short_help = true),
        scope Generation,
        echo Option<Sampling> = |echo| echo.serves().then_some(echo.run.sampling),
        missing "Missing without a serving engine.";
    attention: Attention as OneOf<Attention>,
        "Attention implementation",
        flag(long, value_name = "KIND", hide_short_help = true),
        scope Tokens,
        echo Attention = |echo| echo.run.attention;
    logits: Logits as OneOf<Logits>,
        "Positions for which logits are computed",
        flag(long, value_name = "WHICH", hide_short_help = true),
        scope Tokens,
        echo Logits = |echo| echo.run.logits;
    gpu_layers: u32 as Count<0, 4_294_967_295>,
        "Layers that llama.cpp computes on the devices, like its -ngl; the host computes the others",
        flag(long, value_name = "N", hide_short_help = true),
        scope Tokens,
        echo Option<u32> = |echo| echo.run.gpu_layers,
        missing "Missing where the devices compute all layers.";
    n_cpu_moe: u32 as Count<0, 4_294_967_295>,
        "First layers whose experts llama.cpp keeps and computes on the host, like its --n-cpu-moe",
        flag(long, value_name = "N", hide_short_help = true),
        scope Tokens,
        echo Option<u32> = |echo| echo.run.cpu_expert_layers,
        missing "Missing where the devices compute all experts.";
    host_bandwidth: f64 as Positive,
        "Peak bandwidth of the host's memory in GB/s, for work on the host: 51.2 for two channels of DDR4-3200",
        flag(long, value_name = "GB/S", hide_short_help = true),
        scope Tokens,
        echo Option<Num> = |echo| echo.run.host_bandwidth.map(|bandwidth| Num(bandwidth / 1e9)),
        missing "Missing where it was not given.";
    compile: bool as Switch,
        "Compile the training step",
        flag(long, num_args = 0..=1, default_missing_value = "true", require_equals = true, value_name = "BOOL", hide_short_help = true),
        scope Training,
        echo Option<bool> = |echo| echo.training(|run| run.compile),
        missing "Missing for inference.";
    optimizer: Optimizer as OneOf<Optimizer>,
        "Optimizer",
        flag(long, value_name = "NAME", hide_short_help = true),
        scope Training,
        echo Option<Optimizer> = |echo| echo.training(|run| run.optimizer),
        missing "Missing for inference.";
    optimizer_in_backward: bool as Switch,
        "Run the optimizer during the backward pass, which frees each gradient early",
        flag(long, num_args = 0..=1, default_missing_value = "true", require_equals = true, value_name = "BOOL", hide_short_help = true),
        scope Training,
        echo Option<bool> = |echo| echo.training(|run| run.optimizer_in_backward),
        missing "Missing for inference.";
    master_weights: MasterWeights as OneOf<MasterWeights>,
        "Copy of the weights that the optimizer keeps: fp32 or none",
        flag(long, value_name = "FORMAT", hide_short_help = true),
        scope Training,
        echo Option<MasterWeights> = |echo| echo.training(|run| run.master_weights).flatten(),
        missing "Missing where it was not given, and for inference.";
    parameter_precision: Float as OneOf<Float>,
        "Format of trained parameters",
        flag(long, value_name = "FORMAT", hide_short_help = true),
        scope Training,
        echo Option<Float> = |echo| echo.training(|run| run.parameters),
        missing "Missing for inference.";
    gradient_precision: Float as OneOf<Float>,
        "Format of gradients",
        flag(long, value_name = "FORMAT", hide_short_help = true),
        scope Training,
        echo Option<Float> = |echo| echo.training(|run| run.gradients),
        missing "Missing for inference.";
    checkpointing: Checkpointing as OneOf<Checkpointing>,
        "Activations to recompute in the backward pass",
        flag(long, value_name = "WHICH", hide_short_help = true),
        scope Training,
        echo Option<Checkpointing> = |echo| echo.training(|run| run.checkpointing),
        missing "Missing for inference.";
    lora_rank: f64 as Positive,
        "Rank of the LoRA adapters",
        flag(long, value_name = "N", hide_short_help = true),
        scope Adapters,
        echo Option<Num> = |echo| echo.adapters(|run| Num(run.lora_rank)),
        missing "Missing without adapters.";
    lora_targets: LoraTargets as OneOf<LoraTargets>,
        "Matrices that get LoRA adapters",
        flag(long, value_name = "WHICH", hide_short_help = true),
        scope Adapters,
        echo Option<LoraTargets> = |echo| echo.adapters(|run| run.lora_targets),
        missing "Missing without adapters.";
    offload: Offload as OneOf<Offload>,
        "Training state to keep in host memory",
        flag(long, value_name = "WHAT", hide_short_help = true),
        echo Option<Offload> = |echo| echo.training(|run| run.offload),
        missing "Missing for inference.";
    gradient_accumulation: f64 as Positive,
        "Micro-batches per rank in each optimizer step",
        flag(long, value_name = "N", hide_short_help = true),
        scope Training,
        echo Option<Num> = |echo| match echo.run.step {
            StepSize::MicroBatches(n) => echo.training(|_| Num(n)),
            StepSize::Sequences(_) => None,
        },
        missing "Missing with `global_batch`, and for inference.";
    global_batch: f64 as Positive,
        "Sequences of all ranks in each optimizer step",
        flag(long, value_name = "N", hide_short_help = true),
        scope Training,
        echo Option<Num> = |echo| match echo.run.step {
            StepSize::MicroBatches(_) => None,
            StepSize::Sequences(n) => echo.training(|_| Num(n)),
        },
        missing "Missing where it was not given.";
    virtual_pipeline: f64 as Positive,
        "Interleaved parts of each pipeline stage, which shorten the pipeline's idle time",
        flag(long, value_name = "N", hide_short_help = true),
        scope Training,
        echo Option<Num> = |echo| {
            let parts = echo.training(|run| run.virtual_pipeline);
            parts.filter(|parts| *parts > 1.0).map(Num)
        },
        missing "Missing where it is 1.";
    packed: f64 as Positive,
        "Average tokens of the examples that are packed into a training sequence",
        flag(long, value_name = "TOKENS", hide_short_help = true),
        scope Training,
        echo Option<Num> = |echo| echo.training(|run| run.packed).flatten().map(Num),
        missing "Missing without packing.";
    modules_to_save: Vec<String> as TextList,
        "Modules that are trained in full beside adapters: embeddings, head",
        flag(long, value_name = "MODULES", value_delimiter = ',', hide_short_help = true),
        scope Adapters,
        echo Option<Vec<String>> = |echo| echo.request.modules_to_save.clone().filter(|names| echo.trains() && !names.is_empty()),
        missing "Missing without such modules.";
    rollouts: f64 as Positive,
        "Sequences that grpo and ppo generate for a step",
        flag(long, value_name = "N", hide_short_help = true),
        scope Rollouts,
        echo Option<Num> = |echo| echo.run.rollouts.map(|rollouts| Num(rollouts.sequences)),
        missing "Missing for other work.";
    off_policy_steps: f64 as Positive,
        "Maximum age of rollouts in optimizer steps, where separate devices generate them",
        flag(long, value_name = "N", hide_short_help = true),
        scope Rollouts,
        echo Option<Num> = |echo| {
            let rollouts = echo.run.rollouts.filter(|rollouts| rollouts.is_apart);
            rollouts.map(|rollouts| Num(rollouts.off_policy_steps))
        },
        missing "Missing where generation and training take turns.";
    reference_model: String as PlainText,
        "Reference model of dpo, grpo and ppo: a name, a file, or none; by default the initial model",
        flag(long, value_name = "MODEL", hide_short_help = true),
        scope Training,
        completed_by Models,
        echo Option<String> = |echo| echo.request.reference_model.clone().filter(|_| echo.trains()),
        missing "Missing where it was not given.";
    teacher_model: String as PlainText,
        "Teacher model of distill",
        flag(long, value_name = "MODEL", hide_short_help = true),
        scope Training,
        completed_by Models,
        echo Option<String> = |echo| echo.request.teacher_model.clone().filter(|_| echo.trains()),
        missing "Missing for other work.";
    tensor_parallel: u32 as Count<1, 1024>,
        "Tensor parallelism: devices that share each matrix",
        flag(long, value_name = "N", hide_short_help = true),
        scope Tokens,
        echo Option<u32> = |echo| echo.given.tensor,
        missing "Missing where it is searched: each result has its complete layout.";
    pipeline_parallel: u32 as Count<1, 1024>,
        "Pipeline parallelism: devices that share the layers",
        flag(long, value_name = "N", hide_short_help = true),
        scope Tokens,
        echo Option<u32> = |echo| echo.given.pipeline,
        missing "Missing where it is searched.";
    data_parallel: u32 as Count<1, 65_536>,
        "Data parallelism: groups of devices that process separate batches",
        flag(long, value_name = "N", hide_short_help = true),
        echo Option<u32> = |echo| echo.given.data,
        missing "Missing where it is searched.";
    context_parallel: u32 as Count<1, 1024>,
        "Context parallelism: devices that share each sequence, image or video",
        flag(long, value_name = "N", hide_short_help = true),
        echo Option<u32> = |echo| echo.given.context,
        missing "Missing where it is searched.";
    expert_parallel: u32 as Count<1, 1024>,
        "Expert parallelism: devices that share the experts",
        flag(long, value_name = "N", hide_short_help = true),
        scope Tokens,
        echo Option<u32> = |echo| echo.given.expert,
        missing "Missing where it is searched.";
    zero_stage: u8 as Count<0, 3>,
        "Shard over data-parallel devices: 1 the optimizer, 2 also gradients, 3 also weights (FSDP)",
        flag(long, value_name = "STAGE", hide_short_help = true),
        scope Training,
        echo Option<u8> = |echo| echo.given.zero_stage,
        missing "Missing where it is searched.";
    shard_groups: u32 as Count<1, 65_536>,
        "Groups of devices that each hold all of the sharded state: hybrid sharding",
        flag(long, value_name = "N", hide_short_help = true),
        scope Training,
        echo Option<u32> = |echo| echo.given.shard_groups,
        missing "Missing where it was not given.";
}

fn two_names(name: &str) -> Error {
    let mut options = RunRequest::OPTIONS.iter();
    let alias = options
        .find_map(|option| option.alias.filter(|_| option.name == name))
        .unwrap_or_default();
    let message = format!("`{alias}` is another name of `{name}`, and their values differ");
    Error::new(ErrorCode::BadValue, message)
}

impl RunRequest {
    /// True if an option has this name in JSON.
    pub fn has_option(name: &str) -> bool {
        let mut options = Self::OPTIONS.iter();
        options.any(|option| option.name == name || option.alias == Some(name))
    }

    /// The model: `model`, or the size in `model_size`.
    pub(super) fn source(&self) -> Result<Option<ModelSource>> {
        match (&self.model, &self.model_size) {
            (Some(_), Some(_)) => {
                let message =
                    "a model has a name or a size: give only one of `model` and `model_size`";
                Err(Error::new(ErrorCode::TwoModels, message))
            }
            (Some(model), None) => Ok(Some(model.clone())),
            (None, Some(size)) => Ok(Some(ModelSource::Size(ModelSize::parse(size)?))),
            (None, None) => Ok(None),
        }
    }

    /// The model as text: a name, a path or a size. `None` without a model, and for an inline configuration.
    pub fn model_word(&self) -> Option<&str> {
        match &self.model {
            Some(ModelSource::Name(name)) => Some(name),
            Some(ModelSource::Size(size)) => Some(size.as_str()),
            Some(ModelSource::Config(_)) => None,
            None => self.model_size.as_deref(),
        }
    }

    /// True if the work trains a model.
    pub(crate) fn trains(&self) -> bool {
        self.workload.as_ref().is_some_and(WorkKind::is_training)
    }
}

/// Reads a run from a JSON object: a line of `fit -` without its `spec`.
///
/// # Errors
///
/// [`ErrorCode::Request`] when a field is unknown or of a wrong type; [`ErrorCode::BadValue`] when a word is not in its
/// set, or both names of an option are given and differ.
pub fn run_from_json(fields: Map<String, Value>) -> Result<RunRequest> {
    let mut request = RunRequest::default();
    for (field, value) in fields {
        let is_option = if value.is_null() {
            RunRequest::has_option(&field)
        } else {
            request.set(&field, value)?
        };
        if !is_option {
            let names = RunRequest::OPTIONS.iter().map(|option| option.name);
            let near = suggest::closest(&field, names.clone());
            let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
            let message = format!("unknown field `{field}`: choose from {}", names.join(", "));
            return Err(Error::new(ErrorCode::Request, message).hint(near));
        }
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(fields: Value) -> Result<RunRequest> {
        let Value::Object(fields) = fields else {
            unreachable!("an object");
        };
        run_from_json(fields)
    }

    #[test]
    fn reads_every_option() {
        for option in RunRequest::OPTIONS {
            let words = (option.words)();
            let value = match (option.name, option.json_type) {
                ("calibrate", _) => json!("tokens_per_s=4100"),
                (_, "number" | "integer") => json!(1),
                (_, "boolean") => json!(true),
                (_, "array") => json!(["head"]),
                _ => json!(words.first().unwrap_or(&"text")),
            };
            let request = read(json!({ option.name: value })).unwrap();
            assert_ne!(request, RunRequest::default(), "{}", option.name);
            assert_eq!(
                read(json!({ option.name: null })).unwrap(),
                RunRequest::default()
            );
        }
    }

    #[test]
    fn unknown_fields_are_answered_with_the_options() {
        let error = read(json!({ "lora_rnk": 8 })).unwrap_err();
        assert_eq!(error.problems[0].code, ErrorCode::Request);
        assert!(error.to_string().contains("`lora_rank`"), "{error}");
    }

    #[test]
    fn values_of_a_wrong_type_name_the_field() {
        let error = read(json!({ "context": "long" })).unwrap_err();
        assert_eq!(error.problems[0].code, ErrorCode::Request);
        assert!(error.to_string().contains("`context`"), "{error}");
    }

    #[test]
    fn both_names_of_an_option_must_agree() {
        assert_eq!(
            read(json!({ "micro_batch": 4, "batch": 4 })).unwrap().batch,
            Some(4.0)
        );
        let error = read(json!({ "micro_batch": 4, "batch": 2 })).unwrap_err();
        assert_eq!(error.problems[0].code, ErrorCode::BadValue);
    }

    #[test]
    fn a_model_has_a_name_or_a_size() {
        let both = read(json!({ "model": "Llama-3.1-8B", "model_size": "13B" })).unwrap();
        assert_eq!(
            both.source().unwrap_err().problems[0].code,
            ErrorCode::TwoModels
        );
        let size = read(json!({ "model_size": "13B" })).unwrap();
        assert!(matches!(size.source(), Ok(Some(ModelSource::Size(_)))));
    }
}
