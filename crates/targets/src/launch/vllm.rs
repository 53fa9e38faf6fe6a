//! `vllm serve`, and `vllm run-batch` for jobs.

use sky_accel_core::sizing::{CacheFormat, Layout, ServingEngine};

use serde_json::json;

use super::line::{Command, CommandLine, Launch, PassLimits};
use crate::write;

/// The port of the first server. Further servers on the machine use the ports after it.
const FIRST_PORT: u16 = 8000;
/// The maximum number of parts of a file whose numbers have one digit.
const MOST_PARTS: u32 = 10;

/// Returns the command.
pub fn command(launch: &Launch<'_>) -> Option<Command> {
    let (run, layout) = (launch.run, launch.layout);
    // vLLM distributes experts over all data-parallel ranks of a server, so replicas with a full set of
    // experts must be separate servers.
    let are_servers = launch.is_mixture && layout.data > 1 && layout.expert <= layout.tensor;
    let devices_per_server = layout.tensor * layout.pipeline;
    let devices = launch.devices();
    // A server on several machines has the same command on each of them, as for one such server alone.
    let spans_machines = devices_per_server > devices;
    if are_servers && spans_machines {
        if !devices_per_server.is_multiple_of(devices) {
            return None;
        }
        let one = Layout { data: 1, ..*layout };
        return command(&Launch {
            layout: &one,
            nodes: devices_per_server / devices,
            ..launch.clone()
        });
    }
    if are_servers && !devices.is_multiple_of(devices_per_server) {
        return None;
    }
    let servers = if are_servers {
        devices / devices_per_server
    } else {
        1
    };
    let is_usable = launch.nodes == 1 && servers <= MOST_PARTS;
    let batch_job = launch.batch_job.filter(|_| is_usable);
    let program = match batch_job {
        Some(_) => "vllm run-batch",
        None => "vllm serve",
    };
    let program = format!("{}{program}", launch.recipe.assignments());
    let mut line = CommandLine::new("");
    let is_loop = servers > 1;
    let files = batch_job.map(|_| files(&mut line, servers));
    line.command.text = match &files {
        Some(files) => files.split.clone(),
        None => String::new(),
    };
    line.command.text += &if is_loop {
        server_loop(servers, devices_per_server, &program)
    } else {
        program
    };
    line.command.ends = batch_job.is_some();
    if let Some(files) = files {
        line.option("--input-file", files.input)
            .option("--output-file", files.output)
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
    engine_options(launch, batch_job, &mut line);
    debug_assert_eq!(run.engine, ServingEngine::Vllm);
    line.recipe(&launch.recipe);
    if is_loop && batch_job.is_none() {
        line.option("--port", format!("$(({FIRST_PORT} + i))"));
    }
    if is_loop {
        // If one process fails, the loop fails.
        line.word("& pids=\"$pids $!\"; done; for pid in $pids; do wait $pid || exit; done)");
    }
    Some(line.finish())
}

/// Adds the options of the engine: its limits, its formats and the length of its positions.
fn engine_options(launch: &Launch<'_>, batch_job: Option<PassLimits>, line: &mut CommandLine) {
    let run = launch.run;
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
}

/// The files of a job.
struct BatchFiles {
    /// The command that divides the requests among several processes; empty for one.
    split: String,
    input: String,
    output: String,
}

/// Declares the files of a job. Several processes read a part of the requests each, and write a file of answers each.
fn files(line: &mut CommandLine, processes: u32) -> BatchFiles {
    let format = "in the format of the OpenAI Batch API";
    if processes > 1 {
        let input = line.variable("INPUT", &format!("the file of the requests, {format}"));
        let output = line.variable("OUTPUT", "the start of the names of the files of answers");
        return BatchFiles {
            split: format!("split -n r/{processes} -d -a 1 {input} requests. && "),
            input: "requests.$i".to_owned(),
            output: format!("{output}.$i"),
        };
    }
    let input = format!("the file or URL of the requests, {format}");
    BatchFiles {
        split: String::new(),
        input: line.variable("INPUT", &input),
        output: line.variable("OUTPUT", "the file or URL for the answers"),
    }
}

/// Starts a shell loop over servers with `size` devices each.
fn server_loop(servers: u32, size: u32, program: &str) -> String {
    let numbers: Vec<String> = (0..servers).map(|server| server.to_string()).collect();
    let device = |number: u32| match (size, number) {
        (1, _) => "$i".to_owned(),
        (_, 0) => format!("$((i * {size}))"),
        _ => format!("$((i * {size} + {number}))"),
    };
    let devices: Vec<String> = (0..size).map(device).collect();
    format!(
        "(pids=; for i in {}; do CUDA_VISIBLE_DEVICES={} {program}",
        numbers.join(" "),
        devices.join(","),
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
