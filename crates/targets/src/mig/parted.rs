//! Configurations of `nvidia-mig-parted`.

use sky_accel_core::mig::targets::Layout;

use super::machine::{layout, lost};
use crate::job::Handover;
use crate::target::{Descriptor, Fallback};
use crate::write::{self, Yaml};
use crate::{Rendered, Step, Unsupported};

/// A configuration of `nvidia-mig-parted` that creates the MIG slices.
pub(crate) const TARGET: Descriptor = Descriptor {
    step: Step::Partition,
    fallback: Fallback::External,
    ..Descriptor::new(
        "mig-parted",
        "a configuration that partitions the GPUs",
        render,
    )
};

/// Writes `mig-parted.yaml` for the first candidate.
pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), Unsupported> {
    out.file("mig-parted.yaml", mig_parted(&layout(handover)?));
    lost(handover, out);
    Ok(())
}

/// Returns a YAML file for `nvidia-mig-parted` with two configurations: one creates the slices, the
/// other removes them. The tool places the instances itself. It clears a GPU first, so slices that
/// already exist are listed too.
pub fn mig_parted(layout: &Layout<'_, '_>) -> String {
    write::yaml_styled(&document(layout))
}

/// The number of slices by profile.
type SliceCounts = Vec<(String, u32)>;

/// Writes the two configurations.
fn document(layout: &Layout<'_, '_>) -> Yaml {
    // Consecutive GPUs with the same slices share an entry.
    let mut entries: Vec<(Vec<u32>, SliceCounts)> = Vec::new();
    for gpu in layout.gpus {
        let devices = layout.devices(gpu);
        match entries.last_mut().filter(|(_, last)| *last == devices) {
            Some((gpus, _)) => gpus.push(gpu.index),
            None => entries.push((vec![gpu.index], devices)),
        }
    }
    let numbers = |gpus: &[u32]| Yaml::Flow(gpus.iter().copied().map(Yaml::Number).collect());
    let cut = entries.iter().map(|(gpus, devices)| {
        let devices = devices.iter();
        let devices = devices.map(|(name, n)| (&name[..], Yaml::Number(*n)));
        Yaml::map([
            ("devices", numbers(gpus)),
            ("mig-enabled", Yaml::Bool(true)),
            ("mig-devices", Yaml::map(devices)),
        ])
    });
    let gpus: Vec<u32> = layout.gpus.iter().map(|gpu| gpu.index).collect();
    let disabled = Yaml::map([
        ("devices", numbers(&gpus)),
        ("mig-enabled", Yaml::Bool(false)),
    ]);
    Yaml::map([
        ("version", Yaml::text("v1")),
        (
            "mig-configs",
            Yaml::map([
                ("sky-accel", Yaml::List(cut.collect())),
                ("all-disabled", Yaml::List(vec![disabled])),
            ]),
        ),
    ])
}
