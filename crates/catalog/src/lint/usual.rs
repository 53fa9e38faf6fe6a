//! The usual prices of a device: the rule that tells prices from placeholders, for catalogs and for live answers.

use sky_accel_core::catalog::{
    AcceleratorId, CapacityType, Catalog, Price, PriceKind, ProviderId, Status,
};
use sky_accel_core::money::Count;
use sky_accel_core::text::number;

/// The plausible price of one accelerator in US dollars per hour.
const PRICE: std::ops::RangeInclusive<f64> = 0.005..=150.0;
/// The maximum factor between a price and the usual range of prices.
const FAR: f64 = 20.0;

/// The lowest and the highest on-demand price of one device in a catalog.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct UsualPrices(Option<(f64, f64)>);

impl UsualPrices {
    /// Collects the on-demand prices of one device over all providers. Offers that are retired count only for
    /// `provider`.
    pub fn of(catalog: &Catalog<'_>, device: AcceleratorId, provider: ProviderId) -> Self {
        let mut range: Option<(f64, f64)> = None;
        let others = catalog.offers_of(device).map(|id| catalog.offer(id));
        let counts = |status| status != Status::Retired;
        let others = others
            .filter(|other| counts(other.status) || other.provider == provider)
            .filter(|other| other.accelerator == device);
        for other in others {
            let prices = catalog.prices(&other).iter();
            // Live prices are checked, and prices of a contract are not usual.
            let is_known = |price: &Price| {
                price.capacity == CapacityType::OnDemand
                    && !matches!(price.kind, PriceKind::Live | PriceKind::Contract)
            };
            for price in prices.filter(is_known) {
                let count = price.count.or(other.count).unwrap_or(Count::ONE);
                let usd = each_of(&price, count);
                range = Some(range.map_or((usd, usd), |(low, high)| (low.min(usd), high.max(usd))));
            }
        }
        Self(range)
    }

    /// Returns the range that contains both ranges.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match (self.0, other.0) {
            (Some((a, b)), Some((c, d))) => Self(Some((a.min(c), b.max(d)))),
            (one, other) => Self(one.or(other)),
        }
    }

    /// Returns the lowest and the highest price if a price of one device is far from them.
    pub(super) fn far_from(self, per_device: f64) -> Option<(f64, f64)> {
        self.0
            .filter(|(low, high)| !(low / FAR..=high * FAR).contains(&per_device))
    }

    /// Returns whether a price in US dollars per hour, for `count` devices, can be a price of this device.
    pub fn allow(self, usd: f64, count: Count) -> bool {
        let per_device = usd / count.decimal();
        is_price(usd, per_device) && self.far_from(per_device).is_none()
    }
}

/// Returns whether an amount can be a price per hour: the amount as stated, and for one device.
pub(super) fn is_price(usd: f64, per_device: f64) -> bool {
    !is_placeholder(usd) && PRICE.contains(&per_device)
}

/// Returns a price for one of `count` devices, in US dollars per hour.
pub(super) fn each_of(price: &Price, count: Count) -> f64 {
    let usd = price.usd.decimal();
    if price.per_accelerator {
        usd
    } else {
        usd / count.decimal()
    }
}

/// Returns whether a price is a typical placeholder: 700, 999, 9999, 1234.
fn is_placeholder(usd: f64) -> bool {
    if (500.0..1000.0).contains(&usd) && usd % 100.0 == 0.0 {
        return true;
    }
    let digits: String = number(usd).chars().filter(char::is_ascii_digit).collect();
    let nines = digits.len() >= 3 && digits.bytes().all(|b| b == b'9');
    usd >= 900.0 && (nines || matches!(digits.as_str(), "1234" | "12345" | "123456"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_placeholders() {
        for usd in [700.0, 999.0, 9999.0, 999.99, 1234.0, 12_345.0, 1234.56] {
            assert!(is_placeholder(usd), "{usd}");
        }
        for usd in [0.99, 9.99, 99.99, 990.0, 1000.0, 1235.0, 9998.0, 123.4] {
            assert!(!is_placeholder(usd), "{usd}");
        }
    }

    #[test]
    fn a_price_near_the_usual_prices_is_allowed() {
        let usual = UsualPrices(Some((2.0, 4.0)));
        for (usd, count, is_allowed) in [
            (16.0, 8, true),
            (0.11, 1, true),
            (0.09, 1, false),
            (0.000_000_1, 1, false),
            (79.0, 1, true),
            (81.0, 1, false),
            (999.0, 128, false),
        ] {
            assert_eq!(
                usual.allow(usd, Count::whole(count)),
                is_allowed,
                "{usd} {count}"
            );
        }
        // The prices of a new device are not known.
        assert!(UsualPrices::default().allow(100.0, Count::ONE));
        assert!(!UsualPrices::default().allow(0.004, Count::ONE));
        assert_eq!(usual.or(UsualPrices::default()), usual);
        let other = UsualPrices(Some((1.0, 3.0)));
        assert_eq!(usual.or(other), UsualPrices(Some((1.0, 4.0))));
    }
}
