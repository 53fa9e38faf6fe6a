//! Dated prices of an accelerator: their range in each quarter, and how one price compares with them.

use std::collections::BTreeMap;

use crate::catalog::{AcceleratorId, Catalog, Day, MarketKind, Offer, ProviderId, Quarter, Status};
use crate::money::Usd;

/// The number of offers of an accelerator whose prices count. More do not change a median much, and an overlay may have
/// millions.
const MOST_OFFERS: usize = 4096;

/// The fewest providers whose median a price is compared with.
const FEWEST_SOURCES: usize = 3;

/// The length of a date that names a month: a price that states only its year belongs to no quarter.
const LENGTH_OF_MONTH: u32 = "2026-11".len() as u32;

/// A price of one accelerator at a provider, and the days on which it was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenPrice {
    /// The provider.
    pub provider: ProviderId,
    /// The kind of market.
    pub kind: MarketKind,
    /// The first day.
    pub from: Day,
    /// The last day.
    pub until: Day,
    /// USD per hour for one accelerator.
    pub usd: Usd,
}

/// The range of prices of providers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PriceSpread {
    /// The number of providers.
    pub sources: usize,
    /// The lowest price.
    pub low: f64,
    /// A quarter of the providers charge at most this.
    pub p25: f64,
    /// Half of the providers charge at most this.
    pub median: f64,
    /// Three quarters of the providers charge at most this.
    pub p75: f64,
    /// The highest price.
    pub high: f64,
}

/// How a price compares with the recent prices of all providers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// The distance from the median in whole percent; negative below it.
    pub percent: i32,
    /// The median in USD per hour for one accelerator.
    pub median: f64,
    /// The number of providers.
    pub sources: usize,
}

impl std::fmt::Display for Standing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sources = self.sources;
        match self.percent {
            0 => write!(f, "at the median of {sources} sources"),
            percent @ ..0 => write!(f, "{}% below the median of {sources} sources", -percent),
            percent => write!(f, "{percent}% above the median of {sources} sources"),
        }
    }
}

impl PriceSpread {
    /// Returns the range of the prices of providers; `None` of nothing.
    pub fn of(mut prices: Vec<f64>) -> Option<Self> {
        prices.sort_by(f64::total_cmp);
        Some(Self {
            sources: prices.len(),
            low: *prices.first()?,
            p25: quantile(&prices, 0.25)?,
            median: quantile(&prices, 0.5)?,
            p75: quantile(&prices, 0.75)?,
            high: *prices.last()?,
        })
    }
}

/// Returns the value below which a share of sorted values lies, by linear interpolation; `None` of nothing.
pub fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = share.clamp(0.0, 1.0) * last as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    let (low, high) = (*sorted.get(below)?, *sorted.get(above)?);
    Some(low + (high - low) * (place - place.floor()))
}

/// Returns whether the price of an offer, divided by its accelerators, compares with others: an offer of whole devices
/// that anybody can rent.
pub fn is_comparable(offer: &Offer) -> bool {
    // A name that covers several accelerators has the price of the cheapest.
    let is_of_one = offer.accelerators.len == 1;
    is_of_one
        && offer.has_whole_devices()
        && matches!(offer.status, Status::Offered | Status::SpotOnly)
}

/// Returns the dated prices of an accelerator, from the history and from today's offers. Weak figures, and prices of
/// parts of a device, do not count, nor do days after `today`.
pub fn seen_prices(
    catalog: &Catalog<'_>,
    accelerator: AcceleratorId,
    today: Day,
) -> Vec<SeenPrice> {
    let past = catalog.past_prices(accelerator).iter();
    let past = past.map(|row| SeenPrice {
        provider: row.provider,
        kind: MarketKind::of(
            catalog,
            &catalog.provider(row.provider),
            row.kind,
            row.capacity,
        ),
        from: row.from,
        until: row.until.min(today),
        usd: row.usd,
    });
    let mut seen: Vec<SeenPrice> = past.collect();
    for sold in catalog.sold(accelerator).iter().take(MOST_OFFERS) {
        let offer = catalog.uncommitted(sold.offer);
        if !is_comparable(&offer) {
            continue;
        }
        let provider = catalog.provider(offer.provider);
        for price in catalog.market_prices(sold.offer) {
            let usd = price.of_one(offer.count);
            if usd == Usd(0) || price.as_of.len < LENGTH_OF_MONTH {
                continue;
            }
            seen.extend(Day::of_text(catalog.str(price.as_of)).map(|day| SeenPrice {
                provider: offer.provider,
                kind: MarketKind::of_price(catalog, &provider, &offer, &price),
                from: day,
                until: day,
                usd,
            }));
        }
    }
    seen.retain(|price| price.from <= today);
    seen
}

/// Returns the range of the providers' lowest prices of a kind in each quarter, from `since` on. Quarters without a
/// price are left out.
pub fn by_quarter(
    seen: &[SeenPrice],
    kind: MarketKind,
    since: Quarter,
) -> Vec<(Quarter, PriceSpread)> {
    let mut lowest: BTreeMap<Quarter, BTreeMap<ProviderId, Usd>> = BTreeMap::new();
    for price in seen.iter().filter(|price| price.kind == kind) {
        let mut quarter = price.from.quarter().max(since);
        while quarter <= price.until.quarter() {
            let of_quarter = lowest.entry(quarter).or_default();
            let usd = of_quarter.entry(price.provider).or_insert(price.usd);
            *usd = price.usd.min(*usd);
            quarter = quarter.next();
        }
    }
    let spread = |prices: BTreeMap<ProviderId, Usd>| {
        PriceSpread::of(prices.into_values().map(Usd::decimal).collect())
    };
    let quarters = lowest.into_iter();
    quarters
        .filter_map(|(quarter, prices)| Some((quarter, spread(prices)?)))
        .collect()
}

/// Compares a price of one accelerator with each provider's lowest price of a comparable kind that was seen since a day,
/// at the last day on which it was seen there. `None` with fewer than three providers.
pub fn standing(seen: &[SeenPrice], kind: MarketKind, since: Day, usd: Usd) -> Option<Standing> {
    let mut newest: BTreeMap<ProviderId, (Day, Usd)> = BTreeMap::new();
    for price in seen {
        if !price.kind.is_compared_with(kind) || price.until < since {
            continue;
        }
        let known = newest.entry(price.provider);
        let known = known.or_insert((price.until, price.usd));
        if price.until > known.0 || (price.until == known.0 && price.usd < known.1) {
            *known = (price.until, price.usd);
        }
    }
    let prices = newest.into_values().map(|(_, usd)| usd.decimal()).collect();
    let spread = PriceSpread::of(prices).filter(|spread| spread.sources >= FEWEST_SOURCES)?;
    let ratio = usd.decimal() / spread.median;
    Some(Standing {
        percent: ((ratio - 1.0) * 100.0).round() as i32,
        median: spread.median,
        sources: spread.sources,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(provider: u16, from: &str, until: &str, usd: f64) -> SeenPrice {
        SeenPrice {
            provider: ProviderId(provider),
            kind: MarketKind::List,
            from: Day::of_text(from).unwrap(),
            until: Day::of_text(until).unwrap(),
            usd: Usd::from_decimal(usd).unwrap(),
        }
    }

    fn quarter(date: &str) -> Quarter {
        Day::of_text(date).unwrap().quarter()
    }

    #[test]
    fn quantiles_interpolate_between_values() {
        let values = [1.0, 2.0, 4.0, 8.0];
        let at = |share| quantile(&values, share).unwrap();
        let found = [at(0.0), at(0.25), at(0.5), at(0.75), at(1.0)];
        let expected = [1.0, 1.75, 3.0, 5.0, 8.0_f64];
        let is_near = |(found, expected): (&f64, &f64)| (found - expected).abs() < 1e-12;
        assert!(found.iter().zip(&expected).all(is_near), "{found:?}");
        assert_eq!(quantile(&[7.0], 0.25), Some(7.0));
        assert_eq!(quantile(&[], 0.5), None);
    }

    #[test]
    fn a_quarter_has_the_lowest_price_of_each_provider() {
        let prices = [
            seen(1, "2024-01-10", "2024-05-01", 2.0),
            seen(1, "2024-02-01", "2024-02-01", 1.5),
            seen(2, "2024-03-31", "2024-03-31", 3.5),
            SeenPrice {
                kind: MarketKind::Spot,
                ..seen(2, "2024-03-31", "2024-03-31", 0.5)
            },
        ];
        let found = by_quarter(&prices, MarketKind::List, quarter("2024-01-01"));
        let found: Vec<_> = found
            .iter()
            .map(|(quarter, spread)| (quarter.to_string(), spread.sources, spread.median))
            .collect();
        let expected = [
            ("2024-Q1".to_owned(), 2, 2.5),
            ("2024-Q2".to_owned(), 1, 2.0),
        ];
        assert_eq!(found, expected);
        // A run that began earlier counts from the first requested quarter.
        let later = by_quarter(&prices, MarketKind::List, quarter("2024-04-01"));
        assert_eq!(later.len(), 1);
    }

    #[test]
    fn a_price_is_compared_with_the_newest_price_of_each_provider() {
        let prices = [
            seen(1, "2025-01-10", "2025-02-10", 9.0),
            seen(1, "2025-06-01", "2025-06-20", 2.0),
            seen(1, "2025-06-20", "2025-06-20", 2.5),
            seen(2, "2025-06-01", "2025-06-01", 4.0),
            seen(3, "2025-06-01", "2025-06-01", 5.0),
            seen(4, "2024-01-01", "2024-01-01", 1.0),
        ];
        let since = Day::of_text("2025-05-01").unwrap();
        let standing = |usd, kind| {
            let usd = Usd::from_decimal(usd).unwrap();
            standing(&prices, kind, since, usd).map(|standing| standing.to_string())
        };
        let on_demand = |usd| standing(usd, MarketKind::HyperscalerList).unwrap();
        assert_eq!(on_demand(3.0), "25% below the median of 3 sources");
        assert_eq!(on_demand(6.0), "50% above the median of 3 sources");
        assert_eq!(on_demand(4.01), "at the median of 3 sources");
        assert_eq!(standing(1.0, MarketKind::Marketplace), None);
        assert_eq!(standing(1.0, MarketKind::Spot), None);
    }
}
