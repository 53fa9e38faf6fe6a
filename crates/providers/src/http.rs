//! Requests that read: bounded in time and size, tried again when that may help.
//!
//! Redirects are not followed: an answer from elsewhere is not the provider's, and a key must not
//! travel there.

use std::cell::OnceCell;
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{Client, RequestBuilder, StatusCode, Url};
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt as _;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::context::{Context, Event};
use crate::error::{ErrorKind, ProviderError, Retry, quote};
use crate::secret::Secrets;

/// A request is sent so often at most.
const MAX_ATTEMPTS: u32 = 3;
/// The pause before the second attempt; it doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(400);

/// The time limits of requests.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// The limit for one provider's whole answer, with all attempts.
    pub total: Duration,
}

impl Timeouts {
    /// Returns the limit for one attempt, which leaves time for a second one.
    pub fn attempt(self) -> Duration {
        self.total.mul_f64(0.45)
    }

    /// Returns the limit for opening a connection.
    pub fn connect(self) -> Duration {
        self.attempt().min(Duration::from_secs(5))
    }
}

/// The HTTP client that all providers share. It is built at the first request, because loading
/// certificates takes time.
#[derive(Debug)]
pub struct Http {
    client: Rc<OnceCell<Client>>,
    timeouts: Timeouts,
    user_agent: &'static str,
    allows_plain: bool,
}

/// A successful answer, or one that nothing has changed.
pub(crate) struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

/// One request as its provider knows it.
pub(crate) struct Call<'c> {
    pub provider: &'static str,
    /// In words: `searching offers`.
    pub operation: &'c str,
    pub secrets: &'c Secrets,
    /// The largest answer that is read, in bytes.
    pub max_body: usize,
    /// How long to wait after a refusal that says nothing about it.
    pub pace: Option<Duration>,
    /// Makes an error of an answer that is no success; `None` leaves it to the status code.
    pub explain: &'c dyn Fn(StatusCode, &[u8]) -> Option<ProviderError>,
}

impl Http {
    /// Creates a client, which is built at the first request.
    pub fn new(timeouts: Timeouts, user_agent: &'static str) -> Self {
        Self {
            client: Rc::default(),
            timeouts,
            user_agent,
            allows_plain: false,
        }
    }

    /// Returns the same client, which sends keys without encryption to other machines if that is
    /// allowed.
    #[must_use]
    pub fn with_plain_http(&self, allows_plain_http: bool) -> Self {
        Self {
            client: Rc::clone(&self.client),
            timeouts: self.timeouts,
            user_agent: self.user_agent,
            allows_plain: allows_plain_http,
        }
    }

    /// Whether a key may be sent to an address: by TLS, within this machine, or where plain HTTP is
    /// allowed.
    pub fn may_send_key(&self, address: &Url) -> bool {
        let host = address.host_str().unwrap_or_default();
        let ip: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
        let is_here = ip.map_or(host == "localhost", |ip| ip.is_loopback());
        address.scheme() == "https" || is_here || self.allows_plain
    }

    /// Returns the same client with other time limits.
    #[must_use]
    pub fn with_timeouts(&self, timeouts: Timeouts) -> Self {
        Self {
            client: Rc::clone(&self.client),
            timeouts,
            user_agent: self.user_agent,
            allows_plain: self.allows_plain,
        }
    }

    fn client(&self, provider: &'static str) -> Result<&Client, ProviderError> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let failed = |reason: String| {
            let message = format!("cannot make an HTTPS client: {reason}");
            ProviderError::new(provider, ErrorKind::Network, message)
        };
        let tls = tls_config().map_err(|error| failed(error.to_string()))?;
        let client = Client::builder()
            .user_agent(self.user_agent)
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(self.timeouts.connect())
            .tls_backend_preconfigured(tls)
            .build()
            .map_err(|error| failed(error.without_url().to_string()))?;
        Ok(self.client.get_or_init(|| client))
    }

    /// Returns the time limits of this client.
    pub fn timeouts(&self) -> Timeouts {
        self.timeouts
    }
}

/// TLS by ring, with the roots that the platform trusts.
///
/// The cryptography is chosen for this client alone: rustls's process-wide default stays unset, so
/// nothing here decides for another crate of the same process.
fn tls_config() -> Result<ClientConfig, rustls::Error> {
    let cryptography = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(cryptography)
        .with_safe_default_protocol_versions()?
        .with_platform_verifier()?
        .with_no_client_auth();
    // The client speaks nothing newer.
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

impl Context<'_> {
    /// Sends a request that changes nothing until it is answered or there is no point in
    /// trying again.
    ///
    /// # Errors
    ///
    /// The error of the last attempt: of any kind but those of the cache. What it says is without
    /// the secrets of the call.
    pub(crate) async fn read(
        &self,
        call: &Call<'_>,
        make: impl Fn(&Client) -> RequestBuilder,
    ) -> Result<Reply, ProviderError> {
        let client = self.http.client(call.provider)?;
        if !call.secrets.is_empty()
            && let Ok(request) = make(client).build()
            && !self.http.may_send_key(request.url())
        {
            return Err(unencrypted(call.provider, request.url()));
        }
        for attempt in 1.. {
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
                Retry::No => return Err(error.struck(call.secrets)),
                Retry::After(pause) => pause,
                // Jitter: many that failed together must not come back together.
                Retry::Soon => {
                    FIRST_PAUSE.mul_f64(fastrand::f64().max(0.25) * f64::from(1 << attempt.min(8)))
                }
            };
            let left = self.deadline.saturating_duration_since(Instant::now());
            if attempt >= MAX_ATTEMPTS || pause >= left {
                return Err(error.struck(call.secrets));
            }
            sleep(pause).await;
        }
        Err(self.out_of_time(call))
    }

    fn out_of_time(&self, call: &Call<'_>) -> ProviderError {
        let seconds = self.http.timeouts.attempt().as_secs_f64();
        let message = format!(
            "no complete answer within {seconds:.0} s ({})",
            call.operation
        );
        ProviderError::new(call.provider, ErrorKind::Timeout, message)
            .hint("try again, or allow more time with --timeout")
            .retry(Retry::Soon)
    }

    async fn once(&self, call: &Call<'_>, request: RequestBuilder) -> Result<Reply, ProviderError> {
        let exchange = timeout(self.http.timeouts.attempt(), self.exchange(call, request));
        match timeout_at(self.deadline, exchange).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) | Err(_) => Err(self.out_of_time(call)),
        }
    }

    async fn exchange(
        &self,
        call: &Call<'_>,
        request: RequestBuilder,
    ) -> Result<Reply, ProviderError> {
        let mut response = request
            .send()
            .await
            .map_err(|error| unreachable(call, &error))?;
        let status = response.status();
        let headers = response.headers().clone();
        let announced = response.content_length().map(usize::try_from);
        let announced = announced.and_then(Result::ok).unwrap_or_default();
        let mut body = Vec::with_capacity(announced.min(call.max_body));
        while let Some(chunk) = response
            .chunk()
            .await
            .map_err(|error| unreachable(call, &error))?
        {
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
            body.extend_from_slice(&chunk);
        }
        let body = call.secrets.strike_bytes(body);
        if status.is_success() || status == StatusCode::NOT_MODIFIED {
            return Ok(Reply {
                status,
                headers,
                body,
            });
        }
        Err(refused(call, status, &headers, &body))
    }
}

/// The error of an address to which a key would be sent without encryption.
pub fn unencrypted(provider: &'static str, address: &Url) -> ProviderError {
    let host = address.host_str().unwrap_or_default();
    let message = format!("http://{host} would get your key without encryption");
    ProviderError::new(provider, ErrorKind::Network, message)
        .hint("use an https address, or allow it with --insecure")
}

/// The error that a status code stands for, unless the provider says it better.
fn refused(call: &Call<'_>, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> ProviderError {
    if let Some(error) = (call.explain)(status, body) {
        return error;
    }
    let provider = call.provider;
    let said = said(body)
        .map(|text| format!(": {text}"))
        .unwrap_or_default();
    let what = format!("HTTP {} when {}{said}", status.as_u16(), call.operation);
    match status.as_u16() {
        401 | 403 => ProviderError::new(provider, ErrorKind::CredentialsRefused, what),
        429 if day_is_used_up(headers) => {
            let message = format!("the requests of this day are used up ({})", call.operation);
            ProviderError::new(provider, ErrorKind::DailyQuota, message)
        }
        429 => {
            let wait = retry_after(headers);
            let when = wait.map_or_else(
                || "try again in a minute".to_owned(),
                |wait| format!("it asks to wait {} s", wait.as_secs()),
            );
            let message = format!("too many requests ({})", call.operation);
            ProviderError::new(provider, ErrorKind::RateLimited, message)
                .hint(when)
                .retry(wait.or(call.pace).map_or(Retry::Soon, Retry::After))
        }
        404 => {
            let mut error = ProviderError::new(provider, ErrorKind::Protocol, what);
            error.is_absent = true;
            error
        }
        300..=399 => {
            let message = format!(
                "it answers with a redirect, which is not followed ({}): check its base URL",
                call.operation
            );
            ProviderError::new(provider, ErrorKind::Protocol, message)
        }
        408 | 500..=599 => ProviderError::new(provider, ErrorKind::Server, what)
            .retry(retry_after(headers).map_or(Retry::Soon, Retry::After)),
        _ => ProviderError::new(provider, ErrorKind::Protocol, what),
    }
}

/// The largest error body that is parsed for a message, in bytes.
const MAX_ERROR_BYTES: usize = 64 << 10;

/// The message in the JSON of a provider's error.
fn said(body: &[u8]) -> Option<String> {
    if body.len() > MAX_ERROR_BYTES {
        return None;
    }
    let value: serde_json::Value = serde_json::from_slice(body).ok()?;
    let text = ["message", "msg", "detail", "title", "error"]
        .iter()
        .find_map(|field| value.get(field)?.as_str())?;
    quote(text)
}

/// A server that asks for a longer wait means "not today".
const LONGEST_WAIT: u64 = 366 * 86_400;

/// `Retry-After` in seconds, or as a date.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(Duration::from_secs(seconds.min(LONGEST_WAIT)));
    }
    let date = jiff::fmt::rfc2822::parse(value).ok()?;
    let seconds = date.timestamp().as_second() - crate::offer::now();
    Some(Duration::from_secs(u64::try_from(seconds).unwrap_or(0)))
}

/// Whether the `RateLimit` header says that nothing of the day's allowance remains.
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

/// Why there is no answer at all.
fn unreachable(call: &Call<'_>, error: &reqwest::Error) -> ProviderError {
    let mut reasons: Vec<String> = Vec::new();
    let mut source: Option<&dyn std::error::Error> = std::error::Error::source(error);
    while let Some(reason) = source {
        reasons = vec![reason.to_string()];
        source = reason.source();
    }
    let why = reasons
        .pop()
        .unwrap_or_else(|| "the connection was closed".to_owned());
    let what = if error.is_connect() {
        "cannot be reached"
    } else {
        "did not finish its answer"
    };
    let why = call.secrets.strike(&why);
    let why = quote(&why)
        .map(|why| format!(": {why}"))
        .unwrap_or_default();
    let message = format!("{what}{why} ({})", call.operation);
    let kind = if error.is_timeout() {
        ErrorKind::Timeout
    } else {
        ErrorKind::Network
    };
    ProviderError::new(call.provider, kind, message).retry(Retry::Soon)
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
    fn keys_go_by_tls_or_stay_in_this_machine() {
        let timeouts = Timeouts {
            total: Duration::from_secs(1),
        };
        let http = Http::new(timeouts, "test");
        for (address, may_send) in [
            ("https://example.com", true),
            ("http://127.0.0.1:8080", true),
            ("http://[::1]:8080", true),
            ("http://localhost", true),
            ("http://example.com", false),
            ("http://10.0.0.1", false),
            ("http://127.0.0.1.example.com", false),
            ("http://localhost.example.com", false),
        ] {
            let address = Url::parse(address).unwrap();
            assert_eq!(http.may_send_key(&address), may_send, "{address}");
        }
        let plain = Url::parse("http://example.com").unwrap();
        assert!(http.with_plain_http(true).may_send_key(&plain));
    }

    #[test]
    fn a_client_brings_its_own_cryptography() {
        let timeouts = Timeouts {
            total: Duration::from_secs(1),
        };
        assert!(Http::new(timeouts, "test").client("test").is_ok());
        assert!(rustls::crypto::CryptoProvider::get_default().is_none());
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
    fn what_may_help_is_tried_again_when_the_provider_says() {
        let secrets = Secrets::default();
        let call = |pace| Call {
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
    fn a_day_that_is_used_up_is_seen() {
        let used = |value| day_is_used_up(&headers("ratelimit", value));
        assert!(used("\"minute\";r=3;t=12, \"day\";r=0;t=3600"));
        assert!(!used("\"minute\";r=0;t=12, \"day\";r=20;t=3600"));
        assert!(!used("nonsense"));
    }

    #[test]
    fn errors_repeat_a_providers_words_and_nothing_else() {
        assert_eq!(
            said(br#"{"message":"no\u001b[31m\n such  key"}"#).as_deref(),
            Some("no\u{1b}[31m such key")
        );
        assert_eq!(said(b"<html>secret</html>"), None);
        assert_eq!(said(br#"{"message":{"a":1}}"#), None);
        let long = format!(r#"{{"message":"no","zeros":[{}0]}}"#, "0,".repeat(1 << 16));
        assert_eq!(said(long.as_bytes()), None);
    }
}
