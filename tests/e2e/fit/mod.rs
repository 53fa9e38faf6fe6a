//! Sizing: models from all sources, each memory term, and recommendations.

mod advice;
mod by_api;
mod formats;
mod launch;
mod layouts;
mod load;
mod models;
mod own_models;
mod pictures;
mod planned;
mod recommend;
mod speech;
mod step;
use serde_json::Value;

use crate::support::{sky, sky_line};

fn fit(line: &str) -> Value {
    let answer = sky_line(&format!("fit {line} -o json")).json();
    answer["results"][0].clone()
}

/// The result of a model that may not fit.
fn fit_result(line: &str) -> Value {
    let answer = sky_line(&format!("fit {line} -o json")).run();
    let answer: Value = serde_json::from_str(&answer.stdout).unwrap();
    answer["results"][0].clone()
}

fn fit_code(line: &str) -> i32 {
    sky_line(&format!("fit {line}")).run().code
}

fn gib(result: &Value, term: &str) -> f64 {
    result["per_device_gib"][term].as_f64().unwrap()
}

fn near(a: f64, b: f64, percent: f64) {
    assert!((a / b - 1.0).abs() * 100.0 <= percent, "{a} is not {b}");
}

#[test]
fn weights_and_cache_match_logs_of_engines() {
    // Logged by vLLM: 14.96 GiB on one device, 7.48 on each of two.
    let one = fit("H100:80GB --model Llama-3-8B");
    near(gib(&one, "weights"), 14.96, 0.1);
    assert_eq!(one["kv_cache"]["bytes_per_token"], 131_072);
    near(
        gib(&fit("H100:80GB:x2 --model Llama-3-8B"), "weights"),
        7.48,
        0.1,
    );
    // Four-bit weights have scales, and an unquantized embedding: 5.20 and not 3.55 GiB.
    near(
        gib(
            &fit("L4 --model Qwen2.5-7B --precision gptq-int4"),
            "weights",
        ),
        5.20,
        0.5,
    );
    // Latent attention: 1098 MiB for 16,384 tokens, on every rank.
    let line =
        "H200:x8 --model DeepSeek-R1 --precision fp8 --engine none --context 16384 --generate 0";
    near(gib(&fit(line), "kv_cache"), 1098.0 / 1024.0, 0.1);
    // A window bounds the cache of most layers.
    let short = gib(
        &fit("H200 --model Gemma-3-27B --engine none --context 1024 --generate 0"),
        "kv_cache",
    );
    let long = gib(
        &fit("H200 --model Gemma-3-27B --engine none --context 32768 --generate 0"),
        "kv_cache",
    );
    assert!(long < short * 8.0, "{short} {long}");
}

#[test]
fn memory_terms_grow_with_their_causes() {
    let train = |more: &str| {
        fit(&format!(
            "A100:80GB --model Llama-3.2-3B --workload full --engine torchtune --context 4096 --batch 2 {more}"
        ))
    };
    let plain = train("--checkpointing none");
    near(gib(&plain, "allocated"), 60.0, 3.0);
    near(
        gib(&train("--checkpointing none --compile"), "allocated"),
        51.0,
        3.0,
    );
    let chunked = train("--checkpointing none --compile --logits chunked");
    near(gib(&chunked, "allocated"), 42.9, 3.0);
    let again = train("--checkpointing full --compile --logits chunked");
    near(gib(&again, "allocated"), 24.9, 4.0);
    let eight_bit = train(
        "--checkpointing full --compile --logits chunked --optimizer-in-backward --optimizer adamw-8bit",
    );
    assert!(gib(&eight_bit, "allocated") < gib(&again, "allocated") - 5.0);
    // Each ZeRO stage divides more of the state.
    let sharded = |stage: u32| {
        fit(&format!(
            "A100:80GB:x8 --model Llama-3.1-8B --workload full --data-parallel 8 --tensor-parallel 1 --zero-stage {stage} --master-weights none"
        ))
    };
    near(
        gib(&sharded(1), "optimizer") * 8.0,
        gib(&sharded(0), "optimizer"),
        0.1,
    );
    near(
        gib(&sharded(3), "weights") * 8.0,
        gib(&sharded(0), "weights"),
        0.1,
    );
    // Adapters are small; their base model is not.
    let lora = fit("A100:80GB --model Llama-3.1-8B --workload lora --lora-rank 16");
    assert!(gib(&lora, "adapters") < 1.0 && gib(&lora, "weights") > 14.0);
    assert_eq!(lora["per_device_gib"]["optimizer"], 0);
    for (small, large) in [
        ("--batch 1", "--batch 4"),
        ("--context 1024", "--context 8192"),
    ] {
        let peak = |more: &str| {
            gib(
                &fit(&format!(
                    "A100:80GB --model Qwen2.5-7B --workload qlora {more}"
                )),
                "device",
            )
        };
        assert!(peak(small) < peak(large), "{small} {large}");
    }
}

#[test]
fn largest_batch_fits_and_one_more_does_not() {
    let line = "A100:80GB --model Llama-2-7B --context 2048 --generate 0";
    let batch = fit(line)["largest"]["batch"].as_u64().unwrap();
    let at = |batch: u64| {
        sky_line(&format!("fit {line} --batch {batch} -o json"))
            .run()
            .code
    };
    assert_eq!((at(batch), at(batch + 1)), (0, 1));
    let result = fit("L4 --model Llama-3.1-8B --precision awq");
    let tokens = result["kv_cache"]["max_tokens"].as_f64().unwrap();
    let free = tokens * 131_072.0 / 1_073_741_824.0;
    assert!(free > 4.0 && free < 16.0, "{free}");
    let refused = sky_line("fit L4 --model Llama-3.3-70B -o json").run();
    assert_eq!(refused.code, 1);
    let answer: Value = serde_json::from_str(&refused.stdout).unwrap();
    assert_eq!(answer["results"][0]["fits"], false);
    assert_eq!(answer["results"][0]["largest"]["batch"], 0);
}

#[test]
fn a_tight_fit_is_neither_yes_nor_no() {
    let line = "A100:80GB --model Llama-2-7B --context 2048 --generate 0";
    let batch = fit(line)["largest"]["batch"].as_u64().unwrap();
    let verdict = |batch: u64| {
        let result = fit_result(&format!("{line} --batch {batch}"));
        result["verdict"].as_str().unwrap().to_owned()
    };
    assert_eq!(verdict(batch), "fits");
    assert_eq!(verdict(batch + 1), "tight");
    assert_eq!(verdict(2 * batch), "does-not-fit");
    let code = |batch: u64, flag: &str| fit_code(&format!("{line} --batch {batch} {flag}"));
    assert_eq!(code(batch + 1, ""), 1);
    assert_eq!(code(batch + 1, "--accept-tight"), 0);
    assert_eq!(code(2 * batch, "--accept-tight"), 1);
    let page = sky_line(&format!("fit {line} --batch {}", batch + 1)).run();
    for words in ["is a tight fit on", "changes that make it safe:"] {
        assert!(page.stdout.contains(words), "{words}: {}", page.stdout);
    }
    assert!(page.stderr.contains("--accept-tight"), "{}", page.stderr);
    // A request of a batch has the same exit code.
    let request = format!(
        r#"{{"spec":"A100:80GB","model":"Llama-2-7B","context":2048,"generate":0,"batch":{}}}"#,
        batch + 1
    );
    let answer = |flags: &[&str]| {
        let words = ["fit", "-"].iter().chain(flags);
        sky(words.copied()).stdin(request.as_str()).run()
    };
    assert_eq!(answer(&[]).code, 1);
    assert_eq!(answer(&["--accept-tight"]).code, 0);
    assert!(answer(&[]).stdout.contains(r#""verdict":"tight""#));
}

#[test]
fn versions_of_an_engine_change_memory_or_a_note_denies_it() {
    let cache = |version: &str| {
        let line = format!("H200 --model Gemma-3-27B --context 32k --engine-version {version}");
        gib(&fit(&line), "kv_cache")
    };
    // Before version 0.9.1, layers with a window keep all tokens.
    assert!(cache("0.9.0") > 3.0 * cache("0.9.1"));
    assert!((cache("0.24.0") - cache("0.9.1")).abs() < 1e-9);
    let notes = |engine: &str| {
        let line = "fit H200 --model Llama-3.1-8B --engine-version 0.5.0 -o json --engine";
        sky_line(&format!("{line} {engine}")).json()["notes"].to_string()
    };
    assert!(notes("sglang").contains("no difference in memory between versions of SGLang"));
    assert!(!notes("vllm").contains("engine-version"));
}

#[test]
fn a_zero_stage_selects_a_data_parallel_layout() {
    let result = fit("H100:80GB:x8 --model Llama-2-70B --workload lora --zero-stage 3 --batch 8");
    let layout = &result["parallelism"];
    assert_eq!(
        (&layout["data"], &layout["zero_stage"]),
        (&8.into(), &3.into())
    );
}

#[test]
fn parallelism_needs_connected_devices() {
    // Experts are distributed over existing devices only.
    let run = sky_line("fit H100 --model DeepSeek-V3 --expert-parallel 64").run();
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    // Slices of one GPU cannot communicate.
    let four = fit_code("H100:80GB:mig=1g.10gb*4 --model Llama-3.1-8B");
    assert_eq!(four, 1);
    // The number of heads limits tensor parallelism: a third device is a replica.
    let three = fit("A100:80GB:x3 --model Llama-3.1-8B");
    assert_eq!(three["parallelism"]["data"], 3);
    // The stored format decides the size of the weights.
    near(gib(&fit("H200 --model gpt-oss-20b"), "weights"), 12.8, 3.0);
    let plain = gib(&fit("H200 --model Qwen3-32B"), "weights");
    let small = gib(&fit("H200 --model Qwen/Qwen3-32B-FP8"), "weights");
    assert!(small < plain * 0.6, "{small} {plain}");
    // A model size implies no context limit.
    assert_eq!(fit_code("A100:80GB --model-size 13B --context 16384"), 0);
    // The KV cache capacity that vLLM logs on two L40S: 63,152 tokens.
    let pool = fit("L40S:x2 --model Qwen2.5-32B --tensor-parallel 2 --context 9488");
    near(
        pool["kv_cache"]["max_tokens"].as_f64().unwrap(),
        63_152.0,
        3.0,
    );
    // An offer without a speed is never the best.
    let answer = sky_line("recommend --model Llama-3.1-8B --tokens 10M -o json").json();
    assert!(answer["results"][0]["usd_total"].is_number());
}

#[test]
fn errors_name_a_valid_value() {
    for (line, words) in [
        ("H100 --model Llama-3.1-9B", "did you mean Llama-3.1-8B"),
        ("H100", "no model: give --model"),
        (
            "H100 --model Llama-3.1-8B --model-size 8B",
            "cannot be used with",
        ),
        ("H100 --model-size 13X", "not a model size"),
        (
            "H100 --model Llama-3.1-8B --precision int3",
            "unknown --precision 'int3'",
        ),
        (
            "H100 --model Llama-3.1-8B --precision q4_k",
            "did you mean Q4_K_S",
        ),
        (
            "H100 --model Llama-3.1-8B --precision ternary",
            "and GGUF types such as gguf:",
        ),
        (
            "H100 --model Llama-2-7B --context 8192",
            "has a context length of 4096 tokens",
        ),
        ("H100 --model Llama-3.1-8B --batch -1", "above zero"),
        ("H100 --model Llama-3.1-8B --batch 1.5", "must be integers"),
        (
            "H100 --model Llama-3.1-8B --workload train",
            "choose one of inference",
        ),
        (
            "H100:x3 --model Llama-3.1-8B --tensor-parallel 3",
            "32 heads",
        ),
        (
            "H100:x4 --model Llama-3.1-8B --tensor-parallel 2 --pipeline-parallel 4",
            "need 8 devices",
        ),
        (
            "H100 --model Llama-3.1-8B --workload qlora --precision bf16",
            "needs a quantized",
        ),
        (
            "H100 --model Llama-3.1-8B --workload full --precision awq",
            "cannot be trained",
        ),
        ("H100 --model Llama-3.1-8B --group-size 64", "has no groups"),
        (
            "H100:mig=3g.40gb+1g.10gb --model Llama-3.1-8B",
            "equal slices",
        ),
        ("H10 --model Llama-3.1-8B", "unknown accelerator"),
    ] {
        let run = sky_line(&format!("fit {line}")).run();
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{line}");
        assert!(run.stderr.contains(words), "{line}: {}", run.stderr);
    }
}

#[test]
fn batch_keeps_order_and_isolates_bad_lines() {
    let good = r#"{"spec":"A100:80GB","model":"Qwen2.5-7B"}"#;
    let lines = [
        good,
        "not json",
        r#"{"spec":"L4","model":"Llama-3.3-70B"}"#,
        r#"{"spec":"A100:80GB"}"#,
        r#"{"spec":"A100:80GB","model":"Qwen2.5-7B","contxt":5}"#,
        "",
        good,
    ];
    let run = sky(["fit", "-"]).stdin(lines.join("\n")).run();
    assert_eq!(run.code, 2);
    let answers = run.json_lines();
    let schemas: Vec<&str> = answers
        .iter()
        .map(|answer| answer["schema"].as_str().unwrap())
        .collect();
    let (fit, error) = ("sky-accel.fit.v1", "sky-accel.error.v1");
    assert_eq!(schemas, [fit, error, fit, error, error, fit]);
    assert_eq!(answers[0], answers[5]);
    assert_eq!(answers[2]["fits"], false);
    assert!(
        answers[4]["error"]["message"]
            .as_str()
            .unwrap()
            .contains("contxt")
    );
    assert_eq!(sky(["fit", "-"]).stdin(good).run().code, 0);
    // The exit code reports a model that does not fit even if later lines fit.
    let misfit = lines[2];
    let both = [misfit, good];
    assert_eq!(sky(["fit", "-"]).stdin(both.join("\n")).run().code, 1);
    // An overlong line is one error, and the next line is read.
    let long = format!("{}\n{good}\n", "x".repeat(1_500_000));
    let run = sky(["fit", "-"]).stdin(long).run();
    assert_eq!((run.code, run.stdout.lines().count()), (2, 2));
    let choices = r#"{"spec":"L4|H100","model":"Qwen2.5-7B"}"#;
    let answer = sky(["fit", "-"]).stdin(choices).json();
    let others = answer["other_choices"].as_array().unwrap();
    assert_eq!(others.len(), 1, "{answer}");
}

#[test]
fn notes_name_the_computed_accelerator() {
    for (spec, code) in [
        ("any:24GB", "several-accelerators"),
        ("A100", "several-sizes"),
    ] {
        let answer = sky_line(&format!("fit {spec} --model Llama-3.1-8B -o json")).json();
        let notes = answer["notes"].as_array().unwrap();
        let name = answer["results"][0]["accelerator"].as_str().unwrap();
        let is_named = notes.iter().any(|note| {
            let message = note["message"].as_str().unwrap();
            note["code"] == code && message.contains(&format!("sized for {name}"))
        });
        assert!(is_named, "{spec}: {notes:?}");
    }
}

#[test]
fn offloaded_training_is_slower_and_smaller() {
    for workload in ["full", "lora"] {
        let at = |offload: &str| {
            let spec = "A100:80GB:x2 --model Qwen2.5-7B --data-parallel 2 --zero-stage 3";
            fit(&format!("{spec} --workload {workload} --offload {offload}"))
        };
        let (none, optimizer, all) = (at("none"), at("optimizer"), at("all"));
        let rate = |result: &Value| {
            let rate = &result["throughput"]["train_tokens_per_s_per_device"];
            rate.as_f64().unwrap()
        };
        assert!(rate(&optimizer) < rate(&none), "{workload}");
        assert!(rate(&all) < rate(&optimizer), "{workload}");
        assert!(
            gib(&optimizer, "steady") < gib(&none, "steady"),
            "{workload}"
        );
        assert!(
            gib(&all, "steady") < gib(&optimizer, "steady"),
            "{workload}"
        );
    }
}
