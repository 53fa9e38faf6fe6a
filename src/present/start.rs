//! The command that starts a serving engine or a training.

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
