//! Reads a request into a run with every option chosen.

use std::ops::RangeInclusive;

use sky_accel_core::catalog::{Catalog, compare_versions};
use sky_accel_core::note::Note;
use sky_accel_core::sizing::{CacheFormat, GivenLayout, Offload, Run, ServingEngine, Workload};
use sky_accel_core::text::{counted, list_or};
use sky_accel_core::word::Word as _;

use super::bounds::{MAX_BATCH, MAX_TOKENS, number, wrong};
use super::formats::{quantizes_on_load, unpacked, weights};
use super::host::host_memory;
use super::hub::ModelHub;
use super::images;
use super::load::{read_load, release};
use super::media;
use super::media_settings;
use super::model::read_model;
use super::model_facts::ModelFacts;
use super::names::published_gguf;
use super::options::RunRequest;
use super::run::{MeasuredWork, ModelRun};
use super::sampling::default_sampling;
use super::scope;
use super::step::{read_frozen, read_step};
use crate::error::Result;
use crate::text::grouped;

/// Plausible peak bandwidths of the memory of a host, in GB/s.
const HOST_BANDWIDTHS: RangeInclusive<f64> = 1.0..=10_000.0;
/// The version of a model that no release of its engine serves yet.
const NIGHTLY: &str = "nightly";

/// Reads the model, and chooses the options that the request leaves open.
pub(crate) fn read(
    catalog: &Catalog<'_>,
    request: &RunRequest,
    hub: Option<&ModelHub<'_>>,
) -> Result<ModelRun> {
    let workload = workload(request)?;
    let mut notes = Vec::new();
    let model = read_model(catalog, request, hub, &mut notes)?;
    let measured = &mut MeasuredWork::default();
    read_run(catalog, request, workload, (model, notes), hub, measured)
}

/// Chooses the options that the request leaves open, for a known model. `measured` has the calibrations so far.
pub(crate) fn read_known(
    catalog: &Catalog<'_>,
    request: &RunRequest,
    model: ModelFacts,
    measured: &mut MeasuredWork,
) -> Result<ModelRun> {
    let workload = workload(request)?;
    let model = (model, Vec::new());
    read_run(catalog, request, workload, model, None, measured)
}

fn workload(request: &RunRequest) -> Result<Workload> {
    match &request.workload {
        Some(workload) => workload.computed(),
        None => Ok(Workload::Inference),
    }
}

fn read_run(
    catalog: &Catalog<'_>,
    request: &RunRequest,
    workload: Workload,
    (mut model, mut notes): (ModelFacts, Vec<Note>),
    hub: Option<&ModelHub<'_>>,
    measured: &mut MeasuredWork,
) -> Result<ModelRun> {
    media::check(request, &model)?;
    let items = media_settings::read(request, &mut model)?;
    let group_size = number("group_size", request.group_size, 8.0..=65_536.0)?;
    let has_host_layers = request.gpu_layers.is_some() || request.n_cpu_moe.is_some();
    let is_gguf = request
        .engine
        .map_or(has_host_layers, |engine| engine == ServingEngine::LlamaCpp);
    // llama.cpp loads the GGUF files of a model instead of its quantized checkpoint.
    let may_be_published = is_gguf && model.stored_as.is_some() && workload == Workload::Inference;
    let published = may_be_published
        .then(|| published_gguf(catalog, &model.name))
        .flatten();
    let published = published.map(|(_, format)| format);
    let (precision, weights) = weights(catalog, request, &model, workload, group_size, published)?;
    let mut run = Run::new(workload, weights);
    run.quantizes_on_load = quantizes_on_load(catalog, &precision);
    read_adapters(&mut run, request);
    scope::check_run(request, &run, model.kind)?;
    read_lengths(&mut run, request, &model, &mut notes)?;
    let implied = catalog
        .weight_format(&precision)
        .and_then(|row| catalog.engine_of(&row))
        .or(has_host_layers.then_some(ServingEngine::LlamaCpp));
    read_options(catalog, &mut run, request, &model, implied)?;
    notes.extend(media::adapt(&mut run, request, &model));
    if model.media.is_none() || workload.is_training() {
        read_load(catalog, &mut run, (request, model.kind), &mut notes)?;
    }
    read_step(&mut run, request)?;
    run.frozen = read_frozen(catalog, request, &model, &run, hub, &mut notes)?;
    if run.uses_host() {
        notes.push(host_memory(catalog, run.host_bandwidth));
    }
    notes.extend(unknown_quantization(request, &model, &precision));
    notes.extend(unpacked(catalog, request, &model, &run));
    if run.speculation.is_some() {
        let message = "no start command: speculative decoding needs a draft model or method, which the request does not name";
        notes.push(Note::new("no-command", message));
    }
    let engine_version = request.engine_version.as_deref().and_then(release);
    notes.extend(too_old(&run, &model, engine_version.as_deref()));
    notes.extend(same_memory(catalog, &run, engine_version.as_deref()));
    let measured_tokens_per_s = number("calibrate", request.calibrate, 1e-3..=1e9)?;
    if measured_tokens_per_s.is_some() && request.request_rate.is_some() {
        return Err(wrong(
            "`calibrate` does not work with `request_rate`, which already sets the tokens/s: use `concurrency`, or no load",
        ));
    }
    if let Some(tokens_per_s) = measured_tokens_per_s {
        let message = format!("all speeds are scaled to the measured {tokens_per_s} tokens/s");
        notes.push(Note::new("calibrated", message));
    }
    Ok(ModelRun {
        model,
        precision,
        group_size,
        measured: measured.of(catalog, run.measured_as(), run.engine),
        run,
        engine_version,
        measured_tokens_per_s,
        items,
        given: given_layout(request)?,
        is_for_latency: false,
        is_batch_job: false,
        is_offline: false,
        has_engine: request.engine.is_some() || implied.is_some() || workload.is_training(),
        has_precision: request.precision.is_some(),
        has_memory_settings: request.gpu_memory_utilization.is_some()
            || request.max_num_seqs.is_some()
            || request.max_batched_tokens.is_some(),
        notes,
    })
}

/// Decides whether adapters are trained. Workloads that can train either way train adapters if an option of theirs is
/// given, or if the weight format cannot be trained.
fn read_adapters(run: &mut Run, request: &RunRequest) {
    let has_adapter_options = request.lora_rank.is_some() || request.lora_targets.is_some();
    let learns = matches!(
        run.workload,
        Workload::Dpo | Workload::Grpo | Workload::Ppo | Workload::Distill
    );
    if learns {
        let is_packed = run.weights.bits < 16.0 && run.weights.compute_bits > 8.0;
        run.adapters = has_adapter_options || is_packed;
    }
}

/// Reads context, generated tokens and batch, and checks them against the context length of the model.
fn read_lengths(
    run: &mut Run,
    request: &RunRequest,
    model: &ModelFacts,
    notes: &mut Vec<Note>,
) -> Result<()> {
    let limit = model.shape.context.map(f64::from);
    // The default context leaves room for the output.
    let output = number("generate", request.generate, 0.0..=MAX_TOKENS)?.unwrap_or(run.generate);
    let max_context = limit.map_or(f64::MAX, |limit| {
        if limit > 2.0 * output {
            limit - output
        } else {
            limit
        }
    });
    let images = images::read(request, model, notes)?;
    let image_tokens = images.prompt_tokens();
    run.context = number("context", request.context, 1.0..=MAX_TOKENS)?
        .unwrap_or(run.context.min(max_context - image_tokens).max(1.0));
    run.generate = number("generate", request.generate, 0.0..=MAX_TOKENS)?.unwrap_or(run.generate);
    let trains = run.workload.is_training();
    run.batch = number("batch", request.batch, 1.0..=MAX_BATCH)?.unwrap_or(run.batch);
    if run.context.fract() != 0.0 || run.generate.fract() != 0.0 || run.batch.fract() != 0.0 {
        return Err(wrong("`context`, `generate` and `batch` must be integers"));
    }
    run.images = images;
    run.context += image_tokens;
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
        let message = format!(
            "{name} has a context length of {limit} tokens; training on longer sequences is possible"
        );
        notes.push(Note::new("long-context", message));
    } else if run.context > limit {
        return Err(wrong(format!(
            "{name} has a context length of {limit} tokens, which is less than {}",
            prompt_in_words(run)
        )));
    } else if request.generate.is_none() {
        run.generate = limit - run.context;
    } else {
        let message = format!(
            "`context` and `generate` add up to {} tokens; {name} has a context length of {limit}, and serving engines stop there",
            run.sequence()
        );
        notes.push(Note::new("long-context", message));
    }
    Ok(())
}

/// The length of a prompt, by the fields that state it.
fn prompt_in_words(run: &Run) -> String {
    let (text, images) = (run.text_tokens(), run.images.prompt_tokens());
    if images > 0.0 {
        format!("a `context` of {text} with images of {images} tokens")
    } else {
        format!("a `context` of {text}")
    }
}

/// The message for sequences that a model accepts only with YaRN.
fn only_with_yarn(name: &str, native: f64, engine: ServingEngine) -> String {
    let native = grouped(native);
    let message = format!(
        "{name} accepts more than {native} tokens only with YaRN, which may degrade answers to short prompts"
    );
    // ggml-org/llama.cpp#28030.
    if engine == ServingEngine::LlamaCpp {
        format!("{message}; builds of llama.cpp before September 2026 serve only {native}")
    } else {
        message
    }
}

/// A note on a version of vLLM that is older than the first version that serves the model.
fn too_old(run: &Run, model: &ModelFacts, version: Option<&str>) -> Option<Note> {
    let version =
        version.filter(|_| run.engine == ServingEngine::Vllm && !run.workload.is_training())?;
    let first = model.min_vllm.as_deref()?;
    let name = model.checkpoint.as_deref().unwrap_or(&model.name);
    let message = if first == NIGHTLY {
        format!("vLLM's recipe of {name} needs a nightly build: version {version} may not serve it")
    } else if compare_versions(version, first).is_lt() {
        format!(
            "vLLM's recipe of {name} starts at version {first}: version {version} may not serve it"
        )
    } else {
        return None;
    };
    Some(Note::new("engine-too-old", message))
}

/// The coefficients of memory that may depend on the version of a serving engine.
const MEMORY_BY_VERSION: [&str; 3] = [
    "profiled-sequences",
    "profiled-context-ki",
    "window-cache-factor",
];

/// A note that the version of a serving engine changes no memory, if the catalog knows of no difference.
fn same_memory(catalog: &Catalog<'_>, run: &Run, version: Option<&str>) -> Option<Note> {
    version.filter(|_| !run.workload.is_training())?;
    let word = run.engine.word();
    let scopes = [word.to_owned(), format!("{word} on large devices")];
    let differs = MEMORY_BY_VERSION.into_iter().any(|name| {
        let mut scopes = scopes.iter();
        scopes.any(|scope| catalog.version_before(name, scope).is_some())
    });
    let message = format!(
        "no difference in memory between versions of {} is known: `engine_version` changes only the speed",
        run.engine.name()
    );
    (!differs).then(|| Note::new("engine-version", message))
}

/// The note on files with an unknown quantization.
fn unknown_quantization(request: &RunRequest, model: &ModelFacts, precision: &str) -> Option<Note> {
    let quantization = model.unknown_quantization.as_ref();
    let name = quantization.filter(|_| request.precision.is_none())?;
    let message = format!(
        "the quantization of the files, {name}, is unknown: sized as {precision}; set `precision` to size another format"
    );
    Some(Note::new("unknown-quantization", message))
}

/// Reads the length of the longest request of a server, or of a slot of llama.cpp.
fn read_max_context(run: &Run, request: &RunRequest, model: &ModelFacts) -> Result<Option<f64>> {
    let most = model.shape.context.map_or(MAX_TOKENS, f64::from);
    let Some(tokens) = number("max_context", request.max_context, 1.0..=MAX_TOKENS)? else {
        return Ok(None);
    };
    if run.workload.is_training() || !run.engine.answers() {
        return Err(wrong(
            "`max_context` applies to servers, which admit requests of different lengths: use `context`",
        ));
    }
    if tokens.fract() != 0.0 || tokens < run.sequence() || tokens > most {
        let (least, name) = (run.sequence(), &model.name);
        return Err(wrong(format!(
            "`max_context` must be an integer from {least} (`context` and `generate` together) to {most} (the context length of {name}), not {tokens}"
        )));
    }
    Ok(Some(tokens))
}

/// Checks that the engine does the work.
fn check_engine(run: &Run) -> Result<()> {
    let (engine, workload) = (run.engine.word(), run.workload.word());
    if run.engine.only_trains() && !run.workload.is_training() {
        return Err(wrong(format!(
            "{engine} trains models: give a `workload` such as lora, or another `engine`"
        )));
    }
    if run.workload.has_rollouts() && !run.engine.serves() {
        return Err(wrong(format!(
            "{workload} generates rollouts with vllm, sglang or tensorrt-llm, not with {engine}"
        )));
    }
    Ok(())
}

/// Checks that the serving engine has the format of the KV cache.
fn check_cache(run: &Run) -> Result<()> {
    let (engine, cache) = (run.engine, run.cache);
    if run.workload.is_training() || engine.has_cache(cache) {
        return Ok(());
    }
    let formats = CacheFormat::ALL.iter();
    let formats = formats.filter(|(_, format)| engine.has_cache(*format));
    let formats: Vec<&str> = formats.map(|(word, _)| *word).collect();
    Err(wrong(format!(
        "{engine} has no KV cache in {cache}: `kv_precision` is {} there",
        list_or(&formats)
    )))
}

/// Reads the options of the serving engine and of training. `implied` is the engine that the weight format is made for.
fn read_options(
    catalog: &Catalog<'_>,
    run: &mut Run,
    request: &RunRequest,
    model: &ModelFacts,
    implied: Option<ServingEngine>,
) -> Result<()> {
    let share = request.gpu_memory_utilization;
    run.gpu_memory_utilization =
        number("gpu_memory_utilization", share, 0.1..=1.0)?.unwrap_or(run.gpu_memory_utilization);
    let tokens = request.max_batched_tokens;
    run.max_batched_tokens = number("max_batched_tokens", tokens, 1.0..=MAX_TOKENS)?;
    run.max_sequences = number("max_num_seqs", request.max_num_seqs, 1.0..=MAX_BATCH)?;
    if let Some(most) = run.max_sequences.filter(|most| most.fract() != 0.0) {
        return Err(wrong(format!(
            "`max_num_seqs` must be an integer, not {most}"
        )));
    }
    run.lora_rank =
        number("lora_rank", request.lora_rank, 1.0..=65_536.0)?.unwrap_or(run.lora_rank);
    if run.lora_rank.fract() != 0.0 {
        let rank = run.lora_rank;
        return Err(wrong(format!("`lora_rank` must be an integer, not {rank}")));
    }
    let asked_cache = request.kv_precision;
    let is_of_llama_cpp = |format: &CacheFormat| {
        ServingEngine::LlamaCpp.has_cache(*format) && !ServingEngine::Vllm.has_cache(*format)
    };
    let by_cache = asked_cache
        .filter(is_of_llama_cpp)
        .map(|_| ServingEngine::LlamaCpp);
    let implied = implied.or(by_cache).filter(|_| !run.workload.is_training());
    run.engine = request.engine.or(implied).unwrap_or(run.engine);
    check_engine(run)?;
    if !run.workload.is_training() {
        run.sampling = request
            .sampling
            .unwrap_or_else(|| default_sampling(catalog, run.engine, &model.name));
    }
    run.max_context = read_max_context(run, request, model)?;
    let intended = model.kv_cache.filter(|_| run.engine.serves());
    // NVIDIA's quantized checkpoints for TensorRT-LLM include scales for an 8-bit KV cache.
    let has_cache_scales = run.engine == ServingEngine::TensorRtLlm
        && run.weights.compute_bits <= 8.0
        && run.weights.attention_bits < 16.0;
    let by_engine = has_cache_scales.then_some(CacheFormat::Fp8);
    run.cache = request
        .kv_precision
        .or(intended)
        .or(by_engine)
        .unwrap_or(run.cache);
    check_cache(run)?;
    run.attention = request.attention.unwrap_or(run.attention);
    let is_server =
        request.engine.is_some_and(ServingEngine::serves) && !run.workload.is_training();
    if request.attention.is_some() && is_server {
        return Err(wrong(
            "`attention` applies only to training, and to inference with transformers and llama.cpp: servers have their own",
        ));
    }
    run.logits = request.logits.unwrap_or(run.logits);
    run.optimizer = request.optimizer.unwrap_or(run.optimizer);
    run.checkpointing = request.checkpointing.unwrap_or(run.checkpointing);
    run.lora_targets = request.lora_targets.unwrap_or(run.lora_targets);
    run.offload = request.offload.unwrap_or(run.offload);
    read_host_options(run, request, model)?;
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

/// Reads the options of layers on the host.
fn read_host_options(run: &mut Run, request: &RunRequest, model: &ModelFacts) -> Result<()> {
    // llama.cpp counts the head as one more layer.
    let max_layers = model.shape.layers + 1;
    if let Some(given) = request.gpu_layers.filter(|given| *given > max_layers) {
        let name = &model.name;
        return Err(wrong(format!(
            "`gpu_layers` must be at most {max_layers} ({name} has {} and a head), not {given}",
            counted(model.shape.layers, "layer")
        )));
    }
    run.gpu_layers = request.gpu_layers.filter(|given| *given < max_layers);
    run.cpu_expert_layers = request.n_cpu_moe.filter(|given| *given > 0);
    if run.cpu_expert_layers.is_some() && model.shape.experts.is_none() {
        let name = &model.name;
        return Err(wrong(format!(
            "`n_cpu_moe` applies only to mixtures of experts, and {name} is dense: use `gpu_layers`"
        )));
    }
    let bandwidth = number("host_bandwidth", request.host_bandwidth, HOST_BANDWIDTHS)?;
    let has_other_engine = request
        .engine
        .is_some_and(|engine| engine != ServingEngine::LlamaCpp);
    if bandwidth.is_some() && (run.workload.is_training() || has_other_engine) {
        return Err(wrong(
            "`host_bandwidth` applies only to inference with llama.cpp",
        ));
    }
    run.host_bandwidth = bandwidth.map(|gb_per_s| gb_per_s * 1e9);
    Ok(())
}

/// Reads the part of the layout that the request fixes.
fn given_layout(request: &RunRequest) -> Result<GivenLayout> {
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
    if given.shard_groups.is_some_and(|groups| groups > 1) && given.zero_stage == Some(0) {
        return Err(wrong(
            "`shard_groups` needs a `zero_stage` above 0, because stage 0 shards nothing",
        ));
    }
    // DeepSpeed offloads parameters only in stage 3, and FSDP always shards what it offloads.
    let stage = given.zero_stage.filter(|stage| *stage < 3);
    if let (Some(Offload::All), Some(stage)) = (request.offload, stage) {
        return Err(wrong(format!(
            "`offload` all needs `zero_stage` 3, not {stage}; `offload` optimizer works with every stage"
        )));
    }
    let parts = request.virtual_pipeline.filter(|parts| *parts > 1.0);
    if let (Some(parts), Some(1)) = (parts, given.pipeline) {
        return Err(wrong(format!(
            "`virtual_pipeline` {parts} needs pipeline stages, but `pipeline_parallel` is 1"
        )));
    }
    Ok(given)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use sky_accel_core::sizing::StepSize;

    use super::*;
    use crate::Engine;
    use crate::code::ErrorCode;
    use crate::sizing::run_from_json;

    fn run(mut fields: Value) -> Result<ModelRun> {
        let is_named = fields.get("model").is_some() || fields.get("model_size").is_some();
        if !is_named {
            fields["model"] = json!("Llama-3.1-8B");
        }
        let Value::Object(fields) = fields else {
            unreachable!("fields are an object");
        };
        read(&Engine::embedded().catalog(), &run_from_json(fields)?, None)
    }

    #[test]
    fn the_cache_of_an_engine_chooses_it() {
        let engine = |fields| run(fields).unwrap().run.engine;
        assert_eq!(
            engine(json!({ "kv_precision": "q8_0" })),
            ServingEngine::LlamaCpp
        );
        assert_eq!(
            engine(json!({ "kv_precision": "fp8" })),
            ServingEngine::Vllm
        );
    }

    #[test]
    fn errors_name_the_field() {
        for (field, fields) in [
            ("context", json!({ "context": 0 })),
            ("context", json!({ "context": 1e8 })),
            ("generate", json!({ "workload": "lora", "generate": 10 })),
            (
                "gpu_memory_utilization",
                json!({ "gpu_memory_utilization": 1.5 }),
            ),
            ("lora_rank", json!({ "lora_rank": 1.5 })),
            ("workload", json!({ "workload": "development" })),
            ("kv_precision", json!({ "kv_precision": "fp9" })),
            (
                "kv_precision",
                json!({ "kv_precision": "q8_0", "engine": "vllm" }),
            ),
            (
                "kv_precision",
                json!({ "kv_precision": "fp8", "engine": "llama.cpp" }),
            ),
            ("precision", json!({ "precision": "bf15" })),
            ("group_size", json!({ "group_size": 128 })),
            ("zero_stage", json!({ "zero_stage": 3 })),
            (
                "shard_groups",
                json!({ "workload": "full", "shard_groups": 2, "zero_stage": 0 }),
            ),
            (
                "virtual_pipeline",
                json!({ "workload": "full", "virtual_pipeline": 2, "pipeline_parallel": 1 }),
            ),
            (
                "concurrency",
                json!({ "concurrency": 2, "request_rate": 1 }),
            ),
            ("concurrency", json!({ "requests": 10 })),
            ("concurrency", json!({ "concurrency": 1.5 })),
            (
                "concurrency",
                json!({ "workload": "lora", "concurrency": 2 }),
            ),
            ("request_rate", json!({ "max_ttft": 1 })),
            (
                "max_tpot",
                json!({ "concurrency": 2, "min_speed": 20, "max_tpot": "50ms" }),
            ),
            ("batch", json!({ "concurrency": 2, "batch": 2 })),
            ("generate", json!({ "concurrency": 2, "generate": 0 })),
            ("max_context", json!({ "max_context": 4000 })),
            ("max_context", json!({ "max_context": 1e6 })),
            (
                "max_context",
                json!({ "workload": "lora", "max_context": 8192 }),
            ),
            ("speculative", json!({ "speculative": "3" })),
            (
                "admission_interval",
                json!({ "engine": "vllm", "admission_interval": 2 }),
            ),
            (
                "global_batch",
                json!({ "workload": "full", "global_batch": 8, "gradient_accumulation": 2 }),
            ),
            (
                "global_batch",
                json!({ "workload": "full", "batch": 3, "global_batch": 8 }),
            ),
            ("rollouts", json!({ "workload": "full", "rollouts": 8 })),
            (
                "off_policy_steps",
                json!({ "workload": "grpo", "off_policy_steps": 1 }),
            ),
            (
                "modules_to_save",
                json!({ "workload": "full", "modules_to_save": "head" }),
            ),
            (
                "modules_to_save",
                json!({ "workload": "lora", "modules_to_save": "tail" }),
            ),
            ("teacher_model", json!({ "workload": "distill" })),
            (
                "reference_model",
                json!({ "workload": "full", "reference_model": "none" }),
            ),
            (
                "calibrate",
                json!({ "request_rate": 2, "calibrate": "tokens_per_s=5" }),
            ),
        ] {
            let error = run(fields.clone()).map(|run| run.run).expect_err(field);
            assert_eq!(
                error.problems[0].code,
                ErrorCode::BadValue,
                "{fields}: {error}"
            );
            assert!(
                error.to_string().contains(&format!("`{field}`")),
                "{fields}: {error}"
            );
        }
    }

    #[test]
    fn offloaded_parameters_need_stage_3() {
        let at =
            |stage: u8| run(json!({ "workload": "full", "offload": "all", "zero_stage": stage }));
        let error = at(2).map(|run| run.run).unwrap_err();
        assert!(
            error.to_string().contains("`zero_stage` 3, not 2"),
            "{error}"
        );
        assert!(at(3).is_ok());
    }

    #[test]
    fn a_latency_limit_per_token_is_the_inverse_of_a_speed() {
        let limit = |fields| run(fields).unwrap().run.load.unwrap().limits.token_s;
        let speed = limit(json!({ "concurrency": 2, "min_speed": 20 }));
        let time = limit(json!({ "concurrency": 2, "max_tpot": "50ms" }));
        assert_eq!((speed, time), (Some(0.05), Some(0.05)));
    }

    #[test]
    fn several_precisions_are_no_precision() {
        for name in ["all", "any", "ALL"] {
            let error = run(json!({ "precision": name }))
                .map(|run| run.run)
                .unwrap_err();
            let problem = &error.problems[0];
            assert!(problem.hints.is_empty(), "{error}");
            assert!(problem.message.contains("`precision` any"), "{error}");
        }
        // llama.cpp holds the longest request in each slot.
        let slots = json!({ "engine": "llama.cpp", "max_context": 8192 });
        assert_eq!(run(slots).unwrap().run.max_context, Some(8192.0));
    }

    #[test]
    fn formats_choose_the_engine() {
        let engine = |fields| run(fields).unwrap().run.engine;
        assert_eq!(
            engine(json!({ "precision": "gguf:Q4_K_M" })),
            ServingEngine::LlamaCpp
        );
        let given = json!({ "precision": "gguf:Q4_K_M", "engine": "vllm" });
        assert_eq!(engine(given), ServingEngine::Vllm);
    }

    #[test]
    fn trainers_train_and_transformers_is_the_default() {
        let engine = |fields| run(fields).unwrap().run.engine;
        assert_eq!(
            engine(json!({ "workload": "lora" })),
            ServingEngine::Transformers
        );
        let given = json!({ "workload": "lora", "engine": "axolotl" });
        assert_eq!(engine(given), ServingEngine::Axolotl);
        let message = run(json!({ "engine": "unsloth" })).unwrap_err().to_string();
        assert!(message.contains("`workload`"), "{message}");
        let on_load = |fields| run(fields).unwrap().run.quantizes_on_load;
        assert!(on_load(json!({ "workload": "qlora" })));
        let stored = json!({ "workload": "qlora", "precision": "gptq-int4" });
        assert!(!on_load(stored) && !on_load(json!({ "workload": "lora" })));
    }

    #[test]
    fn bands_leave_frozen_weights_alone() {
        use sky_accel_core::sizing::{Layout, memory};
        let ends = |fields| {
            let work = run(fields).unwrap();
            let measured = &work.measured;
            let of = memory(
                &work.model.shape,
                &work.run,
                &Layout::default(),
                &measured.coefficients,
            );
            let ends = [measured.lowest(&of, &work), measured.highest(&of, &work)];
            (ends, of)
        };
        let ([low, high], memory) = ends(json!({ "workload": "lora" }));
        assert!(low > memory.steady && memory.steady > 15.0 * 1024.0_f64.powi(3));
        let least = (low - memory.steady) / (memory.allocated - memory.steady);
        let most = (high - memory.steady) / (memory.device - memory.steady);
        assert!(least < 1.0 && most > 1.0, "{least} {most}");
        let ([low, high], memory) = ends(json!({ "workload": "full" }));
        assert!(low < memory.allocated && high > memory.device);
    }

    #[test]
    fn the_default_output_fits_the_context_length() {
        let fields = json!({ "model": "Llama-2-7B", "context": 4000 });
        let sized = run(fields).unwrap().run;
        assert!((sized.context + sized.generate - 4096.0).abs() < 1e-9);
    }

    #[test]
    fn a_step_has_a_global_batch_or_micro_batches() {
        let step = |fields| run(fields).unwrap().run.step;
        let global = step(json!({ "workload": "full", "batch": 2, "global_batch": 8 }));
        assert_eq!(global, StepSize::Sequences(8.0));
        let micro = step(json!({ "workload": "full", "gradient_accumulation": 4 }));
        assert_eq!(micro, StepSize::MicroBatches(4.0));
    }

    #[test]
    fn only_older_versions_of_vllm_are_noted() {
        let mut work = run(json!({ "engine": "vllm" })).unwrap();
        let noted = |work: &ModelRun, version| too_old(&work.run, &work.model, version).is_some();
        assert!(!noted(&work, Some("0.1.0")));
        work.model.min_vllm = Some("0.10.1".to_owned());
        assert!(noted(&work, Some("0.9.2")));
        assert!(
            !noted(&work, Some("0.10.1")) && !noted(&work, Some("0.11")) && !noted(&work, None)
        );
        work.model.min_vllm = Some(NIGHTLY.to_owned());
        assert!(noted(&work, Some("0.30.0")));
        work.run.engine = ServingEngine::Sglang;
        assert!(!noted(&work, Some("0.5")));
    }
}
