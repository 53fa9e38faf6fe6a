//! Recommendations.

use serde::Serialize;
use sky_accel_core::catalog::Fabric;
use sky_accel_core::money::Usd;
use sky_accel_core::resolve::LikelyPrice;
use sky_accel_core::sizing::CacheFormat;

use super::{ApiComparisonOut, BillOut, FitOut, Num, OfferOut, QualityLossOut, RunOut};
use crate::bill::BillUse;
use crate::filter::OfferFilter;
use crate::recommend_words::{
    Basis, ComparedWith, LimitKind, Objective, PickKind, Tier, TierOrder,
};

/// The request of a recommendation, with every default filled in.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecommendEcho {
    /// The model and the work. Missing without a model.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunOut>,
    /// The kind of work, as the guide names it. Missing with a model.
    #[serde(rename = "kind_of_work", skip_serializing_if = "Option::is_none")]
    pub workload: Option<String>,
    /// The figure that ranks the results. Missing without a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objective: Option<Objective>,
    /// The unit of work whose price ranks machines. Missing without a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// The service limits of the request, and the defaults of the others. Missing without a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<ServiceLimitsOut>,
    /// The hardware to consider, as a spec in canonical form. Missing for any hardware.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// The numbers of machines, such as `1..8`. Missing where several are used only if one is not enough.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<String>,
    /// The order of tiers: `list` ranks machines of lower tiers below the others, `any` ranks them together. Missing
    /// without a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<TierOrder>,
    /// True where machines with a tight fit are listed too. Missing otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accept_tight: Option<bool>,
    /// The total number of tokens to generate or to train on. Missing where it was not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Num>,
    /// The maximum hours for the job, at the slow end of the band of the speed. Missing without a deadline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_hours: Option<Num>,
    /// The maximum US dollars for the tokens, or for the hours. Missing without a budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_usd: Option<Num>,
    /// The alternatives to renting a machine. Missing without a comparison.
    #[serde(rename = "compare", skip_serializing_if = "Option::is_none")]
    pub compared_with: Option<ComparedWith>,
    /// The user's machine to compare with. Missing without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own: Option<String>,
    /// The use of the machines that the bills are for. Missing without bills.
    #[serde(rename = "use", skip_serializing_if = "Option::is_none")]
    pub bill: Option<BillUse>,
    /// The limits to the offers.
    #[serde(flatten)]
    pub offers: OfferFilter,
}

/// Service limits.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ServiceLimitsOut {
    /// The maximum time to first token, in seconds. Missing for work without users.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_ttft_s: Option<Num>,
    /// The minimum output tokens per second of each user. Missing for work without users.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_speed: Option<Num>,
    /// The fraction of the usable memory that stays free, from 0 to 1.
    pub spare: Num,
}

/// A recommended machine.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecommendOut<'a> {
    /// The rank by the objective; 1 is the best.
    pub rank: usize,
    /// A spec that `resolve` and `plan` accept.
    pub spec: String,
    /// The machine.
    pub offer: OfferOut<'a>,
    /// The format of the weights. Missing where the request names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precision: Option<String>,
    /// The format of the KV cache. Missing where the request names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kv_precision: Option<CacheFormat>,
    /// The maximum number of sequences at once of the serving engine, where the model fits only with less than its
    /// default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_num_seqs: Option<Num>,
    /// The maximum number of tokens of a pass of the serving engine, where the model fits only with less than its
    /// default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_batched_tokens: Option<Num>,
    /// The share of the memory of a device for the serving engine, where the model fits only with more than its
    /// default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu_memory_utilization: Option<Num>,
    /// The hub id of the published checkpoint in `precision`. Missing for the model's own files, and where the serving
    /// engine quantizes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<String>,
    /// The expected losses of quality, one for each part in another precision than the model's. Missing without any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub quality_losses: Vec<QualityLossOut>,
    /// The number of machines. Missing where it is 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u32>,
    /// The network between the machines. Missing for a single machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interconnect: Option<InterconnectOut>,
    /// The reliability of its price and kind. Missing without a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<Tier>,
    /// US dollars per hour for all machines, on-demand unless the request has another capacity type: the likely
    /// price of today, or the stated price if the request says so.
    pub usd_per_hour: Option<Num>,
    /// The cost that ranks the machine, if it is not its own cost by the `basis` of the request: the same with a margin
    /// for many devices or a long time, or lower for a machine that is much cheaper than slower ones. Missing where
    /// another figure or a bill ranks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranking_cost: Option<Num>,
    /// The lower end of the band that holds four of five likely prices, of all machines. Missing without a price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<Num>,
    /// The upper end of the band. Missing without a price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<Num>,
    /// US dollars per million tokens, generated or trained on, at `tokens_per_s`. Missing without a model, or if the
    /// speed is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_per_million_tokens: Option<Num>,
    /// US dollars per image or video, at `seconds_per_item`. Missing for other models, or if the speed is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_per_item: Option<Num>,
    /// Seconds per image or video of all devices together. Missing for other models, or if the speed is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds_per_item: Option<Num>,
    /// Tokens per second of all devices, at the load or the batch of the request; without one, with as many users as
    /// the service limits allow. Missing without a model, or if the speed is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_s: Option<Num>,
    /// Output tokens per second of each user, at the load of the request. Missing without a model, for training, or if
    /// the speed is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_s_per_user: Option<Num>,
    /// Seconds to the first token, at the load of the request; of embeddings and rerankers, to the answer. Missing
    /// without a load of such a model, for other work without a server, and if the speed is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttft_s: Option<Num>,
    /// The maximum number of concurrent users that the layout of `fit` serves within the service limits. Missing for
    /// work without a server, or if the speed is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_users: Option<Num>,
    /// Hours for the `tokens` or `images` of the request, or the `hours` of the request. Missing without either, or if
    /// the speed is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours: Option<Num>,
    /// The hours that the provider bills for them: rounded up to its billing unit, and at least its minimum. Missing
    /// where `hours` is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub billed_hours: Option<Num>,
    /// US dollars for `billed_hours`; not a committed price. Missing where `hours` is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_total: Option<Num>,
    /// True if the machine is Pareto-optimal: no other machine is both cheaper and faster. Missing without a model, or
    /// if the speed is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pareto: Option<bool>,
    /// The memory and the speed of the model on this machine. Missing without a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit: Option<FitOut>,
    /// The reasons for the recommendation, one sentence or phrase each.
    pub why: Vec<String>,
    /// The whole bill of all machines, if it was requested. Missing otherwise, and if the price is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bill: Option<Box<BillOut<'a>>>,
}

/// The network between machines.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InterconnectOut {
    /// The kind: `efa`, `infiniband`, `roce` or `gpudirect-tcpx`.
    pub kind: Fabric,
    /// GB (10⁹ bytes) per second and device, in one direction.
    pub gb_per_s_per_accelerator: Num,
    /// The source of the figure.
    pub source: String,
}

/// Additional fields of the document of a recommendation.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecommendParts {
    /// The machines to decide between. Reasons for the same machine are merged. Missing without a model or results.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub picks: Vec<PickOut>,
    /// If no machine meets all limits: for each limit that alone rules out machines, the machine that needs the
    /// smallest change. Missing otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relax: Vec<RelaxOut>,
    /// Another format that meets the same limits for less money. Missing where the request has a format, and where the
    /// saving is small.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cheaper_precision: Option<CheaperPrecisionOut>,
    /// The load by API, and on a machine that the user owns. Missing unless the request has `compare` or `own`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<ApiComparisonOut>,
}

/// The price of a recommended machine, or of several.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HourlyPriceOut {
    /// US dollars per hour for all machines: the likely price of today, or the stated price if the request says so.
    pub usd_per_hour: Num,
    /// The lower end of the band that holds four of five likely prices, of all machines.
    pub low: Num,
    /// The upper end of the band.
    pub high: Num,
}

impl HourlyPriceOut {
    /// Returns the likely price of a number of machines.
    pub(crate) fn of(likely: LikelyPrice, machines: u32) -> Self {
        let of_all = |usd: Usd| Num(Usd(usd.0.saturating_mul(machines.into())).decimal());
        Self {
            usd_per_hour: of_all(likely.usd),
            low: of_all(likely.low()),
            high: of_all(likely.high()),
        }
    }
}

/// A format of weights that is cheaper than the format of the answer.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheaperPrecisionOut {
    /// The format.
    pub precision: String,
    /// The hub id of the published checkpoint. Missing where the serving engine quantizes the model's files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<String>,
    /// The saving against the first result, in percent of its cost by the `basis` of the request.
    pub saving_percent: Num,
    /// The spec of the machine.
    pub spec: String,
    /// The number of machines. Missing where it is 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u32>,
    /// The id of its provider.
    pub provider: String,
    /// The provider's id of the machine.
    pub instance_type: String,
    /// The price of all machines.
    #[serde(flatten)]
    pub price: HourlyPriceOut,
    /// The expected losses of quality.
    pub quality_losses: Vec<QualityLossOut>,
    /// The same as a sentence whose wording may change.
    pub message: String,
}

/// A pick.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PickOut {
    /// The first reason for the pick.
    pub kind: PickKind,
    /// More reasons to pick the same machine. Missing without more reasons.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<PickKind>,
    /// Its rank, which may be beyond the limit of results.
    pub rank: usize,
    /// Its spec.
    pub spec: String,
    /// The format of the weights. Missing where the request names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precision: Option<String>,
    /// The number of machines. Missing where it is 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u32>,
    /// The id of its provider.
    pub provider: String,
    /// The provider's id of the machine.
    pub instance_type: String,
    /// The price of all machines.
    #[serde(flatten)]
    pub price: HourlyPriceOut,
    /// Its reasons, cost and limits, as a sentence whose wording may change.
    pub why: String,
}

/// A limit to relax.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RelaxOut {
    /// The limit, by the name of its flag.
    #[serde(rename = "wish")]
    pub limit: LimitKind,
    /// The value of the limit, in the unit of its flag. Missing for limits without a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<Num>,
    /// The value to relax it to. Missing where it must be left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Num>,
    /// The spec of the machine that meets the relaxed limits.
    pub spec: String,
    /// The number of machines. Missing where it is 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u32>,
    /// The id of its provider.
    pub provider: String,
    /// The provider's id of the machine.
    pub instance_type: String,
    /// The price of all machines.
    #[serde(flatten)]
    pub price: HourlyPriceOut,
    /// The same as a sentence whose wording may change.
    pub message: String,
}
