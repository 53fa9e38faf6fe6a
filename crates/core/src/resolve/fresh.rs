//! Which prices are fresh.

use crate::catalog::{Catalog, Price, Provider};

/// An old price ranks behind fresh ones of up to so many times as much.
pub(super) const OLD_PRICE: f64 = 1.2;

/// How a price stands to how long prices of its provider keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PriceAge {
    /// It is not older than they keep.
    Fresh,
    /// It is older. A month or a year is when its last day is.
    Old,
    /// Its day is not known.
    Unknown,
}

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

    /// How a price of a provider stands to how long its prices keep.
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
