//! Detection of wrong prices, by comparison with the catalog.

use std::collections::HashMap;

use sky_accel_catalog::UsualPrices;
use sky_accel_core::catalog::{AcceleratorId, CapacityType, Catalog, Offer, PriceKind, ProviderId};
use sky_accel_core::money::{Count, Usd};

/// The factor above or below the known prices at which a price counts as an error of its feed.
const FACTOR: u64 = 3;

/// The same for the answer to an account, which may have its own prices.
const ACCOUNT_FACTOR: u64 = 5;

/// The usual prices of devices, which the checks of a catalog use too. Every live price is compared
/// with them.
#[derive(Debug)]
pub(crate) struct DevicePrices {
    provider: ProviderId,
    by_device: HashMap<AcceleratorId, UsualPrices>,
}

impl DevicePrices {
    /// Creates the usual prices for the offers of a provider.
    pub(crate) fn new(provider: ProviderId) -> Self {
        Self {
            provider,
            by_device: HashMap::new(),
        }
    }

    /// Returns the usual prices of one of several possible devices.
    pub(crate) fn of(&mut self, catalog: &Catalog<'_>, devices: &[AcceleratorId]) -> UsualPrices {
        let of_device = devices.iter().map(|device| {
            let usual = self.by_device.entry(*device);
            *usual.or_insert_with(|| UsualPrices::of(catalog, *device, self.provider))
        });
        of_device.fold(UsualPrices::default(), UsualPrices::or)
    }
}

/// The lowest and the highest known price of an offer, on-demand and spot.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KnownPrices {
    /// True if the prices are compared with those of an account.
    is_account: bool,
    on_demand: Option<(Usd, Usd)>,
    spot: Option<(Usd, Usd)>,
}

impl KnownPrices {
    /// Collects the list prices of an offer with `count` accelerators, in all its regions.
    pub(crate) fn of(catalog: &Catalog<'_>, offer: &Offer, count: Count) -> Self {
        let mut prices = Self::default();
        for price in catalog.prices(offer) {
            // Prices of a marketplace vary from day to day, and those of a contract are not published,
            // so they are no reference.
            if matches!(
                price.kind,
                PriceKind::Snapshot | PriceKind::Live | PriceKind::Contract
            ) {
                continue;
            }
            let usd = if price.per_accelerator {
                price.usd.times(count)
            } else {
                price.usd
            };
            let range = match price.capacity {
                CapacityType::OnDemand => &mut prices.on_demand,
                CapacityType::Spot => &mut prices.spot,
            };
            let (low, high) = range.unwrap_or((usd, usd));
            *range = Some((low.min(usd), high.max(usd)));
        }
        prices
    }

    /// Returns the same prices, as a reference for the prices of an account: its discounts are not
    /// published, and its spot market moves away from list prices.
    #[must_use]
    pub(crate) fn for_account(self, is_account: bool) -> Self {
        Self { is_account, ..self }
    }

    /// Returns true if a price is plausible: less than three times above or below the known prices,
    /// and for spot at most the highest on-demand price. For an account, less than five times.
    pub(crate) fn allows(&self, capacity: CapacityType, usd: Usd) -> bool {
        let factor = if self.is_account {
            ACCOUNT_FACTOR
        } else {
            FACTOR
        };
        let is_near = |range: Option<(Usd, Usd)>| {
            range.is_none_or(|(low, high)| {
                usd.0.saturating_mul(factor) > low.0 && usd.0 < high.0.saturating_mul(factor)
            })
        };
        match capacity {
            CapacityType::OnDemand => is_near(self.on_demand),
            CapacityType::Spot => {
                let is_below = self.on_demand.is_none_or(|(_, high)| usd <= high);
                is_near(self.spot) && (is_below || self.is_account)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_prices_far_from_known_prices() {
        let prices = KnownPrices {
            on_demand: Some((Usd(300), Usd(400))),
            spot: Some((Usd(90), Usd(120))),
            ..KnownPrices::default()
        };
        for (capacity, usd, allowed) in [
            (CapacityType::OnDemand, 350, true),
            (CapacityType::OnDemand, 101, true),
            (CapacityType::OnDemand, 100, false),
            (CapacityType::OnDemand, 1199, true),
            (CapacityType::OnDemand, 1200, false),
            (CapacityType::Spot, 31, true),
            (CapacityType::Spot, 30, false),
            (CapacityType::Spot, 359, true),
            (CapacityType::Spot, 401, false),
        ] {
            assert_eq!(
                prices.allows(capacity, Usd(usd)),
                allowed,
                "{capacity:?} {usd}"
            );
        }
        let of_account = prices.for_account(true);
        for (capacity, usd, allowed) in [
            (CapacityType::OnDemand, 61, true),
            (CapacityType::OnDemand, 60, false),
            (CapacityType::OnDemand, 1999, true),
            (CapacityType::Spot, 19, true),
            (CapacityType::Spot, 18, false),
            (CapacityType::Spot, 599, true),
        ] {
            assert_eq!(
                of_account.allows(capacity, Usd(usd)),
                allowed,
                "{capacity:?} {usd}"
            );
        }
        assert!(KnownPrices::default().allows(CapacityType::OnDemand, Usd(1)));
    }
}
