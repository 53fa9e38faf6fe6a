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

    /// Returns true if the answer is for a capacity type and, where it names a place, for that place.
    pub fn covers(&self, capacity: CapacityType, region: Option<&str>, zone: Option<&str>) -> bool {
        let is_in = |of: &Option<String>, place: Option<&str>| {
            of.is_none() || place.is_none() || of.as_deref() == place
        };
        self.capacity == capacity
            && (self.place.region.is_none() || self.place.region.as_deref() == region)
            && is_in(&self.place.zone, zone)
    }

    /// Returns the state for another number of machines, with this number of accelerators each. Stock for one machine
    /// says nothing about four, unless a count says more.
    pub fn state_for(&self, machines: u32, accelerators: f64) -> StockState {
        let count = self.count.and_then(|count| count.in_machines(accelerators));
        let is_enough = count
            .is_some_and(|(n, qualifier)| n >= machines && qualifier != CountQualifier::AtMost);
        let is_exceeded = count.is_some_and(|(n, qualifier)| {
            n < machines && matches!(qualifier, CountQualifier::Exact | CountQualifier::AtMost)
        });
        let is_larger = machines > self.machines;
        match self.state {
            StockState::Available | StockState::Limited if is_enough => StockState::Available,
            StockState::Available | StockState::Limited if is_exceeded => StockState::Unavailable,
            StockState::Available | StockState::Limited if is_larger => StockState::Unknown,
            // No stock or no quota for four machines says nothing about one.
            StockState::Unavailable if machines < self.machines && count.is_none() => {
                StockState::Unknown
            }
            StockState::Blocked if machines < self.machines => StockState::Unknown,
            state => state,
        }
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StockPlace {
    /// The provider's id of the region; `None` if the answer holds for all regions.
    pub region: Option<String>,
    /// The availability zone or domain; `None` for the whole region.
    pub zone: Option<String>,
    /// The fabric, fault domain or site; `None` if the provider has none.
    pub site: Option<String>,
}

sky_accel_core::words! {
    /// The state of the stock.
    #[derive(Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum StockState {
        /// The machines are in stock.
        Available = "available",
        /// Few machines are in stock.
        Limited = "limited",
        /// No machine is in stock.
        Unavailable = "unavailable",
        /// A quota, a permission or a plan of the account excludes the machines.
        Blocked = "blocked",
        /// The provider sells the machines here and does not report stock.
        Offered = "offered",
        /// The provider does not sell the machines here.
        NotOffered = "not-offered",
        /// Nothing is known.
        Unknown = "unknown",
    }
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

impl StockCount {
    /// Returns the number of machines with this number of accelerators each, and what it bounds; `None` if a machine
    /// has none. Accelerators may be spread over machines with fewer, so their exact number is an upper bound.
    pub fn in_machines(self, accelerators: f64) -> Option<(u32, CountQualifier)> {
        match self.unit {
            StockUnit::Machines => Some((self.value, self.qualifier)),
            StockUnit::Accelerators if accelerators > 1.0 => {
                let qualifier = match self.qualifier {
                    CountQualifier::Exact => CountQualifier::AtMost,
                    CountQualifier::AtLeast => return None,
                    other => other,
                };
                Some(((f64::from(self.value) / accelerators) as u32, qualifier))
            }
            StockUnit::Accelerators => (accelerators > 0.0).then_some((self.value, self.qualifier)),
        }
    }
}

sky_accel_core::words! {
    /// The relation of a reported number to the number in stock.
    #[derive(Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum CountQualifier {
        /// The number in stock.
        Exact = "exact",
        /// At least this number, as in `10+`.
        AtLeast = "at-least",
        /// At most this number.
        AtMost = "at-most",
        /// The smaller of the number in stock and the requested number.
        CappedByRequest = "capped-by-request",
        /// The smaller of the number in stock and the account's quota.
        CappedByQuota = "capped-by-quota",
    }
}

sky_accel_core::words! {
    /// The unit of a number in stock.
    #[derive(Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum StockUnit {
        /// Machines of the offer.
        Machines = "machines",
        /// Accelerators.
        Accelerators = "accelerators",
    }
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

sky_accel_core::words! {
    /// A provider's scale of likelihood. Values of different scales cannot be compared.
    #[derive(Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum LikelihoodScale {
        /// The spot placement score of AWS, from 1 to 10.
        AwsScore = "aws-score",
        /// The obtainability of Google Cloud, from 0 to 1.
        GcpObtainability = "gcp-obtainability",
        /// The placement score of Azure for a mix of sizes, from 0 to 9.
        AzureMix = "azure-mix",
        /// The spot placement score of Azure: `high`, `medium` or `low`.
        AzureSpot = "azure-spot",
        /// The availability level of Nebius.
        NebiusLevel = "nebius-level",
        /// A class of stock, such as `scarce`.
        StockClass = "stock-class",
        /// A rank among places.
        Rank = "rank",
    }
}

sky_accel_core::words! {
    /// A band of likelihood that a provider defines.
    #[derive(Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum LikelihoodBand {
        /// Likely.
        High = "high",
        /// Possible.
        Medium = "medium",
        /// Unlikely.
        Low = "low",
    }
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

sky_accel_core::words! {
    /// The definition of an interruption rate.
    #[derive(Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum RiskKind {
        /// AWS: interrupted machines as a share of running machines in a month.
        AwsInterruptedOfRunning = "aws-interrupted-of-running",
        /// Google Cloud: preempted machines as a share of all spot machines that stopped on a day.
        GcpPreemptedOfStopped = "gcp-preempted-of-stopped",
        /// Azure: evicted machines in 28 days.
        AzureEvicted = "azure-evicted",
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(
        machines: u32,
        state: StockState,
        count: Option<(u32, CountQualifier)>,
    ) -> Obtainability {
        Obtainability {
            state,
            count: count.map(|(value, qualifier)| StockCount {
                value,
                qualifier,
                unit: StockUnit::Machines,
            }),
            ..Obtainability::new(CapacityType::OnDemand, machines, "stock")
        }
    }

    #[test]
    fn an_answer_for_one_machine_serves_four_only_with_a_count() {
        use CountQualifier::{AtLeast, AtMost, CappedByRequest, Exact};
        use StockState::{Available, Blocked, Limited, Offered, Unavailable, Unknown};
        for (asked, state, count, machines, expected) in [
            (1, Available, None, 1, Available),
            (1, Available, None, 4, Unknown),
            (1, Limited, None, 4, Unknown),
            (1, Available, Some((3, Exact)), 4, Unavailable),
            (4, Limited, Some((3, AtMost)), 4, Unavailable),
            (4, Limited, None, 4, Limited),
            (1, Available, Some((3, AtLeast)), 4, Unknown),
            (1, Available, Some((10, AtLeast)), 4, Available),
            (1, Available, Some((1, CappedByRequest)), 4, Unknown),
            (1, Limited, Some((5, Exact)), 4, Available),
            (1, Available, Some((9, AtMost)), 4, Unknown),
            (8, Available, None, 4, Available),
            (8, Limited, Some((4, Exact)), 4, Available),
            (8, Unavailable, None, 4, Unknown),
            (8, Blocked, None, 4, Unknown),
            (1, Unavailable, None, 4, Unavailable),
            (1, Blocked, None, 4, Blocked),
            (1, Offered, None, 4, Offered),
            (1, Unknown, None, 1, Unknown),
        ] {
            let of = answer(asked, state, count).state_for(machines, 8.0);
            assert_eq!(of, expected, "{asked} {state} {count:?} {machines}");
        }
    }

    #[test]
    fn accelerators_of_several_machines_are_an_upper_bound() {
        use CountQualifier::{AtLeast, AtMost, Exact};
        let count = |qualifier| StockCount {
            value: 17,
            qualifier,
            unit: StockUnit::Accelerators,
        };
        assert_eq!(count(Exact).in_machines(8.0), Some((2, AtMost)));
        assert_eq!(count(AtLeast).in_machines(8.0), None);
        assert_eq!(count(Exact).in_machines(1.0), Some((17, Exact)));
    }

    #[test]
    fn an_answer_for_a_region_covers_its_zones() {
        let mut record = answer(1, StockState::Available, None).in_region("a");
        let covers = |record: &Obtainability, region, zone| {
            record.covers(CapacityType::OnDemand, region, zone)
        };
        assert!(covers(&record, Some("a"), Some("a-1")));
        assert!(!covers(&record, Some("b"), None));
        assert!(!covers(&record, None, None));
        record.place.zone = Some("a-2".to_owned());
        assert!(covers(&record, Some("a"), None));
        assert!(!covers(&record, Some("a"), Some("a-1")));
    }
}
