//! Hardware that the request names: each choice of its spec has a result, or a note with the reason why not.

use sky_accel_core::catalog::{Catalog, Execution, OfferId, SoldAccelerator, Status};
use sky_accel_core::note::Note;

use super::hardware::HardwareFilter;
use super::requirements::Requirements;
use super::search::{Rejected, SizedMachine};
use super::sentences::shortfall_in_words;
use crate::sizing::{ModelRun, execution, runs_on};

/// The code of notes on named hardware without a result.
pub const NAMED: &str = "named";
/// The maximum number of offers in a note.
const NAMED_OFFERS: usize = 3;

/// The machines to list, which are in order. If more than `limit` match, the best machine of each choice of the spec is
/// among the first `limit`; those are in order too.
pub(super) fn with_each_choice(
    catalog: &Catalog<'_>,
    on: Option<&HardwareFilter>,
    choices: &[SizedMachine],
    listed: Vec<usize>,
    limit: usize,
) -> Vec<usize> {
    let Some(on) = on.filter(|on| on.is_of_several() && listed.len() > limit) else {
        return listed;
    };
    let mut is_first = vec![false; listed.len()];
    for (choice, _) in on.specs().take(limit) {
        let is_of = |at: &usize| choice_of(catalog, on, &choices[*at]) == Some(choice);
        if let Some(best) = listed.iter().position(is_of) {
            is_first[best] = true;
        }
    }
    let mut room = limit - is_first.iter().filter(|first| **first).count();
    for first in &mut is_first {
        if !*first && room > 0 {
            (*first, room) = (true, room - 1);
        }
    }
    let (first, others): (Vec<_>, Vec<_>) = listed
        .into_iter()
        .zip(is_first)
        .partition(|(_, first)| *first);
    first.into_iter().chain(others).map(|(at, _)| at).collect()
}

/// The choice of the spec that a machine belongs to.
fn choice_of(catalog: &Catalog<'_>, on: &HardwareFilter, sized: &SizedMachine) -> Option<usize> {
    let machine = &sized.machine;
    let offer = catalog.offer(machine.offer);
    if offer.mig_profile.len > 0 {
        return on.choice_of_slice(catalog, &offer);
    }
    on.choice_of(machine.accelerator, machine.count)
}

/// For each choice of the spec without a result, a note with the reason. A single choice needs one only if it is a
/// slice, or if no machine was found: other answers say why machines are left out.
pub(super) fn missing(
    catalog: &Catalog<'_>,
    (on, work): (Option<&HardwareFilter>, &ModelRun),
    requirements: &Requirements,
    choices: &[SizedMachine],
    (missed, rejected): (&[SizedMachine], &[Rejected]),
) -> Vec<Note> {
    let none_found = choices.is_empty() && missed.is_empty() && rejected.is_empty();
    let is_meant = |on: &&HardwareFilter| on.is_of_several() || on.is_slice(0) || none_found;
    let Some(on) = on.filter(is_meant) else {
        return Vec::new();
    };
    let is_missing = |choice: usize| {
        let mut sized = choices.iter();
        !sized.any(|sized| choice_of(catalog, on, sized) == Some(choice))
    };
    let why_not = |choice: usize| {
        if on.is_slice(choice) {
            return "no provider sells this slice alone: `sky-accel fit` sizes it, and `sky-accel resolve` lists the GPUs that can be cut".to_owned();
        }
        let mut short = missed.iter().filter(|sized| {
            !sized.shortfalls.is_empty() && choice_of(catalog, on, sized) == Some(choice)
        });
        // The machine with the fewest unmet requirements is the nearest.
        let nearest = short.next().map(|first| {
            short.fold(first, |best, other| {
                if nearness(other) < nearness(best) {
                    other
                } else {
                    best
                }
            })
        });
        if let Some(open) = nearest.and_then(|sized| sized.shortfalls.first()) {
            return shortfall_in_words(open, requirements);
        }
        let of_choice = rejected.iter().filter(|rejected| {
            on.choice_of(rejected.machine.accelerator, rejected.machine.count) == Some(choice)
        });
        // The most devices have the most memory, so too few devices are not the reason.
        let largest =
            of_choice.max_by_key(|rejected| (rejected.machine.count, rejected.machine.offer));
        match largest {
            Some(rejected) => rejected.why.to_string(),
            None => unsold(catalog, on, choice, work)
                .unwrap_or_else(|| "no machine with it is sold within the limits".to_owned()),
        }
    };
    on.specs()
        .filter(|(choice, _)| is_missing(*choice))
        .map(|(choice, spec)| Note::new(NAMED, format!("{spec}: {}", why_not(choice))))
        .collect()
}

/// The reason why no limits can give a machine with a choice: none can be rented at a known price. `None` if one can.
fn unsold(
    catalog: &Catalog<'_>,
    on: &HardwareFilter,
    choice: usize,
    work: &ModelRun,
) -> Option<String> {
    let is_of_choice = |sold: &SoldAccelerator| {
        let is_count = |count| on.choice_of(sold.accelerator, count) == Some(choice);
        sold.count.is_none_or(is_count)
    };
    let accelerators = || on.accelerators(choice);
    let rows = accelerators().flat_map(|id| catalog.sold(id));
    let mut sold: Vec<SoldAccelerator> = rows.filter(is_of_choice).collect();
    sold.sort_by_key(|row| (row.status, row.offer));
    sold.dedup_by_key(|row| row.offer);
    let is_priced = |row: &SoldAccelerator| row.on_demand.or(row.spot).is_some();
    let mut rows = sold.iter();
    if rows.any(|row| row.status == Status::Offered && is_priced(row)) {
        return None;
    }
    let mut engines = accelerators().filter_map(|id| {
        let work = work.on(catalog, id);
        let engine = work.run.engine;
        let is_refused = matches!(execution(catalog, id, &work), Execution::Refused(_));
        let runs = !is_refused && runs_on(catalog, id, engine, None);
        (runs && !work.run.workload.is_training()).then_some(engine)
    });
    let runs = engines.next().map_or_else(String::new, |engine| {
        format!("; {engine} runs there, and `sky-accel fit` sizes the model on it")
    });
    if sold.is_empty() {
        return Some(format!("no provider of the catalog sells it{runs}"));
    }
    let words = |row: &SoldAccelerator| {
        let why = match row.status {
            Status::Offered => "no known price",
            status => status.word(),
        };
        let provider = catalog.provider(row.provider);
        let offer = catalog.offer(row.offer);
        let (provider, offer) = (catalog.str(provider.id), catalog.str(offer.id));
        format!("{provider} {offer} ({why})")
    };
    let shown: Vec<String> = sold.iter().take(NAMED_OFFERS).map(words).collect();
    let more = match sold.len() - shown.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!(
        "no machine with it can be rented on demand at a known price: {}{more}{runs}",
        shown.join(", ")
    ))
}

/// The order of machines with unmet requirements, the nearest first.
fn nearness(sized: &SizedMachine) -> (usize, u64, OfferId) {
    let machine = &sized.machine;
    (sized.shortfalls.len(), sized.usd_per_hour.0, machine.offer)
}

#[cfg(test)]
mod tests {
    use crate::recommend::{RecommendRequest, Recommendation};
    use crate::sizing::{ModelSource, RunRequest};
    use crate::{Engine, OfferFilter};

    fn recommend(on: &str, model: &str, limit: u32) -> Recommendation<'static> {
        let request = RecommendRequest {
            run: RunRequest {
                model: Some(ModelSource::Name(model.to_owned())),
                ..RunRequest::default()
            },
            on: Some(on.to_owned()),
            offers: OfferFilter {
                limit: Some(limit),
                ..OfferFilter::default()
            },
            ..RecommendRequest::default()
        };
        Engine::embedded().recommend(&request, None).unwrap()
    }

    fn specs(answer: &Recommendation<'_>) -> Vec<String> {
        let results = answer.envelope.results.iter();
        results.map(|row| row.spec.clone()).collect()
    }

    #[test]
    fn every_named_card_has_a_row() {
        for limit in [3, 4, 9] {
            let answer = recommend("RTX4090|RTX5090|L40S", "Qwen3-8B", limit);
            let specs = specs(&answer);
            assert!(specs.len() <= limit as usize, "{specs:?}");
            for name in ["RTX4090", "RTX5090", "L40S"] {
                let is_of = |spec: &String| spec.starts_with(name);
                assert!(specs.iter().any(is_of), "{name}: {specs:?}");
            }
            let rows = answer.envelope.results.iter();
            let ranks: Vec<usize> = rows.map(|row| row.rank).collect();
            assert!(ranks.into_iter().eq(1..=specs.len()));
            for pick in &answer.envelope.more.picks {
                let row = answer.envelope.results.get(pick.rank - 1);
                let is_row = row.is_none_or(|row| row.spec == pick.spec);
                assert!(is_row, "{pick:?}: {specs:?}");
            }
        }
    }

    #[test]
    fn a_named_card_without_a_row_has_a_reason() {
        let answer = recommend("H100|T4", "Llama-3.1-405B", 9);
        let notes = answer.envelope.notes.iter();
        let named: Vec<&str> = notes
            .filter(|note| note.code == "named")
            .map(|note| note.message.as_str())
            .collect();
        assert_eq!(named.len(), 1, "{named:?}");
        assert!(named[0].starts_with("T4: "), "{named:?}");
    }

    #[test]
    fn a_host_is_no_rented_machine() {
        let request = RecommendRequest {
            run: RunRequest {
                model: Some(ModelSource::Name("Qwen3-8B".to_owned())),
                ..RunRequest::default()
            },
            on: Some("cpu".to_owned()),
            ..RecommendRequest::default()
        };
        let error = Engine::embedded().recommend(&request, None).unwrap_err();
        assert!(
            error.problems[0].message.contains("sky-accel fit cpu"),
            "{error}"
        );
        assert!(error.problems[0].hints.is_empty());
    }

    #[test]
    fn hardware_without_a_price_has_a_reason() {
        let answer = recommend("trn2.48xlarge", "Llama-3.3-70B", 9);
        assert!(answer.envelope.results.is_empty());
        let notes = answer.envelope.notes.iter();
        let named: Vec<&str> = notes
            .filter(|note| note.code == "named")
            .map(|note| note.message.as_str())
            .collect();
        let [why] = named[..] else {
            panic!("{named:?}");
        };
        for part in ["aws trn2.48xlarge (reserved-only)", "vllm runs there"] {
            assert!(why.contains(part), "{why}");
        }
    }
}
