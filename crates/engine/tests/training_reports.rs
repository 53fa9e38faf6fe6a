//! Public reports of training that ran or did not, each for a kind of settings that memory depends on.
#![allow(clippy::unwrap_used, reason = "a test fails that way")]

use serde_json::{Value, json};
use sky_accel_engine::Engine;

/// The first result for a request.
fn fit(request: &Value) -> Value {
    let answer = Engine::embedded().fit_json(request.to_string().as_bytes());
    serde_json::to_value(answer.unwrap().envelope.results.first().unwrap()).unwrap()
}

fn figure(answer: &Value, path: &str) -> f64 {
    answer.pointer(path).and_then(Value::as_f64).unwrap()
}

#[track_caller]
fn assert_within(answer: &Value, path: &str, reported: f64, tolerance: f64) {
    let error = figure(answer, path) / reported - 1.0;
    assert!(error.abs() < tolerance, "{error:.3}: {answer}");
}

/// DeepSpeed, ZeRO-Offload (2020): 13 billion parameters on one V100, in fp16.
#[test]
fn gradients_move_to_the_host_with_the_optimizer() {
    let offloaded = fit(&json!({
        "spec": "V100:32GB", "model": "OPT-13B", "workload": "full", "context": 1024,
        "zero_stage": 2, "offload": "optimizer",
    }));
    assert_eq!(offloaded["fits"], true, "{offloaded}");
    assert!(figure(&offloaded, "/per_device_gib/gradients") < 3.0);
}

/// github.com/deepspeedai/DeepSpeed/issues/3448: 750 to 800 GB of host memory, which is 722 GiB.
#[test]
fn offloaded_state_has_buffers_on_the_host() {
    let offloaded = fit(&json!({
        "spec": "A100:40GB:x8", "model": "Llama-30B", "workload": "full", "context": 2048,
        "zero_stage": 3, "offload": "all", "data_parallel": 8,
    }));
    assert_eq!(offloaded["fits"], true);
    assert_within(&offloaded, "/host_gib", 721.8 / 8.0, 0.05);
}

/// axolotl examples with packed sequences, cut cross entropy and 8-bit AdamW: 27.7, 11.3 and 7.8 GiB.
#[test]
fn packed_examples_have_no_slack_for_varied_lengths() {
    for (model, reported) in [
        ("Seed-OSS-36B", 27.7),
        ("OLMo-3-7B", 11.3),
        ("AFM-4.5B", 7.8),
    ] {
        let packed = fit(&json!({
            "spec": "A100:80GB", "model": model, "workload": "qlora", "context": 2048, "batch": 2,
            "optimizer": "adamw-8bit", "logits": "chunked", "lora_rank": 32,
            "engine": "axolotl", "packed": 512,
        }));
        assert_within(&packed, "/per_device_gib/reserved", reported, 0.17);
    }
}

/// The torchtune tutorial: Llama-3-8B with LoRA takes 18.5 GB, which is 17.2 GiB, on a 24 GB card.
#[test]
fn everyday_fine_tuning_fits() {
    let report = json!({
        "spec": "RTX4090", "model": "Llama-3-8B", "workload": "lora", "context": 512, "batch": 2,
        "lora_rank": 8, "engine": "torchtune",
    });
    let lora = fit(&report);
    assert_eq!(lora["fits"], true, "{lora}");
    assert_within(&lora, "/per_device_gib/reserved", 17.23, 0.15);
    for (spec, model, workload) in [
        ("RTX4090", "Llama-3.1-8B", "lora"),
        ("T4", "Llama-2-7B", "qlora"),
        ("T4", "Mistral-7B", "qlora"),
    ] {
        let context = if spec == "T4" { 1024 } else { 512 };
        let answer = fit(&json!({
            "spec": spec, "model": model, "workload": workload, "context": context,
        }));
        assert_eq!(answer["fits"], true, "{spec}: {answer}");
    }
}

/// github.com/unslothai/unsloth/issues/4985: 18.8 GB after loading Qwen3.5-9B in 16 bits, on a 32 GB card.
#[test]
fn trainers_differ() {
    let device = |engine: &str| {
        let answer = fit(&json!({
            "spec": "RTX5090", "model": "Qwen3.5-9B", "workload": "lora", "engine": engine,
        }));
        figure(&answer, "/per_device_gib/device")
    };
    // Fused losses need no logits of the whole sequence, and bfloat16 adapters half the state.
    assert!(device("unsloth") < device("transformers"));
    assert!(device("torchtune") < device("transformers"));
    assert!(device("ms-swift") > device("transformers"));
}
