//! Errors on rows that did not choose the coefficients: `measurements/held-out.json`.
//!
//! For each fold, the coefficients that measurements moved are fitted anew to all other rows, beginning
//! with what was expected of them, and the runs of the fold are predicted with these.

use std::fs;

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use crate::bands::{Band, bands, ends};
use crate::errors_of::{Errors, quantile};
use crate::folds::{by_model, by_release};
use crate::problem::{Kinds, Problem};
use crate::root;

/// The file that the task writes.
const FILE: &str = "measurements/held-out.json";
/// The errors of all kinds on rows that were left out.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct HeldOut {
    /// With models left out.
    pub models: Vec<OfKind>,
    /// With releases of engines left out.
    pub releases: Vec<OfKind>,
    /// The bands that follow, by the scope of `speed-low` and `speed-high`.
    pub bands: Vec<Band>,
    /// How far predictions with derivatives are from those with fitted coefficients, in percent, in
    /// the median and in nine of ten rows.
    pub linearised_within: [f64; 2],
}

/// The errors of one kind of measurement, in percent.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct OfKind {
    pub kind: String,
    pub rows: usize,
    pub folds: usize,
    pub median: f64,
    pub nine_of_ten: f64,
    pub bias: f64,
    /// The measured over the predicted figure that one in ten rows is below, and above.
    pub low: f64,
    pub high: f64,
}

/// Three digits after the point, which is more than is known.
fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

fn of_kinds(kinds: &Kinds) -> Vec<OfKind> {
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
        OfKind {
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

/// The file as it is.
pub fn read() -> Result<HeldOut> {
    let text = fs::read_to_string(root().join(FILE)).with_context(|| FILE.to_owned())?;
    serde_json::from_str(&text).with_context(|| FILE.to_owned())
}

/// Computes the errors anew and writes the file.
pub fn write() -> Result<()> {
    let problem = Problem::read()?;
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
        models: of_kinds(&by_kinds[0]),
        releases: of_kinds(&by_kinds[1]),
        bands: bands(&by_kinds),
        linearised_within: [0.5, 0.9].map(|share| rounded(quantile(&apart, share))),
    };
    let text = serde_json::to_string_pretty(&held_out)? + "\n";
    fs::write(root().join(FILE), text).with_context(|| FILE.to_owned())?;
    Ok(())
}
