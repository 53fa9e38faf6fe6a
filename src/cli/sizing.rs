//! A model and the work: the flags of `fit`, `recommend` and `report`.

use crate::completion::values;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use sky_accel_core::sizing::{
    Attention, CacheFormat, Checkpointing, Engine, Float, Logits, LoraTargets, MasterWeights,
    Offload, Optimizer, Workload,
};
use sky_accel_core::word::Word;
use sky_accel_engine::{MEASURED, read_measured, read_seconds};

/// A kind of work: one that is computed for a model, or a word of the guide.
#[derive(Clone, Debug, PartialEq)]
pub enum WorkArg {
    Computed(Workload),
    OfGuide(String),
}

impl From<String> for WorkArg {
    fn from(word: String) -> Self {
        match Workload::from_word(&word) {
            Some(workload) => Self::Computed(workload),
            None => Self::OfGuide(word),
        }
    }
}

/// One of a set of words.
fn words<T: Word + Send + Sync>() -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(T::ALL.iter().map(|(word, _)| *word))
        .try_map(|word| T::from_word(&word).ok_or("not one of the words"))
}

fn positive(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if number.is_finite() && number > 0.0 {
        Ok(number)
    } else {
        Err("it has to be a number above zero".to_owned())
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match read_seconds(text) {
        Some(seconds) if seconds > 0.0 => Ok(seconds),
        _ => Err("it is a time above zero such as 2s or 50ms".to_owned()),
    }
}

fn measured(text: &str) -> Result<f64, String> {
    read_measured(text).ok_or_else(|| format!("it is {MEASURED}"))
}

/// The heading of the flags that say what users ask of a server.
const LOAD: &str = "The load of a server";

/// The model, the work and how it is done. Defaults are chosen by the engine and echoed in the request.
#[derive(Clone, Debug, Default, PartialEq, Args)]
#[command(next_help_heading = "The model and the work")]
pub struct RunArgs {
    /// Name (Llama-3.1-8B, Qwen/Qwen3-32B), a config.json, a folder with safetensors, or a GGUF file
    #[arg(long, value_name = "MODEL", conflicts_with = "model_size", add = values::model())]
    pub model: Option<String>,
    /// Number of parameters, for a model that the catalog does not know: 7B, 13B, 350M
    #[arg(long, value_name = "SIZE")]
    pub model_size: Option<String>,
    /// Read a config.json of an unknown model type as this one: llama, qwen3, …
    #[arg(long, value_name = "TYPE", hide_short_help = true)]
    pub assume: Option<String>,
    /// Kind of work: inference, lora, qlora, full, pretrain, dpo, grpo, ppo or distill; without a model also development
    #[arg(long, value_name = "KIND")]
    pub workload: Option<WorkArg>,
    /// Format of the weights: bf16, fp8, int8, awq, gptq-int4, nf4, mxfp4, gguf:Q4_K_M, …
    #[arg(long, value_name = "FORMAT", add = values::precision())]
    pub precision: Option<String>,
    /// Weights per group of a quantized format
    #[arg(long, value_name = "N", value_parser = positive)]
    pub group_size: Option<f64>,
    /// Format of the KV cache
    #[arg(long, value_name = "FORMAT", value_parser = words::<CacheFormat>())]
    pub kv_precision: Option<CacheFormat>,
    /// Prompt length, or length of a training sequence, in tokens
    #[arg(long, value_name = "TOKENS", value_parser = positive)]
    pub context: Option<f64>,
    /// Tokens generated after the prompt, also by grpo and ppo
    #[arg(long, value_name = "TOKENS")]
    pub generate: Option<f64>,
    /// Sequences at once per data-parallel rank; in training, those of one micro-batch
    #[arg(long, value_name = "N", value_parser = positive, visible_alias = "micro-batch")]
    pub batch: Option<f64>,
    /// Software that runs the model
    #[arg(long, value_name = "ENGINE", value_parser = words::<Engine>())]
    pub engine: Option<Engine>,
    /// Share of the memory of a device for vLLM, or of what is left for the cache of SGLang and TensorRT-LLM, from 0 to 1
    #[arg(long, value_name = "SHARE", value_parser = positive, hide_short_help = true)]
    pub gpu_memory_utilization: Option<f64>,
    /// Tokens that a serving engine computes in one step
    #[arg(long, value_name = "TOKENS", value_parser = positive, hide_short_help = true)]
    pub max_batched_tokens: Option<f64>,
    /// Attention implementation
    #[arg(long, value_name = "KIND", value_parser = words::<Attention>(), hide_short_help = true)]
    pub attention: Option<Attention>,
    /// Positions for which logits are computed
    #[arg(long, value_name = "WHICH", value_parser = words::<Logits>(), hide_short_help = true)]
    pub logits: Option<Logits>,
    /// Compile the training step
    #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true, value_name = "BOOL", hide_short_help = true)]
    pub compile: Option<bool>,
    /// Optimizer
    #[arg(long, value_name = "NAME", value_parser = words::<Optimizer>())]
    pub optimizer: Option<Optimizer>,
    /// Run the optimizer during the backward pass, which frees each gradient early
    #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true, value_name = "BOOL", hide_short_help = true)]
    pub optimizer_in_backward: Option<bool>,
    /// Copy of the weights that the optimizer keeps: fp32 or none
    #[arg(long, value_name = "FORMAT", value_parser = words::<MasterWeights>(), hide_short_help = true)]
    pub master_weights: Option<MasterWeights>,
    /// Format of trained parameters
    #[arg(long, value_name = "FORMAT", value_parser = words::<Float>(), hide_short_help = true)]
    pub parameter_precision: Option<Float>,
    /// Format of gradients
    #[arg(long, value_name = "FORMAT", value_parser = words::<Float>(), hide_short_help = true)]
    pub gradient_precision: Option<Float>,
    /// Activations to recompute in the backward pass
    #[arg(long, value_name = "WHICH", value_parser = words::<Checkpointing>())]
    pub checkpointing: Option<Checkpointing>,
    /// Rank of the LoRA adapters
    #[arg(long, value_name = "N", value_parser = positive)]
    pub lora_rank: Option<f64>,
    /// Matrices that get LoRA adapters
    #[arg(long, value_name = "WHICH", value_parser = words::<LoraTargets>(), hide_short_help = true)]
    pub lora_targets: Option<LoraTargets>,
    /// Training state to keep in the host's memory
    #[arg(long, value_name = "WHAT", value_parser = words::<Offload>(), hide_short_help = true)]
    pub offload: Option<Offload>,
    /// Layers that llama.cpp computes on the devices, as its -ngl; the host computes the others
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub gpu_layers: Option<u32>,
    /// A number that you measured, by which all speeds are scaled: tokens_per_s=4100
    #[arg(long, value_name = "NUMBER", value_parser = measured, hide_short_help = true)]
    pub calibrate: Option<f64>,
    /// Micro-batches per rank in each optimizer step
    #[arg(long, value_name = "N", value_parser = positive, hide_short_help = true)]
    pub gradient_accumulation: Option<f64>,
    /// Sequences of all ranks in each optimizer step
    #[arg(long, value_name = "N", value_parser = positive, hide_short_help = true)]
    pub global_batch: Option<f64>,
    /// Parts of each pipeline stage that take turns, which shortens the pipeline's idle time
    #[arg(long, value_name = "N", value_parser = positive, hide_short_help = true)]
    pub virtual_pipeline: Option<f64>,
    /// Tokens of the examples that are packed into a training sequence, on average
    #[arg(long, value_name = "TOKENS", value_parser = positive, hide_short_help = true)]
    pub packed: Option<f64>,
    /// Modules trained whole beside adapters: embeddings, head
    #[arg(
        long,
        value_name = "MODULES",
        value_delimiter = ',',
        hide_short_help = true
    )]
    pub modules_to_save: Vec<String>,
    /// Model that dpo, grpo and ppo compare with: a name, a file, or none; the model itself by default
    #[arg(long, value_name = "MODEL", hide_short_help = true, add = values::model())]
    pub reference_model: Option<String>,
    /// Model that distill learns from
    #[arg(long, value_name = "MODEL", hide_short_help = true, add = values::model())]
    pub teacher_model: Option<String>,
    /// Sequences that grpo and ppo generate for a step
    #[arg(long, value_name = "N", value_parser = positive, hide_short_help = true)]
    pub rollouts: Option<f64>,
    /// Steps by which answers may be older than the weights that are trained, with --disaggregated
    #[arg(long, value_name = "N", value_parser = positive, hide_short_help = true)]
    pub off_policy_steps: Option<f64>,
    /// Devices that share each matrix
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub tensor_parallel: Option<u32>,
    /// Devices that share the layers
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub pipeline_parallel: Option<u32>,
    /// Devices that each compute a separate batch
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536), hide_short_help = true)]
    pub data_parallel: Option<u32>,
    /// Devices that share each sequence
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024), hide_short_help = true)]
    pub context_parallel: Option<u32>,
    /// Devices that share the experts
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024), hide_short_help = true)]
    pub expert_parallel: Option<u32>,
    /// Shard over data-parallel devices: 1 the optimizer, 2 also gradients, 3 also weights (FSDP)
    #[arg(long, value_name = "STAGE", value_parser = clap::value_parser!(u8).range(0..=3))]
    pub zero_stage: Option<u8>,
    /// Groups of devices that each hold all of what --zero-stage shards: hybrid sharding
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536), hide_short_help = true)]
    pub shard_groups: Option<u32>,
    /// Requests in flight at once
    #[arg(long, help_heading = LOAD, value_name = "N", value_parser = positive, conflicts_with = "batch")]
    pub users: Option<f64>,
    /// Requests per second, arriving at random
    #[arg(long, help_heading = LOAD, value_name = "R", value_parser = positive, conflicts_with_all = ["users", "batch"])]
    pub request_rate: Option<f64>,
    /// Requests in all: the load ends with the last answer, and tokens/s are the average until then
    #[arg(long, help_heading = LOAD, value_name = "N", value_parser = positive, requires = "users", conflicts_with = "request_rate", hide_short_help = true)]
    pub requests: Option<f64>,
    /// Longest time to first token: 2s, 500ms
    #[arg(long, help_heading = LOAD, value_name = "TIME", value_parser = seconds)]
    pub max_ttft: Option<f64>,
    /// Least output tokens per second of one user
    #[arg(long, help_heading = LOAD, value_name = "TOKENS", value_parser = positive)]
    pub min_speed: Option<f64>,
    /// Longest time per output token: 50ms; the inverse of --min-speed
    #[arg(long, help_heading = LOAD, value_name = "TIME", value_parser = seconds, conflicts_with = "min_speed", hide_short_help = true)]
    pub max_tpot: Option<f64>,
    /// Share of the prompt that is in the cache already, from 0 to 1
    #[arg(long, help_heading = LOAD, value_name = "SHARE", hide_short_help = true)]
    pub prefix_cache: Option<f64>,
    /// Tokens guessed at once, and the share of guesses that hold: 3:0.7
    #[arg(long, help_heading = LOAD, value_name = "TOKENS:SHARE", hide_short_help = true)]
    pub speculative: Option<String>,
    /// Lengths are even between 1 less this share and 1 times the given ones: 0 if all are the same, up to 1
    #[arg(long, help_heading = LOAD, value_name = "SHARE", hide_short_help = true)]
    pub length_spread: Option<f64>,
    /// Steps of the engine from one look for requests to the next, as SGLang and TensorRT-LLM can be set
    #[arg(long, help_heading = LOAD, value_name = "STEPS", hide_short_help = true)]
    pub admission_interval: Option<f64>,
    /// Let some replicas read prompts, and others generate; with grpo and ppo, let some devices generate, and others train
    #[arg(long, help_heading = LOAD, hide_short_help = true)]
    pub disaggregated: bool,
    /// Version of the engine; the newest by default
    #[arg(long, help_heading = LOAD, value_name = "VERSION", hide_short_help = true)]
    pub engine_version: Option<String>,
}
