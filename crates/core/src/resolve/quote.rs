//! Which of an offer's prices applies.

use super::{Buying, Quote, RegionFilter};
use crate::catalog::{Availability, CapacityType, Catalog, Offer, Price, RegionId};
use crate::money::{Count, Usd};

/// The prices of `count` accelerators of an offer: on demand and spot, both of one region where
/// both are known there.
///
/// What is in stock wins, then the provider's first tier. Among regions: with a filter the cheapest one; else the
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
            let out_of_stock = price.availability == Availability::Unavailable;
            let low = price.availability == Availability::Limited;
            // Without a default region, a price of some region tells more than one of anywhere.
            let away = home.map_or(price.region.is_none(), |home| price.region != Some(home));
            let home_first = prefer_home && home.is_some() && away;
            // Regional figures differ in the last printed digit: a hundredth of a cent is a tie.
            (
                out_of_stock,
                price.tier,
                home_first,
                usd.0 / 100,
                low,
                away,
                *at,
            )
        });
    best.map(|(at, price)| Quote {
        price: offer.prices.start + at as u32,
        usd: total(price, count),
        region: price.region,
    })
}

/// Whether a machine can be rented at the price that ranks it; where that is unknown, at the other.
pub(super) fn availability(
    catalog: &Catalog<'_>,
    on_demand: Option<Quote>,
    spot: Option<Quote>,
    buying: Buying,
) -> Availability {
    let leading = buying.leading(on_demand, spot, |quote| quote.usd);
    let quote = leading.or(on_demand).or(spot);
    quote.map_or(Availability::Unknown, |quote| {
        catalog.prices[quote.price as usize].availability
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
