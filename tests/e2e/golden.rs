//! Complete answers, compared with snapshots: plans for each target, sizes of models, sorted rows, specs.
//! `INSTA_UPDATE=always cargo e2e golden` writes them; review the difference like code.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;

use sky_accel_core::sizing::Architecture;
use sky_accel_core::word::Word as _;
use sky_accel_embedded::TEST_CATALOG as CATALOG;
use sky_accel_targets::mig::MigTool;
use sky_accel_targets::{Dialect, Target};
use tempfile::TempDir;

use crate::support::snapshots::{assert_golden, assert_golden_run, titled_run};
use crate::support::{collected_configs, sky, sky_line};

type JsonFields = serde_json::Map<String, serde_json::Value>;

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

/// Cases that run for each target: one machine, slices, and machines with a fast interconnect.
const CASES: [&str; 3] = ["h100x8", "mig", "two-nodes-efa"];

/// Targets whose files are compared as a whole. `crates/targets/tests` compares the files of all targets.
const WHOLE: [&str; 3] = ["mig-parted", "skypilot", "slurm"];

#[test]
fn plans_for_each_target() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut text = String::new();
    for target in Target::ALL.map(Target::name) {
        let is_shown = |case: &Case| CASES.contains(&case.name.as_str());
        for case in cases().into_iter().filter(is_shown) {
            let line = ["plan", "--to", target];
            let mut run = sky(line).args(&case.args).folder(here).run();
            if !WHOLE.contains(&target) {
                run.stdout = format!("{} lines\n", run.stdout.lines().count());
            }
            text.push_str(&titled_run(&format!("{target}, {}", case.name), &run));
        }
    }
    assert_golden!("plans/targets", text);
}

#[test]
fn files_of_plans() {
    for (engine, spec) in [
        (
            "ec2-fleet",
            "L40S:x4 --region us-east-1 --interconnect efa --nodes 2",
        ),
        (
            "ec2-fleet",
            "A100:80GB:x8|H100:x8 --spot-first --hours 4 --limit 3",
        ),
        ("cloudformation", "L4:x4 --limit 3"),
        ("terraform", "H100:mig=3g.40gb*2 --limit 2"),
        ("docker", "H100:mig=3g.40gb*2 --limit 1"),
        ("kubernetes", "H100:mig=3g.40gb*2 --limit 1"),
        ("karpenter", "H100:mig=3g.40gb*2 --limit 1"),
        (
            "slurm",
            "H100:mig=3g.40gb*2 --limit 1 --slurm-map 3g.40gb=a",
        ),
    ] {
        let folder = TempDir::new().unwrap();
        // A file that names no machine type cannot hold a provider.
        let provider = match engine {
            "docker" | "slurm" => "",
            _ => "--provider aws",
        };
        let line = format!("plan {spec} {provider} --to {engine} --out");
        let run = sky_line(&line).arg(folder.path()).run();
        let mut text = format!("#### exit {}\n", run.code);
        let mut files: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        for file in files {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            let _ = writeln!(
                text,
                "#### {name}\n{}",
                std::fs::read_to_string(file).unwrap()
            );
        }
        let answer = sky_line(&format!("plan {spec} {provider} --to {engine} -o json"));
        let _ = writeln!(text, "#### steps\n{:#}", answer.json()["steps"]);
        let slug = spec
            .split_whitespace()
            .next()
            .unwrap()
            .replace([':', '|', '=', '*'], "-");
        assert_golden!(format!("plans/files/{engine}-{slug}"), text);
    }
}

/// Compares the output of command lines with a snapshot each, in a folder.
fn assert_lines(folder: &str, lines: &[&str]) {
    for line in lines {
        assert_golden_run!(folder, line, &sky_line(line).run());
    }
}

#[test]
fn candidates() {
    assert_lines(
        "candidates",
        &[
            "plan H100:x8|H100:SXM:x8 --provider aws,verda --limit 8",
            "plan L4:x4 --provider aws --spot-first --distinct regions --limit 12",
            "plan B200:x8 --cuda 12.4 --explain",
            "plan B200:x8 --cuda 12.8 --limit 2",
            "plan V100 --cuda 12.9 --limit 2",
            "plan MI300X:x8 --cuda 12.8 --explain",
            "plan H100 --interconnect nvlink --limit 6",
            "plan H100:x8 --interconnect any --limit 20 -o csv",
            "plan H100:x8 --nodes 2 --hours 3 --limit 4 -o wide",
            "plan L4:x4 --limit 2 --explain",
            "plan H100:x8 --provider verda --limit 2 -o json",
            "plan H100:mig=3g.40gb*2 --provider aws --to kubernetes --limit 1 -o json",
            "plan L4 --limit 3 -o csv",
        ],
    );
}

#[test]
fn recommendations() {
    assert_lines(
        "recommendations",
        &[
            "recommend --workload full",
            "recommend --workload inference",
            "recommend --workload development --region us-east-1 --limit 2",
            "recommend --guide",
            "recommend --guide -o csv",
            "recommend --model Llama-3.1-8B --limit 6 --chart",
            "recommend --model Llama-3.1-8B --limit 3 -o csv",
            "recommend --model Llama-3.1-8B --limit 1 -o json",
            "recommend --model Llama-3.1-8B --region eu-* --limit 8",
            "recommend --model Llama-3.1-8B --provider runpod --region SE --limit 4",
            "recommend --model Llama-3.1-405B --workload pretrain",
            "recommend --model Llama-3.1-70B --workload lora --limit 4 -o wide",
            "recommend --model Qwen2.5-32B --batch 16 --context 16384 --capacity-type spot --limit 5",
        ],
    );
}

/// Returns the visible text of a page, without styles, scripts, pictures and tags.
fn shown_text(page: &str) -> String {
    let mut text = String::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once('<') {
        let before = before.trim();
        if !before.is_empty() {
            let _ = writeln!(text, "{before}");
        }
        let hidden = ["style", "script", "svg"]
            .into_iter()
            .find(|name| after.starts_with(name));
        let end = hidden.map_or_else(|| ">".to_owned(), |name| format!("</{name}>"));
        rest = after.split_once(end.as_str()).map_or("", |(_, rest)| rest);
    }
    text
}

#[test]
fn text_of_a_report() {
    let line = "report - --model Qwen2.5-7B --workload lora --tokens 100M --limit 3";
    let mut run = sky_line(line).run();
    run.stdout = shown_text(&run.stdout);
    assert_golden!("report", titled_run(line, &run));
}

#[test]
fn further_options() {
    assert_lines(
        "further",
        &[
            "fit H100:x4 --model Llama-3.3-70B --precision fp8 --users 50",
            "fit A100:80GB --model Llama-3.1-8B --workload qlora --verbose",
            "fit H100:80GB:SXM:x8 --model Llama-3.1-8B --workload grpo --context 200 --generate 1000",
            "fit H100 FLUX.1-dev --steps 28 --batch 2",
            "fit H100:80GB:SXM Wan2.1-T2V-1.3B --frames 41",
            "fit RTX4090 Llama-3.3-70B --precision gguf:Q4_K_M",
            "fit cpu:64GB --model Llama-3.1-8B",
            "fit H200:x8 Qwen3-235B-A22B --precision fp8 --tensor-parallel 8 --expert-parallel 8",
            "fit H100:mig=3g.40gb --model Llama-3.1-8B",
            "fit L4 bge-m3 --context 512 --users 20",
            "fit MI300X:x8 --model DeepSeek-V3 --verbose",
            "fit A100:80GB:x8 --model Llama-3.1-70B --workload full --zero-stage 3 --nodes 2",
            "fit L4 --model Llama-3.1-8B --precision awq --price likely",
            "fit L4 bge-m3 --engine transformers --users 4",
            "fit L4:x3 --model Llama-3.1-8B --users 20",
            "fit L4:x2 --model Llama-3.1-8B --users 20",
            "plan L4:x1 --to skypilot --min-vcpu 8 --min-host-memory 32GB --provider runpod --limit 1",
            "bill H100 --hours 5 --month --limit 1",
            "recommend Llama-3.1-8B --users 20 --max-ttft 1s --limit 3",
            "recommend Llama-3.3-70B --users 50 --compare api --limit 2",
            "recommend Qwen2.5-7B --workload lora --tokens 100M --deadline 12 --limit 2 --verbose",
            "recommend Llama-3.3-70B --precision any --users 16 --limit 3",
            "recommend Llama-3.1-8B --on H100 --limit 3",
            "recommend Llama-3.3-70B --commit any --limit 3",
            "recommend FLUX.1-dev --images 10000 --limit 2",
            "recommend bge-m3 --context 512 --request-rate 500 --limit 2",
            "recommend 13B --limit 2 --verbose",
            "recommend Llama-3.1-8B --users 2000 --limit 3",
            "bill H100:x8 --hours 10 --provider aws,gcp -o csv",
            "bill H100 --sessions 20 --hours-per-session 3 --storage 200GB --egress 50GB --limit 2",
            "bill H100 --month --storage 200GB --limit 2 --verbose",
            "bill L4 --hours 10 --model Llama-3.1-8B --limit 2",
            "mix H100:x8 --base-hours 730,730,120 --commit 3y",
            "mix A100-80GB:x1 --profile daily:8-20=6,else=1 --spot 2",
            "models Llama-3.1-8B",
            "models FLUX.1-dev",
            "models --on H100:x2 --users 16 --context 32k --limit 5",
            "list any:80GB+ --limit 5 -o wide",
            "resolve H100 --hours 100 --limit 3",
            "resolve H100:x8 --commit 1y --limit 4",
            "resolve L4 --group-by region --limit 4",
            "resolve L4 --currency EUR --limit 3",
            "resolve A100:80GB --capacity-type spot --limit 3 --verbose",
            "resolve H100:mig=1g.10gb --limit 3",
            "compare H100 H200 --model Llama-3.1-70B --workload lora",
        ],
    );
}

#[test]
fn slices() {
    assert_lines(
        "slices",
        &[
            "mig pack any --slice 10GB*20",
            "mig pack any 1g.10gb=20",
            "mig profiles A30",
            "mig profiles A30 -o csv",
            "mig profiles A30 -o json",
            "mig fit H100 3g.40gb -o json",
            "mig fit H100:SXM:80GB 4g.40gb --occupied 3g.40gb@4",
            "mig pack A100 --slice 10GB*3 -o json",
            "mig pack A30 1g.6gb=9 -o csv",
            "resolve H100:mig=1c.3g.40gb*2:x2 --limit 1 -o json",
            "resolve RTXPRO6000:mig=1g.24gb:x3 --provider runpod -o json",
        ],
    );
}

#[test]
fn pages() {
    assert_lines(
        "pages",
        &[
            "show H100",
            "show p4de.24xlarge tpu-v5p-8",
            "show MI300X",
            "show Gaudi2 -o json",
            "show runpod",
            "show aws civo",
            "show runpod -o json",
            "compare H100 H200 MI300X TPUv6e",
            "compare RTX4090 L40S T4 --model Qwen3-14B --users 8",
            "models --on RTX4090 --limit 6",
            "models --on RTX4060 DeepSeek-V3",
            "models --on RTX4090 --budget 0.01/h",
            "resolve H100:x8 --provider aws,verda,oci --map",
            "resolve Gaudi3:x8 --provider ibm --explain",
            "resolve H100:x8 L4 --limit 1",
            "resolve H100:x8 --max-age 200d",
            "resolve H100:x12 --provider verda",
            "resolve H100:x12 --provider verda --max-price 20",
            "resolve H100|H100:SXM --provider aws,verda",
            "resolve B300 --provider runpod --tier secure",
            "list hopper -o wide --limit 4",
            "list --limit 3 -o csv",
            "fit L4 --model Llama-3.1-70B",
            "fit L4|H200 --model Qwen2.5-32B",
            "fit L4:x0.5 --model Llama-3.2-3B",
            "fit L4:x0.125 --model Llama-3.2-3B",
            "fit A100:80GB:x2 --model Llama-3.1-8B --workload full --offload all",
            "fit A100:80GB --model Llama-3.1-8B -o csv",
            "is H100 h100-sxm",
            "is H100 A100",
        ],
    );
}

/// The fields of an answer that depend only on the configuration; `sizes` has the others.
const CONFIGURATION_FIELDS: [&str; 4] = ["error", "fits", "model", "kv_cache"];

/// All collected configurations, as `fit` reads them.
#[test]
fn configurations() {
    let mut lines = String::new();
    for collected in collected_configs() {
        let request = serde_json::json!({"spec": "B200:x8", "model": collected["config"]});
        let _ = writeln!(lines, "{request}");
    }
    // Fields that no collected configuration has.
    for more in [
        serde_json::json!({"model_type": "qwen2", "sliding_window": 1024, "use_sliding_window": true, "max_window_layers": 12}),
        serde_json::json!({"model_type": "qwen2", "sliding_window": 1024, "use_sliding_window": false, "max_window_layers": 12}),
        serde_json::json!({"model_type": "deepseek_v3", "n_routed_experts": 16, "num_experts_per_tok": 4,
            "moe_intermediate_size": 256, "moe_layer_freq": [0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]}),
        serde_json::json!({"model_type": "qwen3_moe", "num_experts": 16, "num_experts_per_tok": 4,
            "moe_intermediate_size": 256, "decoder_sparse_step": 2, "mlp_only_layers": [1, 3]}),
        serde_json::json!({"quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": 64}}),
        serde_json::json!({"quantization_config": {"quant_method": "fp8", "kv_cache_scheme": {"num_bits": 8, "type": "float"}}}),
        serde_json::json!({"padded_vocab_size": 40_000}),
        serde_json::json!({"attention_bias": true, "mlp_bias": true}),
    ] {
        let mut config = serde_json::json!({"model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 16,
            "num_attention_heads": 16, "num_key_value_heads": 4, "intermediate_size": 8192, "vocab_size": 32_000,
            "max_position_embeddings": 32_768});
        let fields = config.as_object_mut().unwrap();
        fields.extend(more.as_object().unwrap().clone());
        let request = serde_json::json!({"spec": "B200:x8", "model": config});
        let _ = writeln!(lines, "{request}");
    }
    let run = sky_line("fit -").stdin(lines).run();
    let mut text = format!("#### exit {}\n{}", run.code, run.stderr);
    for answer in run.json_lines() {
        for (field, value) in answer.as_object().into_iter().flatten() {
            if CONFIGURATION_FIELDS.contains(&field.as_str()) {
                let _ = writeln!(text, "{field}: {value}");
            }
        }
        text.push('\n');
    }
    assert_golden!("configs", text);
}

#[test]
fn slices_for_each_tool() {
    for (tool, _) in MigTool::ALL {
        let mut text = String::new();
        for line in [
            "mig pack A100:80GB 3g.40gb=4 2g.20gb=3 1g.10gb=6",
            "mig fit H100:SXM:80GB 4g.40gb --occupied 3g.40gb@4",
        ] {
            let run = sky_line(line).args(["--to", tool]).run();
            text.push_str(&titled_run(line, &run));
        }
        assert_golden!(format!("mig/{tool}"), text);
    }
}

#[test]
fn conversions_to_each_dialect() {
    let mut text = String::new();
    for dialect in Dialect::ALL.map(Dialect::name) {
        let run = sky(["convert", "H100-80GB-SXM:x8", "--to", dialect]).run();
        text.push_str(&titled_run(dialect, &run));
    }
    assert_golden!("convert", text);
}

#[test]
fn plan_diff() {
    let candidate = |kind: &str, rank: u32, usd: Option<f64>, fit: &str, state: &str| {
        serde_json::json!({"rank": rank, "provider": "aws", "instance_type": kind, "count": 4, "region": "us-east-1",
            "capacity_type": "on-demand", "fit": fit, "price": {"usd_per_hour": usd},
            "checks": [{"id": "quota", "state": state, "message": "another"}]})
    };
    let plan = |nodes: u32, results: [serde_json::Value; 3]| serde_json::json!({"schema": "sky-accel.plan.v1", "request": {"spec": "L4:x4", "nodes": nodes}, "results": results});
    let before = [
        candidate("a", 1, Some(4.0), "exact", "pass"),
        candidate("b", 2, Some(5.0), "exact", "pass"),
        candidate("c", 3, None, "exact", "unknown"),
    ];
    let after = [
        candidate("b", 1, Some(3.5), "exact", "pass"),
        candidate("a", 2, Some(4.5), "larger", "fail"),
        candidate("d", 3, Some(9.0), "exact", "pass"),
    ];
    let folder = TempDir::new().unwrap();
    let file = |name: &str, plan: serde_json::Value| {
        let path = folder.path().join(name);
        std::fs::write(&path, plan.to_string()).unwrap();
        path
    };
    let (a, b) = (
        file("a.json", plan(1, before)),
        file("b.json", plan(2, after)),
    );
    let mut text = String::new();
    for (from, to) in [(&a, &b), (&b, &a)] {
        for format in ["table", "json"] {
            let run = sky(["plan", "diff", "-o", format]).arg(from).arg(to).run();
            text.push_str(&titled_run(format, &run));
        }
    }
    let shown = folder.path().to_str().unwrap();
    assert_golden!("plan-diff", text.replace(shown, "FOLDER"));
}

/// An overlay that changes every field of an accelerator, an offer, its prices and their provider.
const CHANGES: &str = r#"
[[accelerator]]
id = "L4"
memory_gb = 25
memory_bandwidth_gb_s = 301
fp32_tflops = 31
tf32_tflops = 61
fp16_tflops = 122
bf16_tflops = 123
fp8_tflops = 243
int8_tops = 244
tdp_w = 73
form_factor = "SXM"
interconnect = "NVLink4"
interconnect_gb_s = 901
pcie_gen = 5
compute_capability = "9.0"
cuda_min = "12.0"
max_per_node = 4
release_year = 2024
note = "another"
names.common = ["ELL4"]

[[provider]]
id = "verda"
name = "Another"
aliases = ["another"]
tenant_mig = false
tenant_mig_note = "none"
sells_reservations = true
tells_stock = false
price_max_age_days = 3

[[offer]]
provider = "aws"
id = "p5.48xlarge"
any_of = ["H100-80GB-SXM"]
display_name = "another"
vcpu = 190
host_memory_gib = 2000
host_arch = "arm64"
efa_interfaces = 16
status_note = "another"
note = "another"
interruption_rate = "20%"
regions = ["us-east-1", "us-west-2"]
source = "ours"
as_of = "2026-11-01"

[[price]]
provider = "aws"
offer = "p5.48xlarge"
capacity_type = "on-demand"
source = "ours"
as_of = "2026-11-02"
usd_per_hour = { us-east-1 = 50.0, us-west-2 = 51.0, eu-north-1 = 52.0, ap-south-1 = 53.0 }

[[offer]]
provider = "aws"
id = "p4d.24xlarge"
status = "retired"
vcpu_per_accelerator = 12
host_memory_gib_per_accelerator = 140
as_of = "2026-11-01"

[[model]]
id = "Ours"
layers = 2
hidden = 512
heads = 8
kv_heads = 8
head_dim = 64
ffn = 2048
vocab = 32000
source = "ours"

[[coefficient]]
name = "workspace-gib"
value = 0.08
source = "ours"
as_of = "2026-11-01"
"#;

/// The lines of an answer with the overlay that are not in the answer without it, each once.
fn added_lines(with: &str, without: &str) -> String {
    let mut known: HashSet<&str> = without.lines().collect();
    let added = with.lines().filter(|line| known.insert(*line));
    added.fold(String::new(), |text, line| text + line + "\n")
}

#[test]
fn overlays() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("changes.toml");
    std::fs::write(&file, CHANGES).unwrap();
    let file = file.to_str().unwrap();
    let mut text = String::new();
    for line in [
        "catalog diff FILE",
        "catalog diff FILE embedded",
        "fit L4 --model Ours --catalog FILE",
        "resolve ELL4 -o names --limit 3 --catalog FILE",
        "list --limit 1 --catalog FILE",
        "resolve H100 --provider another --catalog FILE",
    ] {
        let run = sky_line(&line.replace("FILE", file)).run();
        text.push_str(&titled_run(line, &run));
    }
    for line in [
        "show L4 -o json",
        "resolve p5.48xlarge --provider aws -o json",
        "resolve p4d.24xlarge --provider aws -o json",
        "resolve L4 -o csv --limit 1",
    ] {
        let embedded = sky_line(line).run();
        let mut run = sky_line(line).args(["--catalog", file]).run();
        run.stdout = added_lines(&run.stdout, &embedded.stdout);
        text.push_str(&titled_run(&format!("{line}, added by FILE"), &run));
    }
    assert_golden!("overlays", text.replace(file, "FILE"));
}

/// The figures of an architecture that decide its sizes. Figures that follow from others are left out: the active
/// parameters if all are, and long caches if they are in proportion to short ones.
fn figures(shape: &Architecture) -> String {
    let total = shape.parameters().total();
    let mut text = format!("{total} parameters");
    if shape.active_parameters() < total {
        let _ = write!(text, ", {} active", shape.active_parameters());
    }
    let [one, more, most] = [1.0, 8192.0, 131_072.0].map(|tokens| shape.cache_values(tokens));
    let _ = write!(text, ", cache {one}");
    if most < one * 131_072.0 {
        let _ = write!(text, " {more} {most}");
    }
    let (global, local) = shape.cache_layers();
    let _ = write!(text, ", width {}, layers {global}", shape.cache_width());
    if local > 0.0 {
        let _ = write!(text, " and {local}");
    }
    text
}

#[test]
fn parameters_and_caches_of_models() {
    let mut text = String::new();
    for model in CATALOG.models {
        let _ = writeln!(text, "{}: {}", CATALOG.str(model.id), figures(&model.shape));
    }
    assert_golden!("models", text);
}

/// Options of `fit`; the first three cover most of the code.
const OPTIONS: &[&str] = &[
    "",
    "--engine llama.cpp --kv-precision q8_0 --context 32768",
    "--workload full --optimizer adamw-8bit",
    "--engine vllm --batch 8 --context 8192",
    "--kv-precision fp8 --context 32768",
    "--precision awq",
    "--workload lora",
    "--workload qlora --batch 4",
    "--engine transformers --batch 2",
    "--engine transformers --precision fp32",
    "--engine llama.cpp --kv-precision q4_0",
    "--tensor-parallel 1 --expert-parallel 8",
    "--context-parallel 2",
    "--generate 0",
    "--workload full --precision fp32",
    "--workload full --optimizer muon",
    "--workload full --optimizer adafactor",
    "--workload full --optimizer sgd",
    "--workload lora --context 512",
    "--workload lora --offload all",
    "--workload full --offload all",
];

/// The fields of an answer that repeat the command line, or that are the figures of other command lines.
const STATED_FIELDS: [&str; 4] = ["spec", "accelerator", "count", "formats"];

#[test]
fn sizes() {
    let models = [
        // One dense model, one with latent attention and experts.
        ("Llama-3.1-8B", OPTIONS),
        ("DeepSeek-V3", &OPTIONS[..12]),
        ("Gemma-3-27B", &OPTIONS[..3]),
        ("Mistral-7B-v0.1", &OPTIONS[..3]),
        ("Mixtral-8x7B", &OPTIONS[..3]),
        ("Qwen3-30B-A3B", &OPTIONS[..3]),
        ("gpt-oss-120b", &OPTIONS[..3]),
        ("Falcon-7B", &OPTIONS[..3]),
        ("Phi-4", &OPTIONS[..3]),
    ];
    for (model, options) in models {
        let mut text = String::new();
        // Fields that equal those of the first answer are only named.
        let mut first: Option<JsonFields> = None;
        for flags in options {
            let line = format!("fit H200:x8 --model {model} {flags} -o json");
            let run = sky_line(&line).run();
            let answer: serde_json::Value = serde_json::from_str(&run.stdout).unwrap_or_default();
            let fields = answer["results"][0]
                .as_object()
                .cloned()
                .unwrap_or_default();
            let _ = writeln!(text, "#### {line}: exit {}", run.code);
            let known = first.clone().unwrap_or_default();
            let mut same = String::new();
            for (field, value) in &fields {
                if STATED_FIELDS.contains(&field.as_str()) {
                    continue;
                }
                if known.get(field) == Some(value) {
                    let _ = write!(same, " {field}");
                } else {
                    let _ = writeln!(text, "{field}: {value}");
                }
            }
            if !same.is_empty() {
                let _ = writeln!(text, "as the first:{same}");
            }
            text.push_str(&run.stderr);
            first.get_or_insert(fields);
        }
        assert_golden!(format!("sizes/{model}"), text);
    }
}

#[test]
fn sorted_rows() {
    assert_lines(
        "rows",
        &[
            "list --sort memory -o names --limit 25",
            "list --sort bandwidth -o names --limit 25",
            "list --sort tflops -o names --limit 25",
            "list --sort tdp -o names --limit 25",
            "list --sort year -o names --limit 25",
            "list -o names",
            "list --mig -o names",
            "list vendor!=nvidia -o names",
            "list memory<16GB -o names",
            "list memory<=16GB -o names",
            "list tdp<=75W -o names",
            "list tdp>=0.7kW -o names",
            "list arch!=hopper class=datacenter -o names",
            "list year<2018 -o names",
            "list year>2024 -o names",
            "list bandwidth>=2TB/s -o names",
            "list interconnect>=600GB/s -o names",
            "list fp64>=30 -o names",
            "list tf32>=100 -o names",
            "list int8>=1pflops -o names",
            "resolve any:24GB --sort price -o names --limit 40",
            "resolve any:24GB --sort price-per-gpu -o names --limit 40",
            "resolve any:24GB --sort price-per-gb -o names --limit 40",
            "resolve any:24GB --sort price-per-tflop -o names --limit 40",
            "resolve any:24GB --capacity-type spot --sort price -o names --limit 40",
            "resolve H100:x8 --limit 15",
            "resolve T4 --region us-gov-west-1 --capacity-type spot",
            "resolve A100:80GB -o wide --limit 8",
            "resolve H100 -o csv --limit 8",
        ],
    );
}

#[test]
fn specs() {
    let mut text = String::new();
    let (most, too_many) = (vec!["H100"; 16].join("|"), vec!["H100"; 17].join("|"));
    for spec in [
        &most,
        &too_many,
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
        "L4:count>=4",
        "L4:count>1",
        "L4:count<=1",
        "L4:count<4",
        "L4:count<0.5",
        "L4:count!=2",
        "GB200:384GB",
        "--gpus=H100:8",
        "gpus:H100:8",
        "gres:gpu:H100:8",
        "H100:>40GB",
        "A100:<80GB",
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
    assert_golden!("specs", text);
}
