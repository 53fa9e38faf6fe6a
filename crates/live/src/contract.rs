//! Prices that the user agreed on with a provider hold in live answers too.

use sky_accel_core::catalog::{Price, PriceKind};
use sky_accel_core::money::Count;

/// Returns the live prices of an offer with the amounts of the user's contract, which are among the
/// `known` prices of the catalog. A live price keeps its stock; a contract in a region that the
/// answer does not name adds a price.
pub(crate) fn with_contract(
    known: impl Iterator<Item = Price>,
    count: Count,
    mut prices: Vec<Price>,
) -> Vec<Price> {
    let agreed = known.filter(|price| {
        let is_of_count = price.count.is_none_or(|of| of == count);
        price.kind == PriceKind::Contract && is_of_count
    });
    let mut agreed: Vec<Price> = agreed.collect();
    // The price in a region takes precedence over a price in all regions.
    agreed.sort_by_key(|price| price.region.is_some());
    for contract in agreed {
        let mut is_answered = false;
        let same = prices.iter_mut().filter(|price| {
            (price.capacity, price.tier) == (contract.capacity, contract.tier)
                && (contract.region.is_none() || contract.region == price.region)
        });
        for price in same {
            is_answered = true;
            *price = Price {
                region: price.region,
                availability: price.availability,
                zone: price.zone,
                listing: price.listing,
                ..contract
            };
        }
        if !is_answered {
            prices.push(contract);
        }
    }
    prices
}

#[cfg(test)]
mod tests {
    use sky_accel_core::catalog::{Availability, CapacityType, RegionId};
    use sky_accel_core::money::Usd;
    use sky_accel_embedded::TEST_CATALOG as CATALOG;

    use super::*;

    #[test]
    fn the_amount_is_the_contracts_and_the_stock_is_live() {
        let (here, elsewhere) = (Some(RegionId(1)), Some(RegionId(2)));
        let listed = CATALOG.prices.iter().next().unwrap();
        let price = |kind, usd, region| Price {
            kind,
            region,
            capacity: CapacityType::OnDemand,
            count: None,
            usd: Usd(usd),
            ..listed
        };
        let known = || [price(PriceKind::Contract, 5, here), listed].into_iter();
        let live = |region| Price {
            availability: Availability::Limited,
            ..price(PriceKind::Live, 90, region)
        };
        let answer = vec![live(here), live(elsewhere)];
        let prices = with_contract(known(), Count::ONE, answer);
        let shown: Vec<_> = prices
            .iter()
            .map(|price| (price.kind, price.usd.0, price.availability))
            .collect();
        assert_eq!(
            shown,
            [
                (PriceKind::Contract, 5, Availability::Limited),
                (PriceKind::Live, 90, Availability::Limited),
            ]
        );
        let prices = with_contract(known(), Count::ONE, vec![live(elsewhere)]);
        assert_eq!(prices.len(), 2);
    }
}
