//! The command that starts a serving engine or a training with a model, in the computed layout.
//!
//! A command is a line for a POSIX shell, the same on every machine. A value that only the user knows
//! is a shell variable in the form `${NAME:?meaning}`, so that a command without it fails at once with
//! a clear message.

mod line;
mod llama_cpp;
mod sglang;
mod tensorrt_llm;
mod training;
mod vllm;

use sky_accel_core::sizing::ServingEngine;

pub use line::{Checkpoint, Command, Launch, PassLimits, Recipe, Stretch};

/// Returns the command of a launch; `None` if the serving engine or trainer does not support the layout
/// or a setting. No setting is dropped silently, because it would change the memory and the speed.
pub fn command(launch: &Launch<'_>) -> Option<Command> {
    let run = launch.run;
    if run.rollouts.is_some() {
        return None;
    }
    if run.workload.is_training() {
        return training::command(launch);
    }
    let is_disaggregated = run.load.is_some_and(|load| load.is_disaggregated);
    let layout = launch.layout;
    // Serving engines distribute experts over all data-parallel ranks of a server or over none.
    let is_partial = layout.expert > layout.tensor && layout.expert != layout.tensor * layout.data;
    let has_options =
        layout.context == 1 && run.speculation.is_none() && run.engine.has_cache(run.cache);
    if is_disaggregated || is_partial || !has_options {
        return None;
    }
    match run.engine {
        ServingEngine::Vllm => vllm::command(launch),
        ServingEngine::Sglang => sglang::command(launch),
        ServingEngine::TensorRtLlm => tensorrt_llm::command(launch),
        ServingEngine::LlamaCpp => llama_cpp::command(launch),
        _ => None,
    }
}
