//! `docs/prices-accuracy.md`, and the limits of its errors.

use std::fmt::Write as _;

use anyhow::{Result, ensure};
use sky_accel_core::catalog::{CapacityType, MarketKind};
use sky_accel_core::word::Word as _;
use sky_accel_engine::Engine;

use super::cases::{BackTest, FirstRow, Pick, Prediction, WINDOWS, back_test};
use crate::errors_of::Errors;

/// The window of the limits: 30 to 90 days.
const WINDOW: usize = 0;

/// The limit of the median error of each kind of market, in percent.
const MOST_MEDIAN: f64 = 6.0;

/// The standard deviations from one half that chance explains, in the number of errors above the limit of the median.
const CHANCE: f64 = 1.64;

/// A first row counts as wrong if the price that was seen later differs by more than this, in percent.
const WRONG: f64 = 25.0;

/// The limit of the share of wrong first rows, in percent.
const MOST_WRONG: f64 = 2.0;

/// Fails if an error of prices 30 to 90 days later exceeds its limit.
pub fn check() -> Result<()> {
    check_of(&back_test(&Engine::embedded().catalog())?)
}

fn check_of(tested: &BackTest) -> Result<()> {
    for (word, kind) in MarketKind::ALL {
        let errors = errors(tested, *kind, WINDOW, |case| case.likely);
        let median = errors.within(0.5);
        ensure!(
            !has_higher_median(&errors, MOST_MEDIAN),
            "the median error of {word} is {median:.1}%, more than {MOST_MEDIAN}%"
        );
    }
    for (word, capacity) in CapacityType::ALL {
        let rows = first_rows(tested, *capacity, WINDOW);
        let share = wrong(&rows, |row| row.likely);
        ensure!(
            share <= MOST_WRONG,
            "{share:.1}% of first rows {word} are wrong, more than {MOST_WRONG}%"
        );
    }
    Ok(())
}

/// Whether the errors show that their median is above a limit. The median of a dozen prices is above it by chance half of
/// the time, so the number of errors above the limit decides: a sign test at the level of 5%.
fn has_higher_median(errors: &Errors, limit: f64) -> bool {
    let above = errors.percent.iter().filter(|error| error.abs() > limit);
    let count = errors.percent.len() as f64;
    above.count() as f64 > count.midpoint(CHANCE * count.sqrt())
}

/// Renders the page.
pub fn page() -> Result<String> {
    let tested = back_test(&Engine::embedded().catalog())?;
    let mut text = format!(
        "# Accuracy of likely prices

This page tests the likely price on the prices of the past in [`catalog/history/`](../catalog/history). For the first day of
each month since February 2023 ({} months), a catalog has the last price that each provider was seen to charge in the 60 days before.
The program's own estimate then predicts the last price that was seen at the same provider in three later windows. `cargo xtask
generate` computes this page; `cargo xtask prices --check` fails if an error of the first window exceeds its limit, and `cargo xtask
prices --refit` prints the constants of [`catalog/prices.toml`](../catalog/prices.toml) that fit best.

## Prices

Errors are the absolute differences from the price that was seen later. *Stated* is the error of a price that is taken as it was;
*changed* is the share of prices that differed by more than 1%.

| market | days later | prices | changed | likely: median | likely: 90% | stated: median | stated: 90% |
|---|---|---|---|---|---|---|---|
",
        tested.catalogs
    );
    for (word, kind) in MarketKind::ALL {
        for (window, days) in WINDOWS.iter().enumerate() {
            let likely = errors(&tested, *kind, window, |case| case.likely);
            let stated = errors(&tested, *kind, window, |case| case.stated);
            let cases = stated.percent.len();
            if cases == 0 {
                continue;
            }
            let changed = stated.percent.iter().filter(|error| error.abs() > 1.0);
            writeln!(
                text,
                "| {word} | {} to {} | {cases} | {:.0}% | {:.1}% | {:.1}% | {:.1}% | {:.1}% |",
                days.start(),
                days.end(),
                100.0 * changed.count() as f64 / cases as f64,
                likely.within(0.5),
                likely.within(0.9),
                stated.within(0.5),
                stated.within(0.9),
            )?;
        }
    }
    text.push_str(
        "
## First rows

The first row of `resolve` in the middle of each window, for one accelerator that at least two providers sold. *Wrong* is the share of
first rows whose later price differed by more than 25% from the price that was shown, and *costlier* the share of first rows whose later
price was higher by more than 25%; the prices of the other wrong rows were cut. *Over* is the mean of the later price over the shown
price; *regret* is the mean of what the first row cost later over the cheapest provider of the list.

| bought | days later | lists | likely: wrong | costlier | over | regret | stated: wrong | costlier | over | regret |
|---|---|---|---|---|---|---|---|---|---|---|
",
    );
    for (word, capacity) in CapacityType::ALL {
        for (window, days) in WINDOWS.iter().enumerate() {
            let rows = first_rows(&tested, *capacity, window);
            if rows.is_empty() {
                continue;
            }
            write!(
                text,
                "| {word} | {} to {} | {} |",
                days.start(),
                days.end(),
                rows.len()
            )?;
            for pick in [|row: &FirstRow| row.likely, |row: &FirstRow| row.stated] {
                let over = mean(rows.iter().map(|row| pick(row).seen / pick(row).shown));
                let regret = mean(rows.iter().map(|row| pick(row).seen / row.best));
                let (wrong, costlier) = (wrong(&rows, pick), costlier(&rows, pick));
                write!(
                    text,
                    " {wrong:.1}% | {costlier:.1}% | {over:+.1}% | {regret:.1}% |"
                )?;
            }
            text.push('\n');
        }
    }
    text.push_str(&limits_of_the_test(&tested));
    Ok(text)
}

/// Renders what the numbers do not show.
fn limits_of_the_test(tested: &BackTest) -> String {
    let providers = tested.first_rows.iter().map(|row| row.providers).max();
    format!(
        "
## Limits of this test

- **Lists of neoclouds are thin.** Only sources whose license allows it are in the history as series. From 2022 to May 2025 that is
  a table that its readers maintain, so an unchanged price may be a price without a check. From June 2025 to April 2026 the history is
  empty, and from May 2026 on it has single days and figures. {} prices have no later price in the history, and are not in
  the tables. A list has at most {} providers.
- **The weights of neoclouds, marketplaces and spot come from other data**, which may not be copied here: an index of 12 neoclouds of
  2023 to 2026, and Vast.ai of July to October 2026. There, 17% of list prices changed within a month and 54% within six, and the lowest
  offer of a marketplace changed by 18% in nine of ten cases within a day. `catalog/prices.toml` names the source of each weight.
- **A quiet market favors the stated price.** Where few prices changed, any correction is an error, so *stated* looks better in these tables
  than in 2026, when neoclouds raised prices by 10 to 30% in bunches. The estimate is made for that market and for prices of unknown
  age, and costs little in a quiet one.
- **Caution costs.** A price far below the prices of all other providers, hyperscalers aside, is in doubt and ranks after them, although it
  is sometimes right. The regret includes the cost of this rule.
- **Two sources may mean two machines.** If one source quotes one GPU and the next a machine of eight, the difference counts as an error of
  the estimate.
- **Spot prices of Google Cloud move both ways** by regional auctions, and no estimate from old prices follows them; the band around the
  likely price is wide for that reason.
",
        tested.unknown,
        providers.unwrap_or(0)
    )
}

/// Returns the errors of a kind of market in a window.
fn errors(
    tested: &BackTest,
    kind: MarketKind,
    window: usize,
    of: fn(&Prediction) -> f64,
) -> Errors {
    let cases = tested.cases.iter();
    let cases = cases.filter(|case| case.kind == kind && case.window == window);
    Errors {
        percent: cases
            .map(|case| (of(case) / case.seen - 1.0) * 100.0)
            .collect(),
        ..Errors::default()
    }
}

fn first_rows(tested: &BackTest, capacity: CapacityType, window: usize) -> Vec<FirstRow> {
    let rows = tested.first_rows.iter();
    let rows = rows.filter(|row| row.capacity == capacity && row.window == window);
    rows.copied().collect()
}

/// Returns the share of first rows that are wrong, in percent.
fn wrong(rows: &[FirstRow], pick: impl Fn(&FirstRow) -> Pick) -> f64 {
    share(rows, |row| change(pick(row)).abs() > WRONG)
}

/// Returns the share of first rows that are wrong because they cost more later, in percent.
fn costlier(rows: &[FirstRow], pick: impl Fn(&FirstRow) -> Pick) -> f64 {
    share(rows, |row| change(pick(row)) > WRONG)
}

/// Returns the difference of the price that was seen later from the shown price, in percent.
fn change(Pick { shown, seen }: Pick) -> f64 {
    (seen / shown - 1.0) * 100.0
}

/// Returns the share of rows with a property, in percent.
fn share(rows: &[FirstRow], has: impl Fn(&FirstRow) -> bool) -> f64 {
    let count = rows.iter().filter(|row| has(row)).count();
    100.0 * count as f64 / rows.len().max(1) as f64
}

/// Returns the mean of ratios, as percent above 1.
fn mean(ratios: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = ratios.len().max(1) as f64;
    (ratios.sum::<f64>() / count - 1.0) * 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(shown: f64, seen: f64) -> FirstRow {
        let pick = Pick { shown, seen };
        FirstRow {
            capacity: CapacityType::OnDemand,
            window: WINDOW,
            likely: pick,
            stated: pick,
            best: 1.0,
            providers: 2,
        }
    }

    /// If this fails, the estimate has become worse, or the history has new prices that it does not predict.
    #[test]
    fn errors_are_within_their_limits() -> Result<()> {
        check()
    }

    #[test]
    fn a_few_errors_do_not_show_a_higher_median() {
        let has_higher = |above: usize, count: usize| {
            let errors = Errors {
                percent: (0..count)
                    .map(|at| if at < above { -7.0 } else { 5.0 })
                    .collect(),
                ..Errors::default()
            };
            has_higher_median(&errors, 6.0)
        };
        // 15 errors: 7.5 and 3.2 by chance. 10,000 errors: 5,000 and 82.
        assert!(!has_higher(10, 15) && has_higher(11, 15));
        assert!(!has_higher(5_082, 10_000) && has_higher(5_083, 10_000));
        assert!(!has_higher(0, 0) && !has_higher(1, 1) && has_higher(3, 3));
    }

    #[test]
    fn first_rows_are_wrong_beyond_a_quarter() {
        let rows = [
            first(1.0, 1.2),
            first(1.0, 1.3),
            first(1.0, 0.7),
            first(1.0, 1.0),
        ];
        assert!((wrong(&rows, |row| row.likely) - 50.0).abs() < 1e-9);
        assert!((costlier(&rows, |row| row.likely) - 25.0).abs() < 1e-9);
        let over = mean(rows.iter().map(|row| row.likely.seen / row.likely.shown));
        assert!((over - 5.0).abs() < 1e-9);
    }
}
