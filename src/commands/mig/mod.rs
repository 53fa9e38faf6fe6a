//! `mig`: profiles of a GPU, whether a mix can be placed and where, and the fewest GPUs for many
//! slices.

mod compare;
mod fit;
mod pack;
mod picture;
mod profiles;

use std::io::{self, Write as _};

use sky_accel_core::bind::Wanted;
use sky_accel_core::catalog::{AcceleratorId, Catalog};
use sky_accel_core::mig::{
    self, Chip, Counts, Instance, PackedGpus, ProfileRef, SliceList, find_profile,
};
use sky_accel_core::note::Note;

use super::{Context, Result, read_accelerators, read_spec};
use crate::cli::{MigCommand, MigTool};
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
        MigCommand::Profiles(args) => profiles::run(context, &args),
        MigCommand::Fit(args) => fit::run(context, &args),
        MigCommand::Pack(args) => pack::run(context, &args),
    }
}

/// A GPU and the slices that are wanted of it.
struct Asked<'a> {
    accelerator: AcceleratorId,
    chip: Chip<'a>,
    /// In canonical names.
    list: String,
    counts: Counts,
    notes: Vec<Note>,
}

/// Reads a GPU and a list of slices. A name that covers several GPUs means the one that has them
/// all; when several do and mean different things by them, that is an error.
fn read<'a>(
    catalog: &Catalog<'a>,
    gpu: &str,
    list: &str,
) -> std::result::Result<Asked<'a>, CliError> {
    let wanted = read_spec(catalog, &format!("{gpu}:mig={list}"))?;
    let [wanted] = &wanted[..] else {
        return Err(CliError::usage(
            "usage.one-gpu",
            format!("'{gpu}' is more than one choice"),
        ));
    };
    if wanted.count_given {
        let message = format!(
            "'{gpu}' says how many: leave the count out, and so many GPUs as it takes are used"
        );
        return Err(CliError::usage("usage.count", message));
    }
    let mut all = Vec::new();
    for candidate in &wanted.candidates {
        let geometry = catalog.geometry(catalog.accelerator(candidate.accelerator));
        if let Some(geometry) = geometry {
            let chip = Chip::new(catalog, geometry);
            if let Some(counts) = counts(&chip, wanted) {
                all.push((candidate.accelerator, chip, counts));
            }
        }
    }
    let shape = |(_, chip, counts): &(AcceleratorId, Chip<'_>, Counts)| {
        let used = chip.kinds.iter().zip(counts).filter(|(_, n)| **n > 0);
        used.map(|(kind, n)| (kind.profile.id, kind.profile.size, *n))
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
    let (accelerator, chip, counts) = all.swap_remove(0);
    Ok(Asked {
        accelerator,
        chip,
        list: wanted
            .mig
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default(),
        counts,
        notes,
    })
}

/// Writes what makes the slices of some GPUs. `existing` is what is on the first one already.
fn write_for(
    ui: &mut Ui,
    chip: &Chip<'_>,
    tool: MigTool,
    existing: &[Instance],
    groups: &[PackedGpus],
) -> io::Result<()> {
    if tool == MigTool::MigParted {
        // It clears a GPU first: what is there must be in the configuration too.
        let mut groups = groups.to_vec();
        if let Some(first) = groups.first_mut() {
            first.instances.extend(existing);
        }
        return ui
            .stdout()
            .write_all(mig::mig_parted(chip, &groups).as_bytes());
    }
    let mut gpu = 0;
    for group in groups {
        for _ in 0..group.gpus {
            let commands = if tool == MigTool::NvidiaSmi {
                mig::nvidia_smi(chip, gpu, &group.instances, !existing.is_empty())
            } else {
                mig::nvidia_smi_undo(gpu).to_vec()
            };
            for command in commands {
                ui.line(command)?;
            }
            gpu += 1;
        }
    }
    Ok(())
}

/// Where the slices of a spec go on GPUs of one kind.
pub fn placements(
    catalog: &Catalog<'_>,
    accelerator: AcceleratorId,
    wanted: &Wanted,
) -> Vec<PlacementOut> {
    let geometry = catalog.geometry(catalog.accelerator(accelerator));
    let packed = geometry.and_then(|geometry| {
        let chip = Chip::new(catalog, geometry);
        let packing = mig::pack(&chip, &counts(&chip, wanted)?)?;
        Some(output::placements(&chip, &packing.groups))
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
    let (ids, _) = read_accelerators(catalog, gpu)?;
    let found = ids.iter().find_map(|id| {
        let chip = Chip::new(catalog, catalog.geometry(catalog.accelerator(*id))?);
        let counts = counts(&chip)?;
        Some((*id, chip, counts))
    });
    let Some((accelerator, chip, counts)) = found else {
        let message = format!("{gpu} has no slices with so much memory, or no MIG");
        return Err(CliError::usage("spec.no-such-profile", message));
    };
    Ok(Asked {
        accelerator,
        chip,
        list: "the slices".to_owned(),
        counts,
        notes: Vec::new(),
    })
}

fn counts(chip: &Chip<'_>, wanted: &Wanted) -> Option<Counts> {
    counts_of(chip, wanted.mig.as_ref()?)
}

/// A list of slices by the kinds of a chip; `None` when it lacks one of them.
fn counts_of(chip: &Chip<'_>, list: &SliceList) -> Option<Counts> {
    let mut counts = chip.none();
    for slice in &list.slices {
        let reference = match slice.profile {
            ProfileRef::Name(name) => ProfileRef::Name(name.gpu_instance()),
            id @ ProfileRef::Id(_) => id,
        };
        let (profile, _) = find_profile(&chip.catalog, chip.geometry, reference)?;
        counts[chip.kind_of(profile)?] += slice.count;
    }
    Some(counts)
}
