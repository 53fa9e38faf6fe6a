//! The query to a provider, built from the requested accelerators.

use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::{AcceleratorId, Catalog, ProviderId};
use sky_accel_core::money::Count;
use sky_accel_core::resolve::CapacityFilter;
use sky_accel_providers::{Counts, Hardware, Interest, Places, Query, QuotaCode};

use crate::request::LiveRequest;

/// An owned [`Query`].
pub(crate) struct ProviderQuestion {
    pub accelerators: Vec<AcceleratorId>,
    names: Vec<String>,
    ids: Vec<String>,
    regions: Vec<String>,
    counts: Counts,
    places: Option<Places>,
    on_demand: bool,
    spot: bool,
    disk_gb: f64,
    machines: u32,
    stock: bool,
    credentials_only: bool,
    spot_scores: bool,
    capacity_block_hours: Option<u32>,
    check_quota: bool,
}

/// Builds the query to one provider, wide enough for every choice of every spec.
pub(crate) fn of(
    catalog: &Catalog<'_>,
    provider: ProviderId,
    wanted: &[&BoundChoice],
    request: &LiveRequest,
) -> ProviderQuestion {
    let mut accelerators: Vec<AcceleratorId> = wanted
        .iter()
        .flat_map(|w| w.candidates.iter().map(|c| c.accelerator))
        .collect();
    accelerators.sort_unstable();
    accelerators.dedup();
    let listed = catalog.offers.iter().filter(|offer| {
        let may_be = catalog.accelerators(offer.accelerators);
        offer.provider == provider
            && may_be
                .iter()
                .any(|id| accelerators.binary_search(&id).is_ok())
    });
    let mut ids: Vec<String> = listed
        .map(|offer| catalog.str(offer.id).to_owned())
        .collect();
    ids.sort_unstable();
    ids.dedup();
    let places = (!request.regions.is_empty() && !request.widely).then(|| Places {
        patterns: request.regions.clone(),
        countries: catalog
            .regions
            .iter()
            .filter(|region| region.provider == provider)
            .map(|region| {
                (
                    catalog.str(region.id).to_owned(),
                    catalog.str(region.country).to_owned(),
                )
            })
            .collect(),
    });
    let regions = catalog.regions.iter();
    let regions = regions.filter(|region| region.provider == provider);
    let regions = regions.map(|region| catalog.str(region.id).to_owned());
    let names = accelerators
        .iter()
        .map(|id| catalog.accelerator_id(*id).to_owned());
    ProviderQuestion {
        names: names.collect(),
        accelerators,
        ids,
        regions: regions.collect(),
        counts: if request.widely {
            Counts {
                min: 0.0,
                max: None,
            }
        } else {
            counts(wanted, request.at_least)
        },
        places,
        on_demand: request.capacity_filter != CapacityFilter::Spot,
        spot: request.capacity_filter != CapacityFilter::OnDemand,
        disk_gb: request.disk_gb,
        machines: request.machines,
        stock: request.stock,
        credentials_only: request.credentials_only,
        spot_scores: request.spot_scores,
        capacity_block_hours: request.capacity_block_hours,
        check_quota: request.check_quota,
    }
}

/// Returns the smallest range that contains every count that may match.
fn counts(wanted: &[&BoundChoice], at_least: bool) -> Counts {
    let mut range: Option<(Count, Option<Count>)> = None;
    let mut widen = |min: Count, max: Option<Count>| {
        range = Some(match range {
            None => (min, max),
            Some((low, high)) => (low.min(min), high.zip(max).map(|(a, b)| a.max(b))),
        });
    };
    for wanted in wanted {
        for candidate in &wanted.candidates {
            let count = wanted.count_for(*candidate);
            widen(count.min, count.max.filter(|_| !at_least));
        }
        // A ready-made MIG slice is sold as a device, so there may be as many devices as slices.
        if let Some(list) = &wanted.mig {
            let slices = list.slices.iter().map(|slice| slice.count).sum();
            widen(Count::whole(slices), None);
        }
    }
    let (min, max) = range.unwrap_or((Count::ONE, None));
    Counts {
        min: min.decimal(),
        max: max.map(Count::decimal),
    }
}

impl ProviderQuestion {
    pub(crate) fn query<'q>(
        &'q self,
        interest: &'q dyn Fn(&str, Option<&Hardware>) -> Interest,
        quota: &'q QuotaCode<'q>,
    ) -> Query<'q> {
        Query {
            ids: &self.ids,
            regions: &self.regions,
            accelerators: &self.names,
            interest,
            counts: self.counts,
            places: self.places.as_ref(),
            on_demand: self.on_demand,
            spot: self.spot,
            disk_gb: self.disk_gb,
            machines: self.machines,
            stock: self.stock,
            credentials_only: self.credentials_only,
            spot_scores: self.spot_scores,
            capacity_block_hours: self.capacity_block_hours,
            quota: self.check_quota.then_some(quota),
        }
    }
}
