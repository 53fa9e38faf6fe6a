//! Durations as people write them: `3s`, `1.5h`, `90d`, `1h 30m`.

/// The units, each with its spellings and its seconds. The first four are the usual ones. `M` is no
/// unit, because it means a million elsewhere.
const UNITS: [(&[&str], f64); 8] = [
    (&["s", "sec", "second", "seconds"], 1.0),
    (&["m", "min", "minute", "minutes"], 60.0),
    (&["h", "hour", "hours"], 3600.0),
    (&["d", "day", "days"], DAY),
    (&["w", "week", "weeks"], 7.0 * DAY),
    (&["mo", "month", "months"], 30.44 * DAY),
    (&["y", "year", "years"], 365.25 * DAY),
    (&["ms", "millisecond", "milliseconds"], 1e-3),
];

/// The seconds of a day.
const DAY: f64 = 86_400.0;
/// The maximum duration in seconds.
const LONGEST: f64 = 100.0 * 366.0 * DAY;

/// The meaning of a number without a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BareNumber {
    /// It is an error, because several units are plausible.
    Refused,
    /// It is a number of seconds.
    Seconds,
}

/// The reason why a text is not a duration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DurationError {
    /// A number without a unit.
    #[error("{0} has no unit: write {0}s, {0}m, {0}h or {0}d")]
    NoUnit(String),
    /// A duration below zero.
    #[error("a time cannot be negative: write a number with its unit, such as 90s, 30m, 12h or 7d")]
    Negative,
    /// A duration of more than 100 years.
    #[error("at most 100 years are supported")]
    TooLong,
    /// Any other text.
    #[error("write a number with its unit: 90s, 30m, 12h or 7d")]
    Unreadable,
}

/// Reads a duration in seconds.
///
/// # Errors
///
/// Fails if the text is not a duration of at most 100 years.
pub fn seconds(text: &str, bare: BareNumber) -> Result<f64, DurationError> {
    let text = text.trim();
    if text.starts_with('-') {
        let rest = text.trim_start_matches(['-', ' ']);
        let is_number = rest.starts_with(|c: char| c.is_ascii_digit());
        return Err(if is_number {
            DurationError::Negative
        } else {
            DurationError::Unreadable
        });
    }
    let mut rest = text;
    let mut total = 0.0;
    while !rest.is_empty() {
        let is_of_number = |c: char| c.is_ascii_digit() || c == '.';
        let (number, after) = split(rest, is_of_number);
        let value: f64 = number.parse().map_err(|_| DurationError::Unreadable)?;
        let (unit, after) = split(after.trim_start(), |c| c.is_ascii_alphabetic());
        total += match unit {
            "" if number != text => return Err(DurationError::Unreadable),
            "" if bare == BareNumber::Refused => {
                return Err(DurationError::NoUnit(number.to_owned()));
            }
            "" => value,
            unit => value * seconds_of(unit).ok_or(DurationError::Unreadable)?,
        };
        rest = after.trim_start();
    }
    if text.is_empty() {
        return Err(DurationError::Unreadable);
    }
    if total > LONGEST {
        return Err(DurationError::TooLong);
    }
    Ok(total)
}

fn seconds_of(unit: &str) -> Option<f64> {
    let mut units = UNITS.iter();
    let found = units.find(|(words, _)| words.contains(&unit));
    found.map(|(_, seconds)| *seconds)
}

/// Splits a text after its first characters of a kind.
fn split(text: &str, is_of_kind: impl Fn(char) -> bool) -> (&str, &str) {
    let end = text.find(|c| !is_of_kind(c)).unwrap_or(text.len());
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_unit() {
        for (text, expected) in [
            ("3s", 3.0),
            ("50ms", 0.05),
            ("2m", 120.0),
            ("1.5h", 5400.0),
            ("90d", 90.0 * DAY),
            (" 7 days ", 7.0 * DAY),
            ("1h 30m", 5400.0),
            ("1h30m", 5400.0),
            ("2w", 14.0 * DAY),
            ("0s", 0.0),
        ] {
            let read = seconds(text, BareNumber::Refused).unwrap();
            assert!((read - expected).abs() < 1e-9, "{text}: {read}");
        }
        assert_eq!(seconds("3", BareNumber::Seconds), Ok(3.0));
        assert_eq!(seconds("1.5", BareNumber::Seconds), Ok(1.5));
    }

    #[test]
    fn other_texts_are_errors_that_say_what_is_right() {
        use DurationError::{Negative, NoUnit, TooLong, Unreadable};
        for (text, expected) in [
            ("90", NoUnit("90".to_owned())),
            ("-5d", Negative),
            ("- 5", Negative),
            ("101y", TooLong),
            ("99999999999999999999d", TooLong),
            ("", Unreadable),
            ("soon", Unreadable),
            ("--live", Unreadable),
            ("5x", Unreadable),
            ("3M", Unreadable),
            ("1h 30", Unreadable),
            ("1..5h", Unreadable),
            ("h", Unreadable),
            ("5µs", Unreadable),
        ] {
            assert_eq!(seconds(text, BareNumber::Refused), Err(expected), "{text}");
        }
        let message = seconds("90", BareNumber::Refused).unwrap_err().to_string();
        assert_eq!(message, "90 has no unit: write 90s, 90m, 90h or 90d");
    }
}
