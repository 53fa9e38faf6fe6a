//! Robust ridge regression: least squares in which outliers count less, and parameters stay near their expected values.

/// The residual, in units of the scale, whose weight is one half. With this constant, the Cauchy weights keep 95 % of
/// the information of the rows if errors are normal (Holland and Welsch, 1977).
const HALF: f64 = 2.385;
/// Rounds of reweighting. The weights converge within this number.
const ROUNDS: usize = 25;

/// The expected value of a parameter.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    pub value: f64,
    /// The standard deviation.
    pub width: f64,
}

/// A row: the residual if all parameters are 0, and its derivatives.
#[derive(Clone, Debug)]
pub struct FitRow {
    pub residual: f64,
    /// The index of a parameter, and the derivative of the residual with respect to it.
    pub slopes: Vec<(usize, f64)>,
    /// The expected size of the residual.
    pub scale: f64,
}

impl FitRow {
    /// The linearized residual at some parameters.
    pub fn at(&self, parameters: &[f64]) -> f64 {
        let moved: f64 = self
            .slopes
            .iter()
            .map(|(at, slope)| slope * parameters[*at])
            .sum();
        self.residual + moved
    }
}

/// Returns the parameters that minimize the misfit.
///
/// The misfit is the sum of Cauchy's function of the scaled residuals, plus the squared differences of the parameters
/// from their expected values, scaled by their widths.
pub fn solve(rows: &[FitRow], expected: &[Expected]) -> Vec<f64> {
    let from: Vec<f64> = expected.iter().map(|expected| expected.value).collect();
    solve_near(rows, expected, &from, f64::INFINITY)
}

/// The same near the parameters at which the rows were linearized. The distance from them also counts, scaled by
/// `reach`.
pub fn solve_near(rows: &[FitRow], expected: &[Expected], from: &[f64], reach: f64) -> Vec<f64> {
    let nearer = |(expected, from): (&Expected, &f64)| {
        let (near, weight) = (reach.powi(-2), expected.width.powi(-2));
        Expected {
            value: (weight * expected.value + near * from) / (weight + near),
            width: (weight + near).powf(-0.5),
        }
    };
    let expected: Vec<Expected> = expected.iter().zip(from).map(nearer).collect();
    let mut parameters = from.to_vec();
    for _ in 0..ROUNDS {
        parameters = weighted(rows, &expected, &parameters);
    }
    parameters
}

/// The misfit that [`solve`] minimizes, from residuals with their scales and from parameters.
pub fn misfit(
    residuals: impl Iterator<Item = (f64, f64)>,
    expected: &[Expected],
    parameters: &[f64],
) -> f64 {
    let cauchy =
        |(residual, scale): (f64, f64)| HALF.powi(2) * (residual / (scale * HALF)).powi(2).ln_1p();
    let apart = |(expected, parameter): (&Expected, &f64)| {
        ((parameter - expected.value) / expected.width).powi(2)
    };
    let of_parameters: f64 = expected.iter().zip(parameters).map(apart).sum();
    residuals.map(cauchy).sum::<f64>() + of_parameters
}

/// One round of weighted least squares, with weights at the previous parameters.
fn weighted(rows: &[FitRow], expected: &[Expected], before: &[f64]) -> Vec<f64> {
    let size = expected.len();
    let mut matrix = vec![0.0; size * size];
    let mut right = vec![0.0; size];
    for (at, expected) in expected.iter().enumerate() {
        let weight = expected.width.powi(-2);
        matrix[at * size + at] = weight;
        right[at] = weight * expected.value;
    }
    for row in rows {
        let far = (row.at(before) / row.scale).abs();
        let weight = 1.0 / (1.0 + (far / HALF).powi(2)) / row.scale.powi(2);
        for (at, slope) in &row.slopes {
            right[*at] -= weight * slope * row.residual;
            for (other, second) in &row.slopes {
                matrix[at * size + other] += weight * slope * second;
            }
        }
    }
    cholesky(&mut matrix, &mut right);
    right
}

/// Solves a linear system with a symmetric positive definite matrix in place.
fn cholesky(matrix: &mut [f64], right: &mut [f64]) {
    let size = right.len();
    for row in 0..size {
        for column in 0..=row {
            let done: f64 = (0..column)
                .map(|k| matrix[row * size + k] * matrix[column * size + k])
                .sum();
            let rest = matrix[row * size + column] - done;
            // Widths are positive, and so is the diagonal.
            matrix[row * size + column] = if row == column {
                rest.max(f64::MIN_POSITIVE).sqrt()
            } else {
                rest / matrix[column * size + column]
            };
        }
    }
    for row in 0..size {
        let done: f64 = (0..row).map(|k| matrix[row * size + k] * right[k]).sum();
        right[row] = (right[row] - done) / matrix[row * size + row];
    }
    for row in (0..size).rev() {
        let done: f64 = (row + 1..size)
            .map(|k| matrix[k * size + row] * right[k])
            .sum();
        right[row] = (right[row] - done) / matrix[row * size + row];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(slope: f64, offset: f64, at: f64, measured: f64) -> FitRow {
        // The residual of the line `offset + slope * at`; parameters 0 and 1 change offset and slope.
        FitRow {
            residual: offset + slope * at - measured,
            slopes: vec![(0, 1.0), (1, at)],
            scale: 0.1,
        }
    }

    fn expected(width: f64) -> Vec<Expected> {
        vec![Expected { value: 0.0, width }; 2]
    }

    #[test]
    fn fits_a_line_with_an_outlier() {
        let mut rows: Vec<FitRow> = (0..20)
            .map(|at| line(0.0, 0.0, f64::from(at), 3.0 + 0.5 * f64::from(at)))
            .collect();
        rows.push(line(0.0, 0.0, 10.0, 100.0));
        let found = solve(&rows, &expected(100.0));
        assert!((found[0] - 3.0).abs() < 0.05, "{found:?}");
        assert!((found[1] - 0.5).abs() < 0.01, "{found:?}");
    }

    #[test]
    fn without_rows_parameters_are_as_expected() {
        let expected = [Expected {
            value: 0.7,
            width: 0.1,
        }];
        let found = solve(&[], &expected);
        assert!((found[0] - 0.7).abs() < 1e-12);
    }

    #[test]
    fn the_solution_is_the_least_misfit() {
        let rows = [line(0.0, 0.0, 1.0, 3.0), line(0.0, 0.0, 4.0, 5.0)];
        let expected = expected(2.0);
        let at = |parameters: &[f64]| {
            let residuals = rows.iter().map(|row| (row.at(parameters), row.scale));
            misfit(residuals, &expected, parameters)
        };
        let found = solve(&rows, &expected);
        for (offset, slope) in [(0.01, 0.0), (-0.01, 0.0), (0.0, 0.01), (0.0, -0.01)] {
            assert!(at(&found) < at(&[found[0] + offset, found[1] + slope]));
        }
    }

    #[test]
    fn a_short_reach_keeps_parameters_near_their_start() {
        let rows = [line(0.0, 0.0, 1.0, 3.0), line(0.0, 0.0, 4.0, 5.0)];
        let (expected, from) = (expected(2.0), [1.0, 1.0]);
        let moved = |reach: f64| (solve_near(&rows, &expected, &from, reach)[0] - 1.0).abs();
        assert!(moved(1e-4) < 1e-3 && moved(1e-4) < moved(0.1) && moved(0.1) < moved(10.0));
        let found = solve(&rows, &expected)[0] - 1.0;
        assert!((moved(1e6) - found.abs()).abs() < 1e-6);
    }

    #[test]
    fn a_narrow_width_keeps_a_parameter_near_its_expectation() {
        // A small residual has full weight.
        let row = FitRow {
            residual: -1e-3,
            slopes: vec![(0, 1.0)],
            scale: 1.0,
        };
        let at = |width: f64| {
            let expected = [Expected { value: 0.0, width }];
            solve(std::slice::from_ref(&row), &expected)[0]
        };
        // The mean of the row's value and 0, weighted by the inverse squares of scale and width.
        assert!((at(1.0) / 1e-3 - 0.5).abs() < 1e-6);
        assert!(at(0.1) < 0.011e-3 && at(10.0) > 0.98e-3);
    }
}
