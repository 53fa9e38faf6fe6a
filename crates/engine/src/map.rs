//! The price of an offer in each region.

use std::collections::BTreeMap;

use sky_accel_core::catalog::{CapacityType, Catalog, Price};
use sky_accel_core::money::Usd;
use sky_accel_core::resolve::{CapacityFilter, Match, Request, quote};

use crate::contract::{Num, RegionPriceOut};

/// The price in each requested region, cheapest first.
pub(crate) fn prices<'a>(
    catalog: &Catalog<'a>,
    found: &Match,
    request: &Request,
) -> Vec<RegionPriceOut<'a>> {
    let offer = catalog.offer(found.offer);
    let capacity = match request.capacity_filter {
        CapacityFilter::Spot => Some(CapacityType::Spot),
        CapacityFilter::Any => None,
        CapacityFilter::Unspecified | CapacityFilter::OnDemand => Some(CapacityType::OnDemand),
    };
    let is_of_tier = |price: &Price| {
        let tier = request.price_tier.as_ref();
        tier.is_none_or(|tier| tier.allows(offer.provider, price.tier))
    };
    let is_sold = |price: &Price| {
        capacity.is_none_or(|capacity| price.capacity == capacity)
            && is_of_tier(price)
            && price.count.is_none_or(|count| count == found.count)
    };
    // As in the ranking, prices of the provider's own machines stand before those of private hosts.
    let is_own = |price: &Price| !catalog.is_of_host(&offer, price);
    let mut prices = catalog.prices(&offer).iter();
    let has_own = !request.hosts_are_equal && prices.any(|price| is_sold(&price) && is_own(&price));
    let applies = |price: &Price| is_sold(price) && (!has_own || is_own(price));
    // The likely and the stated price.
    let mut cheapest: BTreeMap<Option<&str>, (Usd, Usd)> = BTreeMap::new();
    for (at, price) in (offer.prices.start..).zip(catalog.prices(&offer).iter()) {
        if !applies(&price) {
            continue;
        }
        let filter = request.regions.as_ref();
        let is_asked = |region| filter.is_none_or(|filter| filter.allows(region));
        if price.region.is_some_and(|region| !is_asked(region)) {
            continue;
        }
        let likely = request.likely.as_ref();
        if likely.is_some_and(|likely| likely.is_too_old(catalog, &price)) {
            continue;
        }
        let quote = quote(catalog, likely, &offer, &price, at, found.count);
        let usd = (quote.likely.usd, quote.usd);
        if request.max_price.is_some_and(|max| usd.0 > max) {
            continue;
        }
        let mut put = |region| {
            let lowest = cheapest.entry(region).or_insert(usd);
            *lowest = usd.min(*lowest);
        };
        // A marketplace price is known where it was observed.
        let sold_in = match offer.regions.len {
            0 => catalog.regions(price.seen_in),
            _ => catalog.regions(offer.regions),
        };
        match price.region {
            Some(region) => put(Some(catalog.region_id(region))),
            None if sold_in.is_empty() => put(None),
            None => {
                let requested = sold_in.iter().filter(|region| is_asked(*region));
                requested.for_each(|region| put(Some(catalog.region_id(region))));
            }
        }
    }
    let mut prices: Vec<_> = cheapest.into_iter().collect();
    prices.sort_by_key(|(region, usd)| (*usd, *region));
    prices
        .into_iter()
        .map(|(region, (likely, stated))| RegionPriceOut {
            region,
            usd_per_hour: Num(stated.decimal()),
            likely_usd_per_hour: Num(likely.decimal()),
        })
        .collect()
}
