//! The comparison of a rented machine with APIs that sell tokens, and with a machine that the user owns.

use serde::Serialize;
use sky_accel_core::catalog::TokenUnit;

use super::Num;
use crate::recommend_words::WayToRun;

/// The cost of the load of a request by API, on the first recommended machine, and on the user's machine.
///
/// A unit of work is a million tokens, input and output together in the proportion of the load, or an image, or another
/// `unit`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ApiComparisonOut {
    /// The cheapest way to run the load. Missing if fewer than two ways have a known cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cheapest: Option<WayToRun>,
    /// The comparison as a sentence whose wording may change.
    pub message: String,
    /// The unit of work.
    pub unit: TokenUnit,
    /// Tokens of input of a request. Missing for other units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<Num>,
    /// Tokens of output of a request. Missing for other units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<Num>,
    /// The share of the input that is read from a cache. Missing without a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_share: Option<Num>,
    /// Requests per hour: of the stated load, or else as many as the machine answers. Missing if unknown, and for other
    /// units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_hour: Option<Num>,
    /// Units of work per hour. Missing if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub units_per_hour: Option<Num>,
    /// The first recommended machine. Missing without results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<ComparedMachineOut>,
    /// The machine that the user owns. Missing without `own`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own: Option<OwnMachineOut>,
    /// The APIs with the model, the cheapest for the load first. Missing without known APIs, or if only `own` was
    /// requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub offers: Vec<ApiOfferOut>,
    /// The median US dollars per unit of work of `offers`. Missing without `offers`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_usd_per_unit: Option<Num>,
    /// The number of prices that are left out because their format has fewer bits than the machine's format.
    #[serde(skip_serializing_if = "is_zero")]
    pub other_precision: usize,
    /// The number of prices for a context shorter than a request of the load, which are left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub short_context: usize,
    /// The number of prices for batches, which no user waits for; they are left out unless the request is a job.
    #[serde(skip_serializing_if = "is_zero")]
    pub batches: usize,
}

/// Counts of zero are left out.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A machine in a comparison with APIs.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparedMachineOut {
    /// Its spec.
    pub spec: String,
    /// The id of its provider.
    pub provider: String,
    /// The provider's id of the machine.
    pub instance_type: String,
    /// US dollars per hour for all machines, as in the results.
    pub usd_per_hour: Num,
    /// US dollars per unit of work at the load. Missing if the speed is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_per_unit: Option<Num>,
}

/// A machine that the user owns, which is as fast as the first recommended machine.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OwnMachineOut {
    /// US dollars for the machine.
    pub price_usd: Num,
    /// The years over which it is paid off.
    pub years: Num,
    /// The power while it works, in kilowatts.
    pub kw: Num,
    /// US dollars per kilowatt-hour.
    pub usd_per_kwh: Num,
    /// The share of all hours in which it works.
    pub utilization: Num,
    /// US dollars per hour of work: the price over all hours of work, and power.
    pub usd_per_hour: Num,
    /// US dollars per unit of work at the load. Missing if the speed is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_per_unit: Option<Num>,
    /// The utilization from which an hour of the own machine costs less than an hour of the rented machine. Missing
    /// without a rented machine, and if power alone costs more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub break_even_utilization: Option<Num>,
}

/// A model at a seller of tokens.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ApiOfferOut {
    /// The catalog's id of the seller.
    pub seller: String,
    /// The name of the seller.
    pub seller_name: String,
    /// The seller's name of the model.
    pub model_id: String,
    /// The kind of service or training, such as `turbo`. Missing for the usual kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// The format of the weights. Missing if the seller does not state it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precision: Option<String>,
    /// US dollars per million tokens of input. Missing for other units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_usd: Option<Num>,
    /// US dollars per million tokens of input from the seller's cache. Missing if the seller states none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_usd: Option<Num>,
    /// US dollars per million tokens of output, or per unit. Missing for models without output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_usd: Option<Num>,
    /// US dollars per unit of work, in the proportion of the load.
    pub usd_per_unit: Num,
    /// US dollars per hour of the load. Missing if its rate is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_per_hour: Option<Num>,
    /// The units of work per hour from which the rented machine costs less: its price of an hour over `usd_per_unit`.
    /// Missing without a machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub break_even_units_per_hour: Option<Num>,
    /// The maximum context in tokens. Missing if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<u32>,
    /// The first day of the price. Missing if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// The date on which the source had the price.
    pub as_of: String,
    /// The day on which the seller retires the model. Missing if unannounced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retires: Option<String>,
    /// The source of the price.
    pub source: String,
    /// The page of the seller's prices. Missing if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
}
