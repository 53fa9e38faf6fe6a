//! `mig fit`: whether a mix can be placed on one GPU, and where.

use serde::Serialize;
use sky_accel_core::mig::targets::Layout;
use sky_accel_core::mig::{self, Chip, Fleet, Instance, PackedGpus};

use super::super::{Context, Result};
use super::existing::occupied;
use super::{Asked, at, named, picture, read, why, write_for};
use crate::cli::MigFitArgs;
use crate::exit_code::ExitCode;
use crate::output::{Envelope, NoteOut, PlacementOut, placements};
use crate::render::{Block, Column, Line, Page, Report, RowStyle, Table, print};

/// What was asked.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FitRequest {
    pub gpu: String,
    /// In canonical form.
    pub profiles: String,
    /// `profile@start` of what is there already.
    pub occupied: Vec<String>,
}

/// Whether and where.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FitOut {
    pub gpu: String,
    /// Whether one GPU holds all of it.
    pub fits: bool,
    /// GPUs that it takes when they are empty; `null` with `--occupied` when it does not fit.
    pub gpus_needed: Option<u32>,
    pub placements: Vec<PlacementOut>,
    /// What is there already.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub existing: Vec<PlacementOut>,
    /// Why it does not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<NoteOut>,
    /// What could be placed besides, the largest first.
    pub free: Vec<FreeOut>,
}

/// Where one more of a profile could go.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FreeOut {
    pub gpu_index: u32,
    pub profile: String,
    pub starts: Vec<u8>,
}

const CSV: &[&str] = &["gpu", "fits", "gpus_needed"];

pub fn run(context: &mut Context<'_>, args: &MigFitArgs) -> Result<ExitCode> {
    let catalog = context.catalog;
    let Asked {
        accelerators,
        chip,
        list,
        demand,
        notes,
    } = read(&catalog, &args.gpu, &named(&args.profiles))?;
    let gpu = catalog.accelerator_id(accelerators[0]);
    let existing = occupied(&chip, gpu, &args.occupied)?;
    let placed = mig::place(&chip, &existing, &demand.counts);
    let empty = existing.is_empty();
    let packing = placed
        .as_ref()
        .err()
        .filter(|_| empty)
        .and_then(|_| mig::pack(&chip, &demand.counts, &Fleet::default()));
    let mut all = existing.clone();
    all.extend(placed.iter().flatten());
    let group = |instances: &[Instance]| PackedGpus {
        gpus: vec![0],
        existing: existing.clone(),
        instances: instances.to_vec(),
    };
    let fit: Vec<PackedGpus> = placed.iter().map(|placed| group(placed)).collect();
    let gpus = mig::gpus(&fit, &demand.cuts);
    let result = FitOut {
        gpu: gpu.to_owned(),
        fits: placed.is_ok(),
        gpus_needed: match &placed {
            Ok(_) => Some(1),
            Err(_) => packing.map(|packing| packing.gpus),
        },
        placements: placements(&chip, &gpus),
        existing: placements(&chip, &mig::gpus(&[group(&existing)], &[])),
        reason: placed.as_ref().err().map(|refusal| NoteOut {
            code: refusal.code().to_owned(),
            message: why(&chip, *refusal, &existing),
        }),
        free: mig::free(&chip, &all)
            .into_iter()
            .map(|free| FreeOut {
                gpu_index: 0,
                profile: chip.kinds[free.kind].name.to_owned(),
                starts: free.starts,
            })
            .collect(),
    };
    if let Some(reason) = &result.reason {
        let takes = match result.gpus_needed {
            Some(gpus) => format!("; it takes {gpus} GPUs"),
            None => String::new(),
        };
        // In these the reason is a field, unless commands are printed instead.
        let is_told = args.to.is_none()
            && matches!(
                context.settings.output,
                crate::cli::OutputFormat::Json | crate::cli::OutputFormat::Yaml
            );
        if !is_told {
            context.ui.always(&format!(
                "{list} does not fit on one {gpu}: {}{takes}",
                reason.message
            ))?;
        }
    }
    if let Some(tool) = args.to {
        if placed.is_err() {
            return Ok(ExitCode::NothingMatches);
        }
        let layout = Layout {
            chip: &chip,
            accelerators: &accelerators,
            gpus: &gpus,
        };
        write_for(context.ui, &layout, tool)?;
        return Ok(ExitCode::Found);
    }
    let request = FitRequest {
        gpu: args.gpu.clone(),
        profiles: list,
        occupied: existing.iter().map(|own| at(&chip, own)).collect(),
    };
    let fits = result.fits;
    let asked = request.profiles.clone();
    let names = placed.iter().flatten().map(|own| at(&chip, own)).collect();
    let width = picture::width(context.ui.width());
    let report = Report {
        envelope: Envelope::new("sky-accel.mig-fit.v1", &catalog, request, vec![result])
            .with_notes(notes),
        csv: CSV,
        names,
        page: Box::new(|results, _| {
            if fits || !existing.is_empty() {
                page(
                    &chip,
                    &asked,
                    width,
                    results,
                    &existing,
                    placed.as_deref().unwrap_or_default(),
                )
            } else {
                Page::default()
            }
        }),
        footer: if fits {
            vec![super::pack::MAKES_IT.to_owned()]
        } else {
            vec![format!(
                "what can be placed: sky-accel mig profiles {0}; how many GPUs it takes: sky-accel mig pack {0}; more: sky-accel help mig-failed",
                args.gpu
            )]
        },
        exit_code: if fits {
            ExitCode::Found
        } else {
            ExitCode::NothingMatches
        },
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

fn page(
    chip: &Chip<'_>,
    list: &str,
    width: usize,
    results: &[FitOut],
    existing: &[Instance],
    placed: &[Instance],
) -> Page {
    let Some(result) = results.first() else {
        return Page::default();
    };
    let heading = if result.fits {
        format!("{list} fits on one {}", result.gpu)
    } else {
        format!("what is on the {}", result.gpu)
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
    let mut row = |own: &PlacementOut, style: RowStyle, remark: &str| {
        table.row(
            style,
            [
                own.profile.clone(),
                figure(own.profile_id.map(u32::from)),
                figure(own.start.map(u32::from)),
                figure(own.size.map(u32::from)),
                figure(own.memory_mib),
                remark.to_owned(),
            ],
        );
    };
    for own in &result.existing {
        row(own, RowStyle::Dim, "there already");
    }
    for own in &result.placements {
        let cut = match &own.compute_instances[..] {
            [] => String::new(),
            parts => format!("cut into {}", parts.join(", ")),
        };
        row(own, RowStyle::Plain, &cut);
    }
    let mut picture: Vec<Line> = picture::ruler(chip, width).into_iter().collect();
    picture.push(picture::gpu(chip, width, "GPU 0", existing, placed));
    let free: Vec<String> = result
        .free
        .iter()
        .map(|free| {
            let starts: Vec<String> = free.starts.iter().map(ToString::to_string).collect();
            format!("{} at {}", free.profile, starts.join(", "))
        })
        .collect();
    let free = if free.is_empty() {
        "nothing more fits".to_owned()
    } else {
        format!("one more could be: {}", free.join("; "))
    };
    Page {
        blocks: vec![
            Block::Heading(heading),
            Block::Picture(picture),
            Block::Table(table),
            Block::Text(free),
        ],
    }
}
