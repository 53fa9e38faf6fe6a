//! The parameters of a read-only request, and the error of a refusal.

use std::time::Duration;

use http::StatusCode;
use http::header::{HeaderMap, LOCATION, RETRY_AFTER};

use crate::clock::now;
use crate::error::{ErrorKind, ProviderError, Retry, quote};
use crate::secret::Secrets;

/// The parameters of a request, apart from the HTTP request.
pub(crate) struct ReadCall<'c> {
    pub provider: &'static str,
    /// The operation, such as `searching offers`.
    pub operation: &'c str,
    pub secrets: &'c Secrets,
    /// The maximum size of an answer in bytes.
    pub max_body: usize,
    /// The pause after a refusal without `Retry-After`.
    pub pace: Option<Duration>,
    /// Converts an error status to an error; `None` for the default error of the status.
    pub explain: &'c dyn Fn(StatusCode, &[u8]) -> Option<ProviderError>,
}

/// Returns the error of a status, unless the provider has a better one.
pub(crate) fn refused(
    call: &ReadCall<'_>,
    status: StatusCode,
    headers: &HeaderMap,
    body: &[u8],
) -> ProviderError {
    if let Some(error) = (call.explain)(status, body) {
        return error;
    }
    let provider = call.provider;
    let words = error_message(body);
    let summary = || {
        let reason = words.as_ref().map(|text| format!(": {text}"));
        let reason = reason.unwrap_or_default();
        format!("HTTP {} when {}{reason}", status.as_u16(), call.operation)
    };
    let quoting = |kind| ProviderError::new(provider, kind, summary()).quoting(words.clone());
    match status.as_u16() {
        401 | 403 => quoting(ErrorKind::CredentialsRefused),
        429 if day_is_used_up(headers) => {
            let message = format!(
                "the daily limit of requests is used up ({})",
                call.operation
            );
            ProviderError::new(provider, ErrorKind::DailyQuota, message)
        }
        429 => {
            let wait = retry_after(headers);
            let when = wait.map_or_else(
                || "try again in a minute".to_owned(),
                |wait| format!("retry after {} s", wait.as_secs()),
            );
            let message = format!("too many requests ({})", call.operation);
            ProviderError::new(provider, ErrorKind::RateLimited, message)
                .hint(when)
                .retry(wait.or(call.pace).map_or(Retry::Soon, Retry::After))
        }
        404 => {
            let mut error = quoting(ErrorKind::Protocol);
            error.is_absent = true;
            error
        }
        300..=399 => {
            let message = format!(
                "the answer is a redirect, which is not followed ({}): check the base URL",
                call.operation
            );
            let mut error = ProviderError::new(provider, ErrorKind::Protocol, message);
            error.redirect = headers.get(LOCATION).cloned().map(Box::new);
            error
        }
        408 | 500..=599 => {
            quoting(ErrorKind::Server).retry(retry_after(headers).map_or(Retry::Soon, Retry::After))
        }
        _ => quoting(ErrorKind::Protocol),
    }
}

/// The maximum size of an error body that is parsed for a message, in bytes.
const MAX_ERROR_BYTES: usize = 64 << 10;

/// Returns the message in the JSON of a provider's error, which may be in an object `error`.
pub(crate) fn error_message(body: &[u8]) -> Option<String> {
    if body.len() > MAX_ERROR_BYTES {
        return None;
    }
    let value: serde_json::Value = serde_json::from_slice(body).ok()?;
    // Azure and Google Cloud wrap it in an object.
    let wrapped = value.get("error").filter(|error| error.is_object());
    let value = wrapped.unwrap_or(&value);
    let text = ["message", "msg", "detail", "title", "error"]
        .iter()
        .find_map(|field| value.get(field)?.as_str())?;
    quote(text)
}

/// A longer wait than a year is capped, to avoid overflows.
const LONGEST_WAIT: u64 = 366 * 86_400;

/// Returns `Retry-After`, which is a number of seconds or a date.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(Duration::from_secs(seconds.min(LONGEST_WAIT)));
    }
    let date = jiff::fmt::rfc2822::parse(value).ok()?;
    let seconds = date.timestamp().as_second() - now();
    Some(Duration::from_secs(u64::try_from(seconds).unwrap_or(0)))
}

/// Returns true if the `RateLimit` header reports that the daily limit is used up.
fn day_is_used_up(headers: &HeaderMap) -> bool {
    let limits = headers.get_all("ratelimit");
    limits
        .iter()
        .filter_map(|value| value.to_str().ok())
        .any(|value| {
            value.split(',').any(|item| {
                let mut parts = item.split(';').map(str::trim);
                parts.next() == Some("\"day\"") && parts.any(|part| part == "r=0")
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &'static str, value: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().unwrap());
        headers
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let wait = |value| retry_after(&headers("retry-after", value));
        assert_eq!(wait("7"), Some(Duration::from_secs(7)));
        assert_eq!(
            wait("18446744073709551615"),
            Some(Duration::from_secs(LONGEST_WAIT))
        );
        assert_eq!(wait("Wed, 21 Oct 2015 07:28:00 GMT"), Some(Duration::ZERO));
        assert_eq!(wait("soon"), None);
    }

    #[test]
    fn temporary_errors_are_retried_after_the_requested_time() {
        let secrets = Secrets::default();
        let call = |pace| ReadCall {
            provider: "test",
            operation: "testing",
            secrets: &secrets,
            max_body: 100,
            pace,
            explain: &|_, _| None,
        };
        let seconds = |seconds| Retry::After(Duration::from_secs(seconds));
        let (none, five) = (HeaderMap::new(), headers("retry-after", "5"));
        let pace = Some(Duration::from_secs(3));
        for (status, headers, pace, wanted) in [
            (429, &none, None, Retry::Soon),
            (429, &none, pace, seconds(3)),
            (429, &five, pace, seconds(5)),
            (503, &none, pace, Retry::Soon),
            (503, &five, None, seconds(5)),
            (408, &none, None, Retry::Soon),
            (302, &five, None, Retry::No),
            (401, &five, None, Retry::No),
            (404, &five, None, Retry::No),
        ] {
            let status = StatusCode::from_u16(status).unwrap();
            let error = refused(&call(pace), status, headers, b"");
            assert_eq!(error.retry, wanted, "{status} {headers:?} {pace:?}");
        }
    }

    #[test]
    fn detects_a_used_up_daily_limit() {
        let used = |value| day_is_used_up(&headers("ratelimit", value));
        assert!(used("\"minute\";r=3;t=12, \"day\";r=0;t=3600"));
        assert!(!used("\"minute\";r=0;t=12, \"day\";r=20;t=3600"));
        assert!(!used("nonsense"));
    }

    #[test]
    fn error_messages_come_only_from_known_fields() {
        assert_eq!(
            error_message(br#"{"message":"no\u001b[31m\n such  key"}"#).as_deref(),
            Some("no\u{1b}[31m such key")
        );
        let wrapped = br#"{"error":{"code":"BadRequest","message":"no such region"}}"#;
        assert_eq!(error_message(wrapped).as_deref(), Some("no such region"));
        assert_eq!(error_message(b"<html>secret</html>"), None);
        assert_eq!(error_message(br#"{"message":{"a":1}}"#), None);
        let long = format!(r#"{{"message":"no","zeros":[{}0]}}"#, "0,".repeat(1 << 16));
        assert_eq!(error_message(long.as_bytes()), None);
    }
}
