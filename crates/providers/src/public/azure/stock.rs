//! Joins the answers for a region to stock and quotas of its sizes. No I/O.

use sky_accel_core::catalog::CapacityType;

use crate::obtainability::{
    CountQualifier, Likelihood, LikelihoodBand, LikelihoodScale, Obtainability, StockCount,
    StockState, StockUnit,
};
use crate::offer::{Quota, QuotaUnit};
use crate::public::account::{AccountAnswer, capacities};
use crate::query::Query;

use super::answers::{
    AzureSku, AzureUsage, LimitReason, LimitsByName, MixLimit, ScoresByPlace, SkusByName,
    UsagesByCode, normalized,
};
use super::evictions::{self, EvictionsByPlace};

/// The sources of answers on stock.
const SKUS: &str = "resource SKUs";
const USAGES: &str = "compute usages";
const MIX: &str = "SKU mix placement scores";
const SPOT: &str = "spot placement scores";
/// The pool of the vCPUs of all families in a region.
const CORES: &str = "cores";
/// The pool of spot machines of all families in a region. They count against no other pool.
const SPOT_CORES: &str = "lowprioritycores";

/// The answers for a region; `None` for answers that are missing.
#[derive(Debug, Default)]
pub(super) struct RegionAnswers {
    pub region: String,
    pub sizes: Vec<String>,
    pub skus: Option<SkusByName>,
    pub usages: Option<UsagesByCode>,
    pub limits: Option<LimitsByName>,
}

/// The answers on spot machines of all regions.
#[derive(Debug, Default)]
pub(super) struct SpotAnswers {
    pub scores: ScoresByPlace,
    pub evictions: EvictionsByPlace,
}

/// Adds the stock and the quotas of the sizes of a region.
pub(super) fn add(
    answer: &mut AccountAnswer,
    query: &Query<'_>,
    answers: &RegionAnswers,
    spot: &SpotAnswers,
) {
    for size in &answers.sizes {
        for capacity in capacities(query.on_demand, query.spot) {
            let of_size = SizeAnswers::new(answers, size, capacity, query.machines);
            for usage in of_size.pools() {
                answer.add_quota(size, quota(usage, &answers.region, capacity));
            }
            let records = of_size.records(spot);
            for record in records {
                answer.add_stock(size, record);
            }
        }
    }
}

fn quota(usage: &AzureUsage, region: &str, capacity: CapacityType) -> Quota {
    Quota {
        region: Some(region.to_owned()),
        capacity,
        code: usage.code.clone(),
        name: usage.name.clone(),
        unit: QuotaUnit::Vcpus,
        limit: Some(usage.limit),
        used: usage.used,
        is_adjustable: None,
    }
}

/// The answers for a size in a region, as one capacity type.
struct SizeAnswers<'a> {
    region: &'a RegionAnswers,
    key: String,
    sku: Option<&'a AzureSku>,
    capacity: CapacityType,
    machines: u32,
}

impl<'a> SizeAnswers<'a> {
    fn new(region: &'a RegionAnswers, size: &str, capacity: CapacityType, machines: u32) -> Self {
        let key = normalized(size);
        Self {
            sku: region.skus.as_ref().and_then(|skus| skus.get(&key)),
            region,
            key,
            capacity,
            machines,
        }
    }

    /// Returns the known pools that the size counts against. A missing pool is not unlimited.
    fn pools(&self) -> Vec<&'a AzureUsage> {
        let Some(usages) = &self.region.usages else {
            return Vec::new();
        };
        let codes = match self.capacity {
            CapacityType::Spot => vec![SPOT_CORES.to_owned()],
            CapacityType::OnDemand => {
                let family = self.sku.and_then(|sku| sku.family.as_deref());
                let family = family.map(normalized).into_iter();
                family.chain([CORES.to_owned()]).collect()
            }
        };
        codes.iter().filter_map(|code| usages.get(code)).collect()
    }

    /// Returns true if a pool has no room for the machines.
    fn lacks_quota(&self) -> bool {
        let vcpus = self.sku.and_then(|sku| sku.vcpus);
        vcpus.is_some_and(|vcpus| {
            let vcpus = vcpus * f64::from(self.machines);
            let mut pools = self.pools().into_iter();
            pools.any(|pool| pool.has_room(vcpus) == Some(false))
        })
    }

    /// The key of answers on spot machines.
    fn place(&self) -> (String, String) {
        (normalized(&self.region.region), self.key.clone())
    }

    fn record(&self, source: &str, state: StockState) -> Obtainability {
        let record = Obtainability::new(self.capacity, self.machines, source);
        Obtainability {
            state,
            ..record.in_region(&self.region.region)
        }
    }

    fn records(&self, spot: &SpotAnswers) -> Vec<Obtainability> {
        let sku = self.sku;
        let is_listed = self.region.skus.is_some();
        let is_spot = self.capacity == CapacityType::Spot;
        if is_listed && sku.is_none_or(|sku| is_spot && !sku.sells_spot) {
            return vec![self.record(SKUS, StockState::NotOffered)];
        }
        if sku.is_some_and(|sku| sku.is_blocked) {
            return vec![self.record(SKUS, StockState::Blocked)];
        }
        let told = match self.capacity {
            CapacityType::OnDemand => self.limit(),
            CapacityType::Spot => self.score(&spot.scores),
        };
        let mut records: Vec<Obtainability> = match (told, sku) {
            (Some(told), _) if told.state == StockState::Unknown && sku.is_some() => {
                let state = StockState::Offered;
                vec![Obtainability { state, ..told }]
            }
            (Some(told), _) => vec![told],
            (None, Some(_)) => vec![self.record(SKUS, StockState::Offered)],
            (None, None) => Vec::new(),
        };
        // A quota takes precedence: the stock does not help.
        if self.lacks_quota() {
            match records.first_mut() {
                Some(record) if record.state == StockState::Offered && record.source == SKUS => {
                    *record = self.record(USAGES, StockState::Blocked);
                }
                Some(record) => record.state = StockState::Blocked,
                None => records.push(self.record(USAGES, StockState::Blocked)),
            }
        }
        if is_spot && let Some(record) = records.first_mut() {
            let rate = spot.evictions.get(&self.place());
            record.risk = rate.map(|rate| evictions::risk(rate));
        }
        let zones = sku.map(|sku| &sku.blocked_zones).into_iter().flatten();
        records.extend(zones.map(|zone| {
            let mut record = self.record(SKUS, StockState::Blocked);
            record.place.zone = Some(zone.clone());
            record
        }));
        records
    }

    /// Returns the answer on on-demand stock.
    fn limit(&self) -> Option<Obtainability> {
        let limit = self.region.limits.as_ref()?.get(&self.key)?;
        let state = limit_state(limit, self.machines);
        let qualifier = match limit.reason {
            LimitReason::Quota => CountQualifier::CappedByQuota,
            _ => CountQualifier::CappedByRequest,
        };
        let is_count = state != StockState::NotOffered;
        let count = limit.machines.filter(|_| is_count).map(|value| StockCount {
            value,
            qualifier,
            unit: StockUnit::Machines,
        });
        let likelihood = limit.score.map(|score| Likelihood {
            value: score.to_string(),
            scale: LikelihoodScale::AzureMix,
            band: None,
        });
        Some(Obtainability {
            count,
            likelihood,
            valid_until: limit.valid_until,
            ..self.record(MIX, state)
        })
    }

    /// Returns the answer on spot machines.
    fn score(&self, scores: &ScoresByPlace) -> Option<Obtainability> {
        let score = scores.get(&self.place())?;
        let word = score.score.as_deref().unwrap_or_default();
        let band = match word {
            "High" => Some(LikelihoodBand::High),
            "Medium" => Some(LikelihoodBand::Medium),
            "Low" => Some(LikelihoodBand::Low),
            _ => None,
        };
        let is_blocked = word == "RestrictedSkuNotAvailable" || score.has_quota == Some(false);
        let state = if is_blocked {
            StockState::Blocked
        } else {
            StockState::Unknown
        };
        let likelihood = band.map(|band| Likelihood {
            value: word.to_lowercase(),
            scale: LikelihoodScale::AzureSpot,
            band: Some(band),
        });
        Some(Obtainability {
            likelihood,
            ..self.record(SPOT, state)
        })
    }
}

/// Returns the state that a limit means for a number of machines.
fn limit_state(limit: &MixLimit, machines: u32) -> StockState {
    match (limit.reason, limit.machines) {
        (LimitReason::NotSold, _) => StockState::NotOffered,
        (LimitReason::Quota, limit) if limit.is_none_or(|limit| limit < machines) => {
            StockState::Blocked
        }
        (_, Some(limit)) if limit >= machines => StockState::Available,
        (_, Some(1..)) => StockState::Limited,
        (LimitReason::Capacity, Some(0)) => StockState::Unavailable,
        _ => StockState::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashMap};

    use super::*;
    use crate::query::Counts;

    const SIZE: &str = "Standard_ND96isr_H100_v5";

    fn sku() -> AzureSku {
        AzureSku {
            family: Some("standardNDSH100v5Family".to_owned()),
            vcpus: Some(96.0),
            sells_spot: true,
            ..AzureSku::default()
        }
    }

    fn limit(machines: u32, reason: LimitReason) -> MixLimit {
        MixLimit {
            machines: Some(machines),
            reason,
            score: None,
            valid_until: None,
        }
    }

    fn pool(code: &str, limit: f64, used: f64) -> (String, AzureUsage) {
        let usage = AzureUsage {
            code: code.to_owned(),
            name: None,
            limit,
            used: Some(used),
        };
        (normalized(code), usage)
    }

    fn region(sku: Option<AzureSku>) -> RegionAnswers {
        let skus = sku.map(|sku| (normalized(SIZE), sku)).into_iter().collect();
        RegionAnswers {
            region: "eastus".to_owned(),
            sizes: vec![SIZE.to_owned()],
            skus: Some(skus),
            ..RegionAnswers::default()
        }
    }

    fn with_limit(limit: MixLimit) -> RegionAnswers {
        RegionAnswers {
            limits: Some(HashMap::from([(normalized(SIZE), limit)])),
            ..region(Some(sku()))
        }
    }

    fn with_pools(pools: Vec<(String, AzureUsage)>) -> RegionAnswers {
        RegionAnswers {
            usages: Some(pools.into_iter().collect()),
            ..region(Some(sku()))
        }
    }

    /// The answer for four machines.
    fn answer(answers: &RegionAnswers, spot: &SpotAnswers) -> AccountAnswer {
        let counts = Counts {
            min: 1.0,
            max: None,
        };
        let query = Query {
            machines: 4,
            ..Query::everything(counts)
        };
        let mut answer = AccountAnswer::default();
        add(&mut answer, &query, answers, spot);
        answer
    }

    fn states(answers: &RegionAnswers, spot: &SpotAnswers) -> [Option<StockState>; 2] {
        let answer = answer(answers, spot);
        let of = |capacity| {
            let mut records = answer.stock(SIZE).iter();
            let record = records.find(|record| record.capacity == capacity)?;
            assert_eq!(record.machines, 4);
            Some(record.state)
        };
        [of(CapacityType::OnDemand), of(CapacityType::Spot)]
    }

    fn on_demand(answers: &RegionAnswers) -> StockState {
        states(answers, &SpotAnswers::default())[0].unwrap()
    }

    #[test]
    fn limits_are_states_for_the_requested_machines() {
        use LimitReason::{Capacity, None, NotSold, Quota, Unknown};
        for (machines, reason, wanted) in [
            (4, None, StockState::Available),
            (2, Capacity, StockState::Limited),
            (0, Capacity, StockState::Unavailable),
            (0, Quota, StockState::Blocked),
            (2, Quota, StockState::Blocked),
            (0, NotSold, StockState::NotOffered),
            // Without a reason, nothing shows that machines are out of stock.
            (0, Unknown, StockState::Offered),
        ] {
            let answers = with_limit(limit(machines, reason));
            assert_eq!(on_demand(&answers), wanted, "{machines} {reason:?}");
        }
        let answer = answer(&with_limit(limit(2, Capacity)), &SpotAnswers::default());
        let count = answer.stock(SIZE)[0].count.unwrap();
        assert_eq!(
            (count.value, count.qualifier),
            (2, CountQualifier::CappedByRequest)
        );
    }

    #[test]
    fn sizes_are_offered_restricted_or_not_sold() {
        assert_eq!(on_demand(&region(Some(sku()))), StockState::Offered);
        assert_eq!(on_demand(&region(None)), StockState::NotOffered);
        let blocked = AzureSku {
            is_blocked: true,
            ..sku()
        };
        assert_eq!(on_demand(&region(Some(blocked))), StockState::Blocked);
        let in_zone = AzureSku {
            blocked_zones: BTreeSet::from(["2".to_owned()]),
            ..sku()
        };
        let answer = answer(&region(Some(in_zone)), &SpotAnswers::default());
        let records = answer.stock(SIZE);
        let zones: Vec<_> = records
            .iter()
            .filter(|record| record.capacity == CapacityType::OnDemand)
            .map(|record| (record.place.zone.as_deref(), record.state))
            .collect();
        let wanted = [
            (None, StockState::Offered),
            (Some("2"), StockState::Blocked),
        ];
        assert_eq!(zones, wanted);
        // Nothing is known without any answer.
        let unknown = RegionAnswers {
            skus: None,
            ..region(None)
        };
        assert_eq!(states(&unknown, &SpotAnswers::default()), [None, None]);
        let no_spot = AzureSku {
            sells_spot: false,
            ..sku()
        };
        let states = states(&region(Some(no_spot)), &SpotAnswers::default());
        assert_eq!(
            states,
            [Some(StockState::Offered), Some(StockState::NotOffered)]
        );
    }

    #[test]
    fn every_pool_needs_room_for_all_machines() {
        // Four machines have 384 vCPUs.
        let family = |left| pool("Standard NDSH100v5 Family", left + 96.0, 96.0);
        let cores = |left| pool("cores", left, 0.0);
        let spot = |left| pool("lowPriorityCores", left, 0.0);
        let (offered, blocked) = (Some(StockState::Offered), Some(StockState::Blocked));
        for (pools, wanted) in [
            (
                vec![family(384.0), cores(384.0), spot(384.0)],
                [offered, offered],
            ),
            (
                vec![family(383.0), cores(384.0), spot(384.0)],
                [blocked, offered],
            ),
            (
                vec![family(384.0), cores(383.0), spot(384.0)],
                [blocked, offered],
            ),
            (
                vec![family(384.0), cores(384.0), spot(383.0)],
                [offered, blocked],
            ),
            // A missing pool is unknown.
            (vec![cores(384.0)], [offered, offered]),
        ] {
            let answers = with_pools(pools.clone());
            assert_eq!(
                states(&answers, &SpotAnswers::default()),
                wanted,
                "{pools:?}"
            );
        }
        let answer = answer(&with_pools(vec![family(384.0)]), &SpotAnswers::default());
        let [quota] = answer.quotas(SIZE) else {
            panic!("{answer:?}")
        };
        assert_eq!((quota.unit, quota.left()), (QuotaUnit::Vcpus, Some(384.0)));
    }

    #[test]
    fn a_quota_takes_precedence_over_stock() {
        let answers = RegionAnswers {
            usages: with_pools(vec![pool("cores", 10.0, 0.0)]).usages,
            ..with_limit(limit(4, LimitReason::None))
        };
        assert_eq!(on_demand(&answers), StockState::Blocked);
    }

    #[test]
    fn spot_scores_are_bands_and_not_stock() {
        let answers = region(Some(sku()));
        for (word, has_quota, state, band) in [
            (
                "High",
                Some(true),
                StockState::Offered,
                Some(LikelihoodBand::High),
            ),
            (
                "Low",
                Some(true),
                StockState::Offered,
                Some(LikelihoodBand::Low),
            ),
            (
                "High",
                Some(false),
                StockState::Blocked,
                Some(LikelihoodBand::High),
            ),
            (
                "RestrictedSkuNotAvailable",
                Some(true),
                StockState::Blocked,
                None,
            ),
            ("DataNotFoundOrStale", Some(true), StockState::Offered, None),
        ] {
            let place = ("eastus".to_owned(), normalized(SIZE));
            let score = super::super::answers::AzureSpotScore {
                score: Some(word.to_owned()),
                has_quota,
            };
            let spot = SpotAnswers {
                evictions: HashMap::from([(place.clone(), "5-10%".to_owned())]),
                scores: HashMap::from([(place, score)]),
            };
            let answer = answer(&answers, &spot);
            let mut records = answer.stock(SIZE).iter();
            let record = records.find(|record| record.capacity == CapacityType::Spot);
            let record = record.unwrap();
            let found = record.likelihood.as_ref().and_then(|found| found.band);
            assert_eq!((record.state, found), (state, band), "{word}");
            assert_eq!(record.risk.as_ref().unwrap().rate, "5-10%");
            // Machines on demand are not evicted.
            let mut records = answer.stock(SIZE).iter();
            let record = records.find(|record| record.capacity == CapacityType::OnDemand);
            assert!(record.unwrap().risk.is_none());
        }
    }
}
