//! The hardware that a model is sized for.

use std::collections::BTreeSet;

use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::{AcceleratorId, Catalog};
use sky_accel_core::mig::{Chip, Demand};
use sky_accel_core::note::Note;

use crate::code::ErrorCode;
use crate::error::{Error, Result};
use crate::sizing::DevicePart;

/// The form factor of devices that share their memory with the processors.
pub(super) const SHARED_MEMORY: &str = "SoC";
/// The maximum number of machines of a run.
pub(super) const MAX_NODES: u32 = 4096;
/// The maximum number of devices of all machines.
pub(crate) const MAX_DEVICES: u32 = 1 << 17;

/// The hardware of a bound spec that is sized.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SizedHardware {
    pub accelerator: AcceleratorId,
    pub count: u32,
    /// The part of a device that each of them is; `None` for whole devices.
    pub part: Option<DevicePart>,
}

/// The candidate of a bound spec to size: the first, or of several families the candidate that most providers sell, so
/// that `8GB` is a card that people run models on.
fn candidate_to_size(catalog: &Catalog<'_>, wanted: &BoundChoice) -> Option<AcceleratorId> {
    let ids = wanted
        .candidates
        .iter()
        .map(|candidate| candidate.accelerator);
    let first = ids.clone().next()?;
    let family = |id: AcceleratorId| catalog.accelerator(id).family;
    if ids.clone().all(|id| family(id) == family(first)) {
        return Some(first);
    }
    // Of equal numbers, the first candidate counts.
    let providers = |id: &AcceleratorId| {
        let offers = catalog.offers_of(*id).map(|offer| catalog.offer(offer));
        offers
            .map(|offer| offer.provider)
            .collect::<BTreeSet<_>>()
            .len()
    };
    ids.rev().max_by_key(providers)
}

/// The hardware of a bound spec.
pub(crate) fn hardware(
    catalog: &Catalog<'_>,
    wanted: &BoundChoice,
    notes: &mut Vec<Note>,
) -> Result<SizedHardware> {
    let Some(id) = candidate_to_size(catalog, wanted) else {
        return Err(Error::new(
            ErrorCode::Count,
            "the spec matches no accelerator",
        ));
    };
    if let Some(list) = &wanted.mig {
        let geometry = catalog.geometry(&catalog.accelerator(id));
        let demand = geometry.and_then(|geometry| {
            let chip = Chip::new(catalog, geometry);
            let demand = Demand::new(&chip, list)?;
            Some((chip, demand))
        });
        let Some((chip, demand)) = demand else {
            let message = format!("the MIG profiles of {} are unknown", wanted.name);
            return Err(Error::new(ErrorCode::Mig, message));
        };
        let mut kinds = (0..chip.kinds.len()).filter(|kind| demand.counts[*kind] > 0);
        let (Some(kind), None, true) = (kinds.next(), kinds.next(), demand.cuts.is_empty()) else {
            let message = "a model runs on equal slices only: use one MIG profile";
            return Err(Error::new(ErrorCode::Mig, message));
        };
        return Ok(SizedHardware {
            accelerator: id,
            count: demand.counts[kind],
            part: Some(DevicePart::slice(&chip, kind)),
        });
    }
    let devices = wanted.count.min;
    if !devices.is_whole() {
        let share = f64::from(devices.0) / 1000.0;
        if share > 1.0 {
            let message = format!("{} is not an integer number of devices", wanted.spec);
            return Err(Error::new(ErrorCode::Count, message));
        }
        let sold = catalog.offers_of(id).map(|id| catalog.offer(id));
        let mut sold = sold.filter(|offer| offer.count == Some(devices));
        let mib = sold.find_map(|offer| offer.memory_mib);
        return Ok(SizedHardware {
            accelerator: id,
            count: 1,
            part: Some(DevicePart::fraction(catalog, id, share, mib)),
        });
    }
    notes.extend(one_of_several(catalog, wanted, id));
    notes.extend(shared_memory(catalog, wanted, id));
    Ok(SizedHardware {
        accelerator: id,
        count: devices.whole_devices(),
        part: None,
    })
}

/// The remark on the memory that a system on a chip shares with its processors, if the spec also matches other devices;
/// else the spec has it already.
fn shared_memory(catalog: &Catalog<'_>, wanted: &BoundChoice, id: AcceleratorId) -> Option<Note> {
    let accelerator = catalog.accelerator(id);
    let is_shared = catalog.str(accelerator.form_factor) == SHARED_MEMORY;
    if !is_shared || wanted.candidates.len() < 2 {
        return None;
    }
    let text = catalog.text(accelerator.note)?;
    let message = format!("{}: {text}", catalog.accelerator_id(id));
    Some(Note::new("accelerator", message))
}

/// The note that the spec also matches accelerators with different results.
fn one_of_several(catalog: &Catalog<'_>, wanted: &BoundChoice, id: AcceleratorId) -> Option<Note> {
    let first = catalog.accelerator(id);
    let name = catalog.accelerator_id(id);
    let mut ids = wanted
        .candidates
        .iter()
        .map(|candidate| candidate.accelerator);
    if ids
        .clone()
        .any(|other| catalog.accelerator(other).family != first.family)
    {
        let (spec, n) = (&wanted.spec, wanted.candidates.len());
        let message = format!("sized for {name}, one of {n} accelerators that {spec} matches");
        return Some(Note::new("several-accelerators", message));
    }
    let memory = |id| (catalog.accelerator(id).memory_gb.unwrap_or(0.0) * 10.0) as u64;
    let other = catalog.accelerator_id(ids.find(|other| memory(*other) != memory(id))?);
    let message = format!("sized for {name}; {other} has a different memory size");
    Some(Note::new("several-sizes", message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Engine;
    use crate::specs::read_spec;

    #[test]
    fn a_memory_size_is_the_card_that_most_providers_sell() {
        let catalog = Engine::embedded().catalog();
        let sized = |spec: &str| {
            let wanted = &read_spec(&catalog, spec).unwrap()[0];
            let id = candidate_to_size(&catalog, wanted).unwrap();
            (id, wanted.candidates.clone())
        };
        let providers = |id: AcceleratorId| {
            let offers = catalog
                .offers_of(id)
                .map(|offer| catalog.offer(offer).provider);
            offers.collect::<BTreeSet<_>>().len()
        };
        for spec in ["8GB", "24GB", "80GB"] {
            let (id, candidates) = sized(spec);
            let most = candidates
                .iter()
                .map(|other| providers(other.accelerator))
                .max();
            assert_eq!(Some(providers(id)), most, "{spec}");
            assert_ne!(
                id, candidates[0].accelerator,
                "{spec}: the test shows nothing"
            );
        }
        // One family: the first variant, whatever is sold.
        let (id, candidates) = sized("A100:80GB");
        assert_eq!(id, candidates[0].accelerator);
    }
}
