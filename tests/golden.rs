//! Whole answers, compared with those in `tests/golden`: what engines are told, what models take,
//! how rows are sorted, how specs are read. A change of an answer is a change of its file:
//! `SNAPSHOTS=overwrite cargo test --no-default-features --test golden` writes them again, and the
//! difference is read like code.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails that way"
)]

mod support;

use std::fmt::Write as _;
use std::path::Path;

use sky_accel_core::sizing::Architecture;
use sky_accel_engine::catalog::EMBEDDED;
use support::{Run, assert_golden, sky, sky_line};

/// Engines that `plan` and `convert` write for.
const ENGINES: [&str; 21] = [
    "skypilot",
    "dstack",
    "kubernetes",
    "dra",
    "karpenter",
    "terraform",
    "cloudformation",
    "ec2-fleet",
    "aws-cli",
    "runpod",
    "vastai",
    "verda",
    "flyte",
    "slurm",
    "ray",
    "compose",
    "docker",
    "nvidia-smi",
    "mig-parted",
    "modal",
    "skyward",
];

/// Tools that `mig` writes for.
const MIG_TOOLS: [&str; 9] = [
    "nvidia-smi",
    "nvidia-smi-undo",
    "mig-parted",
    "kubernetes",
    "gpu-operator",
    "dra",
    "flyte",
    "gke",
    "aks",
];

#[derive(serde::Deserialize)]
struct Cases {
    case: Vec<Case>,
}

#[derive(serde::Deserialize)]
struct Case {
    name: String,
    args: Vec<String>,
}

fn cases() -> Vec<Case> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engines/cases.toml");
    let cases: Cases = toml::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    cases.case
}

/// A run as a part of a golden file.
fn add(text: &mut String, title: &str, run: &Run) {
    let Run {
        code,
        stdout,
        stderr,
    } = run;
    let _ = write!(text, "#### {title}: exit {code}\n{stdout}");
    if !stderr.is_empty() {
        let _ = writeln!(text, "#### stderr\n{}", stderr.trim_end());
    }
    text.push('\n');
}

#[test]
fn every_engine_is_told_the_same() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    for engine in ENGINES {
        let mut text = String::new();
        for case in cases() {
            let run = sky(["plan", "--to", engine]).args(&case.args).folder(here);
            add(&mut text, &case.name, &run.run());
        }
        assert_golden(&format!("plans/{engine}.txt"), &text);
    }
}

#[test]
fn every_engine_is_told_of_more_than_its_cases() {
    for engine in ENGINES {
        let mut text = String::new();
        for line in [
            "H100:x8 --provider aws --limit 2 --hours 24 --budget 5000",
            "A10G --provider aws --region us-east-1 --spot-first --disk 200",
            "RTX4090:x2 --provider runpod,vastai --tier community --max-price 2",
            "L40S:x2 --provider verda --region FIN-01 --capacity-type on-demand --name two",
            "MI300X:x8 --cuda 12.4 --nodes 2 --interconnect infiniband",
            "Gaudi2:x8 --nodes 2",
            "H200:mig=1g.18gb*7 --provider aws --slurm-map 1g.18gb=x --run true",
        ] {
            let run = sky(["plan", "--to", engine]).args(line.split(' ')).run();
            add(&mut text, line, &run);
        }
        assert_golden(&format!("plans/more/{engine}.txt"), &text);
    }
}

#[test]
fn every_tool_is_told_of_slices_the_same() {
    for tool in MIG_TOOLS {
        let mut text = String::new();
        for line in [
            "mig fit H100 3g.40gb 2g.20gb 1g.10gb+me",
            "mig fit A100:40GB 7g.40gb",
            "mig pack A100:80GB 3g.40gb=4 2g.20gb=3 1g.10gb=6",
            "mig pack B200 1g.23gb=9 3g.90gb",
            "mig pack A30 2g.12gb=3 --gpus 2",
        ] {
            add(&mut text, line, &sky_line(line).args(["--to", tool]).run());
        }
        assert_golden(&format!("mig/{tool}.txt"), &text);
    }
}

#[test]
fn specs_are_converted_the_same() {
    for engine in ENGINES {
        let mut text = String::new();
        for spec in [
            "H100",
            "A100:40GB:x4",
            "any:24GB..80GB",
            "L4:0.5",
            "MI300X:x8",
            "TPUv5p:x4",
            "Trainium2:x16",
            "Gaudi2:x8",
            "H100:mig=3g.40gb",
            "H100:x8|A100:80GB:x8",
            "RTX4090:x2..4",
        ] {
            add(
                &mut text,
                spec,
                &sky(["convert", spec, "--to", engine]).run(),
            );
        }
        assert_golden(&format!("convert/{engine}.txt"), &text);
    }
}

/// The figures of a shape, from which sizes follow.
fn figures(shape: &Architecture) -> String {
    let parameters = shape.parameters();
    let values = |tokens: f64| shape.cache_values(tokens);
    format!(
        "{} parameters, {} active; cache of 1, 1024, 8192 and 131072 tokens: {} {} {} {}; width {}, layers {:?}",
        parameters.total(),
        shape.active_parameters(),
        values(1.0),
        values(1024.0),
        values(8192.0),
        values(131_072.0),
        shape.cache_width(),
        shape.cache_layers(),
    )
}

#[test]
fn models_have_the_same_parameters_and_caches() {
    let mut text = String::new();
    for model in EMBEDDED.models {
        let _ = writeln!(
            text,
            "{}: {}",
            EMBEDDED.str(model.id),
            figures(&model.shape)
        );
    }
    assert_golden("models.txt", &text);
}

#[test]
fn sizes_are_the_same() {
    let mut text = String::new();
    for model in [
        "Llama-3.1-8B",
        "Gemma-3-27B",
        "Mistral-7B-v0.1",
        "Mixtral-8x7B",
        "DeepSeek-V3",
        "Qwen3-30B-A3B",
        "gpt-oss-120b",
        "Falcon-7B",
        "Phi-4",
    ] {
        for flags in [
            "",
            "--engine vllm --batch 8 --context 8192",
            "--engine llama.cpp --kv-precision q8_0 --context 32768",
            "--kv-precision fp8 --context 32768",
            "--precision awq",
            "--workload lora",
            "--workload qlora --batch 4",
            "--workload full --optimizer adamw-8bit",
            "--engine transformers --batch 2",
        ] {
            let line = format!("fit H200:x8 --model {model} {flags} -o json");
            let run = sky_line(&line).run();
            let answer: serde_json::Value = serde_json::from_str(&run.stdout).unwrap_or_default();
            let result = &answer["results"][0];
            let _ = writeln!(text, "#### {line}: exit {}", run.code);
            for (field, value) in result.as_object().into_iter().flatten() {
                let _ = writeln!(text, "{field}: {value}");
            }
            text.push_str(&run.stderr);
        }
    }
    assert_golden("sizes.txt", &text);
}

#[test]
fn rows_are_sorted_the_same() {
    let mut text = String::new();
    for line in [
        "list --sort name -o names",
        "list --sort memory -o names --limit 60",
        "list --sort bandwidth -o names --limit 60",
        "list --sort tflops -o names --limit 60",
        "list --sort tdp -o names --limit 60",
        "list --sort year -o names --limit 60",
        "list --vendor amd",
        "list --class asic --limit 30",
        "resolve any:24GB --sort price -o names --limit 40",
        "resolve any:24GB --sort price-per-gpu -o names --limit 40",
        "resolve any:24GB --sort price-per-gb -o names --limit 40",
        "resolve any:24GB --sort price-per-tflop -o names --limit 40",
        "resolve any:24GB --capacity-type spot --sort price -o names --limit 40",
        "resolve H100:x8 --limit 30",
        "resolve T4 --region us-gov-west-1 --capacity-type spot",
        "resolve A100:80GB -o wide --limit 20",
        "resolve H100 -o csv --limit 20",
    ] {
        add(&mut text, line, &sky_line(line).run());
    }
    assert_golden("rows.txt", &text);
}

#[test]
fn specs_are_read_the_same() {
    let mut text = String::new();
    for spec in [
        "H100",
        "h100-sxm",
        "H100:x8",
        "8xH100",
        "H100:0.5",
        "A100:40GB|A100:80GB",
        "any:24GB+",
        "any:24GB..80GB:arch=hopper",
        "any:vendor=amd:x8",
        "NVIDIA H100 80GB HBM3",
        "GPU:arch=adalovelace",
        "any:arch=Ada Lovelace",
        "any:class=datacenter:48GB",
        "L4:x1..4",
        "any:bf16_tflops>=300",
        "H100:mig=3g.40gb*2",
        "A100:mig=19",
        "H100:mig=1g.10gb+me",
        "tpu-v5p-8",
        "TPUv5p:x4",
        "p5.48xlarge",
        "10de:2330",
        "A100(memory=\"40GB\")",
        "H100:interconnect=nvlink",
        "any:fp8_tflops>=1000:x8",
        "A100:80GB:SXM:x8",
        "any:16GB:release_year>=2022",
        "M60:x2",
        "Gaudi2:x8",
        "Trainium2:x16",
        "any:x1:tdp_w<=75",
        "RTX 4090",
        "4090",
        "H10",
        "H100:x0",
        "H100:x3",
        "H100:80",
        "H100:mig=9g.90gb",
        "any:24GB:24GB",
        "A100:48GB",
        "any:vendor=nvida",
        "H100:x1000000",
        "H100:::",
        "any:arch=hoper",
    ] {
        let line = ["resolve", spec, "-o", "json", "--limit", "3"];
        let run = sky(line).run();
        let answer: serde_json::Value = serde_json::from_str(&run.stdout).unwrap_or_default();
        let _ = writeln!(text, "#### {spec}: exit {}", run.code);
        let _ = writeln!(text, "{}", answer["request"]["specs"]);
        for result in answer["results"].as_array().into_iter().flatten() {
            let _ = writeln!(
                text,
                "{} {} {} {}",
                result["provider"],
                result["instance_type"],
                result["count"],
                result["on_demand"]["usd_per_hour"]
            );
        }
        text.push_str(&run.stderr);
    }
    assert_golden("specs.txt", &text);
}
