//! Live offers of providers. [`PROVIDERS`] lists the providers; [`ProviderApi::query`] queries one.
//!
//! The module of a provider declares its [`ProviderApi`], translates a [`Query`] into the
//! provider's own requests, and parses the answers into [`Offer`]s. Translation and parsing do no
//! I/O. A provider never decides: the caller applies every filter again. Only [`Http`] opens
//! connections, and only [`Cache`] writes files. Every request only reads.

mod access;
mod address;
pub mod aggregator;
mod api;
mod bearer;
mod budget;
mod cache;
mod cache_folder;
mod client;
mod clock;
mod context;
mod credentials;
#[cfg(test)]
mod declarations;
mod diagnosis;
mod error;
mod feed;
#[doc(hidden)]
pub mod fuzzing;
mod gcp;
mod grpc;
mod http;
mod hub;
mod json;
mod listing;
mod named_file;
mod oauth;
mod obtainability;
mod offer;
mod offer_list;
mod published;
mod query;
mod raise;
mod read_call;
mod reading;
mod requests;
mod roots;
mod secret;
#[cfg_attr(target_family = "wasm", path = "no_signing.rs")]
mod signing;
mod stored;
#[cfg(test)]
mod testing;
mod token_feed;
#[cfg_attr(target_family = "wasm", path = "no_transport.rs")]
mod transport;

mod crusoe;
mod digitalocean;
mod hyperstack;
mod jarvislabs;
mod lambda;
mod latitude;
mod mithril;
mod nebius;
mod primeintellect;
mod public;
mod runpod;
mod sfcompute;
mod vastai;
mod verda;

pub use access::Access;
pub use address::{is_this_machine, without_password};
pub use api::{ListingFuture, ProviderApi, ProviderCall, StockScope};
pub use budget::{Budget, RunBudget};
pub use cache::{Answered, Cache, CacheKey, CacheMode, Fetched};
pub use clock::now;
pub use context::{Context, Event};
pub use credentials::{Environment, public_url_variable};
pub use diagnosis::{Diagnosis, KeyFileFacts, KeyFileState, KeySource, diagnose};
pub use error::{ErrorKind, NO_NETWORK, ProviderError, TOO_LATE, quote, reason_of};
pub use http::{Http, Timeouts, unencrypted};
pub use hub::{Hub, HubFiles, is_hub_name};
pub use listing::{Edition, Listing};
pub use named_file::{check_named_file, read_named_file};
pub use obtainability::{
    CapacityWindow, CountQualifier, InterruptionRisk, Likelihood, LikelihoodBand, LikelihoodScale,
    Obtainability, RiskKind, StockCount, StockPlace, StockState, StockUnit,
};
pub use offer::{
    CapacityBlock, Dropped, DroppedBecause, Hardware, Interruptions, Offer, Price, Quota,
    QuotaUnit, Region, SpotScore,
};
pub use public::aws::API as AWS;
pub use published::{PUBLISHED, published_file};
pub use query::{Counts, Interest, Places, Query, QuotaCode};
pub use raise::RaiseHelp;
pub use roots::check_root_certificates;
pub use secret::Secrets;
pub use sky_accel_core::catalog::{Availability, CapacityType};
pub use token_feed::{FeedPrice, TokenFeed};
pub use url::Url;

/// Every provider with an API, ordered by id. AWS answers here from its public price pages only;
/// `sky-accel-aws` queries it with an account.
pub static PROVIDERS: &[&ProviderApi] = &[
    &public::aws::API,
    &public::azure::API,
    &public::cloudrift::API,
    &crusoe::API,
    &digitalocean::API,
    &gcp::API,
    &hyperstack::API,
    &jarvislabs::API,
    &lambda::API,
    &latitude::API,
    &public::linode::API,
    &public::lium::API,
    &mithril::API,
    &nebius::API,
    &public::oci::API,
    &public::ovhcloud::API,
    &primeintellect::API,
    &runpod::API,
    &public::scaleway::API,
    &sfcompute::API,
    &vastai::API,
    &verda::API,
    &public::vultr::API,
];
