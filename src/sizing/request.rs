//! What was asked, with every choice made.

use serde::Serialize;
use serde_json::Value;
use sky_accel_core::catalog::Catalog;
use sky_accel_core::note::Note;
use sky_accel_core::sizing::{
    CacheFormat, Float, GivenLayout, Layout, Run, WeightFormat, Word, Workload,
};
use sky_accel_core::suggest;

use super::model::{ModelFacts, read_model};
use crate::cli::{ModelArg, RunArgs};
use crate::error::CliError;
use crate::live::HubReader;
use crate::output::Num;

type Result<T> = std::result::Result<T, CliError>;

/// More tokens than anything computes at once, and more sequences.
const MAX_TOKENS: f64 = 1e9;
const MAX_BATCH: f64 = 1e6;

/// A model and a run of it.
#[derive(Clone, Debug)]
pub struct Asked {
    pub model: ModelFacts,
    pub precision: String,
    pub group_size: Option<f64>,
    pub run: Run,
    pub given: GivenLayout,
    pub notes: Vec<Note>,
}

/// The request as it was understood: every choice, in the words of the flags.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RequestOut {
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

fn wrong(message: String) -> CliError {
    CliError::usage("usage.bad-value", message)
}

/// A word, or an error that says which there are.
fn word<T: Word>(flag: &str, text: Option<&String>) -> Result<Option<T>> {
    let Some(text) = text else { return Ok(None) };
    if let Some(word) = T::from_word(text) {
        return Ok(Some(word));
    }
    let all: Vec<&str> = T::ALL.iter().map(|(word, _)| *word).collect();
    let message = format!("unknown {flag} '{text}': it is one of {}", all.join(", "));
    let near = suggest::closest(text, all.iter().copied());
    Err(wrong(message).hint(near))
}

/// A number in its bounds.
fn number(
    flag: &str,
    value: Option<f64>,
    bounds: std::ops::RangeInclusive<f64>,
) -> Result<Option<f64>> {
    match value {
        Some(value) if !bounds.contains(&value) => {
            let (low, high) = (bounds.start(), bounds.end());
            Err(wrong(format!(
                "{flag} is between {low} and {high}, not {value}"
            )))
        }
        value => Ok(value),
    }
}

/// A format of weights, and what it is called.
fn precision(
    catalog: &Catalog<'_>,
    name: &str,
    group: Option<f64>,
) -> Result<(String, WeightFormat)> {
    let Some(row) = catalog.weight_format(name) else {
        let all: Vec<&str> = catalog
            .weight_formats
            .iter()
            .map(|row| catalog.str(row.name))
            .collect();
        let near = suggest::closest(name, all.iter().copied());
        let message = if near.is_empty() {
            format!(
                "unknown precision '{name}': it is one of {}",
                all.join(", ")
            )
        } else {
            format!("unknown precision '{name}'")
        };
        return Err(wrong(message).hint(near));
    };
    let mut format = row.format;
    if let Some((bits, size)) = row.group {
        let size = group.unwrap_or(size);
        format.bits += bits / size;
        if format.attention_bits < 16.0 {
            format.attention_bits += bits / size;
        }
    } else if group.is_some() {
        let message = format!("{} has no groups to choose", catalog.str(row.name));
        return Err(wrong(message));
    }
    Ok((catalog.str(row.name).to_owned(), format))
}

/// The kinds of work that are computed.
pub fn workload(text: Option<&String>) -> Result<Workload> {
    Ok(word("workload", text)?.unwrap_or(Workload::Inference))
}

/// Reads a model and a run of it.
pub fn read(catalog: &Catalog<'_>, args: &RunArgs, hub: Option<&HubReader<'_>>) -> Result<Asked> {
    let workload = workload(args.workload.as_ref())?;
    let mut notes = Vec::new();
    let model = read_model(catalog, args, hub, &mut notes)?;
    let by_default = match workload {
        Workload::Qlora => "nf4",
        _ => model.stored_as.as_deref().unwrap_or("bf16"),
    };
    let group = number("group_size", args.group_size, 8.0..=65_536.0)?;
    let name = args.precision.as_deref().unwrap_or(by_default);
    let (precision, mut weights) = precision(catalog, name, group)?;
    if let Some(format) = model.format.filter(|_| name == by_default) {
        weights = format;
    }
    if workload == Workload::Qlora && !weights.is_quantized() {
        return Err(wrong(format!(
            "qlora keeps the weights in a small format such as nf4, not in {precision}"
        )));
    }
    if matches!(workload, Workload::Full | Workload::Pretrain)
        && weights.bits < 16.0
        && weights.compute_bits > 8.0
    {
        return Err(wrong(format!(
            "weights in {precision} are not trained: adapters on them are (qlora)"
        )));
    }
    let mut run = Run::new(workload, weights);
    let with = |value: Option<f64>, own: f64| value.unwrap_or(own);
    run.context = with(
        number("context", args.context, 1.0..=MAX_TOKENS)?,
        run.context
            .min(model.shape.context.map_or(f64::MAX, f64::from)),
    );
    run.generate = with(
        number("generate", args.generate, 0.0..=MAX_TOKENS)?,
        run.generate,
    );
    if workload.is_training() && args.generate.is_some_and(|tokens| tokens > 0.0) {
        return Err(wrong(
            "generate is for inference: training generates nothing".to_owned(),
        ));
    }
    run.batch = with(number("batch", args.batch, 1.0..=MAX_BATCH)?, run.batch);
    if run.context.fract() != 0.0 || run.generate.fract() != 0.0 || run.batch.fract() != 0.0 {
        return Err(wrong(
            "context, generate and batch are whole numbers".to_owned(),
        ));
    }
    if let Some(limit) = model
        .shape
        .context
        .map(f64::from)
        .filter(|limit| run.sequence() > *limit)
    {
        if workload.is_training() {
            let message = format!(
                "{} was made for {limit} tokens; it can be trained on more",
                model.name
            );
            notes.push(Note::new("long-context", message));
        } else if run.context > limit {
            let message = format!(
                "{} was made for {limit} tokens, not for a context of {}",
                model.name, run.context
            );
            return Err(wrong(message));
        } else if args.generate.is_none() {
            run.generate = limit - run.context;
        } else {
            let message = format!(
                "context and generate are {} tokens; {} was made for {limit}",
                run.sequence(),
                model.name
            );
            notes.push(Note::new("long-context", message));
        }
    }
    run.gpu_memory_utilization = with(
        number(
            "gpu_memory_utilization",
            args.gpu_memory_utilization,
            0.1..=1.0,
        )?,
        run.gpu_memory_utilization,
    );
    run.max_batched_tokens = with(
        number(
            "max_batched_tokens",
            args.max_batched_tokens,
            1.0..=MAX_TOKENS,
        )?,
        run.max_batched_tokens,
    );
    run.lora_rank = with(
        number("lora_rank", args.lora_rank, 1.0..=65_536.0)?,
        run.lora_rank,
    );
    run.engine = word("engine", args.engine.as_ref())?.unwrap_or(run.engine);
    run.cache =
        word::<CacheFormat>("kv_precision", args.kv_precision.as_ref())?.unwrap_or(run.cache);
    run.attention = word("attention", args.attention.as_ref())?.unwrap_or(run.attention);
    run.logits = word("logits", args.logits.as_ref())?.unwrap_or(run.logits);
    run.optimizer = word("optimizer", args.optimizer.as_ref())?.unwrap_or(run.optimizer);
    run.checkpointing =
        word("checkpointing", args.checkpointing.as_ref())?.unwrap_or(run.checkpointing);
    run.lora_targets =
        word("lora_targets", args.lora_targets.as_ref())?.unwrap_or(run.lora_targets);
    run.offload = word("offload", args.offload.as_ref())?.unwrap_or(run.offload);
    run.compile = args.compile.unwrap_or(run.compile);
    run.optimizer_in_backward = args
        .optimizer_in_backward
        .unwrap_or(run.optimizer_in_backward);
    run.parameters = word::<Float>("parameter_precision", args.parameter_precision.as_ref())?
        .unwrap_or(run.parameters);
    run.gradients = word::<Float>("gradient_precision", args.gradient_precision.as_ref())?
        .unwrap_or(run.parameters);
    run.master_weights = match args.master_weights.as_deref() {
        None => None,
        Some("fp32") => Some(true),
        Some("none") => Some(false),
        Some(other) => {
            return Err(wrong(format!(
                "unknown master_weights '{other}': it is one of fp32, none"
            )));
        }
    };
    let given = GivenLayout {
        tensor: args.tensor_parallel,
        pipeline: args.pipeline_parallel,
        data: args.data_parallel,
        context: args.context_parallel,
        expert: args.expert_parallel,
        zero_stage: args.zero_stage,
    };
    for (flag, value) in [
        ("tensor_parallel", given.tensor),
        ("pipeline_parallel", given.pipeline),
        ("data_parallel", given.data),
        ("context_parallel", given.context),
        ("expert_parallel", given.expert),
    ] {
        number(flag, value.map(f64::from), 1.0..=65_536.0)?;
    }
    number("zero_stage", given.zero_stage.map(f64::from), 0.0..=3.0)?;
    Ok(Asked {
        model,
        precision,
        group_size: group,
        run,
        given,
        notes,
    })
}

impl Asked {
    /// The request as it was understood.
    pub fn echo(&self, args: &RunArgs, spec: Option<&str>) -> RequestOut {
        let run = &self.run;
        let trains = run.workload.is_training();
        let serves = !trains && !matches!(run.engine.word(), "none" | "transformers" | "llama.cpp");
        let adapters = run.workload.has_adapters();
        RequestOut {
            spec: spec.map(str::to_owned),
            model: args.model.as_ref().map(|model| match model {
                ModelArg::Name(name) => Value::from(name.as_str()),
                ModelArg::Config(fields) => Value::Object(fields.clone()),
            }),
            model_size: args.model_size.clone(),
            workload: run.workload.word(),
            precision: self.precision.clone(),
            group_size: self.group_size.map(Num),
            kv_precision: (!trains).then(|| run.cache.word()),
            context: Num(run.context),
            generate: (!trains).then_some(Num(run.generate)),
            batch: Num(run.batch),
            engine: run.engine.word(),
            gpu_memory_utilization: serves.then_some(Num(run.gpu_memory_utilization)),
            max_batched_tokens: serves.then_some(Num(run.max_batched_tokens)),
            attention: run.attention.word(),
            logits: run.logits.word(),
            training: trains.then(|| TrainingOut {
                compile: run.compile,
                optimizer: run.optimizer.word(),
                optimizer_in_backward: run.optimizer_in_backward,
                master_weights: run
                    .master_weights
                    .map(|has| if has { "fp32" } else { "none" }),
                parameter_precision: run.parameters.word(),
                gradient_precision: run.gradients.word(),
                checkpointing: run.checkpointing.word(),
                lora_rank: adapters.then_some(Num(run.lora_rank)),
                lora_targets: adapters.then(|| run.lora_targets.word()),
                offload: run.offload.word(),
            }),
            layout: LayoutRequest {
                tensor_parallel: self.given.tensor,
                pipeline_parallel: self.given.pipeline,
                data_parallel: self.given.data,
                context_parallel: self.given.context,
                expert_parallel: self.given.expert,
                zero_stage: self.given.zero_stage,
            },
        }
    }
}

/// How a layout is told: as flags say it.
pub fn spread(layout: &Layout) -> String {
    let mut parts = Vec::new();
    for (name, n) in [
        ("tensor", layout.tensor),
        ("pipeline", layout.pipeline),
        ("data", layout.data),
        ("context", layout.context),
        ("expert", layout.expert),
    ] {
        if n > 1 {
            parts.push(format!("{name} {n}"));
        }
    }
    if layout.zero_stage > 0 {
        parts.push(format!("ZeRO {}", layout.zero_stage));
    }
    parts.join(", ")
}
