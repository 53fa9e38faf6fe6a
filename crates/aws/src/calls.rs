//! Calls for details of instance types: their outcomes, cached answers and time limits.

use std::collections::BTreeMap;
use std::future::Future;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use sky_accel_providers::{
    Answered, CacheKey, CapacityBlock, Context, ErrorKind, Fetched, ProviderError, Quota, SpotScore,
};
use tokio::time::{Instant, timeout_at};

use crate::account::Aws;
use crate::api::ID;
use crate::spot;

/// A detail of requested types.
pub(crate) enum TypeDetail {
    Sold(Vec<String>),
    Spot(Vec<spot::ZonePrice>, i64),
    OnDemand(String, BTreeMap<String, f64>, i64),
    Scores(Vec<SpotScore>),
    Blocks(String, Vec<CapacityBlock>),
    Quotas(Vec<Quota>),
}

/// The outcome of a call.
pub(crate) struct CallOutcome {
    pub region: Option<String>,
    pub kind: CallKind,
    pub outcome: Result<Fetched<TypeDetail>, ProviderError>,
}

/// The kind of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallKind {
    Offerings,
    SpotPrices,
    OnDemandPrices,
    Hints,
}

impl Aws {
    pub(crate) fn key(&self, operation: &str, region: &str, question: &impl Serialize) -> CacheKey {
        CacheKey::new(
            ID,
            format!("{operation} in {region}"),
            question,
            &self.endpoints,
            &self.account,
        )
    }

    /// Returns a cached answer, or fetches it within the time limit. Only a complete answer is
    /// cached.
    pub(crate) async fn kept<T, F>(
        &self,
        context: &Context<'_>,
        key: CacheKey,
        keep: Duration,
        until: Instant,
        fetch: impl FnOnce() -> F,
    ) -> Result<Fetched<T>, ProviderError>
    where
        T: Serialize + DeserializeOwned,
        F: Future<Output = Result<Answered<T>, ProviderError>>,
    {
        // `ListingProgress::problems` adds the regions: without them, equal failures can be merged.
        let operation = key
            .operation
            .rsplit_once(" in ")
            .map_or(key.operation.as_str(), |(operation, _)| operation);
        in_time(until, operation, context.cached(&key, keep, fetch)).await
    }
}

/// Converts the answer of a call to a detail.
pub(crate) fn answered<T>(
    region: Option<&str>,
    kind: CallKind,
    outcome: Result<Fetched<T>, ProviderError>,
    part: impl FnOnce(T, i64) -> TypeDetail,
) -> CallOutcome {
    CallOutcome {
        region: region.map(str::to_owned),
        kind,
        outcome: outcome.map(|fetched| Fetched {
            value: part(fetched.value, fetched.at),
            at: fetched.at,
            cached: fetched.cached,
            problems: fetched.problems,
        }),
    }
}

/// Returns the time at which a share of the remaining time has passed.
pub(crate) fn part_of(context: &Context<'_>, share: f64) -> Instant {
    let now = Instant::now();
    now + context
        .deadline
        .saturating_duration_since(now)
        .mul_f64(share)
}

pub(crate) async fn in_time<T>(
    until: Instant,
    operation: &str,
    answer: impl Future<Output = Result<T, ProviderError>>,
) -> Result<T, ProviderError> {
    timeout_at(until, answer).await.unwrap_or_else(|_| {
        let message = format!("no complete answer in time ({operation})");
        Err(ProviderError::new(ID, ErrorKind::Timeout, message)
            .hint("try again, or allow more time with `timeout`"))
    })
}
