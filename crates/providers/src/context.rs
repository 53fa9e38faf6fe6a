//! What a backend works with.

use tokio::time::Instant;

use crate::cache::Cache;
use crate::http::Http;

/// The world as one run sees it.
#[derive(Clone, Copy)]
pub struct Context<'c> {
    pub http: &'c Http,
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
        provider: &'static str,
        operation: &'e str,
        /// `200`, `timed out`, …
        outcome: &'e str,
        milliseconds: u128,
        /// 1 is the first.
        attempt: u32,
    },
    /// A cached answer is used.
    Cached {
        provider: &'static str,
        operation: &'e str,
        age_s: i64,
    },
    /// The cache could not be written.
    CacheUnwritable { reason: &'e str },
}
