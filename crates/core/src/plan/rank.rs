//! The order of candidates, and how many of them are tried.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::candidate::Candidate;
use super::request::{CapacityOrder, Request};
use crate::catalog::{Availability, CapacityType, Catalog, Status};
use crate::money::Usd;
use crate::resolve::total_price;

/// The first keys in the order of candidates: first those that no check speaks against, then preference, then
/// what is exact, then what needs no reserved block, then spot where it goes first, then what has
/// a good price, is known to be there, and what it costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Lead {
    pub fails: bool,
    pub choice: usize,
    pub is_larger: bool,
    pub status: Status,
    pub is_later: bool,
    pub is_unpriced: bool,
    /// Whether the price is no more than a hint, or what it buys is a share of the accelerators.
    pub is_weak: bool,
    pub is_region_unverified: bool,
    /// Regional figures differ in the last printed digit: a hundredth of a cent is a tie.
    pub steps: Option<u64>,
}

impl Lead {
    pub fn of(catalog: &Catalog<'_>, candidate: &Candidate, order: CapacityOrder) -> Self {
        let found = &candidate.found;
        let offer = catalog.offer(found.offer);
        let price = candidate.quote.map(|quote| catalog.price(quote.price));
        let is_hint = price.is_some_and(|price| price.quality.is_weak());
        Self {
            fails: candidate.fails(),
            choice: found.choice,
            is_larger: !candidate.is_exact,
            status: offer.status,
            is_later: is_later(candidate.capacity, order),
            is_unpriced: candidate.quote.is_none(),
            is_weak: is_hint || offer.is_part(found.count),
            is_region_unverified: found.is_region_unverified(),
            steps: candidate.quote.map(|quote| steps(quote.usd)),
        }
    }

    /// A number in the same order: a million are compared.
    pub fn key(self) -> u128 {
        let parts = [
            (u64::from(self.fails), 1),
            (self.choice as u64, 32),
            (u64::from(self.is_larger), 1),
            (self.status as u64, 8),
            (u64::from(self.is_later), 1),
            (u64::from(self.is_unpriced), 1),
            (u64::from(self.is_weak), 1),
            (u64::from(self.is_region_unverified), 1),
            (u64::from(self.steps.is_some()), 1),
            (self.steps.unwrap_or_default(), 64),
        ];
        let fold = |key, (part, bits)| key << bits | u128::from(part);
        parts.into_iter().fold(0, fold)
    }
}

/// Whether a capacity type comes after the other one, whatever it costs.
pub(super) fn is_later(capacity: CapacityType, order: CapacityOrder) -> bool {
    order == CapacityOrder::SpotFirst && capacity == CapacityType::OnDemand
}

/// Hundredths of a cent.
pub(super) fn steps(usd: Usd) -> u64 {
    usd.0 / 100
}

/// Sorts by [`Lead`] first; the order is total.
///
/// Of candidates without a price the one leads whose type is the cheapest on demand, wherever that
/// price is known, and then the smallest.
pub(super) fn sort(
    catalog: &Catalog<'_>,
    candidates: &mut [Candidate],
    capacity_order: CapacityOrder,
) {
    candidates.sort_by_cached_key(|candidate| {
        let offer = catalog.offer(candidate.found.offer);
        let home = catalog.provider(offer.provider).default_region;
        let quote = candidate.quote;
        let is_low = quote.is_some_and(|quote| quote.availability == Availability::Limited);
        let elsewhere = match quote {
            Some(_) => None,
            None => on_demand_anywhere(catalog, candidate),
        };
        let vcpu = offer.vcpu.map(|vcpu| vcpu as u64);
        (
            Lead::of(catalog, candidate, capacity_order),
            (is_low, Reverse(candidate.capacity)),
            (quote.is_none() && elsewhere.is_none(), elsewhere),
            (candidate.found.count, vcpu.is_none(), vcpu),
            home.is_some() && candidate.region != home,
            (
                offer.provider,
                catalog.str(offer.id),
                candidate.region.map(|region| catalog.region_id(region)),
            ),
            (candidate.found.accelerator, quote.map(|quote| quote.price)),
        )
    });
}

/// The lowest on-demand price that is known of a candidate's type, in whichever region.
fn on_demand_anywhere(catalog: &Catalog<'_>, candidate: &Candidate) -> Option<Usd> {
    let count = candidate.found.count;
    let prices = catalog.prices(&catalog.offer(candidate.found.offer)).iter();
    prices
        .filter(|price| price.capacity == CapacityType::OnDemand)
        .filter(|price| price.count.is_none_or(|of| of == count))
        .map(|price| total_price(&price, count))
        .min()
}

/// Cuts the list to what is asked for and tells how many were left off. Each later choice keeps
/// some places, since it is what one falls back to; where spot goes first, a third of the places
/// is kept for on-demand machines: spot machines alone may all be out of stock.
pub(super) fn cut(
    catalog: &Catalog<'_>,
    candidates: &mut Vec<Candidate>,
    request: &Request,
) -> usize {
    let before = candidates.len();
    if request.distinct_regions {
        let mut seen = BTreeSet::new();
        candidates.retain(|candidate| {
            let provider = catalog.offer(candidate.found.offer).provider;
            seen.insert((provider, candidate.region, candidate.capacity))
        });
    }
    let mut places = Places {
        candidates,
        kept: (0..request.limit.min(candidates.len())).collect(),
    };
    let choices: BTreeSet<usize> = candidates
        .iter()
        .map(|candidate| candidate.found.choice)
        .collect();
    let share = request.limit / (2 * choices.len().max(1));
    for choice in choices.into_iter().skip(1) {
        places.keep(share, share, |candidate| candidate.found.choice == choice);
    }
    if request.capacity_order == CapacityOrder::SpotFirst {
        let is_on_demand = |candidate: &Candidate| candidate.capacity == CapacityType::OnDemand;
        places.keep(request.limit.div_ceil(3), share, is_on_demand);
    }
    let kept = places.kept;
    let mut at = 0..;
    candidates.retain(|_| at.next().is_some_and(|at| kept.contains(&at)));
    before - candidates.len()
}

/// Which candidates stay, by their place in the order.
struct Places<'p> {
    candidates: &'p [Candidate],
    kept: BTreeSet<usize>,
}

impl Places<'_> {
    /// Keeps so many candidates of a kind, the best of them. The last others make room, down to
    /// `share` of each later choice.
    fn keep(&mut self, wanted: usize, share: usize, is_of_kind: impl Fn(&Candidate) -> bool) {
        let of_kind = |at: &usize| is_of_kind(&self.candidates[*at]);
        let choice = |at: usize| self.candidates[at].found.choice;
        let missing = wanted.saturating_sub(self.kept.iter().filter(|at| of_kind(at)).count());
        for _ in 0..missing {
            let others = 0..self.candidates.len();
            let best = others
                .filter(|at| !self.kept.contains(at))
                .find(|at| of_kind(at));
            let may_go = |at: &&usize| {
                let of_choice = self
                    .kept
                    .iter()
                    .filter(|other| choice(**other) == choice(**at));
                !of_kind(at) && (choice(**at) == 0 || of_choice.count() > share)
            };
            let last = self.kept.iter().rev().find(may_go).copied();
            let (Some(best), Some(last)) = (best, last) else {
                return;
            };
            self.kept.remove(&last);
            self.kept.insert(best);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    prop_compose! {
        fn lead()(
            flags in any::<[bool; 5]>(),
            choice in 0_usize..3,
            status in prop::sample::select(&[Status::Offered, Status::SpotOnly, Status::Retired]),
            steps in prop::option::of(prop_oneof![0_u64..3, Just(u64::MAX)]),
        ) -> Lead {
            let [fails, is_larger, is_later, is_weak, is_region_unverified] = flags;
            Lead {
                fails,
                choice,
                is_larger,
                status,
                is_later,
                is_unpriced: steps.is_none(),
                is_weak,
                is_region_unverified,
                steps,
            }
        }
    }

    proptest! {
        #[test]
        fn keys_are_in_the_order_of_leads(a in lead(), b in lead()) {
            prop_assert_eq!(a.key().cmp(&b.key()), a.cmp(&b));
        }
    }
}
