//! Offers, assembled from machine types and the other parts of an answer.

use sky_accel_core::catalog::CapacityType;
use sky_accel_core::text::counted;

use super::advice::{SpotAdvice, SpotHistory};
use super::batch::{Batch, TypePlace};
use super::calendar::{self, ZoneWindow};
use super::quotas::{self, MetricQuota, ProjectQuotas};
use super::types::{GoogleType, region_of};
use crate::cache::Fetched;
use crate::error::{ErrorKind, ProviderError};
use crate::obtainability::{Obtainability, StockPlace, StockState};
use crate::offer::{Offer, Quota, Region};
use crate::query::Query;

const TYPES_SOURCE: &str = "aggregated/machineTypes";

/// The parts of an answer beside the types; `None` if a part was not requested or is missing.
#[derive(Default)]
pub(super) struct Parts {
    pub history: Option<Fetched<Batch<SpotHistory>>>,
    pub advice: Option<Fetched<Batch<SpotAdvice>>>,
    pub calendar: Option<Fetched<Batch<Vec<ZoneWindow>>>>,
    pub regions: Option<Fetched<Batch<Vec<MetricQuota>>>>,
    pub project: ProjectQuotas,
    pub problems: Vec<ProviderError>,
}

impl Parts {
    /// Takes a part, or notes its problem. A part that is not cached is not a problem offline.
    pub(super) fn take<T>(
        &mut self,
        part: Result<Option<Fetched<T>>, ProviderError>,
    ) -> Option<Fetched<T>> {
        match part {
            Ok(Some(mut fetched)) => {
                self.problems.append(&mut fetched.problems);
                Some(fetched)
            }
            Ok(None) => None,
            Err(error) => {
                if !matches!(error.kind, ErrorKind::NotCached | ErrorKind::TooOld) {
                    self.problems.push(error);
                }
                None
            }
        }
    }

    /// Returns remarks on answers that have no figures.
    pub(super) fn remarks(&self, query: &Query<'_>) -> Vec<String> {
        let machines = query.machines.max(1);
        let hours = query.capacity_block_hours.unwrap_or_default();
        let windows = self.calendar.iter().flat_map(|part| &part.value.answers);
        let windows: Vec<_> = windows.collect();
        let is_full = !windows.is_empty() && windows.iter().all(|(_, found)| found.is_empty());
        let full = is_full.then(|| {
            let machines = counted(machines, "machine");
            format!("calendar mode has no reservation of {hours} h for {machines}")
        });
        let history = self.history.as_ref().map(|part| &part.value);
        let unpriced = history
            .filter(|history| history.answers.is_empty() && !history.absent.is_empty())
            .map(|_| "Google has no spot prices of these machine types".to_owned());
        full.into_iter().chain(unpriced).collect()
    }
}

/// Returns the answer for a place.
fn answers<'b, T>(
    part: Option<&'b Fetched<Batch<T>>>,
    type_id: &'b str,
) -> impl Iterator<Item = (&'b TypePlace, &'b T, i64)> {
    part.into_iter().flat_map(move |fetched| {
        let answers = fetched.value.answers.iter();
        let of_type = answers.filter(move |(place, _)| place.type_id == type_id);
        of_type.map(|(place, answer)| (place, answer, fetched.at))
    })
}

/// Returns the offer of a machine type, with everything that the parts have about it.
pub(super) fn offer(query: &Query<'_>, found: &GoogleType, parts: &Parts, at: i64) -> Offer {
    let machines = query.machines.max(1);
    let id = &found.id;
    let is_listed = query.ids.iter().any(|known| known == id);
    let regions = found.regions();
    let region = |id: &&str| Region {
        id: (*id).to_owned(),
        country: None,
    };
    let mut offer = Offer {
        id: id.clone(),
        hardware: found.hardware(),
        // The catalog is more precise: Google does not report shares of a device.
        count: found.count.filter(|_| !is_listed),
        vcpu: found.vcpu,
        host_memory_gib: found.memory_gib,
        host_arch: found.arch.clone(),
        regions: regions.iter().map(region).collect(),
        ..Offer::default()
    };
    if query.on_demand {
        let zones = found.zones.iter();
        let records = zones.filter_map(|zone| offered(zone, machines, at));
        offer.obtainability.extend(records);
    }
    for (place, advice, at) in answers(parts.advice.as_ref(), id) {
        offer
            .obtainability
            .extend(advice.record(place, machines, at));
    }
    for (place, history, at) in answers(parts.history.as_ref(), id) {
        offer.prices.extend(history.price(&place.region, at));
        offer
            .obtainability
            .extend(history.record(place, machines, at));
    }
    for (place, windows, at) in answers(parts.calendar.as_ref(), id) {
        let records = windows.iter();
        let records = records.map(|window| calendar::record(place, window, machines, at));
        offer.obtainability.extend(records);
    }
    if query.quota.is_some()
        && let Some(device) = &found.device
    {
        offer.quotas = quotas_of(query, device, &regions, parts);
    }
    offer
}

/// Returns the quotas of a device in all regions, each once.
fn quotas_of(query: &Query<'_>, device: &str, regions: &[&str], parts: &Parts) -> Vec<Quota> {
    let mut all = Vec::new();
    let capacities = [
        (query.on_demand, CapacityType::OnDemand),
        (query.spot, CapacityType::Spot),
    ];
    let asked = query.places;
    let regions = regions
        .iter()
        .filter(|region| asked.is_none_or(|places| places.include(region, None)));
    for region in regions {
        let mut of_region = answers(parts.regions.as_ref(), "");
        let of_region = of_region.find(|(place, ..)| place.region == **region);
        let of_region = of_region.map_or(&[] as &[MetricQuota], |(_, quotas, _)| quotas);
        for (_, capacity) in capacities.iter().filter(|(is_wanted, _)| *is_wanted) {
            let found = quotas::quotas_of(device, region, of_region, &parts.project, *capacity);
            for quota in found {
                if !all.contains(&quota) {
                    all.push(quota);
                }
            }
        }
    }
    all
}

/// Returns the record that machines are sold in a zone.
fn offered(zone: &str, machines: u32, at: i64) -> Option<Obtainability> {
    Some(Obtainability {
        place: StockPlace {
            region: Some(region_of(zone)?.to_owned()),
            zone: Some(zone.to_owned()),
            site: None,
        },
        state: StockState::Offered,
        is_account_specific: true,
        fetched_at: at,
        ..Obtainability::new(CapacityType::OnDemand, machines, TYPES_SOURCE)
    })
}
