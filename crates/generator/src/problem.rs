//! The coefficients as unknowns, and the measurements of speed as equations.

use std::collections::BTreeMap;
use std::thread;

use anyhow::{Result, anyhow};

use crate::fitted::{Fitted, engine_with, fitted, shifted};
use crate::folds::Folds;
use crate::measurements::{Figure, Measurement, UNSEEN, measurements};
use crate::ridge::{Expected, Row, misfit, solve, solve_near};

/// The figures that coefficients are fitted to: those of speed.
const FITTED: &str = "throughput.";
/// The shift of a coefficient's logarithm by which derivatives are taken. Answers have three digits, so a
/// smaller one would measure their rounding.
const SHIFT: f64 = 0.15;
/// Times that the residuals are computed anew while coefficients are fitted.
const STEPS: usize = 10;
/// Times that derivatives are taken anew, at most.
const ROUNDS: usize = 6;
/// How far coefficients' logarithms may move in a step: derivatives hold near where they are taken.
const REACHES: [f64; 4] = [0.5, 0.15, 0.05, 0.015];
/// The share of the misfit by which the last step betters it, at most.
const NEAR: f64 = 1e-4;
/// The error that is expected of a figure, as the standard deviation of its logarithm.
const SCALE: f64 = 0.2;
/// The same for times to the first token, which depend on queues.
const FIRST_TOKEN_SCALE: f64 = 0.5;

/// Measured over predicted figures, as logarithms, with the fold that each is of, by kind.
pub type Kinds = BTreeMap<String, Vec<(f64, usize)>>;

/// Shifts of coefficients.
struct Point {
    shifts: Vec<f64>,
    /// What is left of each chosen measurement.
    residuals: Vec<Vec<f64>>,
    /// How badly they fit.
    misfit: f64,
}

impl Point {
    /// Whether it fits hardly better than another.
    fn is_near(&self, worse: &Self) -> bool {
        self.misfit > worse.misfit * (1.0 - NEAR)
    }
}

/// All rows that are fitted, with their derivatives.
pub struct Problem {
    pub measurements: Vec<Measurement>,
    pub fitted: Vec<Fitted>,
    expected: Vec<Expected>,
    /// The rows of each measurement, one for each figure.
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
        let mut problem = Self {
            measurements,
            expected: fitted.iter().map(|fitted| fitted.expected).collect(),
            rows: Vec::new(),
            fitted,
        };
        problem.rows = problem.rows_at(&vec![0.0; problem.fitted.len()])?;
        Ok(problem)
    }

    /// The rows as they are near coefficients that are shifted, with derivatives that are taken there.
    fn rows_at(&self, shifts: &[f64]) -> Result<Vec<Vec<Row>>> {
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
            let row = |(figure, (residual, measured)): (usize, (f64, &Figure))| {
                let slope = |pair: &[Vec<Vec<f64>>]| {
                    (pair[0][run][figure] - pair[1][run][figure]) / (2.0 * SHIFT)
                };
                let slopes = steps.chunks_exact(2).map(slope).enumerate();
                let mut row = Row {
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

    /// Shifts of coefficients, with what they leave of the chosen measurements.
    fn point(&self, shifts: Vec<f64>, is_chosen: impl Fn(usize) -> bool) -> Result<Point> {
        let coefficients = shifted(&self.fitted, &shifts);
        let residuals = residuals(&self.measurements, &coefficients, is_chosen)?;
        let of_runs = residuals.iter().zip(&self.rows);
        let of_figures = of_runs.flat_map(|(residuals, rows)| residuals.iter().zip(rows));
        let scaled = of_figures.map(|(residual, row)| (*residual, row.scale));
        let misfit = misfit(scaled, &self.expected, &shifts);
        Ok(Point {
            shifts,
            residuals,
            misfit,
        })
    }

    /// The shifts of coefficients that fit the chosen measurements best, of those that are found with the derivatives
    /// nearer and farther from here; `None` where none fits better.
    fn better(
        &self,
        from: &Point,
        is_chosen: impl Fn(usize) -> bool + Copy,
    ) -> Result<Option<Point>> {
        let mut rows = Vec::new();
        for (of_run, residuals) in self.rows.iter().zip(&from.residuals) {
            for (row, residual) in of_run.iter().zip(residuals) {
                let mut row = row.clone();
                // The same derivatives, through the residuals as they are here.
                row.residual += residual - row.at(&from.shifts);
                rows.push(row);
            }
        }
        let mut best: Option<Point> = None;
        for reach in REACHES {
            let shifts = solve_near(&rows, &self.expected, &from.shifts, reach);
            let point = self.point(shifts, is_chosen)?;
            if point.misfit < best.as_ref().unwrap_or(from).misfit {
                best = Some(point);
            }
        }
        Ok(best)
    }

    /// The shifts of coefficients that fit all rows, with derivatives that are taken anew after each step.
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

    /// The shifts of coefficients that fit the chosen rows: with derivatives alone, and with residuals that are computed
    /// anew.
    fn fit(&self, is_chosen: impl Fn(usize) -> bool + Copy) -> Result<(Vec<f64>, Vec<f64>)> {
        let rows = self.rows.iter().enumerate();
        let chosen = rows.filter(|(at, _)| is_chosen(*at));
        let chosen: Vec<Row> = chosen.flat_map(|(_, rows)| rows.clone()).collect();
        let first = solve(&chosen, &self.expected);
        // The catalog's values come from all rows, so a fit of some of them does not begin there.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fit_without_rows_gives_what_was_expected() {
        let fitted = fitted().unwrap();
        let problem = Problem {
            measurements: Vec::new(),
            expected: fitted.iter().map(|fitted| fitted.expected).collect(),
            rows: Vec::new(),
            fitted,
        };
        let (first, shifts) = problem.fit(|_| false).unwrap();
        // The catalog's values, which all rows chose, leave no trace.
        for ((first, shift), expected) in first.iter().zip(&shifts).zip(&problem.expected) {
            assert!((first - expected.value).abs() < 1e-9);
            assert!((shift - expected.value).abs() < 1e-9);
        }
        assert!(shifts.iter().any(|shift| shift.abs() > 0.5));
    }
}
