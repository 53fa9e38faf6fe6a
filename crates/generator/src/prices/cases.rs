//! Predictions of prices that were seen later.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use anyhow::{Context as _, Result};
use jiff::ToSpan as _;
use jiff::civil::{Date, date};
use sky_accel_core::catalog::{AcceleratorId, CapacityType, Catalog, Day, MarketKind};
use sky_accel_core::market::{SeenPrice, seen_prices};
use sky_accel_core::money::Count;
use sky_accel_core::resolve::LikelyPrices;

use super::frozen::{Frozen, FrozenPrice, Seen, date as date_of, day as day_of};

/// The first day whose catalog is tested.
const FIRST: Date = date(2023, 2, 1);

/// The day after which nothing counts: the last day of the shipped history.
const LAST: Date = date(2026, 11, 26);

/// The days between the catalog and the price that it predicts.
pub const WINDOWS: [RangeInclusive<i64>; 3] = [30..=90, 91..=180, 181..=365];

/// A prediction of one price, in USD per hour for one accelerator.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub kind: MarketKind,
    /// The index of the window.
    pub window: usize,
    pub stated: f64,
    /// The median of the market on the day of the catalog, if there was one.
    pub median: Option<f64>,
    pub likely: f64,
    pub seen: f64,
    /// The age of the stated price in days when it was predicted.
    pub age_days: i32,
}

/// The first row of a list, by likely and by stated price, with the price that was seen later there.
#[derive(Clone, Copy, Debug)]
pub struct FirstRow {
    pub capacity: CapacityType,
    pub window: usize,
    pub likely: Pick,
    pub stated: Pick,
    /// The lowest price that was seen later.
    pub best: f64,
    /// The number of providers.
    pub providers: usize,
}

/// A row that is chosen for its price.
#[derive(Clone, Copy, Debug)]
pub struct Pick {
    pub shown: f64,
    pub seen: f64,
}

/// All predictions.
#[derive(Debug, Default)]
pub struct BackTest {
    pub cases: Vec<Case>,
    pub first_rows: Vec<FirstRow>,
    /// The number of catalogs, one for each month.
    pub catalogs: usize,
    /// The number of prices whose later price nobody saw.
    pub unknown: usize,
}

/// Predicts the prices that were seen later, from the catalog of each month.
pub fn back_test(catalog: &Catalog<'_>) -> Result<BackTest> {
    let last = day_of(LAST)?;
    let ids = catalog.accelerator_ids();
    let seen = ids.map(|id| (id, seen_prices(catalog, id, last)));
    let seen: Seen = seen.filter(|(_, seen)| !seen.is_empty()).collect();
    let mut found = BackTest::default();
    let mut date = FIRST;
    while date < LAST {
        let frozen = Frozen::on(catalog, &seen, date)?;
        found.catalogs += 1;
        for (window, days) in WINDOWS.into_iter().enumerate() {
            found.add(&frozen, &seen, date, window, &days)?;
        }
        date = date.checked_add(1.month())?;
    }
    Ok(found)
}

impl BackTest {
    /// Adds the predictions of one catalog for one window.
    fn add(
        &mut self,
        frozen: &Frozen,
        seen: &Seen,
        date: Date,
        window: usize,
        days: &RangeInclusive<i64>,
    ) -> Result<()> {
        let mut by_market: BTreeMap<(AcceleratorId, CapacityType), Vec<Case>> = BTreeMap::new();
        let from = day_of(date.checked_add(days.start().days())?)?;
        let until = day_of(date.checked_add(days.end().days())?)?;
        for price in &frozen.prices {
            let later = seen
                .get(&price.accelerator)
                .context("prices of an accelerator")?;
            let Some((day, usd)) = last_seen(later, price, from, until) else {
                self.unknown += 1;
                continue;
            };
            let case = predicted(frozen, price, window, day, usd)?;
            let market = (price.accelerator, price.kind.capacity());
            by_market.entry(market).or_default().push(case);
            self.cases.push(case);
        }
        for ((_, capacity), cases) in by_market {
            self.first_rows.extend(first_row(capacity, window, &cases));
        }
        Ok(())
    }
}

/// Returns the last price of a provider in a window, with its day.
fn last_seen(seen: &[SeenPrice], price: &FrozenPrice, from: Day, until: Day) -> Option<(Day, f64)> {
    let of_provider = seen.iter().filter(|later| {
        later.provider == price.provider
            && later.kind == price.kind
            && later.from <= until
            && later.until >= from
    });
    let days = of_provider.map(|later| (later.until.min(until), later.usd.decimal()));
    days.max_by(|(a, usd), (b, other)| a.cmp(b).then(other.total_cmp(usd)))
}

/// Predicts the price of a day with the catalog's own estimate.
fn predicted(
    frozen: &Frozen,
    price: &FrozenPrice,
    window: usize,
    day: Day,
    seen: f64,
) -> Result<Case> {
    let catalog = frozen.catalog();
    let (offer, row) = frozen.offer(price)?;
    let estimate = LikelyPrices::on(&day.to_string());
    let likely = estimate.of(&catalog, &offer, &row, Count::ONE);
    let age = date_of(price.as_of)?.until((jiff::Unit::Day, date_of(day)?))?;
    Ok(Case {
        kind: price.kind,
        window,
        stated: price.usd.decimal(),
        median: estimate.median(&catalog, price.accelerator, price.kind.capacity()),
        likely: likely.usd.decimal(),
        seen,
        age_days: age.get_days(),
    })
}

/// Returns the first row of a list; `None` of one provider, where there is nothing to choose.
fn first_row(capacity: CapacityType, window: usize, cases: &[Case]) -> Option<FirstRow> {
    let pick = |shown: fn(&Case) -> f64| {
        let first = cases.iter().min_by(|a, b| shown(a).total_cmp(&shown(b)))?;
        Some(Pick {
            shown: shown(first),
            seen: first.seen,
        })
    };
    let seen = cases.iter().map(|case| case.seen);
    Some(FirstRow {
        capacity,
        window,
        likely: pick(|case| case.likely)?,
        stated: pick(|case| case.stated)?,
        best: seen.fold(f64::INFINITY, f64::min),
        providers: cases.len(),
    })
    .filter(|_| cases.len() > 1)
}
