//! The age of the documents that an answer is based on.

/// The age of documents that were read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DocumentAge {
    /// The time at which the oldest document was fetched, in seconds since 1970.
    pub oldest: Option<i64>,
    /// True if any document is from the cache.
    pub any_cached: bool,
}

impl DocumentAge {
    /// Adds a document that was fetched at a time, now or for the cache.
    pub(crate) fn note(&mut self, fetched_at: i64, cached: bool) {
        self.merge(Self {
            oldest: Some(fetched_at),
            any_cached: cached,
        });
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.oldest = self.oldest.into_iter().chain(other.oldest).min();
        self.any_cached |= other.any_cached;
    }
}
