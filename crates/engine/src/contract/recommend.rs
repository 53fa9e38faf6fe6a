//! Machines for a model or a kind of work.

use serde::Serialize;
use sky_accel_core::catalog::Fabric;

use super::{FitOut, Num, OfferOut, RunOut};
use crate::filter::OfferFilter;
use crate::recommend::{Basis, Objective, PickKind, Tier, TierOrder, WishKind};

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
    /// The unit of work by whose price machines are ranked. Missing where only a kind of work was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// The limits of service that machines are held to, given or usual. Missing where only a kind of work was
    /// given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<ServiceLimitsOut>,
    /// The hardware that counts, as a spec in canonical form. Missing where any does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// The numbers of machines, such as `1..8`. Missing where several are taken only if one will not do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<String>,
    /// The order of tiers: `list` ranks machines of lower tiers below the others, `any` together with
    /// them. Missing where only a kind of work was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<TierOrder>,
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

/// Limits of service.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ServiceLimitsOut {
    /// The longest time to the first token, in seconds. Missing where nobody waits for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_ttft_s: Option<Num>,
    /// The least output tokens per second of one user. Missing where nobody waits for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_speed: Option<Num>,
    /// The share of the usable memory that stays free, from 0 to 1.
    pub spare: Num,
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
    /// The number of machines. Missing where it is 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u32>,
    /// The network between the machines. Missing for one machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interconnect: Option<InterconnectOut>,
    /// How much its price and its kind can be relied on. Missing where no model was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<Tier>,
    /// US dollars per hour for all machines, on demand unless the request says otherwise.
    pub usd_per_hour: Option<Num>,
    /// US dollars per million tokens, generated or trained on, at `tokens_per_s`. Missing where no model was
    /// given or the speed is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_per_million_tokens: Option<Num>,
    /// Tokens per second of all devices: at the load or the batch of the request; where it has none, with as
    /// many users as the limits of service allow. Missing where no model was given or the speed is
    /// unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_s: Option<Num>,
    /// Output tokens per second of one user, at the load of the request. Missing where no model was given, in
    /// training or where the speed is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_s_per_user: Option<Num>,
    /// Seconds to the first token, at the load of the request. Missing as `tokens_per_s_per_user` is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttft_s: Option<Num>,
    /// The most users, of those at once that the lengths of the request have, that the layout of `fit` serves
    /// within the limits of service. Missing for what is no server, or where the speed is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_users: Option<Num>,
    /// Hours for the `tokens` of the request. Missing where no number of tokens was given or the
    /// speed is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours: Option<Num>,
    /// The hours that are billed for those: whole ones where the provider bills per hour, and no fewer than it
    /// bills at least. Missing where `hours` is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub billed_hours: Option<Num>,
    /// US dollars for the `tokens` of the request: for `billed_hours`. Missing where no number of tokens was given or
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

/// The network between machines.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InterconnectOut {
    /// What it is: `efa`, `infiniband`, `roce` or `gpudirect-tcpx`.
    pub kind: Fabric,
    /// GB (10⁹ bytes) per second for each device, in one direction.
    pub gb_per_s_per_accelerator: Num,
    /// The source of the figure.
    pub source: String,
}

/// Additional fields of the document of a recommendation.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecommendParts {
    /// The machines that most people decide between; equal ones are merged. Missing where no model was
    /// given or nothing will do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub picks: Vec<PickOut>,
    /// Where nothing meets every wish: for each wish that alone stands in the way, the machine for which it
    /// has to be relaxed least. Missing otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relax: Vec<RelaxOut>,
}

/// A machine that is picked.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PickOut {
    /// Why it is picked.
    pub kind: PickKind,
    /// More reasons why the same machine is picked. Missing where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<PickKind>,
    /// Its rank, which may be one that the limit of results cuts off.
    pub rank: usize,
    /// Its spec.
    pub spec: String,
    /// The number of machines. Missing where it is 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u32>,
    /// The id of its provider.
    pub provider: String,
    /// The provider's id of the machine.
    pub instance_type: String,
    /// US dollars per hour for all machines.
    pub usd_per_hour: Num,
    /// Why this one, what it costs and what it cannot do, as a sentence whose wording may change.
    pub why: String,
}

/// A wish to relax.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RelaxOut {
    /// The wish, by the name of its flag.
    pub wish: WishKind,
    /// What is asked, in the unit of the flag. Missing where the wish has no number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<Num>,
    /// What would be enough. Missing where the wish has to go.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Num>,
    /// The spec of the machine that does the rest.
    pub spec: String,
    /// The number of machines. Missing where it is 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u32>,
    /// The id of its provider.
    pub provider: String,
    /// The provider's id of the machine.
    pub instance_type: String,
    /// US dollars per hour for all machines.
    pub usd_per_hour: Num,
    /// The same as a sentence whose wording may change.
    pub message: String,
}
