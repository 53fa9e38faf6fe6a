//! Fits the coefficients to all rows.

use std::io::Write;

use anyhow::Result;

use crate::problem::FitProblem;

/// The minimum change of a coefficient that is reported, as a logarithm.
const WORTH: f64 = 0.02;

/// Fits the coefficients with a `prior` to all rows, and writes the coefficients that differ from the catalog.
pub fn write(to: &mut impl Write) -> Result<()> {
    let mut problem = FitProblem::read()?;
    let shifts = problem.solution()?;
    let head = ["coefficient", "expected", "catalog", "fitted"];
    writeln!(
        to,
        "{:<48} {:>10} {:>10} {:>10}",
        head[0], head[1], head[2], head[3]
    )?;
    for (fitted, shift) in problem.fitted.iter().zip(shifts) {
        if shift.abs() >= WORTH {
            let expected = fitted.value * fitted.expected.value.exp();
            let value = fitted.value * shift.exp();
            writeln!(
                to,
                "{:<48} {expected:>10.4} {:>10.4} {value:>10.4}",
                fitted.name, fitted.value
            )?;
        }
    }
    Ok(())
}
