//! Prices of the past, for ranges over time and for the back-test of likely prices.

use super::{
    AcceleratorId, CapacityType, Catalog, Offer, Price, PriceKind, Provider, ProviderId, Sells,
    Str, Table,
};
use crate::money::Usd;

/// The group of the largest clouds, whose lists hardly ever change and cost several times the lists of others.
const HYPERSCALERS: &str = "hyperscalers";

crate::rows! {
    /// The lowest price of one accelerator at a provider, from one day to another.
    #[derive(Clone, Copy, Debug)]
    pub struct PastPrice {
        /// The accelerator.
        pub accelerator: AcceleratorId,
        /// The provider.
        pub provider: ProviderId,
        /// The capacity type.
        pub capacity: CapacityType,
        /// The origin of the price.
        pub kind: PriceKind,
        /// The first day on which the price was seen.
        pub from: Day,
        /// The last day on which it was seen.
        pub until: Day,
        /// USD per hour for one accelerator: the lowest of all machines and regions.
        pub usd: Usd,
        /// The median of all machines and regions.
        pub median: Usd,
        /// The highest of all machines and regions.
        pub high: Usd,
        /// The source of the price.
        pub source: Str,
    }
}

/// A day as a number, such as 20261126.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(pub u32);

super::table::newtype_column!(Day(u32));

impl Day {
    /// Returns the day of a date. A month or a year without a day counts from its first day, and a time after the day
    /// is ignored. `None` if the text is not a date.
    pub fn of_text(date: &str) -> Option<Self> {
        let part = |from: usize, to: usize| match date.get(from..to) {
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                digits.parse::<u32>().ok()
            }
            Some(_) => None,
            None => Some(1),
        };
        let year = part(0, 4).filter(|_| date.len() >= 4)?;
        let (month, day) = (part(5, 7)?, part(8, 10)?);
        let is_day = (1..=12).contains(&month) && (1..=31).contains(&day);
        is_day.then_some(Self(year * 10_000 + month * 100 + day))
    }

    /// Returns the year.
    pub fn year(self) -> u32 {
        self.0 / 10_000
    }

    /// Returns the month, from 1.
    pub fn month(self) -> u32 {
        self.0 / 100 % 100
    }

    /// Returns the quarter of a year.
    pub fn quarter(self) -> Quarter {
        Quarter(self.year() * 4 + self.month().saturating_sub(1) / 3)
    }
}

impl std::fmt::Display for Day {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{:04}-{:02}-{:02}",
            self.year(),
            self.month(),
            self.0 % 100
        )
    }
}

/// A quarter of a year, as the number of quarters since the year 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quarter(pub u32);

impl Quarter {
    /// Returns the next quarter.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl std::fmt::Display for Quarter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:04}-Q{}", self.0 / 4, self.0 % 4 + 1)
    }
}

crate::words! {
    /// The kind of a market, whose prices compare with each other and move alike.
    pub enum MarketKind {
        /// Lists of neoclouds.
        List = "list",
        /// Lists of hyperscalers.
        HyperscalerList = "hyperscaler-list",
        /// The lowest offers of marketplaces.
        Marketplace = "marketplace",
        /// Spot prices of neoclouds.
        Spot = "spot",
        /// Spot prices of hyperscalers.
        HyperscalerSpot = "hyperscaler-spot",
    }
}

impl MarketKind {
    /// Returns the kind of a price.
    pub fn of(
        catalog: &Catalog<'_>,
        provider: &Provider,
        kind: PriceKind,
        capacity: CapacityType,
    ) -> Self {
        let is_marketplace = kind == PriceKind::Snapshot || provider.sells == Sells::Marketplace;
        match (capacity, catalog.is_hyperscaler(provider)) {
            (CapacityType::Spot, true) => Self::HyperscalerSpot,
            (CapacityType::Spot, false) => Self::Spot,
            (CapacityType::OnDemand, _) if is_marketplace => Self::Marketplace,
            (CapacityType::OnDemand, true) => Self::HyperscalerList,
            (CapacityType::OnDemand, false) => Self::List,
        }
    }

    /// Returns the kind of a price of an offer. Machines of private hosts are those of a marketplace.
    pub fn of_price(
        catalog: &Catalog<'_>,
        provider: &Provider,
        offer: &Offer,
        price: &Price,
    ) -> Self {
        match Self::of(catalog, provider, price.kind, price.capacity) {
            Self::List if catalog.is_of_host(offer, price) => Self::Marketplace,
            kind => kind,
        }
    }

    /// Returns whether people compare prices of two kinds: lists with lists, marketplaces with marketplaces, and spot
    /// prices with spot prices.
    pub fn is_compared_with(self, other: Self) -> bool {
        let is_marketplace = |kind| kind == Self::Marketplace;
        self.capacity() == other.capacity() && is_marketplace(self) == is_marketplace(other)
    }

    /// Returns the capacity type of the kind's prices.
    pub fn capacity(self) -> CapacityType {
        match self {
            Self::List | Self::HyperscalerList | Self::Marketplace => CapacityType::OnDemand,
            Self::Spot | Self::HyperscalerSpot => CapacityType::Spot,
        }
    }
}

impl<'a> Catalog<'a> {
    /// Returns whether a provider is one of the largest clouds.
    pub fn is_hyperscaler(&self, provider: &Provider) -> bool {
        self.is_in_group(provider, HYPERSCALERS)
    }

    /// Returns whether a provider is in a group, such as `marketplaces`.
    pub fn is_in_group(&self, provider: &Provider, group: &str) -> bool {
        // Bytes compare like the text, and need no check that they are UTF-8.
        let mut groups = self.strings.run(provider.groups).iter();
        groups.any(|name| self.pool.bytes_of(name) == group.as_bytes())
    }

    /// Returns the past prices of an accelerator, by provider, then by day.
    pub fn past_prices(&self, accelerator: AcceleratorId) -> Table<'a, PastPrice> {
        self.past_prices
            .equal_range(&accelerator, |past| past.accelerator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_without_a_day_count_from_the_first() {
        let day = |text| Day::of_text(text).map(|day| day.0);
        assert_eq!(day("2026-11-26"), Some(20_261_126));
        assert_eq!(day("2026-11-26T10:00:00Z"), Some(20_261_126));
        assert_eq!(day("2026-11"), Some(20_261_101));
        assert_eq!(day("2026"), Some(20_260_101));
        for text in ["", "26", "soon", "2026-13", "2026-00-01", "2026-1x-01"] {
            assert_eq!(day(text), None, "{text}");
        }
        assert_eq!(Day(20_261_126).to_string(), "2026-11-26");
    }

    #[test]
    fn quarters_follow_each_other() {
        let quarter = |text| Day::of_text(text).unwrap().quarter();
        assert_eq!(quarter("2026-03-31").to_string(), "2026-Q1");
        assert_eq!(quarter("2026-04-01").to_string(), "2026-Q2");
        assert_eq!(quarter("2025-12-31").next(), quarter("2026-01-01"));
    }
}
