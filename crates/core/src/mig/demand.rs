//! Requested slices, counted by the profiles of a GPU.
//!
//! A GPU instance has dedicated memory, which its compute instances share. Three compute instances
//! `1c.3g.40gb` fit into one GPU instance `3g.40gb`.

use super::chip::{Chip, Counts};
use super::cover::{Bins, cover};
use super::names::{ProfileRef, SliceList, find_profile};

/// The instances requested on GPUs of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    /// The number of GPU instances of each kind.
    pub counts: Counts,
    /// The GPU instances with compute instances.
    pub cuts: Vec<Cut>,
}

/// GPU instances with the same compute instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The index of their profile in [`Chip::kinds`].
    pub kind: usize,
    /// The compute slices of each compute instance, the largest first.
    pub parts: Vec<u8>,
    /// The number of such GPU instances.
    pub times: u32,
}

impl Demand {
    /// Counts a list of slices by the profiles of a chip; `None` when the chip lacks a profile.
    /// Compute instances of one profile share as few GPU instances as possible.
    pub fn new(chip: &Chip<'_>, list: &SliceList) -> Option<Self> {
        let mut counts = chip.none();
        // The number of compute instances by profile and size.
        let mut wanted: Vec<Vec<u32>> = vec![Vec::new(); counts.len()];
        for slice in &list.slices {
            let (profile, _) = find_profile(&chip.catalog, &chip.geometry, slice.profile)?;
            let kind = chip.kind_of(&profile)?;
            let compute = match slice.profile {
                ProfileRef::Name(name) => name.compute,
                ProfileRef::Id(_) => None,
            };
            let Some(compute) = compute.map(usize::from) else {
                counts[kind] += slice.count;
                continue;
            };
            let by_size = &mut wanted[kind];
            by_size.resize(by_size.len().max(compute + 1), 0);
            by_size[compute] += slice.count;
        }
        let mut cuts = Vec::new();
        for (kind, by_size) in wanted.iter().enumerate() {
            if by_size.is_empty() {
                continue;
            }
            let kind_cuts = cut(chip, kind, by_size)?;
            counts[kind] += kind_cuts.iter().map(|cut| cut.times).sum::<u32>();
            cuts.extend(kind_cuts);
        }
        Some(Self { counts, cuts })
    }
}

impl From<Counts> for Demand {
    fn from(counts: Counts) -> Self {
        Self {
            counts,
            cuts: Vec::new(),
        }
    }
}

/// Packs compute instances into as few GPU instances as possible; `wanted` counts them by size.
fn cut(chip: &Chip<'_>, kind: usize, wanted: &[u32]) -> Option<Vec<Cut>> {
    let slices = chip.kinds[kind].profile.compute_slices;
    let mut max_of_size = vec![0_u32; wanted.len()];
    for instance in chip.catalog.compute_instances(slices) {
        if let Some(max_of_size) = max_of_size.get_mut(usize::from(instance.compute)) {
            *max_of_size = u32::from(instance.max);
        }
    }
    let mut ways = vec![vec![0_u32; wanted.len()]];
    for size in (0..wanted.len()).filter(|size| wanted[*size] > 0) {
        let fits = |way: &Vec<u32>| {
            let used: u32 = way.iter().zip(0_u32..).map(|(n, size)| n * size).sum();
            used <= u32::from(slices)
        };
        let extended = |way: &Vec<u32>| {
            let with_count = |n: u32| {
                let mut way = way.clone();
                way[size] = n;
                way
            };
            (0..=max_of_size[size])
                .map(with_count)
                .filter(fits)
                .collect::<Vec<_>>()
        };
        ways = ways.iter().flat_map(extended).collect();
    }
    let bins = [Bins {
        available: None,
        cost: 1,
        ways,
    }];
    let cover = cover(&bins, wanted)?;
    let mut remaining = wanted.to_vec();
    let mut cuts: Vec<Cut> = Vec::new();
    for choice in cover.choices {
        for _ in 0..choice.times {
            let mut parts = Vec::new();
            let way = &bins[choice.bins].ways[choice.way];
            for (size, (remaining, n)) in remaining.iter_mut().zip(way).enumerate().rev() {
                let n = (*n).min(*remaining);
                *remaining -= n;
                parts.extend(std::iter::repeat_n(size as u8, n as usize));
            }
            match cuts.last_mut().filter(|last| last.parts == parts) {
                Some(last) => last.times += 1,
                None => cuts.push(Cut {
                    kind,
                    parts,
                    times: 1,
                }),
            }
        }
    }
    cuts.retain(|cut| !cut.parts.is_empty());
    Some(cuts)
}
