//! Configurations of `nvidia-mig-parted`.

use sky_accel_core::mig::targets::Layout;

use crate::write::{self, Yaml};

/// Returns a YAML file for `nvidia-mig-parted` with two configurations: one creates the slices, the
/// other removes them. The tool places the instances itself. It clears a GPU first, so slices that
/// already exist are listed too.
pub fn mig_parted(layout: &Layout<'_, '_>) -> String {
    write::yaml_styled(&document(layout))
}

/// Names of slices and how many of each.
type Devices = Vec<(String, u32)>;

fn document(layout: &Layout<'_, '_>) -> Yaml {
    // GPUs that are cut alike stand in one entry.
    let mut entries: Vec<(Vec<u32>, Devices)> = Vec::new();
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
