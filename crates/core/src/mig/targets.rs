//! Layouts of GPUs, and the names of slices in other tools.

use super::chip::Chip;
use super::layout::{Gpu, Slice};
use super::place::counted;
use crate::catalog::{AcceleratorId, Catalog, Geometry, Profile};

/// GPUs of one kind, with their slices.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'l, 'a> {
    /// The rules of the GPUs.
    pub chip: &'l Chip<'a>,
    /// The accelerators that the GPUs may be. All have the same profiles and starts.
    pub accelerators: &'l [AcceleratorId],
    /// The GPUs.
    pub gpus: &'l [Gpu],
}

/// The names of a profile in other tools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProfileNames<'a> {
    /// The Kubernetes resource with the device plugin's strategy `mixed`.
    pub kubernetes: String,
    /// The GPU operator's configuration that divides every GPU of a node into this profile.
    pub gpu_operator: String,
    /// The partition size of a GKE node pool; `None` when GKE does not know the profile.
    pub gke: Option<&'a str>,
    /// The GPU instance profile of an AKS node pool; `None` when AKS does not know the profile.
    pub aks: Option<String>,
    /// The GPU and the partition in the Flyte SDK; `None` when it does not know the profile.
    pub flyte: Option<(&'a str, &'a str)>,
}

/// Returns the names of a profile in other tools.
pub fn names<'a>(
    catalog: &Catalog<'a>,
    geometry: &Geometry,
    profile: &Profile,
) -> ProfileNames<'a> {
    let name = catalog.str(profile.name);
    let name_in = |tool: &str| {
        let words = catalog.said_by(geometry, tool)?;
        let is_known = catalog.strings(words.profiles).any(|known| known == name);
        is_known.then(|| catalog.str(words.name))
    };
    ProfileNames {
        kubernetes: format!("nvidia.com/mig-{}", dotted(name)),
        gpu_operator: format!("all-{}", dotted(name)),
        gke: name_in("gke").map(|_| name),
        aks: name_in("aks").map(|_| format!("MIG{}g", profile.compute_slices)),
        flyte: name_in("flyte").map(|gpu| (gpu, name)),
    }
}

/// Names in Kubernetes cannot contain `+`.
fn dotted(name: &str) -> String {
    name.replace('+', ".")
}

impl<'a> Layout<'_, 'a> {
    /// Returns the names of the new slices of all GPUs, with their numbers.
    pub fn slices(&self) -> Vec<(String, u32)> {
        let mut slices = Vec::new();
        for gpu in self.gpus {
            let made = Gpu {
                existing: Vec::new(),
                ..gpu.clone()
            };
            for (name, n) in self.devices(&made) {
                add(&mut slices, name, n);
            }
        }
        slices
    }

    /// Returns the slices of a GPU with their numbers once the layout is made, including existing
    /// slices. Compute instances are listed instead of the GPU instance that they divide.
    pub fn devices(&self, gpu: &Gpu) -> Vec<(String, u32)> {
        let mut devices = Vec::new();
        let mut instance_counts = counted(self.chip, &gpu.existing);
        for slice in gpu.slices.iter().filter(|slice| slice.parts.is_empty()) {
            instance_counts[slice.instance.kind] += 1;
        }
        for (kind, n) in self
            .chip
            .kinds
            .iter()
            .zip(instance_counts)
            .filter(|(_, n)| *n > 0)
        {
            add(&mut devices, kind.name.to_owned(), n);
        }
        for slice in &gpu.slices {
            for part in &slice.parts {
                add(&mut devices, self.compute_instance_name(slice, *part), 1);
            }
        }
        devices
    }

    /// Returns the name of a compute instance with `compute` compute slices: `1c.3g.40gb`.
    pub fn compute_instance_name(&self, slice: &Slice, compute: u8) -> String {
        format!("{compute}c.{}", self.chip.kinds[slice.instance.kind].name)
    }

    /// Returns the names of a profile in other tools; `kind` is its index in [`Chip::kinds`].
    pub fn profile_names(&self, kind: usize) -> ProfileNames<'a> {
        let profile = self.chip.kinds[kind].profile;
        names(&self.chip.catalog, &self.chip.geometry, &profile)
    }

    /// Returns the names of the GPU in NVIDIA's driver, one or more for each possible accelerator.
    pub fn products(&self) -> Vec<&'a str> {
        let catalog = self.chip.catalog;
        let accelerators = self.accelerators.iter();
        let spellings = accelerators.flat_map(|id| catalog.spellings_of(*id));
        spellings
            .filter(|spelling| catalog.str(spelling.dialect) == "nvidia-smi")
            .map(|spelling| catalog.str(spelling.text))
            .collect()
    }
}

/// Adds `n` to the count of a name.
fn add(counts: &mut Vec<(String, u32)>, name: String, n: u32) {
    match counts.iter_mut().find(|(known, _)| *known == name) {
        Some((_, count)) => *count += n,
        None => counts.push((name, n)),
    }
}
