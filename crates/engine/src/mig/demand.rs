//! Reads a GPU and the slices to place on it.

use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::{AcceleratorId, Catalog};
use sky_accel_core::mig::{Chip, Counts, Demand, SliceList};
use sky_accel_core::note::Note;

use super::notation::slices;
use crate::code::ErrorCode;
use crate::error::{Error, Result};
use crate::specs::{read_accelerators, read_spec};

/// A GPU and the requested slices.
pub(super) struct SliceDemand<'a> {
    /// All GPUs that the name may mean; the first is used in messages.
    pub accelerators: Vec<AcceleratorId>,
    pub chip: Chip<'a>,
    /// With canonical profile names.
    pub list: String,
    pub demand: Demand,
    pub notes: Vec<Note>,
}

/// A GPU that a name may mean, with its placement rules and the slices on it.
type Reading<'a> = (AcceleratorId, Chip<'a>, Demand);

/// Reads a GPU and a list of slices. A name that covers several GPUs means the GPU that has all profiles;
/// if several do and their profiles differ, that is an error.
pub(super) fn read<'a>(catalog: &Catalog<'a>, gpu: &str, list: &str) -> Result<SliceDemand<'a>> {
    if is_any(gpu) {
        let message =
            format!("'{gpu}' covers every GPU: name one GPU, or compare them with `mig pack any`");
        return Err(Error::new(ErrorCode::OneGpu, message));
    }
    check_counts(list)?;
    let wanted = read_spec(catalog, &format!("{gpu}:mig={list}"))?;
    let [wanted] = &wanted[..] else {
        return Err(Error::new(
            ErrorCode::OneGpu,
            format!("'{gpu}' has more than one alternative"),
        ));
    };
    if wanted.count_given {
        let message = "remove the count: `mig fit` uses one GPU, `mig pack` uses as many as needed";
        return Err(Error::new(ErrorCode::Count, message));
    }
    let mut readings = readings(catalog, wanted);
    let by_id = wanted.mig.as_ref().is_some_and(SliceList::has_ids);
    let shape = |(_, chip, demand): &Reading<'_>| {
        let used = chip
            .kinds
            .iter()
            .zip(&demand.counts)
            .filter(|(_, n)| **n > 0);
        // A profile id may mean different profiles on different GPUs: all have to be the same profile.
        used.map(|(kind, n)| {
            let name = by_id.then(|| kind.name.to_owned());
            (kind.profile.id, kind.profile.size, name, *n)
        })
        .collect::<Vec<_>>()
    };
    let Some(first) = readings.first() else {
        return Err(Error::new(
            ErrorCode::SpecNoMig,
            format!("the MIG profiles of {gpu} are not published"),
        ));
    };
    if let Some(other) = readings.iter().find(|other| shape(other) != shape(first)) {
        let [a, b] = [first, other].map(|(id, _, _)| catalog.accelerator_id(*id).to_owned());
        let message = format!("{list} differs between models of {}", wanted.name);
        return Err(Error::new(ErrorCode::SpecAmbiguous, message).hint([a, b]));
    }
    let mut notes: Vec<Note> = wanted
        .notes
        .iter()
        .filter(|note| note.code == "mig-alias")
        .cloned()
        .collect();
    notes.extend(figures_note(catalog, &readings));
    let accelerators = readings
        .iter()
        .map(|(accelerator, _, _)| *accelerator)
        .collect();
    let (_, chip, demand) = readings.swap_remove(0);
    notes.extend(disputed(&chip));
    let list = wanted.mig.as_ref().filter(|_| !by_id);
    Ok(SliceDemand {
        accelerators,
        list: list.map_or_else(|| slices(&chip, &demand.counts), ToString::to_string),
        chip,
        demand,
        notes,
    })
}

/// Fails for a count of slices after `:`, which would be read as a count of GPUs.
fn check_counts(list: &str) -> Result<()> {
    let mut items = list.split([' ', ',', '+']);
    let counted = items.find_map(|item| {
        let (profile, count) = item.split_once(':')?;
        let count = count.trim_start_matches(['x', 'X']);
        let is_count = !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
        is_count.then_some((item, format!("{profile}={count}")))
    });
    let Some((written, right)) = counted else {
        return Ok(());
    };
    let message = format!("'{written}': the number of slices follows `=` or `*`, as in {right}");
    Err(Error::new(ErrorCode::Count, message).hint([right]))
}

/// The candidates of a spec that have all of its slices.
fn readings<'a>(catalog: &Catalog<'a>, choice: &BoundChoice) -> Vec<Reading<'a>> {
    let reading = |accelerator: AcceleratorId| {
        let geometry = catalog.geometry(&catalog.accelerator(accelerator))?;
        let chip = Chip::new(catalog, geometry);
        let demand = Demand::new(&chip, choice.mig.as_ref()?)?;
        Some((accelerator, chip, demand))
    };
    let candidates = choice.candidates.iter();
    candidates
        .filter_map(|candidate| reading(candidate.accelerator))
        .collect()
}

/// The note if GPUs with the same profiles differ in the memory or multiprocessors of a profile.
fn figures_note(catalog: &Catalog<'_>, readings: &[Reading<'_>]) -> Option<Note> {
    let figures = |(_, chip, _): &Reading<'_>| -> Vec<_> {
        let profiles = chip.kinds.iter().map(|kind| &kind.profile);
        profiles.map(|row| (row.sm, row.memory_mib)).collect()
    };
    let (first, others) = readings.split_first()?;
    let differs = others.iter().any(|other| figures(other) != figures(first));
    differs.then(|| {
        let message = format!(
            "the figures are for {}; other GPUs of this name differ in memory or multiprocessors",
            catalog.str(first.1.geometry.title)
        );
        Note::new("mig-figures", message)
    })
}

pub(super) fn is_any(gpu: &str) -> bool {
    gpu == "*" || gpu.eq_ignore_ascii_case("any")
}

/// The note of a geometry whose sources disagree.
pub(super) fn disputed(chip: &Chip<'_>) -> Option<Note> {
    let note = chip.catalog.text(chip.geometry.note)?;
    let title = chip.catalog.str(chip.geometry.title);
    Some(Note::new("mig-geometry", format!("{title}: {note}")))
}

/// Reads a GPU for slices that are not given by profile: the first GPU with MIG.
pub(super) fn read_sized<'a>(
    catalog: &Catalog<'a>,
    gpu: &str,
    list: &[String],
    counts: impl Fn(&Chip<'a>) -> Option<Counts>,
) -> Result<SliceDemand<'a>> {
    let wanted = read_spec(catalog, gpu)?;
    if wanted.len() > 1 || wanted.iter().any(|wanted| wanted.count_given) {
        let message = format!("'{gpu}' covers more than one GPU");
        return Err(Error::new(ErrorCode::OneGpu, message));
    }
    let (ids, _) = read_accelerators(catalog, gpu)?;
    let mut found = ids.iter().filter_map(|id| {
        let chip = Chip::new(catalog, catalog.geometry(&catalog.accelerator(*id))?);
        let counts = counts(&chip)?;
        Some((*id, chip, counts))
    });
    let Some((accelerator, chip, counts)) = found.next() else {
        let message = format!("{gpu} has no slice with this much memory, or no MIG");
        return Err(Error::new(ErrorCode::SpecNoSuchProfile, message));
    };
    let differ = found.any(|(_, other, _)| other.geometry.id != chip.geometry.id);
    let differ = differ.then(|| {
        let name = catalog.accelerator_id(accelerator);
        let message =
            format!("the answer is for {name}; other GPUs of this name have different profiles");
        Note::new("mig-figures", message)
    });
    Ok(SliceDemand {
        accelerators: vec![accelerator],
        notes: disputed(&chip).into_iter().chain(differ).collect(),
        chip,
        list: list.join("+"),
        demand: Demand::from(counts),
    })
}
