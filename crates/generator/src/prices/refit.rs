//! Fits the constants of the likely price to the prices that were seen later.

use std::io::Write;

use anyhow::Result;
use sky_accel_core::catalog::{Catalog, MarketKind};
use sky_accel_engine::Engine;

use super::cases::{Prediction, back_test};

/// The mean length of a month in days.
const MONTH: f64 = 30.44;

/// The weights of a stated price that are tried, in thousandths: after each month, and when it is fresh.
const MONTHLY: std::ops::RangeInclusive<u32> = 800..=1000;
const FRESH: std::ops::RangeInclusive<u32> = 500..=1000;

/// The fewest cases to which constants are fitted.
const FEWEST: usize = 50;

/// The kinds of markets whose weights can be fitted, with the scope of their coefficients.
const SCOPES: [(MarketKind, &str); 4] = [
    (MarketKind::HyperscalerList, "hyperscaler-list"),
    (MarketKind::List, "list"),
    (MarketKind::HyperscalerSpot, "spot"),
    (MarketKind::Marketplace, "snapshot"),
];

/// Weights of a stated price.
#[derive(Clone, Copy, Debug)]
struct Weights {
    fresh: f64,
    monthly: f64,
}

/// Prints the weights that minimize the mean error, next to the weights of the catalog.
pub fn refit(to: &mut impl Write) -> Result<()> {
    let catalog = Engine::embedded().catalog();
    let tested = back_test(&catalog)?;
    writeln!(
        to,
        "{:<18} {:>6} {:>15} {:>8} {:>14} {:>8} {:>9}",
        "scope", "cases", "catalog", "error", "fitted", "error", "unmoved"
    )?;
    for (kind, scope) in SCOPES {
        // Without a median, a price does not move.
        let cases = tested.cases.iter().filter(|case| case.kind == kind);
        let cases: Vec<Prediction> = cases
            .filter(|case| case.median.is_some())
            .copied()
            .collect();
        if cases.len() < FEWEST {
            writeln!(to, "{scope:<18} {:>6} too few to fit", cases.len())?;
            continue;
        }
        let current = of_catalog(&catalog, scope);
        let best = best(&cases);
        let kept = Weights {
            fresh: 1.0,
            monthly: 1.0,
        };
        writeln!(
            to,
            "{scope:<18} {:>6} {:>7.3} ^ {:<5.3} {:>7.2}% {:>6.3} ^ {:<5.3} {:>7.2}% {:>8.2}%",
            cases.len(),
            current.fresh,
            current.monthly,
            error(&cases, current),
            best.fresh,
            best.monthly,
            error(&cases, best),
            error(&cases, kept),
        )?;
    }
    Ok(())
}

fn of_catalog(catalog: &Catalog<'_>, scope: &'static str) -> Weights {
    let coefficient = |name| catalog.coefficient(name, scope).unwrap_or(1.0);
    Weights {
        fresh: coefficient("price-weight-fresh"),
        monthly: coefficient("price-weight"),
    }
}

/// Returns the weights with the lowest error; of equal weights, the weights that move prices least.
fn best(cases: &[Prediction]) -> Weights {
    let thousandths = |value: u32| f64::from(value) / 1000.0;
    let tried = FRESH.rev().step_by(50).flat_map(|fresh| {
        MONTHLY.rev().step_by(5).map(move |monthly| Weights {
            fresh: thousandths(fresh),
            monthly: thousandths(monthly),
        })
    });
    let of_tried = tried.map(|weights| (error(cases, weights), weights));
    let first = (
        f64::INFINITY,
        Weights {
            fresh: 1.0,
            monthly: 1.0,
        },
    );
    let best = of_tried.fold(
        first,
        |best, tried| if tried.0 < best.0 { tried } else { best },
    );
    best.1
}

/// Returns the mean of the absolute logarithmic errors in percent.
fn error(cases: &[Prediction], weights: Weights) -> f64 {
    let of_case = |case: &Prediction| {
        let months = f64::from(case.age_days.max(0)) / MONTH;
        let weight = weights.fresh * weights.monthly.powf(months);
        let median = case.median.unwrap_or(case.stated);
        let likely = weight * case.stated.ln() + (1.0 - weight) * median.ln();
        (likely - case.seen.ln()).abs()
    };
    let sum: f64 = cases.iter().map(of_case).sum();
    100.0 * sum / cases.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(stated: f64, median: f64, seen: f64) -> Prediction {
        Prediction {
            kind: MarketKind::List,
            window: 0,
            stated,
            median: Some(median),
            likely: stated,
            seen,
            age_days: 61,
        }
    }

    #[test]
    fn prices_that_stay_need_no_correction() {
        let best = best(&[case(1.0, 4.0, 1.0), case(3.0, 2.0, 3.0)]);
        assert_eq!((best.fresh, best.monthly), (1.0, 1.0));
    }

    #[test]
    fn prices_that_move_to_the_median_are_found() {
        // After two months, half of the distance is gone.
        let best = best(&[case(1.0, 4.0, 2.0), case(4.0, 1.0, 2.0)]);
        let weight = best.fresh * best.monthly.powf(61.0 / MONTH);
        assert!((weight - 0.5).abs() < 0.01, "{best:?}");
    }
}
