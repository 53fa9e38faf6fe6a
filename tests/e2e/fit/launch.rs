//! Commands that start serving engines, checked against the options of these programs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{gib, near};
use crate::support::{sky, sky_line};

/// An option of a program, as defined by its parser.
#[derive(Deserialize)]
struct ProgramOption {
    takes: String,
    r#type: Option<String>,
    choices: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Program {
    options: BTreeMap<String, ProgramOption>,
}

fn program(name: &str) -> Program {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engines/serving/arguments");
    let text = fs::read_to_string(folder.join(format!("{name}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The arguments of a command on machine 0, with a value for each variable.
fn words(command: &str) -> Vec<String> {
    let last = command.lines().last().unwrap();
    // The command that follows the settings starts the serving engine.
    let mut text = last.rsplit(" && ").next().unwrap().to_owned();
    // A loop starts several servers.
    if let Some((_, server)) = text.split_once("; do CUDA_VISIBLE_DEVICES=") {
        let (_, server) = server.split_once(" vllm ").unwrap();
        let (server, _) = server.split_once(" & pids=").unwrap();
        text = format!("vllm {server}");
    }
    // Variables of the environment are set before the program.
    while let Some((first, rest)) = text.split_once(' ')
        && first.contains('=')
    {
        text = rest.to_owned();
    }
    for (start, end, value) in [
        ("$((8000 + i", "))", "8000"),
        ("$([", "--headless)", "--headless"),
        ("\"${NODE_RANK:?", "}\"", "0"),
        ("$((${NODE_RANK:?", "))", "8"),
        ("\"${MASTER_ADDR:?", "}\"", "10.0.0.1"),
        ("\"${MODEL:?", "}\"", "some/model.gguf"),
        ("\"${SCRIPT:?", "}\"", "train.py"),
        ("\"${INPUT:?", "}\"", "requests.jsonl"),
        ("\"${OUTPUT:?", "}\"", "answers.jsonl"),
    ] {
        while let Some(at) = text.find(start) {
            let length = text[at..].find(end).unwrap() + end.len();
            text.replace_range(at..at + length, value);
        }
    }
    shlex::split(&text).unwrap()
}

/// Returns the reason why a program rejects the arguments, or `None` if it accepts them.
fn refusal(words: &[String]) -> Option<String> {
    let is = |start: &[&str]| words.iter().zip(start).all(|(word, start)| word == start);
    let (name, skipped) = match words[0].as_str() {
        "vllm" if is(&["vllm", "serve"]) => ("vllm", 2),
        "vllm" if is(&["vllm", "run-batch"]) => ("vllm-run-batch", 2),
        "python3" if is(&["python3", "-m", "sglang.launch_server"]) => ("sglang", 3),
        "accelerate" if is(&["accelerate", "launch"]) => ("accelerate", 2),
        name @ ("torchrun" | "trtllm-serve" | "llama-server") => (name, 1),
        other => return Some(format!("no such program: {other}")),
    };
    let program = program(name);
    let mut rest = words[skipped..].iter();
    while let Some(word) = rest.next() {
        if !word.starts_with('-') {
            // Options after the script belong to the script.
            if matches!(name, "torchrun" | "accelerate") {
                break;
            }
            continue;
        }
        let Some(option) = program.options.get(word) else {
            return Some(format!("{name} has no {word}"));
        };
        if option.takes == "nothing" {
            continue;
        }
        let Some(value) = rest.next() else {
            return Some(format!("{word} takes a value"));
        };
        let is_number = match option.r#type.as_deref() {
            Some("int") => value.parse::<i64>().is_ok(),
            Some("float") => value.parse::<f64>().is_ok(),
            _ => true,
        };
        let choices = option.choices.as_ref();
        if !is_number || choices.is_some_and(|choices| !choices.contains(value)) {
            return Some(format!("{word} is not {value}"));
        }
    }
    None
}

fn command(line: &str) -> Option<String> {
    let answer = sky_line(&format!("fit {line} -o json")).json();
    let launch = &answer["results"][0]["launch"];
    launch["command"].as_str().map(str::to_owned)
}

/// The command on the shipped catalog.
fn shipped_command(line: &str) -> String {
    let answer = sky_line(&format!("fit {line} -o json"));
    let answer = answer.on_shipped_catalog().json();
    let command = answer["results"][0]["launch"]["command"].as_str();
    command
        .unwrap_or_else(|| panic!("{line}: no command"))
        .to_owned()
}

/// Every command for a model of the shipped catalog has only options that its program knows.
#[test]
fn commands_of_every_model_parse() {
    let models = sky_line("models -o names")
        .on_shipped_catalog()
        .run()
        .stdout;
    let names: Vec<&str> = models.lines().collect();
    assert!(names.len() > 300, "{}", names.len());
    let engines = [
        json!({ "engine": "vllm" }),
        json!({ "engine": "vllm", "concurrency": 50 }),
        json!({ "engine": "sglang" }),
        json!({ "engine": "tensorrt-llm" }),
        json!({ "engine": "llama.cpp", "precision": "gguf:Q4_K_M" }),
    ];
    let mut lines = String::new();
    for name in &names {
        for spec in ["H200:x8", "MI355X:x8"] {
            for engine in &engines {
                let mut request = engine.clone();
                request["spec"] = json!(spec);
                request["model"] = json!(name);
                lines.push_str(&request.to_string());
                lines.push('\n');
            }
        }
    }
    let run = sky(["fit", "-"]).on_shipped_catalog().stdin(lines).run();
    let mut commands = BTreeSet::new();
    for line in run.stdout.lines() {
        let answer: Value = serde_json::from_str(line).unwrap();
        let command = answer["launch"]["command"].as_str();
        commands.extend(command.map(str::to_owned));
    }
    assert!(commands.len() > 1000, "{}", commands.len());
    for command in commands {
        assert_eq!(refusal(&words(&command)), None, "{command}");
    }
}

#[test]
fn servers_admit_the_longest_request() {
    let option = |line: &str| {
        let text = command(line).unwrap();
        let (_, rest) = text.split_once("--max-model-len ").unwrap();
        rest.split(' ').next().unwrap().parse::<u64>().unwrap()
    };
    let line = "H100 Llama-3.1-8B --context 4000 --generate 100";
    // The given lengths are averages.
    assert_eq!(option(line), 8200);
    assert_eq!(option(&format!("{line} --length-spread 0.2")), 4100);
    assert_eq!(option(&format!("{line} --max-context 100000")), 100_000);
    // The memory holds fewer tokens than twice the average, but one average request.
    let answer = sky_line("fit L4 Llama-3.1-8B --context 20000 -o json").json();
    let result = &answer["results"][0];
    assert_eq!(result["fits"], true);
    let admitted = result["launch"]["max_tokens"].as_u64().unwrap();
    assert!((20_512..41_024).contains(&admitted), "{admitted}");
    let too_long = sky_line("fit L4 Llama-3.1-8B --max-context 100000");
    assert_eq!(too_long.run().code, 1);
}

#[test]
fn commands_never_exceed_the_model_context() {
    let note = |answer: &Value| answer["notes"].to_string();
    let long = sky_line("fit H100:x2 Qwen3-32B --context 60000 -o json").json();
    assert!(
        note(&long).contains("more than 40,960 tokens only with YaRN"),
        "{}",
        note(&long)
    );
    // A default answer length is shortened before positions are scaled.
    let short = sky_line("fit H100:x2 Qwen3-32B --context 40900 -o json").json();
    assert_eq!(short["request"]["generate"], 60);
    assert!(!note(&short).contains("YaRN"));
    // A context that the files allow needs no option and no note.
    let native = sky_line("fit H100:x2 Qwen3-32B --context 40448 --generate 512 -o json").json();
    let start = native["results"][0]["launch"]["command"].as_str().unwrap();
    assert!(
        start.ends_with("--max-model-len 40960 --gpu-memory-utilization 0.9"),
        "{start}"
    );
    assert!(!note(&native).contains("YaRN"));
    for line in [
        "H100:x8 Llama-3.1-8B --context 131072 --generate 512",
        "H100:x2 Qwen3-32B --context 60000 --engine tensorrt-llm",
        "H100:x2 Qwen3-32B --context 60000 --engine-version 0.8.0",
    ] {
        assert_eq!(command(line), None, "{line}");
    }
    let models = sky_line("models Qwen3-32B -o json").json();
    let model = &models["results"][0];
    assert_eq!(
        (&model["context"], &model["native_context"]),
        (&131_072.into(), &40_960.into())
    );
    // If the configuration enables YaRN, no option is necessary.
    let config = r#"{"model_type": "qwen2", "hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28,
        "num_attention_heads": 28, "num_key_value_heads": 4, "vocab_size": 152064, "max_position_embeddings": 32768,
        "rope_scaling": {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}}"#;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.json");
    fs::write(&file, config).unwrap();
    let scaled = sky([
        "fit",
        "H100",
        "--context",
        "130560",
        "-o",
        "json",
        "--model",
    ])
    .arg(&file)
    .json();
    assert_eq!(scaled["results"][0]["fits"], true, "{scaled}");
    assert!(
        !scaled["results"][0]["launch"]
            .to_string()
            .contains("--hf-overrides")
    );
    let distilled = command("H100:x2 deepseek-ai/DeepSeek-R1-Distill-Qwen-32B --context 60000");
    assert!(!distilled.unwrap().contains("--hf-overrides"));
}

/// Asserts that the command of a request is valid for its program and contains a text.
fn assert_taken(line: &str, has: &str) {
    let command = command(line).unwrap_or_else(|| panic!("{line}: no command"));
    assert!(command.contains(has), "{line}: {command}");
    assert_eq!(refusal(&words(&command)), None, "{line}: {command}");
}

/// Every program accepts the arguments of every recipe of the catalog.
#[test]
fn programs_take_the_options_of_every_recipe() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/catalog/models/recipes.toml");
    let recipes: toml::Table = fs::read_to_string(file).unwrap().parse().unwrap();
    let recipes = recipes["recipe"].as_array().unwrap();
    assert!(recipes.len() > 50);
    for recipe in recipes {
        let programs = match recipe["engine"].as_str().unwrap() {
            "vllm" => ["vllm serve model", "vllm run-batch"].as_slice(),
            "sglang" => ["python3 -m sglang.launch_server"].as_slice(),
            other => panic!("{other}"),
        };
        let arguments = recipe.get("arguments").and_then(toml::Value::as_array);
        let arguments = arguments.into_iter().flatten();
        let arguments: Vec<&str> = arguments.map(|word| word.as_str().unwrap()).collect();
        for program in programs {
            let words = program.split(' ').chain(arguments.iter().copied());
            let words: Vec<String> = words.map(str::to_owned).collect();
            assert_eq!(refusal(&words), None, "{}", recipe["models"]);
        }
    }
}

#[test]
fn a_job_reads_a_file_and_ends() {
    for (line, has) in [
        ("Qwen3-8B --tokens 1B", "--model Qwen/Qwen3-8B"),
        ("bge-m3 --tokens 1B --context 512", "--runner pooling"),
    ] {
        let line = format!("recommend {line} --on H100 --limit 1 -o json");
        let answer = sky_line(&line).json();
        let launch = &answer["results"][0]["fit"]["launch"];
        let command = launch["command"].as_str().unwrap();
        assert!(command.starts_with("vllm run-batch "), "{command}");
        assert!(command.contains(has), "{command}");
        assert_eq!(refusal(&words(command)), None, "{command}");
        let job = sky_line("plan - --to kubernetes").stdin(answer.to_string());
        let job = job.run().expect_code(0).stdout;
        assert!(job.contains("kind: Job\n"), "{job}");
        assert!(!job.contains("kind: Service"), "{job}");
    }
    // Users that ask at the same time need a server.
    let line = "recommend Qwen3-8B --tokens 1B --users 8 --on H100 --limit 1 -o json";
    let answer = sky_line(line).json();
    let launch = &answer["results"][0]["fit"]["launch"];
    assert!(
        launch["command"]
            .as_str()
            .unwrap()
            .starts_with("vllm serve ")
    );
    let server = sky_line("plan - --to kubernetes").stdin(answer.to_string());
    assert!(server.run().expect_code(0).stdout.contains("kind: Service"));
}

#[test]
fn a_recipe_is_part_of_the_command_on_its_devices() {
    let start = |line: &str| {
        let command = command(line).unwrap_or_else(|| panic!("{line}: no command"));
        assert_eq!(refusal(&words(&command)), None, "{line}: {command}");
        command
    };
    let parsers = "--trust-remote-code --enable-auto-tool-choice --tool-call-parser kimi_k2 --reasoning-parser kimi_k2";
    let on_nvidia = start("H200:x8 Kimi-K2-Thinking");
    assert!(
        on_nvidia.starts_with("vllm serve moonshotai/Kimi-K2-Thinking "),
        "{on_nvidia}"
    );
    assert!(on_nvidia.ends_with(parsers), "{on_nvidia}");
    let on_amd = start("MI300X:x8 Kimi-K2-Thinking");
    let assigned = "SAFETENSORS_FAST_GPU=1 vllm serve moonshotai/Kimi-K2-Thinking ";
    assert!(on_amd.starts_with(assigned), "{on_amd}");
    assert!(on_amd.ends_with(parsers), "{on_amd}");
    let sglang = start("H200:x8 Kimi-K2-Thinking --engine sglang");
    assert!(
        sglang.ends_with("--trust-remote-code --tool-call-parser kimi_k2"),
        "{sglang}"
    );
}

/// AITER is for GPUs from CDNA 3.
#[test]
fn recipes_for_instinct_are_not_for_other_amd_gpus() {
    let on = |device: &str| shipped_command(&format!("{device} gpt-oss-20B --engine vllm"));
    assert!(on("MI300X").contains("VLLM_ROCM_USE_AITER=1"));
    assert!(on("MI355X").contains("--attention-backend ROCM_AITER_UNIFIED_ATTN"));
    for device in ["RyzenAIMax395", "RadeonProW7900", "MI210", "MI250X"] {
        let command = on(device);
        assert!(!command.contains("AITER"), "{device}: {command}");
        assert!(command.contains("--tool-call-parser openai"), "{command}");
    }
}

#[test]
fn thinking_models_start_with_the_parser_of_their_reasoning() {
    for (model, parser) in [
        ("Qwen3-235B-A22B-Thinking-2507", "qwen3"),
        ("Qwen3-30B-A3B-Thinking-2507", "qwen3"),
        ("Qwen3-4B-Thinking-2507", "qwen3"),
        ("Qwen/Qwen3-Next-80B-A3B-Thinking", "qwen3"),
        ("Qwen3-Next-80B-A3B-Thinking", "qwen3"),
        ("Qwen3-VL-30B-A3B-Thinking", "qwen3"),
        ("zai-org/GLM-4.1V-9B-Thinking", "glm45"),
        ("baidu/ERNIE-4.5-21B-A3B-Thinking", "ernie45"),
    ] {
        let command = shipped_command(&format!("H200:x8 {model} --engine vllm"));
        let option = format!("--reasoning-parser {parser}");
        assert!(command.contains(&option), "{command}");
    }
    for model in [
        "Qwen3-235B-A22B-Instruct-2507",
        "Qwen3-Next-80B-A3B-Instruct",
    ] {
        let command = shipped_command(&format!("H200:x8 {model} --engine vllm"));
        assert!(!command.contains("--reasoning-parser"), "{command}");
    }
}

#[test]
fn commands_parse_for_every_engine_and_layout() {
    for (line, has) in [
        (
            "H100:x4 Llama-3.3-70B",
            "vllm serve meta-llama/Llama-3.3-70B-Instruct --tensor-parallel-size 4 --max-model-len 9216",
        ),
        (
            "L4 Llama-3.1-8B --precision nf4",
            "--quantization bitsandbytes",
        ),
        (
            "H100:x2 Qwen3-32B --precision fp8 --kv-precision fp8",
            "--quantization fp8 --kv-cache-dtype fp8",
        ),
        (
            "V100:32GB:x4 Llama-3.1-8B --engine-version 0.19",
            "--dtype half",
        ),
        (
            "H100:x2 Qwen3-32B --context 60000",
            r#"--hf-overrides '{"rope_parameters":{"rope_type":"yarn","rope_theta":1000000,"factor":4.0,"original_max_position_embeddings":32768}}'"#,
        ),
        (
            "H100:x2 Qwen2.5-32B --context 32768 --engine sglang",
            r#"--json-model-override-args '{"rope_scaling":{"rope_type":"yarn","factor":4.0,"original_max_position_embeddings":32768}}'"#,
        ),
        (
            "H100 Qwen3-8B --context 50000 --engine llama.cpp",
            "--rope-scaling yarn --rope-scale 4 --yarn-orig-ctx 32768",
        ),
        (
            "H100:x8 DeepSeek-V3 --nodes 2",
            "--pipeline-parallel-size 2 --nnodes 2 --node-rank",
        ),
        (
            "H200:x8 DeepSeek-R1 --nodes 2 --users 900 --tensor-parallel 1 --data-parallel 16 --expert-parallel 16",
            "--data-parallel-size 16 --enable-expert-parallel --data-parallel-size-local 8",
        ),
        (
            "H100 TheBloke/Llama-2-13B-GPTQ",
            "vllm serve TheBloke/Llama-2-13B-GPTQ",
        ),
        (
            "H100 Qwen3-32B --precision awq",
            "${MODEL:?a checkpoint of Qwen3-32B in awq}",
        ),
        (
            "H100:x2 Qwen3-32B --engine sglang",
            "--model-path Qwen/Qwen3-32B --tp-size 2",
        ),
        (
            "H100:x8 DeepSeek-V3 --nodes 2 --engine sglang",
            "--dist-init-addr",
        ),
        (
            "H100:x2 Qwen3-32B --engine tensorrt-llm",
            "trtllm-serve Qwen/Qwen3-32B --tp_size 2",
        ),
        (
            "4090 Llama-3.1-8B --precision gguf:Q4_K_M",
            "llama-server -m",
        ),
        (
            "4090 bartowski/Llama-3.3-70B-Instruct-GGUF --gpu-layers 40",
            "-hf bartowski/Llama-3.3-70B-Instruct-GGUF:Q4_K_M -ngl 40",
        ),
        (
            "4090:x2 Llama-3.3-70B --precision gguf:Q4_K_M --kv-precision q8_0",
            "-ctk q8_0 -ctv q8_0 -fa on",
        ),
        (
            "H100:x8 Llama-3.1-8B --workload lora",
            "accelerate launch --num_machines 1 --num_processes 8",
        ),
        (
            "H100:x8 Llama-3.1-8B --workload full --zero-stage 3 --data-parallel 8",
            "--use_fsdp --fsdp_version 2 --fsdp_reshard_after_forward true",
        ),
        (
            "H100:x8 Llama-3.1-8B --workload full --zero-stage 2 --data-parallel 8",
            "--use_deepspeed --zero_stage 2",
        ),
        (
            "H100:x8 Llama-3.1-8B --workload full --zero-stage 3 --data-parallel 8 --offload all",
            "--offload_param_device cpu",
        ),
        (
            "H100:x8 Llama-3.1-8B --workload full --context-parallel 4 --context 65536",
            "--parallelism_config_cp_size 4",
        ),
        (
            "H100:x8 Llama-3.1-70B --workload full --nodes 4 --pipeline-parallel 4 --tensor-parallel 8",
            "torchrun --nnodes 4 --nproc-per-node 8",
        ),
    ] {
        assert_taken(line, has);
    }
}

#[test]
fn mixture_replicas_are_separate_servers() {
    for (line, has) in [
        (
            "H200:x8 Qwen3-30B-A3B --tensor-parallel 1 --pipeline-parallel 1 --data-parallel 8",
            "(pids=; for i in 0 1 2 3 4 5 6 7; do CUDA_VISIBLE_DEVICES=$i vllm serve Qwen/Qwen3-30B-A3B --max-model-len",
        ),
        (
            "MI300X:x8 Qwen3-235B-A22B --precision fp8 --tensor-parallel 4 --data-parallel 2 --expert-parallel 4",
            "CUDA_VISIBLE_DEVICES=$((i * 4)),$((i * 4 + 1)),$((i * 4 + 2)),$((i * 4 + 3)) vllm serve Qwen/Qwen3-235B-A22B --tensor-parallel-size 4 --enable-expert-parallel",
        ),
        (
            "MI300X:x8 Qwen3-235B-A22B --precision fp8 --tensor-parallel 4 --data-parallel 2 --expert-parallel 8",
            "vllm serve Qwen/Qwen3-235B-A22B --tensor-parallel-size 4 --data-parallel-size 2 --enable-expert-parallel",
        ),
    ] {
        assert_taken(line, has);
    }
}

#[test]
fn megatron_options_match_the_computed_layout() {
    let line = "H100:x8 Llama-3.1-70B --nodes 8 --workload pretrain --tensor-parallel 8 --pipeline-parallel 2 --data-parallel 4 \
                --context 4096 --global-batch 64";
    for (more, has) in [
        (
            "--zero-stage 1",
            "--use-distributed-optimizer --sequence-parallel --recompute-granularity full --recompute-method uniform --recompute-num-layers 1",
        ),
        (
            "--zero-stage 1 --checkpointing selective",
            "--recompute-granularity selective",
        ),
        (
            "--zero-stage 3",
            "--use-megatron-fsdp --ckpt-format fsdp_dtensor --data-parallel-sharding-strategy optim_grads_params",
        ),
        (
            "--zero-stage 1 --virtual-pipeline 4",
            "--num-virtual-stages-per-pipeline-rank 4",
        ),
        ("--zero-stage 1 --precision fp8", "--fp8-format hybrid"),
        (
            "--zero-stage 0 --parameter-precision bf16 --optimizer muon",
            "--optimizer muon",
        ),
        (
            "--zero-stage 1 --offload optimizer",
            "--optimizer-cpu-offload --use-precision-aware-optimizer",
        ),
    ] {
        assert_taken(&format!("{line} {more}"), has);
    }
    let plain = command(&format!("{line} --zero-stage 1 --checkpointing none")).unwrap();
    assert!(!plain.contains("recompute"), "{plain}");
    assert!(
        plain.starts_with("CUDA_DEVICE_MAX_CONNECTIONS=1 torchrun"),
        "{plain}"
    );
    // Weights or gradients that are sharded overlap in another way.
    for stage in [2, 3] {
        let sharded = command(&format!("{line} --zero-stage {stage}")).unwrap();
        assert!(sharded.starts_with("torchrun "), "{sharded}");
    }
    for refused in [
        "--offload all",
        // Only state that no other shards can be offloaded.
        "--zero-stage 2 --offload optimizer",
        "--zero-stage 3 --offload optimizer",
        "--zero-stage 3 --shard-groups 2",
        "--zero-stage 1 --optimizer sgd",
        "--zero-stage 3 --optimizer muon",
        "--zero-stage 1 --optimizer-in-backward",
    ] {
        assert_eq!(command(&format!("{line} {refused}")), None, "{refused}");
    }
    let experts = command(
        "H100:x8 DeepSeek-V3 --nodes 32 --workload pretrain --precision fp8 --parameter-precision bf16 --pipeline-parallel 8 \
         --tensor-parallel 2 --data-parallel 16 --expert-parallel 32 --zero-stage 1 --global-batch 512",
    );
    let experts = experts.unwrap();
    assert!(
        experts.contains("--expert-model-parallel-size 32 --expert-tensor-parallel-size 1"),
        "{experts}"
    );
}

#[test]
fn sglang_memory_fraction_holds_weights_and_cache() {
    for (line, device) in [
        ("H100:80GB:SXM QwQ-32B", 79.65),
        ("H100:80GB:SXM QwQ-32B --precision fp8", 79.65),
        ("H100:80GB:SXM:mig=1g.10gb Qwen3-0.6B", 9.75),
    ] {
        let answer = sky_line(&format!("fit {line} --engine sglang -o json")).json();
        let result = &answer["results"][0];
        let start = result["launch"]["command"].as_str().unwrap();
        let (_, share) = start.split_once("--mem-fraction-static ").unwrap();
        let share: f64 = share.split(' ').next().unwrap().parse().unwrap();
        // The weights, and 90% of the memory left by weights and a step.
        let beside = gib(result, "device") - gib(result, "kv_cache");
        let cache = 0.9 * (device - beside);
        near(share, (gib(result, "weights") + cache) / device, 0.5);
    }
    // A process sees one MIG slice of a device.
    let parts = "H100:80GB:SXM:mig=3g.40gb*2 gpt-oss-20B";
    assert_eq!(command(parts), None);
}

#[test]
fn settings_that_change_the_speed_are_in_the_command() {
    for (line, has) in [
        (
            "H100:x2 Qwen3-32B --engine tensorrt-llm --precision bf16 --kv-precision fp8",
            r#"settings=$(mktemp) && echo '{"kv_cache_config":{"dtype":"fp8","free_gpu_memory_fraction":0.9}}' > "$settings" && trtllm-serve"#,
        ),
        (
            "H200:x8 DeepSeek-R1 --engine tensorrt-llm --kv-precision bf16 --tensor-parallel 1 --data-parallel 8 --expert-parallel 8",
            r#"'{"enable_attention_dp":true}' > "$settings" && trtllm-serve deepseek-ai/DeepSeek-R1 --tp_size 8 --ep_size 8"#,
        ),
        (
            "H200:x8 DeepSeek-R1 --engine sglang --users 64 --admission-interval 30",
            "--scheduler-recv-interval 30",
        ),
    ] {
        assert_taken(line, has);
    }
}

#[test]
fn a_broken_command_is_refused() {
    for broken in [
        "vllm serve some/model --tensor-paralel-size 4",
        "vllm serve some/model --tensor-parallel-size four",
        "vllm serve some/model --dtype brain",
        "llama-server -m a.gguf -ngl",
        "python3 -m sglang.launch_server --quantization q9",
        "accelerate launch --num_machines x train.py",
        "serve some/model",
    ] {
        let words = shlex::split(broken).unwrap();
        assert!(refusal(&words).is_some(), "{broken}");
    }
}

#[test]
fn unsupported_setups_have_no_command() {
    for line in [
        "H100:x2 Qwen3-8B --engine tensorrt-llm --data-parallel 2 --tensor-parallel 1",
        "H100 Qwen3-8B --engine tensorrt-llm --users 64 --admission-interval 30",
        "B200:x8 Qwen3-30B-A3B --tensor-parallel 1 --data-parallel 8 --expert-parallel 4",
        "B200:x8 Qwen3-30B-A3B --engine sglang --tensor-parallel 1 --data-parallel 8 --expert-parallel 4",
        "B200:x8 Qwen3-30B-A3B --engine tensorrt-llm --tensor-parallel 1 --data-parallel 8 --expert-parallel 4",
        "H100:x2 Qwen3-8B --workload lora --pipeline-parallel 2",
        "H100 Qwen3-8B --engine transformers",
        "H100:x8 Qwen3-8B --workload grpo",
        "H100 FLUX.1-dev",
    ] {
        assert_eq!(command(line), None, "{line}");
    }
}
