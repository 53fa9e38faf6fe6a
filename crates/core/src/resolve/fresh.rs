//! The age of prices.

use crate::catalog::{Catalog, Price, Provider};

/// An old price ranks after fresh prices of up to this multiple.
pub(super) const OLD_PRICE: f64 = 1.2;

/// The age of a price, relative to the days for which prices of its provider are valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PriceAge {
    /// Within these days.
    Fresh,
    /// Older. A date without a day or a month is old when its last day is.
    Old,
    /// The date is unknown, or too coarse to tell.
    Unknown,
}

/// The first date of fresh prices, by the number of days for which the prices of a provider are
/// valid.
#[derive(Clone, Debug, Default)]
pub struct FreshSince {
    days: Vec<(u16, String)>,
}

impl FreshSince {
    /// Computes the dates for every provider of a catalog. `first_day` returns the first date of
    /// fresh prices for a number of days, such as `2026-10-24`.
    pub fn new(catalog: &Catalog<'_>, first_day: impl Fn(u16) -> String) -> Self {
        let mut days: Vec<(u16, String)> = Vec::new();
        for provider in catalog.providers {
            let keep = provider.price_max_age_days;
            if days.iter().all(|(known, _)| *known != keep) {
                days.push((keep, first_day(keep)));
            }
        }
        Self { days }
    }

    /// Returns the age of a price of a provider.
    pub fn age(&self, catalog: &Catalog<'_>, provider: &Provider, price: &Price) -> PriceAge {
        let keep = provider.price_max_age_days;
        let first = self.days.iter().find(|(known, _)| *known == keep);
        let as_of = catalog.pool.bytes_of(price.as_of);
        let Some((_, first)) = first else {
            return PriceAge::Unknown;
        };
        let first = first.as_bytes();
        let len = as_of.len().min(first.len());
        if as_of.get(..len) < first.get(..len) {
            PriceAge::Old
        } else if len < first.len() {
            PriceAge::Unknown
        } else {
            PriceAge::Fresh
        }
    }
}
