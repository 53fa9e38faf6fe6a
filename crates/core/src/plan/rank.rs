//! The order of candidates, and how many of them are tried.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::{Candidate, Market, Request};
use crate::catalog::{Availability, CapacityType, Catalog};
use crate::resolve::Reason;

/// What no check speaks against, then preference, then what is exact, then what needs no reserved
/// block, then spot where it goes first, then what it costs; the order is total.
pub(super) fn sort(catalog: &Catalog<'_>, candidates: &mut [Candidate], market: Market) {
    candidates.sort_by_cached_key(|own| {
        let offer = catalog.offer(own.found.offer);
        let home = catalog.provider(offer.provider).default_region;
        let low = own
            .quote
            .is_some_and(|quote| quote.availability == Availability::Limited);
        (
            (own.fails(), own.found.choice, !own.is_exact, offer.status),
            market == Market::SpotFirst && own.capacity == CapacityType::OnDemand,
            (
                own.usd_per_hour.is_none(),
                own.found.reasons.contains(&Reason::RegionUnverified),
            ),
            (
                // Regional figures differ in the last printed digit: a hundredth of a cent is a tie.
                own.quote.map(|quote| quote.usd.0 / 100),
                low,
                Reverse(own.capacity),
                own.found.count,
                home.is_some() && own.region != home,
            ),
            (
                offer.provider,
                catalog.str(offer.id),
                own.region.map(|region| catalog.region_id(region)),
            ),
            (own.found.accelerator, own.quote.map(|quote| quote.price)),
        )
    });
}

/// Cuts the list to what is asked for and tells how many were left off. Each later choice keeps
/// some places, since it is what one falls back to; where spot goes first, a third of the places
/// is kept for on-demand machines: a list of spot alone may be dead.
pub(super) fn cut(
    catalog: &Catalog<'_>,
    candidates: &mut Vec<Candidate>,
    request: &Request,
) -> usize {
    let all = candidates.len();
    if request.distinct_regions {
        let mut seen = BTreeSet::new();
        candidates.retain(|own| {
            let provider = catalog.offer(own.found.offer).provider;
            seen.insert((provider, own.region, own.capacity))
        });
    }
    let mut places = Places {
        candidates,
        kept: (0..request.limit.min(candidates.len())).collect(),
    };
    let choices: BTreeSet<usize> = candidates.iter().map(|own| own.found.choice).collect();
    let share = request.limit / (2 * choices.len().max(1));
    for choice in choices.into_iter().skip(1) {
        places.keep(share, share, |own| own.found.choice == choice);
    }
    if request.market == Market::SpotFirst {
        let is_on_demand = |own: &Candidate| own.capacity == CapacityType::OnDemand;
        places.keep(request.limit.div_ceil(3), share, is_on_demand);
    }
    let kept = places.kept;
    let mut at = 0..;
    candidates.retain(|_| at.next().is_some_and(|at| kept.contains(&at)));
    all - candidates.len()
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
                let own = self
                    .kept
                    .iter()
                    .filter(|other| choice(**other) == choice(**at));
                !of_kind(at) && (choice(**at) == 0 || own.count() > share)
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
