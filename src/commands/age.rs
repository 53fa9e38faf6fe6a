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

/// `2026-07-20, 123 days old`, and whether that is more than its provider's prices keep. Where the day
/// is not known a date is at least as old as its last one.
pub fn described(settings: &Settings, as_of: &str, max_days: u16) -> String {
    let max = i32::from(max_days);
    let day: Option<Date> = as_of.get(..10).and_then(|day| day.parse().ok());
    let Some(age) = day.and_then(|day| since(settings, day)) else {
        return match last_day(as_of).and_then(|day| since(settings, day)) {
            Some(days) if days > max => {
                format!("{as_of}, at least {days} days old (more than {max_days})")
            }
            Some(_) => format!("{as_of}, day unknown"),
            None => as_of.to_owned(),
        };
    };
    match age {
        0 => format!("{as_of}, today"),
        1 => format!("{as_of}, 1 day old"),
        days if days > max => format!("{as_of}, {days} days old (more than {max_days})"),
        days if days > 1 => format!("{as_of}, {days} days old"),
        _ => format!("{as_of}, a day that is still to come: is the clock right?"),
    }
}

fn since(settings: &Settings, day: Date) -> Option<i32> {
    let span = day.until((Unit::Day, today(settings))).ok()?;
    Some(span.get_days())
}

/// The last day of a month or a year that is not over the day before.
fn last_day(as_of: &str) -> Option<Date> {
    let first: Date = match as_of.len() {
        4 => format!("{as_of}-12-01"),
        7 => format!("{as_of}-01"),
        _ => return None,
    }
    .parse()
    .ok()?;
    Some(first.last_of_month())
}

/// Whole days since a date; what is known by its month or year alone is as old as its first day.
pub fn days(settings: &Settings, as_of: &str) -> Option<i32> {
    let first = match as_of.len() {
        4 => format!("{as_of}-01-01"),
        7 => format!("{as_of}-01"),
        _ => as_of.to_owned(),
    };
    since(settings, first.parse().ok()?)
}
