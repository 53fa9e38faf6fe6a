//! Predictions of prices that were seen later.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use anyhow::{Context as _, Result, anyhow};
use jiff::ToSpan as _;
use jiff::civil::{Date, date};
use sky_accel_core::bind::interpret;
use sky_accel_core::catalog::{AcceleratorId, CapacityType, Catalog, Day, MarketKind};
use sky_accel_core::market::{SeenPrice, seen_prices};
use sky_accel_core::money::Count;
use sky_accel_core::resolve::{CapacityFilter, LikelyPrices, PriceBasis, Request, resolve};

use super::frozen::{Frozen, FrozenPrice, Seen, date as date_of, day as day_of};

/// The first day whose catalog is tested.
const FIRST: Date = date(2023, 2, 1);

/// The day after which nothing counts: the last day of the shipped history.
const LAST: Date = date(2026, 11, 26);

/// The days between the catalog and the price that it predicts.
pub const WINDOWS: [RangeInclusive<i64>; 3] = [30..=90, 91..=180, 181..=365];

/// A prediction of one price, in USD per hour for one accelerator.
#[derive(Clone, Copy, Debug)]
pub struct Prediction {
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

/// A price of a catalog, and the prediction of its later price.
type SeenLater = (FrozenPrice, Prediction);

/// A row that is chosen for its price.
#[derive(Clone, Copy, Debug)]
pub struct Pick {
    pub shown: f64,
    pub seen: f64,
}

/// All predictions.
#[derive(Debug, Default)]
pub struct BackTest {
    pub cases: Vec<Prediction>,
    pub first_rows: Vec<FirstRow>,
    /// The number of catalogs, one for each month.
    pub catalogs: usize,
    /// The number of prices without a later price in the history.
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
        let mut by_market: BTreeMap<(AcceleratorId, CapacityType), Vec<SeenLater>> =
            BTreeMap::new();
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
            by_market.entry(market).or_default().push((*price, case));
            self.cases.push(case);
        }
        let middle = date.checked_add((days.start() + (days.end() - days.start()) / 2).days())?;
        for ((accelerator, capacity), cases) in by_market {
            // With one provider there is nothing to choose.
            if cases.len() > 1 {
                let pick = |basis| picked(frozen, (accelerator, capacity), middle, basis, &cases);
                let picks = (pick(PriceBasis::Likely)?, pick(PriceBasis::Stated)?);
                let (Some(likely), Some(stated)) = picks else {
                    continue;
                };
                let seen = cases.iter().map(|(_, case)| case.seen);
                self.first_rows.push(FirstRow {
                    capacity,
                    window,
                    likely,
                    stated,
                    best: seen.fold(f64::INFINITY, f64::min),
                    providers: cases.len(),
                });
            }
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
) -> Result<Prediction> {
    let catalog = frozen.catalog();
    let (offer, row) = frozen.offer(price)?;
    let estimate = LikelyPrices::on(&day.to_string());
    let likely = estimate.of(&catalog, &offer, &row, Count::ONE);
    let age = date_of(price.as_of)?.until((jiff::Unit::Day, date_of(day)?))?;
    Ok(Prediction {
        kind: price.kind,
        window,
        stated: price.usd.decimal(),
        median: estimate.median(&catalog, &offer, &row),
        likely: likely.usd.decimal(),
        seen,
        age_days: age.get_days(),
    })
}

/// Returns the first row of `resolve` on a day, with the price that was seen there later; `None` without a later
/// price.
fn picked(
    frozen: &Frozen,
    (accelerator, capacity): (AcceleratorId, CapacityType),
    day: Date,
    basis: PriceBasis,
    cases: &[SeenLater],
) -> Result<Option<Pick>> {
    let catalog = frozen.catalog();
    let spec = format!("{}:x1", catalog.accelerator_id(accelerator));
    let wanted = interpret(&catalog, &spec);
    let wanted = wanted.map_err(|errors| anyhow!("{spec}: {errors:?}"))?;
    let capacity_filter = match capacity {
        CapacityType::OnDemand => CapacityFilter::OnDemand,
        CapacityType::Spot => CapacityFilter::Spot,
    };
    let request = Request {
        capacity_filter,
        limit: Some(1),
        likely: Some(LikelyPrices::on(&day.to_string()).with_basis(basis)),
        ..Request::default()
    };
    let answer = resolve(&catalog, &wanted, &request);
    let Some(first) = answer.matches.first() else {
        return Ok(None);
    };
    let offer = catalog.offer(first.offer);
    let of_offer = cases.iter().find(|(price, _)| {
        price.provider == offer.provider && price.kind.word() == catalog.str(offer.id)
    });
    let quote = first.ranking_quote(capacity_filter);
    Ok(quote.zip(of_offer).map(|(quote, (_, case))| Pick {
        shown: quote.likely.usd.decimal(),
        seen: case.seen,
    }))
}
