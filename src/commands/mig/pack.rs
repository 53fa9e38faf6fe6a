//! `mig pack`: the fewest GPUs for many slices.

use std::fmt::Write as _;

use serde::Serialize;
use sky_accel_core::catalog::{AcceleratorId, Catalog};
use sky_accel_core::mig::targets::Layout;
use sky_accel_core::mig::{self, Chip, Demand, Fleet, Gpu, Instance, PackedGpus};
use sky_accel_core::money::Count;
use sky_accel_core::resolve::cheapest_to_cut;

use super::super::offers;
use super::super::offers::dollars;
use super::super::{Context, Result};
use super::existing::onto;
use super::fit::FreeOut;
use super::{Asked, at, compare, is_any, named, picture, plural, read, read_sized, write_for};
use crate::cli::{MigPackArgs, OutputFormat};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::output::{Envelope, NoteOut, Num, PlacementOut, kind, placements};
use crate::render::{Block, Line, Page, Report, print};
use crate::ui::DIM;

/// What was asked.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PackRequest {
    pub gpu: String,
    /// In canonical form.
    pub slices: String,
    /// GPUs that there are at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpus: Option<u32>,
    /// The file of GPUs that are there already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub onto: Option<String>,
}

/// How many GPUs, and how each is cut.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PackOut {
    pub gpu: String,
    /// In the names of this GPU.
    pub slices: String,
    /// Whether all slices are placed.
    pub fits: bool,
    /// GPUs that all slices take: of those that are there, and new ones.
    pub gpus_needed: u32,
    /// Those of them that are not there yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpus_new: Option<u32>,
    /// No packing takes fewer than this; with `onto` none takes fewer new ones, and then fewer of
    /// the others.
    pub gpus_at_least: u32,
    /// Whether `gpus_needed` is proved to be the least.
    pub proved: bool,
    /// GPUs that are used: `gpus_needed`, or what `--gpus` allows.
    pub gpus: u32,
    /// How they are cut, those that are cut alike together, in the order of their index.
    pub layouts: Vec<LayoutOut>,
    pub placements: Vec<PlacementOut>,
    /// What is on the GPUs of `onto` already.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub existing: Vec<PlacementOut>,
    /// Slices that `--gpus` leaves no room for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<LeftOut>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<NoteOut>,
    /// What could be placed besides on the GPUs of each layout.
    pub free: Vec<FreeOut>,
    pub waste: WasteOut,
    /// The cheapest machines for the new GPUs; `null` where there is none, or nobody is known to
    /// rent them out to be cut, or at what price.
    pub cheapest: Option<CostOut>,
}

/// What the GPUs cost, on demand.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CostOut {
    pub provider: String,
    pub instance_type: String,
    pub machines: u32,
    /// In all machines, more than are needed where machines are larger.
    pub gpus: u32,
    pub usd_per_hour: Num,
    pub usd_per_slice_hour: Num,
    /// What a whole GPU of these machines for each slice would cost.
    pub whole_gpus_usd_per_hour: Num,
    pub saving_percent: Num,
    pub region: Option<String>,
    pub kind: &'static str,
    pub as_of: String,
    pub source: String,
}

/// GPUs that are cut alike.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LayoutOut {
    pub gpu_indexes: Vec<u32>,
    /// How many GPUs.
    pub count: u32,
    /// `profile@start` of what is there already.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub existing: Vec<String>,
    /// `profile@start`.
    pub layout: Vec<String>,
}

/// Slices without a place.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeftOut {
    pub profile: String,
    pub count: u32,
}

/// What is used of the GPUs that are used.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WasteOut {
    pub compute_slices: u32,
    pub compute_percent: Num,
    /// `null` where placement units are not published.
    pub memory_slices: Option<u32>,
    pub memory_percent: Option<Num>,
}

const CSV: &[&str] = &["gpu", "fits", "gpus_needed", "gpus_at_least", "proved"];
/// Groups that are drawn.
const DRAWN: usize = 16;

pub fn run(context: &mut Context<'_>, args: &MigPackArgs) -> Result<ExitCode> {
    if is_any(&args.gpu) {
        return compare::run(context, args);
    }
    let catalog = context.catalog;
    let Asked {
        accelerators,
        chip,
        list,
        demand,
        notes,
    } = if args.slice.is_empty() {
        read(&catalog, &args.gpu, &named(&args.slices))?
    } else {
        let sizes = compare::sizes(&args.slice)?;
        read_sized(&catalog, &args.gpu, |chip| compare::by_size(chip, &sizes))?
    };
    let gpu = catalog.accelerator_id(accelerators[0]);
    let there = args.onto.as_ref().map(|path| onto(&chip, gpu, path));
    let fleet = Fleet {
        there: there.transpose()?.unwrap_or_default(),
        limit: args.gpus,
    };
    if let Some(limit) = args
        .gpus
        .filter(|limit| (*limit as usize) < fleet.there.len())
    {
        let there = fleet.there.len();
        let message = format!("--gpus {limit} is fewer than the {there} GPUs of --onto");
        return Err(CliError::usage("usage.count", message).into());
    }
    let Some(packed) = pack_out(&catalog, accelerators[0], &chip, &demand, &fleet) else {
        let message = format!("one of {list} fits on no {gpu}");
        return Err(CliError::usage("mig.impossible", message).into());
    };
    let Packed {
        mut result,
        groups,
        gpus,
    } = packed;
    if args.onto.is_none() {
        result.gpus_new = None;
    }
    let fits = result.fits;
    let names = result
        .layouts
        .iter()
        .map(|group| format!("{}x {}", group.count, group.layout.join("+")))
        .collect();
    // In these the reason is a field, unless commands are printed instead.
    let is_told = args.to.is_none()
        && matches!(
            context.settings.output,
            OutputFormat::Json | OutputFormat::Yaml
        );
    if !fits && !is_told {
        let left: Vec<String> = result
            .left
            .iter()
            .map(|own| format!("{} x {}", own.count, own.profile))
            .collect();
        context.ui.always(&format!(
            "{list} takes {}; no room for {}",
            needed(&result),
            left.join(", ")
        ))?;
    }
    if let Some(tool) = args.to {
        let layout = Layout {
            chip: &chip,
            accelerators: &accelerators,
            gpus: &gpus,
        };
        write_for(context.ui, &layout, tool)?;
        return Ok(if fits {
            ExitCode::Found
        } else {
            ExitCode::NothingMatches
        });
    }
    let asked = if demand.cuts.is_empty() {
        result.slices.clone()
    } else {
        format!("{list}, cut from {},", result.slices)
    };
    let request = PackRequest {
        gpu: args.gpu.clone(),
        slices: list,
        gpus: args.gpus,
        onto: args.onto.clone(),
    };
    let width = picture::width(context.ui.width());
    let ages = price_ages(context, std::slice::from_ref(&result));
    let report = Report {
        envelope: Envelope::new("sky-accel.mig-pack.v1", &catalog, request, vec![result])
            .with_notes(notes),
        csv: CSV,
        names,
        page: Box::new(|results, _| {
            let is_there = |gpu| fleet.there.iter().any(|(index, _)| *index == gpu);
            page(&chip, width, &asked, results, &groups, is_there)
        }),
        footer: ages
            .into_iter()
            .chain(std::iter::once(MAKES_IT.to_owned()))
            .collect(),
        exit_code: if fits {
            ExitCode::Found
        } else {
            ExitCode::NothingMatches
        },
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

/// What a packing, or a placement, leads to.
pub(super) const MAKES_IT: &str =
    "--to nvidia-smi prints the commands that make it; see --help for other tools";

/// How old the prices of the cheapest machines are.
pub(super) fn price_ages(context: &Context<'_>, results: &[PackOut]) -> Option<String> {
    let costs = results.iter().filter_map(|own| own.cheapest.as_ref());
    let prices = costs.map(|own| (&own.provider[..], own.kind, &own.as_of[..]));
    offers::ages(&context.catalog, context.settings, prices)
}

/// A packing, as it is told and as it is made.
pub(super) struct Packed {
    pub result: PackOut,
    groups: Vec<PackedGpus>,
    gpus: Vec<Gpu>,
}

/// Packs onto one kind of GPU. `None` when one of the slices fits on none.
pub(super) fn pack_out(
    catalog: &Catalog<'_>,
    accelerator: AcceleratorId,
    chip: &Chip<'_>,
    demand: &Demand,
    fleet: &Fleet,
) -> Option<Packed> {
    let packing = mig::pack(chip, &demand.counts, fleet)?;
    let groups = packing.groups.clone();
    let gpus = mig::gpus(&groups, &demand.cuts);
    let is_new = |group: &&PackedGpus| {
        let there = |gpu: &u32| fleet.there.iter().any(|(index, _)| index == gpu);
        !group.gpus.iter().any(there)
    };
    let new: Vec<PackedGpus> = groups.iter().filter(is_new).cloned().collect();
    let new_slices = new
        .iter()
        .map(|group| size(group) * group.instances.len() as u32);
    let left = chip
        .kinds
        .iter()
        .zip(&packing.left)
        .filter(|(_, n)| **n > 0);
    let left: Vec<LeftOut> = left
        .map(|(kind, count)| LeftOut {
            profile: kind.name.to_owned(),
            count: *count,
        })
        .collect();
    let there = fleet.there.iter().map(|(index, instances)| PackedGpus {
        gpus: vec![*index],
        existing: Vec::new(),
        instances: instances.clone(),
    });
    let there: Vec<PackedGpus> = there.collect();
    let result = PackOut {
        gpu: catalog.accelerator_id(accelerator).to_owned(),
        slices: slices(chip, &demand.counts),
        fits: left.is_empty(),
        gpus_needed: packing.gpus,
        gpus_new: Some(packing.new_gpus),
        gpus_at_least: packing.at_least,
        proved: packing.is_proved(),
        gpus: groups.iter().map(size).sum(),
        layouts: groups.iter().map(|group| layout(chip, group)).collect(),
        free: free_out(chip, &groups),
        placements: placements(chip, &gpus),
        existing: placements(chip, &mig::gpus(&there, &[])),
        reason: (!left.is_empty()).then(|| NoteOut {
            code: "too-few-gpus".to_owned(),
            message: format!("all slices take {} GPUs", packing.gpus),
        }),
        waste: waste(chip, &groups),
        cheapest: cheapest(
            catalog,
            accelerator,
            new.iter().map(size).sum(),
            new_slices.sum(),
        ),
        left,
    };
    Some(Packed {
        result,
        groups,
        gpus,
    })
}

/// `2 H100-80GB-SXM`, or `1 new H100-80GB-SXM and 2 that are there`.
fn needed(result: &PackOut) -> String {
    let gpu = &result.gpu;
    match result.gpus_new {
        None => format!("{} {gpu}", result.gpus_needed),
        Some(new) => {
            let there = result.gpus_needed - new;
            match (new, there) {
                (0, there) => format!("{there} {gpu} of those that are there"),
                (new, 0) => format!("{new} new {gpu}"),
                (new, there) => format!("{new} new {gpu} and {there} of those that are there"),
            }
        }
    }
}

fn gpus(n: u32) -> String {
    if n == 1 {
        "1 GPU".to_owned()
    } else {
        format!("{n} GPUs")
    }
}

fn size(group: &PackedGpus) -> u32 {
    group.gpus.len() as u32
}

/// `3g.40gb*2+1g.10gb`.
pub(super) fn slices(chip: &Chip<'_>, counts: &[u32]) -> String {
    let each = chip.kinds.iter().zip(counts).filter(|(_, n)| **n > 0);
    let each = each.map(|(kind, n)| {
        if *n > 1 {
            format!("{}*{n}", kind.name)
        } else {
            kind.name.to_owned()
        }
    });
    each.collect::<Vec<_>>().join("+")
}

/// The cheapest machines that hold all slices.
fn cheapest(
    catalog: &Catalog<'_>,
    accelerator: AcceleratorId,
    gpus: u32,
    slices: u32,
) -> Option<CostOut> {
    if gpus == 0 {
        return None;
    }
    let found = cheapest_to_cut(catalog, accelerator, gpus)?;
    let quote = found.machine.on_demand?;
    let offer = catalog.offer(found.machine.offer);
    let price = &catalog.prices[quote.price as usize];
    let count = found.machine.count;
    let whole = quote.usd.per(count).times(Count::whole(slices));
    let share = found.usd.decimal() / whole.decimal();
    Some(CostOut {
        provider: catalog.provider_id(offer.provider).to_owned(),
        instance_type: catalog.str(offer.id).to_owned(),
        machines: found.machines,
        gpus: found.machines * (count.0 / 1000),
        usd_per_hour: Num(found.usd.decimal()),
        usd_per_slice_hour: Num(found.usd.decimal() / f64::from(slices.max(1))),
        whole_gpus_usd_per_hour: Num(whole.decimal()),
        saving_percent: Num(((1.0 - share) * 1000.0).round() / 10.0),
        region: quote
            .region
            .map(|region| catalog.region_id(region).to_owned()),
        kind: kind(price.kind),
        as_of: catalog.str(price.as_of).to_owned(),
        source: catalog.str(price.source).to_owned(),
    })
}

fn layout(chip: &Chip<'_>, group: &PackedGpus) -> LayoutOut {
    let named = |instances: &[Instance]| {
        let mut instances = instances.to_vec();
        instances.sort_by_key(|own| own.start);
        instances.iter().map(|own| at(chip, own)).collect()
    };
    LayoutOut {
        gpu_indexes: group.gpus.clone(),
        count: size(group),
        existing: named(&group.existing),
        layout: named(&group.instances),
    }
}

/// On the first GPU of each layout.
fn free_out(chip: &Chip<'_>, groups: &[PackedGpus]) -> Vec<FreeOut> {
    let mut all = Vec::new();
    for group in groups {
        let there: Vec<Instance> = group
            .existing
            .iter()
            .chain(&group.instances)
            .copied()
            .collect();
        let gpu_index = group.gpus.first().copied().unwrap_or(0);
        all.extend(mig::free(chip, &there).into_iter().map(|free| FreeOut {
            gpu_index,
            profile: chip.kinds[free.kind].name.to_owned(),
            starts: free.starts,
        }));
    }
    all
}

fn waste(chip: &Chip<'_>, groups: &[PackedGpus]) -> WasteOut {
    let gpus: u32 = groups.iter().map(size).sum();
    let sum = |of: &dyn Fn(usize) -> u32| -> u32 {
        let of_group = |group: &PackedGpus| -> u32 {
            let there = group.existing.iter().chain(&group.instances);
            size(group) * there.map(|own| of(own.kind)).sum::<u32>()
        };
        groups.iter().map(of_group).sum()
    };
    let percent = |unused: u32, all: u32| {
        Num((f64::from(unused) / f64::from(all.max(1)) * 1000.0).round() / 10.0)
    };
    let compute = gpus * u32::from(chip.compute);
    let compute_unused = compute - sum(&|kind| chip.kinds[kind].profile.compute_slices.into());
    let memory = chip.units.map(|units| {
        let all = gpus * u32::from(units);
        let used = sum(&|kind| chip.kinds[kind].size().unwrap_or(0).into());
        (all - used, all)
    });
    WasteOut {
        compute_slices: compute_unused,
        compute_percent: percent(compute_unused, compute),
        memory_slices: memory.map(|(unused, _)| unused),
        memory_percent: memory.map(|(unused, all)| percent(unused, all)),
    }
}

fn page(
    chip: &Chip<'_>,
    width: usize,
    list: &str,
    results: &[PackOut],
    groups: &[PackedGpus],
    is_there: impl Fn(u32) -> bool,
) -> Page {
    let Some(result) = results.first() else {
        return Page::default();
    };
    let proof = if result.proved {
        "fewer are impossible".to_owned()
    } else {
        format!("{} may be enough", result.gpus_at_least)
    };
    let mut heading = format!("{list} takes {}: {proof}", needed(result));
    if !result.fits {
        let _ = write!(heading, "; what fits on {}:", gpus(result.gpus));
    }
    let mut picture: Vec<Line> = picture::ruler(chip, width).into_iter().collect();
    for group in groups.iter().take(DRAWN) {
        let label = match (&group.gpus[..], &result.existing[..]) {
            ([gpu], [_, ..]) => format!("GPU {gpu}"),
            (gpus, _) => format!("{} x", gpus.len()),
        };
        picture.push(picture::gpu(
            chip,
            width,
            &label,
            &group.existing,
            &group.instances,
        ));
    }
    if let Some(more) = groups.len().checked_sub(DRAWN).filter(|more| *more > 0) {
        let text = format!("and {more} more layouts (-o json has all)");
        picture.push(vec![(DIM, text)]);
    }
    let waste = &result.waste;
    let memory = match (waste.memory_slices, waste.memory_percent) {
        (Some(slices), Some(percent)) => {
            format!(
                ", {slices} memory {} ({}%)",
                plural(slices),
                sky_accel_core::text::number(percent.0)
            )
        }
        _ => String::new(),
    };
    let unused = format!(
        "unused: {} compute {} ({}%){memory}",
        waste.compute_slices,
        plural(waste.compute_slices),
        sky_accel_core::text::number(waste.compute_percent.0),
    );
    let cost = result.cheapest.as_ref().map_or_else(
        || {
            if groups.iter().all(|group| group.gpus.iter().all(|gpu| is_there(*gpu))) {
                "no GPU has to be rented".to_owned()
            } else {
                "no offer is known whose GPUs a tenant may cut, with its price".to_owned()
            }
        },
        |cost| {
            let place = cost.region.as_ref().map(|region| format!(" in {region}"));
            let against = if cost.saving_percent.0 == 0.0 {
                "as much as".to_owned()
            } else if cost.saving_percent.0 > 0.0 {
                format!("{}% less than", sky_accel_core::text::number(cost.saving_percent.0))
            } else {
                format!("{}% more than", sky_accel_core::text::number(-cost.saving_percent.0))
            };
            format!(
                "cheapest: {} x {} {} ({}){}, {} per hour ({} {}), {} a slice: {against} a whole GPU for each",
                cost.machines,
                cost.provider,
                cost.instance_type,
                gpus(cost.gpus),
                place.unwrap_or_default(),
                dollars(cost.usd_per_hour),
                cost.kind,
                cost.as_of,
                dollars(cost.usd_per_slice_hour),
            )
        },
    );
    Page {
        blocks: vec![
            Block::Heading(heading),
            Block::Picture(picture),
            Block::Text(unused),
            Block::Text(cost),
        ],
    }
}
