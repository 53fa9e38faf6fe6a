//! `vllm serve`, and `vllm run-batch` for jobs.

use sky_accel_core::sizing::{CacheFormat, Engine};

use serde_json::json;

use super::line::{Command, CommandLine, Launch, Recipe};
use crate::write;

/// The port of the first server. Further servers on the machine use the ports after it.
const FIRST_PORT: u16 = 8000;

/// Returns the command.
pub fn command(launch: &Launch<'_>) -> Option<Command> {
    let (run, layout) = (launch.run, launch.layout);
    // vLLM distributes experts over all data-parallel ranks of a server, so replicas with a full set of
    // experts must be separate servers.
    let are_servers = launch.is_mixture && layout.data > 1 && layout.expert <= layout.tensor;
    let devices_per_server = layout.tensor * layout.pipeline;
    if are_servers && !launch.devices().is_multiple_of(devices_per_server) {
        return None;
    }
    let servers = if are_servers {
        launch.devices() / devices_per_server
    } else {
        1
    };
    // The requests of one file cannot be divided among servers.
    let batch_job = launch
        .batch_job
        .filter(|_| launch.nodes == 1 && servers == 1);
    let assignments = launch.recipe.assignments();
    let mut line = CommandLine::new(&match batch_job {
        Some(_) => format!("{assignments}vllm run-batch"),
        None if servers > 1 => server_loop(servers, devices_per_server, &launch.recipe),
        None => format!("{assignments}vllm serve"),
    });
    line.command.ends = batch_job.is_some();
    if batch_job.is_some() {
        let input = line.variable(
            "INPUT",
            "the file or URL of the requests, in the format of the OpenAI Batch API",
        );
        let output = line.variable("OUTPUT", "the file or URL for the answers");
        line.option("--input-file", input)
            .option("--output-file", output)
            .word("--model");
    }
    let model = line.checkpoint(&launch.checkpoint);
    line.word(&model)
        .degree("--tensor-parallel-size", layout.tensor)
        .degree("--pipeline-parallel-size", layout.pipeline);
    if !are_servers {
        line.degree("--data-parallel-size", layout.data);
    }
    line.flag("--enable-expert-parallel", layout.expert > 1);
    if launch.nodes > 1 && !are_servers {
        several_machines(launch, &mut line);
    }
    line.longest("--max-model-len", launch.longest)
        .option("--gpu-memory-utilization", run.gpu_memory_utilization);
    // The defaults of jobs are lower than the defaults of servers.
    let tokens = batch_job.map(|limits| limits.tokens);
    if let Some(tokens) = run.max_batched_tokens.or(tokens) {
        line.option("--max-num-batched-tokens", tokens);
    }
    let sequences = batch_job.map(|limits| limits.sequences);
    if let Some(most) = run.max_sequences.or(sequences) {
        line.option("--max-num-seqs", most);
    }
    if let Some(format) = launch.quantize {
        line.option("--quantization", quantization(format));
    }
    if run.cache == CacheFormat::Fp8 {
        line.option("--kv-cache-dtype", run.cache);
    }
    if launch.is_half {
        line.option("--dtype", "half");
    }
    if let Some(yarn) = launch.yarn {
        let parameters = json!({ "rope_parameters": {
            "rope_type": "yarn",
            "rope_theta": yarn.rope_theta,
            "factor": yarn.factor,
            "original_max_position_embeddings": yarn.original_context,
        }});
        line.option("--hf-overrides", write::shell(&parameters.to_string()));
    }
    debug_assert_eq!(run.engine, Engine::Vllm);
    line.recipe(&launch.recipe);
    if servers > 1 {
        // If one server fails, the loop fails.
        line.option("--port", format!("$(({FIRST_PORT} + i)) & pids=\"$pids $!\"; done; for pid in $pids; do wait $pid || exit; done)"));
    }
    Some(line.finish())
}

/// Starts a shell loop over servers with `size` devices each.
fn server_loop(servers: u32, size: u32, recipe: &Recipe<'_>) -> String {
    let numbers: Vec<String> = (0..servers).map(|server| server.to_string()).collect();
    let device = |number: u32| match (size, number) {
        (1, _) => "$i".to_owned(),
        (_, 0) => format!("$((i * {size}))"),
        _ => format!("$((i * {size} + {number}))"),
    };
    let devices: Vec<String> = (0..size).map(device).collect();
    format!(
        "(pids=; for i in {}; do CUDA_VISIBLE_DEVICES={} {}vllm serve",
        numbers.join(" "),
        devices.join(","),
        recipe.assignments()
    )
}

/// Returns vLLM's method that quantizes to a format of the catalog while weights load.
fn quantization(format: &str) -> &str {
    match format {
        "nf4" => "bitsandbytes",
        format => format,
    }
}

/// Adds the options for several machines. Machine 0 serves the requests; the others run headless.
fn several_machines(launch: &Launch<'_>, line: &mut CommandLine) {
    let layout = launch.layout;
    let rank = line.node_rank();
    let address = line.master_address();
    let replica = layout.tensor * layout.pipeline;
    if layout.data > 1 && replica <= launch.devices() {
        let local = launch.devices() / replica;
        line.option("--data-parallel-size-local", local)
            .option("--data-parallel-address", &address)
            .option(
                "--data-parallel-start-rank",
                format!("$(({} * {local}))", rank.trim_matches('"')),
            );
    } else {
        line.option("--nnodes", launch.nodes)
            .option("--node-rank", &rank)
            .option("--master-addr", &address);
    }
    line.word(&format!("$([ {rank} = 0 ] || echo --headless)"));
}
