//! Joins the answers for a region to stock and limits of its shapes. No I/O.

use std::collections::BTreeMap;

use sky_accel_core::catalog::CapacityType;

use crate::obtainability::{CountQualifier, Obtainability, StockCount, StockState, StockUnit};
use crate::offer::{Quota, QuotaUnit};
use crate::public::account::AccountAnswer;

use super::answers::{LimitNames, OciLimit, OciStatus, OciStock};

const REPORT: &str = "compute capacity report";
const LIMITS: &str = "service limits";

/// A shape with its number of GPUs.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub(super) struct OciShapeSize {
    pub id: String,
    pub gpus: f64,
}

/// The answers for a region.
#[derive(Debug, Default)]
pub(super) struct RegionAnswers {
    pub region: String,
    /// The stock by availability domain and shape; `None` if it is missing.
    pub stock: Vec<(String, Option<BTreeMap<String, OciStock>>)>,
    pub names: LimitNames,
    /// The limits by name.
    pub limits: BTreeMap<String, Vec<OciLimit>>,
}

/// Adds the stock and the limits of the shapes of a region.
pub(super) fn add(
    answer: &mut AccountAnswer,
    answers: &RegionAnswers,
    shapes: &[OciShapeSize],
    machines: u32,
) {
    for shape in shapes {
        let limits = answers.of_shape(&shape.id);
        for (name, limits) in &limits {
            // Each domain has its own limit, and machines may be in any of them.
            let left = |limit: &&OciLimit| limit.left.unwrap_or(limit.value);
            let most = limits.iter().max_by(|a, b| left(a).total_cmp(&left(b)));
            if let Some(limit) = most {
                answer.add_quota(&shape.id, quota(name, limit, &answers.region));
            }
        }
        let needed = shape.gpus * f64::from(machines);
        for (domain, stock) in &answers.stock {
            let here = limits.iter().flat_map(|(_, limits)| *limits);
            let here = here.filter(|limit| {
                let of_limit = limit.domain.as_ref();
                of_limit.is_none_or(|of_limit| of_limit == domain)
            });
            let has_room = here
                .map(|limit| limit.left.is_none_or(|left| left >= needed))
                .min();
            let told = stock.as_ref().and_then(|stock| stock.get(&shape.id));
            if let Some(mut record) = record(told, has_room, machines) {
                record.place.region = Some(answers.region.clone());
                record.place.zone = Some(domain.clone());
                answer.add_stock(&shape.id, record);
            }
        }
    }
}

impl RegionAnswers {
    /// Returns the limits that a shape counts against. A missing limit is not unlimited.
    fn of_shape<'a>(&'a self, shape: &str) -> Vec<(&'a str, &'a [OciLimit])> {
        let names = self.names.get(shape).into_iter().flatten();
        let limits = names.filter_map(|name| {
            let limits = self.limits.get(name)?;
            Some((name.as_str(), limits.as_slice()))
        });
        limits.collect()
    }
}

fn quota(name: &str, limit: &OciLimit, region: &str) -> Quota {
    // A quota of the compartment may leave less than the limit of the tenancy.
    let effective = limit.used.zip(limit.left).map(|(used, left)| used + left);
    let of_domain = limit.domain.as_ref();
    Quota {
        region: Some(region.to_owned()),
        capacity: CapacityType::OnDemand,
        code: name.to_owned(),
        name: of_domain.map(|domain| format!("{name} in {domain}")),
        unit: QuotaUnit::Accelerators,
        limit: Some(effective.unwrap_or(limit.value)),
        used: limit.used,
        is_adjustable: None,
    }
}

/// Returns the answer for a shape in a domain from its report, and from the room that its limits leave, if they are
/// known; `None` if nothing is known.
fn record(told: Option<&OciStock>, has_room: Option<bool>, machines: u32) -> Option<Obtainability> {
    let is_blocked = has_room == Some(false);
    let source = if told.is_some() { REPORT } else { LIMITS };
    // A report without a count is for one machine.
    let is_counted = told.is_none_or(|stock| stock.count.is_some() || is_blocked);
    let machines = if is_counted { machines } else { 1 };
    let record = Obtainability::new(CapacityType::OnDemand, machines, source);
    let Some(stock) = told else {
        // A domain with room keeps its region open if another domain has none.
        let state = if has_room? {
            StockState::Unknown
        } else {
            StockState::Blocked
        };
        return Some(Obtainability { state, ..record });
    };
    let state = match (stock.status, stock.count) {
        (OciStatus::NotSupported, _) => StockState::NotOffered,
        _ if is_blocked => StockState::Blocked,
        (OciStatus::OutOfCapacity, _) | (OciStatus::Available, Some(0)) => StockState::Unavailable,
        (OciStatus::Available, Some(count)) if count < machines => StockState::Limited,
        (OciStatus::Available, _) => StockState::Available,
        (OciStatus::Unknown, _) => StockState::Unknown,
    };
    let is_count = state != StockState::NotOffered;
    let count = stock.count.filter(|_| is_count).map(|value| StockCount {
        value,
        qualifier: CountQualifier::Exact,
        unit: StockUnit::Machines,
    });
    Some(Obtainability {
        state,
        count,
        measured_at: stock.measured_at,
        ..record
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: &str = "BM.GPU.H100.8";
    const DOMAIN: &str = "Uocm:PHX-AD-1";

    fn stock(status: OciStatus, count: Option<u32>) -> RegionAnswers {
        let stock = OciStock {
            status,
            count,
            measured_at: Some(7),
        };
        let stock = BTreeMap::from([(SHAPE.to_owned(), stock)]);
        RegionAnswers {
            region: "us-phoenix-1".to_owned(),
            stock: vec![(DOMAIN.to_owned(), Some(stock))],
            ..RegionAnswers::default()
        }
    }

    fn with_limits(limits: Vec<OciLimit>) -> RegionAnswers {
        let name = "gpu-h100-count".to_owned();
        RegionAnswers {
            names: LimitNames::from([(SHAPE.to_owned(), vec![name.clone()])]),
            limits: BTreeMap::from([(name, limits)]),
            ..stock(OciStatus::Available, Some(9))
        }
    }

    fn limit(domain: Option<&str>, left: Option<f64>) -> OciLimit {
        OciLimit {
            domain: domain.map(str::to_owned),
            value: 64.0,
            used: Some(16.0),
            left,
        }
    }

    /// The answer for four machines.
    fn answer(answers: &RegionAnswers) -> AccountAnswer {
        let shapes = [OciShapeSize {
            id: SHAPE.to_owned(),
            gpus: 8.0,
        }];
        let mut answer = AccountAnswer::default();
        add(&mut answer, answers, &shapes, 4);
        answer
    }

    #[test]
    fn the_count_is_compared_with_the_requested_machines() {
        use OciStatus::{Available, NotSupported, OutOfCapacity, Unknown};
        for (status, count, wanted) in [
            (Available, Some(4), StockState::Available),
            (Available, Some(3), StockState::Limited),
            (Available, Some(0), StockState::Unavailable),
            (Available, None, StockState::Available),
            (OutOfCapacity, None, StockState::Unavailable),
            (NotSupported, None, StockState::NotOffered),
            (Unknown, None, StockState::Unknown),
        ] {
            let answer = answer(&stock(status, count));
            let record = &answer.stock(SHAPE)[0];
            // Without a count, the report is for one machine.
            let machines = if count.is_some() { 4 } else { 1 };
            assert_eq!(
                (record.state, record.machines),
                (wanted, machines),
                "{status:?} {count:?}"
            );
            assert_eq!(record.count.map(|count| count.value), count, "{status:?}");
            assert_eq!(record.place.zone.as_deref(), Some(DOMAIN));
            assert_eq!(record.measured_at, Some(7));
        }
    }

    #[test]
    fn a_limit_without_room_blocks_its_domain() {
        const OTHER: &str = "Uocm:PHX-AD-2";
        let other = Some(OTHER);
        for (limits, wanted) in [
            (vec![limit(Some(DOMAIN), Some(31.0))], StockState::Blocked),
            (vec![limit(Some(DOMAIN), Some(32.0))], StockState::Available),
            (vec![limit(None, Some(0.0))], StockState::Blocked),
            (vec![limit(other, Some(0.0))], StockState::Available),
            // Nothing is known about the use.
            (vec![limit(Some(DOMAIN), None)], StockState::Available),
            (vec![], StockState::Available),
        ] {
            let answer = answer(&with_limits(limits.clone()));
            assert_eq!(answer.stock(SHAPE)[0].state, wanted, "{limits:?}");
        }
        let limits = vec![limit(Some(DOMAIN), Some(8.0)), limit(other, Some(40.0))];
        let without_report = RegionAnswers {
            stock: vec![(DOMAIN.to_owned(), None), (OTHER.to_owned(), None)],
            ..with_limits(limits.clone())
        };
        let states = answer(&without_report);
        let states = states.stock(SHAPE).iter().map(|record| record.state);
        let states: Vec<_> = states.collect();
        assert_eq!(states, [StockState::Blocked, StockState::Unknown]);
        let answer = answer(&with_limits(limits));
        let [quota] = answer.quotas(SHAPE) else {
            panic!("{answer:?}")
        };
        assert_eq!(
            (quota.unit, quota.left()),
            (QuotaUnit::Accelerators, Some(40.0))
        );
        assert_eq!(
            quota.name.as_deref(),
            Some("gpu-h100-count in Uocm:PHX-AD-2")
        );
    }
}
