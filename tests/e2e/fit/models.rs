//! Reading models from configurations, files and a hub: any content gives an answer or an error.

use std::fs;

use serde_json::{Value, json};

use super::near;
use crate::support::{collected_configs, sky};

#[test]
fn configurations_of_many_architectures_are_read() {
    let lines = collected_configs();
    let requests: Vec<String> = lines
        .iter()
        .map(|line| {
            json!({"spec": "H200:x8", "model": line["config"], "context": 128, "generate": 0})
                .to_string()
        })
        .collect();
    let run = sky(["fit", "-"]).stdin(requests.join("\n")).run();
    let answers = run.json_lines();
    assert_eq!(answers.len(), lines.len());
    assert!(lines.len() > 40);
    for (line, answer) in lines.iter().zip(&answers) {
        let parameters = answer["model"]["parameters"].as_f64();
        let parameters = parameters.unwrap_or_else(|| panic!("{}: {answer}", line["model"]));
        near(parameters, line["parameters"].as_f64().unwrap(), 0.5);
    }
}

/// Models that are in the catalog too: the same shape from both sources.
#[test]
fn configurations_agree_with_the_catalog() {
    let names = [
        "Granite-4.0-H-Micro",
        "Granite-4.0-H-Tiny",
        "LFM2-1.2B",
        "LFM2-2.6B",
        "LFM2-8B-A1B",
        "Gemma-4-26B-A4B",
        "Gemma-4-31B",
        "DeepSeek-V3.2",
        "GLM-5",
        "Qwen3.5-35B-A3B",
        "Nemotron-H-56B-Base",
        "Nemotron-3-Nano-30B-A3B",
        "Nemotron-3-Super-120B-A12B",
        "Nemotron-3-Ultra-550B-A55B",
        "Llama-3.3-Nemotron-Super-49B",
        "DeepSeek-V4-Flash",
        "DeepSeek-V4-Pro",
        "GLM-5.2",
        "MiMo-V2-Flash",
        "Step-3.5-Flash",
        "MiniMax-M3",
        "Kimi-K3",
        "Kimi-Linear-48B-A3B",
        "Gemma-4-E2B",
        "Gemma-4-E4B",
    ];
    let mut lines = collected_configs();
    lines.retain(|line| names.iter().any(|name| line["model"] == *name));
    assert_eq!(lines.len(), names.len());
    for line in lines {
        let ask = |model: &Value| {
            json!({"spec": "B200:x8", "model": model, "precision": "bf16", "context": 8192, "batch": 4}).to_string()
        };
        let requests = [ask(&line["config"]), ask(&line["model"])];
        let run = sky(["fit", "-"]).stdin(requests.join("\n")).run();
        let answers = run.json_lines();
        let name = &line["model"];
        let value_at = |at: usize, field: &str| answers[at].pointer(field).cloned().unwrap();
        assert_eq!(
            value_at(0, "/model/parameters"),
            value_at(1, "/model/parameters"),
            "{name}"
        );
        for field in ["/per_device_gib/kv_cache", "/per_device_gib/weights"] {
            let (file, catalog) = (value_at(0, field), value_at(1, field));
            near(file.as_f64().unwrap(), catalog.as_f64().unwrap(), 0.5);
        }
    }
}

#[test]
fn impossible_model_figures_are_rejected_without_overflow() {
    let llama = json!({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2,
        "num_key_value_heads": 2, "intermediate_size": 64, "vocab_size": 64});
    let with = |more: Value| {
        let mut config = llama.clone();
        let fields = config.as_object_mut().unwrap();
        fields.extend(more.as_object().unwrap().clone());
        config
    };
    let huge = 1 << 16;
    let configs = [
        // The nested tower is infinite: its patch size is 0.
        json!({"text_config": with(json!({"vision_config": {"hidden_size": 1, "patch_size": 0, "image_size": 1}})),
            "vision_config": {"hidden_size": 64, "patch_size": 0, "image_size": 0}}),
        with(
            json!({"hidden_size": 1 << 22, "num_hidden_layers": 4096, "full_attention_interval": 4096,
            "linear_num_key_heads": huge, "linear_num_value_heads": huge, "linear_key_head_dim": huge,
            "linear_value_head_dim": huge, "linear_conv_kernel_dim": 0}),
        ),
        with(json!({"hidden_size": 1 << 22, "num_hidden_layers": 1024})),
    ];
    for config in configs {
        let line = json!({"spec": "H200:x8", "model": config, "tensor_parallel": 8}).to_string();
        let run = sky(["fit", "-"]).stdin(line).run();
        let answer: Value = serde_json::from_str(run.stdout.trim()).unwrap();
        let is_refused = answer["error"]["message"].is_string();
        let parameters = answer["model"]["parameters"].as_f64();
        assert!(
            is_refused || parameters.is_some_and(|n| n > 0.0),
            "{answer}"
        );
        // A model larger than any memory does not fit.
        if parameters.is_some_and(|n| n > 1e13) {
            assert_eq!(answer["fits"], false, "{answer}");
        }
    }
}

#[cfg(unix)]
#[test]
fn endless_index_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let config = json!({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2,
        "num_key_value_heads": 2, "intermediate_size": 64, "vocab_size": 64});
    fs::write(folder.path().join("config.json"), config.to_string()).unwrap();
    let index = folder.path().join("model.safetensors.index.json");
    std::os::unix::fs::symlink("/dev/zero", &index).unwrap();
    let ask = || {
        let command = sky(["fit", "L4", "--model"]).arg(folder.path());
        command.memory_limit_mib(512).run()
    };
    let run = ask().expect_code(2);
    assert!(run.stderr.contains("not a regular file"), "{}", run.stderr);
    fs::remove_file(&index).unwrap();
    fs::write(
        &index,
        r#"{"weight_map": {"a": "b"}, "metadata": {"total_size": 1000}}"#,
    )
    .unwrap();
    ask().expect_code(0);
}

#[test]
fn checkpoints_are_read_and_false_headers_rejected() {
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
        ("model.safetensors", "truncated"),
        ("long.gguf", "(the limit is 65536)"),
        ("other.json", "did you mean llama"),
        ("half.json", "`num_hidden_layers` is missing"),
        ("minus.json", "`hidden_size` is -2048"),
        ("heads.json", "is not a multiple of the key heads"),
        ("deep.json", "not a JSON object"),
        ("list.json", "not a JSON object"),
        ("few.gguf", "some layers have no tensors"),
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

/// A model hub on a loopback port, with an answer for each path.
pub(super) fn hub(
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
fn hub_is_contacted_only_on_request() {
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
        ("hf:org/gated", vec!["--live"], 3, "license"),
        ("hf:org/torn", vec!["--live"], 2, "not a JSON object"),
        ("hf:../../etc", vec!["--live"], 4, "organization/name"),
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

/// Reproducible requests and configurations with arbitrary values in all fields.
fn odd_requests() -> Vec<String> {
    let collected = collected_configs().into_iter();
    let configs: Vec<Value> = collected.map(|line| line["config"].clone()).collect();
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

/// Returns an answer or an error for each request, in order.
#[test]
fn any_request_gets_an_answer_or_an_error() {
    let lines = odd_requests();
    let run = sky(["fit", "-"]).stdin(lines.join("\n")).run();
    assert_eq!(run.code, 2, "{}", run.stderr);
    let answers = run.json_lines();
    assert_eq!(answers.len(), lines.len());
    let mut good = 0;
    for (answer, line) in answers.iter().zip(&lines) {
        if answer["schema"] != "sky-accel.fit.v1" {
            assert!(answer["error"]["message"].is_string(), "{line}");
            continue;
        }
        good += 1;
        for (term, value) in answer["per_device_gib"].as_object().unwrap() {
            let stated = value.as_f64();
            let may_be_unknown = matches!(term.as_str(), "usable" | "headroom");
            assert!(stated.is_some() || may_be_unknown, "{term}: {line}");
            assert!(
                stated.is_none_or(|gib| gib >= 0.0 || term == "headroom"),
                "{term} {stated:?}: {line}"
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
