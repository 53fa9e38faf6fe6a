//! `mig pack any`: which GPU holds some slices for the least money.

use sky_accel_core::catalog::{AcceleratorId, Catalog, Geometry};
use sky_accel_core::mig::{Chip, Counts, Demand, Fleet, parse_list, parse_profile};

use super::super::offers::dollars;
use super::super::{Context, Result};
use super::named;
use super::pack::{PackOut, PackRequest, Packed, pack_out};
use crate::cli::MigPackArgs;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::output::Envelope;
use crate::render::{Column, Page, Report, RowStyle, Table, print};

/// Slices of at least so many gigabytes.
#[derive(Clone, Copy, Debug)]
pub struct Sized {
    gb: f64,
    count: u32,
}

/// `10GB*20`, `10*20`, `10GB`.
pub fn sizes(texts: &[String]) -> std::result::Result<Vec<Sized>, CliError> {
    let size = |text: &String| {
        let wrong = || {
            let message =
                format!("'{text}' is not a memory size with a number of slices, such as 10GB*20");
            CliError::usage("mig.slice", message)
        };
        let (size, count) = text.split_once(['*', '=', 'x']).unwrap_or((text, "1"));
        let size = size
            .trim()
            .trim_end_matches(['b', 'B', 'i'])
            .trim_end_matches(['g', 'G']);
        let gb: f64 = size.trim().parse().map_err(|_| wrong())?;
        let count: u32 = count.trim().parse().map_err(|_| wrong())?;
        let fits =
            gb > 0.0 && gb < 10_000.0 && (1..=sky_accel_core::mig::MAX_SLICES).contains(&count);
        if fits {
            Ok(Sized { gb, count })
        } else {
            Err(wrong())
        }
    };
    texts.iter().map(size).collect()
}

/// The smallest plain profiles with so much memory; `None` where there is none.
pub fn by_size(chip: &Chip<'_>, sizes: &[Sized]) -> Option<Counts> {
    let mut counts = chip.none();
    for wanted in sizes {
        let enough = |kind: &usize| {
            let name = chip.kinds[*kind].name;
            let is_plain = !name.contains(['+', '-']);
            is_plain && parse_profile(name).is_some_and(|name| f64::from(name.gb) >= wanted.gb)
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
    for (accelerator, geometry) in cuttable(&catalog) {
        let chip = Chip::new(&catalog, geometry);
        let demand = match &slices {
            Some(slices) => Demand::new(&chip, slices),
            None => by_size(&chip, &sizes).map(Demand::from),
        };
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
        context.ui.always(&format!("no GPU has all of {asked}"))?;
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
    let exit_code = if results.is_empty() {
        ExitCode::NothingMatches
    } else {
        ExitCode::Found
    };
    let request = PackRequest {
        gpu: args.gpu.clone(),
        slices: asked,
        gpus: None,
        onto: None,
    };
    let names = results.iter().map(|result| result.gpu.clone()).collect();
    let report = Report {
        envelope: Envelope::new("sky-accel.mig-pack.v1", &catalog, request, results),
        csv: CSV,
        names,
        page: Box::new(|results, _| {
            if results.is_empty() {
                Page::default()
            } else {
                Page::table(table(results))
            }
        }),
        footer: Vec::new(),
        exit_code,
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
