//! Notes on an answer: on the first result, and on machines that are not among the results.

use sky_accel_core::catalog::{Catalog, OfferId};
use sky_accel_core::guide::size_row;
use sky_accel_core::money::{Count, Usd};
use sky_accel_core::note::Note;
use sky_accel_core::sizing::{MOST_DEVICES_OF_A_MACHINE, ModelKind};

use super::named;
use super::requirements::Requirements;
use super::search::{Rejected, SearchInput, SizedMachine, spec_of};
use super::sentences::{has_arm_host, shortfall_in_words, unpacked};
use crate::contract::Num;
use crate::money::Money;
use crate::sizing::{self, ModelRun};

/// The maximum number of notes on excluded machines.
const EXCLUDED: usize = 3;

/// The machines that are not among the results.
#[derive(Clone, Copy)]
pub(super) struct Excluded<'m> {
    /// Machines with unmet requirements.
    pub missed: &'m [SizedMachine],
    /// Machines on which the model does not fit.
    pub rejected: &'m [Rejected],
}

/// Notes on the first result, and on rejected machines.
pub(super) fn remarks(
    catalog: &Catalog<'_>,
    input: &SearchInput<'_>,
    excluded: Excluded<'_>,
    choices: &[SizedMachine],
    money: &Money<'_>,
) -> Vec<Note> {
    let (work, first) = (input.work, choices.first());
    let mut notes = Vec::new();
    notes.extend(unpacked_note(catalog, input, first));
    notes.extend(arm_note(catalog, first));
    notes.extend(first.and_then(|first| sizing::other_trainer(work, &first.model.fitted.layout)));
    notes.extend(first.and_then(|first| {
        let accelerator = first.machine.accelerator;
        sizing::unmeasured(catalog, accelerator, work)
            .or_else(|| sizing::scaled_loss(catalog, accelerator, work))
    }));
    notes.extend(named::missing(
        catalog,
        input.on,
        input.requirements,
        choices,
        (excluded.missed, excluded.rejected),
    ));
    notes.extend(excluded_notes(catalog, input, excluded, choices, money));
    notes.extend(guide_note(catalog, work, first));
    notes
}

/// The note that the format saves memory on the first result, but no computation.
fn unpacked_note(
    catalog: &Catalog<'_>,
    input: &SearchInput<'_>,
    first: Option<&SizedMachine>,
) -> Option<Note> {
    let first = first?;
    let why = unpacked(catalog, input.work_in(first.precision), first)?;
    let name = catalog.accelerator_id(first.machine.accelerator);
    Some(Note::new("unpacked", format!("{name}: {why}")))
}

/// The note that the first result needs images for Arm.
fn arm_note(catalog: &Catalog<'_>, first: Option<&SizedMachine>) -> Option<Note> {
    let first = first.filter(|first| has_arm_host(catalog, first))?;
    let name = catalog.accelerator_id(first.machine.accelerator);
    let message = format!("{name}: its host is Arm, so it needs images and packages for arm64");
    Some(Note::new("arm-host", message))
}

/// The note with the rule of thumb for the size of the model, next to the computed result.
fn guide_note(catalog: &Catalog<'_>, work: &ModelRun, best: Option<&SizedMachine>) -> Option<Note> {
    if work.model.kind != ModelKind::Text {
        return None;
    }
    let parameters = work.model.shape.parameters().total() / 1e9;
    let (row, _) = size_row(catalog, parameters)?;
    let (minimum, recommended) = (catalog.str(row.minimum), catalog.str(row.recommended));
    let best = best?;
    let message = format!(
        "rule of thumb for {}: at least {minimum}, better {recommended}, for any model and work; the computed first result for {} is {}",
        catalog.str(row.title),
        work.model.name,
        spec_of_all(catalog, best),
    );
    Some(Note::detail("guide", message))
}

/// The spec of a machine, with the number of machines if there are several.
fn spec_of_all(catalog: &Catalog<'_>, choice: &SizedMachine) -> String {
    let spec = spec_of(catalog, &choice.machine);
    if choice.nodes > 1 {
        format!("{} × {spec}", choice.nodes)
    } else {
        spec
    }
}

/// Machines that only exceed limits to money or time, the smallest excess first.
fn nearly_affordable<'m>(
    missed: &'m [SizedMachine],
    requirements: &Requirements,
) -> Vec<&'m SizedMachine> {
    let excess = |choice: &SizedMachine| {
        let open = choice
            .shortfalls
            .iter()
            .map(|open| open.excess(requirements));
        open.fold(1.0, f64::max)
    };
    let mut nearest: Vec<(f64, &SizedMachine)> = missed
        .iter()
        .filter(|choice| choice.exceeds_only_money_or_time())
        .map(|choice| (excess(choice), choice))
        .collect();
    nearest.sort_by(|(a, first), (b, second)| {
        let devices =
            |choice: &SizedMachine| (choice.machine.offer, choice.machine.count, choice.nodes);
        a.total_cmp(b)
            .then_with(|| first.usd_per_hour.cmp(&second.usd_per_hour))
            .then_with(|| devices(first).cmp(&devices(second)))
    });
    nearest.into_iter().map(|(_, choice)| choice).collect()
}

/// Notes on machines that cost less per hour than every result, and on the reasons against them: the most expensive
/// first, one per spec. Without results, notes on machines that only exceed limits to money or time, or else on machines
/// of usual size. With results, the notes are details unless the request names hardware.
fn excluded_notes(
    catalog: &Catalog<'_>,
    input: &SearchInput<'_>,
    excluded: Excluded<'_>,
    choices: &[SizedMachine],
    money: &Money<'_>,
) -> Vec<Note> {
    enum Machine<'r> {
        Rejected(&'r Rejected),
        Missed(&'r SizedMachine),
    }
    let Excluded { missed, rejected } = excluded;
    let cheapest = choices.iter().map(|choice| choice.usd_per_hour).min();
    let affordable = if choices.is_empty() {
        nearly_affordable(missed, input.requirements)
    } else {
        Vec::new()
    };
    // A machine that costs more than a result needs no explanation.
    let is_cheaper = |usd: Usd| cheapest.is_none_or(|cheapest| usd < cheapest);
    let is_usual =
        |count: Count| cheapest.is_some() || count <= Count::whole(MOST_DEVICES_OF_A_MACHINE);
    let rejected = rejected
        .iter()
        .filter(|rejected| is_cheaper(rejected.usd) && is_usual(rejected.machine.count))
        .map(|rejected| {
            let (machine, excluded) = (&rejected.machine, Machine::Rejected(rejected));
            (rejected.usd, machine.offer, machine.count, excluded)
        });
    let missed = missed
        .iter()
        .filter(|choice| is_cheaper(choice.usd_per_hour) && !choice.shortfalls.is_empty())
        .map(|choice| {
            let machine = &choice.machine;
            let excluded = Machine::Missed(choice);
            (choice.usd_per_hour, machine.offer, machine.count, excluded)
        });
    let mut excluded: Vec<(Usd, OfferId, Count, Machine<'_>)> = if affordable.is_empty() {
        rejected.chain(missed).collect()
    } else {
        Vec::new()
    };
    excluded.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
    excluded.extend(affordable.into_iter().map(|choice| {
        let machine = &choice.machine;
        let excluded = Machine::Missed(choice);
        (choice.usd_per_hour, machine.offer, machine.count, excluded)
    }));
    let mut specs: Vec<String> = Vec::new();
    let mut notes = Vec::new();
    for (usd, offer, _, machine) in excluded {
        let (spec, why) = match machine {
            Machine::Rejected(rejected) => {
                let spec = spec_of(catalog, &rejected.machine);
                (spec, rejected.why.to_string())
            }
            Machine::Missed(choice) => {
                let open = choice.shortfalls.first();
                let open = open.map(|open| shortfall_in_words(open, input.requirements));
                (spec_of_all(catalog, choice), open.unwrap_or_default())
            }
        };
        if specs.contains(&spec) {
            continue;
        }
        let seller = catalog.provider(catalog.offer(offer).provider).name;
        let (seller, price) = (catalog.str(seller), money.text(Num(usd.decimal())));
        let line = format!("{spec} on {seller}, {price} per hour: {why}");
        let is_wanted = choices.is_empty() || input.on.is_some();
        notes.push(if is_wanted {
            Note::new("rejected", line)
        } else {
            Note::detail("rejected", line)
        });
        specs.push(spec);
        if notes.len() == EXCLUDED {
            break;
        }
    }
    notes
}
