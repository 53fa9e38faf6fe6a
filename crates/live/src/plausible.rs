//! Prices that cannot be right, judged by those that the catalog has.

use sky_accel_core::catalog::{CapacityType, Catalog, Offer, PriceKind};
use sky_accel_core::money::{Count, Usd};

/// A price that is so many times the known one, or so small a part of it, is an error of its feed.
const FACTOR: u64 = 3;

/// The known prices of an offer: the lowest and the highest, on demand and as spot.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known {
    on_demand: Option<(Usd, Usd)>,
    spot: Option<(Usd, Usd)>,
}

impl Known {
    /// The list prices of so many accelerators of an offer, in all its regions.
    pub(crate) fn of(catalog: &Catalog<'_>, offer: &Offer, count: Count) -> Self {
        let mut known = Self::default();
        for price in catalog.prices(offer) {
            // What a marketplace asked on some day says little about another.
            if price.kind == PriceKind::Snapshot || price.kind == PriceKind::Live {
                continue;
            }
            let usd = if price.per_accelerator {
                price.usd.times(count)
            } else {
                price.usd
            };
            let range = match price.capacity {
                CapacityType::OnDemand => &mut known.on_demand,
                CapacityType::Spot => &mut known.spot,
            };
            let (low, high) = range.unwrap_or((usd, usd));
            *range = Some((low.min(usd), high.max(usd)));
        }
        known
    }

    /// Whether a price may be right: less than three times off what is known, and as spot no
    /// dearer than the highest price on demand.
    pub(crate) fn allows(&self, capacity: CapacityType, usd: Usd) -> bool {
        let is_near = |range: Option<(Usd, Usd)>| {
            range.is_none_or(|(low, high)| {
                usd.0.saturating_mul(FACTOR) > low.0 && usd.0 < high.0.saturating_mul(FACTOR)
            })
        };
        match capacity {
            CapacityType::OnDemand => is_near(self.on_demand),
            CapacityType::Spot => {
                is_near(self.spot) && self.on_demand.is_none_or(|(_, high)| usd <= high)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_far_from_those_that_are_known_are_errors() {
        let known = Known {
            on_demand: Some((Usd(300), Usd(400))),
            spot: Some((Usd(90), Usd(120))),
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
                known.allows(capacity, Usd(usd)),
                allowed,
                "{capacity:?} {usd}"
            );
        }
        assert!(Known::default().allows(CapacityType::OnDemand, Usd(1)));
    }
}
