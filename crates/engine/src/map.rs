//! The price of an offer in each region.

use std::collections::BTreeMap;

use sky_accel_core::catalog::{CapacityType, Catalog, Price};
use sky_accel_core::money::Usd;
use sky_accel_core::resolve::{Buying, Match, Request, total_price};

use crate::contract::{Num, RegionPriceOut};

/// The price in each region that is asked for, the cheapest first.
pub(crate) fn prices<'a>(
    catalog: &Catalog<'a>,
    found: &Match,
    request: &Request,
) -> Vec<RegionPriceOut<'a>> {
    let offer = catalog.offer(found.offer);
    let capacity = match request.buying {
        Buying::Spot => Some(CapacityType::Spot),
        Buying::Any => None,
        Buying::Unspecified | Buying::OnDemand => Some(CapacityType::OnDemand),
    };
    let applies = |price: &&Price| {
        capacity.is_none_or(|own| price.capacity == own)
            && price.count.is_none_or(|count| count == found.count)
    };
    // Of the tiers the provider's first, as in the table.
    let mut cheapest: BTreeMap<Option<&str>, (u8, Usd)> = BTreeMap::new();
    for price in catalog.prices(offer).iter().filter(applies) {
        let filter = request.regions.as_ref();
        let is_asked = |region| filter.is_none_or(|filter| filter.allows(region));
        if price.region.is_some_and(|region| !is_asked(region)) {
            continue;
        }
        let usd = total_price(price, found.count);
        if request.max_price.is_some_and(|max| usd > max) {
            continue;
        }
        let mut put = |region| {
            let own = cheapest.entry(region).or_insert((price.tier, usd));
            *own = (price.tier, usd).min(*own);
        };
        let sold_in = catalog.regions(offer.regions);
        match price.region {
            Some(region) => put(Some(catalog.region_id(region))),
            None if sold_in.is_empty() => put(None),
            None => {
                let own = sold_in.iter().filter(|region| is_asked(**region));
                own.for_each(|region| put(Some(catalog.region_id(*region))));
            }
        }
    }
    let mut all: Vec<_> = cheapest.into_iter().collect();
    all.sort_by_key(|(region, (_, usd))| (*usd, *region));
    all.into_iter()
        .map(|(region, (_, usd))| RegionPriceOut {
            region,
            usd_per_hour: Num(usd.decimal()),
        })
        .collect()
}
