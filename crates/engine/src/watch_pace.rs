//! The times at which a watch queries each provider: its interval, and longer pauses of providers that reject requests.

use std::collections::BTreeMap;
use std::time::Duration;

use sky_accel_core::catalog::ProviderId;
use sky_accel_live::{ErrorKind, Live, ProviderAnswer, ProviderError, QueryOutcome};

/// The maximum pause after a provider rejected too many requests, unless it asks for a longer pause.
const MAX_PAUSE: Duration = Duration::from_secs(15 * 60);
/// The maximum pause that a provider can ask for.
const MAX_ASKED: Duration = Duration::from_secs(24 * 3600);
/// The minimum pause between queries for scores: providers limit their number per day, and scores change slowly.
pub(crate) const SCORE_PAUSE: Duration = Duration::from_secs(15 * 60);

/// The pace of a watch.
#[derive(Debug)]
pub(crate) struct WatchPace(BTreeMap<ProviderId, ProviderPace>);

#[derive(Clone, Copy, Debug)]
struct ProviderPace {
    /// The usual pause between two queries.
    interval: Duration,
    /// The pause after the last query.
    pause: Duration,
    /// The time of the next query.
    next: Duration,
}

impl WatchPace {
    /// Creates a pace at which every provider is due at a time.
    pub(crate) fn new(
        providers: impl IntoIterator<Item = (ProviderId, Duration)>,
        start: Duration,
    ) -> Self {
        let paces = providers.into_iter().map(|(provider, interval)| {
            let pace = ProviderPace {
                interval,
                pause: interval,
                next: start,
            };
            (provider, pace)
        });
        Self(paces.collect())
    }

    /// Returns the providers that are due.
    pub(crate) fn due(&self, now: Duration) -> Vec<ProviderId> {
        let due = self.0.iter().filter(|(_, pace)| pace.next <= now);
        due.map(|(provider, _)| *provider).collect()
    }

    /// Returns true if these are all providers.
    pub(crate) fn is_whole(&self, due: &[ProviderId]) -> bool {
        due.len() == self.0.len()
    }

    /// Returns the time of the next query.
    pub(crate) fn next(&self) -> Duration {
        let times = self.0.values().map(|pace| pace.next);
        times.min().unwrap_or(Duration::MAX)
    }

    /// Sets the next times of the queried providers. Pauses of a provider that rejects requests double, and are at
    /// least as long as it asks for.
    pub(crate) fn update(&mut self, due: &[ProviderId], live: &Live, now: Duration) {
        for provider in due {
            let Some(pace) = self.0.get_mut(provider) else {
                continue;
            };
            let answer = live
                .answers
                .iter()
                .find(|answer| answer.provider == *provider);
            let rejections = || answer.into_iter().flat_map(rejections);
            pace.pause = if rejections().next().is_some() {
                let asked = rejections().filter_map(ProviderError::retry_after).max();
                let doubled = (pace.pause * 2).min(MAX_PAUSE.max(pace.interval));
                doubled.max(asked.unwrap_or_default().min(MAX_ASKED))
            } else {
                pace.interval
            };
            pace.next = now.saturating_add(pace.pause);
        }
    }
}

/// The errors of an answer that ask for fewer requests.
fn rejections(answer: &ProviderAnswer) -> impl Iterator<Item = &ProviderError> {
    let failure = match &answer.outcome {
        QueryOutcome::Failed(error) => Some(error),
        _ => None,
    };
    let errors = failure.into_iter().chain(&answer.problems);
    errors.filter(|error| {
        let is_limit = matches!(error.kind, ErrorKind::RateLimited | ErrorKind::DailyQuota);
        is_limit || error.retry_after().is_some()
    })
}
