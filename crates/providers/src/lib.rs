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
mod stored;

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
    CapacityBlock, Dropped, DroppedBecause, Hardware, Listing, Offer, Price, Quota, Region,
    SpotScore, now,
};
pub use query::{Counts, Interest, Places, Query, QuotaCode};
pub use secret::Secrets;
pub use sky_accel_core::catalog::{Availability, CapacityType};

/// Something that can be asked what it sells.
pub trait Provider {
    /// As in the catalog: `aws`, `runpod`, `vastai`, `verda`.
    const ID: &'static str;

    /// Everything that may match the query: it is answered too widely, never too narrowly.
    ///
    /// # Errors
    ///
    /// A [`ProviderError`] where there is no answer at all: no connection or none in time, refused
    /// credentials, too many requests, a failure of the provider, or an answer of which no row can
    /// be read ([`ErrorKind::Protocol`]). From the cache alone: nothing is kept
    /// ([`ErrorKind::NotCached`]), or what is kept is too old ([`ErrorKind::TooOld`]). A part that
    /// fails while others are answered is in [`Listing::problems`].
    fn listing(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> impl Future<Output = Result<Listing, ProviderError>>;
}
