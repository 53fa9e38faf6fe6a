//! Which prices are fresh.

use crate::catalog::{Catalog, Price, Provider};

/// An old price ranks behind fresh ones of up to so many times as much.
pub(super) const OLD_PRICE: f64 = 1.2;

/// The first day of which prices are fresh, by how long a provider's prices keep.
#[derive(Clone, Debug, Default)]
pub struct FreshSince {
    days: Vec<(u16, String)>,
}

impl FreshSince {
    /// The days for every provider of a catalog. `first_day` returns the first day of which prices that
    /// keep for so many days are fresh, such as `2026-10-24`.
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

    /// Whether a price of a provider is older than its prices keep. A month or a year is old when its
    /// last day is.
    pub fn is_old(&self, catalog: &Catalog<'_>, provider: &Provider, price: &Price) -> bool {
        let keep = provider.price_max_age_days;
        let first = self.days.iter().find(|(known, _)| *known == keep);
        let as_of = catalog.str(price.as_of);
        first.is_some_and(|(_, first)| {
            let len = as_of.len().min(first.len());
            as_of.get(..len) < first.get(..len)
        })
    }
}
