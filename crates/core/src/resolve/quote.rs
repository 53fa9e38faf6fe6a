//! Which of an offer's prices applies.

use super::{Quote, RegionFilter};
use crate::catalog::{CapacityType, Catalog, Offer, Price, RegionId};
use crate::money::{Count, Usd};

/// The prices of `count` accelerators of an offer: on demand and spot, both of one region where
/// both are known there.
///
/// The provider's first tier wins. Among regions: with a filter the cheapest one; else the
/// provider's default region if the offer is sold there, so that prices of one provider are
/// comparable; else the cheapest. When spot is what is wanted, its cheapest region leads.
pub(super) fn quotes(
    catalog: &Catalog<'_>,
    offer: &Offer,
    count: Count,
    regions: Option<&RegionFilter>,
    spot_leads: bool,
) -> (Option<Quote>, Option<Quote>) {
    let ask =
        |capacity, only, lowest| quote(catalog, offer, capacity, count, regions, only, lowest);
    if spot_leads && let Some(spot) = ask(CapacityType::Spot, None, true) {
        return (ask(CapacityType::OnDemand, spot.region, false), Some(spot));
    }
    let on_demand = ask(CapacityType::OnDemand, None, false);
    let beside = on_demand.and_then(|quote| quote.region);
    (on_demand, ask(CapacityType::Spot, beside, false))
}

fn quote(
    catalog: &Catalog<'_>,
    offer: &Offer,
    capacity: CapacityType,
    count: Count,
    regions: Option<&RegionFilter>,
    only: Option<RegionId>,
    lowest: bool,
) -> Option<Quote> {
    let home = catalog.provider(offer.provider).default_region;
    let sold_in = catalog.regions(offer.regions);
    let applies = |price: &Price| {
        price.capacity == capacity
            && price.count.is_none_or(|c| c == count)
            && price.region.is_none_or(|r| {
                only.is_none_or(|only| only == r)
                    && (sold_in.is_empty() || sold_in.contains(&r))
                    && regions.is_none_or(|f| f.allows(r))
            })
            && regions.is_none_or(|filter| {
                let seen = catalog.regions(price.seen_in);
                seen.is_empty() || seen.iter().any(|r| filter.allows(*r))
            })
    };
    let prefer_home = regions.is_none() && !lowest;
    let best = catalog
        .prices(offer)
        .iter()
        .enumerate()
        .filter(|(_, price)| applies(price))
        .min_by_key(|(at, price)| {
            let usd = total(price, count);
            let away = price.region != home;
            // Regional figures differ in the last printed digit: a hundredth of a cent is a tie.
            (price.tier, prefer_home && away, usd.0 / 100, away, *at)
        });
    best.map(|(at, price)| Quote {
        price: offer.prices.start + at as u32,
        usd: total(price, count),
        region: price.region,
    })
}

/// What a price comes to for so many accelerators.
pub fn total(price: &Price, count: Count) -> Usd {
    if price.per_accelerator {
        price.usd.times(count)
    } else {
        price.usd
    }
}
