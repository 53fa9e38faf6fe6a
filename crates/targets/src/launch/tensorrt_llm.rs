//! `trtllm-serve`.

use sky_accel_core::sizing::CacheFormat;

use serde_json::{Map, Value, json};

use super::line::{Command, CommandLine, Launch};
use crate::write;

/// Returns the command. `trtllm-serve` starts one replica on one machine, because several machines need
/// a scheduler with MPI, and it has no option for YaRN.
pub fn command(launch: &Launch<'_>) -> Option<Command> {
    let (run, layout) = (launch.run, launch.layout);
    // Attention runs in data-parallel ranks and the experts are distributed over all of them.
    let shares_experts = layout.expert > layout.tensor;
    let is_one = launch.nodes == 1 && (layout.data == 1 || shares_experts);
    // TensorRT-LLM also delays admission until a number of tokens is waiting, which a run does not state.
    let has_interval = run.admission_interval.is_some();
    if !is_one || has_interval || launch.quantize.is_some() || launch.yarn.is_some() {
        return None;
    }
    let mut settings = Map::new();
    if shares_experts {
        settings.insert("enable_attention_dp".to_owned(), true.into());
    }
    if run.cache == CacheFormat::Fp8 {
        let cache = json!({
            "dtype": "fp8",
            "free_gpu_memory_fraction": run.gpu_memory_utilization,
        });
        settings.insert("kv_cache_config".to_owned(), cache);
    }
    let mut line = CommandLine::new("trtllm-serve");
    let has_settings = !settings.is_empty();
    if has_settings {
        // These settings have no command-line option. The file is YAML, of which JSON is a subset.
        let text = write::shell(&Value::Object(settings).to_string());
        line = CommandLine::new(&format!(
            "settings=$(mktemp) && echo {text} > \"$settings\" && trtllm-serve"
        ));
    }
    let model = line.checkpoint(&launch.checkpoint);
    let ranks = layout.tensor.max(layout.expert);
    line.word(&model)
        .degree("--tp_size", ranks)
        .degree("--pp_size", layout.pipeline)
        .degree("--ep_size", layout.expert)
        .longest("--max_seq_len", launch.longest)
        .option(
            "--kv_cache_free_gpu_memory_fraction",
            run.gpu_memory_utilization,
        );
    if let Some(most) = run.max_sequences {
        line.option("--max_batch_size", most);
    }
    line.recipe(&launch.recipe);
    if has_settings {
        line.option("--extra_llm_api_options", "\"$settings\"");
    }
    Some(line.finish())
}
