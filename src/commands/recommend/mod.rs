//! `recommend`: what to rent for a model, or for a kind of work.

pub mod by_model;
mod by_rule;
pub mod chart;
mod guide;

use serde::Serialize;

use super::{Context, Result};
use crate::cli::RecommendArgs;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::output::{Num, OfferOut, OfferRequest};
use crate::sizing::{FitOut, RequestOut};

#[cfg(feature = "schema")]
pub use guide::{GuideOut, GuideRequest};

/// The request as it was understood.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecommendRequest {
    /// The model and the work, where there is a model.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub run: Option<RequestOut>,
    /// Without a model: the kind of work, as the guide has it.
    #[serde(rename = "kind_of_work", skip_serializing_if = "Option::is_none")]
    pub workload: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objective: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Num>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_hours: Option<Num>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_usd: Option<Num>,
    #[serde(flatten)]
    pub offers: OfferRequest,
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

pub fn run(context: &mut Context<'_>, args: &RecommendArgs) -> Result<ExitCode> {
    if args.guide {
        return guide::run(context);
    }
    let has_model = args.search.run.model.is_some() || args.search.run.model_size.is_some();
    if has_model {
        return by_model::run(context, args);
    }
    let Some(workload) = &args.search.run.workload else {
        let message =
            "say --model Llama-3.1-8B, --model-size 13B, --workload development, or --guide";
        return Err(CliError::usage("usage.nothing-asked", message).into());
    };
    by_rule::run(context, args, workload)
}
