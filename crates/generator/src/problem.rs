//! The regression problem: coefficients are the unknowns, and measurements of speed are the equations.

use std::collections::BTreeMap;
use std::thread;

use anyhow::{Result, anyhow};

use crate::fitted::{Fitted, engine_with, fitted, shifted};
use crate::folds::Folds;
use crate::measurements::{MeasuredFigure, Measurement, UNSEEN, measurements};
use crate::ridge::{Expected, FitRow, misfit, solve, solve_near};

/// The prefix of the figures to which coefficients are fitted: speeds.
const FITTED: &str = "throughput.";
/// The step of the logarithm of a coefficient for numerical derivatives. Results have three digits, so a smaller step
/// would measure their rounding.
const SHIFT: f64 = 0.15;
/// The maximum number of steps of a fit, each of which computes the residuals again.
const STEPS: usize = 10;
/// The maximum number of rounds with new derivatives.
const ROUNDS: usize = 6;
/// Reaches of a step that are tried, for the logarithms of coefficients: derivatives are only valid nearby.
const REACHES: [f64; 4] = [0.5, 0.15, 0.05, 0.015];
/// The relative improvement of the misfit at which the steps end.
const NEAR: f64 = 1e-4;
/// The expected error of a figure, as the standard deviation of its logarithm.
const SCALE: f64 = 0.2;
/// The same for TTFT, which depends on queues.
const FIRST_TOKEN_SCALE: f64 = 0.5;

/// The logarithms of measured over predicted figures with their fold, by kind.
pub type Kinds = BTreeMap<String, Vec<(f64, usize)>>;

/// A step of a fit.
struct FitPoint {
    shifts: Vec<f64>,
    /// The residuals of each selected measurement.
    residuals: Vec<Vec<f64>>,
    /// The misfit of the shifts.
    misfit: f64,
}

impl FitPoint {
    /// Whether this improves the misfit only slightly.
    fn is_near(&self, worse: &Self) -> bool {
        self.misfit > worse.misfit * (1.0 - NEAR)
    }
}

/// The rows of the regression with their derivatives.
pub struct FitProblem {
    pub measurements: Vec<Measurement>,
    pub fitted: Vec<Fitted>,
    expected: Vec<Expected>,
    /// The rows of each measurement, one per figure.
    rows: Vec<Vec<FitRow>>,
}

/// The logarithms of predicted over measured figures of each selected measurement.
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

/// Does work for each number below `count`, on two threads.
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

impl FitProblem {
    pub fn read() -> Result<Self> {
        let mut measurements = measurements()?;
        measurements.retain(|run| {
            let figure = &run.figures[0];
            figure.path.starts_with(FITTED) && !figure.kind.starts_with(UNSEEN)
        });
        let fitted = fitted()?;
        let mut problem = Self {
            measurements,
            expected: fitted.iter().map(|fitted| fitted.expected).collect(),
            rows: Vec::new(),
            fitted,
        };
        problem.rows = problem.rows_at(&vec![0.0; problem.fitted.len()])?;
        Ok(problem)
    }

    /// Computes the rows with derivatives at shifted coefficients.
    fn rows_at(&self, shifts: &[f64]) -> Result<Vec<Vec<FitRow>>> {
        let residuals_at = |shifts: &[f64]| {
            residuals(&self.measurements, &shifted(&self.fitted, shifts), |_| true)
        };
        let steps = in_parallel(2 * self.fitted.len(), |at| {
            let mut shifts = shifts.to_vec();
            shifts[at / 2] += if at % 2 == 0 { SHIFT } else { -SHIFT };
            residuals_at(&shifts)
        })?;
        let mut rows = Vec::with_capacity(self.measurements.len());
        for (run, (residuals, measurement)) in residuals_at(shifts)?
            .into_iter()
            .zip(&self.measurements)
            .enumerate()
        {
            let of_figures = residuals.into_iter().zip(&measurement.figures).enumerate();
            let row = |(figure, (residual, measured)): (usize, (f64, &MeasuredFigure))| {
                let slope = |pair: &[Vec<Vec<f64>>]| {
                    (pair[0][run][figure] - pair[1][run][figure]) / (2.0 * SHIFT)
                };
                let slopes = steps.chunks_exact(2).map(slope).enumerate();
                let mut row = FitRow {
                    residual: 0.0,
                    slopes: slopes.filter(|(_, slope)| *slope != 0.0).collect(),
                    scale: if measured.path.ends_with("ttft_s") {
                        FIRST_TOKEN_SCALE
                    } else {
                        SCALE
                    },
                };
                row.residual = residual - row.at(shifts);
                row
            };
            rows.push(of_figures.map(row).collect());
        }
        Ok(rows)
    }

    /// Computes the residuals and the misfit of shifts.
    fn point(&self, shifts: Vec<f64>, is_chosen: impl Fn(usize) -> bool) -> Result<FitPoint> {
        let coefficients = shifted(&self.fitted, &shifts);
        let residuals = residuals(&self.measurements, &coefficients, is_chosen)?;
        let of_runs = residuals.iter().zip(&self.rows);
        let of_figures = of_runs.flat_map(|(residuals, rows)| residuals.iter().zip(rows));
        let scaled = of_figures.map(|(residual, row)| (*residual, row.scale));
        let misfit = misfit(scaled, &self.expected, &shifts);
        Ok(FitPoint {
            shifts,
            residuals,
            misfit,
        })
    }

    /// Tries steps of several reaches, and returns the one with the lowest misfit; `None` if no step improves it.
    fn better(
        &self,
        from: &FitPoint,
        is_chosen: impl Fn(usize) -> bool + Copy,
    ) -> Result<Option<FitPoint>> {
        let mut rows = Vec::new();
        for (of_run, residuals) in self.rows.iter().zip(&from.residuals) {
            for (row, residual) in of_run.iter().zip(residuals) {
                let mut row = row.clone();
                // The derivatives stay; the residuals are those at `from`.
                row.residual += residual - row.at(&from.shifts);
                rows.push(row);
            }
        }
        let mut best: Option<FitPoint> = None;
        for reach in REACHES {
            let shifts = solve_near(&rows, &self.expected, &from.shifts, reach);
            let point = self.point(shifts, is_chosen)?;
            if point.misfit < best.as_ref().unwrap_or(from).misfit {
                best = Some(point);
            }
        }
        Ok(best)
    }

    /// Fits the coefficients to all rows, with new derivatives after each step.
    pub fn solution(&mut self) -> Result<Vec<f64>> {
        let mut here = self.point(vec![0.0; self.fitted.len()], |_| true)?;
        for round in 0..ROUNDS {
            if round > 0 {
                self.rows = self.rows_at(&here.shifts)?;
            }
            let Some(next) = self.better(&here, |_| true)? else {
                break;
            };
            let is_last = next.is_near(&here);
            here = next;
            if is_last {
                break;
            }
        }
        Ok(here.shifts)
    }

    /// Fits the coefficients to the selected rows. Returns the shifts of the linearized problem, and the final shifts.
    fn fit(&self, is_chosen: impl Fn(usize) -> bool + Copy) -> Result<(Vec<f64>, Vec<f64>)> {
        let rows = self.rows.iter().enumerate();
        let chosen = rows.filter(|(at, _)| is_chosen(*at));
        let chosen: Vec<FitRow> = chosen.flat_map(|(_, rows)| rows.clone()).collect();
        let first = solve(&chosen, &self.expected);
        // The catalog's values come from all rows, so a fit to some of them must not begin there.
        let mut here = self.point(first.clone(), is_chosen)?;
        for _ in 1..STEPS {
            let Some(next) = self.better(&here, is_chosen)? else {
                break;
            };
            let is_last = next.is_near(&here);
            here = next;
            if is_last {
                break;
            }
        }
        Ok((first, here.shifts))
    }

    /// Predicts each measurement without its fold. Returns the residuals, and the differences of linearized predictions
    /// in percent.
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

    /// Groups residuals by kind, as logarithms of measured over predicted figures with their folds.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fit_without_rows_returns_the_priors() {
        let fitted = fitted().unwrap();
        let problem = FitProblem {
            measurements: Vec::new(),
            expected: fitted.iter().map(|fitted| fitted.expected).collect(),
            rows: Vec::new(),
            fitted,
        };
        let (first, shifts) = problem.fit(|_| false).unwrap();
        // The values of the catalog, which are fitted to all rows, have no influence.
        for ((first, shift), expected) in first.iter().zip(&shifts).zip(&problem.expected) {
            assert!((first - expected.value).abs() < 1e-9);
            assert!((shift - expected.value).abs() < 1e-9);
        }
        assert!(shifts.iter().any(|shift| shift.abs() > 0.5));
    }
}
