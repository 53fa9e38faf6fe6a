//! Parses the answers. No I/O.

use std::collections::{HashMap, HashSet};

use prost::Message;
use prost::bytes::Bytes;
use sky_accel_core::catalog::CapacityType;

use crate::budget::count_row;
use crate::error::{ErrorKind, ProviderError};
use crate::grpc;
use crate::obtainability::{
    CountQualifier, Likelihood, LikelihoodBand, LikelihoodScale, Obtainability, StockCount,
    StockPlace, StockState, StockUnit,
};
use crate::offer::{Hardware, Offer, Price, Quota, QuotaUnit, RegionList, Tally};
use crate::offer_list::OfferList;
use crate::query::Query;

use super::messages::{
    Advice, Allowance, AllowanceState, CapacityLevel, CapacityReport, DataState, EstimateAnswer,
    ListPage, Tenant, UsageState,
};

/// The id of Nebius in the catalog.
pub(super) const ID: &str = "nebius";

const SOURCE: &str = "capacity advisor";

/// The longest name, region or id in bytes. A row with a longer text is left out.
const MAX_TEXT: usize = 128;

/// Reads the message in the body of an answer.
pub(super) fn message<M: Message + Default>(body: &[u8]) -> Result<M, ProviderError> {
    let message = grpc::message(body).and_then(|message| M::decode(message).ok());
    message.ok_or_else(|| {
        ProviderError::new(
            ID,
            ErrorKind::Protocol,
            "the answer is not a message of its API",
        )
    })
}

/// Reads rows, which count against the budget; `None` for a row that cannot be read.
fn rows<R: Message + Default>(items: &[Bytes]) -> Result<Vec<Option<R>>, ProviderError> {
    let rows = items.iter().enumerate().map(|(index, item)| {
        count_row(index + 1)?;
        Ok(R::decode(item.clone()).ok())
    });
    let rows: Result<_, crate::budget::EndedEarly> = rows.collect();
    rows.map_err(|error| ProviderError::new(ID, ErrorKind::Protocol, error.to_string()))
}

/// Returns the ids of the tenants on a page.
pub(super) fn tenants(page: &ListPage) -> Result<Vec<String>, ProviderError> {
    let tenants = rows::<Tenant>(&page.items)?;
    let ids = tenants.into_iter().flatten();
    Ok(ids.filter_map(|tenant| text(tenant.metadata?.id)).collect())
}

/// Returns a text that is neither empty nor too long.
fn text(text: String) -> Option<String> {
    (!text.is_empty() && text.len() <= MAX_TEXT).then_some(text)
}

/// The quotas of a tenant, by their names.
pub(super) type QuotasByName = HashMap<String, Vec<Quota>>;

/// Reads the quotas of machines.
pub(super) fn quotas(items: &[Bytes]) -> Result<QuotasByName, ProviderError> {
    let rows = rows::<Allowance>(items)?;
    if !rows.is_empty() && rows.iter().all(Option::is_none) {
        return Err(ProviderError::unreadable(ID, rows.len()));
    }
    let mut quotas = QuotasByName::new();
    for (name, quota) in rows.into_iter().flatten().filter_map(quota) {
        quotas.entry(name).or_default().push(quota);
    }
    Ok(quotas)
}

/// Reads a quota of machines with its name; `None` for another quota, or for a quota whose limit is unknown.
fn quota(row: Allowance) -> Option<(String, Quota)> {
    let (name, spec, status) = (text(row.metadata?.name)?, row.spec?, row.status?);
    let (capacity, unit) = match name.as_str() {
        MACHINES => (CapacityType::OnDemand, QuotaUnit::Machines),
        PREEMPTIBLE_MACHINES => (CapacityType::Spot, QuotaUnit::Machines),
        _ if name.starts_with(GPUS) => (CapacityType::OnDemand, QuotaUnit::Accelerators),
        _ => return None,
    };
    let limit = match status.state() {
        AllowanceState::Deleted => return None,
        AllowanceState::Frozen => 0,
        _ => spec.limit?,
    };
    let is_used = !matches!(
        status.usage_state(),
        UsageState::Unknown | UsageState::NotApplicable
    );
    let quota = Quota {
        region: Some(text(spec.region)?),
        capacity,
        code: name.clone(),
        name: None,
        unit,
        limit: Some(limit as f64),
        used: is_used.then_some(status.usage as f64),
        is_adjustable: None,
    };
    Some((name, quota))
}

/// The quota of all machines together.
const MACHINES: &str = "compute.instance.count";
/// The quota of preemptible machines, which do not count against the GPU quotas.
const PREEMPTIBLE_MACHINES: &str = "compute.instance.preemptible.count";
/// The start of the names of quotas of GPUs: the model follows, which is the second part of the platform's name.
const GPUS: &str = "compute.instance.gpu.";

/// Returns an offer for each type of machines with GPUs. The answer has no prices.
pub(super) fn offers(
    query: &Query<'_>,
    items: &[Bytes],
    quotas: &QuotasByName,
) -> Result<(Vec<Offer>, Tally), ProviderError> {
    let mut list = OfferList::unpriced();
    for row in rows::<Advice>(items)? {
        list.add(query, row.and_then(offer));
    }
    let (mut offers, dropped) = list.done(ID)?;
    for offer in &mut offers {
        let sold_in: HashSet<_> = offer.regions.iter().map(|region| &region.id).collect();
        let mut quotas = quotas_of(&offer.id, quotas);
        // A quota of another region would say that the machines may be had there.
        quotas.retain(|quota| quota.region.as_ref().is_none_or(|id| sold_in.contains(id)));
        offer.quotas = quotas;
    }
    Ok((offers, dropped))
}

/// Returns the quotas that machines of a type count against.
fn quotas_of(id: &str, quotas: &QuotasByName) -> Vec<Quota> {
    let model = id.split(['-', '_']).nth(1).unwrap_or_default();
    let names = [MACHINES, PREEMPTIBLE_MACHINES, &format!("{GPUS}{model}")];
    let of_type = names.iter().filter_map(|name| quotas.get(*name)).flatten();
    // Machines of both kinds count against the quota of machines.
    let of_all = quotas.get(MACHINES).into_iter().flatten();
    let of_spot = of_all.map(|quota| Quota {
        capacity: CapacityType::Spot,
        ..quota.clone()
    });
    of_type.cloned().chain(of_spot).collect()
}

/// Reads the capacity of a type in a fabric; `None` if the type or the region is missing.
fn offer(row: Advice) -> Option<Offer> {
    let (spec, status) = (row.spec?, row.status.unwrap_or_default());
    let machine = spec.machine?;
    let preset = machine.preset?;
    let (platform, preset_name) = (text(machine.platform)?, text(preset.name)?);
    let resources = preset.resources?;
    let place = place(text(spec.region)?, text(spec.fabric));
    let mut regions = RegionList::default();
    regions.add(place.region.as_deref().unwrap_or_default(), None);
    let ways = [
        (CapacityType::OnDemand, status.on_demand),
        (CapacityType::Spot, status.preemptible),
    ];
    let obtainability = ways.map(|(way, capacity)| Obtainability {
        place: place.clone(),
        ..record(way, capacity)
    });
    let positive = |amount: i32| (amount > 0).then(|| f64::from(amount));
    Some(Offer {
        id: format!("{platform}_{preset_name}"),
        hardware: Some(Hardware {
            name: device(&platform).to_owned(),
            memory_gb: positive(machine.gpu_memory_gb),
            ..Hardware::default()
        }),
        count: Some(f64::from(resources.gpus.max(0))),
        vcpu: positive(resources.vcpu),
        host_memory_gib: positive(resources.memory_gib),
        regions: regions.done(),
        obtainability: obtainability.into(),
        ..Offer::default()
    })
}

/// Returns the name of the device of a platform: `h200-sxm` of `gpu-h200-sxm`, `l40s` of `gpu-l40s-a`.
fn device(platform: &str) -> &str {
    let device = platform.strip_prefix("gpu-").unwrap_or(platform);
    match device.rsplit_once('-') {
        Some((device, variant)) if variant.len() == 1 => device,
        _ => device,
    }
}

/// Returns the place of a row. The advisor names some regions with a location, as in `us-central1-b`, for which the
/// other services have no name.
fn place(name: String, fabric: Option<String>) -> StockPlace {
    let region = match name.rsplit_once('-') {
        Some((region, location)) if location.len() == 1 => Some(region.to_owned()),
        _ => None,
    };
    let (region, zone) = match region {
        Some(region) => (region, Some(name)),
        None => (name, None),
    };
    StockPlace {
        zone,
        region: Some(region),
        site: fabric,
    }
}

/// Returns the state of machines that are bought in a way. The level decides; without a machine to launch, there is no
/// stock, whatever the level is.
fn record(way: CapacityType, capacity: Option<CapacityReport>) -> Obtainability {
    let record = Obtainability {
        is_account_specific: true,
        ..Obtainability::new(way, 1, SOURCE)
    };
    let Some(capacity) = capacity else {
        return Obtainability {
            state: StockState::NotOffered,
            ..record
        };
    };
    let measured_at = capacity.effective_at.map(|at| at.seconds);
    let level = match capacity.data_state() {
        DataState::Unknown => CapacityLevel::Unknown,
        _ => capacity.level(),
    };
    let has_machines = capacity.available > 0;
    let (state, likelihood) = match level {
        CapacityLevel::Unspecified | CapacityLevel::Unknown => (StockState::Unknown, None),
        CapacityLevel::LimitReached => (StockState::Blocked, None),
        _ if !has_machines => (StockState::Unavailable, None),
        CapacityLevel::High => (StockState::Available, Some(("high", LikelihoodBand::High))),
        CapacityLevel::Medium => (
            StockState::Available,
            Some(("medium", LikelihoodBand::Medium)),
        ),
        CapacityLevel::Low => (StockState::Limited, Some(("low", LikelihoodBand::Low))),
    };
    Obtainability {
        state,
        // The number of machines of this type, and not of GPUs: it is an eighth for machines with eight.
        count: likelihood.map(|_| StockCount {
            value: capacity.available,
            qualifier: CountQualifier::CappedByQuota,
            unit: StockUnit::Machines,
        }),
        likelihood: likelihood.map(|(value, band)| Likelihood {
            value: value.to_owned(),
            scale: LikelihoodScale::NebiusLevel,
            band: Some(band),
        }),
        measured_at,
        ..record
    }
}

/// Returns the price of an hour of a machine in USD.
pub(super) fn price(way: CapacityType, answer: &EstimateAnswer) -> Option<Price> {
    let total = answer.hourly.as_ref()?.general.as_ref()?.total.as_ref()?;
    let usd: f64 = total.cost.trim().parse().ok()?;
    (usd.is_finite() && usd > 0.0).then(|| Price::new(way, usd))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nebius::messages::{
        AdviceSpec, AdviceStatus, AllowanceSpec, AllowanceStatus, CostBreakdown, GroupCost,
        MachineDetails, Metadata, Preset, PresetResources, Timestamp, TotalCost,
    };
    use crate::query::Counts;

    fn everything() -> Query<'static> {
        Query::everything(Counts {
            min: 1.0,
            max: None,
        })
    }

    fn capacity(level: CapacityLevel, available: u32) -> CapacityReport {
        CapacityReport {
            data_state: DataState::Fresh as i32,
            available,
            level: level as i32,
            effective_at: Some(Timestamp { seconds: 7 }),
        }
    }

    fn advice(
        platform: &str,
        region: &str,
        fabric: &str,
        on_demand: Option<CapacityReport>,
    ) -> Bytes {
        let resources = PresetResources {
            vcpu: 128,
            memory_gib: 1600,
            gpus: 8,
        };
        let preset = Preset {
            name: "8gpu-128vcpu-1600gb".to_owned(),
            resources: Some(resources),
        };
        let row = Advice {
            spec: Some(AdviceSpec {
                region: region.to_owned(),
                fabric: fabric.to_owned(),
                machine: Some(MachineDetails {
                    platform: platform.to_owned(),
                    preset: Some(preset),
                    gpu_memory_gb: 80,
                }),
            }),
            status: Some(AdviceStatus {
                on_demand,
                preemptible: None,
            }),
        };
        row.encode_to_vec().into()
    }

    /// The state, the number of machines and the likelihood.
    fn outcome(capacity: Option<CapacityReport>) -> (StockState, Option<u32>, Option<String>) {
        let record = record(CapacityType::OnDemand, capacity);
        let count = record.count.map(|count| count.value);
        (record.state, count, record.likelihood.map(|of| of.value))
    }

    #[test]
    fn the_level_decides_unless_no_machine_is_left() {
        use CapacityLevel::{High, LimitReached, Low, Medium, Unknown, Unspecified};
        let with =
            |state, count, likelihood: &str| (state, Some(count), Some(likelihood.to_owned()));
        let without = |state| (state, None, None);
        for (level, available, expected) in [
            (High, 9, with(StockState::Available, 9, "high")),
            (Medium, 2, with(StockState::Available, 2, "medium")),
            (Low, 16, with(StockState::Limited, 16, "low")),
            (Low, 0, without(StockState::Unavailable)),
            (High, 0, without(StockState::Unavailable)),
            (LimitReached, 0, without(StockState::Blocked)),
            (Unknown, 0, without(StockState::Unknown)),
            (Unspecified, 3, without(StockState::Unknown)),
        ] {
            assert_eq!(
                outcome(Some(capacity(level, available))),
                expected,
                "{level:?} {available}"
            );
        }
        assert_eq!(outcome(None), without(StockState::NotOffered));
        let unread = CapacityReport {
            data_state: DataState::Unknown as i32,
            ..capacity(High, 9)
        };
        assert_eq!(outcome(Some(unread)), without(StockState::Unknown));
        let stale = CapacityReport {
            data_state: DataState::Stale as i32,
            ..capacity(High, 9)
        };
        assert_eq!(outcome(Some(stale)), with(StockState::Available, 9, "high"));
    }

    #[test]
    fn an_offer_has_a_record_for_each_fabric() {
        let machine = advice(
            "gpu-h100-sxm",
            "us-central1-b",
            "fabric-2",
            Some(capacity(CapacityLevel::High, 9)),
        );
        let other = advice("gpu-h100-sxm", "us-central1-b", "fabric-3", None);
        let odd = Bytes::from_static(b"\xff");
        let (offers, dropped) =
            offers(&everything(), &[machine, other, odd], &QuotasByName::new()).unwrap();
        let [offer] = &offers[..] else {
            panic!("{offers:?}")
        };
        assert_eq!(offer.id, "gpu-h100-sxm_8gpu-128vcpu-1600gb");
        assert_eq!(offer.regions[0].id, "us-central1");
        assert_eq!((offer.count, offer.vcpu), (Some(8.0), Some(128.0)));
        let places = offer.obtainability.iter().map(|record| {
            let place = &record.place;
            let zone = place.zone.as_deref().unwrap_or_default();
            (record.capacity, zone, place.site.as_deref(), record.state)
        });
        let (on_demand, spot) = (CapacityType::OnDemand, CapacityType::Spot);
        let zone = "us-central1-b";
        assert_eq!(
            places.collect::<Vec<_>>(),
            [
                (on_demand, zone, Some("fabric-2"), StockState::Available),
                (spot, zone, Some("fabric-2"), StockState::NotOffered),
                (on_demand, zone, Some("fabric-3"), StockState::NotOffered),
                (spot, zone, Some("fabric-3"), StockState::NotOffered),
            ]
        );
        assert_eq!(offer.obtainability[0].measured_at, Some(7));
        assert_eq!(dropped.because(crate::offer::DroppedBecause::Unreadable), 1);
        assert_eq!(dropped.because(crate::offer::DroppedBecause::NoPrice), 0);
    }

    #[test]
    fn lists_without_a_readable_row_are_errors() {
        let odd = || Bytes::from_static(b"\xff");
        let none = QuotasByName::new();
        let kind = |error: ProviderError| error.kind;
        let unread = offers(&everything(), &[odd()], &none).map_err(kind);
        assert_eq!(unread.unwrap_err(), ErrorKind::Protocol);
        let empty = offers(&everything(), &[], &none).map_err(kind);
        assert_eq!(empty.unwrap_err(), ErrorKind::Protocol);
        assert_eq!(
            quotas(&[odd()]).map_err(kind).unwrap_err(),
            ErrorKind::Protocol
        );
        // Tenants on default limits have no quota rows.
        assert!(quotas(&[]).unwrap().is_empty());
        let many = vec![Bytes::new(); crate::budget::MAX_LIST_ROWS + 1];
        assert!(quotas(&many).is_err());
    }

    fn allowance(name: &str, limit: Option<u64>, status: AllowanceStatus) -> Bytes {
        let row = Allowance {
            metadata: Some(Metadata {
                name: name.to_owned(),
                ..Metadata::default()
            }),
            spec: Some(AllowanceSpec {
                limit,
                region: "eu-north1".to_owned(),
            }),
            status: Some(status),
        };
        row.encode_to_vec().into()
    }

    #[test]
    fn machines_count_against_the_quotas_of_their_kind() {
        let status = |usage, state: AllowanceState, usage_state: UsageState| AllowanceStatus {
            state: state as i32,
            usage,
            usage_state: usage_state as i32,
        };
        let active = |usage| status(usage, AllowanceState::Active, UsageState::Used);
        let quotas = quotas(&[
            allowance("compute.instance.gpu.h100", Some(32), active(11)),
            allowance("compute.instance.gpu.h200", Some(8), active(0)),
            allowance("compute.instance.count", Some(50), active(4)),
            allowance("compute.instance.preemptible.count", Some(6), active(2)),
            allowance("compute.instance.non-gpu.vcpu", Some(6), active(2)),
        ]);
        let of_h100 = quotas_of("gpu-h100-sxm_8gpu-128vcpu-1600gb", &quotas.unwrap());
        let facts: Vec<_> = of_h100
            .iter()
            .map(|quota| (&*quota.code, quota.capacity, quota.unit, quota.left()))
            .collect();
        let (on_demand, spot) = (CapacityType::OnDemand, CapacityType::Spot);
        let machines = QuotaUnit::Machines;
        assert_eq!(
            facts,
            [
                (MACHINES, on_demand, machines, Some(46.0)),
                (PREEMPTIBLE_MACHINES, spot, machines, Some(4.0)),
                (
                    "compute.instance.gpu.h100",
                    on_demand,
                    QuotaUnit::Accelerators,
                    Some(21.0)
                ),
                (MACHINES, spot, machines, Some(46.0)),
            ]
        );
        let one = |limit, status| {
            let quotas = super::quotas(&[allowance(MACHINES, limit, status)]).unwrap();
            let quota = quotas.get(MACHINES)?.first()?.clone();
            Some((quota.limit, quota.used))
        };
        // A missing limit means the default, which the answer does not contain.
        assert_eq!(one(None, active(2)), None);
        let frozen = status(2, AllowanceState::Frozen, UsageState::Used);
        assert_eq!(one(Some(5), frozen), Some((Some(0.0), Some(2.0))));
        let unreached = status(0, AllowanceState::Active, UsageState::Unknown);
        assert_eq!(one(Some(5), unreached), Some((Some(5.0), None)));
        assert_eq!(
            one(
                Some(5),
                status(0, AllowanceState::Deleted, UsageState::Used)
            ),
            None
        );
    }

    #[test]
    fn devices_are_named_by_their_platform() {
        for (platform, name) in [
            ("gpu-h200-sxm", "h200-sxm"),
            ("gpu-l40s-a", "l40s"),
            ("gpu-rtx6000", "rtx6000"),
            ("cpu-e2", "cpu-e2"),
        ] {
            assert_eq!(device(platform), name);
        }
    }

    #[test]
    fn prices_are_positive_amounts() {
        let usd = |cost: &str| {
            let total = CostBreakdown {
                cost: cost.to_owned(),
            };
            let general = TotalCost { total: Some(total) };
            let hourly = GroupCost {
                general: Some(general),
            };
            let answer = EstimateAnswer {
                hourly: Some(hourly),
            };
            price(CapacityType::Spot, &answer).map(|price| price.per_hour)
        };
        assert_eq!(usd("2.1500"), Some(2.15));
        for bad in ["", "0", "-1", "inf", "free"] {
            assert_eq!(usd(bad), None, "{bad}");
        }
        assert!(price(CapacityType::Spot, &EstimateAnswer::default()).is_none());
    }
}
