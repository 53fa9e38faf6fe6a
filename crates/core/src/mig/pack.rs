//! The fewest GPUs for many slices.
//!
//! A GPU can be cut in few ways: the maximal ones are enumerated. Choosing how often to use each is
//! a covering problem. Its linear relaxation is solved first; the dual solution, made exact in
//! integers, is a bound that no packing can beat. The whole part of the primal solution is taken
//! as it is, the small rest is packed by exhaustive search. When the result equals the bound,
//! fewer GPUs are impossible.

use std::collections::HashMap;

use super::chip::{Chip, Counts};
use super::place::{Instance, is_possible, place};

/// GPUs that are all cut alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedGpus {
    /// How many GPUs.
    pub gpus: u32,
    pub instances: Vec<Instance>,
}

/// Where many slices go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packing {
    /// The fullest first.
    pub groups: Vec<PackedGpus>,
    pub gpus: u32,
    /// No packing takes fewer.
    pub bound: u32,
}

impl Packing {
    /// Whether fewer GPUs are known to be impossible.
    pub fn is_proved(&self) -> bool {
        self.gpus == self.bound
    }
}

/// States that the search of the rest looks at before it settles for less than a proof.
const MAX_STATES: usize = 200_000;
/// Dual prices are multiples of its inverse: divisible by every small number.
const SCALE: u64 = 27_720;

/// Packs slices onto empty GPUs. `None` when one of them fits on no GPU.
pub fn pack(chip: &Chip<'_>, wanted: &[u32]) -> Option<Packing> {
    if wanted.iter().all(|n| *n == 0) {
        return Some(Packing::default());
    }
    let used: Vec<usize> = (0..chip.kinds.len())
        .filter(|kind| wanted[*kind] > 0)
        .collect();
    let patterns = patterns(chip, &used);
    let demand: Vec<u32> = used.iter().map(|kind| wanted[*kind]).collect();
    let fits = |at: usize| patterns.iter().any(|pattern| pattern[at] > 0);
    if !(0..used.len()).all(fits) {
        return None;
    }
    let relaxed = relax(&patterns, &demand);
    let bound = relaxed.bound(&demand);
    let times = cover(&patterns, &demand, &relaxed, bound);
    let mut packing = Packing {
        bound,
        ..Packing::default()
    };
    let mut left = demand;
    for (pattern, times) in times {
        assign(
            chip,
            &used,
            &patterns[pattern],
            times,
            &mut left,
            &mut packing.groups,
        )?;
    }
    packing.gpus = packing.groups.iter().map(|group| group.gpus).sum();
    let filled = |group: &PackedGpus| -> u32 {
        let of = |instance: &Instance| {
            let profile = chip.kinds[instance.kind].profile;
            u32::from(profile.compute_slices) * 16 + u32::from(profile.size.unwrap_or(0))
        };
        group.instances.iter().map(of).sum()
    };
    packing.groups.sort_by(|a, b| {
        filled(b)
            .cmp(&filled(a))
            .then_with(|| a.instances.cmp(&b.instances))
    });
    Some(packing)
}

/// Every way to cut an empty GPU into these kinds that leaves no room for one more.
fn patterns(chip: &Chip<'_>, kinds: &[usize]) -> Vec<Vec<u32>> {
    let mut all = Vec::new();
    let mut counts = chip.none();
    grow(chip, kinds, 0, &mut counts, &mut all);
    let is_part = |a: &[u32], b: &[u32]| a != b && a.iter().zip(b).all(|(a, b)| a <= b);
    let maximal = all.iter().filter(|a| !all.iter().any(|b| is_part(a, b)));
    maximal.cloned().collect()
}

fn grow(chip: &Chip<'_>, kinds: &[usize], at: usize, counts: &mut Counts, all: &mut Vec<Vec<u32>>) {
    let Some(kind) = kinds.get(at).copied() else {
        all.push(kinds.iter().map(|kind| counts[*kind]).collect());
        return;
    };
    loop {
        grow(chip, kinds, at + 1, counts, all);
        counts[kind] += 1;
        // What does not fit alone with the kinds before it fits with none after it either.
        if !is_possible(chip, counts) {
            break;
        }
    }
    counts[kind] = 0;
}

/// The linear relaxation, solved.
struct Relaxed {
    /// How often each pattern is used.
    times: Vec<f64>,
    /// What each slice is worth, in parts of [`SCALE`]: no pattern is worth more than a whole GPU.
    worth: Vec<u64>,
}

impl Relaxed {
    /// No fewer GPUs hold slices of that worth.
    fn bound(&self, demand: &[u32]) -> u32 {
        let worth: u64 = self
            .worth
            .iter()
            .zip(demand)
            .map(|(w, n)| w * u64::from(*n))
            .sum();
        worth.div_ceil(SCALE) as u32
    }
}

/// Maximizes the worth of the demand under "no pattern is worth more than one": the simplex
/// method, started where nothing is worth anything.
fn relax(patterns: &[Vec<u32>], demand: &[u32]) -> Relaxed {
    const NOTHING: f64 = 1e-9;
    let (rows, columns) = (patterns.len(), demand.len());
    // The last column is the right side, the last row the objective. A row's variable is a
    // pattern's slack at first, a column's the worth of a kind.
    let mut table = vec![vec![0.0; columns + 1]; rows + 1];
    for (row, pattern) in patterns.iter().enumerate() {
        for (column, n) in pattern.iter().enumerate() {
            table[row][column] = f64::from(*n);
        }
        table[row][columns] = 1.0;
    }
    for (column, n) in demand.iter().enumerate() {
        table[rows][column] = f64::from(*n);
    }
    let mut in_row: Vec<usize> = (0..rows).map(|row| columns + row).collect();
    let mut in_column: Vec<usize> = (0..columns).collect();
    loop {
        // The lowest variable that gains: this rule never goes in circles.
        let gains = (0..columns).filter(|column| table[rows][*column] > NOTHING);
        let Some(enter) = gains.min_by_key(|column| in_column[*column]) else {
            break;
        };
        let ratio = |row: usize| table[row][columns] / table[row][enter];
        let limits = (0..rows).filter(|row| table[*row][enter] > NOTHING);
        let leave = limits.min_by(|a, b| {
            ratio(*a)
                .total_cmp(&ratio(*b))
                .then_with(|| in_row[*a].cmp(&in_row[*b]))
        });
        let Some(leave) = leave else { break };
        let pivot = table[leave][enter];
        for value in &mut table[leave] {
            *value /= pivot;
        }
        table[leave][enter] = 1.0 / pivot;
        let leaving = table[leave].clone();
        for (_, row) in table
            .iter_mut()
            .enumerate()
            .filter(|(row, _)| *row != leave)
        {
            let factor = row[enter];
            if factor.abs() <= NOTHING {
                continue;
            }
            for (value, own) in row.iter_mut().zip(&leaving) {
                *value -= factor * own;
            }
            row[enter] = -factor / pivot;
        }
        std::mem::swap(&mut in_row[leave], &mut in_column[enter]);
    }
    let mut worth = vec![0_u64; columns];
    for (row, variable) in in_row.iter().enumerate() {
        if *variable < columns {
            worth[*variable] = (table[row][columns] * SCALE as f64 + 1e-6).max(0.0) as u64;
        }
    }
    // Exact from here on: a bound must not rest on rounding.
    let too_much = |worth: &[u64]| {
        let of = |pattern: &[u32]| -> u64 {
            pattern
                .iter()
                .zip(worth)
                .map(|(n, worth)| u64::from(*n) * worth)
                .sum()
        };
        patterns.iter().any(|pattern| of(pattern) > SCALE)
    };
    while too_much(&worth) {
        for own in &mut worth {
            *own -= (*own > 0) as u64;
        }
    }
    let mut times = vec![0.0; rows];
    for (column, variable) in in_column.iter().enumerate() {
        if *variable >= columns {
            times[variable - columns] = (-table[rows][column]).max(0.0);
        }
    }
    Relaxed { times, worth }
}

/// Patterns with how often each is used, so that all of the demand is covered.
fn cover(
    patterns: &[Vec<u32>],
    demand: &[u32],
    relaxed: &Relaxed,
    bound: u32,
) -> Vec<(usize, u32)> {
    let mut best: Option<Vec<(usize, u32)>> = None;
    let total = |times: &[(usize, u32)]| -> u32 { times.iter().map(|(_, n)| n).sum() };
    // The more of the whole part is given back, the more the search has to work with.
    for back in 0..3 {
        let mut times: Vec<(usize, u32)> = Vec::new();
        let mut left = demand.to_vec();
        for (at, share) in relaxed.times.iter().enumerate() {
            let whole = ((share + 1e-6) as u32).saturating_sub(back);
            if whole > 0 {
                times.push((at, whole));
                for (left, n) in left.iter_mut().zip(&patterns[at]) {
                    *left = left.saturating_sub(n * whole);
                }
            }
        }
        times.extend(rest(patterns, &left, relaxed).into_iter().map(|at| (at, 1)));
        if best.as_ref().is_none_or(|best| total(&times) < total(best)) {
            best = Some(times);
        }
        if best.as_ref().is_some_and(|best| total(best) <= bound) {
            break;
        }
    }
    best.unwrap_or_default()
}

/// The patterns that cover a small demand, as few as the search finds.
fn rest(patterns: &[Vec<u32>], left: &[u32], relaxed: &Relaxed) -> Vec<usize> {
    let mut chosen = Vec::new();
    for gpus in relaxed.bound(left).. {
        let mut search = Rest {
            patterns,
            relaxed,
            failed: HashMap::new(),
        };
        match search.covers(left, gpus, &mut chosen) {
            Some(true) => break,
            Some(false) => {}
            // Out of patience: whatever covers most, again and again.
            None => return greedy(patterns, left),
        }
    }
    chosen
}

struct Rest<'r> {
    patterns: &'r [Vec<u32>],
    relaxed: &'r Relaxed,
    /// Demands that so many GPUs are known not to cover.
    failed: HashMap<Vec<u32>, u32>,
}

impl Rest<'_> {
    /// Whether some GPUs cover a demand; `None` when that takes too long to tell.
    fn covers(&mut self, left: &[u32], gpus: u32, chosen: &mut Vec<usize>) -> Option<bool> {
        if left.iter().all(|n| *n == 0) {
            return Some(true);
        }
        if gpus == 0
            || self.relaxed.bound(left) > gpus
            || self.failed.get(left).is_some_and(|failed| *failed >= gpus)
        {
            return Some(false);
        }
        if self.failed.len() >= MAX_STATES {
            return None;
        }
        // Some pattern has to hold what is worth most: only those are tried.
        let first = (0..left.len())
            .filter(|at| left[*at] > 0)
            .max_by_key(|at| (self.relaxed.worth[*at], std::cmp::Reverse(*at)))?;
        let mut tried: Vec<usize> = (0..self.patterns.len())
            .filter(|at| self.patterns[*at][first] > 0)
            .collect();
        let covered = |at: usize| -> u64 {
            let own = self.patterns[at].iter().zip(left).zip(&self.relaxed.worth);
            own.map(|((n, left), worth)| u64::from(*n.min(left)) * worth)
                .sum()
        };
        tried.sort_by_key(|at| (std::cmp::Reverse(covered(*at)), *at));
        for at in tried {
            let after: Vec<u32> = left
                .iter()
                .zip(&self.patterns[at])
                .map(|(left, n)| left.saturating_sub(*n))
                .collect();
            chosen.push(at);
            match self.covers(&after, gpus - 1, chosen) {
                Some(false) => {
                    chosen.pop();
                }
                done => return done,
            }
        }
        self.failed.insert(left.to_vec(), gpus);
        Some(false)
    }
}

fn greedy(patterns: &[Vec<u32>], left: &[u32]) -> Vec<usize> {
    let mut left = left.to_vec();
    let mut chosen = Vec::new();
    while left.iter().any(|n| *n > 0) {
        let covered = |pattern: &Vec<u32>| -> u32 {
            pattern.iter().zip(&left).map(|(n, left)| n.min(left)).sum()
        };
        let Some(best) =
            (0..patterns.len()).max_by_key(|at| (covered(&patterns[*at]), std::cmp::Reverse(*at)))
        else {
            break;
        };
        for (left, n) in left.iter_mut().zip(&patterns[best]) {
            *left = left.saturating_sub(*n);
        }
        chosen.push(best);
    }
    chosen
}

/// Gives GPUs cut by a pattern the slices that are still to be placed.
fn assign(
    chip: &Chip<'_>,
    used: &[usize],
    pattern: &[u32],
    times: u32,
    left: &mut [u32],
    groups: &mut Vec<PackedGpus>,
) -> Option<()> {
    let mut times = times;
    while times > 0 {
        let own: Vec<u32> = pattern
            .iter()
            .zip(left.iter())
            .map(|(n, left)| *n.min(left))
            .collect();
        if own.iter().all(|n| *n == 0) {
            break;
        }
        // As many GPUs as all of these slices last for.
        let lasts = own
            .iter()
            .zip(left.iter())
            .filter(|(n, _)| **n > 0)
            .map(|(n, left)| left / n);
        let gpus = lasts.min().unwrap_or(1).clamp(1, times);
        let mut counts = chip.none();
        for (kind, n) in used.iter().zip(&own) {
            counts[*kind] = *n;
        }
        for (left, n) in left.iter_mut().zip(&own) {
            *left -= n * gpus;
        }
        let instances = place(chip, &[], &counts).ok()?;
        match groups.iter_mut().find(|group| group.instances == instances) {
            Some(group) => group.gpus += gpus,
            None => groups.push(PackedGpus { gpus, instances }),
        }
        times -= gpus;
    }
    Some(())
}
