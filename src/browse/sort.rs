//! The columns that offers are sorted by.

use std::cmp::Ordering;

use sky_accel_core::resolve::CapacityFilter;
use sky_accel_engine::contract::OfferOut;

use super::model::Figures;

/// The figure that decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Key {
    /// The order of the engine, or how well a row matches the words.
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

/// The order of the rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sort {
    key: Key,
    is_reversed: bool,
}

/// Each key with its name, and whether more is better.
const KEYS: [(Key, &str, bool); 10] = [
    (Key::Best, "best first", false),
    (Key::Price, "price", false),
    (Key::PricePerGpu, "price per GPU", false),
    (Key::Spot, "spot price", false),
    (Key::Count, "count", true),
    (Key::Memory, "memory", true),
    (Key::Vcpu, "vCPU", true),
    (Key::HostMemory, "host memory", true),
    (Key::PricePerToken, "price per token", false),
    (Key::Speed, "tokens per second", true),
];

impl Sort {
    /// By the next column; those of a model only where there is one.
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

    /// The same, unless it is by a figure of the model.
    pub fn without_model(self) -> Self {
        match self.key {
            Key::PricePerToken | Key::Speed => Self::default(),
            _ => self,
        }
    }

    /// The same the other way round.
    pub fn reversed(self) -> Self {
        Self {
            is_reversed: !self.is_reversed,
            ..self
        }
    }

    /// Whether the rows stay as the engine and the words order them.
    pub fn is_best_first(self) -> bool {
        self.key == Key::Best
    }

    pub fn is_reversed(self) -> bool {
        self.is_reversed
    }

    /// The order in words: `price, lowest first`.
    pub fn name(self) -> String {
        let (key, name, is_descending) = KEYS[self.place()];
        match (key, is_descending != self.is_reversed) {
            (Key::Best, false) => name.to_owned(),
            (Key::Best, true) => "worst first".to_owned(),
            (_, true) => format!("{name}, highest first"),
            (_, false) => format!("{name}, lowest first"),
        }
    }

    /// Compares two rows, each with the figures of the model; what is unknown comes last.
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
        let leading = || offer.leading(capacity_filter);
        match self.key {
            Key::Best => None,
            Key::Price => leading().map(|price| price.usd_per_hour.0),
            Key::PricePerGpu => leading().map(|price| price.usd_per_accelerator_hour.0),
            Key::Spot => offer.spot.as_ref().map(|price| price.usd_per_hour.0),
            Key::Count => Some(offer.count.0),
            Key::Memory => offer.total_memory_gb.map(|gb| gb.0),
            Key::Vcpu => offer.vcpu.map(|vcpu| vcpu.0),
            Key::HostMemory => offer.host_memory_gib.map(|gib| gib.0),
            Key::PricePerToken => figures.and_then(|figures| figures.usd_per_million_tokens),
            Key::Speed => figures.and_then(|figures| figures.tokens_per_s),
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
