//! Servers under load, and optimizer steps on many machines.

use serde_json::{Value, json};

use super::{fit, gib, near};
use crate::support::{sky, sky_line};

const GIB: f64 = 1_073_741_824.0;

fn figure(result: &Value, field: &str) -> f64 {
    result["throughput"][field].as_f64().expect(field)
}

#[test]
fn load_figures_are_consistent() {
    let answer = sky_line(
        "fit H100:80GB:x4 --model Llama-3.3-70B --precision fp8 --users 50 --context 2000 --generate 500 -o json",
    )
    .json();
    let request = &answer["request"];
    assert_eq!(request["concurrency"], 50);
    assert!(request.get("batch").is_none(), "{request}");
    let result = &answer["results"][0];
    let (first, token) = (figure(result, "ttft_s"), figure(result, "tpot_ms") / 1e3);
    let output = figure(result, "output_tokens_per_s");
    // Fifty users are always in flight.
    near(output, 50.0 * 500.0 / (first + 499.0 * token), 1.0);
    near(figure(result, "total_tokens_per_s"), output * 5.0, 1.0);
    near(figure(result, "tokens_per_s_per_user"), 1.0 / token, 1.0);
    assert!(figure(result, "max_concurrency") > 50.0);
    let (low, high) = (&result["throughput"]["low"], &result["throughput"]["high"]);
    assert!(low["ttft_s"].as_f64().unwrap() < first && first < high["ttft_s"].as_f64().unwrap());
    let text = sky_line("fit H100:80GB:x4 --model Llama-3.3-70B --precision fp8 --users 50").run();
    assert!(
        text.stdout
            .contains("50 requests in flight: time to first token")
    );
}

#[test]
fn finite_load_ends_with_its_last_answer() {
    let line = "H100:80GB --model Llama-3.1-8B --context 1000 --generate 400 --users 600";
    let going_on = fit(line);
    let with_requests = |requests: u32| {
        let result = fit(&format!("{line} --requests {requests}"));
        let (output, seconds) = (
            figure(&result, "output_tokens_per_s"),
            figure(&result, "duration_s"),
        );
        near(output * seconds, f64::from(requests) * 400.0, 1.0);
        near(figure(&result, "total_tokens_per_s"), output * 3.5, 1.0);
        result
    };
    // In a burst, the cache limits the admitted requests, and the others are served last.
    let admitted = figure(&going_on, "max_concurrency");
    assert!(admitted < 600.0, "{admitted}");
    let once = with_requests(600);
    let output = |result: &Value| figure(result, "output_tokens_per_s");
    assert!(output(&once) < output(&going_on));
    assert!(figure(&once, "ttft_s") < figure(&going_on, "ttft_s"));
    // With many requests, the last wave hardly changes the average.
    near(output(&with_requests(600_000)), output(&going_on), 1.0);
    assert!(going_on["throughput"].get("duration_s").is_none());
    let run = sky_line(&format!("fit {line} --requests 600")).run();
    let seconds = figure(&once, "duration_s");
    let words = format!("the last answer arrives after {seconds} s");
    assert!(run.stdout.contains("600 users · 600 requests in total"));
    assert!(run.stdout.contains(&words), "{words}: {}", run.stdout);
    let answer = sky_line("recommend Llama-3.1-8B --users 50 --requests 5000 --limit 1").run();
    let heading = "for 50 users and 5,000 requests in total";
    assert!(answer.stdout.contains(heading), "{}", answer.stdout);
}

#[test]
fn rare_scheduling_delays_answers() {
    let line = "B200 --model Llama-3.1-8B --users 32";
    let first_token = |more: &str| figure(&fit(&format!("{line} {more}")), "ttft_s");
    let waits =
        |interval: u32| first_token(&format!("--engine sglang --admission-interval {interval}"));
    assert!(waits(1) < waits(10) && waits(10) < waits(40));
    near(first_token("--engine sglang"), waits(0), 0.1);
    let set = "--engine tensorrt-llm --admission-interval";
    near(
        first_token("--engine tensorrt-llm"),
        first_token(&format!("{set} 0")),
        0.1,
    );
    assert!(first_token(&format!("{set} 0")) < first_token(&format!("{set} 20")));
    let answer = sky_line(&format!("fit {line} {set} 20 -o json")).json();
    assert_eq!(answer["request"]["admission_interval"], 20);
}

#[test]
fn shorter_work_is_faster() {
    let at = |more: &str| {
        fit(&format!(
            "H100:80GB --model Qwen3-32B --precision fp8 --users 8 --context 8000 --generate 200 {more}"
        ))
    };
    let plain = at("");
    let cached = at("--prefix-cache 0.9");
    assert!(figure(&cached, "ttft_s") < 0.5 * figure(&plain, "ttft_s"));
    let guessed = at("--speculative 3:0.7");
    assert!(figure(&guessed, "tpot_ms") < figure(&plain, "tpot_ms"));
    let spread = at("--length-spread 1");
    assert!(figure(&spread, "ttft_s") < figure(&plain, "ttft_s"));
    // An old engine is slower, and a build without a number is the newest.
    let version = |version: &str| at(&format!("--engine-version {version}"));
    assert!(figure(&version("0.6.3"), "tpot_ms") > figure(&plain, "tpot_ms"));
    assert_eq!(version("nightly")["throughput"], plain["throughput"]);
    assert_eq!(version("0.19.0")["throughput"], plain["throughput"]);
}

#[test]
fn overload_reports_the_needed_replicas() {
    let line =
        "fit H100:80GB:x2 --model Llama-3.3-70B --precision fp8 --context 2000 --generate 200";
    for (load, words) in [
        (
            "--request-rate 40 --max-ttft 2s",
            "40 requests/s exceed its capacity with a first token within 2 s",
        ),
        (
            "--users 500 --min-speed 30",
            "500 users exceed its capacity with 30 tokens/s each",
        ),
        (
            "--users 5 --max-ttft 1ms",
            "it serves no user with a first token within 0.001 s",
        ),
    ] {
        let run = sky_line(&format!("{line} {load}")).run();
        assert_eq!(run.code, 1, "{load}");
        assert!(run.stderr.contains(words), "{load}: {}", run.stderr);
    }
    let answer: Value = serde_json::from_str(
        &sky_line(&format!("{line} --request-rate 40 -o json"))
            .run()
            .stdout,
    )
    .unwrap();
    assert_eq!(answer["results"][0]["fits"], true);
    assert_eq!(answer["results"][0]["throughput"]["serves"], false);
    let note = answer["notes"]
        .as_array()
        .unwrap()
        .iter()
        .find(|note| note["code"] == "overload");
    let message = note.expect("a note")["message"].as_str().unwrap();
    assert!(message.contains("such replicas are enough"), "{message}");
    // The suggested number of machines serves the load.
    let words: Vec<&str> = message.split_whitespace().collect();
    let at = words.iter().position(|word| *word == "such").unwrap();
    let replicas: f64 = words[at - 1].parse().unwrap();
    let rate = 40.0 / replicas;
    assert_eq!(
        sky_line(&format!("{line} --request-rate {rate}"))
            .run()
            .code,
        0
    );
}

#[test]
fn recommended_machines_serve_the_load() {
    let line = "--model Llama-3.1-8B --users 100 --min-speed 25 --max-ttft 2s --context 1000 --generate 300";
    let answer = sky_line(&format!(
        "recommend {line} --provider aws,runpod --limit 4 -o json"
    ))
    .json();
    let rows = answer["results"].as_array().unwrap();
    assert!(!rows.is_empty());
    for row in rows {
        let speed = &row["fit"]["throughput"];
        assert_eq!(speed["serves"], true, "{row}");
        assert!(speed["ttft_s"].as_f64().unwrap() <= 2.0);
        assert!(speed["tokens_per_s_per_user"].as_f64().unwrap() >= 24.9);
        assert_eq!(row["tokens_per_s"], speed["output_tokens_per_s"]);
        let spec = row["spec"].as_str().unwrap();
        let same = fit(&format!("{spec} {line}"));
        assert_eq!(same["throughput"], *speed, "{spec}");
    }
}

#[test]
fn prefill_can_run_on_separate_replicas() {
    let at = |more: &str| {
        fit(&format!(
            "H100:80GB:x8 --model Llama-3.1-8B --users 64 --context 4000 --generate 200 --tensor-parallel 1 {more}"
        ))
    };
    let (together, apart) = (at(""), at("--disaggregated"));
    assert!(figure(&apart, "tpot_ms") < figure(&together, "tpot_ms"));
    let readers = figure(&apart, "prefill_replicas");
    assert!((1.0..8.0).contains(&readers), "{readers}");
    // Prefill replicas generate no tokens, and nearly idle replicas are as fast as others.
    let rare = fit(
        "H100:80GB:x4 --model Llama-3.1-8B --tensor-parallel 2 --disaggregated --request-rate 0.001",
    );
    let one =
        fit("H100:80GB:x4 --model Llama-3.1-8B --tensor-parallel 2 --disaggregated --users 1");
    near(
        figure(&one, "decode_tokens_per_s"),
        1e3 / figure(&one, "tpot_ms"),
        1.0,
    );
    for field in ["decode_tokens_per_s", "prefill_tokens_per_s"] {
        near(figure(&rare, field), figure(&one, field), 1.0);
    }
    assert_eq!(rare["kv_cache"], one["kv_cache"]);
    let run = sky_line("fit H100:80GB --model Llama-3.1-8B --users 4 --disaggregated").run();
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(
        run.stderr
            .contains("need 2 devices, but the hardware has 1"),
        "{}",
        run.stderr
    );
}

#[test]
fn measured_speed_scales_other_speeds() {
    let line = "H100:80GB --model Llama-3.1-8B --users 32 --max-ttft 1s";
    let plain = fit(line);
    let half = figure(&plain, "output_tokens_per_s") / 2.0;
    let scaled = fit(&format!("{line} --calibrate tokens_per_s={half}"));
    near(figure(&scaled, "output_tokens_per_s"), half, 1.0);
    near(
        figure(&scaled, "ttft_s"),
        2.0 * figure(&plain, "ttft_s"),
        1.0,
    );
    assert!(figure(&scaled, "max_concurrency") < figure(&plain, "max_concurrency"));
    let run = sky_line("recommend --model Llama-3.1-8B --calibrate tokens_per_s=10").run();
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
}

/// Changes such as more users or a longer context, which must not improve an answer.
#[test]
fn a_larger_load_is_never_served_better() {
    let mut lines = Vec::new();
    let models = [
        "Llama-3.1-8B",
        "Llama-3.3-70B",
        "gpt-oss-120B",
        "DeepSeek-R1",
        "Gemma-3-27B",
    ];
    let hardware = [
        ("L40S:x4", 4),
        ("H100:80GB:x8", 8),
        ("B200:x2", 2),
        ("MI300X:x8", 8),
        ("RTX4090:x2", 2),
    ];
    for model in models {
        for (spec, count) in hardware {
            for engine in ["vllm", "sglang", "tensorrt-llm"] {
                for more in [
                    json!({"tensor_parallel": count}),
                    json!({"tensor_parallel": count / 2, "data_parallel": 1, "disaggregated": true}),
                    json!({"tensor_parallel": count / 2, "pipeline_parallel": 1, "max_ttft": "1s", "length_spread": 0.5}),
                ] {
                    for (context, generate) in [(200, 1000), (6000, 100)] {
                        for users in [1, 2, 7, 33, 300, 5000] {
                            let mut line = json!({"spec": spec, "model": model, "precision": "fp8", "engine": engine,
                                "context": context, "generate": generate, "concurrency": users});
                            line.as_object_mut()
                                .unwrap()
                                .extend(more.as_object().unwrap().clone());
                            lines.push(line.to_string());
                        }
                    }
                }
            }
        }
    }
    let run = sky(["fit", "-"]).stdin(lines.join("\n")).run();
    let answers = run.json_lines();
    assert_eq!(answers.len(), lines.len());
    let mut served = 0;
    for growing in answers.chunks(6) {
        for pair in growing.windows(2) {
            if pair[0]["throughput"].get("ttft_s").is_none() {
                continue;
            }
            served += 1;
            let value_at = |at: usize, field: &str| figure(&pair[at], field);
            let request = &pair[1]["request"];
            assert!(
                value_at(1, "output_tokens_per_s") >= value_at(0, "output_tokens_per_s"),
                "{request}"
            );
            assert!(value_at(1, "ttft_s") >= value_at(0, "ttft_s"), "{request}");
            assert!(
                value_at(1, "tpot_ms") >= value_at(0, "tpot_ms"),
                "{request}"
            );
            let max_users = |at: usize| &pair[at]["throughput"]["max_concurrency"];
            assert_eq!(max_users(1), max_users(0), "{request}");
        }
    }
    assert!(served > 1000, "{served}");
}

/// The answers for a load on 8 × H200, with the chosen layout and with several fixed layouts.
fn by_layout(model: &str, load: &Value) -> (Value, Vec<Value>) {
    let request = |layout: Value| {
        let mut line = json!({"spec": "H200:x8", "model": model, "precision": "fp8", "context": 2000, "generate": 500});
        for more in [load, &layout] {
            let fields = line.as_object_mut().unwrap();
            fields.extend(more.as_object().unwrap().clone());
        }
        line.to_string()
    };
    let layouts = [
        (8, 1),
        (4, 1),
        (2, 1),
        (1, 1),
        (4, 2),
        (2, 4),
        (1, 2),
        (1, 8),
    ];
    let given = layouts.map(|(tensor, pipeline)| {
        request(json!({"tensor_parallel": tensor, "pipeline_parallel": pipeline}))
    });
    let lines = [&[request(json!({}))], &given[..]].concat();
    let run = sky(["fit", "-"]).stdin(lines.join("\n")).run();
    let mut answers = run.json_lines().into_iter();
    (answers.next().unwrap(), answers.collect())
}

#[test]
fn chosen_layout_has_the_highest_throughput_within_limits() {
    for (model, limits) in [
        ("Llama-3.1-8B", json!({})),
        ("gpt-oss-20B", json!({"max_ttft": "300ms"})),
        ("Qwen3-30B-A3B", json!({"max_ttft": "300ms"})),
        ("Llama-3.3-70B", json!({"min_speed": 25})),
    ] {
        let mut layouts = Vec::new();
        for users in [1, 8, 40, 200] {
            let mut load = limits.clone();
            load["concurrency"] = json!(users);
            let (chosen, given) = by_layout(model, &load);
            let keeps = |answer: &&Value| {
                answer["throughput"]["serves"] == true
                    && figure(answer, "ttft_s") < 2.0
                    && figure(answer, "tokens_per_s_per_user") > 20.0
            };
            let output = |answer: &Value| figure(answer, "output_tokens_per_s");
            let best_output = given.iter().filter(keeps).map(output).fold(0.0, f64::max);
            assert!(
                output(&chosen) >= best_output && best_output > 0.0,
                "{model}: {load}"
            );
            layouts.push(chosen["parallelism"].clone());
        }
        layouts.dedup();
        assert!(layouts.len() > 1, "{model}: {layouts:?}");
    }
}

#[test]
fn expert_parallelism_is_chosen_where_it_serves_better() {
    let request = |users: u32, layout: Value| {
        let mut line = json!({"spec": "H200:x8", "model": "DeepSeek-V3", "precision": "fp8", "engine": "sglang",
            "context": 2000, "generate": 500, "concurrency": users});
        let fields = line.as_object_mut().unwrap();
        fields.extend(layout.as_object().unwrap().clone());
        line.to_string()
    };
    let given = [
        json!({"tensor_parallel": 8}),
        json!({"tensor_parallel": 8, "expert_parallel": 8}),
        json!({"tensor_parallel": 1, "data_parallel": 8, "expert_parallel": 8}),
    ];
    let mut chosen = Vec::new();
    for users in [4, 64, 512] {
        let lines = [&[json!({})], &given[..]].concat();
        let lines: Vec<String> = lines
            .into_iter()
            .map(|layout| request(users, layout))
            .collect();
        let run = sky(["fit", "-"]).stdin(lines.join("\n")).run();
        let mut answers = run
            .stdout
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let best = answers.next().unwrap();
        let given: Vec<Value> = answers.collect();
        // If `--tensor-parallel` is given, expert parallelism defaults to 1.
        assert_eq!(given[0]["parallelism"]["expert"], Value::Null);
        assert_eq!(given[1]["parallelism"]["expert"], 8);
        for other in given.iter().filter(|other| other["fits"] == true) {
            let keeps =
                figure(other, "ttft_s") < 2.0 && figure(other, "tokens_per_s_per_user") > 20.0;
            let output = |answer: &Value| figure(answer, "output_tokens_per_s");
            assert!(
                !keeps || output(&best) >= output(other),
                "{users}: {best} {other}"
            );
        }
        chosen.push(best["parallelism"]["expert"].clone());
    }
    assert!(chosen.contains(&json!(8)), "{chosen:?}");
}

#[test]
fn chosen_layout_has_the_highest_throughput_beyond_default_limits() {
    for (model, users) in [("Llama-3.1-8B", 4000), ("Llama-3.3-70B", 1000)] {
        let (chosen, given) = by_layout(model, &json!({"concurrency": users}));
        let is_usual = |answer: &Value| {
            figure(answer, "ttft_s") < 2.0 && figure(answer, "tokens_per_s_per_user") > 20.0
        };
        assert!(!given.iter().any(is_usual), "{model}: {given:?}");
        let output = |answer: &Value| figure(answer, "output_tokens_per_s");
        // Stages are slower than computed, so they are not chosen where devices can share every matrix.
        let fits = given
            .iter()
            .filter(|answer| answer["fits"] == true && answer["parallelism"]["pipeline"] == 1);
        let best_output = fits.map(output).fold(0.0, f64::max);
        assert_eq!(chosen["parallelism"]["pipeline"], 1, "{model}: {chosen}");
        assert!(
            output(&chosen) >= best_output,
            "{model}: {chosen}, and {best_output}"
        );
    }
}

#[test]
fn serving_the_load_beats_spare_memory() {
    let line = "A100:80GB:x2 --model GLM-4-32B --context 318 --generate 55 --request-rate 11";
    let chosen = fit(line);
    assert_eq!(chosen["throughput"]["serves"], true);
    let roomy = sky_line(&format!("fit {line} --tensor-parallel 2 -o json")).run();
    assert_eq!(roomy.code, 1);
    assert!(roomy.stdout.contains("\"serves\": false"));
}

#[test]
fn chosen_layout_for_a_rate_has_the_lowest_ttft() {
    for rate in [0.5, 4.0, 16.0] {
        let (chosen, given) = by_layout("Llama-3.3-70B", &json!({"request_rate": rate}));
        assert_eq!(chosen["throughput"]["serves"], true);
        let serves = |answer: &&Value| {
            answer["throughput"]["serves"] == true && figure(answer, "tokens_per_s_per_user") > 25.0
        };
        for other in given.iter().filter(serves) {
            let (first, other) = (figure(&chosen, "ttft_s"), figure(other, "ttft_s"));
            assert!(first <= other, "{rate}: {first}, {other}");
        }
    }
}

/// Options of a load that contradict each other or have an invalid value, with a part of the error.
const IMPOSSIBLE_LOADS: &[(&str, &str)] = &[
    ("--users 4 --batch 2", "cannot be used with"),
    ("--users 4 --request-rate 1", "cannot be used with"),
    ("--users 0", "above zero"),
    ("--users 1.5", "must be an integer"),
    ("--users 4 --requests 1.5", "must be an integer"),
    ("--users 4 --requests 0", "above zero"),
    ("--users 4 --requests 2e9", "between 1 and"),
    ("--requests 100", "--users"),
    ("--request-rate 2 --requests 100", "cannot be used with"),
    (
        "--users 4 --admission-interval 10",
        "is a setting of sglang and tensorrt-llm, but not of vllm",
    ),
    (
        "--users 4 --engine sglang --admission-interval 1e6",
        "between 0 and 10000",
    ),
    ("--max-ttft 2s", "latency limits need a load"),
    ("--users 4 --max-ttft soon", "such as 2s or 50ms"),
    (
        "--users 4 --min-speed 20 --max-tpot 50ms",
        "cannot be used with",
    ),
    (
        "--request-rate 4 --engine llama.cpp",
        "llama.cpp has a fixed number of slots: give --users",
    ),
    (
        "--users 4 --generate 0",
        "under a load, --generate must be at least 1",
    ),
    ("--users 4 --speculative 3", "such as 3:0.7"),
    ("--users 4 --speculative 3:1.5", "such as 3:0.7"),
    ("--users 4 --prefix-cache 1", "between 0 and 0.999"),
    ("--calibrate 4100", "such as tokens_per_s=4100"),
    ("--workload full --users 4", "training has no users"),
    ("--gradient-accumulation 4", "applies only to training"),
    (
        "--workload full --global-batch 8 --gradient-accumulation 4",
        "give only one of them",
    ),
    (
        "--workload full --global-batch 9 --batch 2",
        "is not a multiple of the micro-batch of 2",
    ),
    (
        "--workload pretrain --data-parallel 8 --global-batch 12",
        "not a multiple of the 8",
    ),
    (
        "--expert-parallel 8",
        "Llama-3.1-8B has no experts that 8 devices could share",
    ),
    ("--users inf", "above zero"),
    (
        "--workload lora --lora-rank 1.5",
        "--lora-rank must be an integer",
    ),
    (
        "--workload pretrain --pipeline-parallel 8 --virtual-pipeline 5",
        "split into 40 parts",
    ),
];

#[test]
fn impossible_loads_are_rejected() {
    for (line, words) in IMPOSSIBLE_LOADS {
        let run = sky_line(&format!("fit H100:x8 --model Llama-3.1-8B {line}")).run();
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{line}");
        assert!(run.stderr.contains(words), "{line}: {}", run.stderr);
    }
    for (fields, words) in [
        (
            json!({"concurrency": 4, "batch": 2}),
            "the serving engine chooses the batch under a load",
        ),
        (
            json!({"concurrency": 4, "request_rate": 1}),
            "give only one of",
        ),
        (
            json!({"concurrency": 4, "min_speed": 20, "max_tpot": "50ms"}),
            "are the same limit",
        ),
        (json!({"concurrency": 1e9}), "between 1 and"),
        (json!({"requests": 100}), "ends a closed-loop load"),
        (
            json!({"requests": 100, "request_rate": 2}),
            "ends a closed-loop load",
        ),
        (
            json!({"requests": 100, "workload": "full"}),
            "training has no users",
        ),
        (
            json!({"micro_batch": 2, "batch": 3, "workload": "full"}),
            "and their values differ",
        ),
        (json!({"concurrency": 4, "max_ttft": "now"}), "not 'now'"),
    ] {
        let mut line = json!({"spec": "H100:x8", "model": "Llama-3.1-8B"});
        line.as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
        let run = sky(["fit", "-"]).stdin(line.to_string()).run();
        assert_eq!(run.code, 2, "{fields}");
        let answer: Value = serde_json::from_str(&run.stdout).unwrap();
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(words), "{fields}: {message}");
    }
}

fn train(line: &str) -> f64 {
    figure(&fit(line), "train_tokens_per_s_per_device")
}

/// Published runs: Llama 3 405B (arXiv 2407.21783, table 4), BLOOM-176B (arXiv 2211.05100, section
/// 3.4), DeepSeek-V3 (arXiv 2412.19437, section 1: 2.664 million H800 hours for 14.8 trillion tokens).
#[test]
fn predictions_are_near_published_runs() {
    // The stages have several parts, but their number is not published.
    let llama = |parts: u32| {
        let result = fit(&format!(
            "H100:80GB:x8192 --model Llama-3.1-405B --workload pretrain --parameter-precision bf16 --context 8192 \
             --tensor-parallel 8 --pipeline-parallel 16 --data-parallel 64 --zero-stage 2 --global-batch 2048 \
             --virtual-pipeline {parts} --checkpointing none"
        ));
        figure(&result, "mfu")
    };
    assert!(
        llama(1) < 0.43 && 0.43 < llama(7),
        "{} {}",
        llama(1),
        llama(7)
    );
    let bloom = train(
        "A100:80GB:SXM:x384 --model BLOOM-176B --workload pretrain --parameter-precision bf16 --context 2048 \
         --tensor-parallel 4 --pipeline-parallel 12 --data-parallel 8 --zero-stage 1 --batch 2 --global-batch 2048",
    );
    // According to the log, a step of 2,048 sequences took 105.22 s.
    near(bloom, 2048.0 * 2048.0 / 105.22 / 384.0, 10.0);
    let deepseek = train(
        "H800:SXM:x2048 --model DeepSeek-V3 --workload pretrain --precision fp8 --parameter-precision bf16 \
         --context 4096 --pipeline-parallel 16 --data-parallel 128 --expert-parallel 64 --zero-stage 1 \
         --global-batch 15360 --checkpointing selective --virtual-pipeline 2",
    );
    // The report describes all-to-alls that overlap fully with computing; in the measured engines, a part is exposed.
    near(deepseek, 14.8e12 / 2.664e6 / 3600.0, 40.0);
}

#[test]
fn step_time_is_the_sum_of_its_parts() {
    let line = "H100:80GB:x64 --model Llama-3.3-70B --workload pretrain --parameter-precision bf16 --context 4096 --zero-stage 1";
    let at = |more: &str| train(&format!("{line} {more}"));
    // More micro-batches and more parts per stage shrink the pipeline bubble.
    let few = at("--tensor-parallel 4 --pipeline-parallel 8 --gradient-accumulation 8");
    let many = at("--tensor-parallel 4 --pipeline-parallel 8 --gradient-accumulation 64");
    let parts = at(
        "--tensor-parallel 4 --pipeline-parallel 8 --gradient-accumulation 8 --virtual-pipeline 5",
    );
    assert!(few < parts && parts < many, "{few} {parts} {many}");
    near(few, many * (1.0 + 7.0 / 64.0) / (1.0 + 7.0 / 8.0), 3.0);
    // Each stage runs only the all-reduces of its layers.
    let stages = at(
        "--tensor-parallel 8 --pipeline-parallel 8 --data-parallel 1 --gradient-accumulation 512",
    );
    let one_stage = at("--tensor-parallel 8 --pipeline-parallel 1 --gradient-accumulation 512");
    near(stages, one_stage, 5.0);
    // The sequences of a step follow from micro-batches and ranks.
    let sequences = at("--tensor-parallel 4 --pipeline-parallel 8 --global-batch 16");
    near(sequences, few, 0.1);
    // Sharded weights are sent for each micro-batch, gradients once a step.
    let slow = "A10:x64 --model Llama-3.1-8B --workload full --context 512 --gradient-accumulation 16 --data-parallel 64";
    let sharded = train(&format!("{slow} --zero-stage 3"));
    let once = train(&format!("{slow} --zero-stage 2"));
    assert!(sharded < 0.5 * once, "{sharded} {once}");
}

#[test]
fn stages_and_experts_divide_memory() {
    let line = "H100:80GB:x64 --model Llama-3.3-70B --workload pretrain --parameter-precision bf16 --context 4096 \
                --tensor-parallel 8 --pipeline-parallel 8 --checkpointing none";
    let at = |more: &str| gib(&fit(&format!("{line} {more}")), "activations");
    // The first stage keeps one micro-batch per stage, and more with virtual pipeline parts.
    let (one, eight) = (
        at("--gradient-accumulation 1"),
        at("--gradient-accumulation 8"),
    );
    near(eight, 8.0 * one, 0.1);
    near(at("--gradient-accumulation 64"), eight, 0.1);
    let turns = at("--gradient-accumulation 64 --virtual-pipeline 5");
    near(turns, eight * (1.0 + 7.0 / 40.0), 0.1);
    // An expert and its optimizer state are on two of 128 data-parallel ranks.
    let experts = fit(
        "H800:SXM:x2048 --model DeepSeek-V3 --workload pretrain --precision fp8 --parameter-precision bf16 \
         --context 4096 --pipeline-parallel 16 --data-parallel 128 --expert-parallel 64 --zero-stage 1",
    );
    let parameters = 58.0 * 256.0 * 3.0 * 7168.0 * 2048.0 / 64.0 / 15.25;
    // Everything else is sharded over all ranks.
    let rest = (61.0 * 0.25e9 / 15.25 + 0.93e9) / 128.0;
    near(
        gib(&experts, "optimizer"),
        (parameters / 2.0 + rest) * 12.0 / GIB,
        5.0,
    );
}

#[test]
fn trained_parameters_are_counted_equally_in_all_formats() {
    let line = "B200:x8 --model Llama-3.1-8B --workload pretrain --tensor-parallel 1 --pipeline-parallel 8 \
                --data-parallel 1 --global-batch 32 --checkpointing none";
    let weights =
        |precision: &str| gib(&fit(&format!("{line} --precision {precision}")), "weights");
    // Four layers and the embedding, in 32 bits.
    let expected = (6.979e9 / 8.0 + 0.525e9) * 4.0 / GIB;
    for precision in ["bf16", "fp8", "nvfp4"] {
        near(weights(precision), expected, 1.0);
    }
    // Files in 4 bits are unpacked, unless the user selects another format.
    for line in [
        "gpt-oss-20b --workload full",
        "gpt-oss-20b --workload dpo",
        "Kimi-K2.5 --workload full",
    ] {
        let unpacked = sky_line(&format!("fit H100:80GB:x8 {line} -o json")).run();
        let answer: Value = serde_json::from_str(&unpacked.stdout).expect(line);
        assert_eq!(answer["request"]["precision"], "bf16", "{line}");
    }
    // Each rank gathers only its own experts of a unit.
    let gathered = |experts: u32| {
        gib(
            &fit(&format!(
                "B200:x64 --model Mixtral-8x7B --workload full --tensor-parallel 1 --pipeline-parallel 1 --data-parallel 64 \
             --zero-stage 3 --expert-parallel {experts}"
            )),
            "allocated",
        )
    };
    assert!(gathered(8) < 0.6 * gathered(1));
}

#[test]
fn checkpointing_trades_compute_for_memory() {
    for model in ["Llama-3.2-1B", "Llama-3.1-8B"] {
        let activations = |how: &str| {
            gib(
                &fit(&format!(
                    "H100:80GB:x8 --model {model} --workload full --tensor-parallel 1 --pipeline-parallel 8 --data-parallel 1 \
                 --context 8192 --batch 4 --checkpointing {how}"
                )),
                "activations",
            )
        };
        let (none, selective, full) = (
            activations("none"),
            activations("selective"),
            activations("full"),
        );
        assert!(
            full <= selective && selective <= none,
            "{model}: {full} {selective} {none}"
        );
    }
}

#[test]
fn unsharded_mixtures_train_no_faster() {
    let line = "B200:x8 --model Qwen3-30B-A3B --workload lora --context 4096 --checkpointing none --gradient-accumulation 64";
    let replicated = train(&format!("{line} --tensor-parallel 1 --data-parallel 8"));
    let cut = train(&format!("{line} --tensor-parallel 2 --data-parallel 4"));
    assert!(replicated < 1.5 * cut, "{replicated} {cut}");
    let adapters = fit("MI325X:x8 --model Llama-3.1-70B --workload qlora --checkpointing none");
    let mfu = figure(&adapters, "mfu");
    assert!(mfu < 1.0, "{mfu}");
}

#[test]
fn expert_parallelism_is_chosen_where_training_is_faster() {
    let line = "B200:x8 --model gpt-oss-120B --nodes 4 --workload full";
    let (chosen, whole) = (fit(line), fit(&format!("{line} --expert-parallel 1")));
    assert_eq!(chosen["parallelism"]["expert"], 8);
    let rate = |result: &Value| figure(result, "train_tokens_per_s_per_device");
    assert!(rate(&chosen) > 2.0 * rate(&whole));
    // Adapter training does not use it, and `--tensor-parallel` overrides it.
    for more in ["--workload lora", "--tensor-parallel 8"] {
        let result =
            fit(&format!("{line} {more}").replace("--workload full --workload", "--workload"));
        assert_eq!(result["parallelism"]["expert"], Value::Null, "{more}");
    }
}

#[test]
fn load_that_fits_stays_within_usable_memory() {
    for line in [
        "H100:80GB --model QwQ-32B --users 12 --engine sglang",
        "H100:80GB --model QwQ-32B --users 12 --engine tensorrt-llm",
        "A100:80GB --model Llama-3.1-8B --context 73 --generate 9 --users 20000 --engine sglang",
        "4090:x4 --model InternLM2-20B --context 23 --generate 20 --engine tensorrt-llm --tensor-parallel 2 \
         --data-parallel 2 --users 1500",
        "H100:80GB --model Qwen3-8B --users 900",
    ] {
        let result = fit(line);
        assert_eq!(result["fits"], true, "{line}");
        let (device, usable) = (gib(&result, "device"), gib(&result, "usable"));
        assert!(device <= usable * 1.0001, "{line}: {device} {usable}");
    }
}

#[test]
fn kv_cache_grows_or_is_reserved_at_once() {
    let line = "H100:80GB --model Llama-3.1-8B --context 100 --generate 4000";
    let under_load = |engine: &str| fit(&format!("{line} --users 50 --engine {engine}"));
    let max_users = |result: &Value| result["throughput"]["max_concurrency"].as_f64().unwrap();
    // TensorRT-LLM reserves the cache of the whole answer; vLLM uses half of it on average.
    let (grows, reserves) = (under_load("vllm"), under_load("tensorrt-llm"));
    assert!(max_users(&grows) > 1.7 * max_users(&reserves));
    // Memory does not depend on it.
    let tokens = |result: &Value| result["kv_cache"]["max_tokens"].as_f64().unwrap();
    near(tokens(&grows), tokens(&fit(line)), 1.0);
}
