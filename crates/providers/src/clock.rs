//! Times in seconds since 1970.

use std::time::SystemTime;

use jiff::Timestamp;

/// Returns the current time in seconds since 1970.
pub fn now() -> i64 {
    let now = Timestamp::try_from(SystemTime::now());
    now.unwrap_or(Timestamp::MAX).as_second()
}

/// Parses an RFC 3339 date and time.
pub(crate) fn timestamp(text: &str) -> Option<i64> {
    text.trim()
        .parse::<Timestamp>()
        .ok()
        .map(Timestamp::as_second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_timestamps() {
        assert_eq!(timestamp(" 1970-01-02T00:00:00Z\n"), Some(86_400));
        assert_eq!(timestamp("yesterday"), None);
    }
}
