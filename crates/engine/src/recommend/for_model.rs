//! Recommendations for a model.

use std::collections::BTreeSet;

use sky_accel_core::catalog::{AcceleratorId, Catalog, ProviderId};
use sky_accel_core::money::Count;
use sky_accel_core::note::Note;
use sky_accel_core::resolve::Request;
use sky_accel_core::sizing::ServingEngine;

use super::bills;
use super::by_api::{compared, comparison};
use super::hardware::HardwareFilter;
use super::named;
use super::picks::{Pick, picks};
use super::precision_choice::{WantedPrecision, cheaper_precision};
use super::rank::{Usable, pareto, rank, usable};
use super::relax::relaxations;
use super::remarks::{Excluded, below_defaults, remarks};
use super::requirements::Requirements;
use super::rows::row;
use super::search::{SearchInput, SearchResult, SizedMachine, search, spec_of};
use super::sentences::{
    below_usual, heading, is_estimated, lower_in_words, most_users_limits, pick_in_words,
    precision_in_words,
};
use super::shortlist::Rest;
use super::{Point, RecommendRequest, Recommendation};
use crate::contract::{
    Envelope, Num, PickOut, RecommendEcho, RecommendOut, RecommendParts, RelaxOut, ServiceLimitsOut,
};
use crate::engine::Engine;
use crate::error::Result;
use crate::money::Money;
use crate::recommend_words::{Basis, PickKind, Tier, TierOrder};
use crate::sizing::{ANY, ModelHub};

/// The default limit of results.
const ROWS: usize = 10;

impl<'c> Engine<'c> {
    /// Sizes a model on every machine on offer, and ranks the machines that meet the requirements.
    ///
    /// `hub` downloads the configuration of a model that is named by its hub id. Finding no machine is not an error:
    /// the answer then lists the limits to relax.
    ///
    /// # Errors
    ///
    /// An unknown or unreadable model, a value out of its bounds, an unknown provider or region, or an invalid spec.
    pub fn recommend(
        &self,
        request: &RecommendRequest,
        hub: Option<&ModelHub<'_>>,
    ) -> Result<Recommendation<'c>> {
        let catalog = self.catalog();
        let wanted = WantedPrecision::of(request);
        let (work, mut requirements) = wanted.read(&catalog, request, hub)?;
        let others = wanted.others(&catalog, request, &work);
        request.offers.check_live(false)?;
        let offers = any_price(request.offers.request(&catalog, self.today())?);
        let on = HardwareFilter::of(&catalog, request, &mut requirements)?;
        let money = request.offers.money(&catalog)?;
        let input = SearchInput {
            work: &work,
            others: &others,
            requirements: &requirements,
            objective: request.objective,
            offers: &offers,
            on: on.as_ref(),
            nodes: request.nodes,
            rows: rows_to_fill(request, &requirements),
            prefers_consumer_cards: work.run.engine == ServingEngine::LlamaCpp,
            engine: *self,
        };
        let SearchResult {
            choices,
            rejected,
            considered,
            rest,
            largest,
            sized,
        } = filled(&catalog, &input);
        self.go_on()?;
        let Usable {
            choices,
            missed,
            is_below_usual,
        } = usable(choices, &requirements, on.is_some());
        let (basis, tiers) = (requirements.basis, request.tier_order);
        let mut choices = rank(&catalog, choices, request.objective, basis, tiers);
        let use_of_bill = request.bill.as_ref();
        let reordered = bills::rank(&catalog, &input, use_of_bill, tiers, &mut choices)?;
        let picks = picks(&catalog, &choices, &requirements, request.objective);
        let limit = request.offers.limit.map_or(ROWS, |limit| limit as usize);
        let listed = listed(&catalog, request, (on.as_ref(), limit), &choices, &picks);
        let costs = costs(&choices, basis);
        let front = pareto(&costs);
        let shown = (1..).zip(listed.iter().take(limit));
        let shown = shown.map(|(rank, at)| (rank, &choices[*at], front[*at]));
        let mut results = result_rows(&catalog, &input, &money, request.offers.hours, shown);
        let first = listed.first().map(|at| &choices[*at]);
        if let Some(of) = use_of_bill {
            bills::add(&catalog, &input, of, (&choices, &listed), &mut results)?;
        }
        let compared = compared(&choices, &picks, first, basis);
        let is_open = wanted == WantedPrecision::Own && !is_below_usual;
        let mention =
            || cheaper_precision(&catalog, &input, &choices, (&missed, &rejected), &money);
        let parts = RecommendParts {
            picks: pick_outs(&catalog, &input, &picks, &choices, &listed, &money),
            relax: relaxed(&catalog, &input, &choices, &missed),
            cheaper_precision: is_open.then(mention).flatten(),
            comparison: comparison(&input, request, compared, &money)?,
        };
        let mut notes = input_notes(&input, reordered, is_below_usual);
        let excluded = Excluded {
            missed: &missed,
            rejected: &rejected,
        };
        if !is_below_usual {
            let listed = listed.iter().map(|at| &choices[*at]);
            notes.extend(below_defaults(&catalog, &input, listed, &money));
        }
        notes.extend(remarks(&catalog, &input, excluded, &choices, &money));
        let understood = understood(&catalog, request, wanted, &input);
        let rows = listed.len() + unlisted(&catalog, &choices, &listed, rest);
        let envelope = Envelope::new("sky-accel.recommend.v1", &catalog, understood, results);
        let mut envelope = envelope
            .with_overridden(self.overlaid(), Some(&work.model.name))
            .with_notes(notes)
            .with_notes(self.commitment_notes());
        envelope.left_off = Some(rows.saturating_sub(limit));
        Ok(Recommendation {
            envelope: envelope.with_more(parts),
            service: most_users_limits(input.requirements),
            summary: (!choices.is_empty())
                .then(|| heading(&input, &choices, wanted.word(&work), &money)),
            below: below(&catalog, &input, &choices, tiers, &money),
            points: points(&input, &choices, &listed, &costs, &front),
            basis,
            considered,
            sized,
            two_machines: largest.map(|machine| two_machines(&catalog, machine)),
            has_verified: choices
                .iter()
                .any(|choice| !choice.machine.is_region_unverified()),
        })
    }
}

/// The rows of ranked machines, each with its rank and whether it is Pareto-optimal.
fn result_rows<'c, 'm>(
    catalog: &Catalog<'c>,
    input: &SearchInput<'_>,
    money: &Money<'c>,
    hours: Option<Num>,
    ranked: impl Iterator<Item = (usize, &'m SizedMachine, Option<bool>)>,
) -> Vec<RecommendOut<'c>> {
    let rows = ranked.map(|(rank, choice, is_pareto)| {
        let mut row = row(catalog, input, rank, choice, is_pareto);
        money.restate(&mut row.offer);
        add_total(catalog, &mut row, choice, hours);
        row
    });
    rows.collect()
}

/// The notes that follow from the request, and the note on machines that the bill ranks differently.
fn input_notes(
    input: &SearchInput<'_>,
    reordered: Option<Note>,
    is_below_usual: bool,
) -> Vec<Note> {
    let mut notes = input.work.notes.clone();
    notes.extend(input.work.ignored());
    notes.extend(reordered);
    notes.extend(input.on.into_iter().flat_map(HardwareFilter::notes));
    let below_usual = || Note::new("below-usual", below_usual(input.requirements));
    notes.extend(is_below_usual.then(below_usual));
    notes
}

/// The limits to relax where no machine is left.
fn relaxed(
    catalog: &Catalog<'_>,
    input: &SearchInput<'_>,
    choices: &[SizedMachine],
    missed: &[SizedMachine],
) -> Vec<RelaxOut> {
    if choices.is_empty() {
        relaxations(catalog, input, missed)
    } else {
        Vec::new()
    }
}

/// The same offers at any price, and all of them: machines of private hosts too, which are a tier of the answer.
fn any_price(offers: Request) -> Request {
    Request {
        max_price: None,
        limit: None,
        hosts_are_equal: true,
        ..offers
    }
}

/// The number of rows that the cheapest machines of each kind fill; `None` if other machines may be in the answer: if
/// it lists all, mixes tiers or joins machines, or if the billed hours of each offer rank it.
fn rows_to_fill(request: &RecommendRequest, requirements: &Requirements) -> Option<usize> {
    let is_simple = !request.every_machine
        && request.tier_order == TierOrder::List
        && request.nodes.is_none()
        && requirements.basis != Basis::Job;
    let limit = request.offers.limit.map_or(ROWS, |limit| limit as usize);
    is_simple.then_some(limit)
}

/// Searches, and searches again among all machines if too few of the first tier were sized to fill the rows.
fn filled(catalog: &Catalog<'_>, input: &SearchInput<'_>) -> SearchResult {
    let found = search(catalog, input);
    if found.rest.skipped == 0 {
        return found;
    }
    let is_first = |choice: &&SizedMachine| {
        choice.shortfalls.is_empty()
            && choice.tier == Tier::List
            && !choice.machine.is_region_unverified()
    };
    let first = found.choices.iter().filter(is_first);
    let rows: BTreeSet<_> = first.map(|choice| kind(catalog, choice)).collect();
    if input.rows.is_some_and(|limit| rows.len() >= limit) {
        return found;
    }
    let all = SearchInput {
        rows: None,
        ..*input
    };
    search(catalog, &all)
}

/// The provider and the accelerator of a machine.
fn kind(catalog: &Catalog<'_>, choice: &SizedMachine) -> (ProviderId, AcceleratorId) {
    let machine = &choice.machine;
    (catalog.offer(machine.offer).provider, machine.accelerator)
}

/// The number of rows that machines would have that were not sized.
fn unlisted(
    catalog: &Catalog<'_>,
    choices: &[SizedMachine],
    listed: &[usize],
    rest: Rest,
) -> usize {
    let mut left_out = rest.left_out;
    for at in listed {
        left_out.remove(&kind(catalog, &choices[*at]));
    }
    left_out.len()
}

/// The cost in a chart and the speed of each machine.
fn costs(choices: &[SizedMachine], basis: Basis) -> Vec<(f64, Option<f64>)> {
    let cost = |choice: &SizedMachine| (chart_cost(choice, basis), choice.model.work_per_s());
    choices.iter().map(cost).collect()
}

/// The spec of two machines with these devices.
fn two_machines(catalog: &Catalog<'_>, (id, count): (AcceleratorId, Count)) -> String {
    let name = catalog.accelerator_id(id);
    format!("{name}:x{}", 2 * count.whole_devices().max(1))
}

/// The machines to list, by index.
fn listed(
    catalog: &Catalog<'_>,
    request: &RecommendRequest,
    (on, limit): (Option<&HardwareFilter>, usize),
    choices: &[SizedMachine],
    picks: &[Pick],
) -> Vec<usize> {
    let listed = if request.every_machine {
        (0..choices.len()).collect()
    } else {
        best_of_each(catalog, on, choices, picks)
    };
    named::with_each_choice(catalog, on, choices, listed, limit)
}

/// The picks with their ranks among the listed machines.
fn pick_outs(
    catalog: &Catalog<'_>,
    input: &SearchInput<'_>,
    picks: &[Pick],
    choices: &[SizedMachine],
    listed: &[usize],
    money: &Money<'_>,
) -> Vec<PickOut> {
    let ranked = picks.iter().map(|pick| {
        let place = listed.iter().position(|at| *at == pick.at);
        let rank = 1 + place.unwrap_or(listed.len());
        pick_out(catalog, input, (pick, rank), &choices[pick.at], money)
    });
    ranked.collect()
}

/// The indexes of the machines to list: the best of each provider, accelerator, tier and choice of the spec, and the
/// picks. Otherwise the same card in every number would fill a page.
fn best_of_each(
    catalog: &Catalog<'_>,
    on: Option<&HardwareFilter>,
    choices: &[SizedMachine],
    picks: &[Pick],
) -> Vec<usize> {
    let mut seen = BTreeSet::new();
    let mut is_listed = |(at, choice): &(usize, &SizedMachine)| {
        let machine = &choice.machine;
        let offer = catalog.offer(machine.offer);
        let is_best = seen.insert((
            offer.provider,
            machine.accelerator,
            catalog.str(offer.mig_profile),
            choice.tier,
            on.and_then(|on| on.choice_of(machine.accelerator, machine.count)),
        ));
        is_best || picks.iter().any(|pick| pick.at == *at)
    };
    let choices = choices.iter().enumerate();
    choices
        .filter(|choice| is_listed(choice))
        .map(|(at, _)| at)
        .collect()
}

/// The region of the price that ranks a machine; `None` if it is unknown.
fn understood(
    catalog: &Catalog<'_>,
    request: &RecommendRequest,
    wanted: WantedPrecision,
    input: &SearchInput<'_>,
) -> RecommendEcho {
    let mut run = input.work.understood(&request.run, None);
    if wanted == WantedPrecision::Any {
        ANY.clone_into(&mut run.precision);
    }
    RecommendEcho {
        run: Some(run),
        workload: None,
        objective: Some(request.objective),
        basis: Some(input.requirements.basis),
        limits: Some(limits(input.requirements)),
        on: input.on.map(HardwareFilter::canonical),
        nodes: request.nodes.map(|nodes| nodes.to_string()),
        tier: Some(request.tier_order),
        accept_tight: request.accept_tight.then_some(true),
        tokens: request.tokens.map(Num),
        deadline_hours: request.deadline_hours.map(Num),
        budget_usd: request.budget_usd.map(Num),
        compared_with: request.compared_with,
        own: request.own.clone(),
        bill: request.bill.clone(),
        offers: request.offers.understood(catalog, input.offers),
    }
}

/// The service limits of the comparison.
fn limits(requirements: &Requirements) -> ServiceLimitsOut {
    ServiceLimitsOut {
        max_ttft_s: requirements.first_token_s.map(|limit| Num(limit.value)),
        min_speed: requirements.speed.map(|limit| Num(limit.value)),
        spare: Num(requirements.spare),
    }
}

/// The cost of a machine in a chart, in US dollars.
fn chart_cost(choice: &SizedMachine, basis: Basis) -> f64 {
    choice.cost(match basis {
        Basis::Job => Basis::Job,
        Basis::Hour | Basis::MillionTokens => Basis::Hour,
    })
}

/// The points of a chart, the listed machines first.
fn points(
    input: &SearchInput<'_>,
    choices: &[SizedMachine],
    listed: &[usize],
    costs: &[(f64, Option<f64>)],
    front: &[Option<bool>],
) -> Vec<Point> {
    let mut is_listed = vec![false; choices.len()];
    for at in listed {
        is_listed[*at] = true;
    }
    let others = (0..choices.len()).filter(|at| !is_listed[*at]);
    let points = listed.iter().copied().chain(others).filter_map(|at| {
        let (choice, (usd, tokens_per_s)) = (&choices[at], costs[at]);
        let machine = &choice.machine;
        Some(Point {
            usd,
            is_estimated: is_estimated(input, choice),
            tokens_per_s: tokens_per_s?,
            is_pareto: front[at] == Some(true),
            offer: machine.offer,
            accelerator: machine.accelerator,
            count: machine.count,
        })
    });
    points.collect()
}

/// Adds the total of all machines for the hours of the request.
fn add_total(
    catalog: &Catalog<'_>,
    row: &mut RecommendOut<'_>,
    choice: &SizedMachine,
    hours: Option<Num>,
) {
    let Some(Num(hours)) = hours else {
        return;
    };
    let billed = catalog.billed_hours(&catalog.offer(choice.machine.offer), hours);
    row.hours = Some(Num(hours));
    row.billed_hours = Some(Num(billed));
    let usd = choice.usd_per_hour.for_hours(billed);
    row.usd_total = usd.map(|usd| Num(usd.decimal()));
}

fn pick_out(
    catalog: &Catalog<'_>,
    input: &SearchInput<'_>,
    (pick, rank): (&Pick, usize),
    choice: &SizedMachine,
    money: &Money<'_>,
) -> PickOut {
    let offer = catalog.offer(choice.machine.offer);
    let (kind, also) = match pick.kinds.split_first() {
        Some((kind, also)) => (*kind, also.to_vec()),
        None => (PickKind::Value, Vec::new()),
    };
    PickOut {
        kind,
        also,
        rank,
        spec: spec_of(catalog, &choice.machine),
        precision: precision_in_words(input, choice).map(str::to_owned),
        nodes: (choice.nodes > 1).then_some(choice.nodes),
        provider: catalog.provider_id(offer.provider).to_owned(),
        instance_type: catalog.str(offer.id).to_owned(),
        price: choice.hourly_price(),
        why: pick_in_words(catalog, input, pick, choice, money),
    }
}

/// For each lower tier, its first machine that is cheaper than the first result, if that has a list price.
fn below(
    catalog: &Catalog<'_>,
    input: &SearchInput<'_>,
    choices: &[SizedMachine],
    tiers: TierOrder,
    money: &Money<'_>,
) -> Vec<(String, String)> {
    let basis = input.requirements.basis;
    let Some(first) = choices.first().filter(|_| tiers == TierOrder::List) else {
        return Vec::new();
    };
    let lower = [Tier::Marketplace, Tier::Consumer, Tier::Weak];
    let is_cheaper = |choice: &&SizedMachine| choice.cost(basis) < first.cost(basis);
    let lower = lower.into_iter().filter(|_| first.tier == Tier::List);
    let cheaper = lower.filter_map(|tier| {
        let mut of_tier = choices.iter().filter(|choice| choice.tier == tier);
        of_tier.find(is_cheaper)
    });
    cheaper
        .map(|choice| {
            let sentence = lower_in_words(catalog, input, choice, money);
            (choice.tier.word().to_owned(), sentence)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::ErrorCode;
    use crate::filter::OfferFilter;
    use crate::fit::{FitHardware, FitRequest};
    use crate::recommend_words::Objective;
    use crate::sizing::{ModelSize, ModelSource, RunRequest};

    fn recommend(size: &str, objective: Objective) -> Recommendation<'static> {
        let request = RecommendRequest {
            run: RunRequest {
                model: Some(ModelSource::Size(ModelSize::parse(size).unwrap())),
                ..RunRequest::default()
            },
            objective,
            ..RecommendRequest::default()
        };
        Engine::embedded().recommend(&request, None).unwrap()
    }

    #[test]
    fn a_machine_that_needs_settings_states_them() {
        let run = RunRequest {
            model: Some(ModelSource::Name("Qwen3-32B".to_owned())),
            concurrency: Some(1.0),
            ..RunRequest::default()
        };
        let request = RecommendRequest {
            run: run.clone(),
            on: Some("A100:80GB:x1".to_owned()),
            ..RecommendRequest::default()
        };
        let engine = Engine::embedded();
        let answer = engine.recommend(&request, None).unwrap();
        let row = &answer.envelope.results[0];
        let fit = row.fit.as_ref().unwrap();
        let command = &fit.launch.as_ref().unwrap().command;
        let flags = "--gpu-memory-utilization 0.95 --max-num-batched-tokens 2048 --max-num-seqs 64";
        assert!(command.contains(flags), "{command}");
        // The fields of the row are the options of `fit`.
        let set = |options: RunRequest| {
            let request = FitRequest {
                hardware: FitHardware::Spec(row.spec.clone()),
                nodes: 1,
                run: options,
                prices: None,
            };
            let results = engine.fit(&request, None).unwrap().envelope.results;
            results[0].per_device_gib.high
        };
        let same = set(RunRequest {
            max_num_seqs: row.max_num_seqs.map(|most| most.0),
            max_batched_tokens: row.max_batched_tokens.map(|most| most.0),
            gpu_memory_utilization: row.gpu_memory_utilization.map(|share| share.0),
            ..run.clone()
        });
        assert_eq!(fit.per_device_gib.high, same);
        assert!(set(run) > same);
    }

    #[test]
    fn a_machine_serves_no_more_users_than_its_sequences() {
        let request = RecommendRequest {
            run: RunRequest {
                model: Some(ModelSource::Name("Qwen3-8B".to_owned())),
                concurrency: Some(4.0),
                max_num_seqs: Some(8.0),
                ..RunRequest::default()
            },
            on: Some("H100:x1".to_owned()),
            ..RecommendRequest::default()
        };
        let answer = Engine::embedded().recommend(&request, None).unwrap();
        let row = &answer.envelope.results[0];
        assert_eq!(row.max_users.map(|users| users.0), Some(8.0));
    }

    #[test]
    fn a_load_runs_on_the_fewest_machines_that_hold_it() {
        let request = RecommendRequest {
            run: RunRequest {
                model: Some(ModelSource::Name("DeepSeek-R1-0528".to_owned())),
                concurrency: Some(20.0),
                ..RunRequest::default()
            },
            on: Some("H100:x8".to_owned()),
            nodes: Some(crate::recommend::Nodes { least: 1, most: 4 }),
            ..RecommendRequest::default()
        };
        let answer = Engine::embedded().recommend(&request, None).unwrap();
        let row = &answer.envelope.results[0];
        assert_eq!(row.nodes, Some(2));
    }

    #[test]
    fn results_are_ordered_by_the_objective() {
        let cost = recommend("13B", Objective::Cost);
        let usd: Vec<f64> = cost
            .envelope
            .results
            .iter()
            .filter_map(|row| Some(row.usd_per_hour?.0))
            .collect();
        assert!(usd.is_sorted() && usd.len() == ROWS, "{usd:?}");
        let speed = recommend("13B", Objective::Speed);
        let rates: Vec<f64> = speed
            .envelope
            .results
            .iter()
            .filter_map(|row| Some(-row.tokens_per_s?.0))
            .collect();
        assert!(rates.is_sorted() && rates.len() == ROWS, "{rates:?}");
    }

    fn with_run(run: RunRequest, tokens: Option<f64>) -> Recommendation<'static> {
        let request = RecommendRequest {
            run: RunRequest {
                model: Some(ModelSource::Name("Mixtral-8x7B".to_owned())),
                ..run
            },
            tokens,
            offers: OfferFilter {
                limit: Some(200),
                ..OfferFilter::default()
            },
            ..RecommendRequest::default()
        };
        Engine::embedded().recommend(&request, None).unwrap()
    }

    #[test]
    fn a_load_is_ranked_by_the_hour() {
        let run = RunRequest {
            concurrency: Some(30.0),
            ..RunRequest::default()
        };
        let answer = with_run(run, None);
        assert_eq!(answer.basis, Basis::Hour);
        let rows = answer.envelope.results.iter();
        // Each further machine counts half a dollar.
        // Lower tiers follow.
        let usd: Vec<f64> = rows
            .take_while(|row| row.tier == Some(Tier::List))
            .filter_map(|row| {
                let further = row.nodes.unwrap_or(1) - 1;
                Some(row.usd_per_hour?.0 + 0.5 * f64::from(further))
            })
            .collect();
        assert!(usd.is_sorted() && usd.len() > 3, "{usd:?}");
    }

    #[test]
    fn a_job_keeps_its_machines_full() {
        let job = with_run(RunRequest::default(), Some(1e9));
        assert!(
            job.summary
                .is_some_and(|text| text.contains("as a batch job"))
        );
        let all_waiting = with_run(
            RunRequest {
                concurrency: Some(64.0),
                ..RunRequest::default()
            },
            None,
        );
        let mut compared = 0;
        for row in &job.envelope.results {
            assert_eq!(row.max_users, None);
            let same = all_waiting.envelope.results.iter();
            for other in same.filter(|other| other.spec == row.spec && other.nodes == row.nodes) {
                assert!(row.tokens_per_s >= other.tokens_per_s, "{}", row.spec);
                compared += 1;
            }
        }
        assert!(compared > 0);
    }

    #[test]
    fn a_job_of_a_month_leads_cheaper_jobs_of_several() {
        let run = RunRequest {
            workload: Some(sky_accel_core::sizing::Workload::Qlora.into()),
            ..RunRequest::default()
        };
        let answer = with_run(run, Some(5e9));
        let hours = |row: &RecommendOut<'_>| row.hours.unwrap().0;
        let total = |row: &RecommendOut<'_>| row.usd_total.unwrap().0;
        let (first, rows) = (&answer.envelope.results[0], &answer.envelope.results);
        assert!(hours(first) <= 720.0);
        assert!(
            rows.iter()
                .any(|row| hours(row) > 720.0 && total(row) < total(first))
        );
        assert!(answer.summary.unwrap().contains("above 720 hours"));
        let cheapest = &answer.envelope.more.picks[0];
        assert!(cheapest.why.contains("within 720 hours"), "{cheapest:?}");
    }

    #[test]
    fn points_start_with_the_results() {
        let found = recommend("8B", Objective::Cost);
        for (row, point) in found.envelope.results.iter().zip(&found.points) {
            assert_eq!(row.spec, point.spec(&Engine::embedded().catalog()));
            assert_eq!(row.pareto, Some(point.is_pareto));
        }
        assert!(found.points.len() > found.envelope.results.len());
        assert!(
            found
                .summary
                .is_some_and(|text| text.contains("inference of 8B"))
        );
    }

    #[test]
    fn picks_have_the_lowest_price_and_are_distinct() {
        let answer = recommend("8B", Objective::Cost);
        let picks = &answer.envelope.more.picks;
        let kinds = |pick: &PickOut| {
            let first = std::iter::once(pick.kind);
            first.chain(pick.also.clone()).collect::<Vec<_>>()
        };
        let all: Vec<PickKind> = picks.iter().flat_map(kinds).collect();
        for kind in [PickKind::Cheapest, PickKind::Value, PickKind::Safest] {
            assert_eq!(all.iter().filter(|known| **known == kind).count(), 1);
        }
        assert_eq!(picks.len(), 3, "{all:?}");
        let price = |kind| {
            let pick = picks.iter().find(|pick| kinds(pick).contains(&kind));
            pick.map(|pick| pick.price.usd_per_hour.0)
        };
        let most = answer.envelope.results[0]
            .usd_per_hour
            .map(|usd| usd.0 * 2.5);
        assert!(price(PickKind::Safest) <= most);
        let cheapest = picks
            .iter()
            .find(|pick| kinds(pick).contains(&PickKind::Cheapest))
            .unwrap();
        for row in &answer.envelope.results {
            let is_list = row.tier == Some(Tier::List);
            assert!(!is_list || row.usd_per_hour >= Some(cheapest.price.usd_per_hour));
        }
        let mut machines: Vec<(&str, &str, &str)> = picks
            .iter()
            .map(|pick| (&*pick.provider, &*pick.instance_type, &*pick.spec))
            .collect();
        machines.dedup();
        assert_eq!(machines.len(), picks.len());
    }

    #[test]
    fn speed_objectives_pick_the_first_result_as_the_fastest() {
        let answer = recommend("8B", Objective::Speed);
        let pick = &answer.envelope.more.picks[0];
        assert_eq!((pick.kind, pick.rank), (PickKind::Fastest, 1));
    }

    #[test]
    fn echoes_can_be_read_as_requests() {
        let answer = recommend("8B", Objective::Cost);
        let serde_json::Value::Object(mut fields) =
            serde_json::to_value(&answer.envelope.request).unwrap()
        else {
            unreachable!("a request is an object");
        };
        fields.retain(|field, _| RunRequest::has_option(field));
        let request = crate::sizing::run_from_json(fields).unwrap();
        assert_eq!(request.model_word(), Some("8B"));
        assert!(request.precision.is_some() && request.engine.is_some());
    }

    #[test]
    fn rejects_a_negative_deadline() {
        let request = RecommendRequest {
            deadline_hours: Some(-1.0),
            run: RunRequest {
                model: Some(ModelSource::Name("Llama-3.1-8B".to_owned())),
                ..RunRequest::default()
            },
            ..RecommendRequest::default()
        };
        let error = Engine::embedded().recommend(&request, None).unwrap_err();
        assert_eq!(error.problems[0].code, ErrorCode::BadValue);
    }
    #[test]
    fn the_slow_end_of_the_speed_meets_a_deadline() {
        let hours = |deadline_hours| {
            let request = RecommendRequest {
                tokens: Some(1e8),
                deadline_hours,
                nodes: Some(crate::recommend::Nodes { least: 1, most: 1 }),
                run: RunRequest {
                    model: Some(ModelSource::Name("Llama-3.1-8B".to_owned())),
                    workload: Some(sky_accel_core::sizing::Workload::Lora.into()),
                    ..RunRequest::default()
                },
                ..RecommendRequest::default()
            };
            let answer = Engine::embedded().recommend(&request, None).unwrap();
            let rows = answer.envelope.results.iter();
            rows.map(|row| row.hours.unwrap().0).collect::<Vec<f64>>()
        };
        // A machine with this speed may need 1 / 0.76 of the time.
        let first = hours(None)[0];
        assert!(!hours(Some(first * 1.1)).contains(&first));
        assert!(hours(Some(first * 1.4)).contains(&first));
    }
}
