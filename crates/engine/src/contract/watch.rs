//! Offers that are watched, and what happens to them.

use serde::Serialize;

use super::OfferOut;
use crate::filter::OfferFilter;

/// The offers to wait for, as they were understood.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchRequest {
    /// The spec in canonical form.
    pub spec: String,
    /// The limits to the offers.
    #[serde(flatten)]
    pub offers: OfferFilter,
    /// True if larger machines count too.
    pub at_least: bool,
    /// Seconds between two questions.
    pub interval_s: u64,
    /// Seconds until the watch ends. Missing where it has no end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_s: Option<u64>,
}

sky_accel_core::words! {
    /// An event of a watch.
    pub enum WatchEvent {
        /// The offer was not in the last answer.
        Appeared = "appeared",
        /// The offer is not in the answer any more.
        Gone = "gone",
        /// The price of the offer changed.
        Price = "price",
        /// The availability of the offer changed.
        Stock = "stock",
        /// The provider failed.
        Failed = "failed",
        /// The provider answers again.
        Recovered = "recovered",
        /// The offer is what the watch waits for: the watch ends.
        Found = "found",
        /// The time is up: the watch ends.
        Timeout = "timeout",
    }
}

/// One event of a watch, on a line.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchLine<'a> {
    /// Always `sky-accel.watch.v1`.
    pub schema: &'static str,
    /// The time of the event, in UTC.
    pub at: String,
    /// The request as it was understood.
    pub request: &'a WatchRequest,
    /// The event.
    pub event: WatchEvent,
    /// The id of the provider. Missing where the event is not about one provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The event as a sentence without a full stop. Its wording may change.
    pub message: String,
    /// The offer as it is now. Missing where the event is not about an offer, or it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offer: Option<OfferOut<'a>>,
}
