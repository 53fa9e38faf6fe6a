//! Sizing: models in every form, memory term by term, what to rent for it.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails that way"
)]

mod support;

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use sky_accel_core::catalog::AcceleratorId;
use sky_accel_core::sizing::{Engine, Support, supports};
use sky_accel_engine::catalog::EMBEDDED;
use support::{sky, sky_line};

fn fit(line: &str) -> Value {
    let answer = sky_line(&format!("fit {line} -o json")).json();
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
fn weights_and_cache_are_what_engines_log() {
    // Logged by vLLM: 14.96 GiB on one device, 7.48 on each of two.
    let one = fit("H100:80GB --model Llama-3-8B");
    near(gib(&one, "weights"), 14.96, 0.1);
    assert_eq!(one["kv_cache"]["bytes_per_token"], 131_072);
    near(
        gib(&fit("H100:80GB:x2 --model Llama-3-8B"), "weights"),
        7.48,
        0.1,
    );
    // Four-bit weights have scales, and an embedding that stays as it is: 5.20 and not 3.55 GiB.
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
fn terms_grow_with_what_they_are_of() {
    let train = |more: &str| {
        fit(&format!(
            "A100:80GB --model Llama-3.2-3B --workload full --context 4096 --batch 2 {more}"
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
    // Sharding divides, stage by stage.
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
    // Adapters are small, and what they are on is not.
    let lora = fit("A100:80GB --model Llama-3.1-8B --workload lora --lora-rank 16");
    assert!(gib(&lora, "adapters") < 1.0 && gib(&lora, "weights") > 14.0);
    assert_eq!(lora["per_device_gib"]["optimizer"], 0);
    for (small, large) in [
        ("--batch 1", "--batch 4"),
        ("--context 1024", "--context 8192"),
    ] {
        let of = |more: &str| {
            gib(
                &fit(&format!(
                    "A100:80GB --model Qwen2.5-7B --workload qlora {more}"
                )),
                "device",
            )
        };
        assert!(of(small) < of(large), "{small} {large}");
    }
}

#[test]
fn the_most_that_fits_fits_and_no_more() {
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
fn only_what_can_be_joined_is_joined() {
    // Experts are spread over devices that are there.
    let run = sky_line("fit H100 --model DeepSeek-V3 --expert-parallel 64").run();
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    // Slices of one GPU do not reach each other.
    let four = fit_code("H100:80GB:mig=1g.10gb*4 --model Llama-3.1-8B");
    assert_eq!(four, 1);
    // One sequence is not split over more than heads allow: a third device is a replica.
    let three = fit("A100:80GB:x3 --model Llama-3.1-8B");
    assert_eq!(three["parallelism"]["data"], 3);
    // What the files are stored as is what they weigh.
    near(gib(&fit("H200 --model gpt-oss-20b"), "weights"), 12.8, 3.0);
    let plain = gib(&fit("H200 --model Qwen3-32B"), "weights");
    let small = gib(&fit("H200 --model Qwen/Qwen3-32B-FP8"), "weights");
    assert!(small < plain * 0.6, "{small} {plain}");
    // A size says nothing of a limit.
    assert_eq!(fit_code("A100:80GB --model-size 13B --context 16384"), 0);
    // The pool that vLLM logs on two L40S: 63,152 tokens.
    let pool = fit("L40S:x2 --model Qwen2.5-32B --tensor-parallel 2 --context 9488");
    near(
        pool["kv_cache"]["max_tokens"].as_f64().unwrap(),
        63_152.0,
        3.0,
    );
    // What has no rate is never the best.
    let answer = sky_line("recommend --model Llama-3.1-8B --tokens 10M -o json").json();
    assert!(answer["results"][0]["usd_total"].is_number());
}

#[test]
fn configurations_of_many_architectures_are_read() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/configs.jsonl");
    let text = fs::read_to_string(path).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let requests: Vec<String> = lines
        .iter()
        .map(|own| {
            json!({"spec": "H200:x8", "model": own["config"], "context": 128, "generate": 0})
                .to_string()
        })
        .collect();
    let run = sky(["fit", "-"]).stdin(requests.join("\n")).run();
    let answers: Vec<Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), lines.len());
    assert!(lines.len() > 40);
    for (own, answer) in lines.iter().zip(&answers) {
        let parameters = answer["model"]["parameters"].as_f64();
        let parameters = parameters.unwrap_or_else(|| panic!("{}: {answer}", own["model"]));
        near(parameters, own["parameters"].as_f64().unwrap(), 0.5);
    }
}

#[test]
fn files_are_read_and_lies_refused() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let config = r#"{"model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 16, "num_attention_heads": 32,
        "num_key_value_heads": 8, "intermediate_size": 8192, "vocab_size": 128256, "head_dim": 64,
        "tie_word_embeddings": true, "max_position_embeddings": 131072}"#;
    fs::write(at("config.json"), config).unwrap();
    let header = r#"{"a":{"dtype":"BF16","shape":[8],"data_offsets":[0,16]}}"#;
    let mut tensors = (header.len() as u64).to_le_bytes().to_vec();
    tensors.extend(header.as_bytes());
    tensors.extend([0; 16]);
    fs::write(at("model.safetensors"), &tensors).unwrap();
    let ask = |path: &str| sky(["fit", "L4", "--model", path, "-o", "json"]).run();
    for path in [
        at("config.json"),
        dir.path().to_str().unwrap().to_owned(),
        at("model.safetensors"),
    ] {
        let run = ask(&path).expect_code(0);
        let answer: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(
            answer["results"][0]["model"]["parameters"], 1_235_814_400_u64,
            "{path}"
        );
    }
    fs::write(at("model.safetensors"), &tensors[..20]).unwrap();
    fs::write(
        at("long.gguf"),
        b"GGUF\x03\0\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\x7f",
    )
    .unwrap();
    // A model of two layers without a tensor.
    let mut few = b"GGUF\x03\0\0\0".to_vec();
    few.extend(0_u64.to_le_bytes());
    few.extend(5_u64.to_le_bytes());
    let text = |text: &str| [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat();
    few.extend(text("general.architecture"));
    few.extend(8_u32.to_le_bytes());
    few.extend(text("llama"));
    for (key, value) in [
        ("embedding_length", 64_u32),
        ("block_count", 2),
        ("attention.head_count", 4),
        ("vocab_size", 100),
    ] {
        few.extend(text(&format!("llama.{key}")));
        few.extend(4_u32.to_le_bytes());
        few.extend(value.to_le_bytes());
    }
    fs::write(at("few.gguf"), few).unwrap();
    fs::write(at("other.json"), config.replace("llama", "lama")).unwrap();
    fs::write(
        at("half.json"),
        r#"{"model_type": "llama", "hidden_size": 2048}"#,
    )
    .unwrap();
    fs::write(at("minus.json"), config.replace("2048", "-2048")).unwrap();
    fs::write(
        at("heads.json"),
        config.replace("\"num_key_value_heads\": 8", "\"num_key_value_heads\": 7"),
    )
    .unwrap();
    fs::write(at("deep.json"), "[".repeat(100_000)).unwrap();
    fs::write(at("list.json"), "[]").unwrap();
    for (name, words) in [
        ("model.safetensors", "cut off"),
        ("long.gguf", "more than any has"),
        ("other.json", "did you mean llama"),
        ("half.json", "`num_hidden_layers` is missing"),
        ("minus.json", "`hidden_size` is -2048"),
        ("heads.json", "cannot be shared out"),
        ("deep.json", "no JSON object"),
        ("list.json", "no JSON object"),
        ("few.gguf", "no tensors for every layer"),
        ("none.json", "unknown model"),
    ] {
        let run = sky(["fit", "L4", "--model", &at(name)]).run();
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{name}");
        assert!(run.stderr.contains(words), "{name}: {}", run.stderr);
    }
    let assumed = sky([
        "fit",
        "L4",
        "--model",
        &at("other.json"),
        "--assume",
        "llama",
    ])
    .run();
    assert_eq!(assumed.code, 0, "{}", assumed.stderr);
}

#[test]
fn bad_requests_say_what_would_be_right() {
    for (line, words) in [
        ("H100 --model Llama-3.1-9B", "did you mean Llama-3.1-8B"),
        ("H100", "which model?"),
        (
            "H100 --model Llama-3.1-8B --model-size 8B",
            "cannot be used with",
        ),
        ("H100 --model-size 13X", "not a model size"),
        (
            "H100 --model Llama-3.1-8B --precision int3",
            "unknown precision 'int3'",
        ),
        (
            "H100 --model Llama-2-7B --context 8192",
            "was made for 4096 tokens",
        ),
        ("H100 --model Llama-3.1-8B --batch -1", "above zero"),
        ("H100 --model Llama-3.1-8B --batch 1.5", "whole numbers"),
        (
            "H100 --model Llama-3.1-8B --workload train",
            "it is one of inference",
        ),
        (
            "H100:x3 --model Llama-3.1-8B --tensor-parallel 3",
            "32 heads",
        ),
        (
            "H100:x4 --model Llama-3.1-8B --tensor-parallel 2 --pipeline-parallel 4",
            "take 8 devices",
        ),
        (
            "H100 --model Llama-3.1-8B --workload qlora --precision bf16",
            "small format",
        ),
        (
            "H100 --model Llama-3.1-8B --workload full --precision awq",
            "are not trained",
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
fn a_batch_answers_in_order_and_one_bad_line_costs_only_itself() {
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
    let answers: Vec<Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let schemas: Vec<&str> = answers
        .iter()
        .map(|own| own["schema"].as_str().unwrap())
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
}

#[test]
fn recommendations_fit_are_ranked_and_feed_resolve() {
    let answer =
        sky_line("recommend --model Qwen2.5-32B --precision fp8 --provider aws,verda -o json")
            .json();
    let results = answer["results"].as_array().unwrap();
    let prices: Vec<f64> = results
        .iter()
        .map(|own| own["usd_per_hour"].as_f64().unwrap())
        .collect();
    assert!(prices.len() > 3 && prices.is_sorted(), "{prices:?}");
    for own in results {
        assert_eq!(own["fit"]["fits"], true);
        let memory = &own["fit"]["per_device_gib"];
        assert!(memory["high"].as_f64() <= memory["usable"].as_f64());
    }
    let best = &results[0];
    let spec = best["spec"].as_str().unwrap();
    let resolved = sky(["resolve", spec, "-o", "json"]).json();
    let offers = resolved["results"].as_array().unwrap();
    assert!(
        offers
            .iter()
            .any(|own| own["instance_type"] == best["offer"]["instance_type"])
    );
    // What a fit says of the same spec and layout is the same.
    let layout = &best["fit"]["parallelism"];
    let alone = fit(&format!(
        "{spec} --model Qwen2.5-32B --precision fp8 --tensor-parallel {} --pipeline-parallel {}",
        layout["tensor"], layout["pipeline"]
    ));
    assert_eq!(alone["per_device_gib"], best["fit"]["per_device_gib"]);
    let notes: Vec<&str> = answer["notes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|own| own["code"].as_str().unwrap())
        .collect();
    assert!(
        notes.contains(&"guide") && notes.contains(&"rejected"),
        "{notes:?}"
    );

    let figures = |objective: &str, of: fn(&Value) -> f64| -> Vec<f64> {
        let line = "recommend --model Qwen2.5-32B --precision fp8 --limit 99 -o json --objective";
        let answer = sky_line(&format!("{line} {objective}")).json();
        answer["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(of)
            .collect()
    };
    let rates = figures("speed", |own| own["tokens_per_s"].as_f64().unwrap());
    assert!(rates.windows(2).all(|pair| pair[0] >= pair[1]), "{rates:?}");
    assert!(rates.first() > rates.last(), "{rates:?}");
    // The least memory that holds it, over all devices.
    let memory = figures("memory", |own| {
        let layout = &own["fit"]["parallelism"];
        let ranks = ["tensor", "pipeline", "data"].map(|axis| layout[axis].as_f64().unwrap());
        let devices: f64 = ranks.iter().product();
        own["fit"]["per_device_gib"]["usable"].as_f64().unwrap() * devices
    });
    // They are printed rounded.
    assert!(
        memory.windows(2).all(|pair| pair[0] <= pair[1] + 0.01),
        "{memory:?}"
    );
    assert!(memory.first() < memory.last(), "{memory:?}");
}

#[test]
fn budgets_and_deadlines_are_kept() {
    let line = "recommend --model Qwen2.5-7B --workload lora --tokens 1B --deadline 24 --budget 60 -o json";
    let answer = sky_line(line).json();
    let results = answer["results"].as_array().unwrap();
    assert!(!results.is_empty());
    for own in results {
        let (hours, usd) = (
            own["hours"].as_f64().unwrap(),
            own["usd_total"].as_f64().unwrap(),
        );
        assert!(hours <= 24.0 && usd <= 60.0, "{hours} {usd}");
        near(usd, hours * own["usd_per_hour"].as_f64().unwrap(), 0.1);
    }
    let none = sky_line("recommend --model Llama-3.1-405B --workload pretrain").run();
    assert_eq!((none.code, none.stdout.as_str()), (1, ""));
    assert!(
        none.stderr.contains("machines within the limits"),
        "{}",
        none.stderr
    );
    let chart = sky_line("recommend --model-size 13B --chart")
        .run()
        .expect_code(0);
    assert!(
        chart
            .stdout
            .contains("tokens/s against US dollars per hour")
    );
}

/// A hub on a loopback port: a path, then what is answered.
fn hub(
    pages: Vec<(&'static str, u16, String)>,
) -> (String, std::sync::Arc<std::sync::Mutex<Vec<String>>>) {
    use std::io::{BufRead as _, BufReader, Write as _};
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let seen = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let record = std::sync::Arc::clone(&seen);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut lines = Vec::new();
            for line in BufReader::new(stream.try_clone().unwrap()).lines() {
                match line {
                    Ok(line) if !line.is_empty() => lines.push(line),
                    _ => break,
                }
            }
            let path = lines
                .first()
                .and_then(|line| line.split(' ').nth(1))
                .unwrap_or_default()
                .to_owned();
            let page = pages.iter().find(|(known, _, _)| *known == path);
            let (status, body) =
                page.map_or((404, ""), |(_, status, body)| (*status, body.as_str()));
            record.lock().unwrap().push(lines.join("\n"));
            let answer = format!(
                "HTTP/1.1 {status} x\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    (url, seen)
}

#[test]
fn a_hub_is_read_only_when_it_is_asked_for() {
    let config = r#"{"model_type": "qwen3", "hidden_size": 1024, "num_hidden_layers": 28, "num_attention_heads": 16,
        "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 3072, "vocab_size": 151936,
        "tie_word_embeddings": true, "max_position_embeddings": 40960}"#;
    let index = r#"{"metadata": {"total_size": 1503300328}, "weight_map": {}}"#;
    let (url, seen) = hub(vec![
        ("/org/small/raw/main/config.json", 200, config.to_owned()),
        (
            "/org/small/raw/main/model.safetensors.index.json",
            200,
            index.to_owned(),
        ),
        ("/org/one/raw/v1/config.json", 200, config.to_owned()),
        ("/org/gated/raw/main/config.json", 401, String::new()),
        (
            "/org/torn/raw/main/config.json",
            200,
            config[..40].to_owned(),
        ),
    ]);
    let ask = |model: &str, more: &[&str]| {
        let mut arguments = vec!["fit", "L4", "-o", "json", "--model", model];
        arguments.extend(more);
        sky(arguments)
            .env("HF_ENDPOINT", &url)
            .env("HF_TOKEN", "hf_standin0secret")
            .run()
    };
    let run = ask("hf:org/small", &["--live"]).expect_code(0);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    let model = &answer["results"][0]["model"];
    assert_eq!(model["parameters"], 596_049_920_u64);
    near(model["checkpoint_gib"].as_f64().unwrap(), 1.4, 0.1);
    assert_eq!(ask("hf:org/one@v1", &["--live"]).code, 0);
    for (model, more, code, words) in [
        ("hf:org/small", vec![], 2, "--live"),
        ("hf:org/small", vec!["--live", "--offline"], 4, "--offline"),
        ("hf:org/none", vec!["--live"], 4, "no model org/none"),
        ("hf:org/gated", vec!["--live"], 3, "licence"),
        ("hf:org/torn", vec!["--live"], 2, "no JSON object"),
        ("hf:../../etc", vec!["--live"], 4, "organisation/name"),
    ] {
        let run = ask(model, &more);
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (code, ""),
            "{model}: {}",
            run.stderr
        );
        assert!(run.stderr.contains(words), "{model}: {}", run.stderr);
        assert!(!run.stderr.contains("standin0secret"), "{model}");
    }
    let seen = seen.lock().unwrap();
    assert!(seen.iter().all(|request| request.starts_with("GET ")));
    assert!(
        seen[0].contains("Bearer hf_standin0secret")
            || seen[0].contains("bearer hf_standin0secret")
    );
    assert_eq!(
        seen.iter()
            .filter(|request| request.contains("/org/small/"))
            .count(),
        3
    );
}

/// Requests and configurations with anything in any place; the same in every run.
fn odd_requests() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/configs.jsonl");
    let configs: Vec<Value> = fs::read_to_string(path)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["config"].clone())
        .collect();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % n as u64) as usize
    };
    let odd = [
        json!(null),
        json!(-1),
        json!(0),
        json!(1),
        json!(1.5),
        json!(1e308),
        json!(4_294_967_296_u64),
        json!(u64::MAX),
        json!("x"),
        json!("\u{1b}[31m"),
        json!([]),
        json!({}),
        json!(true),
        json!([[[[1]]]]),
        json!(4096),
        json!(7),
    ];
    let words = [
        (
            "workload",
            json!(["inference", "lora", "qlora", "full", "pretrain"]),
        ),
        (
            "precision",
            json!([
                "bf16",
                "fp32",
                "fp8",
                "awq",
                "gptq-int8",
                "gguf:Q4_K_M",
                "nf4",
                "nvfp4"
            ]),
        ),
        (
            "engine",
            json!(["none", "vllm", "llama.cpp", "transformers"]),
        ),
        ("checkpointing", json!(["none", "selective", "full"])),
        ("zero_stage", json!([0, 1, 2, 3])),
        ("tensor_parallel", json!([1, 2, 3, 8])),
        ("batch", json!([1, 16, 1_000_000])),
        ("context", json!([1, 4096, 1_000_000_000])),
    ];
    let specs = [
        "L4",
        "H100:x8",
        "MI300X:x4",
        "A100:80GB:x256",
        "M4",
        "TPUv5e:x4",
        "L4:x0.5",
        "H100:mig=1g.10gb",
    ];
    let mut lines = Vec::new();
    for _ in 0..3000 {
        let mut config = configs[next(configs.len())].clone();
        let fields = config.as_object_mut().unwrap();
        for _ in 0..next(3) {
            let at = next(fields.len());
            let value = fields.values_mut().nth(at).unwrap();
            *value = odd[next(odd.len())].clone();
        }
        let mut request = json!({"spec": specs[next(specs.len())], "model": config});
        for (name, values) in &words {
            if next(3) == 0 {
                let values = values.as_array().unwrap();
                request[*name] = values[next(values.len())].clone();
            } else if next(40) == 0 {
                request[*name] = odd[next(odd.len())].clone();
            }
        }
        lines.push(request.to_string());
    }
    lines
}

/// An answer or an error for each, in order.
#[test]
fn nothing_in_a_request_is_too_odd_for_an_answer() {
    let lines = odd_requests();
    let run = sky(["fit", "-"]).stdin(lines.join("\n")).run();
    assert_eq!(run.code, 2, "{}", run.stderr);
    let answers: Vec<Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), lines.len());
    let mut good = 0;
    for (answer, line) in answers.iter().zip(&lines) {
        if answer["schema"] != "sky-accel.fit.v1" {
            assert!(answer["error"]["message"].is_string(), "{line}");
            continue;
        }
        good += 1;
        for (term, value) in answer["per_device_gib"].as_object().unwrap() {
            let known = value.as_f64();
            let may_be_unknown = matches!(term.as_str(), "usable" | "headroom");
            assert!(known.is_some() || may_be_unknown, "{term}: {line}");
            assert!(
                known.is_none_or(|gib| gib >= 0.0 || term == "headroom"),
                "{term} {known:?}: {line}"
            );
        }
        let memory = &answer["per_device_gib"];
        let at = |term: &str| memory[term].as_f64().unwrap();
        assert!(
            at("allocated") <= at("reserved") + 1e-3 && at("reserved") <= at("device"),
            "{line}"
        );
    }
    assert!(good > 300, "{good}");
}

fn device(id: &str) -> AcceleratorId {
    let mut all = EMBEDDED.accelerator_ids();
    all.find(|own| EMBEDDED.accelerator_id(*own) == id)
        .unwrap_or_else(|| panic!("no {id}"))
}

#[test]
fn devices_support_formats_by_their_generation_and_not_by_published_rates() {
    use Support::{No, Unknown, Yes};
    for (id, bf16, fp16, fp8, fp4) in [
        ("GTX1080", No, Yes, No, No),
        ("T4", No, Yes, No, No),
        ("A100-80GB-SXM", Yes, Yes, No, No),
        ("L4", Yes, Yes, Yes, No),
        ("H100-80GB-SXM", Yes, Yes, Yes, No),
        ("B200-180GB-SXM", Yes, Yes, Yes, Yes),
        ("MI50-32GB", No, Yes, No, No),
        ("MI100", Yes, Yes, No, No),
        ("MI300X", Yes, Yes, Yes, No),
        ("MI355X", Yes, Yes, Yes, Yes),
        ("RX7900XTX", Yes, Yes, No, No),
        ("Gaudi", Yes, Unknown, No, No),
        ("Apple-M4-Max", Unknown, Yes, Unknown, Unknown),
    ] {
        let found =
            ["bf16", "fp16", "fp8", "fp4"].map(|name| supports(&EMBEDDED, device(id), name));
        assert_eq!(found, [bf16, fp16, fp8, fp4], "{id}");
    }
    assert_eq!(supports(&EMBEDDED, device("T4"), "int3"), Unknown);
    // Without a published rate, as some workstation cards are.
    let mut unrated = 0;
    for id in EMBEDDED.accelerator_ids() {
        let accelerator = EMBEDDED.accelerator(id);
        let is_new = EMBEDDED.str(accelerator.architecture) == "Blackwell";
        if is_new && accelerator.bf16_tflops.is_none() {
            unrated += 1;
            assert_eq!(
                supports(&EMBEDDED, id, "bf16"),
                Yes,
                "{}",
                EMBEDDED.accelerator_id(id)
            );
        }
    }
    assert!(unrated > 0);
    // A published rate is not denied, but for units that no framework multiplies with.
    for id in EMBEDDED.accelerator_ids() {
        let accelerator = EMBEDDED.accelerator(id);
        for (name, rate) in [
            ("bf16", accelerator.bf16_tflops),
            ("fp8", accelerator.fp8_tflops),
        ] {
            if rate.is_some() {
                let found = supports(&EMBEDDED, id, name);
                assert_eq!(found, Yes, "{name} on {}", EMBEDDED.accelerator_id(id));
            }
        }
    }
}

#[test]
fn architectures_that_formats_name_are_those_of_accelerators() {
    for format in EMBEDDED.weight_formats {
        let named = EMBEDDED.strings(format.computed_on);
        for name in named.chain(EMBEDDED.strings(format.not_computed_on)) {
            let mut all = EMBEDDED.accelerators.iter();
            let is_known = all.any(|row| EMBEDDED.str(row.architecture) == name);
            assert!(is_known, "{}: {name}", EMBEDDED.str(format.name));
        }
    }
}

#[test]
fn gguf_means_one_engine_and_has_a_format_for_each_file_type() {
    for format in EMBEDDED.weight_formats {
        let name = EMBEDDED.str(format.name);
        let engine = name.starts_with("gguf:").then_some(Engine::LlamaCpp);
        assert_eq!(EMBEDDED.engine_of(format), engine, "{name}");
        assert_eq!(format.file_type.is_some(), engine.is_some(), "{name}");
    }
    let named = |number: u32| {
        let format = EMBEDDED.format_of_file_type(number);
        format.map(|format| EMBEDDED.str(format.name))
    };
    assert_eq!(named(15), Some("gguf:Q4_K_M"));
    assert_eq!(named(1024 + 15), Some("gguf:Q4_K_M"));
    assert_eq!(named(32), Some("gguf:BF16"));
    // Numbers of types that were removed.
    assert_eq!(named(33), None);
}

#[test]
fn offloaded_training_is_slower_and_smaller() {
    for workload in ["full", "lora"] {
        let at = |offload: &str| {
            let spec = "A100:80GB:x2 --model Qwen2.5-7B --data-parallel 2 --zero-stage 2";
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
