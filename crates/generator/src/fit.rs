//! The values that all rows together give to the coefficients.

use anyhow::Result;

use crate::problem::Problem;

/// How much a value differs from that of the catalog before it is worth a change, as a logarithm.
const WORTH: f64 = 0.02;

/// Fits the coefficients that have a `prior` to all rows, and prints those that differ from the catalog.
pub fn print() -> Result<()> {
    let mut problem = Problem::read()?;
    let shifts = problem.solution()?;
    println!(
        "{:<48} {:>10} {:>10} {:>10}",
        "coefficient", "expected", "catalog", "fitted"
    );
    for (fitted, shift) in problem.fitted.iter().zip(shifts) {
        if shift.abs() >= WORTH {
            let expected = fitted.value * fitted.expected.value.exp();
            let value = fitted.value * shift.exp();
            println!(
                "{:<48} {expected:>10.4} {:>10.4} {value:>10.4}",
                fitted.name, fitted.value
            );
        }
    }
    Ok(())
}
