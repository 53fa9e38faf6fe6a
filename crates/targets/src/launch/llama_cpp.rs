//! `llama-server`.

use sky_accel_core::sizing::CacheFormat;

use super::{Checkpoint, Command, Launch, Line};

/// More layers than any model has: all of them.
const ALL_LAYERS: u32 = 999;

/// It runs on one machine, and has no replicas.
pub fn command(launch: &Launch<'_>) -> Option<Command> {
    let (run, layout) = (launch.run, launch.layout);
    if launch.nodes > 1 || layout.data > 1 {
        return None;
    }
    let mut line = Line::new("llama-server");
    let model = line.checkpoint(&launch.checkpoint);
    let is_file = !matches!(launch.checkpoint, Checkpoint::Named(_));
    let sequences = run.batch.max(1.0) as u64;
    line.option(if is_file { "-m" } else { "-hf" }, model)
        .option("-ngl", run.gpu_layers.unwrap_or(ALL_LAYERS))
        .option("-c", launch.tokens() * sequences);
    if sequences > 1 {
        line.option("-np", sequences);
    }
    if layout.tensor > 1 {
        line.option("-sm", "row");
    }
    if matches!(run.cache, CacheFormat::Q8_0 | CacheFormat::Q4_0) {
        line.option("-ctk", run.cache).option("-ctv", run.cache);
        // A cache in blocks needs fused attention.
        line.option("-fa", "on");
    }
    if let Some(yarn) = launch.yarn {
        line.option("--rope-scaling", "yarn")
            .option("--rope-scale", yarn.factor)
            .option("--yarn-orig-ctx", yarn.original_context);
    }
    Some(line.finish())
}
