//! `mig fit`: places slices on one GPU.

use sky_accel_core::mig::{Chip, Instance};
use sky_accel_engine::MigFitAnswer;
use sky_accel_engine::contract::{MigFitOut, MigFitRequest, PlacementOut};

use super::output::{MAKES_IT, check_format, joined, write_for};
use super::picture::{self, LabeledGpu, PictureMedium};
use crate::cli::MigFitArgs;
use crate::context::{Context, Result, found};
use crate::exit_code::ExitCode;
use crate::render::{Block, Column, Footer, Page, Report, RowStyle, Table, print};

const CSV: &[&str] = &["gpu", "fits", "gpus_needed"];

pub fn run(context: &mut Context<'_>, args: &MigFitArgs) -> Result<ExitCode> {
    let answer = context.engine.mig_fit(&MigFitRequest {
        gpu: args.gpu.clone(),
        profiles: joined(&args.profiles),
        occupied: args.occupied.clone(),
    })?;
    let fits = answer.envelope.results.iter().all(|result| result.fits);
    // JSON documents have the reason as a field, unless commands are printed instead.
    if args.to.is_some() || !context.settings.output.is_document() {
        for result in &answer.envelope.results {
            tell_reason(context, &answer.envelope.request.profiles, result)?;
        }
    }
    if let Some(tool) = args.to {
        if fits {
            check_format(context.settings.output)?;
            write_for(context.ui, &answer.layout, tool)?;
        }
        return Ok(found(fits));
    }
    let gpu = &args.gpu;
    let next = if fits {
        MAKES_IT.to_owned()
    } else {
        let profiles = args.profiles.iter().map(String::as_str);
        let slices = shlex::try_join(profiles).unwrap_or_default();
        let gpu = shlex::try_quote(gpu).unwrap_or_default();
        format!(
            "to list the profiles: sky-accel mig profiles {gpu}; to find how many GPUs are needed: sky-accel mig pack {gpu} {slices}; for more help: sky-accel help mig-failed"
        )
    };
    let view = PictureMedium::of(context);
    let MigFitAnswer {
        envelope,
        layout,
        existing,
        placed,
        names,
    } = answer;
    let profiles = envelope.request.profiles.clone();
    let report = Report {
        names,
        envelope,
        csv: CSV,
        page: Box::new(move |results, _| {
            if fits || !existing.is_empty() {
                page(&layout.chip, &profiles, view, results, &existing, &placed)
            } else {
                Page::default()
            }
        }),
        footer: Footer {
            advice: vec![next],
            ..Footer::default()
        },
        exit_code: found(fits),
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

/// Explains why slices do not fit.
fn tell_reason(context: &mut Context<'_>, profiles: &str, result: &MigFitOut) -> Result<()> {
    let Some(reason) = &result.reason else {
        return Ok(());
    };
    let takes = match result.gpus_needed {
        Some(1) => "; 1 GPU is needed".to_owned(),
        Some(gpus) => format!("; {gpus} GPUs are needed"),
        None => String::new(),
    };
    let (gpu, why) = (&result.gpu, &reason.message);
    let message = format!("{profiles} does not fit on one {gpu}: {why}{takes}");
    Ok(context.ui.stderr_line(&message)?)
}

fn page(
    chip: &Chip<'_>,
    list: &str,
    view: PictureMedium,
    results: &[MigFitOut],
    existing: &[Instance],
    placed: &[Instance],
) -> Page {
    let Some(result) = results.first() else {
        return Page::default();
    };
    let heading = if result.fits {
        format!("{list} fits on one {}", result.gpu)
    } else {
        format!("slices on the {}", result.gpu)
    };
    let mut table = Table::new([
        Column::left("PROFILE", 0),
        Column::right("ID", 0),
        Column::right("START", 0),
        Column::right("SIZE", 0),
        Column::right("MEM MIB", 0),
        Column::left("", 0),
    ]);
    let figure = |n: Option<u32>| n.map_or_else(|| "?".to_owned(), |n| n.to_string());
    let mut row = |slice: &PlacementOut, style: RowStyle, remark: &str| {
        table.row(
            style,
            [
                slice.profile.clone(),
                figure(slice.profile_id.map(u32::from)),
                figure(slice.start.map(u32::from)),
                figure(slice.size.map(u32::from)),
                figure(slice.memory_mib),
                remark.to_owned(),
            ],
        );
    };
    for slice in &result.existing {
        row(slice, RowStyle::Dim, "exists");
    }
    for slice in &result.placements {
        let cut = match &slice.compute_instances[..] {
            [] => String::new(),
            parts => format!("cut into {}", parts.join(", ")),
        };
        row(slice, RowStyle::Plain, &cut);
    }
    let gpu = LabeledGpu {
        label: "GPU 0".to_owned(),
        existing,
        placed,
    };
    let free: Vec<String> = result
        .free
        .iter()
        .map(|free| {
            let starts: Vec<String> = free.starts.iter().map(ToString::to_string).collect();
            format!("{} at {}", free.profile, starts.join(", "))
        })
        .collect();
    let free = if free.is_empty() {
        "no other slice fits".to_owned()
    } else {
        format!("you could add one of: {}", free.join("; "))
    };
    Page {
        blocks: vec![
            Block::Heading(heading),
            picture::block(chip, view, &[gpu], None),
            Block::Table(table),
            Block::Text(free),
        ],
    }
}
