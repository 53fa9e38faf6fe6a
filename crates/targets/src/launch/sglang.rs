//! `sglang.launch_server`.

use sky_accel_core::sizing::CacheFormat;

use serde_json::json;

use super::line::{Command, CommandLine, Launch, PORT};
use crate::write;

/// Returns the command.
pub fn command(launch: &Launch<'_>) -> Option<Command> {
    let (run, layout) = (launch.run, launch.layout);
    let mut line = CommandLine::new(&format!(
        "{}python3 -m sglang.launch_server",
        launch.recipe.assignments()
    ));
    let model = line.checkpoint(&launch.checkpoint);
    line.option("--model-path", model);
    if layout.expert > layout.tensor {
        // Attention runs in data-parallel ranks and the experts are distributed over all of them. SGLang
        // counts all ranks as tensor-parallel.
        line.option("--tp-size", layout.tensor * layout.data)
            .option("--dp-size", layout.data)
            .option("--ep-size", layout.expert)
            .word("--enable-dp-attention");
    } else {
        // Replicas on several machines would be separate servers, which need a router.
        if launch.nodes > 1 && layout.data > 1 {
            return None;
        }
        line.degree("--tp-size", layout.tensor)
            .degree("--dp-size", layout.data)
            .degree("--ep-size", layout.expert);
    }
    line.degree("--pp-size", layout.pipeline);
    if launch.nodes > 1 {
        let (rank, address) = (line.node_rank(), line.master_address());
        line.option("--nnodes", launch.nodes)
            .option("--node-rank", rank)
            .option("--dist-init-addr", format!("{address}:{PORT}"));
    }
    // Rounded down to three digits: activations need the rest of the memory.
    let share = launch.static_share?;
    line.longest("--context-length", launch.longest)
        .option("--mem-fraction-static", (share * 1e3).floor() / 1e3);
    if let Some(most) = run.max_sequences {
        line.option("--max-running-requests", most);
    }
    if let Some(format) = launch.quantize {
        let method = if format == "nf4" {
            "bitsandbytes"
        } else {
            format
        };
        line.option("--quantization", method);
    }
    if run.cache == CacheFormat::Fp8 {
        line.option("--kv-cache-dtype", "fp8_e4m3");
    }
    if let Some(interval) = run.admission_interval.filter(|interval| *interval >= 1.0) {
        line.option("--scheduler-recv-interval", interval);
    }
    if let Some(yarn) = launch.yarn {
        let parameters = json!({ "rope_scaling": {
            "rope_type": "yarn",
            "factor": yarn.factor,
            "original_max_position_embeddings": yarn.original_context,
        }});
        line.option(
            "--json-model-override-args",
            write::shell(&parameters.to_string()),
        );
    }
    if launch.is_half {
        line.option("--dtype", "half");
    }
    line.recipe(&launch.recipe);
    Some(line.finish())
}
