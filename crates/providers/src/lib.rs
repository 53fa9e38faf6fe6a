//! Live offers of providers, behind one trait; those of providers that need no key in [`public`].
//!
//! A backend translates a [`Query`] into the provider's own request and parses the answer into
//! [`Offer`]s; both modules (`request`, `response`) do no I/O. A backend never decides: the caller
//! applies every filter again. Only [`Http`] opens connections, and only [`Cache`] writes files.
//! Every request only reads.

pub mod aggregator;
mod bearer;
mod cache;
mod context;
mod credentials;
mod error;
mod feed;
#[doc(hidden)]
pub mod fuzzing;
mod http;
mod hub;
mod json;
mod offer;
mod query;
mod secret;
mod stored;

pub mod temporaries;

pub mod public;
pub mod runpod;
pub mod vastai;
pub mod verda;

use std::future::Future;

pub use cache::{Answered, Cache, CacheMode, Fetched, Key};
pub use context::{Context, Event};
pub use credentials::Environment;
pub use error::{ErrorKind, ProviderError, quote};
pub use http::{Http, Timeouts, unencrypted};
pub use hub::{Hub, HubFiles};
pub use offer::{
    Access, CapacityBlock, Dropped, DroppedBecause, Edition, Hardware, Interruptions, Listing,
    Offer, Price, Quota, Region, SpotScore, now,
};
pub use query::{Counts, Interest, Places, Query, QuotaCode};
pub use reqwest::Url;
pub use secret::Secrets;
pub use sky_accel_core::catalog::{Availability, CapacityType};

/// A provider whose offers can be requested.
pub trait Provider {
    /// The id of the provider in the catalog: `aws`, `runpod`, `vastai` or `verda`.
    const ID: &'static str;

    /// Returns all offers that may match the query. The listing may include offers that do not
    /// match, but misses none that do.
    ///
    /// # Errors
    ///
    /// Fails if there is no answer at all: no connection, a timeout, refused credentials, too many
    /// requests, a failure of the provider, or an answer of which no row can be read
    /// ([`ErrorKind::Protocol`]). With [`CacheMode::Only`], fails if nothing is cached
    /// ([`ErrorKind::NotCached`]) or the cached answer is too old ([`ErrorKind::TooOld`]). If only
    /// a part fails, its error is in [`Listing::problems`].
    fn listing(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> impl Future<Output = Result<Listing, ProviderError>>;
}
