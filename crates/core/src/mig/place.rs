//! Where instances go on one GPU.
//!
//! Of all placements that are possible, the one is taken after which most remains possible: the
//! largest profile keeps as many free starts as it can, then the next largest, and so on; what is
//! equal in that goes to the lowest starts. So a `3g` goes to the half in which a `4g` could not
//! begin anyway, and a small slice into a pair that is broken already.

use super::chip::{Chip, Counts, Refusal};

/// An instance on a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instance {
    /// Among the chip's kinds.
    pub kind: usize,
    /// `None` where the starts of this GPU are not published.
    pub start: Option<u8>,
}

/// What could still be placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Free {
    pub kind: usize,
    pub starts: Vec<u8>,
}

/// Why a GPU cannot look as it is said to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OccupiedError {
    /// The profile has no such start; it has these.
    NoSuchStart { at: usize, starts: Vec<u8> },
    /// Two of them take the same unit.
    Overlap { at: usize, with: usize },
    /// Nothing overlaps, and still no GPU can hold all of them.
    Impossible(Refusal),
}

/// Checks what is on a GPU already.
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

/// The best placement of some slices beside what is there, or why there is none.
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
    let mut order: Vec<usize> = (0..chip.kinds.len())
        .filter(|kind| wanted[*kind] > 0)
        .collect();
    // What has the fewest places first: fewer ways to go wrong.
    order.sort_by_key(|kind| {
        let own = &chip.kinds[*kind];
        (std::cmp::Reverse(own.size()), own.starts.len(), *kind)
    });
    let todo: Vec<usize> = order
        .iter()
        .flat_map(|kind| std::iter::repeat_n(*kind, wanted[*kind] as usize))
        .collect();
    let mut search = Search {
        chip,
        todo: &todo,
        counts: &counts,
        chosen: Vec::new(),
        best: None,
    };
    search.step(0, units(chip, existing), 0);
    search
        .best
        .map(|(_, instances)| instances)
        .ok_or(Refusal::Blocked)
}

/// What could still be placed beside some instances, largest first.
pub fn free(chip: &Chip<'_>, instances: &[Instance]) -> Vec<Free> {
    let taken = units(chip, instances);
    let counts = counted(chip, instances);
    by_size(chip)
        .into_iter()
        .map(|kind| Free {
            kind,
            starts: free_starts(chip, kind, taken, &counts),
        })
        .filter(|free| !free.starts.is_empty())
        .collect()
}

/// Kinds, the largest first.
fn by_size(chip: &Chip<'_>) -> Vec<usize> {
    let mut kinds: Vec<usize> = (0..chip.kinds.len()).collect();
    kinds.sort_by_key(|kind| {
        let own = &chip.kinds[*kind];
        (
            std::cmp::Reverse((own.size(), own.profile.compute_slices)),
            *kind,
        )
    });
    kinds
}

fn free_starts(chip: &Chip<'_>, kind: usize, taken: u16, counts: &[u32]) -> Vec<u8> {
    let mut more = counts.to_vec();
    more[kind] += 1;
    if chip.admits(&more).is_err() {
        return Vec::new();
    }
    let starts = chip.kinds[kind].starts.iter();
    starts
        .filter(|(_, units)| taken & units == 0)
        .map(|(start, _)| *start)
        .collect()
}

fn units(chip: &Chip<'_>, instances: &[Instance]) -> u16 {
    let of = |instance: &Instance| {
        let starts = &chip.kinds[instance.kind].starts;
        starts
            .iter()
            .find(|(start, _)| Some(*start) == instance.start)
            .map_or(0, |(_, units)| *units)
    };
    instances.iter().map(of).fold(0, |all, units| all | units)
}

pub(super) fn counted(chip: &Chip<'_>, instances: &[Instance]) -> Counts {
    let mut counts = chip.none();
    for instance in instances {
        counts[instance.kind] += 1;
    }
    counts
}

struct Search<'s, 'a> {
    chip: &'s Chip<'a>,
    /// Kinds to place; equal ones stand together and get ascending starts.
    todo: &'s [usize],
    /// All instances when it is done.
    counts: &'s [u32],
    chosen: Vec<Instance>,
    best: Option<(Vec<usize>, Vec<Instance>)>,
}

impl Search<'_, '_> {
    fn step(&mut self, at: usize, taken: u16, from: u8) {
        let Some(kind) = self.todo.get(at).copied() else {
            return self.judge(taken);
        };
        let own = &self.chip.kinds[kind];
        if own.starts.is_empty() {
            self.chosen.push(Instance { kind, start: None });
            self.step(at + 1, taken, 0);
            self.chosen.pop();
            return;
        }
        let same_next = self.todo.get(at + 1) == Some(&kind);
        for index in 0..own.starts.len() {
            let (start, units) = self.chip.kinds[kind].starts[index];
            if start < from || taken & units != 0 {
                continue;
            }
            self.chosen.push(Instance {
                kind,
                start: Some(start),
            });
            self.step(at + 1, taken | units, if same_next { start + 1 } else { 0 });
            self.chosen.pop();
        }
    }

    /// Keeps the placement if it leaves more open than the best one so far.
    fn judge(&mut self, taken: u16) {
        let open: Vec<usize> = by_size(self.chip)
            .into_iter()
            .map(|kind| free_starts(self.chip, kind, taken, self.counts).len())
            .collect();
        // Starts are tried in ascending order: the first of equals has the lowest.
        if self.best.as_ref().is_none_or(|(best, _)| open > *best) {
            self.best = Some((open, self.chosen.clone()));
        }
    }
}
