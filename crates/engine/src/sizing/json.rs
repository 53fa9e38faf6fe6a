//! A run as a JSON object: the fields of the flags, words as strings.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use sky_accel_core::suggest;
use sky_accel_core::word::Word;

use super::model::ModelSize;
use super::request::{ModelSource, RunRequest};
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
    Ok(RunRequest {
        model,
        assume: fields.assume,
        workload: word("workload", fields.workload.as_deref())?,
        precision: fields.precision,
        group_size: fields.group_size,
        kv_precision: word("kv_precision", fields.kv_precision.as_deref())?,
        context: fields.context,
        generate: fields.generate,
        batch: fields.batch,
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
        tensor_parallel: fields.tensor_parallel,
        pipeline_parallel: fields.pipeline_parallel,
        data_parallel: fields.data_parallel,
        context_parallel: fields.context_parallel,
        expert_parallel: fields.expert_parallel,
        zero_stage: fields.zero_stage,
    })
}
