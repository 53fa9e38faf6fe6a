//! Events for calls of the SDK.

use std::future::Future;

use sky_accel_providers::{Context, Event};
use tokio::time::Instant;

use crate::api::ID;

/// Awaits a call and reports its outcome. The SDK retries on its own, so there is one event for all
/// attempts.
pub(crate) async fn traced<T, E>(
    context: &Context<'_>,
    operation: &str,
    call: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    let started = Instant::now();
    let outcome = call.await;
    (context.events)(Event::Call {
        provider: ID,
        operation,
        outcome: if outcome.is_ok() { "ok" } else { "failed" },
        milliseconds: started.elapsed().as_millis(),
        attempt: 1,
    });
    outcome
}
