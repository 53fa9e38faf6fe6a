//! Layouts in the words of the tools that make them.

use std::fmt::Write as _;

use super::chip::Chip;
use super::pack::PackedGpus;
use super::place::{Instance, counted};

/// `nvidia-smi` commands that make the instances of one GPU, each with its compute instance.
/// Starts are explicit: the driver's own choice is not documented. A GPU that is cut already is in
/// MIG mode.
pub fn nvidia_smi(chip: &Chip<'_>, gpu: u32, instances: &[Instance], is_cut: bool) -> Vec<String> {
    let mut commands = Vec::new();
    if !is_cut {
        commands.push(format!("nvidia-smi -i {gpu} -mig 1"));
    }
    if instances.is_empty() {
        return commands;
    }
    let one = |instance: &Instance| {
        let kind = &chip.kinds[instance.kind];
        let profile = kind
            .profile
            .id
            .map_or_else(|| kind.name.to_owned(), |id| id.to_string());
        match instance.start {
            Some(start) => format!("{profile}:{start}"),
            None => profile,
        }
    };
    let all: Vec<String> = instances.iter().map(one).collect();
    commands.push(format!("nvidia-smi mig -i {gpu} -cgi {} -C", all.join(",")));
    commands
}

/// Commands that take everything off a GPU again, in the order that it takes.
pub fn nvidia_smi_undo(gpu: u32) -> [String; 3] {
    [
        format!("nvidia-smi mig -i {gpu} -dci"),
        format!("nvidia-smi mig -i {gpu} -dgi"),
        format!("nvidia-smi -i {gpu} -mig 0"),
    ]
}

/// A configuration for `nvidia-mig-parted`. It counts instances and places them itself.
pub fn mig_parted(chip: &Chip<'_>, groups: &[PackedGpus]) -> String {
    let mut text = String::from("version: v1\nmig-configs:\n  sky-accel:\n");
    let mut first = 0;
    for group in groups {
        let devices: Vec<String> = (first..first + group.gpus)
            .map(|gpu| gpu.to_string())
            .collect();
        first += group.gpus;
        let _ = writeln!(text, "    - devices: [{}]", devices.join(", "));
        text.push_str("      mig-enabled: true\n      mig-devices:\n");
        for (kind, count) in chip.kinds.iter().zip(counted(chip, &group.instances)) {
            if count > 0 {
                let _ = writeln!(text, "        \"{}\": {count}", kind.name);
            }
        }
    }
    text
}
