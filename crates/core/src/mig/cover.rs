//! Covers a demand with filled bins at minimum cost, and computes a lower bound of the cost.
//!
//! A bin can be filled in few ways, and choosing how often to use each is an integer program. First
//! its linear relaxation is solved; the dual solution, made exact in integers, is a lower bound of
//! every solution. The integer part of the primal solution is kept, and an exhaustive search covers
//! the small remainder. When the cost equals the bound, the result is optimal.

use std::cmp::Reverse;
use std::collections::HashMap;

/// Equal bins.
#[derive(Clone, Debug)]
pub struct Bins {
    /// The number of bins; `None` when they never run out.
    pub available: Option<u32>,
    /// The cost of one bin.
    pub cost: u64,
    /// The ways to fill a bin: the amount of each demand that it holds.
    pub ways: Vec<Vec<u32>>,
}

/// A number of bins that are filled in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BinUse {
    /// The index of the bins, and of the way to fill them.
    pub bins: usize,
    pub way: usize,
    pub times: u32,
}

/// Filled bins that hold at least the demand.
#[derive(Clone, Debug, Default)]
pub struct Cover {
    pub choices: Vec<BinUse>,
    pub cost: u64,
    /// A lower bound of the cost of any cover.
    pub bound: u64,
}

/// The number of options that the search tries before it returns an unproven result.
const MAX_WORK: usize = 400_000;
/// Dual prices are multiples of 1/27,720, the least common multiple of 1 to 12, so that small
/// fractions are exact.
const SCALE: u64 = 27_720;
/// Remainders above this total are first reduced greedily: the search is exponential.
const MAX_REMAINDER: u32 = 512;

/// Returns the cheapest cover that the search finds. `None` when bins that never run out cannot
/// cover the demand.
pub fn cover(bins: &[Bins], demand: &[u32]) -> Option<Cover> {
    cover_within(bins, demand, MAX_WORK)
}

fn cover_within(bins: &[Bins], demand: &[u32], work: usize) -> Option<Cover> {
    let unlimited = || bins.iter().filter(|bins| bins.available.is_none());
    let fits = |at: usize| unlimited().any(|bins| bins.ways.iter().any(|way| way[at] > 0));
    if !(0..demand.len()).all(|at| demand[at] == 0 || fits(at)) {
        return None;
    }
    let relaxed = relax(bins, demand);
    let available: Vec<u32> = bins
        .iter()
        .map(|b| b.available.unwrap_or(u32::MAX))
        .collect();
    let bound = relaxed.bound(bins, demand, &available);
    let mut best = round(bins, demand, &relaxed, 0, work);
    best.bound = best.bound.max(bound);
    // Rounding down further gives the search more freedom. With nothing fixed, it searches the
    // whole problem.
    for back in [1, 2, u32::MAX] {
        if best.cost <= best.bound {
            break;
        }
        let other = round(bins, demand, &relaxed, back, work);
        let bound = best.bound.max(other.bound);
        if other.cost < best.cost {
            best = other;
        }
        best.bound = bound;
    }
    Some(best)
}

/// The solution of the linear relaxation.
struct Relaxation {
    /// The number of times that each way of each kind of bins is used.
    times: Vec<Vec<f64>>,
    /// The dual price of each demand, in units of 1/[`SCALE`]: no way to fill a bin is worth more
    /// than the bin costs.
    worth: Vec<u64>,
    /// The shadow price of limited bins: the excess of the most valuable way over the cost of a
    /// bin.
    scarcity: Vec<u64>,
}

impl Relaxation {
    fn worth_of(&self, amounts: &[u32]) -> u64 {
        let values = self.worth.iter().zip(amounts);
        values.map(|(worth, n)| worth * u64::from(*n)).sum()
    }

    /// Returns a lower bound of the cost to cover a demand with the available bins.
    fn bound(&self, bins: &[Bins], demand: &[u32], available: &[u32]) -> u64 {
        let limited = bins.iter().zip(available).zip(&self.scarcity);
        let spared: u64 = limited
            .filter(|((bins, _), _)| bins.available.is_some())
            .map(|((_, available), scarcity)| scarcity * u64::from(*available))
            .sum();
        self.worth_of(demand).saturating_sub(spared).div_ceil(SCALE)
    }
}

/// Solves the dual with the simplex method: maximizes the worth of the demand less the scarcity of
/// limited bins, such that no way to fill a bin is worth more than the bin. The start, where every
/// price is zero, is feasible.
fn relax(bins: &[Bins], demand: &[u32]) -> Relaxation {
    const NOTHING: f64 = 1e-9;
    let limited: Vec<usize> = (0..bins.len())
        .filter(|at| bins[*at].available.is_some())
        .collect();
    let all_ways: Vec<(usize, usize)> = bins
        .iter()
        .enumerate()
        .flat_map(|(at, bins)| (0..bins.ways.len()).map(move |way| (at, way)))
        .collect();
    let (rows, columns) = (all_ways.len(), demand.len() + limited.len());
    // The last column is the right side, the last row the objective. Initially a row is the slack
    // of a way, and a column is the price of a demand or the scarcity of bins.
    let mut table = vec![vec![0.0; columns + 1]; rows + 1];
    for (row, (at, way)) in all_ways.iter().enumerate() {
        for (column, n) in bins[*at].ways[*way].iter().enumerate() {
            table[row][column] = f64::from(*n);
        }
        if let Some(place) = limited.iter().position(|limited| limited == at) {
            table[row][demand.len() + place] = -1.0;
        }
        table[row][columns] = bins[*at].cost as f64;
    }
    for (column, n) in demand.iter().enumerate() {
        table[rows][column] = f64::from(*n);
    }
    for (place, at) in limited.iter().enumerate() {
        table[rows][demand.len() + place] = -f64::from(bins[*at].available.unwrap_or(0));
    }
    let mut in_row: Vec<usize> = (0..rows).map(|row| columns + row).collect();
    let mut in_column: Vec<usize> = (0..columns).collect();
    // Bland's rule below never cycles, but rounding might, so the iterations are limited. Any table
    // gives a valid bound.
    for _ in 0..64 * (rows + columns) {
        // Bland's rule: the lowest variable that improves the objective.
        let gains = (0..columns).filter(|column| table[rows][*column] > NOTHING);
        let Some(enter) = gains.min_by_key(|column| in_column[*column]) else {
            break;
        };
        let ratio = |row: usize| table[row][columns] / table[row][enter];
        let limits = (0..rows).filter(|row| table[*row][enter] > NOTHING);
        let leave = limits.min_by(|a, b| {
            let by_ratio = ratio(*a).total_cmp(&ratio(*b));
            by_ratio.then_with(|| in_row[*a].cmp(&in_row[*b]))
        });
        let Some(leave) = leave else { break };
        pivot(&mut table, leave, enter);
        std::mem::swap(&mut in_row[leave], &mut in_column[enter]);
    }
    let mut worth = vec![0_u64; demand.len()];
    for (row, variable) in in_row.iter().enumerate() {
        if *variable < demand.len() {
            worth[*variable] = (table[row][columns] * SCALE as f64 + 1e-6).max(0.0) as u64;
        }
    }
    let mut times: Vec<Vec<f64>> = bins.iter().map(|bins| vec![0.0; bins.ways.len()]).collect();
    for (column, variable) in in_column.iter().enumerate() {
        if let Some((at, way)) = variable
            .checked_sub(columns)
            .and_then(|way| all_ways.get(way))
        {
            times[*at][*way] = (-table[rows][column]).max(0.0);
        }
    }
    exact(bins, worth, times)
}

fn pivot(table: &mut [Vec<f64>], leave: usize, enter: usize) {
    let pivot = table[leave][enter];
    for value in &mut table[leave] {
        *value /= pivot;
    }
    table[leave][enter] = 1.0 / pivot;
    let leaving = table[leave].clone();
    for (at, row) in table.iter_mut().enumerate() {
        let factor = row[enter];
        if at == leave || factor == 0.0 {
            continue;
        }
        for (value, leaving) in row.iter_mut().zip(&leaving) {
            *value -= factor * leaving;
        }
        row[enter] = -factor / pivot;
    }
}

/// Makes the dual prices exact, so that the bound does not depend on rounding.
fn exact(bins: &[Bins], mut worth: Vec<u64>, times: Vec<Vec<f64>>) -> Relaxation {
    let worth_of = |way: &[u32], worth: &[u64]| -> u64 {
        let values = way.iter().zip(worth);
        values.map(|(n, worth)| u64::from(*n) * worth).sum()
    };
    for unlimited in bins.iter().filter(|bins| bins.available.is_none()) {
        for way in &unlimited.ways {
            while worth_of(way, &worth) > unlimited.cost * SCALE {
                for (worth, n) in worth.iter_mut().zip(way) {
                    *worth -= u64::from(*n > 0 && *worth > 0);
                }
            }
        }
    }
    let scarcity = bins.iter().map(|bins| {
        let max_worth = bins.ways.iter().map(|way| worth_of(way, &worth)).max();
        match bins.available {
            Some(_) => max_worth.unwrap_or(0).saturating_sub(bins.cost * SCALE),
            None => 0,
        }
    });
    Relaxation {
        times,
        scarcity: scarcity.collect(),
        worth,
    }
}

/// Returns a cover from the integer part of the relaxed solution, reduced by `back` for each way,
/// completed by the search.
fn round(bins: &[Bins], demand: &[u32], relaxed: &Relaxation, back: u32, work: usize) -> Cover {
    let mut cover = Cover::default();
    let mut remaining = demand.to_vec();
    let mut available: Vec<u32> = bins
        .iter()
        .map(|b| b.available.unwrap_or(u32::MAX))
        .collect();
    let mut take = |choice: BinUse, remaining: &mut [u32], available: &mut [u32]| {
        let way = &bins[choice.bins].ways[choice.way];
        for (remaining, n) in remaining.iter_mut().zip(way) {
            *remaining = remaining.saturating_sub(n.saturating_mul(choice.times));
        }
        available[choice.bins] -= choice.times;
        cover.cost += bins[choice.bins].cost * u64::from(choice.times);
        cover.choices.push(choice);
    };
    for (at, shares) in relaxed.times.iter().enumerate() {
        for (way, share) in shares.iter().enumerate() {
            let integer_part = (share + 1e-6) as u32;
            let times = integer_part.saturating_sub(back).min(available[at]);
            if times > 0 {
                let choice = BinUse {
                    bins: at,
                    way,
                    times,
                };
                take(choice, &mut remaining, &mut available);
            }
        }
    }
    let mut search = CoverSearch {
        bins,
        relaxed,
        failed: HashMap::new(),
        chosen: Vec::new(),
        work,
    };
    while remaining
        .iter()
        .fold(0, |sum: u32, n| sum.saturating_add(*n))
        > MAX_REMAINDER
    {
        let Some((at, way)) = search.options(&remaining, &available).first().copied() else {
            break;
        };
        let uses = bins[at].ways[way].iter().zip(&remaining);
        let uses = uses
            .filter(|(n, _)| **n > 0)
            .map(|(n, remaining)| remaining / n);
        let times = uses.min().unwrap_or(1).clamp(1, available[at]);
        let choice = BinUse {
            bins: at,
            way,
            times,
        };
        take(choice, &mut remaining, &mut available);
    }
    let is_whole = cover.choices.is_empty();
    let fixed = cover.cost;
    let floor = relaxed.bound(bins, &remaining, &available);
    // The greedy cover is complete: bins that never run out can hold any remainder.
    let (mut chosen, mut cost) = search.greedy(&remaining, &available);
    while cost > floor {
        search.chosen.clear();
        match search.covers(&remaining, &available, cost - 1) {
            Some(true) => {
                chosen.clone_from(&search.chosen);
                cost = chosen.iter().map(|(at, _)| bins[*at].cost).sum();
            }
            // Nothing was fixed before the search, so the failed search proves the bound for the
            // whole problem.
            Some(false) if is_whole => {
                cover.bound = cost;
                break;
            }
            // Optimal for the fixed part, or out of work.
            Some(false) | None => break,
        }
    }
    cover.cost = fixed + cost;
    let searched = chosen.into_iter().map(|(bins, way)| BinUse {
        bins,
        way,
        times: 1,
    });
    cover.choices.extend(searched);
    cover
}

struct CoverSearch<'p> {
    bins: &'p [Bins],
    relaxed: &'p Relaxation,
    /// States of demand and limited bins, each with the largest budget that is known to be
    /// insufficient.
    failed: HashMap<Vec<u32>, u64>,
    chosen: Vec<(usize, usize)>,
    /// The remaining work of the search.
    work: usize,
}

impl CoverSearch<'_> {
    /// Returns whether a budget covers a demand; `None` when the work runs out.
    fn covers(&mut self, remaining: &[u32], available: &[u32], budget: u64) -> Option<bool> {
        if remaining.iter().all(|n| *n == 0) {
            return Some(true);
        }
        if self.relaxed.bound(self.bins, remaining, available) > budget {
            return Some(false);
        }
        let limited = self.bins.iter().zip(available);
        let limited = limited.filter(|(bins, _)| bins.available.is_some());
        let state: Vec<u32> = remaining
            .iter()
            .chain(limited.map(|(_, n)| n))
            .copied()
            .collect();
        if self
            .failed
            .get(&state)
            .is_some_and(|failed| *failed >= budget)
        {
            return Some(false);
        }
        let options = self.options(remaining, available);
        self.work = self.work.checked_sub(options.len().max(1))?;
        for (at, way) in options {
            let Some(budget) = budget.checked_sub(self.bins[at].cost) else {
                continue;
            };
            let (remaining, available) = self.after(remaining, available, at, way);
            self.chosen.push((at, way));
            match self.covers(&remaining, &available, budget) {
                Some(false) => {
                    self.chosen.pop();
                }
                done => return done,
            }
        }
        self.failed.insert(state, budget);
        Some(false)
    }

    fn greedy(&self, remaining: &[u32], available: &[u32]) -> (Vec<(usize, usize)>, u64) {
        let (mut remaining, mut available) = (remaining.to_vec(), available.to_vec());
        let (mut chosen, mut cost) = (Vec::new(), 0);
        while remaining.iter().any(|n| *n > 0) {
            let Some((at, way)) = self.options(&remaining, &available).first().copied() else {
                break;
            };
            (remaining, available) = self.after(&remaining, &available, at, way);
            cost += self.bins[at].cost;
            chosen.push((at, way));
        }
        (chosen, cost)
    }

    fn after(
        &self,
        remaining: &[u32],
        available: &[u32],
        at: usize,
        way: usize,
    ) -> (Vec<u32>, Vec<u32>) {
        let way = &self.bins[at].ways[way];
        let remaining = remaining
            .iter()
            .zip(way)
            .map(|(remaining, n)| remaining.saturating_sub(*n));
        let mut available = available.to_vec();
        available[at] -= 1;
        (remaining.collect(), available)
    }

    /// Some bin must hold the most valuable demand. Returns the ways that hold it, the best value
    /// first.
    fn options(&self, remaining: &[u32], available: &[u32]) -> Vec<(usize, usize)> {
        let first = (0..remaining.len())
            .filter(|at| remaining[*at] > 0)
            .max_by_key(|at| (self.relaxed.worth[*at], Reverse(*at)));
        let Some(first) = first else {
            return Vec::new();
        };
        let stock = self.bins.iter().enumerate().zip(available);
        let mut options: Vec<(i128, usize, usize)> = stock
            .filter(|(_, available)| **available > 0)
            .flat_map(|((at, bins), _)| {
                let price = bins.cost * SCALE + self.relaxed.scarcity[at];
                let ways = bins.ways.iter().enumerate();
                ways.filter(|(_, way)| way[first] > 0)
                    .map(move |(index, way)| {
                        let used: Vec<u32> =
                            way.iter().zip(remaining).map(|(n, l)| *n.min(l)).collect();
                        let worth = self.relaxed.worth_of(&used);
                        let gain = i128::from(worth) - i128::from(price);
                        (gain, at, index)
                    })
            })
            .collect();
        options.sort_by_key(|(gain, at, way)| (Reverse(*gain), *at, *way));
        options.into_iter().map(|(_, at, way)| (at, way)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fewest points of an affine space over three elements that meet every line: all points
    /// except a largest cap set, which has 4 points in the plane and 9 in space.
    fn lines_met_by_points(dimensions: u32) -> (Vec<Bins>, Vec<u32>) {
        let points = 3_usize.pow(dimensions);
        let coordinates = |point: usize| (0..dimensions).map(move |at| point / 3_usize.pow(at) % 3);
        let third = |a: usize, b: usize| -> usize {
            let sums = coordinates(a).zip(coordinates(b)).zip(0..);
            sums.map(|((a, b), at)| (6 - a - b) % 3 * 3_usize.pow(at))
                .sum()
        };
        let lines: Vec<[usize; 3]> = (0..points)
            .flat_map(|a| (a + 1..points).map(move |b| (a, b)))
            .map(|(a, b)| [a, b, third(a, b)])
            .filter(|[_, b, c]| b < c)
            .collect();
        let way = |point: usize| -> Vec<u32> {
            let meets = lines.iter().map(|line| line.contains(&point));
            meets.map(u32::from).collect()
        };
        let bins = Bins {
            available: None,
            cost: 1,
            ways: (0..points).map(way).collect(),
        };
        (vec![bins], vec![1; lines.len()])
    }

    #[test]
    fn search_closes_the_gap_of_the_relaxation() {
        let (bins, demand) = lines_met_by_points(2);
        assert_eq!(demand.len(), 12);
        let cover = cover(&bins, &demand).unwrap();
        assert_eq!((cover.cost, cover.bound), (5, 5));
    }

    #[test]
    fn search_without_work_returns_a_weaker_bound() {
        let (bins, demand) = lines_met_by_points(3);
        assert_eq!(demand.len(), 117);
        let cover = cover_within(&bins, &demand, 1000).unwrap();
        assert!(cover.cost >= 18, "{}", cover.cost);
        assert!((9..18).contains(&cover.bound), "{}", cover.bound);
    }
}
