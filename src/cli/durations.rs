//! Parsers of durations. Each error states what is permitted; clap adds the flag and the value.

use std::time::Duration;

use sky_accel_core::duration::{BareNumber, seconds};

/// Minimum polling interval. Providers limit requests per minute, and one poll sends several.
const MIN_INTERVAL: Duration = Duration::from_secs(5);
/// Maximum timeout of the providers.
const MAX_TIMEOUT: Duration = Duration::from_secs(600);

/// Parses an age: `90s`, `30m`, `12h`, `90d`.
pub fn age(text: &str) -> Result<Duration, String> {
    read(text, BareNumber::Refused)
}

/// Parses a time to wait: `3s`, `2m`, or a number of seconds.
pub fn wait(text: &str) -> Result<Duration, String> {
    read(text, BareNumber::Seconds)
}

/// Parses the timeout of the providers.
pub fn timeout(text: &str) -> Result<Duration, String> {
    let timeout = wait(text)?;
    if timeout < Duration::from_secs(1) || timeout > MAX_TIMEOUT {
        return Err("expected a time from 1s to 10m, such as 30s".to_owned());
    }
    Ok(timeout)
}

/// Parses the interval between two queries.
pub fn interval(text: &str) -> Result<Duration, String> {
    let interval = wait(text)?;
    if interval < MIN_INTERVAL {
        return Err("the minimum interval is 5s".to_owned());
    }
    Ok(interval)
}

/// Parses hours: a number, or a duration such as `90m`. The engine checks the bounds of numbers.
pub fn hours(text: &str) -> Result<f64, String> {
    text.parse().or_else(|_| {
        let time = seconds(text, BareNumber::Refused).ok();
        let time = time.filter(|time| *time >= 1.0);
        time.map(|time| time / 3600.0).ok_or_else(|| {
            "write hours as a number, or a time with its unit: 90m, 12h or 2d".to_owned()
        })
    })
}

fn read(text: &str, bare: BareNumber) -> Result<Duration, String> {
    let seconds = seconds(text, bare).map_err(|error| error.to_string())?;
    Ok(Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_is_read_the_same_way() {
        for (text, seconds) in [("3s", 3), ("2m", 120), ("1h", 3600)] {
            let expected = Ok(Duration::from_secs(seconds));
            assert_eq!(age(text), expected, "{text}");
            assert_eq!(wait(text), expected, "{text}");
            assert_eq!(hours(text), Ok(seconds as f64 / 3600.0), "{text}");
        }
        assert_eq!(timeout("3"), Ok(Duration::from_secs(3)));
        assert_eq!(timeout("3s"), timeout("3"));
        assert_eq!(interval("60"), interval("1m"));
        assert_eq!(hours("1.5"), hours("90m"));
    }

    #[test]
    fn errors_state_what_is_permitted() {
        for (error, part) in [
            (age("90"), "90 has no unit: write 90s"),
            (age("-5d"), "negative"),
            (age("1000y"), "100 years"),
            (timeout("0"), "from 1s to 10m"),
            (timeout("1h"), "from 1s to 10m"),
            (interval("1s"), "minimum interval is 5s"),
        ] {
            let error = error.unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }
}
