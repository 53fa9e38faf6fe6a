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

#[cfg(test)]
mod tests {
    use sky_accel_core::resolve::PriceBasis;

    use crate::contract::{OfferOut, RegionPriceOut};
    use crate::{Engine, OfferFilter, ResolveRequest};

    use super::*;

    fn offers(offers: OfferFilter) -> Vec<OfferOut<'static>> {
        let request = ResolveRequest {
            specs: vec!["H100:x8".into()],
            offers,
            map: true,
            ..ResolveRequest::default()
        };
        let answer = Engine::embedded().resolve(&request).unwrap();
        answer.envelope.results
    }

    /// All prices of all offers, each with its offer.
    fn prices<'o>(
        offers: &'o [OfferOut<'static>],
    ) -> impl Iterator<Item = (&'o OfferOut<'static>, &'o RegionPriceOut<'static>)> {
        let of_offer = |offer: &'o OfferOut<'static>| {
            offer.region_prices.iter().map(move |price| (offer, price))
        };
        offers.iter().flat_map(of_offer)
    }

    #[test]
    fn regions_are_sorted_by_price_and_the_first_one_ranks_the_offer() {
        let offers = offers(OfferFilter::default());
        let mut several = 0;
        for offer in &offers {
            let id = offer.instance_type;
            let keys = offer.region_prices.iter();
            let keys = keys.map(|price| (price.likely_usd_per_hour.0, price.usd_per_hour.0));
            let keys: Vec<(f64, f64)> = keys.collect();
            assert!(keys.is_sorted(), "{id}");
            several += usize::from(keys.len() > 1);
            let ranking = offer
                .on_demand
                .as_ref()
                .map(|price| price.likely_usd_per_hour.0);
            assert_eq!(keys.first().map(|(likely, _)| *likely), ranking, "{id}");
        }
        assert!(
            several > 3,
            "{several} offers have prices in several regions"
        );
    }

    #[test]
    fn only_requested_regions_have_prices() {
        let filter = OfferFilter {
            regions: vec!["us-*".to_owned()],
            ..OfferFilter::default()
        };
        let offers = offers(filter);
        let named: Vec<&str> = prices(&offers)
            .filter_map(|(_, price)| price.region)
            .collect();
        assert!(!named.is_empty());
        assert!(
            named
                .iter()
                .all(|region| region.to_lowercase().starts_with("us-")),
            "{named:?}"
        );
    }

    #[test]
    fn prices_are_of_the_requested_capacity_type() {
        let of_type = |capacity_type| {
            let offers = offers(OfferFilter {
                capacity_type,
                ..OfferFilter::default()
            });
            let lowest = offers.into_iter().filter_map(|offer| {
                let spot = offer.spot.as_ref()?.likely_usd_per_hour;
                let first = offer.region_prices.first()?.likely_usd_per_hour;
                Some((offer.instance_type, first == spot))
            });
            lowest.collect::<Vec<_>>()
        };
        let spot = of_type(CapacityFilter::Spot);
        assert!(
            !spot.is_empty() && spot.iter().all(|(_, is_spot)| *is_spot),
            "{spot:?}"
        );
        let any = of_type(CapacityFilter::Any);
        assert!(any.iter().any(|(_, is_spot)| *is_spot));
        let on_demand = of_type(CapacityFilter::OnDemand);
        assert!(
            on_demand.iter().all(|(_, is_spot)| !is_spot),
            "{on_demand:?}"
        );
    }

    #[test]
    fn limits_apply_to_the_price_that_ranks() {
        let all = offers(OfferFilter::default());
        let mut likely: Vec<f64> = prices(&all)
            .map(|(_, price)| price.likely_usd_per_hour.0)
            .collect();
        likely.sort_by(f64::total_cmp);
        let limit = likely[likely.len() / 2];
        for basis in [PriceBasis::Likely, PriceBasis::Stated] {
            let below = offers(OfferFilter {
                max_price: Some(Num(limit)),
                price: basis,
                ..OfferFilter::default()
            });
            let ranking = |price: &RegionPriceOut<'_>| match basis {
                PriceBasis::Likely => price.likely_usd_per_hour.0,
                PriceBasis::Stated => price.usd_per_hour.0,
            };
            let highest = prices(&below)
                .map(|(_, price)| ranking(price))
                .fold(0.0, f64::max);
            assert!(
                highest > 0.0 && highest <= limit,
                "{basis:?}: {highest} of {limit}"
            );
        }
    }

    #[test]
    fn old_prices_are_left_out() {
        let of_age = |days: u64| {
            let offers = offers(OfferFilter {
                max_age_s: Some(days * 86_400),
                ..OfferFilter::default()
            });
            prices(&offers).count()
        };
        let (all, young) = (of_age(100_000), of_age(100));
        assert!(0 < young && young < all, "{young} of {all}");
    }
}
