//! Requests that read: bounded in time and size, and retried when that may help.
//!
//! Redirects are not followed: the answer of another server is not the provider's, and a key must
//! not reach it.

use std::time::Duration;

use http::StatusCode;
use http::header::{AUTHORIZATION, HeaderMap};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::budget::Resource;
use crate::context::{Context, Event};
use crate::error::{ErrorKind, ProviderError, Retry, TOO_LATE, quote, reason_of};
use crate::grpc;
use crate::http::unencrypted;
use crate::read_call::{ReadCall, refused};
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
                    .map_or_else(|error| error.kind.word(), |_| "ok"),
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
