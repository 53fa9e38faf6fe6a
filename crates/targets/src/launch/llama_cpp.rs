//! `llama-server`.

use sky_accel_core::sizing::CacheFormat;

use super::line::{Checkpoint, Command, CommandLine, Launch};

/// A number above the layers of any model, which llama.cpp reads as all layers.
const ALL_LAYERS: u32 = 999;

/// Returns the command. `llama-server` runs on one machine and has no replicas.
pub fn command(launch: &Launch<'_>) -> Option<Command> {
    let (run, layout) = (launch.run, launch.layout);
    // It divides either layers or matrices between devices.
    let is_mixed = layout.tensor > 1 && layout.pipeline > 1;
    if launch.nodes > 1 || layout.data > 1 || is_mixed {
        return None;
    }
    let mut line = CommandLine::new("llama-server");
    let model = line.checkpoint(&launch.checkpoint);
    let is_file = !matches!(launch.checkpoint, Checkpoint::Named(_));
    // Each user has a slot.
    let sequences = run.slots() as u64;
    line.option(if is_file { "-m" } else { "-hf" }, model)
        .option("-ngl", run.gpu_layers.unwrap_or(ALL_LAYERS))
        .slots("-c", launch.longest, sequences);
    if let Some(layers) = run.cpu_expert_layers {
        line.option("--n-cpu-moe", layers);
    }
    if sequences > 1 {
        line.option("-np", sequences);
    }
    if layout.tensor > 1 {
        line.option("-sm", "row");
    }
    if matches!(run.cache, CacheFormat::Q8_0 | CacheFormat::Q4_0) {
        line.option("-ctk", run.cache).option("-ctv", run.cache);
        // llama.cpp requires flash attention for a quantized V cache.
        line.option("-fa", "on");
    }
    if let Some(yarn) = launch.yarn {
        line.option("--rope-scaling", "yarn")
            .option("--rope-scale", yarn.factor)
            .option("--yarn-orig-ctx", yarn.original_context);
    }
    Some(line.finish())
}
