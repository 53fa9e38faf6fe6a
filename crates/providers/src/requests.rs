//! Requests that read: bounded in time and size, and retried when that may help.
//!
//! Redirects are not followed: the answer of another server is not the provider's, and a key must
//! not reach it.

use std::time::Duration;

use http::StatusCode;
use http::header::{AUTHORIZATION, HeaderMap, LOCATION, RETRY_AFTER};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::budget::Resource;
use crate::clock::now;
use crate::context::{Context, Event};
use crate::error::{ErrorKind, ProviderError, Retry, TOO_LATE, quote, reason_of};
use crate::grpc;
use crate::http::unencrypted;
use crate::secret::Secrets;
use crate::transport::{self, AnswerBody, BodyPart, Client, HttpVersion, RequestBuilder};

/// The maximum number of attempts per request.
const MAX_ATTEMPTS: u32 = 3;
/// The pause before the second attempt; it doubles with each further attempt.
const FIRST_PAUSE: Duration = Duration::from_millis(400);

/// A successful answer, or the status that the document has not changed.
pub(crate) struct HttpReply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

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

impl Context<'_> {
    /// Sends a read-only request, and retries it while that may help.
    ///
    /// # Errors
    ///
    /// Fails with the error of the last attempt, of any kind except those of the cache. Its message
    /// has no secret of the call.
    pub(crate) async fn read(
        &self,
        call: &ReadCall<'_>,
        make: impl Fn(&Client) -> RequestBuilder,
    ) -> Result<HttpReply, ProviderError> {
        self.read_over(HttpVersion::One, call, make).await
    }

    /// Sends a read-only request over a version of HTTP, and retries it while that may help.
    ///
    /// # Errors
    ///
    /// Same as [`Self::read`].
    pub(crate) async fn read_over(
        &self,
        version: HttpVersion,
        call: &ReadCall<'_>,
        make: impl Fn(&Client) -> RequestBuilder,
    ) -> Result<HttpReply, ProviderError> {
        let clients = self.http.clients(version, call.provider)?;
        let client = clients.for_request(&make);
        if let Ok(request) = make(client).build() {
            // The client moves a password from the address to this header.
            let has_key = !call.secrets.is_empty() || request.headers().contains_key(AUTHORIZATION);
            if has_key && !self.http.may_send_key(request.url()) {
                let host = request.url().host_str().unwrap_or_default();
                return Err(unencrypted(call.provider, host));
            }
        }
        for attempt in 1.. {
            self.budget.take(Resource::Pages, 1)?;
            let started = Instant::now();
            let outcome = self.once(call, make(client)).await;
            (self.events)(Event::Call {
                provider: call.provider,
                operation: call.operation,
                outcome: outcome
                    .as_ref()
                    .map_or_else(|error| error.kind.code(), |_| "ok"),
                milliseconds: started.elapsed().as_millis(),
                attempt,
            });
            let error = match outcome {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            let pause = match error.retry {
                Retry::No => return Err(error.redacted(call.secrets)),
                Retry::After(pause) => pause,
                // Jitter: many clients that failed together must not retry together.
                Retry::Soon => {
                    FIRST_PAUSE.mul_f64(fastrand::f64().max(0.25) * f64::from(1 << attempt.min(8)))
                }
            };
            let remaining = self.deadline.saturating_duration_since(Instant::now());
            if attempt >= MAX_ATTEMPTS || pause >= remaining {
                return Err(error.redacted(call.secrets));
            }
            sleep(pause).await;
        }
        Err(self.out_of_time(call))
    }

    fn out_of_time(&self, call: &ReadCall<'_>) -> ProviderError {
        let seconds = self.http.timeouts().attempt().as_secs_f64();
        let message = format!(
            "no complete answer within {seconds:.0} s ({})",
            call.operation
        );
        ProviderError::new(call.provider, ErrorKind::Timeout, message)
            .hint("try again, or allow more time with `timeout`")
            .because(TOO_LATE)
            .retry(Retry::Soon)
    }

    async fn once(
        &self,
        call: &ReadCall<'_>,
        request: RequestBuilder,
    ) -> Result<HttpReply, ProviderError> {
        let exchange = timeout(self.http.timeouts().attempt(), self.exchange(call, request));
        match timeout_at(self.deadline, exchange).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) | Err(_) => Err(self.out_of_time(call)),
        }
    }

    async fn exchange(
        &self,
        call: &ReadCall<'_>,
        request: RequestBuilder,
    ) -> Result<HttpReply, ProviderError> {
        let response = request
            .send()
            .await
            .map_err(|error| unreachable(call, &error))?;
        let status = response.status();
        let headers = response.headers().clone();
        let announced = response.content_length().map(usize::try_from);
        let announced = announced.and_then(Result::ok).unwrap_or_default();
        let mut body = Vec::with_capacity(announced.min(call.max_body));
        let mut trailers = HeaderMap::new();
        let mut parts = AnswerBody::new(response);
        while let Some(part) = parts
            .part()
            .await
            .map_err(|error| unreachable(call, &error))?
        {
            let chunk = match part {
                BodyPart::Data(chunk) => chunk,
                BodyPart::Trailers(last) => {
                    trailers = last;
                    continue;
                }
            };
            if body.len() + chunk.len() > call.max_body {
                let message = format!(
                    "the answer is larger than {} MB ({})",
                    call.max_body >> 20,
                    call.operation
                );
                return Err(ProviderError::new(
                    call.provider,
                    ErrorKind::Protocol,
                    message,
                ));
            }
            self.budget.take(Resource::Bytes, chunk.len() as u64)?;
            body.extend_from_slice(&chunk);
        }
        let body = call.secrets.redact_bytes(body);
        if let Some(failure) = grpc::failure(status, &headers, &trailers) {
            return Err(failure.error(call, &headers));
        }
        if status.is_success() || status == StatusCode::NOT_MODIFIED {
            return Ok(HttpReply {
                status,
                headers,
                body,
            });
        }
        Err(refused(call, status, &headers, &body))
    }
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

/// Returns the error of a failed connection.
fn unreachable(call: &ReadCall<'_>, error: &transport::Error) -> ProviderError {
    let source = std::error::Error::source(error);
    let why = source.map_or_else(|| "the connection was closed".to_owned(), reason_of);
    let summary = if error.is_connect() {
        "cannot be reached"
    } else {
        "did not finish its answer"
    };
    let cause = quote(&call.secrets.redact(&why));
    let why = cause.as_ref().map(|why| format!(": {why}"));
    let why = why.unwrap_or_default();
    let message = format!("{summary}{why} ({})", call.operation);
    let kind = if error.is_timeout() {
        ErrorKind::Timeout
    } else {
        ErrorKind::Network
    };
    let error = ProviderError::new(call.provider, kind, message).retry(Retry::Soon);
    error.because(cause.unwrap_or_else(|| summary.to_owned()))
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
