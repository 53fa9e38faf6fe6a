//! Bounds of numbers in requests.

use crate::code::ErrorCode;
use crate::error::{Error, Result};

/// The maximum number of tokens of a run.
pub(super) const MAX_TOKENS: f64 = 1e9;
/// The maximum number of concurrent sequences or requests of a run.
pub(super) const MAX_BATCH: f64 = 1e6;

/// Returns the error for a value that a run cannot have.
pub(super) fn wrong(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::BadValue, message)
}

/// Checks a number against its bounds.
pub(super) fn number(
    field: &str,
    value: Option<f64>,
    bounds: std::ops::RangeInclusive<f64>,
) -> Result<Option<f64>> {
    match value {
        Some(value) if !bounds.contains(&value) => {
            let (low, high) = (bounds.start(), bounds.end());
            // Numbers of up to 300 digits would make the message unreadable.
            let value = if value.abs() < 1e15 {
                value.to_string()
            } else {
                format!("{value:e}")
            };
            Err(wrong(format!(
                "`{field}` must be between {low} and {high}, not {value}"
            )))
        }
        value => Ok(value),
    }
}

/// Checks an integer of at least 1.
pub(super) fn integer(field: &str, value: Option<f64>, max: f64) -> Result<Option<f64>> {
    match number(field, value, 1.0..=max)? {
        Some(value) if value.fract() != 0.0 => {
            Err(wrong(format!("`{field}` must be an integer, not {value}")))
        }
        value => Ok(value),
    }
}
