//! Packs slices onto GPUs of one kind, and describes the result.

use std::borrow::Cow;

use sky_accel_core::catalog::{AcceleratorId, Catalog};
use sky_accel_core::mig::{self, Chip, Demand, Fleet, Gpu, Instance, PackedGpus};
use sky_accel_core::money::{Count, Usd};
use sky_accel_core::resolve::{LikelyPrices, cheapest_to_cut};
use sky_accel_core::text::counted;

use super::layout::MigLayout;
use super::notation::{at, slices};
use crate::contract::{
    self, CostOut, Envelope, FreeOut, LayoutOut, NoteOut, Num, PackOut, PackRequest, UnplacedOut,
    WasteOut, placements,
};

/// Slices packed onto GPUs.
#[derive(Debug)]
pub struct PackAnswer<'c> {
    /// The JSON document: one result, or one per kind of GPU for `any`.
    pub envelope: Envelope<'c, PackRequest, PackOut>,
    /// The packing; `None` if several kinds of GPUs are compared.
    pub packing: Option<Packing<'c>>,
}

/// Slices packed onto GPUs of one kind.
#[derive(Debug)]
pub struct Packing<'c> {
    /// The GPUs with their slices, for [`MigLayout::render`].
    pub layout: MigLayout<'c>,
    /// The GPUs, grouped by layout.
    pub groups: Vec<PackedGpus>,
    /// Indexes of the existing GPUs.
    pub existing: Vec<u32>,
    /// A description of the slices, as requested and as chosen profiles.
    pub slices: String,
}

/// A packing as a contract document and as the core's result.
pub(super) struct Packed {
    pub result: PackOut,
    pub groups: Vec<PackedGpus>,
    pub gpus: Vec<Gpu>,
}

/// Packs onto one kind of GPU. Returns `None` if one of the slices does not fit on such a GPU.
pub(super) fn pack_out(
    catalog: &Catalog<'_>,
    likely: &LikelyPrices,
    accelerator: AcceleratorId,
    chip: &Chip<'_>,
    demand: &Demand,
    fleet: &Fleet,
) -> Option<Packed> {
    let packing = mig::pack(chip, &demand.counts, fleet)?;
    let groups = packing.groups.clone();
    let gpus = mig::gpus(&groups, &demand.cuts);
    let is_new = |group: &&PackedGpus| {
        let exists = |gpu: &u32| fleet.there.iter().any(|(index, _)| index == gpu);
        !group.gpus.iter().any(exists)
    };
    let new: Vec<PackedGpus> = groups.iter().filter(is_new).cloned().collect();
    let new_slices = new
        .iter()
        .map(|group| size(group) * group.instances.len() as u32);
    let unplaced = chip
        .kinds
        .iter()
        .zip(&packing.left)
        .filter(|(_, n)| **n > 0);
    let unplaced: Vec<UnplacedOut> = unplaced
        .map(|(kind, count)| UnplacedOut {
            profile: kind.name.to_owned(),
            count: *count,
        })
        .collect();
    let existing_gpus = fleet.there.iter().map(|(index, instances)| PackedGpus {
        gpus: vec![*index],
        existing: Vec::new(),
        instances: instances.clone(),
    });
    let existing_gpus: Vec<PackedGpus> = existing_gpus.collect();
    let result = PackOut {
        gpu: catalog.accelerator_id(accelerator).to_owned(),
        slices: slices(chip, &demand.counts),
        fits: unplaced.is_empty(),
        gpus_needed: packing.gpus,
        gpus_new: Some(packing.new_gpus),
        gpus_at_least: packing.at_least,
        proved: packing.is_proved(),
        gpus: groups.iter().map(size).sum(),
        layouts: groups.iter().map(|group| layout(chip, group)).collect(),
        free: free_out(chip, &groups),
        placements: placements(chip, &gpus),
        existing: placements(chip, &mig::gpus(&existing_gpus, &[])),
        reason: (!unplaced.is_empty()).then(|| NoteOut {
            code: "too-few-gpus".to_owned(),
            message: format!("all slices need {}", counted(packing.gpus, "GPU")),
            quoted: None,
            is_detail: false,
        }),
        waste: waste(chip, &groups),
        cheapest: cheapest(
            catalog,
            likely,
            accelerator,
            new.iter().map(size).sum(),
            new_slices.sum(),
        ),
        left: unplaced,
    };
    Some(Packed {
        result,
        groups,
        gpus,
    })
}

fn size(group: &PackedGpus) -> u32 {
    group.gpus.len() as u32
}

/// The cheapest machines that hold all slices.
fn cheapest(
    catalog: &Catalog<'_>,
    likely: &LikelyPrices,
    accelerator: AcceleratorId,
    gpus: u32,
    slices: u32,
) -> Option<CostOut> {
    if gpus == 0 {
        return None;
    }
    let found = cheapest_to_cut(catalog, accelerator, gpus, Some(likely))?;
    let quote = found.machine.on_demand?;
    let offer = catalog.offer(found.machine.offer);
    let price = catalog.price(quote.price);
    let count = found.machine.count;
    let whole_gpus = quote.likely.usd.per(count).times(Count::whole(slices));
    let share = found.usd.decimal() / whole_gpus.decimal();
    let of_all = |usd: Usd| Num(usd.times(Count::whole(found.machines)).decimal());
    Some(CostOut {
        provider: catalog.provider_id(offer.provider).to_owned(),
        instance_type: catalog.str(offer.id).to_owned(),
        machines: found.machines,
        gpus: found.machines * count.whole_devices(),
        usd_per_hour: of_all(quote.usd),
        likely_usd_per_hour: Num(found.usd.decimal()),
        low: of_all(quote.likely.low()),
        high: of_all(quote.likely.high()),
        stated_usd_per_hour: of_all(quote.usd),
        age_days: quote.age_days,
        url: contract::link_of(catalog, &offer, quote.region).map(Cow::into_owned),
        usd_per_slice_hour: Num(found.usd.decimal() / f64::from(slices.max(1))),
        whole_gpus_usd_per_hour: Num(whole_gpus.decimal()),
        saving_percent: Num(((1.0 - share) * 1000.0).round() / 10.0),
        region: quote
            .region
            .map(|region| catalog.region_id(region).to_owned()),
        kind: price.kind,
        quality: price.quality,
        sources: price.sources,
        as_of: catalog.str(price.as_of).to_owned(),
        source: catalog.str(price.source).to_owned(),
        doubts: {
            let reasons = found.machine.reasons.iter().copied();
            reasons.filter(|reason| reason.is_doubt()).collect()
        },
    })
}

fn layout(chip: &Chip<'_>, group: &PackedGpus) -> LayoutOut {
    let named = |instances: &[Instance]| {
        let mut instances = instances.to_vec();
        instances.sort_by_key(|instance| instance.start);
        instances
            .iter()
            .map(|instance| at(chip, instance))
            .collect()
    };
    LayoutOut {
        gpu_indexes: group.gpus.clone(),
        count: size(group),
        existing: named(&group.existing),
        layout: named(&group.instances),
    }
}

/// Listed for the first GPU of each layout.
fn free_out(chip: &Chip<'_>, groups: &[PackedGpus]) -> Vec<FreeOut> {
    let mut free_places = Vec::new();
    for group in groups {
        let instances: Vec<Instance> = group
            .existing
            .iter()
            .chain(&group.instances)
            .copied()
            .collect();
        let gpu_index = group.gpus.first().copied().unwrap_or(0);
        free_places.extend(mig::free(chip, &instances).into_iter().map(|free| FreeOut {
            gpu_index,
            profile: chip.kinds[free.kind].name.to_owned(),
            starts: free.starts,
        }));
    }
    free_places
}

fn waste(chip: &Chip<'_>, groups: &[PackedGpus]) -> WasteOut {
    let gpus: u32 = groups.iter().map(size).sum();
    let sum = |of: &dyn Fn(usize) -> u32| -> u32 {
        let of_group = |group: &PackedGpus| -> u32 {
            let instances = group.existing.iter().chain(&group.instances);
            size(group) * instances.map(|instance| of(instance.kind)).sum::<u32>()
        };
        groups.iter().map(of_group).sum()
    };
    let percent = |unused: u32, total: u32| {
        Num((f64::from(unused) / f64::from(total.max(1)) * 1000.0).round() / 10.0)
    };
    let compute = gpus * u32::from(chip.compute);
    let compute_unused = compute - sum(&|kind| chip.kinds[kind].profile.compute_slices.into());
    let memory = chip.units.map(|units| {
        let total = gpus * u32::from(units);
        let used = sum(&|kind| chip.kinds[kind].size().unwrap_or(0).into());
        (total - used, total)
    });
    WasteOut {
        compute_slices: compute_unused,
        compute_percent: percent(compute_unused, compute),
        memory_slices: memory.map(|(unused, _)| unused),
        memory_percent: memory.map(|(unused, total)| percent(unused, total)),
    }
}
