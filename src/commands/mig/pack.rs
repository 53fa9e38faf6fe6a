//! `mig pack`: the fewest GPUs for many slices.

use serde::Serialize;
use sky_accel_core::catalog::{AcceleratorId, Catalog};
use sky_accel_core::mig::{self, Chip, PackedGpus, Packing};
use sky_accel_core::money::Count;
use sky_accel_core::resolve::cheapest_to_cut;

use super::super::offers::dollars;
use super::super::{Context, Result};
use super::fit::FreeOut;
use super::{Asked, compare, named, picture, read, read_sized, write_for};
use crate::cli::{MigPackArgs, OutputFormat};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::output::{Envelope, NoteOut, Num, PlacementOut, kind, placements};
use crate::render::{Block, Page, Report, print};

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
    /// GPUs that all slices take.
    pub gpus_needed: u32,
    /// No packing takes fewer than this.
    pub gpus_at_least: u32,
    /// Whether `gpus_needed` is proved to be the least.
    pub proved: bool,
    /// GPUs that are used: `gpus_needed`, or what `--gpus` allows.
    pub gpus: u32,
    /// How they are cut, those that are cut alike together, in the order of their index.
    pub layouts: Vec<LayoutOut>,
    pub placements: Vec<PlacementOut>,
    /// Slices that `--gpus` leaves no room for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<LeftOut>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<NoteOut>,
    /// What could be placed besides on the GPUs of each layout.
    pub free: Vec<FreeOut>,
    pub waste: WasteOut,
    /// The cheapest machines for `gpus_needed`; `null` where nobody is known to rent them out to be
    /// cut, or at what price.
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
    /// The index of the first of them.
    pub gpu_index: u32,
    /// How many GPUs.
    pub count: u32,
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
    if matches!(args.gpu.as_str(), "any" | "*") {
        return compare::run(context, args);
    }
    let catalog = context.catalog;
    let Asked {
        accelerator,
        chip,
        list,
        counts,
        notes,
    } = if args.slice.is_empty() {
        read(&catalog, &args.gpu, &named(&args.slices))?
    } else {
        let sizes = compare::sizes(&args.slice)?;
        read_sized(&catalog, &args.gpu, |chip| compare::by_size(chip, &sizes))?
    };
    let Some((result, used, packing)) = pack_out(&catalog, accelerator, &chip, &counts, args.gpus)
    else {
        let message = format!(
            "one of {list} fits on no {}",
            catalog.accelerator_id(accelerator)
        );
        return Err(CliError::usage("mig.impossible", message).into());
    };
    let fits = result.fits;
    let names = result
        .layouts
        .iter()
        .map(|group| format!("{}x {}", group.count, group.layout.join("+")))
        .collect();
    if !fits
        && !matches!(
            context.settings.output,
            OutputFormat::Json | OutputFormat::Yaml
        )
    {
        let left: Vec<String> = result
            .left
            .iter()
            .map(|own| format!("{} x {}", own.count, own.profile))
            .collect();
        context.ui.always(&format!(
            "{list} takes {} GPUs; no room for {}",
            packing.gpus,
            left.join(", ")
        ))?;
    }
    if let Some(tool) = args.to {
        write_for(context.ui, &chip, tool, &[], &used)?;
        return Ok(if fits {
            ExitCode::Found
        } else {
            ExitCode::NothingMatches
        });
    }
    let request = PackRequest {
        gpu: args.gpu.clone(),
        slices: list,
        gpus: args.gpus,
    };
    let width = picture::width(context.ui.width());
    let report = Report {
        envelope: Envelope::new("sky-accel.mig-pack.v1", &catalog, request, vec![result])
            .with_notes(notes),
        csv: CSV,
        names,
        page: Box::new(|results, _| page(&chip, width, results, &used)),
        footer: Vec::new(),
        exit_code: if fits {
            ExitCode::Found
        } else {
            ExitCode::NothingMatches
        },
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

/// Packs onto one kind of GPU; also the GPUs in use, and the packing of all slices.
pub(super) fn pack_out(
    catalog: &Catalog<'_>,
    accelerator: AcceleratorId,
    chip: &Chip<'_>,
    counts: &[u32],
    limit: Option<u32>,
) -> Option<(PackOut, Vec<PackedGpus>, Packing)> {
    let packing = mig::pack(chip, counts)?;
    let (used, left) = within(chip, &packing, counts, limit);
    let result = PackOut {
        gpu: catalog.accelerator_id(accelerator).to_owned(),
        slices: slices(chip, counts),
        fits: left.is_empty(),
        gpus_needed: packing.gpus,
        gpus_at_least: packing.bound,
        proved: packing.is_proved(),
        gpus: used.iter().map(|group| group.gpus).sum(),
        layouts: layouts(chip, &used),
        free: free_out(chip, &used),
        placements: placements(chip, &used),
        reason: (!left.is_empty()).then(|| NoteOut {
            code: "too-few-gpus".to_owned(),
            message: format!("all slices take {} GPUs", packing.gpus),
        }),
        waste: waste(chip, &used),
        cheapest: cheapest(catalog, accelerator, packing.gpus, counts.iter().sum()),
        left,
    };
    Some((result, used, packing))
}

/// `3g.40gb*2+1g.10gb`.
fn slices(chip: &Chip<'_>, counts: &[u32]) -> String {
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

/// The fullest GPUs up to a number, and the slices that are on none of them.
fn within(
    chip: &Chip<'_>,
    packing: &Packing,
    wanted: &[u32],
    limit: Option<u32>,
) -> (Vec<PackedGpus>, Vec<LeftOut>) {
    let mut room = limit.unwrap_or(u32::MAX);
    let mut used = Vec::new();
    let mut left = wanted.to_vec();
    for group in &packing.groups {
        let gpus = group.gpus.min(room);
        room -= gpus;
        if gpus == 0 {
            break;
        }
        for instance in &group.instances {
            left[instance.kind] -= gpus;
        }
        used.push(PackedGpus {
            gpus,
            instances: group.instances.clone(),
        });
    }
    let left = chip
        .kinds
        .iter()
        .zip(left)
        .filter(|(_, n)| *n > 0)
        .map(|(kind, count)| LeftOut {
            profile: kind.name.to_owned(),
            count,
        });
    (used, left.collect())
}

/// The cheapest machines that hold all slices.
fn cheapest(
    catalog: &Catalog<'_>,
    accelerator: AcceleratorId,
    gpus: u32,
    slices: u32,
) -> Option<CostOut> {
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

/// Layouts with the index of their first GPU.
fn layouts(chip: &Chip<'_>, groups: &[PackedGpus]) -> Vec<LayoutOut> {
    let mut gpu_index = 0;
    let mut layouts = Vec::new();
    for group in groups {
        let mut instances = group.instances.clone();
        instances.sort_by_key(|own| own.start);
        let layout = instances.iter().map(|own| {
            let name = chip.kinds[own.kind].name;
            own.start
                .map_or_else(|| name.to_owned(), |start| format!("{name}@{start}"))
        });
        layouts.push(LayoutOut {
            gpu_index,
            count: group.gpus,
            layout: layout.collect(),
        });
        gpu_index += group.gpus;
    }
    layouts
}

fn free_out(chip: &Chip<'_>, groups: &[PackedGpus]) -> Vec<FreeOut> {
    let mut gpu_index = 0;
    let mut all = Vec::new();
    for group in groups {
        all.extend(
            mig::free(chip, &group.instances)
                .into_iter()
                .map(|free| FreeOut {
                    gpu_index,
                    profile: chip.kinds[free.kind].name.to_owned(),
                    starts: free.starts,
                }),
        );
        gpu_index += group.gpus;
    }
    all
}

fn waste(chip: &Chip<'_>, groups: &[PackedGpus]) -> WasteOut {
    let gpus: u32 = groups.iter().map(|group| group.gpus).sum();
    let sum = |of: &dyn Fn(usize) -> u32| -> u32 {
        let of_group = |group: &PackedGpus| -> u32 {
            group.gpus * group.instances.iter().map(|own| of(own.kind)).sum::<u32>()
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
        (
            all - sum(&|kind| chip.kinds[kind].size().unwrap_or(0).into()),
            all,
        )
    });
    WasteOut {
        compute_slices: compute_unused,
        compute_percent: percent(compute_unused, compute),
        memory_slices: memory.map(|(unused, _)| unused),
        memory_percent: memory.map(|(unused, all)| percent(unused, all)),
    }
}

fn page(chip: &Chip<'_>, width: usize, results: &[PackOut], groups: &[PackedGpus]) -> Page {
    let Some(result) = results.first() else {
        return Page::default();
    };
    let gpus = if result.gpus_needed == 1 {
        "GPU"
    } else {
        "GPUs"
    };
    let proof = if result.proved {
        "fewer are impossible".to_owned()
    } else {
        format!("{} may be enough", result.gpus_at_least)
    };
    let mut picture: Vec<String> = picture::ruler(chip, width).into_iter().collect();
    for group in groups.iter().take(DRAWN) {
        picture.push(picture::gpu(
            chip,
            width,
            &format!("{} x", group.gpus),
            &group.instances,
        ));
    }
    if groups.len() > DRAWN {
        picture.push(format!(
            "and {} more layouts (-o json has all)",
            groups.len() - DRAWN
        ));
    }
    let waste = &result.waste;
    let memory = match (waste.memory_slices, waste.memory_percent) {
        (Some(slices), Some(percent)) => {
            format!(
                ", {slices} memory slices ({}%)",
                sky_accel_core::text::number(percent.0)
            )
        }
        _ => String::new(),
    };
    let unused = format!(
        "unused: {} compute slices ({}%){memory}",
        waste.compute_slices,
        sky_accel_core::text::number(waste.compute_percent.0),
    );
    let cost = result.cheapest.as_ref().map_or_else(
        || "no offer is known whose GPUs a tenant may cut, with its price".to_owned(),
        |cost| {
            let place = cost.region.as_ref().map(|region| format!(" in {region}"));
            let against = if cost.saving_percent.0 >= 0.0 {
                format!("{}% less than", sky_accel_core::text::number(cost.saving_percent.0))
            } else {
                format!("{}% more than", sky_accel_core::text::number(-cost.saving_percent.0))
            };
            format!(
                "cheapest: {} x {} {} ({} GPUs){}, {} per hour ({} {}), {} a slice: {against} a whole GPU for each",
                cost.machines,
                cost.provider,
                cost.instance_type,
                cost.gpus,
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
            Block::Heading(format!(
                "{} {gpus} of the kind {}: {proof}",
                result.gpus_needed, result.gpu
            )),
            Block::Lines(picture),
            Block::Text(unused),
            Block::Text(cost),
        ],
    }
}
