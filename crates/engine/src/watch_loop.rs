//! The loop of a watch: it queries, waits and reports until an offer is found or the time is up.

use std::fmt;
use std::time::Duration;

use sky_accel_core::catalog::ProviderId;
use sky_accel_live::{ErrorKind, Live, ProviderError};

use crate::contract::OfferOut;
use crate::engine::Engine;
use crate::error::Error;
use crate::watch::{Watch, WatchChange, WatchUpdate};
use crate::watch_pace::{SCORE_PAUSE, WatchPace};

/// The maximum timeout of one query.
const QUERY_TIMEOUT: Duration = Duration::from_secs(30);
/// The minimum timeout of one query: the last query before the end of the watch still needs time for an answer.
const MIN_QUERY_TIMEOUT: Duration = Duration::from_secs(1);
/// The time between two reports on the remaining pause.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);

/// The clock of a watch.
pub trait WatchClock {
    /// Returns the time since a fixed moment.
    fn now(&self) -> Duration;

    /// Waits.
    ///
    /// # Errors
    ///
    /// Fails if the program is interrupted.
    fn pause(&self, time: Duration) -> Result<(), Error>;
}

/// The pause between two queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchPause<'w> {
    /// The number of queries so far.
    pub queries: u32,
    /// The time until the next query.
    pub remaining: Duration,
    /// A short description of the cheapest offer.
    pub nearest: &'w str,
}

/// One query of a watch.
#[derive(Clone, Copy)]
pub struct WatchQuery<'w> {
    /// The providers that are due.
    pub providers: &'w [ProviderId],
    /// The time limit.
    pub timeout: Duration,
    /// Whether the answer of one provider has an offer that ends the watch: then the others need not answer.
    pub is_enough: &'w dyn Fn(&Live) -> bool,
}

impl fmt::Debug for WatchQuery<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WatchQuery")
            .field("providers", &self.providers)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// An interface that runs a watch: it queries the providers and shows the changes. `T` is the result of showing
/// the offer that was found, and `E` an error of the engine or of the interface.
pub trait WatchFace<T, E: From<Error>> {
    /// Queries providers.
    ///
    /// # Errors
    ///
    /// Fails if the program is interrupted. Errors of providers are part of the answer.
    fn query(&mut self, query: WatchQuery<'_>) -> Result<Live, E>;

    /// Shows a change.
    ///
    /// # Errors
    ///
    /// Fails if the output fails.
    fn changed(&mut self, change: WatchChange<'_>) -> Result<(), E>;

    /// Shows the remaining pause, about once per second.
    fn waiting(&mut self, pause: WatchPause<'_>);

    /// Shows the offer that ends the watch.
    ///
    /// # Errors
    ///
    /// Fails if the output, or work that follows a find, fails.
    fn found(&mut self, offer: &OfferOut<'_>) -> Result<T, E>;
}

/// The times of a watch.
#[derive(Clone, Copy, Debug)]
pub struct WatchLimits {
    /// The pause between two queries of a provider, unless the provider asks for a longer one.
    pub interval: Duration,
    /// The time limit of the watch; `None` for none.
    pub timeout: Option<Duration>,
    /// The maximum time without a reply of any provider.
    pub give_up: Duration,
}

/// The end of a watch.
#[derive(Debug)]
pub enum WatchEnd<T> {
    /// An offer was found.
    Found(T),
    /// The timeout came first. The error of a watch without any answer; `None` if a provider answered.
    TimedOut(Option<Error>),
    /// No provider replied for too long.
    GaveUp(Error),
}

impl Watch {
    /// Queries repeatedly until an offer meets the conditions, or until a limit. The first answer with such an
    /// offer wins. After a provider rejects too many requests, its pauses become longer, and those of other
    /// providers do not; a rejection is a reply.
    ///
    /// # Errors
    ///
    /// The errors of [`Watch::update`], and of the clock and the face.
    pub fn run<T, E: From<Error>>(
        mut self,
        engine: &Engine<'_>,
        providers: &[ProviderId],
        limits: WatchLimits,
        clock: &impl WatchClock,
        face: &mut impl WatchFace<T, E>,
    ) -> Result<WatchEnd<T>, E> {
        let start = clock.now();
        let deadline = limits.timeout;
        let deadline = deadline.map_or(Duration::MAX, |time| start.saturating_add(time));
        let mut last_reply = start;
        let mut queries = 0_u32;
        let mut pace = self.pace(engine, providers, limits.interval, start);
        loop {
            let give_up = last_reply.saturating_add(limits.give_up);
            let rest = deadline.min(give_up).saturating_sub(clock.now());
            let due = pace.due(clock.now());
            let is_whole = pace.is_whole(&due);
            let live = face.query(WatchQuery {
                providers: &due,
                timeout: rest.clamp(MIN_QUERY_TIMEOUT, QUERY_TIMEOUT),
                is_enough: &|live| self.is_found(engine, live),
            })?;
            queries = queries.saturating_add(1);
            let WatchUpdate {
                changes,
                found,
                nearest,
            } = self.update(engine, &live, is_whole)?;
            for change in changes {
                face.changed(change)?;
            }
            if let Some(offer) = &found {
                return face.found(offer).map(WatchEnd::Found);
            }
            let give_up = if was_reached(&live) {
                last_reply = clock.now();
                Duration::MAX
            } else {
                give_up
            };
            pace.update(&due, &live, clock.now());
            let next_query = pace.next();
            loop {
                let now = clock.now();
                if now >= deadline {
                    return Ok(WatchEnd::TimedOut(self.timeout_error(&live)));
                }
                if let Some(error) = Error::no_answer(&live).filter(|_| now >= give_up) {
                    return Ok(WatchEnd::GaveUp(error));
                }
                let remaining = next_query.saturating_sub(now);
                if remaining.is_zero() {
                    break;
                }
                face.waiting(WatchPause {
                    queries,
                    remaining,
                    nearest: &nearest,
                });
                clock.pause(
                    remaining
                        .min(deadline.saturating_sub(now))
                        .min(give_up.saturating_sub(now))
                        .min(REPORT_INTERVAL),
                )?;
            }
        }
    }
}

impl Watch {
    /// Returns the pace of the providers. Queries for scores are slower.
    fn pace(
        &self,
        engine: &Engine<'_>,
        providers: &[ProviderId],
        interval: Duration,
        start: Duration,
    ) -> WatchPace {
        let catalog = engine.catalog();
        let intervals = providers.iter().map(|provider| {
            let has_scores = self.goal().scores_of(&catalog, *provider);
            let least = if has_scores { SCORE_PAUSE } else { interval };
            (*provider, interval.max(least))
        });
        WatchPace::new(intervals, start)
    }
}

/// Returns true if any provider replied, be it to refuse the request for now.
fn was_reached(live: &Live) -> bool {
    let is_refusal = |error: &ProviderError| error.kind == ErrorKind::RateLimited;
    let is_answered = !live.answers.is_empty() && Error::no_answer(live).is_none();
    is_answered || live.failures().any(is_refusal)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::collections::BTreeMap;

    use sky_accel_catalog::Tables;
    use sky_accel_live::{ProviderAnswer, QueryOutcome, Unreached};

    use super::*;
    use crate::catalog::EMBEDDED;
    use crate::contract::WatchEvent;
    use crate::filter::OfferFilter;
    use crate::specs::read_spec;
    use crate::watch_goal::WatchGoal;

    /// A clock that only pauses move.
    #[derive(Default)]
    struct PausedClock(Cell<Duration>);

    impl WatchClock for PausedClock {
        fn now(&self) -> Duration {
            self.0.get()
        }

        fn pause(&self, time: Duration) -> Result<(), Error> {
            self.0.set(self.0.get() + time);
            Ok(())
        }
    }

    /// A face whose providers fail in the given way, one entry for each query; afterwards they answer.
    struct FailingProviders<'c> {
        clock: &'c PausedClock,
        failures: Vec<ErrorKind>,
        query_times: Vec<u64>,
        timeouts: Vec<u64>,
        events: Vec<WatchEvent>,
    }

    impl WatchFace<String, Error> for FailingProviders<'_> {
        fn query(&mut self, query: WatchQuery<'_>) -> Result<Live, Error> {
            let failure = self.failures.get(self.query_times.len()).copied();
            self.query_times.push(self.clock.now().as_secs());
            self.timeouts.push(query.timeout.as_secs());
            let outcome = match failure {
                Some(kind) => {
                    QueryOutcome::Failed(ProviderError::new("runpod", kind, "refused".to_owned()))
                }
                None => QueryOutcome::Answered {
                    fetched_at: 0,
                    cached: false,
                    types_at: None,
                    access: sky_accel_live::Access::Key,
                },
            };
            Ok(Live {
                tables: Tables::copy_of(&EMBEDDED),
                machines: 1,
                extras: BTreeMap::new(),
                answers: vec![ProviderAnswer {
                    provider: EMBEDDED.provider_named("runpod").unwrap(),
                    outcome,
                    problems: Vec::new(),
                    is_whole: failure.is_none(),
                    unreached: Unreached::default(),
                }],
                notes: Vec::new(),
            })
        }

        fn changed(&mut self, change: WatchChange<'_>) -> Result<(), Error> {
            self.events.push(change.event);
            Ok(())
        }

        fn waiting(&mut self, pause: WatchPause<'_>) {
            assert_eq!(pause.queries as usize, self.query_times.len());
        }

        fn found(&mut self, offer: &OfferOut<'_>) -> Result<String, Error> {
            Ok(offer.provider.to_owned())
        }
    }

    /// Runs a watch with a pause of 60 s.
    fn run(
        failures: &[ErrorKind],
        max_price: Option<f64>,
        timeout: u64,
        check: impl FnOnce(&FailingProviders<'_>),
    ) -> WatchEnd<String> {
        let clock = PausedClock::default();
        let mut face = FailingProviders {
            clock: &clock,
            failures: failures.to_vec(),
            query_times: Vec::new(),
            timeouts: Vec::new(),
            events: Vec::new(),
        };
        let offers = OfferFilter {
            providers: vec!["runpod".to_owned()],
            max_price: max_price.map(crate::contract::Num),
            ..OfferFilter::default()
        };
        let wanted = read_spec(&EMBEDDED, "H100-80GB-SXM:x1").unwrap();
        let watch = Watch::new(wanted, &offers, false, WatchGoal::default());
        let providers = [EMBEDDED.provider_named("runpod").unwrap()];
        let limits = WatchLimits {
            interval: Duration::from_secs(60),
            timeout: Some(Duration::from_secs(timeout)),
            give_up: Duration::from_secs(600),
        };
        let end = watch.run(&Engine::embedded(), &providers, limits, &clock, &mut face);
        check(&face);
        end.unwrap()
    }

    #[test]
    fn pauses_double_while_a_provider_rejects_requests() {
        let failures = [ErrorKind::RateLimited; 3];
        let end = run(&failures, Some(0.01), 1000, |face| {
            assert_eq!(face.query_times, [0, 120, 360, 840, 900, 960]);
            assert_eq!(face.timeouts, [30; 6]);
            assert_eq!(face.events[0], WatchEvent::Failed);
            assert_eq!(face.events[1], WatchEvent::Recovered);
        });
        assert!(matches!(end, WatchEnd::TimedOut(None)), "{end:?}");
    }

    #[test]
    fn a_provider_that_rejects_requests_does_not_slow_the_others() {
        let ids = ["runpod", "verda"].map(|id| EMBEDDED.provider_named(id).unwrap());
        let seconds = Duration::from_secs;
        let live = |answers: &[(usize, Option<ProviderError>)]| Live {
            tables: Tables::copy_of(&EMBEDDED),
            machines: 1,
            extras: BTreeMap::new(),
            answers: answers
                .iter()
                .map(|(at, error)| ProviderAnswer {
                    provider: ids[*at],
                    outcome: match error {
                        Some(error) => QueryOutcome::Failed(error.clone()),
                        None => QueryOutcome::FromCatalog,
                    },
                    problems: Vec::new(),
                    is_whole: true,
                    unreached: Unreached::default(),
                })
                .collect(),
            notes: Vec::new(),
        };
        let error = |kind| ProviderError::new("verda", kind, "refused");
        let mut pace = WatchPace::new(ids.map(|id| (id, seconds(60))), seconds(0));
        assert!(pace.is_whole(&pace.due(seconds(0))));
        // Without a time, the pause doubles; a longer time that the provider asks for counts.
        let limited = error(ErrorKind::RateLimited);
        pace.update(
            &ids,
            &live(&[(0, None), (1, Some(limited.clone()))]),
            seconds(0),
        );
        assert_eq!(
            (pace.due(seconds(60)), pace.next()),
            (vec![ids[0]], seconds(60))
        );
        assert!(!pace.is_whole(&[ids[0]]));
        pace.update(&ids[..1], &live(&[(0, None)]), seconds(60));
        assert_eq!(pace.due(seconds(120)), ids);
        let asked = limited.with_retry_after(seconds(3600));
        pace.update(&ids[1..], &live(&[(1, Some(asked))]), seconds(120));
        assert_eq!(pace.due(seconds(3719)), ids[..1]);
        assert_eq!(pace.due(seconds(3720)), ids);
        // An answer returns to the interval, and so does an error other than a rejection.
        let network = error(ErrorKind::Network);
        pace.update(&ids[1..], &live(&[(1, Some(network))]), seconds(3720));
        assert_eq!(pace.due(seconds(3780)), ids);
    }

    #[test]
    fn a_watch_without_any_answer_ends_with_the_error() {
        let failures = [ErrorKind::Network; 2];
        let end = run(&failures, None, 70, |face| {
            assert_eq!(face.query_times, [0, 60]);
            assert_eq!(face.timeouts, [30, 10]);
        });
        assert!(matches!(end, WatchEnd::TimedOut(Some(_))), "{end:?}");
    }

    #[test]
    fn a_watch_gives_up_after_too_long_without_any_reply() {
        let failures = [ErrorKind::Network; 20];
        let end = run(&failures, None, 86_400, |face| {
            assert_eq!(face.query_times.last(), Some(&540));
        });
        assert!(matches!(end, WatchEnd::GaveUp(_)), "{end:?}");
        // A refusal is a reply.
        let mut failures = vec![ErrorKind::Network; 5];
        failures.push(ErrorKind::RateLimited);
        failures.extend([ErrorKind::Network; 20]);
        let end = run(&failures, None, 86_400, |face| {
            assert_eq!(face.query_times.last(), Some(&840));
        });
        assert!(matches!(end, WatchEnd::GaveUp(_)), "{end:?}");
    }

    #[test]
    fn a_provider_with_nothing_to_query_is_no_reply() {
        let live = Live {
            tables: Tables::copy_of(&EMBEDDED),
            machines: 1,
            extras: BTreeMap::new(),
            answers: Vec::new(),
            notes: Vec::new(),
        };
        assert!(!was_reached(&live));
        let wanted = read_spec(&EMBEDDED, "H100-80GB-SXM:x1").unwrap();
        let offers = OfferFilter::default();
        let mut watch = Watch::new(wanted, &offers, false, WatchGoal::default());
        // Other providers answer at other times.
        assert!(watch.update(&Engine::embedded(), &live, false).is_ok());
        assert!(watch.timeout_error(&live).is_none());
        let error = watch
            .update(&Engine::embedded(), &live, true)
            .err()
            .unwrap();
        assert_eq!(error.problems[0].code, crate::code::ErrorCode::Watch);
    }

    #[test]
    fn a_found_offer_ends_the_watch() {
        let end = run(&[ErrorKind::Network], Some(1000.0), 600, |face| {
            assert_eq!(face.query_times, [0, 60]);
        });
        assert!(matches!(&end, WatchEnd::Found(provider) if provider == "runpod"));
    }
}
