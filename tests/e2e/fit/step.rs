//! Training steps: time and memory with several models and several machines.

use serde_json::Value;

use super::{fit, fit_code, gib, near};
use crate::support::{sky, sky_line};

fn phases(result: &Value) -> Vec<(String, f64)> {
    let phases = result["step"]["phases"].as_array().unwrap();
    let name_and_seconds = |phase: &Value| {
        (
            phase["phase"].as_str().unwrap().to_owned(),
            phase["seconds"].as_f64().unwrap(),
        )
    };
    phases.iter().map(name_and_seconds).collect()
}

fn seconds(result: &Value) -> f64 {
    result["step"]["seconds"].as_f64().unwrap()
}

fn rate(result: &Value) -> f64 {
    result["throughput"]["train_tokens_per_s_per_device"]
        .as_f64()
        .unwrap()
}

/// The layout for generation minimizes generation time plus refit time.
#[test]
fn more_bandwidth_never_makes_a_step_longer() {
    let seconds = |device: &str| {
        let result = fit(&format!(
            "{device}:x8 --model Qwen3-Next-80B-A3B --nodes 16 --workload grpo --tensor-parallel 8 --pipeline-parallel 2 \
             --data-parallel 8 --zero-stage 1 --context 8192 --generate 1024 --micro-batch 3 --rollouts 96 --checkpointing none"
        ));
        result["step"]["seconds"].as_f64().unwrap()
    };
    let (less, more) = (seconds("H100:80GB:SXM"), seconds("H200:141GB:SXM"));
    assert!(more <= less, "{less} {more}");
}

const GRPO: &str = "H100:80GB:x8 --model Llama-3.1-8B --workload grpo --context 200 --generate 1000 --rollouts 512";

#[test]
fn policy_step_phases_are_sequential() {
    let together = fit(GRPO);
    let found = phases(&together);
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["rollout", "scoring", "training", "refit"]);
    let sum: f64 = found.iter().map(|(_, seconds)| seconds).sum();
    near(seconds(&together), sum, 1.0);
    assert_eq!(together["step"]["tokens"], 512 * 1200);
    // Tokens of the whole step on all devices.
    near(
        rate(&together),
        512.0 * 1200.0 / seconds(&together) / 8.0,
        1.0,
    );
    // The training state is in host memory while answers are generated.
    near(
        together["host_gib"].as_f64().unwrap(),
        gib(&together, "steady"),
        0.1,
    );
    // On separate devices, the slower side determines the step, and no state is moved to the host.
    let apart = fit(&format!("{GRPO} --disaggregated"));
    let found = phases(&apart);
    let slower = found[0].1.max(found[1].1 + found[2].1) + found[3].1;
    near(seconds(&apart), slower, 1.0);
    assert!(apart["host_gib"].is_null());
    let generating = apart["step"]["rollout_devices"].as_u64().unwrap();
    let layout = &apart["parallelism"];
    let training: u64 = ["tensor", "pipeline", "data"]
        .iter()
        .map(|axis| layout[axis].as_u64().unwrap())
        .product();
    assert_eq!(generating + training, 8);
}

#[test]
fn asynchronous_generation_keeps_the_engine_busy() {
    let line = "H100:80GB:SXM:x64 --model Llama-3.1-8B --workload grpo --context 200 --generate 2000 --rollouts 1024 --disaggregated --tensor-parallel 1 --pipeline-parallel 1 --data-parallel 32";
    let rollout = |more: &str| {
        let result = fit(&format!("{line} {more}"));
        let found = phases(&result);
        assert_eq!(found[0].0, "rollout");
        found[0].1
    };
    let next = rollout("--off-policy-steps 1");
    near(next, rollout(""), 0.1);
    // A token takes only slightly longer with 32 sequences per device than with 8.
    let ahead = rollout("--off-policy-steps 4");
    assert!(ahead < 0.6 * next, "{ahead} {next}");
    let answer = sky_line(&format!("fit {line} --off-policy-steps 4 -o json")).json();
    assert_eq!(answer["request"]["off_policy_steps"], 4);
}

#[test]
fn extra_models_take_memory_and_time() {
    let line = "H100:80GB:x8 --model Llama-3.1-8B --zero-stage 3 --tensor-parallel 1";
    let full = fit(&format!("{line} --workload full"));
    // A pair is two sequences, and the reference has the weights of the model.
    let dpo = fit(&format!("{line} --workload dpo"));
    near(gib(&dpo, "frozen"), gib(&full, "weights"), 0.1);
    near(
        dpo["step"]["tokens"].as_f64().unwrap(),
        2.0 * full["step"]["tokens"].as_f64().unwrap(),
        0.1,
    );
    // One more forward pass, in addition to three passes and a recomputed pass.
    let scoring = phases(&dpo)[0].1;
    near(scoring / seconds(&dpo), 0.2, 3.0);
    let alone = fit(&format!("{line} --workload dpo --reference-model none"));
    assert!(alone["per_device_gib"]["frozen"].is_null());
    assert!(seconds(&alone) < seconds(&dpo));
    // With adapters, the reference is the model without them.
    let adapters = fit(&format!("{line} --workload dpo --lora-rank 16"));
    assert!(adapters["per_device_gib"]["frozen"].is_null());
    assert_eq!(phases(&adapters)[0].0, "scoring");
    assert!(gib(&adapters, "adapters") > 0.0);
    // A teacher has its own size.
    let taught = fit(&format!(
        "{line} --workload distill --teacher-model Llama-3.3-70B"
    ));
    let teacher = 70.55e9 * 2.0 / 8.0 / f64::from(1 << 30);
    near(gib(&taught, "frozen"), teacher, 1.0);
    // A critic is trained too.
    let policy = fit(&format!("{line} --workload grpo"));
    let with_critic = fit(&format!("{line} --workload ppo"));
    near(
        gib(&with_critic, "optimizer"),
        2.0 * gib(&policy, "optimizer"),
        0.1,
    );
    assert!(seconds(&with_critic) > seconds(&policy));
}

#[test]
fn workload_aliases_are_accepted() {
    for (word, workload) in [
        ("finetune", "full"),
        ("sft", "full"),
        ("training", "full"),
        ("serve", "inference"),
        ("chat", "inference"),
    ] {
        let line = format!("fit H100:80GB:x8 --model Llama-3.1-8B --workload {word} -o json");
        assert_eq!(sky_line(&line).json()["request"]["workload"], workload);
    }
}

#[test]
fn hybrid_sharding_holds_more_and_sends_less() {
    let line = "H100:80GB:SXM:x8 --nodes 4 --model Llama-3.1-8B --workload full --zero-stage 3 --tensor-parallel 1";
    let fully_sharded = fit(line);
    let hybrid = fit(&format!("{line} --shard-groups 4"));
    assert_eq!(fully_sharded["count"], 32);
    assert_eq!(fully_sharded["nodes"], 4);
    near(
        gib(&hybrid, "optimizer"),
        4.0 * gib(&fully_sharded, "optimizer"),
        0.1,
    );
    assert!(rate(&hybrid) >= rate(&fully_sharded));
    // Over plain Ethernet, gathering weights for each micro-batch takes longer than computing.
    let slow = fit(
        "L40S:x8 --nodes 4 --model Llama-3.1-8B --workload full --zero-stage 3 --tensor-parallel 1",
    );
    assert_eq!(slow["throughput"]["bound"], "network");
}

#[test]
fn packed_examples_do_not_attend_to_each_other() {
    let line = "H100:80GB:x8 --model Llama-3.1-8B --workload full --context 32768";
    assert!(rate(&fit(&format!("{line} --packed 1024"))) > rate(&fit(line)));
    let lora = "H100:80GB --model Llama-3.1-8B --workload lora";
    let saved = fit(&format!("{lora} --modules-to-save embeddings,head"));
    // Two modules of 128,256 rows, with gradients and optimizer, in 32 bits.
    let more = 2.0 * 128_256.0 * 4096.0 * 16.0 / f64::from(1 << 30);
    near(
        gib(&saved, "adapters"),
        gib(&fit(lora), "adapters") + more,
        1.0,
    );
}

#[test]
fn impossible_steps_are_rejected() {
    for (line, words) in [
        ("--workload distill", "give --teacher-model"),
        (
            "--workload lora --teacher-model Qwen3-8B",
            "applies only to distill",
        ),
        (
            "--workload full --reference-model none",
            "applies only to dpo, grpo and ppo",
        ),
        ("--workload dpo --rollouts 8", "dpo generates nothing"),
        (
            "--workload grpo --off-policy-steps 2",
            "needs separate devices for rollouts: give --disaggregated too",
        ),
        (
            "--workload full --off-policy-steps 2",
            "applies only to grpo and ppo: full generates nothing",
        ),
        (
            "--workload grpo --rollouts 100 --global-batch 64",
            "--rollouts 100 is not a multiple of the --global-batch of 64",
        ),
        ("--workload grpo --engine llama.cpp", "not with llama.cpp"),
        (
            "--workload grpo --generate 0",
            "--generate must be at least 1",
        ),
        (
            "--workload full --modules-to-save head",
            "applies only to adapters, and --workload full trains all weights",
        ),
        (
            "--workload lora --modules-to-save heads",
            "unknown module 'heads'",
        ),
        (
            "--workload full --shard-groups 3 --tensor-parallel 1 --pipeline-parallel 1",
            "have 8 ranks, which cannot be divided into 3 --shard-groups",
        ),
        ("--rollouts 8", "--rollouts applies only to training"),
        ("--zero-stage 3", "--zero-stage applies only to training"),
        (
            "--shard-groups 2",
            "--shard-groups applies only to training",
        ),
        (
            "--workload full --zero-stage 0 --shard-groups 2",
            "needs a --zero-stage above 0",
        ),
        (
            "--workload pretrain --pipeline-parallel 1 --virtual-pipeline 4",
            "--virtual-pipeline 4 needs pipeline stages, but --pipeline-parallel is 1",
        ),
        (
            "--workload qlora --tensor-parallel 4",
            "transformers does not support tensor parallelism with nf4",
        ),
        (
            "--engine llama.cpp --precision gguf:Q4_K_M --context-parallel 2",
            "llama.cpp does not support context parallelism",
        ),
        (
            "--model Qwen3-30B-A3B --engine tensorrt-llm --tensor-parallel 2 --data-parallel 4 --expert-parallel 8",
            "does not split attention over 2 devices where 8 share the experts: use --tensor-parallel 1, or --expert-parallel of at most 2",
        ),
        (
            "--engine sglang --users 8 --admission-interval 2.5",
            "--admission-interval must be an integer number of steps, not 2.5",
        ),
        (
            "--workload dpo --reference-model Lama-3.1-8B",
            "Llama-3.1-8B",
        ),
    ] {
        let model = if line.contains("--model ") {
            ""
        } else {
            "--model Llama-3.1-8B"
        };
        let run = sky_line(&format!("fit H100:80GB:x8 {model} {line}")).run();
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{line}");
        assert!(run.stderr.contains(words), "{line}: {}", run.stderr);
    }
    assert_eq!(fit_code("H100:x0.5 --nodes 2 --model Llama-3.1-8B"), 2);
    let answer = sky(["fit", "-"])
        .stdin("{\"spec\":\"H100\",\"model\":\"Qwen3-8B\",\"nodes\":1.5}\n")
        .run();
    assert!(answer.stdout.contains("`nodes`"));
}

#[test]
fn generation_has_a_separate_limit() {
    let line = "H100:80GB --model Llama-3.1-8B --workload grpo --lora-rank 8";
    assert_eq!(fit(line)["fits"], true);
    // The weights alone exceed the memory of the serving engine, although training fits.
    let narrow = fit(&format!("{line} --gpu-memory-utilization 0.1"));
    assert_eq!(narrow["fits"], false);
    assert!(gib(&narrow, "high") < gib(&narrow, "usable"));
    assert_eq!(fit_code(&format!("{line} --gpu-memory-utilization 0.1")), 1);
}
