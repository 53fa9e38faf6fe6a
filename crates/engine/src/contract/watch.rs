//! Offers that are watched, and their changes.

use serde::Serialize;

use super::OfferOut;
use crate::filter::OfferFilter;
use crate::watch_goal::ScoreGoal;

/// The offers to wait for, as they were understood.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchRequest {
    /// The spec in canonical form.
    pub spec: String,
    /// The filter on offers.
    #[serde(flatten)]
    pub offers: OfferFilter,
    /// True if larger machines match too.
    pub at_least: bool,
    /// The number of machines that are needed together.
    pub nodes: u32,
    /// The lowest scores of providers. Omitted if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub min_scores: Vec<ScoreGoal>,
    /// True if the quotas of the account must admit the machines.
    pub check_quota: bool,
    /// Seconds between queries.
    pub interval_s: u64,
    /// Seconds until the watch ends. Omitted if it does not end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_s: Option<u64>,
    /// Seconds without a reply of any provider after which the watch ends.
    pub give_up_s: u64,
}

sky_accel_core::words! {
    /// An event of a watch.
    pub enum WatchEvent {
        /// The offer is new in this answer.
        Appeared = "appeared",
        /// The offer is no longer in the answer.
        Gone = "gone",
        /// The price of the offer changed.
        Price = "price",
        /// The availability of the offer changed.
        Stock = "stock",
        /// The provider failed.
        Failed = "failed",
        /// The provider answers again.
        Recovered = "recovered",
        /// The offer meets the conditions of the watch, which ends.
        Found = "found",
        /// The timeout is reached: the watch ends.
        Timeout = "timeout",
    }
}

/// One event of a watch, as one line.
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
    /// The id of the provider. Omitted if the event is not about one provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The event as a sentence without a final period. The wording may change.
    pub message: String,
    /// The current offer. Omitted if the event is not about an offer, or the offer is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offer: Option<OfferOut<'a>>,
}
