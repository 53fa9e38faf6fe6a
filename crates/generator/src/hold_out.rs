//! Errors on rows that did not choose the coefficients: `measurements/held-out.json`.
//!
//! For each fold, the coefficients that measurements moved are fitted anew to all other rows, beginning
//! with what was expected of them, and the runs of the fold are predicted with these.

use std::collections::BTreeMap;
use std::fs;
use std::thread;

use anyhow::{Context as _, Result, anyhow};
use serde::{Deserialize, Serialize};

use crate::errors_of::{Errors, quantile};
use crate::fitted::{Fitted, engine_with, fitted, shifted};
use crate::folds::{Folds, by_model, by_release};
use crate::measurements::{Measurement, measurements};
use crate::ridge::{Expected, Row, solve};
use crate::root;

/// The kinds of measurements whose coefficients are fitted: those of speed.
const FITTED_FILES: &str = "throughput.";
/// The file that the task writes.
const FILE: &str = "measurements/held-out.json";
/// The shift of a coefficient's logarithm by which derivatives are taken. Answers have three digits, so a
/// smaller one would measure their rounding.
const SHIFT: f64 = 0.15;
/// Times that the residuals are computed anew while coefficients are fitted.
const STEPS: usize = 3;
/// The error that is expected of a figure, as the standard deviation of its logarithm.
const SCALE: f64 = 0.2;
/// The same for times to the first token, which depend on queues.
const FIRST_TOKEN_SCALE: f64 = 0.5;

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

/// A band: the measured over the predicted figure that one in ten rows is below, and above.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Band {
    pub scope: String,
    pub low: f64,
    pub high: f64,
}

/// The scopes of bands, with the kinds whose rows set them.
const BANDS: [(&str, &[&str]); 7] = [
    ("output", &["output"]),
    ("output of users", &["served", "served-dp", "few-users"]),
    ("output at full load", &["burst", "full-load"]),
    ("output of prompts read apart", &["disaggregated"]),
    ("token", &["served.tpot_ms"]),
    ("first token", &["served.ttft_s"]),
    ("training", &["training-speed", "cluster-training"]),
];

/// All rows that are fitted, with their derivatives.
struct Problem {
    measurements: Vec<Measurement>,
    fitted: Vec<Fitted>,
    expected: Vec<Expected>,
    /// The rows of each measurement, one for each figure, at the coefficients of the catalog.
    rows: Vec<Vec<Row>>,
}

/// The logarithms of predicted over measured figures, of each measurement that is chosen.
fn residuals(
    measurements: &[Measurement],
    coefficients: &[u8],
    is_chosen: impl Fn(usize) -> bool,
) -> Result<Vec<Vec<f64>>> {
    let engine = engine_with(coefficients);
    let mut all = Vec::with_capacity(measurements.len());
    for (at, measurement) in measurements.iter().enumerate() {
        let mut of_run = Vec::new();
        if is_chosen(at) {
            let answer = measurement.answer(&engine)?;
            for figure in &measurement.figures {
                let predicted = measurement.predicted(&answer, figure)?;
                of_run.push((predicted / figure.measured).ln());
            }
        }
        all.push(of_run);
    }
    Ok(all)
}

/// Does work for each of some numbers, on two threads.
fn in_parallel<T: Send>(count: usize, work: impl Fn(usize) -> Result<T> + Sync) -> Result<Vec<T>> {
    let half = |first: usize| -> Result<Vec<T>> { (first..count).step_by(2).map(&work).collect() };
    let (even, odd) = thread::scope(|scope| {
        let odd = scope.spawn(|| half(1));
        (half(0), odd.join())
    });
    let (mut even, mut odd) = (
        even?.into_iter(),
        odd.map_err(|_| anyhow!("a thread failed"))??.into_iter(),
    );
    let mut all = Vec::with_capacity(count);
    for at in 0..count {
        all.extend(if at % 2 == 0 { even.next() } else { odd.next() });
    }
    Ok(all)
}

impl Problem {
    fn read() -> Result<Self> {
        let mut measurements = measurements()?;
        measurements.retain(|run| run.figures[0].path.starts_with(FITTED_FILES));
        let fitted = fitted()?;
        let mut rows: Vec<Vec<Row>> = residuals(&measurements, &shifted(&fitted, &[]), |_| true)?
            .into_iter()
            .zip(&measurements)
            .map(|(residuals, run)| {
                let of_figures = residuals.into_iter().zip(&run.figures);
                let row = |(residual, figure): (f64, &crate::measurements::Figure)| Row {
                    residual,
                    slopes: Vec::new(),
                    scale: if figure.path.ends_with("ttft_s") {
                        FIRST_TOKEN_SCALE
                    } else {
                        SCALE
                    },
                };
                of_figures.map(row).collect()
            })
            .collect();
        let shifts = in_parallel(2 * fitted.len(), |at| {
            let mut shifts = vec![0.0; fitted.len()];
            shifts[at / 2] = if at % 2 == 0 { SHIFT } else { -SHIFT };
            residuals(&measurements, &shifted(&fitted, &shifts), |_| true)
        })?;
        for (parameter, pair) in shifts.chunks_exact(2).enumerate() {
            for (run, of_run) in rows.iter_mut().enumerate() {
                for (figure, row) in of_run.iter_mut().enumerate() {
                    let slope = (pair[0][run][figure] - pair[1][run][figure]) / (2.0 * SHIFT);
                    if slope != 0.0 {
                        row.slopes.push((parameter, slope));
                    }
                }
            }
        }
        Ok(Self {
            measurements,
            expected: fitted.iter().map(|fitted| fitted.expected).collect(),
            fitted,
            rows,
        })
    }

    /// The shifts of coefficients that fit the chosen rows: at first with derivatives alone, and
    /// at last.
    fn fit(&self, is_chosen: impl Fn(usize) -> bool + Copy) -> Result<(Vec<f64>, Vec<f64>)> {
        let chosen = |rows: &[Vec<Row>]| -> Vec<Row> {
            let rows = rows.iter().enumerate().filter(|(at, _)| is_chosen(*at));
            rows.flat_map(|(_, rows)| rows.clone()).collect()
        };
        let first = solve(chosen(&self.rows).iter(), &self.expected);
        let mut shifts = first.clone();
        for _ in 1..STEPS {
            let coefficients = shifted(&self.fitted, &shifts);
            let now = residuals(&self.measurements, &coefficients, is_chosen)?;
            // The same derivatives, through the residuals as they are now.
            let mut rows = self.rows.clone();
            for (of_run, residuals) in rows.iter_mut().zip(now) {
                for (row, residual) in of_run.iter_mut().zip(residuals) {
                    row.residual += residual - row.at(&shifts);
                }
            }
            shifts = solve(chosen(&rows).iter(), &self.expected);
        }
        Ok((first, shifts))
    }

    /// The residuals of each measurement, predicted without its fold, and how far predictions with
    /// derivatives are from them, in percent.
    fn held_out(&self, folds: &Folds) -> Result<(Vec<Vec<f64>>, Vec<f64>)> {
        let count = folds.iter().flatten().max().map_or(0, |last| last + 1);
        let of_folds = in_parallel(count, |fold| {
            let (first, shifts) = self.fit(|at| folds[at] != Some(fold))?;
            let coefficients = shifted(&self.fitted, &shifts);
            let is_out = |at: usize| folds[at] == Some(fold);
            let out = residuals(&self.measurements, &coefficients, is_out)?;
            Ok((first, out))
        })?;
        let mut all = vec![Vec::new(); folds.len()];
        let mut apart = Vec::new();
        for (first, out) in of_folds {
            for (at, residuals) in out.into_iter().enumerate() {
                for (row, residual) in self.rows[at].iter().zip(&residuals) {
                    apart.push(((row.at(&first) - residual).exp_m1() * 100.0).abs());
                }
                if !residuals.is_empty() {
                    all[at] = residuals;
                }
            }
        }
        Ok((all, apart))
    }

    /// Measured over predicted figures, as logarithms, and the folds that they are of, by kind.
    fn by_kind(&self, residuals: &[Vec<f64>], folds: &Folds) -> BTreeMap<String, Vec<(f64, usize)>> {
        let mut kinds: BTreeMap<String, Vec<(f64, usize)>> = BTreeMap::new();
        for ((run, residuals), fold) in self.measurements.iter().zip(residuals).zip(folds) {
            for (figure, residual) in run.figures.iter().zip(residuals) {
                let fold = fold.unwrap_or_default();
                let of_kind = kinds.entry(figure.kind.clone()).or_default();
                of_kind.push((-residual, fold));
            }
        }
        kinds
    }
}

/// Three digits after the point, which is more than is known.
fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// The measured over the predicted figure that a tenth of rows is below, and above.
fn ends(logarithms: impl Iterator<Item = f64>) -> (f64, f64) {
    let mut ratios: Vec<f64> = logarithms.map(f64::exp).collect();
    ratios.sort_by(f64::total_cmp);
    (quantile(&ratios, 0.1), quantile(&ratios, 0.9))
}

fn of_kinds(kinds: &BTreeMap<String, Vec<(f64, usize)>>) -> Vec<OfKind> {
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

/// Computes the errors anew and writes the file. With `show`, prints the coefficients that fit all
/// rows.
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
    let bands = BANDS.iter().map(|(scope, kinds)| {
        // The wider of the two counts.
        let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
        for of_kinds in &by_kinds {
            let rows = kinds.iter().filter_map(|kind| of_kinds.get(*kind)).flatten();
            let rows: Vec<f64> = rows.map(|(ratio, _)| *ratio).collect();
            if !rows.is_empty() {
                let (least, most) = ends(rows.into_iter());
                low = low.min(least);
                high = high.max(most);
            }
        }
        Band {
            scope: (*scope).to_owned(),
            low: (low * 100.0).round() / 100.0,
            high: (high * 100.0).round() / 100.0,
        }
    });
    let held_out = HeldOut {
        models: of_kinds(&by_kinds[0]),
        releases: of_kinds(&by_kinds[1]),
        bands: bands.collect(),
        linearised_within: [0.5, 0.9].map(|share| rounded(quantile(&apart, share))),
    };
    let text = serde_json::to_string_pretty(&held_out)? + "\n";
    fs::write(root().join(FILE), text).with_context(|| FILE.to_owned())?;
    if std::env::var_os("SHOW_FIT").is_some() {
        show(&problem)?;
    }
    Ok(())
}

/// TEMPORARY
fn show(problem: &Problem) -> Result<()> {
    let (_, shifts) = problem.fit(|_| true)?;
    for (fitted, shift) in problem.fitted.iter().zip(&shifts) {
        let informed = problem.rows.iter().flatten().flat_map(|row| &row.slopes).count();
        let _ = informed;
        eprintln!(
            "{}: {} -> {:.4} (prior {:.3})",
            fitted.name,
            fitted.value,
            fitted.value * shift.exp(),
            fitted.value * fitted.expected.value.exp()
        );
    }
    for (title, shifts) in [
        ("present", vec![0.0; shifts.len()]),
        ("all rows", shifts),
        ("priors", problem.expected.iter().map(|e| e.value).collect()),
    ] {
        let now = residuals(&problem.measurements, &shifted(&problem.fitted, &shifts), |_| true)?;
        for (run, of_run) in problem.measurements.iter().zip(&now) {
            for (figure, residual) in run.figures.iter().zip(of_run) {
                println!("{title}\t{}\t{}\t{:.5}", run.id, figure.kind, residual);
            }
        }
        let folds = vec![Some(0); problem.measurements.len()];
        eprintln!("== {title}");
        for kind in of_kinds(&problem.by_kind(&now, &folds)) {
            eprintln!(
                "{} {}: {:.1} {:.1} {:+.1} [{:.2} {:.2}]",
                kind.kind, kind.rows, kind.median, kind.nine_of_ten, kind.bias, kind.low, kind.high
            );
        }
    }
    Ok(())
}
