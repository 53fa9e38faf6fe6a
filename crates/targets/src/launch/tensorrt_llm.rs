//! `trtllm-serve`.

use super::{Command, Launch, Line};

/// It starts one replica on one machine: several take a scheduler with MPI. It has no option that stretches positions.
pub fn command(launch: &Launch<'_>) -> Option<Command> {
    let (run, layout) = (launch.run, launch.layout);
    if launch.nodes > 1 || layout.data > 1 || launch.quantize.is_some() || launch.yarn.is_some() {
        return None;
    }
    let mut line = Line::new("trtllm-serve");
    let model = line.checkpoint(&launch.checkpoint);
    line.word(&model)
        .degree("--tp_size", layout.tensor)
        .degree("--pp_size", layout.pipeline)
        .degree("--ep_size", layout.expert)
        .option("--max_seq_len", launch.tokens())
        .option(
            "--kv_cache_free_gpu_memory_fraction",
            run.gpu_memory_utilization,
        );
    Some(line.finish())
}
