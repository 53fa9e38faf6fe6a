//! `accelerate launch` for data, tensor and context parallel training, and `torchrun` with the options
//! of Megatron-LM for pipeline and expert parallel training.

use sky_accel_core::sizing::{Checkpointing, Offload, Optimizer, Workload};

use super::line::{Command, CommandLine, Launch, PORT};

/// Returns the command.
pub fn command(launch: &Launch<'_>) -> Option<Command> {
    let (run, layout) = (launch.run, launch.layout);
    // Trainers other than transformers have separate commands.
    if run.engine.only_trains() {
        return None;
    }
    if layout.pipeline > 1 || layout.expert > 1 {
        megatron_has(launch).then(|| megatron(launch))
    } else {
        // Accelerate supports FP8 but not 4-bit training.
        (run.adapters || run.weights.compute_bits >= 8.0).then(|| accelerate(launch))
    }
}

/// Returns the command for Accelerate.
fn accelerate(launch: &Launch<'_>) -> Command {
    let (run, layout) = (launch.run, launch.layout);
    let mut line = CommandLine::new("accelerate launch");
    line.option("--num_machines", launch.nodes)
        .option("--num_processes", layout.devices());
    if launch.nodes > 1 {
        let (rank, address) = (line.node_rank(), line.master_address());
        line.option("--machine_rank", rank)
            .option("--main_process_ip", address)
            .option("--main_process_port", PORT);
    }
    let precision = if run.weights.compute_bits < 16.0 && !run.adapters {
        "fp8"
    } else {
        precision(launch)
    };
    line.option("--mixed_precision", precision)
        .option(
            "--dynamo_backend",
            if run.compile { "inductor" } else { "no" },
        )
        .option(
            "--gradient_accumulation_steps",
            run.accumulation(layout) as u64,
        );
    sharding(launch, &mut line);
    let script = line.variable("SCRIPT", "the training script");
    line.word(&script);
    line.finish()
}

/// Returns the precision of matrix products.
fn precision(launch: &Launch<'_>) -> &'static str {
    if launch.run.weights.bits >= 32.0 {
        "no"
    } else if launch.is_half {
        "fp16"
    } else {
        "bf16"
    }
}

/// Returns whether Megatron-LM has options for all settings of a run. It does not train adapters, and
/// it offloads only the optimizer state.
fn megatron_has(launch: &Launch<'_>) -> bool {
    let (run, layout) = (launch.run, launch.layout);
    let is_replicated = layout.zero_stage == 0 && run.offload == Offload::None;
    let has_optimizer = match run.optimizer {
        Optimizer::AdamW => true,
        // Megatron-LM does not shard or offload the state of these optimizers.
        Optimizer::Sgd => is_replicated,
        Optimizer::Muon => is_replicated && !launch.is_half,
        Optimizer::AdamW8Bit | Optimizer::Adafactor => false,
    };
    let offloads = match run.offload {
        Offload::None => true,
        Offload::Optimizer => layout.zero_stage < 2,
        Offload::All => false,
    };
    has_optimizer
        && offloads
        && !run.adapters
        && !run.optimizer_in_backward
        && layout.shard_groups <= 1
}

/// Adds the options for sharded and offloaded state.
fn sharding(launch: &Launch<'_>, line: &mut CommandLine) {
    let (run, layout) = (launch.run, launch.layout);
    let is_split = layout.tensor > 1 || layout.context > 1;
    let groups = layout.shard_groups.max(1);
    if run.offload != Offload::None && !is_split {
        // DeepSpeed offloads sharded state only: optimizer state from stage 2 and weights in stage 3. On
        // one device there is a single shard.
        let min_stage = if run.offload == Offload::All { 3 } else { 2 };
        line.word("--use_deepspeed")
            .option("--zero_stage", layout.zero_stage.max(min_stage))
            .option("--offload_optimizer_device", "cpu");
        if run.offload == Offload::All {
            line.option("--offload_param_device", "cpu");
        }
    } else if is_split || layout.zero_stage == 3 {
        line.word("--use_fsdp").option("--fsdp_version", 2);
        line.option("--fsdp_reshard_after_forward", layout.zero_stage == 3);
        if is_split || groups > 1 {
            line.word("--use_parallelism_config")
                .degree("--parallelism_config_tp_size", layout.tensor)
                .degree("--parallelism_config_cp_size", layout.context)
                .degree("--parallelism_config_dp_replicate_size", groups)
                .degree("--parallelism_config_dp_shard_size", layout.data / groups);
        }
    } else if layout.zero_stage > 0 {
        line.word("--use_deepspeed")
            .option("--zero_stage", layout.zero_stage);
    } else {
        line.flag("--multi_gpu", layout.devices() > 1);
    }
}

/// Returns the command for Megatron-LM.
fn megatron(launch: &Launch<'_>) -> Command {
    let (run, layout) = (launch.run, launch.layout);
    // Without sharded weights, Megatron-LM needs a single device queue to overlap communication of
    // tensor and context parallelism in the right order.
    let is_ordered = layout.zero_stage < 2 && (layout.tensor > 1 || layout.context > 1);
    let mut line = CommandLine::new(if is_ordered {
        "CUDA_DEVICE_MAX_CONNECTIONS=1 torchrun"
    } else {
        "torchrun"
    });
    line.option("--nnodes", launch.nodes)
        .option("--nproc-per-node", launch.devices());
    if launch.nodes > 1 {
        let (rank, address) = (line.node_rank(), line.master_address());
        line.option("--node-rank", rank)
            .option("--master-addr", address)
            .option("--master-port", PORT);
    }
    let script = line.variable("SCRIPT", "a training script of Megatron-LM");
    line.word(&script)
        .option("--tensor-model-parallel-size", layout.tensor)
        .option("--pipeline-model-parallel-size", layout.pipeline)
        .degree("--context-parallel-size", layout.context)
        .degree("--expert-model-parallel-size", layout.expert)
        .flag(
            "--expert-tensor-parallel-size 1",
            layout.expert > 1 && layout.tensor > 1,
        )
        .option("--micro-batch-size", run.batch as u64)
        .option(
            "--global-batch-size",
            (run.batch * f64::from(layout.data) * run.accumulation(layout)) as u64,
        )
        .option("--seq-length", launch.tokens())
        .flag("--bf16", precision(launch) == "bf16")
        .flag("--fp16", precision(launch) == "fp16")
        .flag(
            "--use-distributed-optimizer",
            layout.zero_stage > 0 || run.offload == Offload::Optimizer,
        )
        .flag("--sequence-parallel", layout.tensor > 1)
        .flag("--finetune", run.workload != Workload::Pretrain);
    if layout.zero_stage > 1 {
        let strategy = if layout.zero_stage > 2 {
            "optim_grads_params"
        } else {
            "optim_grads"
        };
        line.word("--use-megatron-fsdp --ckpt-format fsdp_dtensor")
            .option("--data-parallel-sharding-strategy", strategy);
    }
    if run.virtual_pipeline > 1.0 {
        line.option(
            "--num-virtual-stages-per-pipeline-rank",
            run.virtual_pipeline,
        );
    }
    match run.checkpointing {
        Checkpointing::None => {}
        Checkpointing::Selective => {
            line.option("--recompute-granularity", "selective");
        }
        Checkpointing::Full => {
            line.option("--recompute-granularity", "full")
                .option("--recompute-method", "uniform")
                .option("--recompute-num-layers", 1);
        }
    }
    match run.weights.compute_bits {
        bits if bits < 8.0 => {
            line.option("--fp4-format", "e2m1");
        }
        bits if bits < 16.0 => {
            line.option("--fp8-format", "hybrid");
        }
        _ => {}
    }
    match run.optimizer {
        Optimizer::Sgd | Optimizer::Muon => {
            line.option("--optimizer", run.optimizer);
        }
        _ => {}
    }
    line.flag(
        "--optimizer-cpu-offload --use-precision-aware-optimizer",
        run.offload == Offload::Optimizer,
    );
    line.finish()
}
