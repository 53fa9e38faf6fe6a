//! The best candidates of very many offers, of which only those are looked at that can be among them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use super::rank::{Lead, is_later, steps};
use super::{Planner, Request, is_exact};
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

/// The rows of the index that may match a choice.
fn rows(judge: &Judge<'_, '_, '_>) -> impl Iterator<Item = Row> {
    let can_be_rented = |sold: &SoldAccelerator| sold.status != Status::Retired;
    let rows = judge.sold().filter(move |(.., sold)| can_be_rented(sold));
    rows.map(|(judge, candidate, sold)| {
        let is_exact = |count| is_exact(judge.wanted, sold.accelerator, count);
        Row {
            sold,
            least_count: judge.least_count(candidate, &sold),
            is_exact: sold.count.is_none_or(is_exact),
        }
    })
}

/// What makes candidates different ones: a place where each capacity type is taken once, or the number
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
        let unseen = rows(judge).filter(|row| {
            let key = (choice, row.sold.offer);
            !self.looked_at.contains_key(&key)
        });
        unseen.count()
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
    /// are known that nothing else precedes. Returns whether there are so many.
    fn are_enough<T: Iterator<Item = Row>>(
        &mut self,
        choice: usize,
        rows: impl Fn() -> T,
        limit: usize,
    ) -> bool {
        let (catalog, request) = (self.planner.catalog, self.planner.request);
        let mut are_enough = true;
        for &capacity in request.capacity_order.capacities() {
            let mut leaders = Leaders::new(limit);
            let bounds = || {
                rows().filter_map(|row| {
                    let bound = bound(catalog, request, choice, &row, capacity)?;
                    Some((bound, row.sold.offer))
                })
            };
            best_first(bounds, &mut leaders, |offer, leaders| {
                self.look(choice, offer);
                self.add_candidates(choice, offer, capacity, leaders);
            });
            are_enough &= leaders.len() >= limit;
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
        leaders: &mut Leaders<Lead, Subject>,
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
                leaders.add(Lead::of(catalog, way, request.capacity_order), subject);
            }
        }
    }
}

/// What no candidate of an offer precedes; `None` if it has none with this capacity type.
fn bound(
    catalog: &Catalog<'_>,
    request: &Request,
    choice: usize,
    row: &Row,
    capacity: CapacityType,
) -> Option<Lead> {
    let usd = row.sold.at_least(capacity, row.least_count);
    let is_market = || catalog.provider(row.sold.provider).sells == Sells::Marketplace;
    let is_sold = usd.is_some() || capacity == CapacityType::OnDemand || is_market();
    (is_sold && is_affordable(request, usd)).then(|| Lead {
        fails: false,
        choice,
        is_larger: !row.is_exact,
        status: row.sold.status,
        is_later: is_later(capacity, request.capacity_order),
        is_unpriced: usd.is_none(),
        is_region_unverified: false,
        steps: usd.map(steps),
    })
}

/// Whether a machine at a price is within the limits.
fn is_affordable(request: &Request, usd: Option<Usd>) -> bool {
    if request.reserved.is_some() {
        return true;
    }
    let within = |limit: Option<Usd>, cost: Option<Usd>| {
        limit.is_none_or(|limit| cost.is_some_and(|cost| cost <= limit))
    };
    let cost = usd.and_then(|usd| match request.hours {
        Some(_) => request.usd_total(usd),
        None => Some(usd.times(Count::whole(request.nodes))),
    });
    within(request.offers.max_price, usd) && within(request.budget, cost)
}
