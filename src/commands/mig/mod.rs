//! `mig`: profiles of a GPU, whether a mix can be placed and where, and the fewest GPUs for many
//! slices.

mod compare;
mod existing;
mod fit;
mod pack;
mod picture;
mod profiles;

use std::io::Write as _;

use sky_accel_core::bind::Wanted;
use sky_accel_core::catalog::{AcceleratorId, Catalog};
use sky_accel_core::mig::targets::Layout;
use sky_accel_core::mig::{self, Chip, Counts, Demand, Instance, Refusal, SliceList};
use sky_accel_core::note::Note;
use sky_accel_core::text::list_and;
use sky_accel_targets::mig as words;

use super::{Context, Result, read_accelerators, read_spec};
use crate::cli::{Lazy, MigCommand, MigTool};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::output::{self, PlacementOut};
use crate::ui::Ui;

#[cfg(feature = "schema")]
pub use fit::{FitOut, FitRequest};
#[cfg(feature = "schema")]
pub use pack::{PackOut, PackRequest};
#[cfg(feature = "schema")]
pub use profiles::{ProfileRow, ProfilesRequest};

pub fn run(context: &mut Context<'_>, command: MigCommand) -> Result<ExitCode> {
    match command {
        MigCommand::Profiles(Lazy(args)) => profiles::run(context, &args),
        MigCommand::Fit(Lazy(args)) => fit::run(context, &args),
        MigCommand::Pack(Lazy(args)) => pack::run(context, &args),
    }
}

/// A GPU and the slices that are wanted of it.
struct Asked<'a> {
    /// All that the name may mean, the first one to speak of.
    accelerators: Vec<AcceleratorId>,
    chip: Chip<'a>,
    /// In canonical names.
    list: String,
    demand: Demand,
    notes: Vec<Note>,
}

/// Reads a GPU and a list of slices. A name that covers several GPUs means the one that has them
/// all; when several do and mean different things by them, that is an error.
fn read<'a>(
    catalog: &Catalog<'a>,
    gpu: &str,
    list: &str,
) -> std::result::Result<Asked<'a>, CliError> {
    if is_any(gpu) {
        let message = format!("'{gpu}' is every GPU: name one; `mig pack any` compares them");
        return Err(CliError::usage("usage.one-gpu", message));
    }
    let wanted = read_spec(catalog, &format!("{gpu}:mig={list}"))?;
    let [wanted] = &wanted[..] else {
        return Err(CliError::usage(
            "usage.one-gpu",
            format!("'{gpu}' is more than one choice"),
        ));
    };
    if wanted.count_given {
        let message =
            "leave the count out: `mig fit` is about one GPU, `mig pack` takes as many as it needs";
        return Err(CliError::usage("usage.count", message));
    }
    let mut all = Vec::new();
    for candidate in &wanted.candidates {
        let geometry = catalog.geometry(catalog.accelerator(candidate.accelerator));
        if let Some(geometry) = geometry {
            let chip = Chip::new(catalog, geometry);
            let demand = wanted
                .mig
                .as_ref()
                .and_then(|list| Demand::new(&chip, list));
            if let Some(demand) = demand {
                all.push((candidate.accelerator, chip, demand));
            }
        }
    }
    let by_id = wanted.mig.as_ref().is_some_and(SliceList::has_ids);
    let shape = |(_, chip, demand): &(AcceleratorId, Chip<'_>, Demand)| {
        let used = chip
            .kinds
            .iter()
            .zip(&demand.counts)
            .filter(|(_, n)| **n > 0);
        // An id says less than a name: it has to mean the same one.
        used.map(|(kind, n)| {
            let name = by_id.then(|| kind.name.to_owned());
            (kind.profile.id, kind.profile.size, name, *n)
        })
        .collect::<Vec<_>>()
    };
    let Some(first) = all.first() else {
        return Err(CliError::usage(
            "spec.no-mig",
            format!("the MIG profiles of {gpu} are not published"),
        ));
    };
    if let Some(other) = all.iter().find(|other| shape(other) != shape(first)) {
        let [a, b] = [first, other].map(|(id, _, _)| catalog.accelerator_id(*id).to_owned());
        let message = format!("{list} is not the same on every {}", wanted.name);
        return Err(CliError::usage("spec.ambiguous", message).hint([a, b]));
    }
    let mut notes: Vec<Note> = wanted
        .notes
        .iter()
        .filter(|note| note.code == "mig-alias")
        .cloned()
        .collect();
    let figures = |chip: &Chip<'_>| {
        chip.kinds
            .iter()
            .map(|k| (k.profile.sm, k.profile.memory_mib))
            .collect::<Vec<_>>()
    };
    if all
        .iter()
        .any(|(_, chip, _)| figures(chip) != figures(&first.1))
    {
        let message = format!(
            "the figures are those of {}; others of that name differ in memory or multiprocessors",
            catalog.str(first.1.geometry.title)
        );
        notes.push(Note::new("mig-figures", message));
    }
    let accelerators = all.iter().map(|(accelerator, _, _)| *accelerator).collect();
    let (_, chip, demand) = all.swap_remove(0);
    notes.extend(disputed(&chip));
    let list = wanted.mig.as_ref().filter(|_| !by_id);
    Ok(Asked {
        accelerators,
        list: list.map_or_else(|| pack::slices(&chip, &demand.counts), ToString::to_string),
        chip,
        demand,
        notes,
    })
}

fn is_any(gpu: &str) -> bool {
    gpu == "*" || gpu.eq_ignore_ascii_case("any")
}

/// What a user must know of the geometry.
fn disputed(chip: &Chip<'_>) -> Option<Note> {
    let note = chip.catalog.text(chip.geometry.note)?;
    let title = chip.catalog.str(chip.geometry.title);
    Some(Note::new("mig-geometry", format!("{title}: {note}")))
}

/// Writes a layout in the words of a tool.
fn write_for(ui: &mut Ui, layout: &Layout<'_, '_>, tool: MigTool) -> Result<()> {
    let text = match tool {
        MigTool::NvidiaSmi => Ok(words::nvidia_smi(layout)),
        MigTool::NvidiaSmiUndo => Ok(words::nvidia_smi_undo(layout)),
        MigTool::MigParted => Ok(words::mig_parted(layout)),
        MigTool::Kubernetes => words::kubernetes(layout),
        MigTool::GpuOperator => words::gpu_operator(layout),
        MigTool::Dra => words::dra(layout),
        MigTool::Flyte => words::flyte(layout),
        MigTool::Gke => words::gke(layout),
        MigTool::Aks => words::aks(layout),
    };
    let text = text.map_err(|why| CliError::usage("mig.cannot-say", why.to_string()))?;
    Ok(ui.stdout().write_all(text.as_bytes())?)
}

/// Where the slices of a spec go on GPUs of one kind. With a count each of so many GPUs is cut.
pub fn placements(
    catalog: &Catalog<'_>,
    accelerator: AcceleratorId,
    wanted: &Wanted,
    gpus: u32,
) -> Vec<PlacementOut> {
    let geometry = catalog.geometry(catalog.accelerator(accelerator));
    let packed = geometry.and_then(|geometry| {
        let chip = Chip::new(catalog, geometry);
        let each = wanted.count_given.then_some(gpus);
        let gpus = mig::cut_gpus(&chip, wanted.mig.as_ref()?, each)?;
        Some(output::placements(&chip, &gpus))
    });
    packed.unwrap_or_default()
}

/// Slices as one list: `=` and `*` say how many.
fn named(slices: &[String]) -> String {
    slices.join("+").replace('=', "*")
}

/// Reads a GPU whose slices are told otherwise than by name: the first one that has them.
fn read_sized<'a>(
    catalog: &Catalog<'a>,
    gpu: &str,
    counts: impl Fn(&Chip<'a>) -> Option<Counts>,
) -> std::result::Result<Asked<'a>, CliError> {
    let wanted = read_spec(catalog, gpu)?;
    if wanted.len() > 1 || wanted.iter().any(|wanted| wanted.count_given) {
        let message = format!("'{gpu}' is more than the name of one GPU");
        return Err(CliError::usage("usage.one-gpu", message));
    }
    let (ids, _) = read_accelerators(catalog, gpu)?;
    let mut found = ids.iter().filter_map(|id| {
        let chip = Chip::new(catalog, catalog.geometry(catalog.accelerator(*id))?);
        let counts = counts(&chip)?;
        Some((*id, chip, counts))
    });
    let Some((accelerator, chip, counts)) = found.next() else {
        let message = format!("{gpu} has no slices with so much memory, or no MIG");
        return Err(CliError::usage("spec.no-such-profile", message));
    };
    let differ = found.any(|(_, other, _)| other.geometry.id != chip.geometry.id);
    let differ = differ.then(|| {
        let name = catalog.accelerator_id(accelerator);
        let message = format!("the answer is for {name}; others of that name are cut otherwise");
        Note::new("mig-figures", message)
    });
    Ok(Asked {
        accelerators: vec![accelerator],
        notes: disputed(&chip).into_iter().chain(differ).collect(),
        chip,
        list: "the slices".to_owned(),
        demand: Demand::from(counts),
    })
}

/// `slice` or `slices`.
fn plural(n: u32) -> &'static str {
    if n == 1 { "slice" } else { "slices" }
}

/// A refusal in words.
fn why(chip: &Chip<'_>, refusal: Refusal, existing: &[Instance]) -> String {
    let takes = if existing.is_empty() {
        "it takes"
    } else {
        "with what is there it would take"
    };
    match refusal {
        Refusal::MediaTwice => {
            "only one slice of a GPU can have extra media engines (+me), and more are wanted"
                .to_owned()
        }
        Refusal::AllMedia => {
            "a slice with +me.all takes all media engines: beside it there are only slices with -me"
                .to_owned()
        }
        Refusal::Graphics { with, max } => {
            let what = if with {
                "with graphics (+gfx)"
            } else {
                "without graphics"
            };
            format!(
                "the GPU has at most {max} {} {what}",
                plural(u32::from(max))
            )
        }
        Refusal::TooMany { kind, max } => {
            let name = chip.kinds[kind].name;
            let times = if max == 1 {
                "once"
            } else {
                &format!("{max} times")
            };
            format!("{name} fits at most {times} on one GPU")
        }
        Refusal::Compute { wanted, has } => {
            let slices = plural(wanted);
            format!("{takes} {wanted} compute {slices}, and the GPU has {has}")
        }
        Refusal::Memory { wanted, has } => {
            let slices = plural(wanted);
            format!("{takes} {wanted} memory {slices}, and the GPU has {has}")
        }
        Refusal::Engines { what, wanted, has } => {
            format!("{takes} {wanted} {what}, and the GPU has {has}")
        }
        Refusal::Blocked if existing.is_empty() => {
            "its slices have no starts that do not overlap".to_owned()
        }
        Refusal::Blocked => {
            let there: Vec<String> = existing.iter().map(|own| at(chip, own)).collect();
            let there: Vec<&str> = there.iter().map(String::as_str).collect();
            let is = if there.len() == 1 { "is" } else { "are" };
            format!(
                "there would be room, but at none of its starts: {} {is} in the way",
                list_and(&there)
            )
        }
    }
}

/// `3g.40gb@4`.
fn at(chip: &Chip<'_>, instance: &Instance) -> String {
    let name = chip.kinds[instance.kind].name;
    instance
        .start
        .map_or_else(|| name.to_owned(), |start| format!("{name}@{start}"))
}
