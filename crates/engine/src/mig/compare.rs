//! Compares GPUs for some slices by cost.

use sky_accel_core::catalog::{AcceleratorId, Catalog, Geometry, Offer};
use sky_accel_core::mig::{Chip, ChipProfile, Demand, Fleet};
use sky_accel_core::note::Note;
use sky_accel_core::resolve::{Setback, is_to_cut};
use sky_accel_core::spec::parse_slices;

use super::packing::{PackAnswer, Packed, pack_out};
use super::sizes::{by_size, sizes};
use crate::code::ErrorCode;
use crate::contract::{Envelope, PackOut, PackRequest};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::too_old::no_price_left;

/// Packs the slices onto each kind of GPU that supports them, cheapest first.
pub(super) fn run<'c>(engine: &Engine<'c>, request: &PackRequest) -> Result<PackAnswer<'c>> {
    if request.gpus.is_some() || request.onto.is_some() {
        let message =
            "`gpus`, `onto` and `to` apply to one kind of GPU: name the GPU instead of `any`";
        return Err(Error::new(ErrorCode::OneGpu, message));
    }
    let catalog = engine.catalog();
    let likely = request.prices.likely_prices(engine.today());
    let sizes = sizes(&request.sizes)?;
    let requested = if sizes.is_empty() {
        request.slices.clone()
    } else {
        request.sizes.join("+")
    };
    let slices = if sizes.is_empty() {
        let list = &request.slices;
        Some(parse_slices(list, 0).map_err(|errors| Error::spec(list, &errors, None))?)
    } else {
        None
    };
    let mut results: Vec<PackOut> = Vec::new();
    let mut seen: Vec<Geometry> = Vec::new();
    // The slices as a share of each GPU: the same profile name can be a larger share of another GPU.
    let mut shapes: Vec<Vec<(Option<u8>, u32)>> = Vec::new();
    let mut too_old: Vec<AcceleratorId> = Vec::new();
    for (accelerator, geometry) in cuttable(&catalog) {
        engine.go_on()?;
        let chip = Chip::new(&catalog, geometry);
        let demand = match &slices {
            Some(slices) => Demand::new(&chip, slices),
            None => by_size(&chip, &sizes).map(Demand::from),
        };
        let shape = demand.as_ref().map(|demand| {
            let kinds = chip
                .kinds
                .iter()
                .map(ChipProfile::size)
                .zip(demand.counts.clone());
            kinds.filter(|(_, n)| *n > 0).collect()
        });
        shapes.extend(shape.filter(|shape| !shapes.contains(shape)));
        let packed = demand.and_then(|demand| {
            pack_out(
                &catalog,
                &likely,
                accelerator,
                &chip,
                &demand,
                &Fleet::default(),
            )
        });
        let Some(Packed { mut result, .. }) = packed else {
            continue;
        };
        result.gpus_new = None;
        if likely.has_max_age() && result.cheapest.is_none() {
            too_old.push(accelerator);
            continue;
        }
        // GPUs without offers for MIG: one of each kind is enough.
        if result.cheapest.is_some() || seen.iter().all(|other| other.id != geometry.id) {
            results.push(result);
        }
        seen.push(geometry);
    }
    if results.is_empty() && !too_old.is_empty() {
        let counts = |offer: &Offer| is_to_cut(&catalog, offer);
        return Err(no_price_left(&catalog, &likely, too_old, counts));
    }
    if results.is_empty() {
        let message = format!("no GPU has all of {requested}");
        return Err(Error::new(ErrorCode::SpecNoSuchProfile, message));
    }
    sort(&mut results);
    let understood = PackRequest {
        slices: requested,
        ..request.clone()
    };
    let differs = (sizes.is_empty() && shapes.len() > 1).then(|| {
        let message = "the same name is a larger slice on some of these GPUs, because names have rounded memory; `mig profiles` shows the exact memory";
        Note::new("mig-differs", message)
    });
    let envelope = Envelope::new("sky-accel.mig-pack.v1", &catalog, understood, results);
    Ok(PackAnswer {
        envelope: envelope.with_notes(differs),
        packing: None,
    })
}

/// By price per slice; doubtful prices after the others, and unknown prices last.
fn sort(results: &mut [PackOut]) {
    results.sort_by(|a, b| {
        let usd = |result: &PackOut| {
            let cheapest = result.cheapest.as_ref();
            cheapest.map(|cost| cost.usd_per_slice_hour.0)
        };
        let setback = |result: &PackOut| {
            let cheapest = result.cheapest.as_ref();
            cheapest.map(|cost| Setback::of_reasons(&cost.doubts))
        };
        let (a_usd, b_usd) = (usd(a), usd(b));
        a_usd
            .is_none()
            .cmp(&b_usd.is_none())
            .then_with(|| setback(a).cmp(&setback(b)))
            .then_with(|| a_usd.unwrap_or(0.0).total_cmp(&b_usd.unwrap_or(0.0)))
            .then_with(|| a.gpus_needed.cmp(&b.gpus_needed))
            .then_with(|| a.gpu.cmp(&b.gpu))
    });
}

/// Accelerators with MIG, in catalog order.
fn cuttable(catalog: &Catalog<'_>) -> Vec<(AcceleratorId, Geometry)> {
    let ids = catalog.accelerator_ids();
    ids.filter_map(|id| Some((id, catalog.geometry(&catalog.accelerator(id))?)))
        .collect()
}
