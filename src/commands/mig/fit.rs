//! `mig fit`: whether a mix can be placed on one GPU, and where.

use serde::Serialize;
use sky_accel_core::mig::{
    self, Chip, Instance, OccupiedError, PackedGpus, ProfileRef, Refusal, find_profile,
    parse_profile,
};
use sky_accel_core::text::list_and;

use super::super::{Context, Result};
use super::{Asked, named, picture, read, write_for};
use crate::cli::MigFitArgs;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::output::{Envelope, NoteOut, PlacementOut, placement};
use crate::render::{Block, Column, Page, Report, RowStyle, Table, print};

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
        accelerator,
        chip,
        list,
        counts,
        notes,
    } = read(&catalog, &args.gpu, &named(&args.profiles))?;
    let gpu = catalog.accelerator_id(accelerator);
    let existing = occupied(&chip, gpu, &args.occupied)?;
    let placed = mig::place(&chip, &existing, &counts);
    let empty = existing.is_empty();
    let packing = placed
        .as_ref()
        .err()
        .filter(|_| empty)
        .and_then(|_| mig::pack(&chip, &counts));
    let mut all = existing.clone();
    all.extend(placed.iter().flatten());
    let result = FitOut {
        gpu: gpu.to_owned(),
        fits: placed.is_ok(),
        gpus_needed: match &placed {
            Ok(_) => Some(1),
            Err(_) => packing.map(|packing| packing.gpus),
        },
        placements: placed
            .iter()
            .flatten()
            .map(|own| placement(&chip, 0, own))
            .collect(),
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
        if !matches!(
            context.settings.output,
            crate::cli::OutputFormat::Json | crate::cli::OutputFormat::Yaml
        ) {
            context.ui.always(&format!(
                "{list} does not fit on one {gpu}: {}{takes}",
                reason.message
            ))?;
        }
    }
    if let (Some(tool), Ok(placed)) = (args.to, &placed) {
        let group = PackedGpus {
            gpus: 1,
            instances: placed.clone(),
        };
        write_for(context.ui, &chip, tool, &existing, &[group])?;
        return Ok(ExitCode::Found);
    }
    if args.to.is_some() {
        return Ok(ExitCode::NothingMatches);
    }
    let request = FitRequest {
        gpu: args.gpu.clone(),
        profiles: list,
        occupied: existing.iter().map(|own| at(&chip, own)).collect(),
    };
    let fits = result.fits;
    let names = placed.iter().flatten().map(|own| at(&chip, own)).collect();
    let width = picture::width(context.ui.width());
    let report = Report {
        envelope: Envelope::new("sky-accel.mig-fit.v1", &catalog, request, vec![result])
            .with_notes(notes),
        csv: CSV,
        names,
        page: Box::new(|results, _| {
            if fits || !existing.is_empty() {
                page(&chip, width, results, &existing, &all)
            } else {
                Page::default()
            }
        }),
        footer: Vec::new(),
        exit_code: if fits {
            ExitCode::Found
        } else {
            ExitCode::NothingMatches
        },
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

/// `3g.40gb@4`.
fn at(chip: &Chip<'_>, instance: &Instance) -> String {
    let name = chip.kinds[instance.kind].name;
    instance
        .start
        .map_or_else(|| name.to_owned(), |start| format!("{name}@{start}"))
}

/// Reads and checks what is there already.
fn occupied(
    chip: &Chip<'_>,
    gpu: &str,
    texts: &[String],
) -> std::result::Result<Vec<Instance>, CliError> {
    let wrong = |message: String| CliError::usage("mig.occupied", message);
    let mut instances = Vec::new();
    for text in texts {
        let form = || {
            wrong(format!(
                "'{text}' is not a profile with its start, such as 3g.40gb@4"
            ))
        };
        let (name, start) = text.split_once('@').ok_or_else(form)?;
        let start: u8 = start.trim().parse().map_err(|_| form())?;
        let reference = match name.trim().parse() {
            Ok(id) => ProfileRef::Id(id),
            Err(_) => ProfileRef::Name(parse_profile(name).ok_or_else(form)?),
        };
        let kind = find_profile(&chip.catalog, chip.geometry, reference)
            .and_then(|(profile, _)| chip.kind_of(profile));
        let Some(kind) = kind else {
            let all: Vec<&str> = chip.kinds.iter().map(|kind| kind.name).collect();
            return Err(wrong(format!(
                "{gpu} has no profile {name}; it has {}",
                list_and(&all)
            )));
        };
        instances.push(Instance {
            kind,
            start: Some(start),
        });
    }
    let name = |at: usize| &texts[at];
    mig::occupy(chip, &instances).map_err(|error| {
        wrong(match error {
            OccupiedError::NoSuchStart { at, starts } if starts.is_empty() => {
                format!("{}: the starts of {gpu} are not published", name(at))
            }
            OccupiedError::NoSuchStart { at, starts } => {
                let starts: Vec<String> = starts.iter().map(ToString::to_string).collect();
                let own = chip.kinds[instances[at].kind].name;
                format!(
                    "{}: {own} starts at {} on {gpu}",
                    name(at),
                    starts.join(", ")
                )
            }
            OccupiedError::Overlap { at, with } => {
                format!(
                    "{} and {} overlap: no GPU looks like that",
                    name(with),
                    name(at)
                )
            }
            OccupiedError::Impossible(refusal) => {
                format!("no {gpu} looks like that: {}", why(chip, refusal, &[]))
            }
        })
    })?;
    Ok(instances)
}

/// A refusal in words.
fn why(chip: &Chip<'_>, refusal: Refusal, existing: &[Instance]) -> String {
    let slices = |n: u32| if n == 1 { "slice" } else { "slices" };
    match refusal {
        Refusal::MediaTwice => {
            "only one slice of a GPU can have extra media engines (+me), and more are wanted"
                .to_owned()
        }
        Refusal::TooMany { kind, max } => {
            format!(
                "{} fits at most {max} times on one GPU",
                chip.kinds[kind].name
            )
        }
        Refusal::Compute { wanted, has } => {
            format!(
                "it takes {wanted} compute {}, and the GPU has {has}",
                slices(wanted)
            )
        }
        Refusal::Memory { wanted, has } => {
            format!(
                "it takes {wanted} memory {}, and the GPU has {has}",
                slices(wanted)
            )
        }
        Refusal::Engines { what, wanted, has } => {
            format!("it takes {wanted} {what}, and the GPU has {has}")
        }
        Refusal::Blocked if existing.is_empty() => {
            "its slices have no starts that do not overlap".to_owned()
        }
        Refusal::Blocked => {
            let there: Vec<String> = existing.iter().map(|own| at(chip, own)).collect();
            let there: Vec<&str> = there.iter().map(String::as_str).collect();
            format!(
                "there would be room, but not in one piece: {} is in the way",
                list_and(&there)
            )
        }
    }
}

fn page(
    chip: &Chip<'_>,
    width: usize,
    results: &[FitOut],
    existing: &[Instance],
    all: &[Instance],
) -> Page {
    let Some(result) = results.first() else {
        return Page::default();
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
    for own in existing {
        row(&placement(chip, 0, own), RowStyle::Dim, "there already");
    }
    for own in &result.placements {
        row(own, RowStyle::Plain, "");
    }
    let mut picture: Vec<String> = picture::ruler(chip, width).into_iter().collect();
    picture.push(picture::gpu(chip, width, "GPU 0", all));
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
            Block::Lines(picture),
            Block::Table(table),
            Block::Text(free),
        ],
    }
}
