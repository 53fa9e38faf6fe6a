//! The context of a request: client, cache, deadline and events.

use tokio::time::Instant;

use crate::cache::Cache;
use crate::http::Http;

/// The services and limits that backends use in one run.
#[derive(Clone, Copy)]
pub struct Context<'c> {
    /// The HTTP client for every request.
    pub http: &'c Http,
    /// The cached answers of this user.
    pub cache: &'c Cache,
    /// The time by which the answer must be complete.
    pub deadline: Instant,
    /// A function that is called with each event.
    pub events: &'c dyn Fn(Event<'_>),
}

/// An event during a request, for progress and `--verbose`.
#[derive(Clone, Copy, Debug)]
pub enum Event<'e> {
    /// An attempt of a request ended, with or without an answer.
    Call {
        /// The id of the provider, as in [`Provider::ID`](crate::Provider::ID).
        provider: &'static str,
        /// The operation in words, such as `searching offers`.
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
        /// The id of the provider, as in [`Provider::ID`](crate::Provider::ID).
        provider: &'static str,
        /// The requested data in words, such as `prices in us-east-1`.
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
