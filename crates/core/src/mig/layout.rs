//! The layout of packed GPUs.

use super::chip::Chip;
use super::demand::{Cut, Demand};
use super::names::SliceList;
use super::pack::{Fleet, PackedGpus, pack};
use super::place::Instance;

/// A GPU with its slices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gpu {
    /// The index of the GPU.
    pub index: u32,
    /// The instances that already exist on it.
    pub existing: Vec<Instance>,
    /// The slices that are placed on it.
    pub slices: Vec<Slice>,
}

/// A GPU instance, with its compute instances if it has any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The profile of the instance and its place.
    pub instance: Instance,
    /// The compute slices of each compute instance; empty without compute instances.
    pub parts: Vec<u8>,
}

/// Lists packed GPUs one by one. The first instances of a profile get the compute instances.
pub fn gpus(groups: &[PackedGpus], cuts: &[Cut]) -> Vec<Gpu> {
    let mut cuts: Vec<(&Cut, u32)> = cuts.iter().map(|cut| (cut, cut.times)).collect();
    let mut slice = |instance: &Instance| {
        let cut = cuts
            .iter_mut()
            .find(|(cut, left)| cut.kind == instance.kind && *left > 0);
        let parts = cut.map(|(cut, left)| {
            *left -= 1;
            cut.parts.clone()
        });
        Slice {
            instance: *instance,
            parts: parts.unwrap_or_default(),
        }
    };
    let mut gpus = Vec::new();
    for group in groups {
        for index in &group.gpus {
            gpus.push(Gpu {
                index: *index,
                existing: group.existing.clone(),
                slices: group.instances.iter().map(&mut slice).collect(),
            });
        }
    }
    gpus
}
/// Returns GPUs with the slices of a list: as few GPUs as possible or, with `each`, this many GPUs
/// that each hold the whole list. `None` when a slice does not fit on any GPU.
pub fn cut_gpus(chip: &Chip<'_>, list: &SliceList, each: Option<u32>) -> Option<Vec<Gpu>> {
    let mut demand = Demand::new(chip, list)?;
    let mut packing = pack(chip, &demand.counts, &Fleet::default())?;
    if let Some(gpus) = each {
        for group in &mut packing.groups {
            group.gpus = (0..gpus).collect();
        }
        for cut in &mut demand.cuts {
            cut.times *= gpus;
        }
    }
    Some(gpus(&packing.groups, &demand.cuts))
}
