//! Explains why slices cannot be placed.

use sky_accel_core::mig::{Chip, Instance, Refusal};
use sky_accel_core::text::{counted, list_and};

use super::notation::at;

/// The reason as a phrase.
pub(super) fn why(chip: &Chip<'_>, refusal: Refusal, existing: &[Instance]) -> String {
    let takes = if existing.is_empty() {
        "it needs"
    } else {
        "together with the existing instances it needs"
    };
    match refusal {
        Refusal::MediaTwice => {
            "only one slice per GPU can have extra media engines (+me)".to_owned()
        }
        Refusal::AllMedia => {
            "a slice with +me.all uses all media engines, so all other slices must be -me"
                .to_owned()
        }
        Refusal::Graphics { with, max } => {
            let condition = if with {
                "with graphics (+gfx)"
            } else {
                "without graphics"
            };
            format!(
                "the GPU supports at most {} {condition}",
                counted(max, "slice")
            )
        }
        Refusal::TooMany { kind, max } => {
            let name = chip.kinds[kind].name;
            let times = if max == 1 {
                "once"
            } else {
                &format!("{max} times")
            };
            format!("{name} fits at most {times} on one GPU")
        }
        Refusal::Compute { wanted, has } => {
            let slices = counted(wanted, "compute slice");
            format!("{takes} {slices}, and the GPU has {has}")
        }
        Refusal::Memory { wanted, has } => {
            let slices = counted(wanted, "memory slice");
            format!("{takes} {slices}, and the GPU has {has}")
        }
        Refusal::Engines { what, wanted, has } => {
            format!("{takes} {wanted} {what}, and the GPU has {has}")
        }
        Refusal::Blocked if existing.is_empty() => {
            "all possible positions of its slices overlap".to_owned()
        }
        Refusal::Blocked => {
            let blocking: Vec<String> =
                existing.iter().map(|instance| at(chip, instance)).collect();
            let blocking: Vec<&str> = blocking.iter().map(String::as_str).collect();
            let block = if blocking.len() == 1 {
                "blocks"
            } else {
                "block"
            };
            format!(
                "enough units are free, but {} {block} every possible start",
                list_and(&blocking)
            )
        }
    }
}
