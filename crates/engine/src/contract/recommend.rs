//! Machines for a model or a kind of work.

use serde::Serialize;

use super::{FitOut, Num, OfferOut, RunOut};
use crate::filter::OfferFilter;
use crate::recommend::Objective;

/// The request as it was understood.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecommendEcho {
    /// The model and the work, where there is a model.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunOut>,
    /// Without a model: the kind of work, as the guide has it.
    #[serde(rename = "kind_of_work", skip_serializing_if = "Option::is_none")]
    pub workload: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objective: Option<Objective>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Num>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_hours: Option<Num>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_usd: Option<Num>,
    #[serde(flatten)]
    pub offers: OfferFilter,
}

/// One way to do it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecommendOut<'a> {
    /// 1 is the best by the objective.
    pub rank: usize,
    /// Feeds `resolve` and `plan`.
    pub spec: String,
    pub offer: OfferOut<'a>,
    /// For the whole machine; by default on demand.
    pub usd_per_hour: Option<Num>,
    /// With as many sequences at once as fit, up to 256: of generated tokens, or of tokens trained on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_per_million_tokens: Option<Num>,
    /// Of the whole machine, in the same way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_s: Option<Num>,
    /// For the `tokens` of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours: Option<Num>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_total: Option<Num>,
    /// Whether nothing else is both cheaper and faster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pareto: Option<bool>,
    /// Whether and how the model fits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit: Option<FitOut>,
    pub why: Vec<String>,
}
