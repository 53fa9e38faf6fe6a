//! Cross-validation: errors on rows to which coefficients were not fitted, in `measurements/held-out.json`.
//!
//! For each fold, the coefficients with a prior are fitted to all other rows, starting from their priors. The runs of
//! the fold are then predicted with these coefficients.

use std::fs;

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use crate::bands::{Band, bands, ends};
use crate::errors_of::{Errors, quantile};
use crate::folds::{by_model, by_release};
use crate::paths::root;
use crate::problem::{FitProblem, Kinds};

/// The file that the task writes.
const FILE: &str = "measurements/held-out.json";

/// The errors of all kinds on held-out rows.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct HeldOut {
    /// Errors on held-out models.
    pub models: Vec<KindErrors>,
    /// Errors on held-out releases of engines.
    pub releases: Vec<KindErrors>,
    /// The resulting bands, by the scope of `speed-low` and `speed-high`.
    pub bands: Vec<Band>,
    /// The difference between linearized predictions and predictions with the fitted coefficients, in percent: the
    /// median and the 90th percentile.
    pub linearised_within: [f64; 2],
}

/// The errors of one kind of measurement, in percent.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct KindErrors {
    pub kind: String,
    pub rows: usize,
    pub folds: usize,
    pub median: f64,
    pub nine_of_ten: f64,
    pub bias: f64,
    /// The 10th percentile of measured over predicted figures. `high` is the 90th.
    pub low: f64,
    pub high: f64,
}

/// Rounds to three decimals, which is finer than the uncertainty.
fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

fn kind_errors(kinds: &Kinds) -> Vec<KindErrors> {
    let summed = kinds.iter().map(|(kind, rows)| {
        let errors = Errors {
            percent: rows
                .iter()
                .map(|(ratio, _)| (-ratio).exp_m1() * 100.0)
                .collect(),
            ..Errors::default()
        };
        let mut folds: Vec<usize> = rows.iter().map(|(_, fold)| *fold).collect();
        folds.sort_unstable();
        folds.dedup();
        let (low, high) = ends(rows.iter().map(|(ratio, _)| *ratio));
        KindErrors {
            kind: kind.clone(),
            rows: rows.len(),
            folds: folds.len(),
            median: rounded(errors.within(0.5)),
            nine_of_ten: rounded(errors.within(0.9)),
            bias: rounded(errors.bias()),
            low: rounded(low),
            high: rounded(high),
        }
    });
    summed.collect()
}

/// Reads the file.
pub fn read() -> Result<HeldOut> {
    let text = fs::read_to_string(root().join(FILE)).with_context(|| FILE.to_owned())?;
    serde_json::from_str(&text).with_context(|| FILE.to_owned())
}

/// Computes the errors and writes the file.
pub fn write() -> Result<()> {
    let problem = FitProblem::read()?;
    let mut apart = Vec::new();
    let mut by_kinds = Vec::new();
    for folds in [
        by_model(&problem.measurements),
        by_release(&problem.measurements),
    ] {
        let (residuals, near) = problem.held_out(&folds)?;
        apart.extend(near);
        by_kinds.push(problem.by_kind(&residuals, &folds));
    }
    apart.sort_by(f64::total_cmp);
    let held_out = HeldOut {
        models: kind_errors(&by_kinds[0]),
        releases: kind_errors(&by_kinds[1]),
        bands: bands(&by_kinds),
        linearised_within: [0.5, 0.9].map(|share| rounded(quantile(&apart, share))),
    };
    let text = serde_json::to_string_pretty(&held_out)? + "\n";
    fs::write(root().join(FILE), text).with_context(|| FILE.to_owned())?;
    Ok(())
}
