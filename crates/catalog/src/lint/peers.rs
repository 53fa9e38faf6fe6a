//! Prices to compare the prices of an offer with: its other prices, and prices of similar offers.

use std::collections::HashMap;

use sky_accel_core::catalog::{CapacityType, Catalog, Offer, OfferId, Price, ProviderId, Status};
use sky_accel_core::money::Count;

use super::usual::{UsualPrices, each_of};

/// The maximum number of other machines that a price is compared with.
const MAX_SIBLINGS: usize = 64;

/// Prices to compare the prices of an offer with.
pub(super) struct Peers<'a> {
    /// The offer's prices without the user's files.
    pub shipped: Vec<Price>,
    /// The usual prices of the device, without the user's files; none for a provider that the embedded catalog does not
    /// have, because the price of a private machine is arbitrary.
    pub usual: UsualPrices,
    /// The prices of the device at other providers, without the user's files; `None` if they are too few.
    pub others: Option<OtherProviders>,
    /// The offer's on-demand prices by region.
    on_demand: HashMap<Option<&'a str>, Vec<Price>>,
    /// The on-demand prices of the whole offer by region, from the lowest.
    costs: HashMap<Option<&'a str>, Vec<f64>>,
    /// The same in all regions, from the lowest.
    all_costs: Vec<f64>,
    /// The prices that follow from other machines of a provider that is not shipped, from the lowest.
    like_siblings: Vec<f64>,
}

/// The on-demand prices of one device in the embedded catalog.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct OtherProviders {
    /// The median over the other providers of the lowest price of each.
    pub median: f64,
    /// The highest price of the provider itself; 0 if it has none.
    pub highest_of_provider: f64,
}

/// The minimum number of other providers with a price of a device for a median.
const MIN_PROVIDERS: usize = 3;

impl Peers<'_> {
    /// Returns the on-demand prices that hold in a region, or in any region.
    pub(super) fn on_demand<'p>(
        &'p self,
        region: Option<&'p str>,
    ) -> impl Iterator<Item = &'p Price> {
        let named = region.map(|name| [None, Some(name)]);
        let named = named.into_iter().flatten();
        let named = named.filter_map(|place| self.on_demand.get(&place));
        let any = region.is_none().then(|| self.on_demand.values());
        named.chain(any.into_iter().flatten()).flatten()
    }

    /// Returns whether the whole offer has an on-demand price in a range, in any region.
    pub(super) fn costs_between(&self, low: f64, high: f64) -> bool {
        has_between(&self.all_costs, low, high) || has_between(&self.like_siblings, low, high)
    }

    /// Returns whether the whole offer has an on-demand price in a range, in one region.
    pub(super) fn costs_between_in(&self, region: Option<&str>, low: f64, high: f64) -> bool {
        let there = self.costs.get(&region).map_or(&[][..], Vec::as_slice);
        has_between(there, low, high) || has_between(&self.like_siblings, low, high)
    }
}

/// Returns whether an ascending list has an amount in a range.
fn has_between(ascending: &[f64], low: f64, high: f64) -> bool {
    let at = ascending.partition_point(|amount| *amount < low);
    ascending.get(at).is_some_and(|amount| *amount <= high)
}

/// The catalogs that prices are compared in.
pub(super) struct PeerSearch<'l, 'a> {
    pub catalog: &'l Catalog<'a>,
    /// The catalog without the user's files.
    pub shipped: &'l Catalog<'a>,
}

impl<'a> PeerSearch<'_, 'a> {
    /// Gathers the prices that the prices of an offer are compared with.
    pub(super) fn gather(&self, id: OfferId) -> Peers<'a> {
        let (catalog, shipped) = (self.catalog, self.shipped);
        let offer = catalog.offer(id);
        let provider = catalog.provider_id(offer.provider);
        let is_shipped = shipped.provider_named(provider).is_some();
        let is_on_demand = |price: &Price| price.capacity == CapacityType::OnDemand;
        let count = offer.count.map_or(1.0, Count::decimal);
        let mut on_demand: HashMap<Option<&'a str>, Vec<Price>> = HashMap::new();
        let mut costs: HashMap<Option<&'a str>, Vec<f64>> = HashMap::new();
        for price in catalog.prices(&offer).iter().filter(is_on_demand) {
            let region = price.region.map(|id| catalog.region_id(id));
            on_demand.entry(region).or_default().push(price);
            // A marketplace has a separate price for each count.
            if price.count.is_none() {
                costs.entry(region).or_default().push(whole(&price, count));
            }
        }
        let before = self.shipped_prices(&offer);
        let of_any_count = |price: &&Price| is_on_demand(price) && price.count.is_none();
        for price in before.iter().filter(of_any_count) {
            let region = price.region.map(|id| shipped.region_id(id));
            costs.entry(region).or_default().push(whole(price, count));
        }
        for amounts in costs.values_mut() {
            amounts.sort_unstable_by(f64::total_cmp);
        }
        let mut all_costs: Vec<f64> = costs.values().flatten().copied().collect();
        all_costs.sort_unstable_by(f64::total_cmp);
        let siblings = if is_shipped {
            Vec::new()
        } else {
            self.siblings(id)
        };
        let mut like_siblings: Vec<f64> = siblings.iter().map(|each| each * count).collect();
        like_siblings.sort_unstable_by(f64::total_cmp);
        Peers {
            shipped: before,
            usual: self.usual(&offer),
            others: self.others(&offer),
            on_demand,
            costs,
            all_costs,
            like_siblings,
        }
    }

    /// Returns the prices of an offer without the user's files.
    fn shipped_prices(&self, offer: &Offer) -> Vec<Price> {
        let (catalog, shipped) = (self.catalog, self.shipped);
        let (provider, id) = (catalog.provider_id(offer.provider), catalog.str(offer.id));
        let accelerator = catalog.accelerator_id(offer.accelerator);
        let Some(provider) = shipped.provider_named(provider) else {
            return Vec::new();
        };
        let same = shipped
            .offers_with_id(provider, id)
            .map(|id| shipped.offer(id));
        let same = same.filter(|other| shipped.accelerator_id(other.accelerator) == accelerator);
        same.flat_map(|other| shipped.prices(&other)).collect()
    }

    /// Returns the on-demand prices of one device in other machines of the same provider.
    fn siblings(&self, id: OfferId) -> Vec<f64> {
        let catalog = self.catalog;
        let offer = catalog.offer(id);
        let is_sibling = |other: &Offer| {
            other.provider == offer.provider
                && other.accelerator == offer.accelerator
                && other.status != Status::Retired
        };
        let prices_of = |other: Offer| -> Vec<f64> {
            let Some(count) = other.count else {
                return Vec::new();
            };
            let prices = catalog.prices(&other).iter();
            prices
                .filter(|price| price.capacity == CapacityType::OnDemand && price.count.is_none())
                .map(|price| each_of(&price, count))
                .collect()
        };
        let others = catalog
            .offers_of(offer.accelerator)
            .filter(|other| *other != id);
        let others = others.map(|other| catalog.offer(other)).filter(is_sibling);
        others.take(MAX_SIBLINGS).flat_map(prices_of).collect()
    }

    /// Returns the prices of the device at other providers, without the user's files.
    fn others(&self, offer: &Offer) -> Option<OtherProviders> {
        let (catalog, shipped) = (self.catalog, self.shipped);
        let name = catalog.accelerator_id(offer.accelerator);
        let mut ids = shipped.accelerator_ids();
        let device = ids.find(|id| shipped.accelerator_id(*id) == name)?;
        let provider = catalog.provider_id(offer.provider);
        let mut lowest: HashMap<ProviderId, f64> = HashMap::new();
        let mut highest_of_provider = 0.0_f64;
        let offers = shipped.offers_of(device).map(|id| shipped.offer(id));
        let offers = offers.filter(|it| it.accelerator == device && it.status != Status::Retired);
        for other in offers {
            let prices = shipped.prices(&other).iter();
            for price in prices.filter(|price| price.capacity == CapacityType::OnDemand) {
                let each = each_of(&price, price.count.or(other.count).unwrap_or(Count::ONE));
                if shipped.provider_id(other.provider) == provider {
                    highest_of_provider = highest_of_provider.max(each);
                } else {
                    let low = lowest.entry(other.provider).or_insert(each);
                    *low = low.min(each);
                }
            }
        }
        let mut lowest: Vec<f64> = lowest.into_values().collect();
        lowest.sort_unstable_by(f64::total_cmp);
        let median = lowest.get(lowest.len() / 2).copied()?;
        (lowest.len() >= MIN_PROVIDERS).then_some(OtherProviders {
            median,
            highest_of_provider,
        })
    }

    /// Returns the usual prices of the device, without the user's files.
    fn usual(&self, offer: &Offer) -> UsualPrices {
        let shipped = self.shipped;
        let name = self.catalog.accelerator_id(offer.accelerator);
        let device = shipped
            .accelerator_ids()
            .find(|id| shipped.accelerator_id(*id) == name);
        let provider = shipped.provider_named(self.catalog.provider_id(offer.provider));
        device
            .zip(provider)
            .map(|(device, provider)| UsualPrices::of(shipped, device, provider))
            .unwrap_or_default()
    }
}

/// Returns a price for `count` devices, in US dollars per hour.
pub(super) fn whole(price: &Price, count: f64) -> f64 {
    let usd = price.usd.decimal();
    if price.per_accelerator {
        usd * count
    } else {
        usd
    }
}

#[cfg(test)]
mod tests {
    use super::has_between;

    #[test]
    fn finds_an_amount_in_a_range() {
        let ascending = [1.0, 2.0, 2.0, 4.0];
        for (low, high, is_found) in [
            (1.5, 2.5, true),
            (2.0, 2.0, true),
            (2.5, 3.9, false),
            (4.1, 9.0, false),
            (0.0, 0.9, false),
        ] {
            assert_eq!(has_between(&ascending, low, high), is_found, "{low} {high}");
        }
        assert!(!has_between(&[], 0.0, 9.0));
    }
}
