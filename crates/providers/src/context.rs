//! The tools that a backend works with.

use tokio::time::Instant;

use crate::cache::Cache;
use crate::http::Http;

/// The world as one run sees it.
#[derive(Clone, Copy)]
pub struct Context<'c> {
    /// The client of every request.
    pub http: &'c Http,
    /// The cached answers of this user.
    pub cache: &'c Cache,
    /// When the answer must be there.
    pub deadline: Instant,
    /// Told of everything that happens.
    pub events: &'c dyn Fn(Event<'_>),
}

/// Something that happened, for progress and for `--verbose`.
#[derive(Clone, Copy, Debug)]
pub enum Event<'e> {
    /// A request was answered, or not.
    Call {
        /// As in [`Provider::ID`](crate::Provider::ID).
        provider: &'static str,
        /// In words: `searching offers`.
        operation: &'e str,
        /// `ok`, or the code of the error: `provider.timeout`.
        outcome: &'e str,
        /// From the request to the end of the answer.
        milliseconds: u128,
        /// 1 is the first.
        attempt: u32,
    },
    /// A cached answer is used.
    Cached {
        /// As in [`Provider::ID`](crate::Provider::ID).
        provider: &'static str,
        /// In words: `prices in us-east-1`.
        operation: &'e str,
        /// Its age in seconds.
        age_s: i64,
    },
    /// The cache could not be written.
    CacheUnwritable {
        /// The system's words.
        reason: &'e str,
    },
}
