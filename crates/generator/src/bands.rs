//! Bands of speeds, computed from the errors on held-out rows.

use serde::{Deserialize, Serialize};

use crate::errors_of::quantile;
use crate::problem::Kinds;

/// A band: the 10th and the 90th percentile of measured over predicted figures.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Band {
    /// The scope of `speed-low` and `speed-high`.
    pub scope: String,
    pub low: f64,
    pub high: f64,
}

/// The scope of the loads with the most rows. Bands of other loads are not narrower.
const MOST_ROWS: &str = "output of users";

/// The scopes of bands, with the kinds of measurements that determine them.
const BANDS: [(&str, &[&str]); 8] = [
    ("output", &["output"]),
    (MOST_ROWS, &["served", "served-dp", "few-users", "people"]),
    ("output at full load", &["burst", "full-load"]),
    ("output of prompts read apart", &["disaggregated"]),
    ("token of users", &["served.tpot_ms"]),
    ("token of prompts read apart", &["disaggregated.tpot_ms"]),
    ("first token", &["served.ttft_s"]),
    ("training", &["training-speed", "cluster-training"]),
];

/// Times per token of which only the rate was measured. The band of a time is the inverse of the band of its rate.
const INVERSES: [(&str, &str); 1] = [("token at full load", "output at full load")];

/// Computes the bands. They have to hold for held-out models and for held-out releases, so the wider band of both
/// counts.
pub fn bands(held_out: &[Kinds]) -> Vec<Band> {
    let mut all: Vec<Band> = BANDS
        .iter()
        .map(|(scope, kinds)| {
            let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
            for of_kinds in held_out {
                let rows = kinds.iter().filter_map(|kind| of_kinds.get(*kind));
                let ratios: Vec<f64> = rows.flatten().map(|(ratio, _)| *ratio).collect();
                // Some kinds have no release that could be held out.
                if !ratios.is_empty() {
                    let (least, most) = ends(ratios.into_iter());
                    (low, high) = (low.min(least), high.max(most));
                }
            }
            band(scope, low, high)
        })
        .collect();
    let most_rows = all.iter().find(|band| band.scope == MOST_ROWS).cloned();
    for band in &mut all {
        let is_load = INVERSES.iter().any(|(_, rate)| *rate == band.scope)
            || band.scope == "output of prompts read apart";
        if let Some(least) = most_rows.as_ref().filter(|_| is_load) {
            band.low = band.low.min(least.low);
            band.high = band.high.max(least.high);
        }
    }
    for (time, rate) in INVERSES {
        let of_rate = all.iter().find(|band| band.scope == rate);
        all.extend(of_rate.map(|rate| band(time, 1.0 / rate.high, 1.0 / rate.low)));
    }
    all
}

/// Rounds a band to hundredths, as in the catalog.
fn band(scope: &str, low: f64, high: f64) -> Band {
    let hundredths = |value: f64| (value * 100.0).round() / 100.0;
    Band {
        scope: scope.to_owned(),
        low: hundredths(low),
        high: hundredths(high),
    }
}

/// The 10th and the 90th percentile of ratios, which are given as logarithms.
pub fn ends(logarithms: impl Iterator<Item = f64>) -> (f64, f64) {
    let mut ratios: Vec<f64> = logarithms.map(f64::exp).collect();
    ratios.sort_by(f64::total_cmp);
    (quantile(&ratios, 0.1), quantile(&ratios, 0.9))
}

#[cfg(test)]
mod tests {
    use sky_accel_engine::catalog::EMBEDDED;

    use super::*;
    use crate::hold_out;

    #[test]
    fn the_wider_band_counts_and_times_are_inverse() {
        let kind_errors = |full: &[f64]| {
            let rows = |ratios: &[f64]| ratios.iter().map(|ratio| (ratio.ln(), 0)).collect();
            Kinds::from([
                ("served".to_owned(), rows(&[0.8, 0.8, 1.25, 1.25])),
                ("burst".to_owned(), rows(full)),
            ])
        };
        let all = bands(&[
            kind_errors(&[0.5, 0.5, 1.0, 1.0]),
            kind_errors(&[0.9, 0.9, 1.0, 1.0]),
        ]);
        let ends = |scope: &str| {
            let band = all.iter().find(|band| band.scope == scope);
            band.map(|band| (band.low, band.high)).unwrap_or_default()
        };
        assert_eq!(ends("output of users"), (0.8, 1.25));
        // This band is not narrower than the band of a closed loop.
        assert_eq!(ends("output at full load"), (0.5, 1.25));
        assert_eq!(ends("token at full load"), (0.8, 2.0));
    }

    /// `fit` reports the bands of the catalog with its predictions.
    #[test]
    fn the_catalog_has_the_bands_that_were_held_out() -> anyhow::Result<()> {
        for band in hold_out::read()?.bands {
            for (name, value) in [("speed-low", band.low), ("speed-high", band.high)] {
                let rows = EMBEDDED.coefficients.iter();
                let mut rows = rows.filter(|row| {
                    EMBEDDED.str(row.name) == name && EMBEDDED.str(row.scope) == band.scope
                });
                let stated = rows.next().map(|row| row.value).unwrap_or_default();
                assert!(
                    (stated - value).abs() < 0.006,
                    "{name} of {}: {stated}, and measurements/held-out.json has {value}",
                    band.scope
                );
            }
        }
        Ok(())
    }
}
