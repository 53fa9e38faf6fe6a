//! The context of a request: client, cache, deadline and events.

use std::future::Future;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::Instant;

use crate::budget::Budget;
use crate::cache::{Answered, Cache, CacheKey, CacheMode, Fetched};
use crate::clock::now;
use crate::error::{ErrorKind, ProviderError};
use crate::http::Http;

/// The services and limits of one invocation.
#[derive(Clone, Copy)]
pub struct Context<'c> {
    /// The HTTP client for every request.
    pub http: &'c Http,
    /// The cached answers of this user.
    pub cache: &'c Cache,
    /// The deadline for the complete answer.
    pub deadline: Instant,
    /// The bytes, rows and pages that the provider may send.
    pub budget: &'c Budget<'c>,
    /// Receives each event.
    pub events: &'c dyn Fn(Event<'_>),
}

/// An event during a request, for progress and `--verbose`.
#[derive(Clone, Copy, Debug)]
pub enum Event<'e> {
    /// An attempt of a request ended, with or without an answer.
    Call {
        /// The id of the provider, as in [`ProviderApi::id`](crate::ProviderApi::id).
        provider: &'static str,
        /// The operation, such as `searching offers`.
        operation: &'e str,
        /// `ok`, or the code of the error, such as `provider.timeout`.
        outcome: &'e str,
        /// The time from the request to the end of the answer, in milliseconds.
        milliseconds: u128,
        /// The number of the attempt, from 1.
        attempt: u32,
    },
    /// A cached answer is used.
    Cached {
        /// The id of the provider, as in [`ProviderApi::id`](crate::ProviderApi::id).
        provider: &'static str,
        /// The requested data, such as `prices in us-east-1`.
        operation: &'e str,
        /// The age of the answer in seconds.
        age_s: i64,
    },
    /// The cache could not be written.
    CacheUnwritable {
        /// The message of the operating system.
        reason: &'e str,
    },
}

impl Context<'_> {
    /// Runs a parser under the deadline and within the budget. All parsing of answers goes through
    /// this function.
    ///
    /// # Errors
    ///
    /// Fails with the error of the parser, with [`ErrorKind::Protocol`] if the answer has too many
    /// rows, and with [`ErrorKind::Timeout`] after the deadline.
    pub(crate) fn parsed<T>(
        &self,
        operation: &str,
        parse: impl FnOnce() -> Result<T, ProviderError>,
    ) -> Result<T, ProviderError> {
        self.budget.metered(self.deadline, operation, parse)
    }

    /// Returns the cached answer if it is at most `keep` old, otherwise the answer of `fetch`. A
    /// complete answer of the provider is cached; if it cannot be written, that is an [`Event`] and
    /// no error.
    ///
    /// # Errors
    ///
    /// Returns the error of `fetch`. With [`CacheMode::Only`], fails with [`ErrorKind::NotCached`]
    /// if nothing is cached, and with [`ErrorKind::TooOld`] if the answer is older than
    /// [`Cache::max_age`].
    pub async fn cached<T, F>(
        &self,
        key: &CacheKey,
        keep: Duration,
        fetch: impl FnOnce() -> F,
    ) -> Result<Fetched<T>, ProviderError>
    where
        T: Serialize + DeserializeOwned,
        F: Future<Output = Result<Answered<T>, ProviderError>>,
    {
        let cache = self.cache;
        if cache.mode != CacheMode::Refresh
            && let Some(found) = cache.read::<T>(key)
        {
            let age_s = now().saturating_sub(found.at);
            let within = |limit: Duration| age_s.unsigned_abs() <= limit.as_secs();
            let allowed = cache.max_age.is_none_or(within);
            if cache.mode == CacheMode::Only && !allowed {
                let message = format!("the cached {} are older than allowed", key.operation);
                return Err(ProviderError::new(key.provider, ErrorKind::TooOld, message));
            }
            if allowed && (cache.mode == CacheMode::Only || within(keep)) {
                (self.events)(Event::Cached {
                    provider: key.provider,
                    operation: &key.operation,
                    age_s,
                });
                return Ok(found);
            }
        }
        if cache.mode == CacheMode::Only {
            let message = format!(
                "no {} are cached, and `offline` forbids requests",
                key.operation
            );
            return Err(ProviderError::new(
                key.provider,
                ErrorKind::NotCached,
                message,
            ));
        }
        // The time before the request, so that an answer never counts as fresher than it is.
        let at = now();
        let (value, problems) = fetch().await?;
        if problems.is_empty()
            && let Err(error) = cache.write(key, &value, at)
        {
            (self.events)(Event::CacheUnwritable {
                reason: &error.to_string(),
            });
        }
        Ok(Fetched {
            value,
            at,
            cached: false,
            problems,
        })
    }
}
