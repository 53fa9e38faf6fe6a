//! How fast the prices of each kind drift: coefficients of the catalog.

use crate::catalog::{CapacityType, Catalog, Price, PriceKind};

/// The months after which the weight of a price may fall faster.
const EARLY: f64 = 3.0;

/// The ages in months at which the catalog has the width of the band.
const BAND: [(f64, &str); 5] = [
    (0.0, "price-band-00"),
    (1.0, "price-band-01"),
    (3.0, "price-band-03"),
    (6.0, "price-band-06"),
    (12.0, "price-band-12"),
];

/// The constants of the catalog.
#[derive(Clone, Debug)]
pub(super) struct Constants {
    /// Indexed by [`Drift`].
    pub drifts: [DriftConstants; SCOPES.len()],
    /// The maximum age in days of prices in the market's median.
    pub recent_days: f64,
    /// The relative move below which the likely price is the stated price.
    pub least_move: f64,
    /// The share of the lowest price of other providers below which a price is implausible.
    pub implausible_below: Option<f64>,
    /// The age in days above which a single source does not confirm a price.
    pub outdated_days: Option<f64>,
    /// The same for several third parties.
    pub third_party_days: Option<f64>,
}

impl Constants {
    pub fn of(catalog: &Catalog<'_>) -> Self {
        Self {
            drifts: SCOPES.map(|scope| DriftConstants::of(catalog, scope)),
            recent_days: catalog.coefficient("price-recent-days", "").unwrap_or(0.0),
            least_move: catalog.coefficient("price-least-move", "").unwrap_or(0.0),
            implausible_below: catalog.coefficient("price-implausible-below", ""),
            outdated_days: catalog.coefficient("price-outdated-days", ""),
            third_party_days: catalog.coefficient("price-third-party-days", ""),
        }
    }
}

/// A kind of prices that drift alike.
#[derive(Clone, Copy)]
pub(super) enum Drift {
    HyperscalerList,
    List,
    HyperscalerSpot,
    Snapshot,
}

impl Drift {
    /// Returns how a price of a provider drifts; `None` if it is certain.
    pub fn of(price: &Price, is_hyperscaler: bool) -> Option<Self> {
        match (price.kind, price.capacity) {
            (PriceKind::Live | PriceKind::Contract | PriceKind::Committed, _) => None,
            (PriceKind::Snapshot, _) => Some(Self::Snapshot),
            (PriceKind::List | PriceKind::Estimate, capacity) if is_hyperscaler => {
                Some(match capacity {
                    CapacityType::OnDemand => Self::HyperscalerList,
                    CapacityType::Spot => Self::HyperscalerSpot,
                })
            }
            (PriceKind::List | PriceKind::Estimate, _) => Some(Self::List),
        }
    }
}

/// The scopes of the coefficients, indexed by [`Drift`].
const SCOPES: [&str; 4] = ["hyperscaler-list", "list", "spot", "snapshot"];

/// The constants of one kind of price.
#[derive(Clone, Copy, Debug)]
pub(super) struct DriftConstants {
    /// The weight of a price on its first day.
    fresh: f64,
    /// The factor of the weight for each of the first months.
    monthly: f64,
    /// The factor for each later month.
    monthly_later: f64,
    /// The widths of the band at the ages of [`BAND`].
    band: [f64; BAND.len()],
}

impl DriftConstants {
    pub fn of(catalog: &Catalog<'_>, scope: &str) -> Self {
        let coefficient = |name: &str| catalog.coefficient(name, scope);
        let monthly = coefficient("price-weight").unwrap_or(1.0);
        Self {
            fresh: coefficient("price-weight-fresh").unwrap_or(1.0),
            monthly,
            monthly_later: coefficient("price-weight-later").unwrap_or(monthly),
            band: BAND.map(|(_, name)| coefficient(name).unwrap_or(0.0)),
        }
    }

    /// Returns whether prices move toward the market at all.
    pub fn moves(&self) -> bool {
        self.fresh < 1.0 || self.monthly < 1.0 || self.monthly_later < 1.0
    }

    /// Returns the weight of a stated price against the market.
    pub fn weight(&self, months: f64) -> f64 {
        let early = self.monthly.powf(months.min(EARLY));
        self.fresh * early * self.monthly_later.powf((months - EARLY).max(0.0))
    }

    /// Returns the width of the band at an age, by linear interpolation.
    pub fn band(&self, months: f64) -> f64 {
        let after = BAND.partition_point(|(age, _)| *age <= months);
        let Some(before) = after.checked_sub(1) else {
            return self.band[0];
        };
        match BAND.get(after) {
            None => self.band[before],
            Some((end, _)) => {
                let start = BAND[before].0;
                let share = (months - start) / (end - start);
                self.band[before] + (self.band[after] - self.band[before]) * share
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drift(band: [f64; BAND.len()]) -> DriftConstants {
        DriftConstants {
            fresh: 0.8,
            monthly: 0.95,
            monthly_later: 0.5,
            band,
        }
    }

    #[test]
    fn interpolates_the_band() {
        let drift = drift([0.0, 0.06, 0.18, 0.3, 0.36]);
        for (months, width) in [
            (-1.0, 0.0),
            (0.0, 0.0),
            (1.0, 0.06),
            (2.0, 0.12),
            (40.0, 0.36),
        ] {
            assert!((drift.band(months) - width).abs() < 1e-12, "{months}");
        }
    }

    #[test]
    fn weights_fall_faster_after_the_first_months() {
        let drift = drift([0.0; BAND.len()]);
        assert!((drift.weight(0.0) - 0.8).abs() < 1e-12);
        assert!((drift.weight(2.0) - 0.8 * 0.95 * 0.95).abs() < 1e-12);
        assert!((drift.weight(4.0) - 0.8 * 0.95_f64.powi(3) * 0.5).abs() < 1e-12);
    }
}
