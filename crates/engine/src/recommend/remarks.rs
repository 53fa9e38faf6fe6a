//! Notes on an answer: on the first result, and on machines that are not among the results.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use sky_accel_core::catalog::{AcceleratorId, Catalog, OfferId};
use sky_accel_core::guide::size_row;
use sky_accel_core::money::{Count, Usd};
use sky_accel_core::note::Note;
use sky_accel_core::sizing::{MOST_DEVICES_OF_A_MACHINE, ModelKind};

use super::named;
use super::requirements::Requirements;
use super::search::{Rejected, SearchInput, SizedMachine, spec_of};
use super::sentences::{estimate_mark, has_arm_host, shortfall_in_words, unpacked};
use crate::contract::Num;
use crate::money::Money;
use crate::recommend_words::Tier;
use crate::sizing::{self, ModelRun};

/// The maximum number of notes on excluded machines.
const EXCLUDED: usize = 3;
/// The maximum ratio of a figure to a default limit that is nearly met.
const NEAR_DEFAULT: f64 = 1.1;
/// A machine below this share of the lowest price is much cheaper.
const MUCH_CHEAPER: f64 = 0.8;

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
        (input.on, work),
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

/// A machine that is not a result.
enum ExcludedMachine<'r> {
    /// The model does not fit on it.
    Rejected(&'r Rejected),
    /// It does not meet all requirements.
    Missed(&'r SizedMachine),
}

impl ExcludedMachine<'_> {
    /// The devices: equal for machines with the same spec.
    fn devices<'c>(&self, catalog: &Catalog<'c>) -> (AcceleratorId, Count, &'c str, u32) {
        let (machine, nodes) = match self {
            Self::Rejected(rejected) => (&rejected.machine, 1),
            Self::Missed(choice) => (&choice.machine, choice.nodes),
        };
        let profile = catalog.str(catalog.offer(machine.offer).mig_profile);
        (machine.accelerator, machine.count, profile, nodes)
    }

    fn spec(&self, catalog: &Catalog<'_>) -> String {
        match self {
            Self::Rejected(rejected) => spec_of(catalog, &rejected.machine),
            Self::Missed(choice) => spec_of_all(catalog, choice),
        }
    }

    fn why(&self, requirements: &Requirements) -> String {
        match self {
            Self::Rejected(rejected) => rejected.why.to_string(),
            Self::Missed(choice) => {
                let open = choice.shortfalls.first();
                let open = open.map(|open| shortfall_in_words(open, requirements));
                open.unwrap_or_default()
            }
        }
    }

    /// Returns how many times it exceeds limits that the request does not set; `None` if it does not meet others.
    fn excess_of_defaults(&self, requirements: &Requirements) -> Option<f64> {
        let Self::Missed(choice) = self else {
            return None;
        };
        let mut unmet = choice.shortfalls.iter();
        unmet.try_fold(1.0, |most: f64, open| {
            Some(most.max(open.excess_of_default(requirements)?))
        })
    }

    /// False for sized machines below the machines with list prices.
    fn is_listed(&self) -> bool {
        !matches!(self, Self::Missed(choice) if choice.tier != Tier::List)
    }

    /// True if the model may run on it nevertheless.
    fn is_tight(&self) -> bool {
        matches!(self, Self::Rejected(rejected) if rejected.why.is_tight())
    }
}

/// Notes on machines that cost less per hour than every result, and on the reasons against them, one per spec: named
/// hardware that may run, then machines that only exceed default limits, then others, the most expensive first. Without
/// results, notes on machines that only exceed limits to money or time, or else on machines of usual size. With
/// results, the notes are details, unless the request names hardware or a much cheaper machine nearly meets the
/// defaults.
fn excluded_notes(
    catalog: &Catalog<'_>,
    input: &SearchInput<'_>,
    excluded: Excluded<'_>,
    choices: &[SizedMachine],
    money: &Money<'_>,
) -> Vec<Note> {
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
            let (machine, excluded) = (&rejected.machine, ExcludedMachine::Rejected(rejected));
            (rejected.usd, machine.offer, machine.count, excluded)
        });
    let missed = missed
        .iter()
        .filter(|choice| is_cheaper(choice.usd_per_hour) && !choice.shortfalls.is_empty())
        .map(|choice| {
            let machine = &choice.machine;
            let excluded = ExcludedMachine::Missed(choice);
            (choice.usd_per_hour, machine.offer, machine.count, excluded)
        });
    let mut excluded: Vec<(Usd, OfferId, Count, ExcludedMachine<'_>)> = if affordable.is_empty() {
        rejected.chain(missed).collect()
    } else {
        Vec::new()
    };
    // Of the sellers of the same devices, the cheapest with a list price counts.
    excluded
        .sort_by_key(|(usd, offer, count, machine)| (!machine.is_listed(), *usd, *offer, *count));
    let mut devices = BTreeSet::new();
    excluded.retain(|(.., machine)| devices.insert(machine.devices(catalog)));
    let order = |machine: &ExcludedMachine<'_>| {
        let excess = machine.excess_of_defaults(input.requirements);
        // Named hardware that may run is an answer if it is cheap.
        match excess {
            _ if input.on.is_some() && machine.is_tight() => 0,
            Some(excess) if excess <= NEAR_DEFAULT => 1,
            Some(_) => 2,
            None => 3,
        }
    };
    excluded.sort_by(|(usd, .., machine), (other_usd, .., other)| {
        // Of other machines, the largest come nearest to an answer.
        let by_price = usd.cmp(other_usd);
        let by_price = match order(machine) {
            0 => by_price,
            _ => by_price.reverse(),
        };
        order(machine).cmp(&order(other)).then(by_price)
    });
    let affordable = affordable.into_iter().map(|choice| {
        let machine = &choice.machine;
        let excluded = ExcludedMachine::Missed(choice);
        (choice.usd_per_hour, machine.offer, machine.count, excluded)
    });
    excluded.extend(affordable.filter(|(.., machine)| devices.insert(machine.devices(catalog))));
    let listed = choices.iter().filter(|choice| choice.tier == Tier::List);
    let listed = listed.map(|choice| choice.usd_per_hour).min();
    let mut notes = Vec::new();
    for (usd, offer, _, machine) in excluded {
        let (spec, why) = (machine.spec(catalog), machine.why(input.requirements));
        let seller = catalog.provider(catalog.offer(offer).provider).name;
        let (seller, price) = (catalog.str(seller), money.text(Num(usd.decimal())));
        let line = format!("{spec} on {seller}, {price} per hour: {why}");
        // The user may give up a little of a default for a much lower price. One such machine is enough.
        let is_near = order(&machine) == 1
            && machine.is_listed()
            && listed.is_some_and(|listed| usd.decimal() <= MUCH_CHEAPER * listed.decimal())
            && notes.iter().all(Note::is_detail);
        let is_wanted = choices.is_empty() || input.on.is_some() || is_near;
        notes.push(if is_wanted {
            Note::new("rejected", line)
        } else {
            Note::detail("rejected", line)
        });
        if notes.len() == EXCLUDED {
            break;
        }
    }
    notes
}

/// The note that the first machine misses default limits and costs less for it; `None` if it meets them.
pub(super) fn below_defaults<'m>(
    catalog: &Catalog<'_>,
    input: &SearchInput<'_>,
    listed: impl Iterator<Item = &'m SizedMachine>,
    money: &Money<'_>,
) -> Option<Note> {
    let mut listed = listed.peekable();
    let first = listed.next_if(|choice| !choice.shortfalls.is_empty())?;
    let unmet = first.shortfalls.iter();
    let unmet: Vec<String> = unmet
        .map(|open| shortfall_in_words(open, input.requirements))
        .collect();
    let mut text = format!(
        "the first machine is below the defaults, and much cheaper than machines that meet them: {}",
        unmet.join("; ")
    );
    if let Some(other) = listed.find(|choice| choice.shortfalls.is_empty()) {
        let seller = catalog.provider(catalog.offer(other.machine.offer).provider);
        let mark = estimate_mark(input, other);
        let usd = money.text(Num(other.usd_per_hour.decimal()));
        let _ = write!(
            text,
            "; {} on {} meets them for {mark}{usd} per hour",
            spec_of_all(catalog, other),
            catalog.str(seller.name)
        );
    }
    Some(Note::new("below-defaults", text))
}

#[cfg(test)]
mod tests {
    use crate::Engine;
    use crate::recommend::RecommendRequest;
    use crate::sizing::{ModelSource, RunRequest};
    use sky_accel_core::sizing::Workload;

    #[test]
    fn a_named_machine_that_may_run_is_tight() {
        let request = RecommendRequest {
            run: RunRequest {
                model: Some(ModelSource::Name("Qwen2.5-7B".to_owned())),
                workload: Some(Workload::Qlora.into()),
                ..RunRequest::default()
            },
            on: Some("T4".to_owned()),
            ..RecommendRequest::default()
        };
        let answer = Engine::embedded().recommend(&request, None).unwrap();
        let notes = answer.envelope.notes.iter();
        let mut of_one = notes.filter(|note| note.message.starts_with("T4 on "));
        let note = of_one.next().unwrap();
        assert!(
            note.message.contains(": tight, it takes"),
            "{}",
            note.message
        );
        assert!(of_one.next().is_none());
    }

    #[test]
    fn a_default_that_is_nearly_met_does_not_hide_a_much_cheaper_machine() {
        let visible = |users: f64, speed: Option<f64>| -> Vec<String> {
            let request = RecommendRequest {
                run: RunRequest {
                    model: Some(ModelSource::Name("Llama-3.1-8B".to_owned())),
                    concurrency: Some(users),
                    min_speed: speed,
                    ..RunRequest::default()
                },
                ..RecommendRequest::default()
            };
            let answer = Engine::embedded().recommend(&request, None).unwrap();
            let notes = answer.envelope.notes.into_iter();
            let rejected = notes.filter(|note| note.code == "rejected" && !note.is_detail);
            rejected.map(|note| note.message).collect()
        };
        let notes = visible(10.0, None);
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].contains("below the default of 20"), "{notes:?}");
        // The user wants that limit, or misses it by more.
        assert!(visible(10.0, Some(20.0)).is_empty());
        assert!(visible(20.0, None).is_empty());
    }
}
