//! Snapshots of the commands that start serving engines and trainings.
//!
//! `INSTA_UPDATE=always cargo test -p sky-accel-targets` writes the snapshots again.

use std::fmt::Write as _;

use sky_accel_core::sizing::{
    CacheFormat, Checkpointing, Layout, Offload, Optimizer, Run, ServingEngine, WeightFormat,
    Workload,
};
use sky_accel_targets::Target;
use sky_accel_targets::launch::{Checkpoint, Launch, PassLimits, Recipe, Stretch, command};

fn layout(tensor: u32, pipeline: u32, data: u32, expert: u32) -> Layout {
    Layout {
        tensor,
        pipeline,
        data,
        expert,
        ..Layout::default()
    }
}

fn launch<'l>(run: &'l Run, layout: &'l Layout, nodes: u32) -> Launch<'l> {
    Launch {
        run,
        layout,
        nodes,
        longest: run.sequence() as u64,
        batch_job: None,
        checkpoint: Checkpoint::Named("org/a model".to_owned()),
        quantize: None,
        static_share: Some(0.8769),
        is_mixture: false,
        yarn: None,
        is_half: false,
        recipe: Recipe::default(),
    }
}

/// Adds the command of a launch, with the variables that the user sets.
fn add(text: &mut String, title: &str, launch: &Launch<'_>) {
    let Some(command) = command(launch) else {
        let _ = writeln!(text, "{title}: no command");
        return;
    };
    let _ = writeln!(text, "{title}: {}", command.text);
    for (name, meaning) in &command.variables {
        let _ = writeln!(text, "    {name}: {meaning}");
    }
}

fn assert_snapshot(name: &str, text: &str) {
    // One option per line, so that a change of an option is a change of a line.
    let text = text.replace(" --", "\n    --");
    insta::with_settings!({
        snapshot_path => "snapshots/launch",
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, { insta::assert_snapshot!(name, text) });
}

#[test]
fn other_trainers_have_commands_of_their_own() {
    let mut run = Run::new(Workload::Lora, WeightFormat::plain(16.0));
    let layout = layout(1, 1, 1, 1);
    assert!(command(&launch(&run, &layout, 1)).is_some());
    for engine in [
        ServingEngine::Litgpt,
        ServingEngine::Torchtune,
        ServingEngine::Axolotl,
    ] {
        run.engine = engine;
        assert!(command(&launch(&run, &layout, 1)).is_none());
    }
}

#[test]
fn starts_serving_engines() {
    let mut text = String::new();
    for engine in [
        ServingEngine::Vllm,
        ServingEngine::Sglang,
        ServingEngine::TensorRtLlm,
        ServingEngine::LlamaCpp,
        ServingEngine::Transformers,
    ] {
        let mut run = Run::new(Workload::Inference, WeightFormat::plain(16.0));
        run.engine = engine;
        let _ = writeln!(text, "=== {engine}");
        for (title, layout, nodes) in [
            ("one device", layout(1, 1, 1, 1), 1),
            ("tensor", layout(8, 1, 1, 1), 1),
            ("two machines", layout(8, 2, 1, 1), 2),
            ("replicas", layout(2, 1, 4, 1), 1),
            ("replicas on two machines", layout(4, 1, 4, 1), 2),
            ("experts within a server", layout(8, 1, 1, 8), 1),
            ("experts over replicas", layout(1, 1, 8, 8), 1),
            ("partly shared experts", layout(1, 1, 8, 4), 1),
        ] {
            add(&mut text, title, &launch(&run, &layout, nodes));
        }
        let (single, servers) = (layout(1, 1, 1, 1), layout(2, 1, 4, 1));
        let mixture = Launch {
            is_mixture: true,
            ..launch(&run, &servers, 1)
        };
        add(&mut text, "mixture in replicas", &mixture);
        let special = Launch {
            checkpoint: Checkpoint::Missing("a checkpoint of X \"in\" $awq".to_owned()),
            quantize: Some("nf4"),
            yarn: Some(Stretch {
                factor: 2.0,
                original_context: 4096,
                rope_theta: 10_000,
            }),
            is_half: true,
            ..launch(&run, &single, 1)
        };
        add(&mut text, "quantized and stretched", &special);
        for cache in [CacheFormat::Fp8, CacheFormat::Q8_0, CacheFormat::Int8] {
            let mut cached = run;
            cached.cache = cache;
            cached.batch = 4.0;
            add(&mut text, cache.word(), &launch(&cached, &single, 1));
        }
        run.admission_interval = Some(4.0);
        run.max_batched_tokens = Some(512.0);
        add(&mut text, "scheduling", &launch(&run, &single, 1));
    }
    assert_snapshot("serving", &text);
}

#[test]
fn jobs_of_vllm_read_a_file_and_end() {
    let run = Run::new(Workload::Inference, WeightFormat::plain(16.0));
    let layout = layout(2, 1, 4, 1);
    let job = |run, nodes, is_mixture| {
        let batch_job = Some(PassLimits {
            sequences: 1024.0,
            tokens: 8192.0,
        });
        command(&Launch {
            batch_job,
            is_mixture,
            ..launch(run, &layout, nodes)
        })
        .unwrap()
    };
    let on_one = job(&run, 1, false);
    assert!(on_one.ends);
    insta::assert_snapshot!(on_one.text.replace(" --", "\n    --"));
    let in_parts = job(&run, 1, true);
    assert!(in_parts.ends);
    insta::assert_snapshot!(in_parts.text.replace(" --", "\n    --"));
    // Several machines, and other engines, cannot read one file.
    let sglang = Run {
        engine: ServingEngine::Sglang,
        ..run
    };
    for other in [job(&run, 2, false), job(&sglang, 1, false)] {
        assert!(!other.ends, "{}", other.text);
    }
}

#[test]
fn a_maximum_number_of_sequences_is_an_option_of_each_engine() {
    let single = Layout::default();
    for (engine, option) in [
        (ServingEngine::Vllm, "--max-num-seqs 48"),
        (ServingEngine::Sglang, "--max-running-requests 48"),
        (ServingEngine::TensorRtLlm, "--max_batch_size 48"),
    ] {
        let mut run = Run::new(Workload::Inference, WeightFormat::plain(16.0));
        run.engine = engine;
        run.max_sequences = Some(48.0);
        let text = command(&launch(&run, &single, 1)).unwrap().text;
        assert!(text.contains(option), "{text}");
    }
}

#[test]
fn a_stated_number_of_batched_tokens_is_an_option() {
    let single = Layout::default();
    let text = |tokens| {
        let mut run = Run::new(Workload::Inference, WeightFormat::plain(16.0));
        run.engine = ServingEngine::Vllm;
        run.max_batched_tokens = tokens;
        command(&launch(&run, &single, 1)).unwrap().text
    };
    assert!(!text(None).contains("--max-num-batched-tokens"));
    assert!(text(Some(512.0)).contains("--max-num-batched-tokens 512"));
}

#[test]
fn starts_trainings() {
    let mut text = String::new();
    for workload in [Workload::Lora, Workload::Full, Workload::Pretrain] {
        let base = Run::new(workload, WeightFormat::plain(16.0));
        let _ = writeln!(text, "=== {workload}");
        let sharded = |zero_stage, shard_groups| Layout {
            data: 8,
            zero_stage,
            shard_groups,
            ..Layout::default()
        };
        for (title, layout, nodes) in [
            ("one device", layout(1, 1, 1, 1), 1),
            ("replicas", sharded(0, 1), 1),
            ("stage 2", sharded(2, 1), 2),
            ("stage 3 in groups", sharded(3, 2), 1),
            ("tensor", layout(4, 1, 2, 1), 1),
            ("pipeline", layout(2, 4, 2, 1), 2),
            ("experts", layout(2, 1, 4, 8), 1),
        ] {
            add(&mut text, title, &launch(&base, &layout, nodes));
        }
        let (single, staged) = (layout(1, 1, 1, 1), layout(1, 2, 2, 1));
        for offload in [Offload::Optimizer, Offload::All] {
            let mut run = base;
            run.offload = offload;
            add(&mut text, offload.word(), &launch(&run, &single, 1));
            add(&mut text, offload.word(), &launch(&run, &staged, 1));
        }
        for optimizer in [Optimizer::Sgd, Optimizer::Muon, Optimizer::Adafactor] {
            let mut run = base;
            run.optimizer = optimizer;
            run.checkpointing = Checkpointing::Full;
            run.virtual_pipeline = 2.0;
            run.compile = true;
            add(&mut text, optimizer.word(), &launch(&run, &staged, 1));
            add(&mut text, optimizer.word(), &launch(&run, &single, 1));
        }
    }
    assert_snapshot("training", &text);
}

#[test]
fn targets_set_the_variables_of_the_rendezvous() {
    let mut run = Run::new(Workload::Inference, WeightFormat::plain(16.0));
    run.engine = ServingEngine::Sglang;
    let layout = layout(8, 2, 1, 1);
    let command = command(&launch(&run, &layout, 2)).unwrap();
    let mut text = String::new();
    for target in Target::ALL {
        let met = command.clone().met_by(target.descriptor().rendezvous);
        if met != command {
            let names: Vec<&str> = met.variables.iter().map(|(name, _)| *name).collect();
            let first = met.text.lines().next().unwrap_or_default();
            let _ = writeln!(text, "{}: {first} {names:?}", target.name());
        }
    }
    assert_snapshot("rendezvous", &text);
    assert_eq!(command.clone().met_by(None), command);
}
