//! How old the answer is.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Unit};

use crate::settings::Settings;

/// Today, or the day that the environment says.
pub fn today(settings: &Settings) -> Date {
    settings
        .today
        .unwrap_or_else(|| Timestamp::now().to_zoned(TimeZone::UTC).date())
}

/// `2026-07-20, 123 days old`, and whether that is more than its provider's prices keep; a date
/// whose day is not known has no age in days.
pub fn described(settings: &Settings, as_of: &str, max_days: u16) -> String {
    let day: Option<Date> = as_of.parse().ok();
    let age = day.and_then(|day| day.until((Unit::Day, today(settings))).ok());
    match age.map(|span| span.get_days()) {
        Some(0) => format!("{as_of}, today"),
        Some(1) => format!("{as_of}, 1 day old"),
        Some(days) if days > i32::from(max_days) => {
            format!("{as_of}, {days} days old (more than {max_days})")
        }
        Some(days) if days > 1 => format!("{as_of}, {days} days old"),
        _ => as_of.to_owned(),
    }
}

/// Whole days since a date; what is known by its month or year alone is as old as its first day.
pub fn days(settings: &Settings, as_of: &str) -> Option<i32> {
    let first = match as_of.len() {
        4 => format!("{as_of}-01-01"),
        7 => format!("{as_of}-01"),
        _ => as_of.to_owned(),
    };
    let day: Date = first.parse().ok()?;
    day.until((Unit::Day, today(settings)))
        .ok()
        .map(|span| span.get_days())
}
