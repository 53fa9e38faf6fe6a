//! Sort keys of offers.

use std::cmp::Ordering;

use sky_accel_core::resolve::CapacityFilter;
use sky_accel_engine::contract::OfferOut;

use super::model::Figures;
use crate::present::prices::likely_of_one;

/// Sort key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SortKey {
    /// The engine's order, or the quality of the match if words are typed.
    #[default]
    Best,
    Price,
    PricePerGpu,
    Spot,
    Count,
    Memory,
    Vcpu,
    HostMemory,
    PricePerToken,
    Speed,
}

/// Sort order of the rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sort {
    key: SortKey,
    is_reversed: bool,
}

/// Keys with their names, and whether larger values come first.
const KEYS: [(SortKey, &str, bool); 10] = [
    (SortKey::Best, "best first", false),
    (SortKey::Price, "price", false),
    (SortKey::PricePerGpu, "price per GPU", false),
    (SortKey::Spot, "spot price", false),
    (SortKey::Count, "count", true),
    (SortKey::Memory, "memory", true),
    (SortKey::Vcpu, "vCPU", true),
    (SortKey::HostMemory, "host memory", true),
    (SortKey::PricePerToken, "price per token", false),
    (SortKey::Speed, "tokens per second", true),
];

impl Sort {
    /// Returns the order by the next key; skips keys of a model unless a model is sized.
    pub fn next(self, has_model: bool) -> Self {
        let known = if has_model {
            KEYS.len()
        } else {
            KEYS.len() - 2
        };
        Self {
            key: KEYS[(self.place() + 1) % known].0,
            is_reversed: false,
        }
    }

    /// Returns this order, or the default if it is by a figure of the model.
    pub fn without_model(self) -> Self {
        match self.key {
            SortKey::PricePerToken | SortKey::Speed => Self::default(),
            _ => self,
        }
    }

    /// Returns the reversed order.
    pub fn reversed(self) -> Self {
        Self {
            is_reversed: !self.is_reversed,
            ..self
        }
    }

    /// Whether this is the default order.
    pub fn is_best_first(self) -> bool {
        self.key == SortKey::Best
    }

    pub fn is_reversed(self) -> bool {
        self.is_reversed
    }

    /// Returns the name of the order: `price, lowest first`.
    pub fn name(self) -> String {
        let (key, name, is_descending) = KEYS[self.place()];
        match (key, is_descending != self.is_reversed) {
            (SortKey::Best, false) => name.to_owned(),
            (SortKey::Best, true) => "worst first".to_owned(),
            (_, true) => format!("{name}, highest first"),
            (_, false) => format!("{name}, lowest first"),
        }
    }

    /// Compares two rows with their model figures. Unknown values sort last.
    pub fn compare(
        self,
        a: (&OfferOut<'_>, Option<&Figures>),
        b: (&OfferOut<'_>, Option<&Figures>),
        capacity_filter: CapacityFilter,
    ) -> Ordering {
        let is_descending = KEYS[self.place()].2 != self.is_reversed;
        let value = |row: (&OfferOut<'_>, _)| self.value(row.0, row.1, capacity_filter);
        match (value(a), value(b)) {
            (Some(a), Some(b)) if is_descending => b.total_cmp(&a),
            (Some(a), Some(b)) => a.total_cmp(&b),
            (a, b) => a.is_none().cmp(&b.is_none()),
        }
    }

    fn place(self) -> usize {
        let place = KEYS.iter().position(|(key, ..)| *key == self.key);
        place.unwrap_or(0)
    }

    fn value(
        self,
        offer: &OfferOut<'_>,
        figures: Option<&Figures>,
        capacity_filter: CapacityFilter,
    ) -> Option<f64> {
        let leading = || offer.ranking_quote(capacity_filter);
        match self.key {
            SortKey::Best => None,
            SortKey::Price => leading().map(|price| price.likely_usd_per_hour.0),
            SortKey::PricePerGpu => leading().map(|price| likely_of_one(price).0),
            SortKey::Spot => offer.spot.as_ref().map(|price| price.likely_usd_per_hour.0),
            SortKey::Count => Some(offer.count.0),
            SortKey::Memory => offer.total_memory_gb.map(|gb| gb.0),
            SortKey::Vcpu => offer.vcpu.map(|vcpu| vcpu.0),
            SortKey::HostMemory => offer.host_memory_gib.map(|gib| gib.0),
            SortKey::PricePerToken => figures.and_then(|figures| figures.usd_per_million_tokens),
            SortKey::Speed => figures.and_then(|figures| figures.tokens_per_s),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Sort;

    #[test]
    fn the_columns_come_one_after_another() {
        let mut names = Vec::new();
        let mut sort = Sort::default();
        for _ in 0..9 {
            names.push(sort.name());
            sort = sort.next(false);
        }
        assert_eq!(names[0], "best first");
        assert_eq!(names[1], "price, lowest first");
        assert_eq!(names[5], "memory, highest first");
        assert_eq!(names[8], "best first");
        assert_eq!(sort.reversed().name(), "price, highest first");
        let by_speed = (0..9).fold(Sort::default(), |sort, _| sort.next(true));
        assert_eq!(by_speed.name(), "tokens per second, highest first");
    }
}
