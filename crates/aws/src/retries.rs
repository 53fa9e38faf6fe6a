//! Retries of refused requests. The SDK handles AWS's error codes; this module adds plain HTTP
//! statuses.

use std::time::Duration;

use aws_smithy_runtime_api::client::interceptors::context::InterceptorContext;
use aws_smithy_runtime_api::client::retries::classifiers::{ClassifyRetry, RetryAction};
use aws_smithy_types::retry::ErrorKind;

/// The longest wait for which a request is retried in this run.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// Applies `Retry-After`, and treats status 429 as throttling.
#[derive(Debug)]
pub(crate) struct RetryAfter;

impl ClassifyRetry for RetryAfter {
    fn classify_retry(&self, context: &InterceptorContext) -> RetryAction {
        let Some(response) = context.response() else {
            return RetryAction::NoActionIndicated;
        };
        let status = response.status().as_u16();
        let wait = response
            .headers()
            .get("retry-after")
            .and_then(|value| value.trim().parse().ok());
        match (status, wait.map(Duration::from_secs)) {
            (429 | 503, Some(wait)) if wait > LONGEST_WAIT => RetryAction::RetryForbidden,
            (429 | 503, Some(wait)) => {
                RetryAction::retryable_error_with_explicit_delay(ErrorKind::ThrottlingError, wait)
            }
            (429, None) => RetryAction::throttling_error(),
            _ => RetryAction::NoActionIndicated,
        }
    }

    fn name(&self) -> &'static str {
        "Retry-After"
    }
}
