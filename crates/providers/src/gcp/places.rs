//! The machine types, regions and zones to ask for.

use std::collections::BTreeMap;

use super::batch::{MAX_CALLS, TypePlace};
use super::types::{GoogleType, region_of};
use crate::query::{Interest, Query};

/// The places to ask for, at most [`MAX_CALLS`] of each kind.
pub(super) struct Places {
    pub in_regions: Vec<TypePlace>,
    pub in_zones: Vec<TypePlace>,
    pub regions: Vec<TypePlace>,
    /// The numbers of accelerators by machine type.
    pub counts: BTreeMap<String, f64>,
    pub remarks: Vec<String>,
}

impl Places {
    pub(super) fn of(query: &Query<'_>, types: &[GoogleType]) -> Self {
        let mut places = Self {
            in_regions: Vec::new(),
            in_zones: Vec::new(),
            regions: Vec::new(),
            counts: BTreeMap::new(),
            remarks: Vec::new(),
        };
        let is_place = |region: &str| {
            let requested = query.places;
            requested.is_none_or(|places| places.include(region, None))
        };
        for found in types.iter().filter(|found| is_requested(query, found)) {
            let counts = &mut places.counts;
            counts.extend(found.count.map(|count| (found.id.clone(), count)));
            let place = |region: &str, zone: Option<&str>, type_id: &str| TypePlace {
                region: region.to_owned(),
                zone: zone.map(str::to_owned),
                type_id: type_id.to_owned(),
            };
            for region in found
                .regions()
                .into_iter()
                .filter(|region| is_place(region))
            {
                places.in_regions.push(place(region, None, &found.id));
                places.regions.push(place(region, None, ""));
            }
            for zone in &found.zones {
                let region = region_of(zone).filter(|region| is_place(region));
                let region = region.map(|region| place(region, Some(zone), &found.id));
                places.in_zones.extend(region);
            }
        }
        for list in [
            &mut places.in_regions,
            &mut places.in_zones,
            &mut places.regions,
        ] {
            list.sort_unstable();
            list.dedup();
        }
        let zones = places.in_zones.len();
        if zones > MAX_CALLS {
            places.remarks.push(format!(
                "advice was requested for {MAX_CALLS} of {zones} machine types in zones: choose a region for the others"
            ));
        }
        for list in [
            &mut places.in_regions,
            &mut places.in_zones,
            &mut places.regions,
        ] {
            list.truncate(MAX_CALLS);
        }
        places
    }
}

/// Returns true if a type has a requested device, in a requested or unknown number.
fn is_requested(query: &Query<'_>, found: &GoogleType) -> bool {
    let hardware = found.hardware();
    let is_device = (query.interest)(&found.id, hardware.as_ref()) == Interest::Requested;
    let counts = query.counts;
    // Shares of a device are not reported.
    let is_count = found.count.is_none_or(|count| {
        counts.min < 1.0 || count >= counts.min && counts.max.is_none_or(|max| count <= max)
    });
    is_device && is_count
}
