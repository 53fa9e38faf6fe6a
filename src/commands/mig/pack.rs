//! `mig pack`: packs slices onto a minimum number of GPUs.

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;
use std::sync::LazyLock;

use sky_accel_core::mig::{Chip, PackedGpus};
use sky_accel_core::text::{counted, number};
use sky_accel_engine::contract::{CostOut, PackOut, PackRequest, WasteOut};
use sky_accel_engine::text::dollars;
use sky_accel_engine::{Error, ErrorCode, PackAnswer};
use sky_accel_files::input::open;

use super::compare;
use super::output::{
    COST_CSV, MAKES_IT, check_format, estimated, joined, price_ages, stated, write_for,
};
use super::picture::{self, LabeledGpu, PictureMedium};
use crate::cli::MigPackArgs;
use crate::context::{Context, Result, found};
use crate::exit_code::ExitCode;
use crate::present::offers::{doubt_note, reason_words};
use crate::present::prices::age_of;
use crate::render::{Block, Footer, Page, Report, print};
use crate::requests;
use crate::ui::Ui;

/// CSV columns of a packing; [`COST_CSV`] follows.
const PACKING_CSV: [&str; 5] = ["gpu", "fits", "gpus_needed", "gpus_at_least", "proved"];
static CSV: LazyLock<Vec<&str>> = LazyLock::new(|| [&PACKING_CSV[..], &COST_CSV].concat());
/// The maximum number of layouts that are drawn.
const DRAWN: usize = 16;
/// The maximum size of a listing of GPUs, in bytes.
const MAX_LISTING: u64 = 16 << 20;

pub fn run(context: &mut Context<'_>, args: &MigPackArgs) -> Result<ExitCode> {
    let existing = args.onto.as_deref();
    let existing = existing.map(|path| read(context.ui, path)).transpose()?;
    let answer = context.engine.mig_pack(&PackRequest {
        gpu: args.gpu.clone(),
        slices: joined(&args.slices),
        sizes: args.slice.clone(),
        gpus: args.gpus,
        onto: args.onto.clone(),
        existing,
        prices: requests::price_policy(&args.prices),
    })?;
    let PackAnswer { envelope, packing } = answer;
    let Some(packing) = packing else {
        if args.to.is_some() {
            let message =
                "--gpus, --onto and --to apply to one kind of GPU: name the GPU instead of `any`";
            return Err(Error::new(ErrorCode::OneGpu, message).into());
        }
        return compare::show(context, envelope);
    };
    let fits = envelope.results.iter().all(|result| result.fits);
    // JSON documents have the reason as a field, unless commands are printed instead.
    if !fits && (args.to.is_some() || !context.settings.output.is_document()) {
        for result in &envelope.results {
            tell_left(context, &envelope.request.slices, result)?;
        }
    }
    if let Some(tool) = args.to {
        check_format(context.settings.output)?;
        write_for(context.ui, &packing.layout, tool)?;
        return Ok(found(fits));
    }
    let view = PictureMedium::of(context);
    let layouts = envelope.results.iter().flat_map(|result| &result.layouts);
    let report = Report {
        names: layouts
            .map(|group| format!("{}x {}", group.count, group.layout.join("+")))
            .collect(),
        footer: Footer {
            advice: vec![MAKES_IT.to_owned()],
            parts: price_ages(context, &envelope.results).into_iter().collect(),
            ..Footer::default()
        },
        envelope,
        csv: &CSV,
        page: Box::new(move |results, _| {
            let is_there = |gpu| packing.existing.contains(&gpu);
            let (chip, groups) = (&packing.layout.chip, &packing.groups);
            page(chip, view, &packing.slices, results, groups, is_there)
        }),
        exit_code: found(fits),
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

/// Prints the slices that could not be placed.
fn tell_left(context: &mut Context<'_>, slices: &str, result: &PackOut) -> Result<()> {
    let unplaced: Vec<String> = result
        .left
        .iter()
        .map(|unplaced| format!("{} × {}", unplaced.count, unplaced.profile))
        .collect();
    let (needed, unplaced) = (needed(result), unplaced.join(", "));
    let message = format!("{slices} needs {needed}; not placed: {unplaced}");
    Ok(context.ui.stderr_line(&message)?)
}

/// Reads a listing of GPUs; `-` is standard input.
fn read(ui: &mut Ui, path: &str) -> std::result::Result<String, Error> {
    let cannot = |error: std::io::Error| {
        Error::new(
            ErrorCode::UnreadableFile,
            format!("cannot read {path}: {error}"),
        )
    };
    let mut bytes = Vec::new();
    if path == "-" {
        ui.read(|input| input.take(MAX_LISTING + 1).read_to_end(&mut bytes))
    } else {
        let file = open(Path::new(path)).map_err(cannot)?;
        file.take(MAX_LISTING + 1).read_to_end(&mut bytes)
    }
    .map_err(cannot)?;
    if bytes.len() as u64 > MAX_LISTING {
        let max_mib = MAX_LISTING >> 20;
        let message = format!("{path} is larger than {max_mib} MiB");
        return Err(Error::new(ErrorCode::UnreadableFile, message));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// `2 H100-80GB-SXM`, or `1 new and 2 existing H100-80GB-SXM`.
fn needed(result: &PackOut) -> String {
    let gpu = &result.gpu;
    match result.gpus_new {
        None => format!("{} {gpu}", result.gpus_needed),
        Some(new) => {
            let existing = result.gpus_needed - new;
            match (new, existing) {
                (0, existing) => format!("{existing} existing {gpu}"),
                (new, 0) => format!("{new} new {gpu}"),
                (new, existing) => format!("{new} new and {existing} existing {gpu}"),
            }
        }
    }
}

fn page(
    chip: &Chip<'_>,
    view: PictureMedium,
    list: &str,
    results: &[PackOut],
    groups: &[PackedGpus],
    is_there: impl Fn(u32) -> bool,
) -> Page {
    let Some(result) = results.first() else {
        return Page::default();
    };
    let proof = if result.proved {
        "this is the minimum".to_owned()
    } else {
        format!("{} may be enough", result.gpus_at_least)
    };
    let mut heading = format!("{list} needs {}: {proof}", needed(result));
    if !result.fits {
        let _ = write!(heading, "; on {}:", counted(result.gpus, "GPU"));
    }
    let drawn = groups.iter().take(DRAWN).map(|group| {
        let label = match (&group.gpus[..], &result.existing[..]) {
            ([gpu], [_, ..]) => format!("GPU {gpu}"),
            (gpus, _) => format!("{} x", gpus.len()),
        };
        LabeledGpu {
            label,
            existing: &group.existing,
            placed: &group.instances,
        }
    });
    let drawn: Vec<LabeledGpu<'_>> = drawn.collect();
    let more = groups.len().checked_sub(DRAWN).filter(|more| *more > 0);
    let more = more.map(|more| format!("and {more} more layouts (-o json has all)"));
    let is_rented = |group: &PackedGpus| !group.gpus.iter().all(|gpu| is_there(*gpu));
    let cost = cost(result.cheapest.as_ref(), groups.iter().any(is_rented));
    Page {
        blocks: vec![
            Block::Heading(heading),
            picture::block(chip, view, &drawn, more),
            Block::Text(unused(&result.waste)),
            Block::Text(cost),
        ],
    }
}

/// The share of the GPUs that is unused.
fn unused(waste: &WasteOut) -> String {
    let memory = match (waste.memory_slices, waste.memory_percent) {
        (Some(slices), Some(percent)) => {
            let percent = number(percent.0);
            format!(", {} ({percent}%)", counted(slices, "memory slice"))
        }
        _ => String::new(),
    };
    format!(
        "unused: {} ({}%){memory}",
        counted(waste.compute_slices, "compute slice"),
        number(waste.compute_percent.0),
    )
}

/// The cheapest machines for new GPUs.
fn cost(cheapest: Option<&CostOut>, is_rented: bool) -> String {
    let Some(cost) = cheapest else {
        return if is_rented {
            "no price is known for an offer that allows MIG"
        } else {
            "no new GPU is needed"
        }
        .to_owned();
    };
    let place = cost.region.as_ref().map(|region| format!(" in {region}"));
    let saving = cost.saving_percent.0;
    let against = if saving == 0.0 {
        "the same as".to_owned()
    } else if saving > 0.0 {
        format!("{}% less than", number(saving))
    } else {
        format!("{}% more than", number(-saving))
    };
    let mark = estimated(cost);
    let stated = stated(cost).map(|usd| format!("stated {}, ", dollars(usd)));
    let doubts = doubt_note(cost.doubts.iter().copied().filter_map(reason_words));
    let doubts = doubts
        .map(|note| format!(" ({})", note.meaning))
        .unwrap_or_default();
    format!(
        "cheapest: {} × {} {} ({}){}, {mark}{} per hour ({}{}){doubts}, {mark}{} per slice, {against} renting a whole GPU for each slice",
        cost.machines,
        cost.provider,
        cost.instance_type,
        counted(cost.gpus, "GPU"),
        place.unwrap_or_default(),
        dollars(cost.likely_usd_per_hour),
        stated.unwrap_or_default(),
        age_of(cost.kind, None, cost.age_days),
        dollars(cost.usd_per_slice_hour),
    )
}
