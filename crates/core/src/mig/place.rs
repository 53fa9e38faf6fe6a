//! The placement of instances on one GPU.
//!
//! The best placement leaves the most options open: it keeps as many free starts as possible for
//! the largest profile, then for the next largest, and so on; ties go to the lowest starts. For
//! example, a `3g` goes to the half where a `4g` cannot start, and a small slice completes a pair
//! that is already partly used.

use super::chip::{Chip, Counts, Refusal};

/// A GPU instance: its profile and its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instance {
    /// The index of its profile in [`Chip::kinds`].
    pub kind: usize,
    /// The start in placement units; `None` when the starts of this GPU are not published.
    pub start: Option<u8>,
}

/// A profile with room for another instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Free {
    /// The index of the profile in [`Chip::kinds`].
    pub kind: usize,
    /// The free starts, in placement units.
    pub starts: Vec<u8>,
}

/// The reason why a GPU cannot hold the given instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OccupiedError {
    /// The instance at index `at` has a start that its profile does not have; `starts` lists the
    /// valid ones, in placement units.
    NoSuchStart {
        /// The index of the instance.
        at: usize,
        /// The valid starts of its profile, in placement units.
        starts: Vec<u8>,
    },
    /// The instances at the indexes `at` and `with` take the same placement unit.
    Overlap {
        /// The index of the later instance.
        at: usize,
        /// The index of the earlier instance.
        with: usize,
    },
    /// Nothing overlaps, but no GPU can hold all instances.
    Impossible(Refusal),
}

/// Checks the existing instances of a GPU.
///
/// # Errors
///
/// Fails with [`OccupiedError`] when an instance has a start that its profile does not have, when
/// two instances overlap, or when no GPU can hold all of them.
pub fn occupy(chip: &Chip<'_>, instances: &[Instance]) -> Result<(), OccupiedError> {
    let mut taken: Vec<u16> = Vec::new();
    for (at, instance) in instances.iter().enumerate() {
        let kind = &chip.kinds[instance.kind];
        let units = kind
            .starts
            .iter()
            .find(|(start, _)| Some(*start) == instance.start);
        let Some((_, units)) = units else {
            let starts = kind.starts.iter().map(|(start, _)| *start).collect();
            return Err(OccupiedError::NoSuchStart { at, starts });
        };
        if let Some(with) = taken.iter().position(|other| other & units != 0) {
            return Err(OccupiedError::Overlap { at, with });
        }
        taken.push(*units);
    }
    chip.admits(&counted(chip, instances))
        .map_err(OccupiedError::Impossible)
}

/// Returns the best placement of slices in addition to the existing instances; `wanted` counts them by
/// kind.
///
/// # Errors
///
/// Fails with the [`Refusal`] that explains why the slices do not fit.
pub fn place(
    chip: &Chip<'_>,
    existing: &[Instance],
    wanted: &[u32],
) -> Result<Vec<Instance>, Refusal> {
    let mut counts = counted(chip, existing);
    for (count, wanted) in counts.iter_mut().zip(wanted) {
        *count += wanted;
    }
    chip.admits(&counts)?;
    let todo = todo(chip, wanted);
    // The sums do not depend on the placement, so this filter is computed once.
    let admissible = by_size(chip)
        .into_iter()
        .filter(|kind| admits_one_more(chip, *kind, &counts));
    let mut search = PlacementSearch {
        chip,
        todo: &todo,
        admissible: admissible.collect(),
        chosen: Vec::new(),
        best: None,
        any_will_do: false,
    };
    search.step(0, units(chip, existing), 0);
    search
        .best
        .map(|(_, instances)| instances)
        .ok_or(Refusal::Blocked)
}

/// Returns whether the slices fit in addition to the existing instances.
pub(super) fn fits_beside(chip: &Chip<'_>, existing: &[Instance], wanted: &[u32]) -> bool {
    let mut counts = counted(chip, existing);
    for (count, wanted) in counts.iter_mut().zip(wanted) {
        *count += wanted;
    }
    let todo = todo(chip, wanted);
    let mut search = PlacementSearch {
        chip,
        todo: &todo,
        admissible: Vec::new(),
        chosen: Vec::new(),
        best: None,
        any_will_do: true,
    };
    chip.admits(&counts).is_ok() && {
        search.step(0, units(chip, existing), 0);
        search.best.is_some()
    }
}

/// Returns the profiles to place, equal profiles together. Large profiles and profiles with few
/// starts come first, which prunes the search early.
fn todo(chip: &Chip<'_>, wanted: &[u32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..chip.kinds.len())
        .filter(|kind| wanted[*kind] > 0)
        .collect();
    order.sort_by_key(|kind| {
        let slice = &chip.kinds[*kind];
        (std::cmp::Reverse(slice.size()), slice.starts.len(), *kind)
    });
    let times = |kind: usize| std::iter::repeat_n(kind, wanted[kind] as usize);
    order.into_iter().flat_map(times).collect()
}

/// Returns the profiles that could still be placed in addition to the instances, largest first.
pub fn free(chip: &Chip<'_>, instances: &[Instance]) -> Vec<Free> {
    let taken = units(chip, instances);
    let counts = counted(chip, instances);
    by_size(chip)
        .into_iter()
        .filter(|kind| admits_one_more(chip, *kind, &counts))
        .map(|kind| {
            let starts = chip.kinds[kind]
                .starts
                .iter()
                .filter(|(_, units)| taken & units == 0);
            Free {
                kind,
                starts: starts.map(|(start, _)| *start).collect(),
            }
        })
        .filter(|free| !free.starts.is_empty())
        .collect()
}

/// Returns all profiles, the largest first.
fn by_size(chip: &Chip<'_>) -> Vec<usize> {
    let mut kinds: Vec<usize> = (0..chip.kinds.len()).collect();
    kinds.sort_by_key(|kind| {
        let slice = &chip.kinds[*kind];
        (
            std::cmp::Reverse((slice.size(), slice.profile.compute_slices)),
            *kind,
        )
    });
    kinds
}

fn admits_one_more(chip: &Chip<'_>, kind: usize, counts: &[u32]) -> bool {
    let mut increased = counts.to_vec();
    increased[kind] += 1;
    chip.admits(&increased).is_ok()
}

fn units(chip: &Chip<'_>, instances: &[Instance]) -> u16 {
    let units_of = |instance: &Instance| {
        let starts = &chip.kinds[instance.kind].starts;
        starts
            .iter()
            .find(|(start, _)| Some(*start) == instance.start)
            .map_or(0, |(_, units)| *units)
    };
    instances
        .iter()
        .map(units_of)
        .fold(0, |taken, units| taken | units)
}

pub(super) fn counted(chip: &Chip<'_>, instances: &[Instance]) -> Counts {
    let mut counts = chip.none();
    for instance in instances {
        counts[instance.kind] += 1;
    }
    counts
}

struct PlacementSearch<'s, 'a> {
    chip: &'s Chip<'a>,
    /// The profiles to place. Equal profiles are adjacent and get ascending starts, so that
    /// permutations are not tried.
    todo: &'s [usize],
    /// The profiles whose sums admit another instance, the largest first.
    admissible: Vec<usize>,
    chosen: Vec<Instance>,
    best: Option<(Vec<usize>, Vec<Instance>)>,
    /// Whether to stop at the first placement.
    any_will_do: bool,
}

impl PlacementSearch<'_, '_> {
    fn step(&mut self, at: usize, taken: u16, from: u8) {
        let Some(kind) = self.todo.get(at).copied() else {
            return self.judge(taken);
        };
        let slice = &self.chip.kinds[kind];
        if slice.starts.is_empty() {
            self.chosen.push(Instance { kind, start: None });
            self.step(at + 1, taken, 0);
            self.chosen.pop();
            return;
        }
        let same_next = self.todo.get(at + 1) == Some(&kind);
        for index in 0..slice.starts.len() {
            let (start, units) = self.chip.kinds[kind].starts[index];
            if start < from || taken & units != 0 {
                continue;
            }
            if self.any_will_do && self.best.is_some() {
                return;
            }
            self.chosen.push(Instance {
                kind,
                start: Some(start),
            });
            self.step(at + 1, taken | units, if same_next { start + 1 } else { 0 });
            self.chosen.pop();
        }
    }

    /// Keeps the placement if it leaves more options open than the best so far.
    fn judge(&mut self, taken: u16) {
        let open: Vec<usize> = self
            .admissible
            .iter()
            .map(|kind| {
                let starts = self.chip.kinds[*kind].starts.iter();
                starts.filter(|(_, units)| taken & units == 0).count()
            })
            .collect();
        // Starts are tried in ascending order, so the first of equal placements has the lowest
        // starts.
        if self.best.as_ref().is_none_or(|(best, _)| open > *best) {
            self.best = Some((open, self.chosen.clone()));
        }
    }
}
