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

/// Cuts the list to what is asked for and tells how many were left off. Where spot goes first,
/// a third of the places is kept for on-demand machines: a list of spot alone may be dead.
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
    if request.market == Market::SpotFirst && candidates.len() > request.limit {
        let is_spot = |own: &Candidate| own.capacity == CapacityType::Spot;
        let on_demand = candidates.iter().filter(|own| !is_spot(own)).count();
        let kept = on_demand.min(request.limit.div_ceil(3));
        let mut spot_left = request.limit - kept;
        candidates.retain(|own| {
            let keep = !is_spot(own) || spot_left > 0;
            spot_left -= usize::from(is_spot(own) && keep);
            keep
        });
    }
    candidates.truncate(request.limit);
    all - candidates.len()
}
