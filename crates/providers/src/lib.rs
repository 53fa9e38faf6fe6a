//! Live answers: what RunPod, Vast.ai and Verda sell right now, behind one trait.
//!
//! A backend translates a [`Query`] into the provider's own request and parses the answer into
//! [`Offer`]s; both halves are free of I/O (`request`, `response`). It never decides: whoever asks
//! applies every wish again. [`Http`] is the only code that opens a connection, [`Cache`] the
//! only one that touches a disk, and everything here only reads.

mod cache;
mod context;
mod credentials;
mod error;
mod http;
mod hub;
mod json;
mod offer;
mod query;
mod secret;

pub mod runpod;
pub mod vastai;
pub mod verda;

use std::future::Future;

pub use cache::{Answered, Cache, CacheMode, Fetched, Key};
pub use context::{Context, Event};
pub use credentials::Environment;
pub use error::{ErrorKind, ProviderError, quote};
pub use http::{Http, Timeouts};
pub use hub::{Hub, HubFiles};
pub use offer::{
    Availability, Capacity, CapacityBlock, Dropped, DroppedBecause, Hardware, Listing, Offer,
    Price, Quota, Region, SpotScore, now,
};
pub use query::{Counts, Interest, Places, Query, QuotaCode};
pub use secret::Secrets;

/// Something that can be asked what it sells.
pub trait Provider {
    /// As in the catalog: `aws`, `runpod`, `vastai`, `verda`.
    const ID: &'static str;

    /// All that may match the query.
    fn listing(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> impl Future<Output = Result<Listing, ProviderError>>;
}
