//! How old the answer is.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Unit};

use crate::settings::Settings;

/// Today, or the day that the environment says.
pub fn today(settings: &Settings) -> Option<Date> {
    let given = settings.today.as_deref().and_then(|text| text.parse().ok());
    given.or_else(|| Some(Timestamp::now().to_zoned(TimeZone::UTC).date()))
}

/// `2026-07-20, 123 days old`; a date whose day is not known has no age in days.
pub fn described(settings: &Settings, as_of: &str) -> String {
    let day: Option<Date> = as_of.parse().ok();
    let age = day
        .zip(today(settings))
        .and_then(|(day, today)| day.until((Unit::Day, today)).ok());
    match age.map(|span| span.get_days()) {
        Some(0) => format!("{as_of}, today"),
        Some(1) => format!("{as_of}, 1 day old"),
        Some(days) if days > 1 => format!("{as_of}, {days} days old"),
        _ => as_of.to_owned(),
    }
}
