//! A model and a run of it: as it is asked, and with every choice made.

use std::path::Path;

use serde_json::{Map, Value};
use sky_accel_core::catalog::Catalog;
use sky_accel_core::note::Note;
use sky_accel_core::sizing::{
    Attention, CacheFormat, Checkpointing, Engine, Float, GivenLayout, Logits, LoraTargets,
    MasterWeights, ModelKind, Offload, Optimizer, Run, StepSize, WeightFormat, Workload,
};
use sky_accel_core::suggest;

use super::hub::ModelHub;
use super::load::{LoadRequest, echo, read_load, release};
use super::media;
use super::model::{ModelFacts, ModelSize, read_model};
use super::sizer::Measured;
use super::step::{StepRequest, read_frozen, read_step};
use crate::code::ErrorCode;
use crate::contract::{LayoutRequest, Num, RunOut, TrainingOut};
use crate::error::{Error, Result};
use crate::text::grouped;

/// The most tokens and the most sequences that a run may have.
pub(super) const MAX_TOKENS: f64 = 1e9;
pub(super) const MAX_BATCH: f64 = 1e6;

/// The model of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelSource {
    /// A name of the catalog, a file, a folder, or `hf:organisation/name`.
    Name(String),
    /// The fields of a `config.json`.
    Config(Map<String, Value>),
    /// A size alone: the shape is that of a model of today with such a size.
    Size(ModelSize),
}

impl ModelSource {
    /// The model that one word stands for: a size such as `13B`, unless there is a file or folder of that
    /// name, else a name or path.
    pub fn read(word: &str) -> Self {
        match ModelSize::parse(word) {
            Ok(size) if !Path::new(word).exists() => Self::Size(size),
            _ => Self::Name(word.to_owned()),
        }
    }
}

/// A model and the work, as far as they are given. Fields that are `None` are chosen, and the
/// answer repeats the choice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunRequest {
    /// The model. Required: without one the request fails with [`ErrorCode::NoModel`].
    pub model: Option<ModelSource>,
    /// The model type to read a configuration as, where its own is unknown: `llama`, `qwen3`.
    pub assume: Option<String>,
    /// The kind of work.
    pub workload: Option<Workload>,
    /// The format of the weights, as `catalog/formats.toml` names it: `bf16`, `fp8`, `nf4`.
    pub precision: Option<String>,
    /// The number of weights that share a scale, for formats with groups.
    pub group_size: Option<f64>,
    /// The format of the KV cache.
    pub kv_precision: Option<CacheFormat>,
    /// Tokens of the prompt, or of a training sequence.
    pub context: Option<f64>,
    /// Tokens generated after the prompt.
    pub generate: Option<f64>,
    /// Concurrent sequences per data-parallel group.
    pub batch: Option<f64>,
    /// The software that runs the model.
    pub engine: Option<Engine>,
    /// The share of a device's memory that a serving engine may use, from 0.1 to 1.
    pub gpu_memory_utilization: Option<f64>,
    /// Tokens that a serving engine computes in one step.
    pub max_batched_tokens: Option<f64>,
    /// The attention implementation.
    pub attention: Option<Attention>,
    /// The positions whose logits are computed.
    pub logits: Option<Logits>,
    /// True if a model in training is compiled.
    pub compile: Option<bool>,
    /// The optimizer.
    pub optimizer: Option<Optimizer>,
    /// True if each optimizer step is taken during the backward pass.
    pub optimizer_in_backward: Option<bool>,
    /// The copy of the weights that the optimizer keeps.
    pub master_weights: Option<MasterWeights>,
    /// The format of the trained parameters.
    pub parameter_precision: Option<Float>,
    /// The format of the gradients.
    pub gradient_precision: Option<Float>,
    /// The extent of activation checkpointing.
    pub checkpointing: Option<Checkpointing>,
    /// The rank of LoRA adapters.
    pub lora_rank: Option<f64>,
    /// The matrices with LoRA adapters.
    pub lora_targets: Option<LoraTargets>,
    /// The state that is kept in host memory.
    pub offload: Option<Offload>,
    /// Layers that llama.cpp computes on the devices, the head counted as one more; the host computes the
    /// others.
    pub gpu_layers: Option<u32>,
    /// Devices that share each matrix.
    pub tensor_parallel: Option<u32>,
    /// Devices that share the layers.
    pub pipeline_parallel: Option<u32>,
    /// Groups of devices that process separate batches.
    pub data_parallel: Option<u32>,
    /// Devices that share each sequence.
    pub context_parallel: Option<u32>,
    /// Devices that share the experts.
    pub expert_parallel: Option<u32>,
    /// The ZeRO stage, from 0 (nothing is sharded) to 3.
    pub zero_stage: Option<u8>,
    /// Groups of devices that each hold all of what ZeRO shards: hybrid sharding.
    pub shard_groups: Option<u32>,
    /// The load of a server.
    pub load: LoadRequest,
    /// The size of an optimizer step.
    pub step: StepRequest,
    /// Tokens per second that the user measured, generated or trained on by all devices together: all
    /// speeds are scaled by it.
    pub measured_tokens_per_s: Option<f64>,
}

/// A model and a run of it, with every choice made.
#[derive(Clone, Debug)]
pub struct ModelRun {
    /// The model.
    pub model: ModelFacts,
    /// The catalog's name for the format of the weights.
    pub precision: String,
    /// The number of weights that share a scale; `None` for formats without groups.
    pub group_size: Option<f64>,
    /// The work, as the sizing computes it.
    pub run: Run,
    /// The version of the engine; `None` for the newest one.
    pub engine_version: Option<String>,
    /// Tokens per second that the user measured; all speeds are scaled by it.
    pub measured_tokens_per_s: Option<f64>,
    /// The part of the layout that was given; the rest is searched.
    pub given: GivenLayout,
    /// Whether the layout is the one that answers one user soonest, not the one that serves most.
    pub is_for_latency: bool,
    /// The measurements of this kind of work.
    pub(crate) measured: Measured,
    /// Remarks on the choices that were made.
    pub notes: Vec<Note>,
}

pub(super) fn wrong(message: String) -> Error {
    Error::new(ErrorCode::BadValue, message)
}

/// A number in its bounds.
pub(super) fn number(
    field: &str,
    value: Option<f64>,
    bounds: std::ops::RangeInclusive<f64>,
) -> Result<Option<f64>> {
    match value {
        Some(value) if !bounds.contains(&value) => {
            let (low, high) = (bounds.start(), bounds.end());
            // A number of 300 digits is no help.
            let value = if value.abs() < 1e15 {
                value.to_string()
            } else {
                format!("{value:e}")
            };
            Err(wrong(format!(
                "{field} is between {low} and {high}, not {value}"
            )))
        }
        value => Ok(value),
    }
}

/// Begins the names of GGUF's formats.
const GGUF: &str = "gguf:";

/// The name of a format of GGUF as GGUF writes it.
fn plain(name: &str) -> &str {
    name.strip_prefix(GGUF).unwrap_or(name)
}

/// A format of weights, and what it is called.
pub(super) fn precision(
    catalog: &Catalog<'_>,
    name: &str,
    group: Option<f64>,
) -> Result<(String, WeightFormat)> {
    let Some(row) = catalog.weight_format(name) else {
        let names: Vec<&str> = catalog
            .weight_formats
            .iter()
            .map(|row| catalog.str(row.name))
            .collect();
        let near = suggest::closest(plain(name), names.iter().map(|name| plain(name)));
        let error = wrong(format!("unknown precision '{name}'"));
        // GGUF has dozens, which would bury the others.
        let (gguf, others): (Vec<&str>, Vec<&str>) =
            names.iter().partition(|name| name.starts_with(GGUF));
        return Err(match (near.is_empty(), gguf.first()) {
            (true, Some(first)) => error.advise(format!(
                "known are {}, and types of GGUF such as {first}",
                others.join(", ")
            )),
            _ => error.hint(near),
        });
    };
    let mut format = row.format;
    if let Some((bits, size)) = row.group {
        let size = group.unwrap_or(size);
        format.bits += bits / size;
        format.mlp_bits += bits / size;
        if format.attention_bits < 16.0 {
            format.attention_bits += bits / size;
        }
    } else if group.is_some() {
        let message = format!("{} has no groups to choose", catalog.str(row.name));
        return Err(wrong(message));
    }
    Ok((catalog.str(row.name).to_owned(), format))
}

/// Reads a model, and makes every choice that the request leaves open.
pub(crate) fn read(
    catalog: &Catalog<'_>,
    request: &RunRequest,
    hub: Option<&ModelHub<'_>>,
) -> Result<ModelRun> {
    let workload = request.workload.unwrap_or(Workload::Inference);
    let mut notes = Vec::new();
    let model = read_model(catalog, request, hub, &mut notes)?;
    media::check(request, &model)?;
    let group_size = number("group_size", request.group_size, 8.0..=65_536.0)?;
    let (precision, weights) = weights(catalog, request, &model, workload, group_size)?;
    let mut run = Run::new(workload, weights);
    read_adapters(&mut run, request);
    read_lengths(&mut run, request, &model, &mut notes)?;
    let implied = catalog
        .weight_format(&precision)
        .and_then(|row| catalog.engine_of(&row));
    read_options(&mut run, request, &model, implied)?;
    notes.extend(media::adapt(&mut run, request, &model));
    if model.kind == ModelKind::Text || workload.is_training() {
        read_load(catalog, &mut run, request, &mut notes)?;
    }
    read_step(
        &mut run,
        &request.step,
        request.load.disaggregated == Some(true),
    )?;
    run.frozen = read_frozen(catalog, request, &model, &run, hub, &mut notes)?;
    notes.extend(unknown_quantization(request, &model, &precision));
    let measured = request.measured_tokens_per_s;
    let measured_tokens_per_s = number("calibrate", measured, 1e-3..=1e9)?;
    if measured.is_some() && request.load.request_rate.is_some() {
        return Err(wrong(
            "a rate of requests sets the tokens/s: calibrate with concurrency, or without a load"
                .to_owned(),
        ));
    }
    if let Some(tokens_per_s) = measured_tokens_per_s {
        let message =
            format!("all speeds are scaled to the {tokens_per_s} tokens/s that you measured");
        notes.push(Note::new("calibrated", message));
    }
    Ok(ModelRun {
        model,
        precision,
        group_size,
        measured: Measured::of(catalog, run.measured_as(), run.engine),
        run,
        engine_version: request.load.engine_version.as_deref().and_then(release),
        measured_tokens_per_s,
        given: given_layout(request, workload.is_training())?,
        is_for_latency: false,
        notes,
    })
}

/// The format of weights under the adapters of QLoRA (Dettmers et al., arXiv 2305.14314).
pub(crate) const QLORA: &str = "nf4";

/// The format of weights that are stored as they were trained.
const UNPACKED: &str = "bf16";

/// Whether the files are in a format of 4 bits or so, from which weights are unpacked before all of them are trained.
/// Workloads that may train adapters do so on formats that devices do not multiply.
fn is_unpacked_to_train(
    catalog: &Catalog<'_>,
    request: &RunRequest,
    workload: Workload,
    stored: &str,
) -> bool {
    let asks_for_adapters = request.lora_rank.is_some() || request.lora_targets.is_some();
    let most_bits = match workload {
        Workload::Full | Workload::Pretrain => f64::INFINITY,
        Workload::Dpo | Workload::Grpo | Workload::Ppo | Workload::Distill
            if !asks_for_adapters =>
        {
            8.0
        }
        _ => return false,
    };
    let format = precision(catalog, stored, None);
    format.is_ok_and(|(_, weights)| weights.bits < 8.0 && weights.compute_bits <= most_bits)
}

/// The weight format: the one asked for, that of the files, or the default of the work.
fn weights(
    catalog: &Catalog<'_>,
    request: &RunRequest,
    model: &ModelFacts,
    workload: Workload,
    group_size: Option<f64>,
) -> Result<(String, WeightFormat)> {
    let trains_all = matches!(workload, Workload::Full | Workload::Pretrain);
    let stored = model.stored_as.as_deref().unwrap_or(UNPACKED);
    let by_default = match workload {
        Workload::Qlora => QLORA,
        _ if is_unpacked_to_train(catalog, request, workload, stored) => UNPACKED,
        _ => stored,
    };
    let name = request.precision.as_deref().unwrap_or(by_default);
    let (precision, mut weights) = precision(catalog, name, group_size)?;
    let is_as_stored = by_default == stored || workload == Workload::Qlora;
    if let Some(format) = model.format.filter(|_| name == by_default && is_as_stored) {
        weights = format;
    }
    if workload == Workload::Qlora && !weights.is_quantized() {
        return Err(wrong(format!(
            "qlora keeps the weights in a small format such as nf4, not in {precision}"
        )));
    }
    if trains_all && weights.bits < 16.0 && weights.compute_bits > 8.0 {
        return Err(wrong(format!(
            "weights in {precision} are not trained: adapters on them are (qlora)"
        )));
    }
    Ok((precision, weights))
}

/// Whether adapters are trained: as the kind of work says, else where anything is said of them, or where
/// the weights are not such as can be trained.
fn read_adapters(run: &mut Run, request: &RunRequest) {
    let is_asked = request.lora_rank.is_some() || request.lora_targets.is_some();
    let learns = matches!(
        run.workload,
        Workload::Dpo | Workload::Grpo | Workload::Ppo | Workload::Distill
    );
    if learns {
        let is_packed = run.weights.bits < 16.0 && run.weights.compute_bits > 8.0;
        run.adapters = is_asked || is_packed;
    }
}

/// Context, generated tokens and batch, held against what the model was made for.
fn read_lengths(
    run: &mut Run,
    request: &RunRequest,
    model: &ModelFacts,
    notes: &mut Vec<Note>,
) -> Result<()> {
    let limit = model.shape.context.map(f64::from);
    // Where nothing is said, both the prompt and the answer have room.
    let answer = number("generate", request.generate, 0.0..=MAX_TOKENS)?.unwrap_or(run.generate);
    let most = limit.map_or(f64::MAX, |limit| {
        if limit > 2.0 * answer {
            limit - answer
        } else {
            limit
        }
    });
    run.context =
        number("context", request.context, 1.0..=MAX_TOKENS)?.unwrap_or(run.context.min(most));
    run.generate = number("generate", request.generate, 0.0..=MAX_TOKENS)?.unwrap_or(run.generate);
    let trains = run.workload.is_training();
    let generates = !trains || run.workload.has_rollouts();
    if !generates && request.generate.is_some_and(|tokens| tokens > 0.0) {
        return Err(wrong(
            "generate is for inference, grpo and ppo: other training generates nothing".to_owned(),
        ));
    }
    run.batch = number("batch", request.batch, 1.0..=MAX_BATCH)?.unwrap_or(run.batch);
    if run.context.fract() != 0.0 || run.generate.fract() != 0.0 || run.batch.fract() != 0.0 {
        return Err(wrong(
            "context, generate and batch are whole numbers".to_owned(),
        ));
    }
    let name = &model.name;
    if let Some(yarn) = model.shape.yarn
        && !trains
    {
        let native = f64::from(yarn.native_context);
        if request.generate.is_none() && run.context < native {
            run.generate = run.generate.min(native - run.context);
        }
        if run.sequence() > native {
            notes.push(Note::new("yarn", only_with_yarn(name, native, run.engine)));
        }
    }
    let Some(limit) = limit.filter(|limit| run.sequence() > *limit) else {
        return Ok(());
    };
    if trains {
        let message = format!("{name} was made for {limit} tokens; it can be trained on more");
        notes.push(Note::new("long-context", message));
    } else if run.context > limit {
        return Err(wrong(format!(
            "{name} was made for {limit} tokens, not for a context of {}",
            run.context
        )));
    } else if request.generate.is_none() {
        run.generate = limit - run.context;
    } else {
        let message = format!(
            "context and generate are {} tokens; {name} was made for {limit}, and engines serve no more",
            run.sequence()
        );
        notes.push(Note::new("long-context", message));
    }
    Ok(())
}

/// That a model takes longer sequences than its files say only with YaRN.
fn only_with_yarn(name: &str, native: f64, engine: Engine) -> String {
    let native = grouped(native);
    let message = format!(
        "{name} accepts more than {native} tokens only with YaRN, which may degrade answers to short prompts"
    );
    // ggml-org/llama.cpp#28030.
    if engine == Engine::LlamaCpp {
        format!("{message}; builds of llama.cpp before September 2026 serve {native} all the same")
    } else {
        message
    }
}

/// The note that the files are quantized in an unknown way.
fn unknown_quantization(request: &RunRequest, model: &ModelFacts, precision: &str) -> Option<Note> {
    let unknown = model.unknown_quantization.as_ref();
    let words = unknown.filter(|_| request.precision.is_none())?;
    let message = format!(
        "the files are quantized by {words}, which is not known: computed as {precision}; choose another format with --precision"
    );
    Some(Note::new("unknown-quantization", message))
}

/// Everything that is a choice of the engine or of the training. `implied` is the engine that the
/// weight format is made for.
fn read_options(
    run: &mut Run,
    request: &RunRequest,
    model: &ModelFacts,
    implied: Option<Engine>,
) -> Result<()> {
    let share = request.gpu_memory_utilization;
    run.gpu_memory_utilization =
        number("gpu_memory_utilization", share, 0.1..=1.0)?.unwrap_or(run.gpu_memory_utilization);
    let tokens = request.max_batched_tokens;
    run.max_batched_tokens =
        number("max_batched_tokens", tokens, 1.0..=MAX_TOKENS)?.unwrap_or(run.max_batched_tokens);
    run.lora_rank =
        number("lora_rank", request.lora_rank, 1.0..=65_536.0)?.unwrap_or(run.lora_rank);
    if run.lora_rank.fract() != 0.0 {
        let rank = run.lora_rank;
        return Err(wrong(format!("lora_rank is a whole number, not {rank}")));
    }
    let implied = implied.filter(|_| !run.workload.is_training());
    run.engine = request.engine.or(implied).unwrap_or(run.engine);
    if run.workload.has_rollouts() && !run.engine.serves() {
        return Err(wrong(format!(
            "{} generates answers with vllm, sglang or tensorrt-llm, not with {}",
            run.workload.word(),
            run.engine.word()
        )));
    }
    let intended = model.kv_cache.filter(|_| run.engine.serves());
    // NVIDIA's small formats for TensorRT-LLM come with scales for a cache in 8 bits.
    let narrow = run.engine == Engine::TensorRtLlm
        && run.weights.compute_bits <= 8.0
        && run.weights.attention_bits < 16.0;
    let by_engine = narrow.then_some(CacheFormat::Fp8);
    run.cache = request
        .kv_precision
        .or(intended)
        .or(by_engine)
        .unwrap_or(run.cache);
    run.attention = request.attention.unwrap_or(run.attention);
    run.logits = request.logits.unwrap_or(run.logits);
    run.optimizer = request.optimizer.unwrap_or(run.optimizer);
    run.checkpointing = request.checkpointing.unwrap_or(run.checkpointing);
    run.lora_targets = request.lora_targets.unwrap_or(run.lora_targets);
    run.offload = request.offload.unwrap_or(run.offload);
    // Embedding and head come after the layers.
    let most = model.shape.layers + 1;
    if let Some(given) = request.gpu_layers.filter(|given| *given > most) {
        let name = &model.name;
        return Err(wrong(format!(
            "{name} has {} layers and a head, so gpu_layers is at most {most}, not {given}",
            model.shape.layers
        )));
    }
    run.gpu_layers = request.gpu_layers.filter(|given| *given < most);
    run.check().map_err(|error| wrong(error.to_string()))?;
    run.compile = request.compile.unwrap_or(run.compile);
    run.optimizer_in_backward = request
        .optimizer_in_backward
        .unwrap_or(run.optimizer_in_backward);
    run.parameters = request.parameter_precision.unwrap_or(run.parameters);
    run.gradients = request.gradient_precision.unwrap_or(run.parameters);
    run.master_weights = request.master_weights;
    Ok(())
}

fn given_layout(request: &RunRequest, trains: bool) -> Result<GivenLayout> {
    let given = GivenLayout {
        tensor: request.tensor_parallel,
        pipeline: request.pipeline_parallel,
        data: request.data_parallel,
        context: request.context_parallel,
        expert: request.expert_parallel,
        zero_stage: request.zero_stage,
        shard_groups: request.shard_groups,
    };
    for (field, value) in [
        ("tensor_parallel", given.tensor),
        ("pipeline_parallel", given.pipeline),
        ("data_parallel", given.data),
        ("context_parallel", given.context),
        ("expert_parallel", given.expert),
        ("shard_groups", given.shard_groups),
    ] {
        number(field, value.map(f64::from), 1.0..=65_536.0)?;
    }
    number("zero_stage", given.zero_stage.map(f64::from), 0.0..=3.0)?;
    let sharding = [
        ("zero_stage", given.zero_stage.map(u32::from), 0),
        ("shard_groups", given.shard_groups, 1),
    ];
    for (field, value, none) in sharding {
        if !trains && value.is_some_and(|value| value > none) {
            return Err(wrong(format!(
                "{field} is for training: inference shards weights by tensor_parallel and pipeline_parallel"
            )));
        }
    }
    if given.shard_groups.is_some_and(|groups| groups > 1) && given.zero_stage == Some(0) {
        return Err(wrong(
            "shard_groups are of what zero_stage shards, and 0 shards nothing".to_owned(),
        ));
    }
    let parts = request.step.virtual_pipeline.filter(|parts| *parts > 1.0);
    if let (Some(parts), Some(1)) = (parts, given.pipeline) {
        return Err(wrong(format!(
            "virtual_pipeline {parts} cuts the stages of a pipeline, and pipeline_parallel is 1"
        )));
    }
    Ok(given)
}

impl ModelRun {
    /// The same work with another engine, in its newest version.
    #[must_use]
    pub(crate) fn with_engine(&self, catalog: &Catalog<'_>, engine: Engine) -> Self {
        let run = Run { engine, ..self.run };
        Self {
            run,
            engine_version: None,
            measured: Measured::of(catalog, run.measured_as(), engine),
            ..self.clone()
        }
    }

    /// The same work with weights in another format, by its name; `None` where there is none of that name.
    #[must_use]
    pub(crate) fn with_precision(&self, catalog: &Catalog<'_>, name: &str) -> Option<Self> {
        let (precision, weights) = precision(catalog, name, None).ok()?;
        Some(Self {
            precision,
            group_size: None,
            run: Run {
                weights,
                ..self.run
            },
            ..self.clone()
        })
    }

    /// The request as it was understood.
    pub(crate) fn understood(&self, request: &RunRequest, spec: Option<&str>) -> RunOut {
        let run = &self.run;
        let trains = run.workload.is_training();
        let serves = run.engine.serves() && (!trains || run.rollouts.is_some());
        RunOut {
            spec: spec.map(str::to_owned),
            nodes: None,
            model: match &request.model {
                Some(ModelSource::Name(name)) => Some(Value::from(name.as_str())),
                Some(ModelSource::Config(fields)) => Some(Value::Object(fields.clone())),
                Some(ModelSource::Size(_)) | None => None,
            },
            model_size: match &request.model {
                Some(ModelSource::Size(size)) => Some(size.as_str().to_owned()),
                _ => None,
            },
            workload: run.workload,
            precision: self.precision.clone(),
            group_size: self.group_size.map(Num),
            kv_precision: (!trains || run.rollouts.is_some()).then_some(run.cache),
            context: Num(run.context),
            generate: (!trains || run.rollouts.is_some()).then_some(Num(run.generate)),
            batch: run.load.is_none().then_some(Num(run.batch)),
            load: echo(&self.run, self.engine_version.as_deref()),
            calibrate: self
                .measured_tokens_per_s
                .map(|rate| format!("tokens_per_s={rate}")),
            engine: run.engine,
            gpu_memory_utilization: serves.then_some(Num(run.gpu_memory_utilization)),
            max_batched_tokens: serves.then_some(Num(run.max_batched_tokens)),
            attention: run.attention,
            logits: run.logits,
            gpu_layers: run.gpu_layers,
            training: trains.then(|| training(run, &request.step)),
            layout: LayoutRequest {
                tensor_parallel: self.given.tensor,
                pipeline_parallel: self.given.pipeline,
                data_parallel: self.given.data,
                context_parallel: self.given.context,
                expert_parallel: self.given.expert,
                zero_stage: self.given.zero_stage,
                shard_groups: self.given.shard_groups,
            },
        }
    }
}

fn training(run: &Run, step: &StepRequest) -> TrainingOut {
    let adapters = run.adapters;
    TrainingOut {
        compile: run.compile,
        optimizer: run.optimizer,
        optimizer_in_backward: run.optimizer_in_backward,
        master_weights: run.master_weights,
        parameter_precision: run.parameters,
        gradient_precision: run.gradients,
        checkpointing: run.checkpointing,
        lora_rank: adapters.then_some(Num(run.lora_rank)),
        lora_targets: adapters.then_some(run.lora_targets),
        offload: run.offload,
        gradient_accumulation: match run.step {
            StepSize::MicroBatches(n) => Some(Num(n)),
            StepSize::Sequences(_) => None,
        },
        global_batch: match run.step {
            StepSize::MicroBatches(_) => None,
            StepSize::Sequences(n) => Some(Num(n)),
        },
        virtual_pipeline: (run.virtual_pipeline > 1.0).then_some(Num(run.virtual_pipeline)),
        packed: run.packed.map(Num),
        modules_to_save: step.modules_to_save.clone(),
        rollouts: run.rollouts.map(|rollouts| Num(rollouts.sequences)),
        off_policy_steps: run
            .rollouts
            .filter(|rollouts| rollouts.is_apart)
            .map(|rollouts| Num(rollouts.off_policy_steps)),
        reference_model: step.reference_model.clone(),
        teacher_model: step.teacher_model.clone(),
    }
}
