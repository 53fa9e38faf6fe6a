//! The age of a price or a fact, in days.

use std::time::SystemTime;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Unit};
use sky_accel_core::duration::{BareNumber, seconds};
use sky_accel_core::text::counted;

use crate::code::ErrorCode;
use crate::error::{Error, Result};

/// Today in UTC. A clock after the year 9999 yields the last supported day. A program in WebAssembly has no clock, and
/// the first supported day: its host provides the day.
pub fn today() -> Date {
    if cfg!(target_family = "wasm") {
        return Date::MIN;
    }
    Timestamp::try_from(SystemTime::now())
        .map_or(Date::MAX, |now| now.to_zoned(TimeZone::UTC).date())
}

/// A date with its age: `2026-07-20, 123 days old`.
///
/// Marks ages above `max_days`, the number of days that a provider's prices stay current.
pub fn described(today: Date, as_of: &str, max_days: u16) -> String {
    let max = i32::from(max_days);
    match days(today, as_of) {
        None => as_of.to_owned(),
        Some(0) => format!("{as_of}, today"),
        Some(days) if days > max.max(1) => {
            format!("{as_of}, {days} days old (more than {max_days})")
        }
        Some(days) if days > 0 => format!("{as_of}, {} old", counted(days, "day")),
        Some(_) => format!("{as_of}, in the future: check the clock"),
    }
}

fn since(today: Date, day: Date) -> Option<i32> {
    let span = day.until((Unit::Day, today)).ok()?;
    Some(span.get_days())
}

/// Reads a maximum age of prices, such as `90d`, in seconds.
///
/// # Errors
///
/// [`ErrorCode::BadValue`] for other text, and for a number without a unit.
pub fn max_age_s(text: &str) -> Result<u64> {
    let read = seconds(text, BareNumber::Refused).map(|seconds| seconds as u64);
    read.map_err(|error| Error::new(ErrorCode::BadValue, format!("`max_age`: {error}")))
}

/// The whole days of a duration in seconds.
pub(crate) fn whole_days(seconds: u64) -> i32 {
    const SECONDS_OF_DAY: u64 = 86_400;
    i32::try_from(seconds / SECONDS_OF_DAY).unwrap_or(i32::MAX)
}

/// Whole days from a date to `today`; negative for dates in the future. A month or a year without a day
/// counts as its first day, and a time after the day is ignored.
///
/// Returns `None` if the text is not a date.
pub fn days(today: Date, as_of: &str) -> Option<i32> {
    let first = match as_of.len() {
        4 => format!("{as_of}-01-01"),
        7 => format!("{as_of}-01"),
        _ => as_of.get(..10)?.to_owned(),
    };
    since(today, first.parse().ok()?)
}
