//! `mig pack any`: which GPU holds some slices for the least money.

use sky_accel_core::catalog::{AcceleratorId, Catalog, Geometry};
use sky_accel_core::mig::{Chip, Counts, Demand, Fleet, Kind, MAX_SLICES, parse_list};

use sky_accel_core::note::Note;

use super::super::offers::dollars;
use super::super::{Context, Result};
use super::named;
use super::pack::{PackOut, PackRequest, Packed, pack_out};
use crate::cli::MigPackArgs;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::output::Envelope;
use crate::render::{Column, Page, Report, RowStyle, Table, print};

/// Slices of at least so much memory and so many compute slices.
#[derive(Clone, Copy, Debug)]
pub struct Sized {
    compute: u8,
    memory: Memory,
    count: u32,
}

/// How much memory.
#[derive(Clone, Copy, Debug)]
enum Memory {
    /// As profiles are named, which is rounded.
    Named(f64),
    /// As the driver reports it.
    Mib(f64),
}

impl Memory {
    fn is_in(self, kind: &Kind<'_>) -> bool {
        match self {
            Self::Named(gb) => kind.parsed.is_some_and(|name| f64::from(name.gb) >= gb),
            Self::Mib(mib) => kind
                .profile
                .memory_mib
                .is_some_and(|own| f64::from(own) >= mib),
        }
    }
}

/// `10GB*20`, `10*20`, `10GiB`, `2g.10GB*3`.
pub fn sizes(texts: &[String]) -> std::result::Result<Vec<Sized>, CliError> {
    let size = |text: &String| {
        let wrong = || {
            let message =
                format!("'{text}' is not a memory size with a number of slices, such as 10GB*20");
            CliError::usage("mig.slice", message)
        };
        let (size, count) = text.split_once(['*', '=', 'x']).unwrap_or((text, "1"));
        let lower = size.trim().to_ascii_lowercase();
        let (compute, size) = match lower.split_once("g.") {
            Some((compute, size)) => (compute.parse().map_err(|_| wrong())?, size),
            None => (0, &*lower),
        };
        let digits = size.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let number: f64 = digits.trim().parse().map_err(|_| wrong())?;
        let memory = match &size[digits.len()..] {
            "" | "g" | "gb" => Memory::Named(number),
            "gib" => Memory::Mib(number * 1024.0),
            "m" | "mb" | "mib" => Memory::Mib(number),
            _ => return Err(wrong()),
        };
        let count: u32 = count.trim().parse().map_err(|_| wrong())?;
        let fits = number > 0.0 && number < 1e7 && (1..=MAX_SLICES).contains(&count);
        if fits {
            Ok(Sized {
                compute,
                memory,
                count,
            })
        } else {
            Err(wrong())
        }
    };
    let all = texts
        .iter()
        .map(size)
        .collect::<std::result::Result<Vec<_>, _>>()?;
    let total: u64 = all.iter().map(|own| u64::from(own.count)).sum();
    if total > u64::from(MAX_SLICES) {
        let message = format!("{total} slices are wanted; at most {MAX_SLICES} are packed");
        return Err(CliError::usage("mig.slice", message));
    }
    Ok(all)
}

/// The smallest plain profiles with so much memory; `None` where there is none.
pub fn by_size(chip: &Chip<'_>, sizes: &[Sized]) -> Option<Counts> {
    let mut counts = chip.none();
    for wanted in sizes {
        let enough = |kind: &usize| {
            let own = &chip.kinds[*kind];
            let is_plain = !own.name.contains(['+', '-']);
            is_plain && own.profile.compute_slices >= wanted.compute && wanted.memory.is_in(own)
        };
        let smallest = (0..chip.kinds.len()).filter(enough).min_by_key(|kind| {
            let own = chip.kinds[*kind].profile;
            (own.size, own.compute_slices, *kind)
        })?;
        counts[smallest] += wanted.count;
    }
    Some(counts)
}

const CSV: &[&str] = &[
    "gpu",
    "gpus_needed",
    "proved",
    "cheapest.provider",
    "cheapest.instance_type",
    "cheapest.machines",
    "cheapest.usd_per_hour",
    "cheapest.usd_per_slice_hour",
];

pub fn run(context: &mut Context<'_>, args: &MigPackArgs) -> Result<ExitCode> {
    if args.gpus.is_some() || args.to.is_some() || args.onto.is_some() {
        let message = "--gpus, --onto and --to are about one kind of GPU: name it instead of `any`";
        return Err(CliError::usage("usage.one-gpu", message).into());
    }
    let catalog = context.catalog;
    let sizes = sizes(&args.slice)?;
    let list = named(&args.slices);
    let asked = if sizes.is_empty() {
        list.clone()
    } else {
        args.slice.join("+")
    };
    let slices = if sizes.is_empty() {
        let place =
            |errors: Vec<sky_accel_core::spec::SpecError>| CliError::spec(&list, &errors, None);
        Some(parse_list(&list, 0).map_err(place)?)
    } else {
        None
    };
    let mut results: Vec<PackOut> = Vec::new();
    let mut seen: Vec<&Geometry> = Vec::new();
    // What the slices take of each GPU: the same name may be another slice on another one.
    let mut shapes: Vec<Vec<(Option<u8>, u32)>> = Vec::new();
    for (accelerator, geometry) in cuttable(&catalog) {
        let chip = Chip::new(&catalog, geometry);
        let demand = match &slices {
            Some(slices) => Demand::new(&chip, slices),
            None => by_size(&chip, &sizes).map(Demand::from),
        };
        let shape = demand.as_ref().map(|demand| {
            let all = chip.kinds.iter().map(Kind::size).zip(demand.counts.clone());
            all.filter(|(_, n)| *n > 0).collect()
        });
        shapes.extend(shape.filter(|shape| !shapes.contains(shape)));
        let packed = demand
            .and_then(|demand| pack_out(&catalog, accelerator, &chip, &demand, &Fleet::default()));
        let Some(Packed { mut result, .. }) = packed else {
            continue;
        };
        result.gpus_new = None;
        // Of GPUs that nobody rents out to be cut, one of each kind is enough.
        if result.cheapest.is_some() || seen.iter().all(|other| other.id != geometry.id) {
            results.push(result);
        }
        seen.push(geometry);
    }
    if results.is_empty() {
        let message = format!("no GPU has all of {asked}");
        return Err(CliError::usage("spec.no-such-profile", message).into());
    }
    results.sort_by(|a, b| {
        let usd = |own: &PackOut| own.cheapest.as_ref().map(|cost| cost.usd_per_slice_hour.0);
        let (a_usd, b_usd) = (usd(a), usd(b));
        a_usd
            .is_none()
            .cmp(&b_usd.is_none())
            .then_with(|| a_usd.unwrap_or(0.0).total_cmp(&b_usd.unwrap_or(0.0)))
            .then_with(|| a.gpus_needed.cmp(&b.gpus_needed))
            .then_with(|| a.gpu.cmp(&b.gpu))
    });
    let request = PackRequest {
        gpu: args.gpu.clone(),
        slices: asked,
        gpus: None,
        onto: None,
    };
    let names = results.iter().map(|result| result.gpu.clone()).collect();
    let differs = (sizes.is_empty() && shapes.len() > 1).then(|| {
        let message = "the same name is a larger slice on some of these GPUs: a name says rounded memory, `mig profiles` what there is";
        Note::new("mig-differs", message)
    });
    let ages = super::pack::price_ages(context, &results);
    let report = Report {
        envelope: Envelope::new("sky-accel.mig-pack.v1", &catalog, request, results)
            .with_notes(differs),
        csv: CSV,
        names,
        page: Box::new(|results, _| Page::table(table(results))),
        footer: ages.into_iter().collect(),
        exit_code: ExitCode::Found,
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

/// Accelerators with MIG, in catalog order.
fn cuttable<'a>(catalog: &Catalog<'a>) -> Vec<(AcceleratorId, &'a Geometry)> {
    let ids = catalog.accelerator_ids();
    ids.filter_map(|id| Some((id, catalog.geometry(catalog.accelerator(id))?)))
        .collect()
}

fn table(results: &[PackOut]) -> Table {
    let mut table = Table::new([
        Column::left("", 0),
        Column::left("GPU", 0),
        Column::left("SLICES", 1),
        Column::right("GPUS", 0),
        Column::right("UNUSED", 2),
        Column::left("CHEAPEST", 0),
        Column::right("USD/H", 0),
        Column::right("PER SLICE", 0),
        Column::left("AS OF", 3),
    ]);
    for (at, result) in results.iter().enumerate() {
        let cost = result.cheapest.as_ref();
        let is_best = at == 0 && cost.is_some();
        let unknown = || "?".to_owned();
        table.row(
            if is_best {
                RowStyle::Best
            } else {
                RowStyle::Plain
            },
            [
                if is_best { "*" } else { "" }.to_owned(),
                result.gpu.clone(),
                result.slices.clone(),
                result.gpus_needed.to_string(),
                format!(
                    "{}%",
                    sky_accel_core::text::number(result.waste.compute_percent.0)
                ),
                cost.map_or_else(unknown, |cost| {
                    format!(
                        "{} x {} {}",
                        cost.machines, cost.provider, cost.instance_type
                    )
                }),
                cost.map_or_else(unknown, |cost| format!("{:.2}", cost.usd_per_hour.0)),
                cost.map_or_else(unknown, |cost| dollars(cost.usd_per_slice_hour)),
                cost.map_or_else(String::new, |cost| cost.as_of.clone()),
            ],
        );
    }
    table
}
