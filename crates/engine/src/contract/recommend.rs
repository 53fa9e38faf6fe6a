//! Machines for a model or a kind of work.

use serde::Serialize;

use super::{FitOut, Num, OfferOut, RunOut};
use crate::filter::OfferFilter;
use crate::recommend::Objective;

/// The request of a recommendation as it was understood.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecommendEcho {
    /// The model and the work. Missing where only a kind of work was given.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunOut>,
    /// The kind of work, in the guide's words. Missing where a model was given.
    #[serde(rename = "kind_of_work", skip_serializing_if = "Option::is_none")]
    pub workload: Option<String>,
    /// The figure that the results are ranked by. Missing where only a kind of work was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objective: Option<Objective>,
    /// The total number of tokens to generate or to train on. Missing where none was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Num>,
    /// The most hours that the tokens may take. Missing where there is no deadline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_hours: Option<Num>,
    /// The most US dollars that the tokens may cost. Missing where there is no budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_usd: Option<Num>,
    /// The limits to the offers.
    #[serde(flatten)]
    pub offers: OfferFilter,
}

/// A machine that does the work.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecommendOut<'a> {
    /// The rank by the objective; 1 is the best.
    pub rank: usize,
    /// A spec that `resolve` and `plan` accept.
    pub spec: String,
    /// The machine.
    pub offer: OfferOut<'a>,
    /// US dollars per hour for the whole machine, on demand unless the request says otherwise.
    pub usd_per_hour: Option<Num>,
    /// US dollars per million tokens, generated or trained on, with as many concurrent sequences as
    /// fit, up to 256. Missing where no model was given or the speed is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_per_million_tokens: Option<Num>,
    /// Tokens per second of the whole machine, with as many concurrent sequences as fit, up to 256.
    /// Missing where no model was given or the speed is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_s: Option<Num>,
    /// Hours for the `tokens` of the request. Missing where no number of tokens was given or the
    /// speed is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours: Option<Num>,
    /// US dollars for the `tokens` of the request. Missing where no number of tokens was given or
    /// the speed is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_total: Option<Num>,
    /// True if no other machine is both cheaper and faster. Missing where no model was given or the
    /// speed is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pareto: Option<bool>,
    /// The memory and the speed of the model on this machine. Missing where no model was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit: Option<FitOut>,
    /// The reasons for the recommendation, one sentence or phrase each.
    pub why: Vec<String>,
}
