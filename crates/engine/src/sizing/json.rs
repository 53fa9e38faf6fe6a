//! A run as a JSON object: the fields of the flags, words as strings.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use sky_accel_core::suggest;
use sky_accel_core::word::Word;

use super::load::LoadRequest;
use super::model::ModelSize;
use super::request::{ModelSource, RunRequest};
use super::step::StepRequest;
use crate::code::ErrorCode;
use crate::error::{Error, Result};

/// A model: a name or path, or its configuration.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum ModelField {
    Name(String),
    Config(Map<String, Value>),
}

/// The fields that an object may have.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Fields {
    model: Option<ModelField>,
    model_size: Option<String>,
    assume: Option<String>,
    workload: Option<String>,
    precision: Option<String>,
    group_size: Option<f64>,
    kv_precision: Option<String>,
    context: Option<f64>,
    generate: Option<f64>,
    batch: Option<f64>,
    engine: Option<String>,
    gpu_memory_utilization: Option<f64>,
    max_batched_tokens: Option<f64>,
    attention: Option<String>,
    logits: Option<String>,
    compile: Option<bool>,
    optimizer: Option<String>,
    optimizer_in_backward: Option<bool>,
    master_weights: Option<String>,
    parameter_precision: Option<String>,
    gradient_precision: Option<String>,
    checkpointing: Option<String>,
    lora_rank: Option<f64>,
    lora_targets: Option<String>,
    offload: Option<String>,
    #[serde(deserialize_with = "whole")]
    gpu_layers: Option<u32>,
    #[serde(deserialize_with = "whole")]
    tensor_parallel: Option<u32>,
    #[serde(deserialize_with = "whole")]
    pipeline_parallel: Option<u32>,
    #[serde(deserialize_with = "whole")]
    data_parallel: Option<u32>,
    #[serde(deserialize_with = "whole")]
    context_parallel: Option<u32>,
    #[serde(deserialize_with = "whole")]
    expert_parallel: Option<u32>,
    #[serde(deserialize_with = "whole")]
    zero_stage: Option<u8>,
    #[serde(deserialize_with = "whole")]
    shard_groups: Option<u32>,
    concurrency: Option<f64>,
    request_rate: Option<f64>,
    requests: Option<f64>,
    max_ttft: Option<Duration>,
    min_speed: Option<f64>,
    max_tpot: Option<Duration>,
    prefix_cache: Option<f64>,
    speculative: Option<String>,
    length_spread: Option<f64>,
    admission_interval: Option<f64>,
    engine_version: Option<String>,
    disaggregated: Option<bool>,
    micro_batch: Option<f64>,
    gradient_accumulation: Option<f64>,
    global_batch: Option<f64>,
    virtual_pipeline: Option<f64>,
    packed: Option<f64>,
    modules_to_save: Option<Words>,
    rollouts: Option<f64>,
    off_policy_steps: Option<f64>,
    reference_model: Option<String>,
    teacher_model: Option<String>,
    calibrate: Option<String>,
}

/// Words, as a list or with commas between them.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Words {
    List(Vec<String>),
    Text(String),
}

impl Words {
    fn list(self) -> Vec<String> {
        match self {
            Self::List(list) => list,
            Self::Text(text) => text
                .split(',')
                .map(|word| word.trim().to_owned())
                .filter(|word| !word.is_empty())
                .collect(),
        }
    }
}

/// A length of time: seconds as a number, or a text such as `2s` and `50ms`.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Duration {
    Seconds(f64),
    Text(String),
}

impl Duration {
    fn seconds(self, field: &str) -> Result<f64> {
        match self {
            Self::Seconds(seconds) => Ok(seconds),
            Self::Text(text) => read_seconds(&text).ok_or_else(|| {
                let message = format!("{field} is a time such as 2s or 50ms, not '{text}'");
                Error::new(ErrorCode::BadValue, message)
            }),
        }
    }
}

/// How a measured number is written.
pub const MEASURED: &str = "a number that was measured, such as tokens_per_s=4100";

/// Reads a measured number: `tokens_per_s=4100`. `None` where the text is none.
#[must_use]
pub fn read_measured(text: &str) -> Option<f64> {
    let value: f64 = text.trim().strip_prefix("tokens_per_s=")?.parse().ok()?;
    (value.is_finite() && value > 0.0).then_some(value)
}

/// Reads seconds: `2s`, `50ms`, or a number alone. `None` where the text is no time.
#[must_use]
pub fn read_seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    let (number, unit) = if let Some(number) = text.strip_suffix("ms") {
        (number, 1e-3)
    } else {
        (text.strip_suffix('s').unwrap_or(text), 1.0)
    };
    let value: f64 = number.trim().parse().ok()?;
    value.is_finite().then_some(value * unit)
}

/// A whole number, in JSON perhaps with a point.
fn whole<'de, D, T>(deserializer: D) -> std::result::Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<u64>,
{
    let Some(number) = Option::<f64>::deserialize(deserializer)? else {
        return Ok(None);
    };
    let fits = number >= 0.0 && number.fract() == 0.0 && number < 1e15;
    let whole = fits
        .then_some(number as u64)
        .and_then(|n| T::try_from(n).ok());
    let message = || D::Error::custom(format!("{number} is not a whole number in its bounds"));
    whole.map(Some).ok_or_else(message)
}

/// A word, or an error that lists the words.
fn word<T: Word>(field: &str, text: Option<&str>) -> Result<Option<T>> {
    let Some(text) = text else { return Ok(None) };
    if let Some(word) = T::from_word(text) {
        return Ok(Some(word));
    }
    let words: Vec<&str> = T::ALL.iter().map(|(word, _)| *word).collect();
    let message = format!(
        "unknown {field} '{text}': it is one of {}",
        words.join(", ")
    );
    let near = suggest::closest(text, words.iter().copied());
    Err(Error::new(ErrorCode::BadValue, message).hint(near))
}

/// Reads a run from a JSON object, as a line of `fit -` has it (without its `spec`).
///
/// # Errors
///
/// [`ErrorCode::Request`] when a field is unknown or of a wrong type; [`ErrorCode::BadValue`]
/// when a word is not one of its set; [`ErrorCode::TwoModels`] when the model is given twice.
pub fn run_from_json(fields: Map<String, Value>) -> Result<RunRequest> {
    let fields: Fields = serde_json::from_value(Value::Object(fields))
        .map_err(|error| Error::new(ErrorCode::Request, error.to_string()))?;
    let model = match (fields.model, fields.model_size) {
        (Some(_), Some(_)) => {
            let message = "a model has a name or a size: say one of model and model_size";
            return Err(Error::new(ErrorCode::TwoModels, message));
        }
        (Some(ModelField::Name(name)), None) => Some(ModelSource::Name(name)),
        (Some(ModelField::Config(config)), None) => Some(ModelSource::Config(config)),
        (None, Some(size)) => Some(ModelSource::Size(ModelSize::parse(&size)?)),
        (None, None) => None,
    };
    let batch = match (fields.batch, fields.micro_batch) {
        (Some(batch), Some(micro)) if (batch - micro).abs() > 0.0 => {
            let message =
                format!("micro_batch is the other name of batch: {micro} and {batch} are given");
            return Err(Error::new(ErrorCode::BadValue, message));
        }
        (batch, micro) => batch.or(micro),
    };
    let time =
        |field: &str, time: Option<Duration>| time.map(|time| time.seconds(field)).transpose();
    Ok(RunRequest {
        model,
        assume: fields.assume,
        workload: word("workload", fields.workload.as_deref())?,
        precision: fields.precision,
        group_size: fields.group_size,
        kv_precision: word("kv_precision", fields.kv_precision.as_deref())?,
        context: fields.context,
        generate: fields.generate,
        batch,
        engine: word("engine", fields.engine.as_deref())?,
        gpu_memory_utilization: fields.gpu_memory_utilization,
        max_batched_tokens: fields.max_batched_tokens,
        attention: word("attention", fields.attention.as_deref())?,
        logits: word("logits", fields.logits.as_deref())?,
        compile: fields.compile,
        optimizer: word("optimizer", fields.optimizer.as_deref())?,
        optimizer_in_backward: fields.optimizer_in_backward,
        master_weights: word("master_weights", fields.master_weights.as_deref())?,
        parameter_precision: word("parameter_precision", fields.parameter_precision.as_deref())?,
        gradient_precision: word("gradient_precision", fields.gradient_precision.as_deref())?,
        checkpointing: word("checkpointing", fields.checkpointing.as_deref())?,
        lora_rank: fields.lora_rank,
        lora_targets: word("lora_targets", fields.lora_targets.as_deref())?,
        offload: word("offload", fields.offload.as_deref())?,
        gpu_layers: fields.gpu_layers,
        tensor_parallel: fields.tensor_parallel,
        pipeline_parallel: fields.pipeline_parallel,
        data_parallel: fields.data_parallel,
        context_parallel: fields.context_parallel,
        expert_parallel: fields.expert_parallel,
        zero_stage: fields.zero_stage,
        shard_groups: fields.shard_groups,
        load: LoadRequest {
            concurrency: fields.concurrency,
            request_rate: fields.request_rate,
            requests: fields.requests,
            max_ttft_s: time("max_ttft", fields.max_ttft)?,
            min_speed: fields.min_speed,
            max_tpot_ms: time("max_tpot", fields.max_tpot)?.map(|seconds| seconds * 1e3),
            prefix_cache: fields.prefix_cache,
            speculative: fields.speculative,
            length_spread: fields.length_spread,
            admission_interval: fields.admission_interval,
            engine_version: fields.engine_version,
            disaggregated: fields.disaggregated,
        },
        step: StepRequest {
            gradient_accumulation: fields.gradient_accumulation,
            global_batch: fields.global_batch,
            virtual_pipeline: fields.virtual_pipeline,
            packed: fields.packed,
            modules_to_save: fields.modules_to_save.map(Words::list).unwrap_or_default(),
            rollouts: fields.rollouts,
            off_policy_steps: fields.off_policy_steps,
            reference_model: fields.reference_model,
            teacher_model: fields.teacher_model,
        },
        measured_tokens_per_s: fields
            .calibrate
            .as_deref()
            .map(|text| {
                read_measured(text).ok_or_else(|| {
                    let message = format!("calibrate is {MEASURED}, not '{text}'");
                    Error::new(ErrorCode::BadValue, message)
                })
            })
            .transpose()?,
    })
}
