//! The work that an option applies to. An option without effect is refused, since its user expects an effect.

use sky_accel_core::sizing::{ModelKind, Run, ServingEngine};

use super::bounds::wrong;
use super::model_facts::ModelFacts;
use super::option_kind::OptionScope;
use super::options::RunRequest;
use crate::error::Result;

/// Rejects options that have no effect on the tokens of a model, because it processes or generates none. It runs before
/// the others, whose advice would not fit such a model.
pub(super) fn check_model(request: &RunRequest, model: &ModelFacts) -> Result<()> {
    if model.kind == ModelKind::Text || request.trains() {
        return Ok(());
    }
    let (is_excluded, reason): (fn(OptionScope) -> bool, _) = if model.media.is_some() {
        (|scope| scope != OptionScope::All, "processes no tokens")
    } else {
        let needs_output = |scope| matches!(scope, OptionScope::Generation | OptionScope::Answers);
        (needs_output, "generates no tokens")
    };
    match given(request).find(|(_, scope)| is_excluded(*scope)) {
        Some((field, scope)) => {
            let name = &model.name;
            let message = format!("`{field}` does not apply to {name}, which {reason}");
            Err(wrong(message).advise(advice(field, scope, model)))
        }
        None => Ok(()),
    }
}

/// The options that answer what an option asks that a model without text output lacks.
fn advice(field: &str, scope: OptionScope, model: &ModelFacts) -> String {
    let asks_for_load = matches!(scope, OptionScope::Requests | OptionScope::Answers);
    if !asks_for_load {
        return format!("leave out `{field}`");
    }
    let Some(media) = &model.media else {
        return format!(
            "leave out `{field}`: `concurrency` or `request_rate` is the load of such a server, and `max_ttft` limits the time to an answer"
        );
    };
    let total = match (media.diffusion, media.transcriber) {
        (Some(_), _) => "`images` is the number of images or videos",
        (None, Some(_)) => "`audio_hours` is the amount of speech",
        (None, None) => {
            return format!(
                "leave out `{field}`: no measurement gives the speed of such a model, so `recommend` ranks the machines that hold it by the price of an hour"
            );
        }
    };
    format!("{total}: `recommend` finds machines for all of it, with `deadline_hours` in that time")
}

/// Rejects options that have no effect on the work of a run.
pub(super) fn check_run(request: &RunRequest, run: &Run, kind: ModelKind) -> Result<()> {
    // Without a given engine, the device decides which engine serves a model of text. Media models run in Transformers.
    let has_server = matches!(kind, ModelKind::Text | ModelKind::Encoder);
    let engine = request
        .engine
        .or((!has_server).then_some(ServingEngine::Transformers));
    let mut given = given(request);
    match given.find_map(|(field, scope)| Some((field, unmet(scope, run, engine)?))) {
        Some((field, condition)) => Err(wrong(format!("`{field}` applies only to {condition}"))),
        None => Ok(()),
    }
}

/// The condition of a scope that the run does not meet; `None` if it meets all.
fn unmet(scope: OptionScope, run: &Run, engine: Option<ServingEngine>) -> Option<String> {
    let (trains, rolls_out) = (run.workload.is_training(), run.workload.has_rollouts());
    let workload = run.workload.word();
    let is_met = match scope {
        OptionScope::All | OptionScope::Tokens => true,
        OptionScope::Inference | OptionScope::Generation => !trains || rolls_out,
        OptionScope::Serving if trains => rolls_out,
        OptionScope::Serving => engine.is_none_or(ServingEngine::serves),
        OptionScope::Requests | OptionScope::Answers => !trains,
        OptionScope::Training => trains,
        OptionScope::Adapters => run.adapters,
        OptionScope::Rollouts => rolls_out,
    };
    let condition = || match scope {
        OptionScope::All | OptionScope::Tokens | OptionScope::Training => "training".to_owned(),
        OptionScope::Inference | OptionScope::Generation => {
            format!("inference, grpo and ppo: {workload} generates nothing")
        }
        OptionScope::Serving if trains => {
            format!("serving engines, and {workload} runs none")
        }
        OptionScope::Serving => {
            let engine = engine.map_or("others", ServingEngine::word);
            format!("vllm, sglang and tensorrt-llm, not to {engine}")
        }
        OptionScope::Requests | OptionScope::Answers => {
            "inference: training has no users".to_owned()
        }
        OptionScope::Adapters if trains => {
            format!("adapters, and `workload` {workload} trains all weights")
        }
        OptionScope::Adapters => "adapters: give `workload` lora or qlora".to_owned(),
        OptionScope::Rollouts if trains => {
            format!("grpo and ppo: {workload} generates nothing")
        }
        OptionScope::Rollouts => "training with rollouts: grpo and ppo".to_owned(),
    };
    (!is_met).then(condition)
}

/// The given options with an effect, and their scopes. Values that mean "none" ask for nothing.
fn given(request: &RunRequest) -> impl Iterator<Item = (&'static str, OptionScope)> {
    let asks_for_nothing = |field| match field {
        "generate" => request.generate == Some(0.0),
        "images_per_request" => request.images_per_request == Some(0.0),
        "zero_stage" => request.zero_stage == Some(0),
        "shard_groups" => request.shard_groups == Some(1),
        "modules_to_save" => request.modules_to_save.as_ref().is_some_and(Vec::is_empty),
        _ => false,
    };
    let options = RunRequest::OPTIONS.iter().zip(request.given());
    options
        .filter(move |(option, is_given)| *is_given && !asks_for_nothing(option.name))
        .map(|(option, _)| (option.name, option.scope))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::Engine;
    use crate::sizing::{read, run_from_json};

    /// The message for a request that is refused; `None` if it is read.
    fn refusal(fields: Value) -> Option<String> {
        let Value::Object(fields) = fields else {
            unreachable!("an object");
        };
        let library = Engine::embedded();
        let request = run_from_json(fields).unwrap();
        let read = read(&library.catalog(), &request, None);
        read.err().map(|error| error.to_string())
    }

    #[test]
    fn options_without_effect_are_refused() {
        for (fields, message) in [
            (
                json!({ "lora_rank": 64 }),
                "`lora_rank` applies only to adapters: give `workload` lora or qlora",
            ),
            (
                json!({ "workload": "full", "lora_rank": 64 }),
                "`lora_rank` applies only to adapters, and `workload` full trains all weights",
            ),
            (
                json!({ "optimizer": "sgd" }),
                "`optimizer` applies only to training",
            ),
            (
                json!({ "workload": "lora", "max_num_seqs": 8 }),
                "`max_num_seqs` applies only to serving engines, and lora runs none",
            ),
            (
                json!({ "engine": "llama.cpp", "max_num_seqs": 8 }),
                "`max_num_seqs` applies only to vllm, sglang and tensorrt-llm, not to llama.cpp",
            ),
            (
                json!({ "workload": "lora", "kv_precision": "fp8" }),
                "`kv_precision` applies only to inference, grpo and ppo: lora generates nothing",
            ),
            (
                json!({ "workload": "lora", "concurrency": 8 }),
                "`concurrency` applies only to inference: training has no users",
            ),
            (
                json!({ "workload": "dpo", "rollouts": 8 }),
                "`rollouts` applies only to grpo and ppo: dpo generates nothing",
            ),
            (
                json!({ "engine": "vllm", "host_bandwidth": 80 }),
                "`host_bandwidth` applies only to inference with llama.cpp",
            ),
            (
                json!({ "engine": "sglang", "attention": "eager" }),
                "`attention` applies only to training, and to inference with transformers and llama.cpp: servers have their own",
            ),
            (
                json!({ "model": "FLUX.1-dev", "sampling": "greedy" }),
                "`sampling` does not apply to FLUX.1-dev, which processes no tokens",
            ),
        ] {
            let mut fields = fields;
            if fields.get("model").is_none() {
                fields["model"] = json!("Llama-3.1-8B");
            }
            assert_eq!(
                refusal(fields.clone()).as_deref(),
                Some(message),
                "{fields}"
            );
        }
    }

    #[test]
    fn options_that_ask_for_nothing_are_read() {
        for fields in [
            json!({ "generate": 0, "workload": "lora" }),
            json!({ "zero_stage": 0, "shard_groups": 1, "modules_to_save": [] }),
            json!({ "workload": "dpo", "lora_rank": 64 }),
            json!({ "workload": "grpo", "max_num_seqs": 64, "engine": "vllm" }),
        ] {
            let mut fields = fields;
            fields["model"] = json!("Llama-3.1-8B");
            assert_eq!(refusal(fields.clone()), None, "{fields}");
        }
    }
}
