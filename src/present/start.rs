//! The command that starts a serving engine or a training.

use sky_accel_core::sizing::{ModelKind, Workload};
use sky_accel_core::text::grouped;
use sky_accel_engine::contract::LaunchOut;

use crate::render::Block;

/// Returns a command under a label such as `start command, for requests of up to 9,216 tokens`.
pub fn command(label: &str, launch: &LaunchOut) -> Block {
    let longest = launch.max_tokens;
    let longest =
        longest.map(|tokens| format!(", for requests of up to {} tokens", grouped(tokens.0)));
    Block::Command {
        label: format!("{label}{}", longest.unwrap_or_default()),
        command: launch.command.clone(),
    }
}

/// Returns the reason why a kind of work has no command on any device; `None` if it has.
pub fn none(workload: Workload, kind: ModelKind) -> Option<Block> {
    let why = match (workload, kind) {
        (Workload::Grpo, _) => "a configuration file starts trainers with rollouts",
        (_, ModelKind::Image | ModelKind::Video | ModelKind::Speech) => {
            "a script or a server of pipelines runs models of images, video and speech"
        }
        _ => return None,
    };
    Some(Block::Text(format!("no start command: {why}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_without_a_command_has_a_reason() {
        let has_reason = |workload, kind| none(workload, kind).is_some();
        assert!(has_reason(Workload::Grpo, ModelKind::Text));
        assert!(has_reason(Workload::Inference, ModelKind::Image));
        assert!(!has_reason(Workload::Lora, ModelKind::Text));
        assert!(!has_reason(Workload::Inference, ModelKind::Encoder));
    }
}
