//! The coefficients as unknowns, and the measurements of speed as equations.

use std::collections::BTreeMap;
use std::thread;

use anyhow::{Result, anyhow};

use crate::fitted::{Fitted, engine_with, fitted, shifted};
use crate::folds::Folds;
use crate::measurements::{Figure, Measurement, UNSEEN, measurements};
use crate::ridge::{Expected, Row, solve};

/// The figures that coefficients are fitted to: those of speed.
const FITTED: &str = "throughput.";
/// The shift of a coefficient's logarithm by which derivatives are taken. Answers have three digits, so a
/// smaller one would measure their rounding.
const SHIFT: f64 = 0.15;
/// Times that the residuals are computed anew while coefficients are fitted.
const STEPS: usize = 3;
/// The error that is expected of a figure, as the standard deviation of its logarithm.
const SCALE: f64 = 0.2;
/// The same for times to the first token, which depend on queues.
const FIRST_TOKEN_SCALE: f64 = 0.5;

/// Measured over predicted figures, as logarithms, with the fold that each is of, by kind.
pub type Kinds = BTreeMap<String, Vec<(f64, usize)>>;

/// All rows that are fitted, with their derivatives.
pub struct Problem {
    pub measurements: Vec<Measurement>,
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
    pub fn read() -> Result<Self> {
        let mut measurements = measurements()?;
        measurements.retain(|run| {
            let figure = &run.figures[0];
            figure.path.starts_with(FITTED) && !figure.kind.starts_with(UNSEEN)
        });
        let fitted = fitted()?;
        let mut rows: Vec<Vec<Row>> = residuals(&measurements, &shifted(&fitted, &[]), |_| true)?
            .into_iter()
            .zip(&measurements)
            .map(|(residuals, run)| {
                let of_figures = residuals.into_iter().zip(&run.figures);
                let row = |(residual, figure): (f64, &Figure)| Row {
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
        let first = solve(&chosen(&self.rows), &self.expected);
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
            shifts = solve(&chosen(&rows), &self.expected);
        }
        Ok((first, shifts))
    }

    /// The residuals of each measurement, predicted without its fold, and how far predictions with
    /// derivatives are from them, in percent.
    pub fn held_out(&self, folds: &Folds) -> Result<(Vec<Vec<f64>>, Vec<f64>)> {
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
    pub fn by_kind(&self, residuals: &[Vec<f64>], folds: &Folds) -> Kinds {
        let mut kinds = Kinds::new();
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
