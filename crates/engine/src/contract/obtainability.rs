//! Whether machines can be had: stock, likelihood, interruptions, dates and quotas.

use serde::Serialize;
use sky_accel_live::{
    CapacityWindow, CountQualifier, InterruptionRisk, Likelihood, LikelihoodBand, LikelihoodScale,
    Obtainability, Quota, QuotaUnit, RiskKind, StockCount, StockPlace, StockState, StockUnit,
    best_state as best_of_places, timestamp,
};

use super::{CandidateCapacity, Num};

/// An answer on whether machines of an offer can be had, for one place, capacity type and number of machines. An
/// unknown value is omitted; it is neither zero nor "no".
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ObtainabilityOut {
    /// The place that the answer is for.
    pub place: StockPlaceOut,
    /// How the machines are bought.
    pub capacity_type: CandidateCapacity,
    /// The number of machines that the answer is for. It says nothing about a larger number.
    pub machines_asked: u32,
    /// `available`, `limited` (few), `unavailable` (none, or fewer than asked for), `blocked` (by a quota or a
    /// permission of the account), `offered` (sold here, stock not reported), `not-offered` or `unknown`.
    pub state: StockState,
    /// The state for the number of machines of the request, which may differ from `machines_asked`.
    pub state_for_request: StockState,
    /// The number in stock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<StockCountOut>,
    /// The likelihood of getting the machines, on the provider's scale.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub likelihood: Option<LikelihoodOut>,
    /// The expected time until a spot machine is interrupted, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uptime_s: Option<u64>,
    /// The rate at which spot machines are interrupted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk: Option<RiskOut>,
    /// The periods in which the machines can be reserved, as the provider orders them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<WindowOut>,
    /// The time until a machine has started, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready_s: Option<u64>,
    /// The quota that admits the fewest machines. Omitted if no quota was requested or none applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quota: Option<QuotaLeftOut>,
    /// The provider's name of the report that the answer is from.
    pub source: String,
    /// True if the answer holds only for the account of the credentials.
    pub account_specific: bool,
    /// True if the provider forbids sharing the answer.
    pub confidential: bool,
    /// The time of the provider's measurement, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured_at: Option<String>,
    /// The time when the answer was fetched, in UTC.
    pub fetched_at: String,
    /// The time when the answer expires according to the provider, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<String>,
}

/// A place that a provider distinguishes. Machines of one cluster cannot span two sites.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StockPlaceOut {
    /// The provider's id of the region; `null` if the answer holds for all regions.
    pub region: Option<String>,
    /// The availability zone or domain. Omitted for the whole region.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// The fabric, fault domain or site. Omitted if the provider has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
}

/// A number in stock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StockCountOut {
    /// The number.
    pub value: u32,
    /// `exact`, `at-least`, `at-most`, `capped-by-request` or `capped-by-quota`.
    pub qualifier: CountQualifier,
    /// The counted unit.
    pub unit: StockUnit,
}

/// A likelihood on the scale of a provider. Values of different scales cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LikelihoodOut {
    /// The value as the provider reports it, such as `7`, `0.8` or `high`.
    pub value: String,
    /// The scale.
    pub scale: LikelihoodScale,
    /// The band that the provider defines for the value. Omitted if it defines none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub band: Option<LikelihoodBand>,
}

/// The interruption rate of spot machines. Rates of different kinds cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RiskOut {
    /// The rate as the provider reports it, such as `5-10%`.
    pub rate: String,
    /// The highest rate in the window, in the same form. Omitted if the provider reports one rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub highest: Option<String>,
    /// The definition of the rate.
    pub kind: RiskKind,
    /// The number of days that the rate covers.
    pub window_days: u32,
}

/// A period in which machines can be reserved.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WindowOut {
    /// The start, as the provider writes it.
    pub starts_at: String,
    /// The end, as the provider writes it. Omitted if it is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ends_at: Option<String>,
    /// The number of machines. Omitted if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machines: Option<u32>,
    /// US dollars per hour for all machines. Omitted if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_per_hour: Option<Num>,
}

sky_accel_core::words! {
    /// The places that share one quota.
    pub enum QuotaScope {
        /// One region.
        Region = "region",
        /// All regions together.
        AllRegions = "all-regions",
    }
}

/// A quota of the account, and the number of machines that it admits.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QuotaLeftOut {
    /// The provider's name of the quota; `null` if it has none.
    pub name: Option<String>,
    /// The provider's code of the quota.
    pub code: String,
    /// The unit that the quota counts.
    pub unit: QuotaUnit,
    /// The limit; `null` if the provider reports no limit.
    pub limit: Option<Num>,
    /// True if the provider states that the quota is unlimited.
    pub unlimited: bool,
    /// The amount in use; `null` if unknown.
    pub used: Option<Num>,
    /// The amount that is left; `null` if the limit or the use is unknown, and without a limit.
    pub left: Option<Num>,
    /// The number of machines of this offer that still fit; `null` if unknown, and without a limit. If `used` is
    /// unknown, fewer may fit.
    pub machines: Option<u32>,
    /// `region`, or `all-regions` if one limit holds for all regions together.
    pub scope: QuotaScope,
    /// The region of the quota; `null` if the quota holds for all regions together.
    pub region: Option<String>,
    /// True if the provider raises the limit on request; `null` if unknown.
    pub adjustable: Option<bool>,
}

impl QuotaLeftOut {
    /// Converts a quota, for an offer with these vCPUs and accelerators in a machine.
    pub fn of(quota: &Quota, vcpu: Option<f64>, accelerators: f64) -> Self {
        Self {
            name: quota.name.clone(),
            code: quota.code.clone(),
            unit: quota.unit,
            limit: quota.limit.map(Num),
            unlimited: quota.limit.is_none(),
            used: quota.used.map(Num),
            left: quota.used.and(quota.left()).map(Num),
            machines: quota.machines(vcpu, accelerators),
            scope: match quota.region {
                Some(_) => QuotaScope::Region,
                None => QuotaScope::AllRegions,
            },
            region: quota.region.clone(),
            adjustable: quota.is_adjustable,
        }
    }
}

impl ObtainabilityOut {
    /// Converts a provider's answer, for a request of a number of machines with this number of accelerators each.
    pub fn of(record: &Obtainability, machines: u32, accelerators: f64) -> Self {
        let StockPlace { region, zone, site } = record.place.clone();
        Self {
            place: StockPlaceOut { region, zone, site },
            capacity_type: record.capacity.into(),
            machines_asked: record.machines,
            state: record.state,
            state_for_request: record.state_for(machines, accelerators),
            count: record.count.map(StockCountOut::of),
            likelihood: record.likelihood.as_ref().map(LikelihoodOut::of),
            uptime_s: record.uptime_s,
            risk: record.risk.as_ref().map(RiskOut::of),
            windows: record.windows.iter().map(WindowOut::of).collect(),
            ready_s: record.ready_s,
            quota: None,
            source: record.source.clone(),
            account_specific: record.is_account_specific,
            confidential: record.is_confidential,
            measured_at: record.measured_at.map(timestamp),
            fetched_at: timestamp(record.fetched_at),
            valid_until: record.valid_until.map(timestamp),
        }
    }

    /// The place in the form of the providers.
    pub fn stock_place(&self) -> StockPlace {
        StockPlace {
            region: self.place.region.clone(),
            zone: self.place.zone.clone(),
            site: self.place.site.clone(),
        }
    }
}

/// The state of the best of several places, for the number of machines of the request.
pub fn best_state<'o>(answers: impl IntoIterator<Item = &'o ObtainabilityOut>) -> StockState {
    let states = answers
        .into_iter()
        .map(|answer| (answer.stock_place(), answer.state_for_request));
    let states: Vec<_> = states.collect();
    best_of_places(states.iter().map(|(place, state)| (place, *state)))
}

impl StockCountOut {
    fn of(count: StockCount) -> Self {
        Self {
            value: count.value,
            qualifier: count.qualifier,
            unit: count.unit,
        }
    }
}

impl LikelihoodOut {
    fn of(likelihood: &Likelihood) -> Self {
        Self {
            value: likelihood.value.clone(),
            scale: likelihood.scale,
            band: likelihood.band,
        }
    }
}

impl RiskOut {
    fn of(risk: &InterruptionRisk) -> Self {
        Self {
            rate: risk.rate.clone(),
            highest: risk.highest.clone(),
            kind: risk.kind,
            window_days: risk.window_days,
        }
    }
}

impl WindowOut {
    fn of(window: &CapacityWindow) -> Self {
        Self {
            starts_at: window.starts_at.clone(),
            ends_at: window.ends_at.clone(),
            machines: window.machines,
            usd_per_hour: window.usd_per_hour.map(Num),
        }
    }
}
