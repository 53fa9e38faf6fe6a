//! Packs slices onto as few GPUs as possible.
//!
//! A GPU has few possible layouts: the maximal layouts are enumerated, for an empty GPU and for
//! each state of the existing GPUs, and `cover` chooses how often to use each. Existing GPUs are
//! used before new ones. With too few GPUs, as many slices as possible are placed.

use std::collections::BTreeMap;

use super::chip::{Chip, Counts};
use super::cover::{Bins, Cover, cover};
use super::place::{Instance, counted, fits_beside, place};

/// The GPUs to pack slices onto.
#[derive(Clone, Debug, Default)]
pub struct Fleet {
    /// The existing GPUs: the index of each, and the instances on it.
    pub there: Vec<(u32, Vec<Instance>)>,
    /// The maximum number of GPUs, including existing GPUs; `None` without a limit.
    pub limit: Option<u32>,
}

/// GPUs with the same layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedGpus {
    /// The indexes of the GPUs.
    pub gpus: Vec<u32>,
    /// The instances that already exist on each of them.
    pub existing: Vec<Instance>,
    /// The instances that are placed on each of them.
    pub instances: Vec<Instance>,
}

/// The places of the slices on several GPUs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packing {
    /// Groups of GPUs with the same layout: existing GPUs first, then the fullest.
    pub groups: Vec<PackedGpus>,
    /// The number of GPUs that all slices take, existing and new.
    pub gpus: u32,
    /// The number of new GPUs that all slices take.
    pub new_gpus: u32,
    /// A lower bound of `gpus`: no packing takes fewer new GPUs, or the same number of new GPUs and
    /// fewer existing GPUs.
    pub at_least: u32,
    /// The number of slices of each profile that do not fit within the limit.
    pub left: Counts,
}

impl Packing {
    /// Returns whether the number of GPUs is proven minimal.
    pub fn is_proved(&self) -> bool {
        self.gpus == self.at_least
    }
}

/// The cost of an unplaced slice, plus its size. The constant exceeds any sum of sizes on a GPU, so
/// that the number of slices counts before their sizes.
const LEFT_OUT: u64 = 1024;

/// Packs slices, counted by profile, onto as few GPUs as possible. `None` when a slice does not fit
/// on any GPU.
pub fn pack(chip: &Chip<'_>, wanted: &[u32], fleet: &Fleet) -> Option<Packing> {
    let used: Vec<usize> = (0..chip.kinds.len())
        .filter(|kind| wanted[*kind] > 0)
        .collect();
    if used.is_empty() {
        return Some(Packing {
            left: chip.none(),
            ..Packing::default()
        });
    }
    // Most requests fit on one GPU and need no search.
    if fleet.there.is_empty()
        && fleet.limit != Some(0)
        && let Ok(instances) = place(chip, &[], wanted)
    {
        let group = PackedGpus {
            gpus: vec![0],
            existing: Vec::new(),
            instances,
        };
        return Some(Packing {
            groups: vec![group],
            gpus: 1,
            new_gpus: 1,
            at_least: 1,
            left: chip.none(),
        });
    }
    let demand: Vec<u32> = used.iter().map(|kind| wanted[*kind]).collect();
    let existing = ExistingGpus::new(chip, fleet);
    let existing_count = fleet.there.len() as u32;
    let mut bins = existing.bins(chip, &used);
    let new = bins.len();
    bins.push(Bins {
        available: None,
        cost: 1,
        ways: ways(chip, &[], &used),
    });
    // First minimize the number of new GPUs, then, with that number, the number of existing GPUs in
    // use.
    let fewest = cover(&bins, &demand)?;
    let new_gpus = times(&fewest, |bins| bins == new);
    let mut best = fewest;
    let mut at_least = best.bound as u32;
    let is_fewest = at_least == new_gpus;
    bins.extend(left_out(chip, &used));
    if existing_count > 0 {
        let there_cost = LEFT_OUT * u64::from(existing_count);
        for used in &mut bins[..new] {
            used.cost = 1;
        }
        bins[new].cost = 0;
        bins[new].available = Some(new_gpus);
        for left_out in &mut bins[new + 1..] {
            left_out.cost += there_cost;
        }
        let fewer = cover(&bins, &demand)?;
        let is_whole = fewer.choices.iter().all(|choice| choice.bins <= new);
        if is_fewest {
            at_least += fewer.bound as u32;
        }
        if is_whole && times(&fewer, |_| true) <= times(&best, |_| true) {
            best = fewer;
        }
    }
    let mut packing = Packing {
        gpus: times(&best, |_| true),
        new_gpus: times(&best, |bins| bins == new),
        at_least,
        ..Packing::default()
    };
    let room = fleet
        .limit
        .map(|limit| limit.saturating_sub(existing_count));
    if let Some(room) = room.filter(|room| *room < packing.new_gpus) {
        for gpus in &mut bins[..=new] {
            gpus.cost = 0;
        }
        bins[new].available = Some(room);
        bins.truncate(new + 1);
        bins.extend(left_out(chip, &used));
        best = cover(&bins, &demand)?;
        best.choices.retain(|choice| choice.bins <= new);
    }
    packing.left = existing.assign(chip, &used, &bins, &best, wanted, &mut packing.groups)?;
    Some(packing)
}

/// Returns a bin for each unplaced slice, so that every demand can be covered.
fn left_out<'c>(chip: &'c Chip<'_>, used: &'c [usize]) -> impl Iterator<Item = Bins> + 'c {
    used.iter().enumerate().map(|(at, kind)| {
        let mut way = vec![0; used.len()];
        way[at] = 1;
        Bins {
            available: None,
            cost: LEFT_OUT + u64::from(chip.kinds[*kind].size().unwrap_or(0)),
            ways: vec![way],
        }
    })
}

fn times(cover: &Cover, is_meant: impl Fn(usize) -> bool) -> u32 {
    let meant = cover.choices.iter().filter(|choice| is_meant(choice.bins));
    meant.map(|choice| choice.times).sum()
}

/// Returns the maximal ways to place instances of the given profiles in addition to the existing instances
/// of a GPU.
fn ways(chip: &Chip<'_>, existing: &[Instance], kinds: &[usize]) -> Vec<Vec<u32>> {
    let mut ways = Vec::new();
    let mut counts = chip.none();
    grow(chip, existing, kinds, 0, &mut counts, &mut ways);
    let is_part = |a: &[u32], b: &[u32]| a != b && a.iter().zip(b).all(|(a, b)| a <= b);
    let maximal = ways.iter().filter(|a| !ways.iter().any(|b| is_part(a, b)));
    maximal.cloned().collect()
}

fn grow(
    chip: &Chip<'_>,
    existing: &[Instance],
    kinds: &[usize],
    at: usize,
    counts: &mut Counts,
    ways: &mut Vec<Vec<u32>>,
) {
    let Some(kind) = kinds.get(at).copied() else {
        ways.push(kinds.iter().map(|kind| counts[*kind]).collect());
        return;
    };
    loop {
        grow(chip, existing, kinds, at + 1, counts, ways);
        counts[kind] += 1;
        // If the counts so far do not fit, they do not fit with further profiles either.
        if !fits_beside(chip, existing, counts) {
            break;
        }
    }
    counts[kind] = 0;
}

/// The existing GPUs, grouped by state.
struct ExistingGpus {
    states: Vec<(Vec<Instance>, Vec<u32>)>,
    /// The index of the first new GPU.
    next: u32,
}

impl ExistingGpus {
    fn new(chip: &Chip<'_>, fleet: &Fleet) -> Self {
        let mut states: BTreeMap<Vec<Instance>, Vec<u32>> = BTreeMap::new();
        for (index, instances) in &fleet.there {
            let mut state = instances.clone();
            state.sort();
            states.entry(state).or_default().push(*index);
        }
        // The fullest first: between equal costs the cover takes the first bins, which keeps
        // emptier GPUs free.
        let mut states: Vec<_> = states.into_iter().collect();
        states.sort_by_key(|(state, _)| std::cmp::Reverse(filled(chip, state)));
        let last = fleet.there.iter().map(|(index, _)| index + 1).max();
        Self {
            states,
            next: last.unwrap_or(0),
        }
    }

    fn bins(&self, chip: &Chip<'_>, kinds: &[usize]) -> Vec<Bins> {
        let bins = self.states.iter().map(|(state, gpus)| Bins {
            available: Some(gpus.len() as u32),
            cost: 0,
            ways: ways(chip, state, kinds),
        });
        bins.collect()
    }

    /// Assigns slices to the chosen GPUs, and returns the unplaced slices.
    fn assign(
        &self,
        chip: &Chip<'_>,
        used: &[usize],
        bins: &[Bins],
        cover: &Cover,
        wanted: &[u32],
        groups: &mut Vec<PackedGpus>,
    ) -> Option<Counts> {
        let mut remaining = wanted.to_vec();
        // The index of the state, the placed instances, and the number of GPUs with that layout.
        let mut cut: Vec<(usize, Vec<Instance>, u32)> = Vec::new();
        for choice in &cover.choices {
            let way = &bins[choice.bins].ways[choice.way];
            let mut times = choice.times;
            while times > 0 {
                let mut counts = chip.none();
                for (kind, n) in used.iter().zip(way) {
                    counts[*kind] = *n.min(&remaining[*kind]);
                }
                // Use this layout on as many GPUs as the remaining slices can fill.
                let used_counts = counts.iter().zip(&remaining).filter(|(n, _)| **n > 0);
                let Some(lasts) = used_counts.map(|(n, remaining)| remaining / n).min() else {
                    break;
                };
                let gpus = lasts.clamp(1, times);
                for (remaining, n) in remaining.iter_mut().zip(&counts) {
                    *remaining -= n * gpus;
                }
                let instances = place(chip, self.state(choice.bins), &counts).ok()?;
                let is_same = |(bins, placed, _): &&mut (usize, Vec<Instance>, u32)| {
                    *bins == choice.bins && *placed == instances
                };
                match cut.iter_mut().find(is_same) {
                    Some((_, _, n)) => *n += gpus,
                    None => cut.push((choice.bins, instances, gpus)),
                }
                times -= gpus;
            }
        }
        // Existing GPUs first, then the fullest.
        cut.sort_by(|(a_bins, a, _), (b_bins, b, _)| {
            let is_new = |bins: usize| bins >= self.states.len();
            is_new(*a_bins)
                .cmp(&is_new(*b_bins))
                .then_with(|| filled(chip, b).cmp(&filled(chip, a)))
                .then_with(|| (a_bins, a).cmp(&(b_bins, b)))
        });
        let mut free_gpus: Vec<_> = self
            .states
            .iter()
            .map(|(_, gpus)| gpus.iter().copied())
            .collect();
        let mut new = self.next..;
        for (bins, instances, gpus) in cut {
            let gpus = gpus as usize;
            groups.push(PackedGpus {
                gpus: match free_gpus.get_mut(bins) {
                    Some(gpus_of_state) => gpus_of_state.by_ref().take(gpus).collect(),
                    None => new.by_ref().take(gpus).collect(),
                },
                existing: self.state(bins).to_vec(),
                instances,
            });
        }
        Some(remaining)
    }

    fn state(&self, bins: usize) -> &[Instance] {
        self.states.get(bins).map_or(&[], |(state, _)| state)
    }
}

/// Returns how full the instances make a GPU, by compute and then by memory. A GPU has at most 16
/// memory units.
fn filled(chip: &Chip<'_>, instances: &[Instance]) -> u32 {
    let counts = counted(chip, instances);
    let weights = chip.kinds.iter().zip(counts).map(|(kind, n)| {
        n * (u32::from(kind.profile.compute_slices) * 16 + u32::from(kind.size().unwrap_or(0)))
    });
    weights.sum()
}
