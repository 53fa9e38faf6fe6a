//! The search for the best candidates of many offers, which judges only offers that can be among
//! the best.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use super::outlook::Outlook;
use super::planner::{Planner, is_exact};
use super::rank::{CandidateRank, StartRank, is_later, steps};
use super::request::Request;
use super::world::World;
use crate::bind::Candidate;
use crate::catalog::{
    CapacityType, Catalog, OfferId, ProviderId, RegionId, Sells, SoldAccelerator, Status,
};
use crate::money::{Count, Usd};
use crate::resolve::{self, Judge, Leaders, Setback, StockClass, best_first, judges};

/// Finds every candidate that may remain within the limit. Returns the number of offers that were
/// not judged.
pub(super) fn search(planner: &mut Planner<'_, '_>, offers: &resolve::Request) -> usize {
    let judges = judges(planner.catalog, planner.wanted, offers);
    let mut search = CandidateSearch {
        planner,
        judges: &judges,
        looked_at: HashMap::new(),
        sellers: HashSet::new(),
    };
    let choices = 0..judges.len();
    choices.map(|choice| search.choice(choice)).sum()
}

/// A row of the index whose offer may match a choice.
#[derive(Clone, Copy)]
struct IndexRow {
    sold: SoldAccelerator,
    least_count: Count,
    is_exact: bool,
}

impl IndexRow {
    fn new(judge: &Judge<'_, '_, '_>, candidate: Candidate, sold: SoldAccelerator) -> Self {
        let is_exact = |count| is_exact(judge.wanted, sold.accelerator, count);
        Self {
            sold,
            least_count: judge.least_count(candidate, &sold),
            is_exact: sold.count.is_none_or(is_exact),
        }
    }
}

/// Returns the rows of the index that may match a choice, without retired offers.
fn rows(judge: &Judge<'_, '_, '_>) -> impl Iterator<Item = IndexRow> {
    let rows = judge.sold();
    let rows = rows.filter(|(.., sold)| sold.status != Status::Retired);
    rows.map(|(judge, candidate, sold)| IndexRow::new(judge, candidate, sold))
}

/// The identity of a candidate in the ranking: its region, if each region is listed once, or else
/// its index.
type LeaderKey = (usize, ProviderId, Option<RegionId>);

struct CandidateSearch<'s, 'p, 'a> {
    planner: &'s mut Planner<'p, 'a>,
    judges: &'s [Judge<'s, 'p, 'a>],
    /// The candidates of each choice and judged offer.
    looked_at: HashMap<(usize, OfferId), Range<usize>>,
    /// The choices and providers that have candidates.
    sellers: HashSet<(usize, ProviderId)>,
}

impl CandidateSearch<'_, '_, '_> {
    fn choice(&mut self, choice: usize) -> usize {
        let judge = &self.judges[choice];
        let limit = self.planner.request.limit;
        if !self.are_enough(choice, || rows(judge).filter(|row| row.is_exact), limit) {
            self.larger(judge);
        }
        // Indexed by offer: faster than hashing, and there may be a million.
        let mut looked_at = vec![false; self.planner.catalog.offers.len()];
        for (_, offer) in self.looked_at.keys().filter(|(of, _)| *of == choice) {
            if let Some(is_looked_at) = looked_at.get_mut(offer.index()) {
                *is_looked_at = true;
            }
        }
        // One retired offer represents all of them in the list of rejected offers.
        let mut retired = None;
        let mut left_off = 0;
        judge.sold().for_each(|(judge, candidate, sold)| {
            if sold.status == Status::Retired {
                retired.get_or_insert(sold.offer);
            } else if looked_at.get(sold.offer.index()) != Some(&true)
                && self.may_follow(choice, &IndexRow::new(judge, candidate, sold))
            {
                left_off += 1;
            }
        });
        if let Some(offer) = retired {
            self.look(choice, offer);
        }
        left_off
    }

    /// Returns whether an offer that was not judged may be a candidate, ranked after all judged
    /// offers.
    fn may_follow(&self, choice: usize, row: &IndexRow) -> bool {
        let is_smallest = || !self.sellers.contains(&(choice, row.sold.provider));
        (row.is_exact || is_smallest()) && self.may_be_bought(row)
    }

    fn may_be_bought(&self, row: &IndexRow) -> bool {
        let (catalog, request) = (self.planner.catalog, self.planner.request);
        let mut capacities = request.capacity_order.capacities().iter();
        capacities.any(|capacity| {
            is_sold(catalog, row, *capacity)
                && (!has_limits(request) || is_affordable(request, row, *capacity))
        })
    }

    /// Judges the smallest available machines of the providers without an exact machine.
    fn larger(&mut self, judge: &Judge<'_, '_, '_>) {
        #[derive(Default)]
        struct Seller {
            exact: Vec<IndexRow>,
            larger: BTreeMap<Option<Count>, Vec<IndexRow>>,
        }
        let (choice, limit) = (judge.choice, self.planner.request.limit);
        let mut sellers: BTreeMap<ProviderId, Seller> = BTreeMap::new();
        for row in rows(judge) {
            let seller = sellers.entry(row.sold.provider).or_default();
            if row.is_exact {
                seller.exact.push(row);
            } else {
                seller.larger.entry(row.sold.count).or_default().push(row);
            }
        }
        for (provider, Seller { exact, larger }) in sellers {
            self.are_enough(choice, || exact.iter().copied(), 1);
            for machines in larger.into_values() {
                if self.sellers.contains(&(choice, provider)) {
                    break;
                }
                self.are_enough(choice, || machines.iter().copied(), limit);
            }
        }
    }

    /// Judges rows, which are either all exact or all larger, until the best `limit` candidates of
    /// each capacity type are known. Returns whether no larger machine can rank before them either.
    fn are_enough<T: Iterator<Item = IndexRow>>(
        &mut self,
        choice: usize,
        rows: impl Fn() -> T,
        limit: usize,
    ) -> bool {
        let (catalog, request) = (self.planner.catalog, self.planner.request);
        let has_limits = has_limits(request);
        let best = best_outlook(self.planner.world);
        let mut are_enough = true;
        for &capacity in request.capacity_order.capacities() {
            let mut leaders = Leaders::new(limit);
            let sold = || rows().filter(|row| is_sold(catalog, row, capacity));
            let affordable = || {
                let affordable =
                    sold().filter(|row| !has_limits || is_affordable(request, row, capacity));
                affordable.map(|row| {
                    (
                        bound(request, best, choice, &row, capacity).key(),
                        row.sold.offer,
                    )
                })
            };
            best_first(affordable, &mut leaders, |offer, leaders| {
                self.look(choice, offer);
                self.add_candidates(choice, offer, capacity, leaders);
            });
            // The cheapest of the unaffordable offers represents all of them in the list of
            // rejected offers.
            let dear = sold().filter(|row| !is_affordable(request, row, capacity));
            if has_limits
                && let Some(row) =
                    dear.min_by_key(|row| bound(request, best, choice, row, capacity).key())
            {
                self.look(choice, row.sold.offer);
            }
            let larger = CandidateRank {
                fails: false,
                choice,
                start: StartRank::of(best, request.objective),
                is_larger: true,
                status: Status::Offered,
                is_later: false,
                is_unpriced: false,
                setback: Setback::None,
                is_region_unverified: false,
                stock: best.stock,
                steps: Some(0),
            };
            are_enough &= leaders.precede(larger.key());
        }
        are_enough
    }

    /// Makes the candidates of an offer. Earlier choices are judged first, since they claim
    /// machines from later choices.
    fn look(&mut self, choice: usize, offer: OfferId) {
        if self.planner.world.is_stopped() {
            return;
        }
        let catalog = self.planner.catalog;
        let row = catalog.offer(offer);
        let may_be = catalog.accelerators(row.accelerators);
        for judge in &self.judges[..=choice] {
            let key = (judge.choice, offer);
            let mut candidates = judge.wanted.candidates.iter();
            let candidate = candidates.find(|of| may_be.contains(&of.accelerator));
            let Some(candidate) = candidate.filter(|_| !self.looked_at.contains_key(&key)) else {
                continue;
            };
            let before = self.planner.candidates.len();
            judge.offer(*candidate, offer, &mut |verdict| {
                self.planner.judged(judge.choice, offer, verdict);
            });
            let made = before..self.planner.candidates.len();
            if !made.is_empty() {
                self.sellers.insert((judge.choice, row.provider));
            }
            self.looked_at.insert(key, made);
        }
    }

    /// Adds the candidates of an offer to the leaders.
    fn add_candidates(
        &self,
        choice: usize,
        offer: OfferId,
        capacity: CapacityType,
        leaders: &mut Leaders<u128, LeaderKey>,
    ) {
        let Planner {
            catalog,
            request,
            candidates,
            ..
        } = &*self.planner;
        let provider = catalog.offer(offer).provider;
        for at in self
            .looked_at
            .get(&(choice, offer))
            .cloned()
            .unwrap_or_default()
        {
            let way = &candidates[at];
            if way.capacity == capacity {
                let subject = if request.distinct_regions {
                    (0, provider, way.region)
                } else {
                    (at, provider, None)
                };
                leaders.add(CandidateRank::of(catalog, way, request).key(), subject);
            }
        }
    }
}

/// Returns whether an offer may be sold with a capacity type.
fn is_sold(catalog: &Catalog<'_>, row: &IndexRow, capacity: CapacityType) -> bool {
    let is_market = || catalog.provider(row.sold.provider).sells == Sells::Marketplace;
    capacity == CapacityType::OnDemand || row.sold.spot.is_some() || is_market()
}

/// Returns the minimum price of a machine of an offer; `None` when it is unknown.
fn least(row: &IndexRow, capacity: CapacityType) -> Option<Usd> {
    row.sold.at_least(capacity, row.least_count)
}

/// Returns the best outlook of any candidate.
fn best_outlook(world: &dyn World) -> Outlook {
    if world.has_outlook() {
        Outlook {
            stock: StockClass::Available,
            quota: Some(true),
            wait_s: None,
        }
    } else {
        Outlook::default()
    }
}

/// Returns a lower bound for the candidates of an offer.
fn bound(
    request: &Request,
    best: Outlook,
    choice: usize,
    row: &IndexRow,
    capacity: CapacityType,
) -> CandidateRank {
    let usd = least(row, capacity);
    CandidateRank {
        fails: false,
        choice,
        start: StartRank::of(best, request.objective),
        is_larger: !row.is_exact,
        status: row.sold.status,
        is_later: is_later(capacity, request.capacity_order),
        is_unpriced: usd.is_none(),
        setback: Setback::None,
        is_region_unverified: false,
        stock: best.stock,
        steps: usd.map(steps),
    }
}

/// Returns whether a limit on the price applies.
fn has_limits(request: &Request) -> bool {
    let is_limited = request.offers.max_price.is_some() || request.budget.is_some();
    is_limited && request.reserved.is_none()
}

/// Returns whether a machine of an offer may be within the limits.
fn is_affordable(request: &Request, row: &IndexRow, capacity: CapacityType) -> bool {
    let usd = least(row, capacity);
    let within = |limit: Option<Usd>, cost: Option<Usd>| {
        limit.is_none_or(|limit| cost.is_some_and(|cost| cost <= limit))
    };
    let cost = usd.and_then(|usd| match request.hours {
        Some(hours) => request.usd_total(usd, hours),
        None => Some(usd.times(Count::whole(request.nodes))),
    });
    within(request.offers.max_price, usd) && within(request.budget, cost)
}
