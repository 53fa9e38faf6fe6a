//! The best candidates of very many offers, of which only those are looked at that can be among them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use super::planner::{Planner, is_exact};
use super::rank::{Lead, is_later, steps};
use super::request::Request;
use crate::bind::Candidate;
use crate::catalog::{
    CapacityType, Catalog, OfferId, ProviderId, RegionId, Sells, SoldAccelerator, Status,
};
use crate::money::{Count, Usd};
use crate::resolve::{self, Judge, Leaders, best_first, judges};

/// Finds every candidate that may remain when the list is cut. Returns the number of offers that were
/// not looked at.
pub(super) fn search(planner: &mut Planner<'_, '_>, offers: &resolve::Request) -> usize {
    let judges = judges(planner.catalog, planner.wanted, offers);
    let mut search = Search {
        planner,
        judges: &judges,
        looked_at: HashMap::new(),
        sellers: HashSet::new(),
    };
    let choices = 0..judges.len();
    choices.map(|choice| search.choice(choice)).sum()
}

/// An offer that may match a choice, as the index tells.
#[derive(Clone, Copy)]
struct Row {
    sold: SoldAccelerator,
    least_count: Count,
    is_exact: bool,
}

impl Row {
    fn new(judge: &Judge<'_, '_, '_>, candidate: Candidate, sold: SoldAccelerator) -> Self {
        let is_exact = |count| is_exact(judge.wanted, sold.accelerator, count);
        Self {
            sold,
            least_count: judge.least_count(candidate, &sold),
            is_exact: sold.count.is_none_or(is_exact),
        }
    }
}

/// The rows of the index that may match a choice, without those that are retired.
fn rows(judge: &Judge<'_, '_, '_>) -> impl Iterator<Item = Row> {
    let rows = judge.sold();
    let rows = rows.filter(|(.., sold)| sold.status != Status::Retired);
    rows.map(|(judge, candidate, sold)| Row::new(judge, candidate, sold))
}

/// The property in which candidates differ: a place where each capacity type is taken once, or the number
/// of the candidate.
type Subject = (usize, ProviderId, Option<RegionId>);

struct Search<'s, 'p, 'a> {
    planner: &'s mut Planner<'p, 'a>,
    judges: &'s [Judge<'s, 'p, 'a>],
    /// The candidates of each choice and offer that was looked at.
    looked_at: HashMap<(usize, OfferId), Range<usize>>,
    /// The choices and providers that have candidates.
    sellers: HashSet<(usize, ProviderId)>,
}

impl Search<'_, '_, '_> {
    fn choice(&mut self, choice: usize) -> usize {
        let judge = &self.judges[choice];
        let limit = self.planner.request.limit;
        if !self.are_enough(choice, || rows(judge).filter(|row| row.is_exact), limit) {
            self.larger(judge);
        }
        // By index: there are a million to ask for.
        let mut looked_at = vec![false; self.planner.catalog.offers.len()];
        for (_, offer) in self.looked_at.keys().filter(|(of, _)| *of == choice) {
            if let Some(is_looked_at) = looked_at.get_mut(offer.index()) {
                *is_looked_at = true;
            }
        }
        // One that is retired stands for them all.
        let mut retired = None;
        let mut left_off = 0;
        judge.sold().for_each(|(judge, candidate, sold)| {
            if sold.status == Status::Retired {
                retired.get_or_insert(sold.offer);
            } else if looked_at.get(sold.offer.index()) != Some(&true)
                && self.may_follow(choice, &Row::new(judge, candidate, sold))
            {
                left_off += 1;
            }
        });
        if let Some(offer) = retired {
            self.look(choice, offer);
        }
        left_off
    }

    /// Whether an offer that was not looked at may be a candidate behind all that were looked at.
    fn may_follow(&self, choice: usize, row: &Row) -> bool {
        let is_smallest = || !self.sellers.contains(&(choice, row.sold.provider));
        (row.is_exact || is_smallest()) && self.may_be_bought(row)
    }

    fn may_be_bought(&self, row: &Row) -> bool {
        let (catalog, request) = (self.planner.catalog, self.planner.request);
        let mut capacities = request.capacity_order.capacities().iter();
        capacities.any(|capacity| {
            is_sold(catalog, row, *capacity)
                && (!has_limits(request) || is_affordable(request, row, *capacity))
        })
    }

    /// Looks at larger machines, of those providers that have nothing exact: at the smallest that can
    /// be had.
    fn larger(&mut self, judge: &Judge<'_, '_, '_>) {
        #[derive(Default)]
        struct Seller {
            exact: Vec<Row>,
            larger: BTreeMap<Option<Count>, Vec<Row>>,
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

    /// Looks at rows, which are all exact or all larger, until so many candidates of each capacity type
    /// are known that no other of these rows precedes. Returns whether no larger machine does either.
    fn are_enough<T: Iterator<Item = Row>>(
        &mut self,
        choice: usize,
        rows: impl Fn() -> T,
        limit: usize,
    ) -> bool {
        let (catalog, request) = (self.planner.catalog, self.planner.request);
        let has_limits = has_limits(request);
        let mut are_enough = true;
        for &capacity in request.capacity_order.capacities() {
            let mut leaders = Leaders::new(limit);
            let sold = || rows().filter(|row| is_sold(catalog, row, capacity));
            let affordable = || {
                let affordable =
                    sold().filter(|row| !has_limits || is_affordable(request, row, capacity));
                affordable.map(|row| (bound(request, choice, &row, capacity).key(), row.sold.offer))
            };
            best_first(affordable, &mut leaders, |offer, leaders| {
                self.look(choice, offer);
                self.add_candidates(choice, offer, capacity, leaders);
            });
            // The cheapest of those that cost too much stands for them all.
            let dear = sold().filter(|row| !is_affordable(request, row, capacity));
            if has_limits
                && let Some(row) =
                    dear.min_by_key(|row| bound(request, choice, row, capacity).key())
            {
                self.look(choice, row.sold.offer);
            }
            let larger = Lead {
                fails: false,
                choice,
                is_larger: true,
                status: Status::Offered,
                is_later: false,
                is_unpriced: false,
                is_weak: false,
                is_region_unverified: false,
                steps: Some(0),
            };
            are_enough &= leaders.precede(larger.key());
        }
        are_enough
    }

    /// Makes the candidates of an offer. What an earlier choice has of it is no candidate of a later one.
    fn look(&mut self, choice: usize, offer: OfferId) {
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

    /// Adds the candidates of an offer to those that lead.
    fn add_candidates(
        &self,
        choice: usize,
        offer: OfferId,
        capacity: CapacityType,
        leaders: &mut Leaders<u128, Subject>,
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
                leaders.add(
                    Lead::of(catalog, way, request.capacity_order).key(),
                    subject,
                );
            }
        }
    }
}

/// Whether an offer may be sold with a capacity type.
fn is_sold(catalog: &Catalog<'_>, row: &Row, capacity: CapacityType) -> bool {
    let is_market = || catalog.provider(row.sold.provider).sells == Sells::Marketplace;
    capacity == CapacityType::OnDemand || row.sold.spot.is_some() || is_market()
}

/// The least that a machine of an offer costs; `None` where that is unknown.
fn least(row: &Row, capacity: CapacityType) -> Option<Usd> {
    row.sold.at_least(capacity, row.least_count)
}

/// A lower bound for the candidates of an offer.
fn bound(request: &Request, choice: usize, row: &Row, capacity: CapacityType) -> Lead {
    let usd = least(row, capacity);
    Lead {
        fails: false,
        choice,
        is_larger: !row.is_exact,
        status: row.sold.status,
        is_later: is_later(capacity, request.capacity_order),
        is_unpriced: usd.is_none(),
        is_weak: false,
        is_region_unverified: false,
        steps: usd.map(steps),
    }
}

/// Whether anything may cost too much.
fn has_limits(request: &Request) -> bool {
    let is_limited = request.offers.max_price.is_some() || request.budget.is_some();
    is_limited && request.reserved.is_none()
}

/// Whether a machine of an offer may be within the limits.
fn is_affordable(request: &Request, row: &Row, capacity: CapacityType) -> bool {
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
