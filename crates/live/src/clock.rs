//! Times for people.

use jiff::Timestamp;

/// Returns a time in seconds since 1970 in RFC 3339 form, in UTC.
pub fn timestamp(seconds: i64) -> String {
    Timestamp::from_second(seconds)
        .map(|at| at.to_string())
        .unwrap_or_default()
}
