//! Whether machines of an offer can be had, as a provider says it.
//!
//! Providers use unlike scales, so no figure is converted to another provider's scale. A field that
//! a provider does not report is `None`, which is neither zero nor "no".

use serde::{Deserialize, Serialize};
use sky_accel_core::catalog::CapacityType;

use crate::secret::Secrets;
use crate::stored::StoredCapacityType;

/// A provider's answer for one place, capacity type and number of machines of an offer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Obtainability {
    /// The place that the answer is for.
    pub place: StockPlace,
    /// The capacity type.
    #[serde(with = "StoredCapacityType")]
    pub capacity: CapacityType,
    /// The number of machines that the answer is for. It says nothing about a larger number.
    pub machines: u32,
    /// The state.
    pub state: StockState,
    /// The number of machines or devices in stock; `None` if not reported.
    pub count: Option<StockCount>,
    /// The likelihood of getting the machines; `None` if not reported.
    pub likelihood: Option<Likelihood>,
    /// The expected time until a spot machine is interrupted, in seconds; `None` if not reported.
    pub uptime_s: Option<u64>,
    /// The rate of interruptions of spot machines; `None` if not reported.
    pub risk: Option<InterruptionRisk>,
    /// The periods in which machines can be reserved; empty if not reported.
    pub windows: Vec<CapacityWindow>,
    /// The time until a machine has started, in seconds; `None` if not reported.
    pub ready_s: Option<u64>,
    /// The provider's name of the endpoint or report, such as `compute capacity report`.
    pub source: String,
    /// True if the answer holds only for the account of the credentials.
    pub is_account_specific: bool,
    /// True if the provider forbids sharing the answer.
    pub is_confidential: bool,
    /// The time of the provider's measurement, in seconds since 1970; `None` if not reported.
    pub measured_at: Option<i64>,
    /// The time when the answer was fetched, in seconds since 1970.
    pub fetched_at: i64,
    /// The time when the answer expires according to the provider, in seconds since 1970; `None`
    /// if not reported.
    pub valid_until: Option<i64>,
}

impl Obtainability {
    /// Creates an answer of unknown state. The listing sets the time.
    pub fn new(capacity: CapacityType, machines: u32, source: &str) -> Self {
        Self {
            place: StockPlace::default(),
            capacity,
            machines,
            state: StockState::Unknown,
            count: None,
            likelihood: None,
            uptime_s: None,
            risk: None,
            windows: Vec::new(),
            ready_s: None,
            source: source.to_owned(),
            is_account_specific: false,
            is_confidential: false,
            measured_at: None,
            fetched_at: 0,
            valid_until: None,
        }
    }

    /// Sets the region.
    #[must_use]
    pub fn in_region(self, region: &str) -> Self {
        let place = StockPlace {
            region: Some(region.to_owned()),
            ..self.place
        };
        Self { place, ..self }
    }

    /// Redacts secrets in all texts.
    pub(crate) fn redact(&mut self, secrets: &Secrets) {
        let place = &mut self.place;
        for text in [&mut place.region, &mut place.zone, &mut place.site]
            .into_iter()
            .flatten()
        {
            *text = secrets.redact(text);
        }
        if let Some(Likelihood { value, .. }) = &mut self.likelihood {
            *value = secrets.redact(value);
        }
        if let Some(risk) = &mut self.risk {
            risk.rate = secrets.redact(&risk.rate);
        }
        for window in &mut self.windows {
            window.starts_at = secrets.redact(&window.starts_at);
        }
    }
}

/// A place that a provider distinguishes. Machines of one cluster cannot span two sites.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StockPlace {
    /// The provider's id of the region; `None` if the answer holds for all regions.
    pub region: Option<String>,
    /// The availability zone or domain; `None` for the whole region.
    pub zone: Option<String>,
    /// The fabric, fault domain or site; `None` if the provider has none.
    pub site: Option<String>,
}

/// The state of the stock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StockState {
    /// The machines are in stock.
    Available,
    /// Some machines are in stock: fewer than requested, or few.
    Limited,
    /// No machine is in stock.
    Unavailable,
    /// A quota, a permission or a plan of the account excludes the machines.
    Blocked,
    /// The provider sells the machines here and does not report stock.
    Offered,
    /// The provider does not sell the machines here.
    NotOffered,
    /// Nothing is known.
    Unknown,
}

/// A number in stock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StockCount {
    /// The number.
    pub value: u32,
    /// The relation to the number in stock.
    pub qualifier: CountQualifier,
    /// The counted things.
    pub unit: StockUnit,
}

/// The relation of a reported number to the number in stock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CountQualifier {
    /// The number in stock.
    Exact,
    /// At least this number, as in `10+`.
    AtLeast,
    /// At most this number.
    AtMost,
    /// The smaller of the number in stock and the requested number.
    CappedByRequest,
    /// The smaller of the number in stock and the account's quota.
    CappedByQuota,
}

/// The unit of a number in stock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StockUnit {
    /// Machines of the offer.
    Machines,
    /// Accelerators.
    Accelerators,
}

/// A likelihood on the provider's scale.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Likelihood {
    /// The value as the provider reports it, such as `7`, `0.8` or `high`.
    pub value: String,
    /// The scale.
    pub scale: LikelihoodScale,
    /// The band that the provider defines for the value; `None` if it defines none.
    pub band: Option<LikelihoodBand>,
}

/// A provider's scale of likelihood. Values of different scales cannot be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LikelihoodScale {
    /// The spot placement score of AWS, from 1 to 10.
    AwsScore,
    /// The obtainability of Google Cloud, from 0 to 1.
    GcpObtainability,
    /// The placement score of Azure for a mix of sizes, from 0 to 9.
    AzureMix,
    /// The spot placement score of Azure: `high`, `medium` or `low`.
    AzureSpot,
    /// The availability level of Nebius.
    NebiusLevel,
    /// A class of stock, such as `scarce`.
    StockClass,
    /// A rank among places.
    Rank,
}

/// A band of likelihood that a provider defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LikelihoodBand {
    /// Likely.
    High,
    /// Possible.
    Medium,
    /// Unlikely.
    Low,
}

/// The interruption rate of spot machines. Rates of different kinds cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InterruptionRisk {
    /// The rate as the provider reports it, such as `5-10%`.
    pub rate: String,
    /// The highest rate in the window, in the same form; `None` if the provider reports one rate.
    pub highest: Option<String>,
    /// The definition of the rate.
    pub kind: RiskKind,
    /// The number of days that the rate covers.
    pub window_days: u32,
}

/// The definition of an interruption rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RiskKind {
    /// AWS: interrupted machines as a share of running machines in a month.
    AwsInterruptedOfRunning,
    /// Google Cloud: preempted machines as a share of all spot machines that stopped on a day.
    GcpPreemptedOfStopped,
    /// Azure: evicted machines in 28 days.
    AzureEvicted,
}

/// A period in which machines can be reserved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CapacityWindow {
    /// The start in RFC 3339 form.
    pub starts_at: String,
    /// The end in RFC 3339 form; `None` if it is open.
    pub ends_at: Option<String>,
    /// The number of machines; `None` if not reported.
    pub machines: Option<u32>,
    /// The price in USD of all machines for an hour; `None` if not reported.
    pub usd_per_hour: Option<f64>,
}
