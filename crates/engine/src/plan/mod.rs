//! Plans: ranked candidates, and the files of a plan target.

mod answer;
mod blocks;
mod changes;
mod cut;
mod diff;
mod held;
mod input;
mod lock;
mod moment;
mod recommended;
mod request;
mod served;
mod steps;
mod work;

use std::borrow::Cow;

use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::{Catalog, Meaning, Offer, OfferKind, PriceKind};
use sky_accel_core::note::Note;
use sky_accel_core::plan::{Candidate, Plan, Reject, Request, plan};
use sky_accel_core::resolve::{self, Resolution, Setback, resolve};
use sky_accel_core::text::{counted, list_and};
use sky_accel_targets::{EntryArguments, Handover, Rendered, Target, Unsupported, render};

use self::cut::Cut;
use self::held::hold;
use self::moment::Moment;
use self::request::ParsedRequest;
use self::served::EngineImage;
use self::steps::steps;
use crate::bill::{self, BillUse, UsedMachines};
use crate::code::ErrorCode;
use crate::contract::{
    self, CandidateOut, CandidateWarning, Envelope, NearestOut, Num, PlanId, PlanParts,
};
use crate::engine::Engine;
use crate::error::{Error, Problem, Result};
use crate::live;
use crate::specs::bind;
use crate::too_old::{NewestPrice, no_price_left};

/// The most providers that an advice names.
const MOST_NAMED: usize = 4;
/// The number of candidates, best by price, whose bills may change their order.
const MOST_BILLED: usize = 1000;

pub use answer::PlanAnswer;
pub use input::PlanInput;
pub use lock::PlanLock;
pub use recommended::{PlannedWork, Recommended};
pub use request::PlanRequest;
pub use work::{CudaVersion, Image, ReservationId, SlurmType, Work, WorkError};

impl<'c> Engine<'c> {
    /// The targets that support any of the providers with these ids, or that do not rent machines.
    pub fn targets(&self, providers: &[&str]) -> Vec<Target> {
        request::targets_for(&self.catalog(), providers)
    }

    /// Ranks the ways to rent the machines, and renders the plan for a target.
    ///
    /// An answer without candidates is not an error.
    ///
    /// # Errors
    ///
    /// An invalid spec, contradictions between filters, target and reserved capacity, a target that cannot
    /// express the plan, its regions or its capacity type or, with `strict`, a target that cannot express all of it.
    pub fn plan(&self, request: &PlanRequest) -> Result<PlanAnswer<'c>> {
        let catalog = self.catalog();
        let bound = bind(&catalog, std::slice::from_ref(&request.spec))?;
        let wanted = bound.first().map_or(&[][..], |choices| &choices[..]);
        let engine_image = served::engine_image(&catalog, request, wanted);
        let mut with_image = Cow::Borrowed(request);
        if let Some(of_engine) = &engine_image {
            with_image.to_mut().work.image = Some(of_engine.image.clone());
        }
        let mut parsed = request::read(
            &catalog,
            &with_image,
            wanted,
            self.today(),
            self.live().is_some(),
        )?;
        let moment = Moment::new(self, request);
        let recommended = &request.recommended;
        let (mut plan, reordered) = ranked(&catalog, wanted, request, &parsed, &moment)?;
        keep_startable(&catalog, request, wanted, engine_image.as_ref(), &mut plan);
        self.go_on()?;
        let not_held = hold(&catalog, &parsed, wanted, request.target, &mut plan)?;
        let passed_over = recommended.passed_over(&catalog, &plan, request.target);
        let mut notes = Vec::from_iter(elsewhere(&catalog, request, wanted, &plan));
        notes.extend(notes_of_choices(wanted));
        notes.extend(parsed.note.clone());
        notes.extend(reordered);
        notes.extend(notes_on_candidates(&catalog, &plan));
        notes.extend(blocks::blocks_for_sale(self.live(), &catalog, &plan));
        notes.extend(live::notes(self.live()));
        notes.extend(passed_over);
        notes.extend(not_rentable(&catalog, request, &plan));
        notes.extend(not_held);
        notes.extend(started(
            &catalog,
            request,
            &plan,
            &mut parsed,
            engine_image.as_ref(),
        ));
        let mut results = self.candidates(wanted, &plan, &parsed.request, &moment);
        if let Some(of) = &request.bill {
            add_bills(&catalog, &plan, of, request.nodes, &mut results)?;
        }
        let money = request.offers.money(&catalog)?;
        for price in results
            .iter_mut()
            .filter_map(|result| result.price.as_mut())
        {
            money.restate_price(price);
        }
        let cut = plan
            .candidates
            .first()
            .and_then(|first| Cut::of(&catalog, wanted, first));
        let rendered = rendered(&catalog, request, &parsed, wanted, &plan, cut.as_ref())?;
        let parts = parts(
            &catalog,
            wanted,
            &parsed,
            &plan,
            &results,
            cut.as_ref(),
            rendered.as_ref(),
        );
        // Without any price, alternatives are needed to decide.
        let is_priced = plan.candidates.iter().any(|way| way.quote.is_some());
        let answer = if is_priced {
            Resolution::default()
        } else {
            resolve(&catalog, wanted, &parsed.request.offers)
        };
        let is_empty = plan.candidates.is_empty();
        let is_too_old = is_empty && is_only_stale(&plan);
        let too_old = is_too_old.then(|| self.too_old(wanted, &parsed.request.offers));
        let envelope = Envelope::new("sky-accel.plan.v1", &catalog, parsed.understood, results);
        let mut envelope = envelope
            .with_overridden(self.overlaid(), None)
            .with_notes(notes)
            .with_notes(self.commitment_notes())
            .with_notes(self.bought_apart());
        envelope.nearest = self.nearest(
            wanted,
            &answer,
            &parsed.request.offers,
            request.offers.hours,
        );
        if is_empty {
            envelope.funnel = contract::funnel(wanted, &answer);
        }
        envelope.left_off = (plan.left_off > 0).then_some(plan.left_off);
        envelope.live = live::answers(&catalog, self.live());
        Ok(PlanAnswer {
            envelope: envelope.with_more(parts),
            rendered,
            has_matches: !is_empty || !answer.matches.is_empty(),
            too_old,
        })
    }

    /// Plans for the request whose first candidate ranks highest in a recommendation; without any candidate, for the
    /// first request. Returns its position.
    ///
    /// The requests are of one recommendation, each for the machines of another layout: a target may support only a
    /// later layout.
    ///
    /// # Errors
    ///
    /// The errors of [`Engine::plan`] for the first request, if no other has candidates.
    pub fn plan_first(
        &self,
        first: &PlanRequest,
        others: &[PlanRequest],
    ) -> Result<(usize, PlanAnswer<'c>)> {
        let place = |request: &PlanRequest, answer: &PlanAnswer<'_>| {
            let first = answer.envelope.results.first()?;
            let recommended = &request.recommended;
            let place = recommended.place_of(first.provider, first.instance_type);
            Some(place.unwrap_or(usize::MAX))
        };
        let planned = self.plan(first);
        let mut highest = planned
            .as_ref()
            .ok()
            .and_then(|answer| place(first, answer));
        let mut best = None;
        for (at, other) in others.iter().enumerate() {
            let is_lower = |highest: usize| Some(&highest) <= other.recommended.places.first();
            if highest.is_some_and(is_lower) {
                break;
            }
            self.go_on()?;
            let Ok(answer) = self.plan(other) else {
                continue;
            };
            let found = place(other, &answer);
            if found.is_some() && (highest.is_none() || found < highest) {
                highest = found;
                best = Some((at + 1, answer));
            }
        }
        match best {
            Some(best) => Ok(best),
            None => planned.map(|answer| (0, answer)),
        }
    }

    /// The error of a plan without candidates because all prices are older than `max_age`.
    fn too_old(&self, wanted: &[BoundChoice], offers: &resolve::Request) -> Error {
        if let Some(newest) = NewestPrice::of(&self.catalog(), wanted, offers) {
            return newest.error(self.live().is_none());
        }
        let choices = wanted.iter().flat_map(|choice| &choice.candidates);
        let accelerators = choices.map(|candidate| candidate.accelerator);
        let providers = &offers.providers;
        let counts = |offer: &Offer| providers.is_empty() || providers.contains(&offer.provider);
        no_price_left(&self.catalog(), &self.likely_prices(), accelerators, counts)
    }

    /// The alternatives to the spec of a plan.
    fn nearest(
        &self,
        wanted: &[BoundChoice],
        answer: &Resolution,
        offers: &resolve::Request,
        hours: Option<Num>,
    ) -> Vec<NearestOut<'c>> {
        let catalog = self.catalog();
        let nearest = answer.nearest.iter().map(|near| {
            let mut near = contract::nearest(&catalog, offers, hours, wanted, near);
            live::mark_unreached(self.live(), &catalog, &mut near.offer);
            near
        });
        nearest.collect()
    }

    /// The candidates of a plan in contract form, in order.
    fn candidates(
        &self,
        wanted: &[BoundChoice],
        plan: &Plan,
        request: &Request,
        moment: &Moment<'_, '_>,
    ) -> Vec<CandidateOut<'c>> {
        let catalog = self.catalog();
        let ranked = (1_u32..).zip(&plan.candidates);
        let ranked = ranked.map(|(rank, way)| {
            let mut out = candidate(&catalog, wanted, way, rank, request);
            out.obtainability = moment.of_candidate(way);
            if live::is_unreached(self.live(), &catalog, out.provider, out.instance_type) {
                out.warnings.push(CandidateWarning::NotReached);
            }
            out
        });
        ranked.collect()
    }
}

/// Ranks the ways to rent the machines, the ways of a recommendation first. If the request includes commitments,
/// ways without a price are left out: a price on demand would pass for a committed price.
fn ranked(
    catalog: &Catalog<'_>,
    wanted: &[BoundChoice],
    request: &PlanRequest,
    parsed: &ParsedRequest,
    moment: &Moment<'_, '_>,
) -> Result<(Plan, Option<Note>)> {
    let recommended = &request.recommended;
    // The order of a recommendation stays.
    let of_bill = request.bill.as_ref();
    let of_bill = of_bill.filter(|_| recommended.machines.is_empty());
    let mut wide = Cow::Borrowed(&parsed.request);
    if of_bill.is_some() {
        let limit = parsed.request.limit.max(MOST_BILLED);
        wide.to_mut().limit = limit;
    }
    let mut plan = plan(catalog, wanted, &wide, moment);
    let mut reordered = None;
    if let Some(of) = of_bill {
        reordered = rank_by_bill(catalog, of, request.nodes, &mut plan)?;
        let limit = parsed.request.limit;
        plan.left_off += plan.candidates.len().saturating_sub(limit);
        plan.candidates.truncate(limit);
    }
    if !recommended.machines.is_empty() && recommended.nodes == Some(request.nodes) {
        let found = recommended_ones(catalog, wanted, &parsed.request, moment, recommended);
        recommended.lead(catalog, &mut plan, found, parsed.request.limit);
    }
    if catalog.commitment_filter().is_some() {
        plan.candidates.retain(|way| way.quote.is_some());
    }
    Ok((plan, reordered))
}

/// Ranks candidates by their whole bills within the groups that come before the price. Returns a note if another is
/// first.
fn rank_by_bill(
    catalog: &Catalog<'_>,
    of: &BillUse,
    nodes: u32,
    plan: &mut Plan,
) -> Result<Option<Note>> {
    let usage = of.usage(None)?;
    let name = |way: &Candidate| {
        let offer = catalog.offer(way.found.offer);
        let (provider, id) = (catalog.provider_id(offer.provider), catalog.str(offer.id));
        let region = way.region.map(|region| catalog.region_id(region));
        format!("{provider} {id} in {}", region.unwrap_or("any region"))
    };
    let by_price: Vec<String> = plan.candidates.iter().map(name).collect();
    let used: Vec<Option<UsedMachines<'_>>> = plan
        .candidates
        .iter()
        .map(|way| {
            way.quote.map(|quote| UsedMachines {
                found: &way.found,
                quote,
                machines: nodes,
                usage,
            })
        })
        .collect();
    let totals = bill::ranking_totals(catalog, &used);
    let group = |way: &Candidate| {
        let is_weak = way.found.reasons.iter().any(|reason| reason.is_doubt());
        let offer = catalog.offer(way.found.offer);
        let is_part = offer.is_part(way.found.count) || offer.kind == OfferKind::Endpoint;
        let choice = way.found.choice;
        (
            way.fails(),
            choice,
            !way.is_exact,
            is_weak || is_part,
            way.found.is_region_unverified(),
        )
    };
    let mut billed: Vec<_> = plan.candidates.drain(..).zip(totals).collect();
    for run in billed.chunk_by_mut(|(a, _), (b, _)| group(a) == group(b)) {
        run.sort_by_key(|(_, total)| total.map_or(u64::MAX, |total| total.ranking.0));
    }
    plan.candidates = billed.into_iter().map(|(way, _)| way).collect();
    let by_bill: Vec<String> = plan.candidates.iter().map(name).collect();
    Ok(bill::reordered_note(&by_price, &by_bill))
}

/// Adds all candidates of the recommended providers.
fn recommended_ones(
    catalog: &Catalog<'_>,
    wanted: &[BoundChoice],
    request: &Request,
    moment: &Moment<'_, '_>,
    recommended: &Recommended,
) -> Plan {
    let named = recommended.machines.iter();
    let mut request = request.clone();
    request.limit = usize::MAX;
    let usable = std::mem::take(&mut request.offers.providers);
    let sellers = named.filter_map(|(provider, _)| catalog.provider_named(provider));
    request.offers.providers = sellers
        .filter(|id| usable.is_empty() || usable.contains(id))
        .collect();
    if request.offers.providers.is_empty() {
        return Plan::default();
    }
    plan(catalog, wanted, &request, moment)
}

/// Sets the command that starts the recommended workload, unless the job has one.
fn started(
    catalog: &Catalog<'_>,
    request: &PlanRequest,
    plan: &Plan,
    parsed: &mut ParsedRequest,
    image: Option<&EngineImage<'_>>,
) -> Option<Note> {
    let work = request.recommended.work.as_ref()?;
    let first = plan.candidates.first()?;
    if parsed.job.command.is_some() {
        return None;
    }
    if request.recommended.nodes != Some(request.nodes) {
        let message = "the recommended layout is for a different number of machines, so the plan has no command";
        return Some(Note::new("no-command", message));
    }
    let (target, nodes) = (request.target, request.nodes);
    let takes_arguments = target.is_some_and(|target| !target.descriptor().replaces_entry_point);
    let is_run = image.is_some() && !takes_arguments;
    let (start, note) = match served::start(catalog, work, first, nodes, target, is_run) {
        Ok(Some(start)) => {
            let message = "the target publishes one port of a machine, so one server shares its experts among the devices that were recommended as replicas: its speed may differ";
            let note = Note::new("shared-experts", message);
            let note = start.shares_experts.then_some(note);
            (start, note)
        }
        Ok(None) => {
            let message = "no command is known for this workload: give it as `run`";
            let note = Note::new("no-command", message);
            (served::unknown_command(work), Some(note))
        }
        Err(note) => (served::unknown_command(work), Some(note)),
    };
    let program = image.map_or("", |image| image.entry_point);
    if takes_arguments && !program.is_empty() {
        parsed.job.entry_arguments = EntryArguments::of(&start.command.text, program);
        if parsed.job.entry_arguments.is_none() {
            parsed.job.image = None;
        }
    }
    parsed.job.command = Some(start.command.text);
    parsed.job.variables = start.command.variables;
    parsed.job.server = start.server;
    if parsed.job.disk_gb.is_none() {
        parsed.job.disk_gb = start.disk_gb;
        parsed.job.is_disk_of_model = start.disk_gb.is_some();
    }
    note
}

/// Renders the candidates for the target.
fn rendered(
    catalog: &Catalog<'_>,
    request: &PlanRequest,
    parsed: &ParsedRequest,
    wanted: &[BoundChoice],
    plan: &Plan,
    cut: Option<&Cut<'_>>,
) -> Result<Option<(Target, Rendered)>> {
    let Some(target) = request.target.filter(|_| !plan.candidates.is_empty()) else {
        return Ok(None);
    };
    let handover = Handover {
        catalog: *catalog,
        wanted,
        candidates: &plan.candidates,
        job: &parsed.job,
        layout: cut.map(Cut::layout),
        regions: parsed.request.offers.regions.as_ref(),
        names_providers: parsed.names_providers,
    };
    let rendered = render(&handover, target).map_err(|why| {
        let error = Error::new(ErrorCode::PlanCannotSay, why.to_string());
        match other_machines(catalog, request, target, &why) {
            Some(advice) => error.advise(advice),
            None => error,
        }
    })?;
    if request.strict && !rendered.lossy.is_empty() {
        return Err(lossy(target, &rendered));
    }
    Ok(Some((target, rendered)))
}

/// The advice if a target can start none of the machines; `None` for other errors.
fn other_machines(
    catalog: &Catalog<'_>,
    request: &PlanRequest,
    target: Target,
    why: &Unsupported,
) -> Option<String> {
    let is_of_machines = matches!(
        why,
        Unsupported::Machine(_)
            | Unsupported::Candidates(_)
            | Unsupported::Providers(_)
            | Unsupported::Unknown { .. }
    );
    let providers = request::reached(catalog, target);
    let of_providers = match &providers[..] {
        few if (1..=MOST_NAMED).contains(&few.len()) => format!(" of {}", list_and(few)),
        _ => String::new(),
    };
    let source = if request.recommended.machines.is_empty() {
        "plan other accelerators"
    } else {
        "recommend other accelerators (--on)"
    };
    let name = target.name();
    is_of_machines
        .then(|| format!("{source}{of_providers} that {name} supports, or choose another target"))
}

/// The losses of a target as an error.
fn lossy(target: Target, rendered: &Rendered) -> Error {
    let problems = rendered.lossy.iter().map(|loss| {
        let (name, code) = (target.name(), loss.code);
        let message = format!(
            "{name} cannot express the whole plan ({code}): {}",
            loss.message
        );
        Problem::new(ErrorCode::PlanLossy, message)
    });
    Error::several(problems.collect())
}

fn parts<'c>(
    catalog: &Catalog<'c>,
    wanted: &[BoundChoice],
    parsed: &ParsedRequest,
    plan: &Plan,
    results: &[CandidateOut<'c>],
    cut: Option<&Cut<'c>>,
    rendered: Option<&(Target, Rendered)>,
) -> PlanParts<'c> {
    let rejected = plan.rejected.iter();
    let is_empty = plan.candidates.is_empty();
    PlanParts {
        id: PlanId::of(&parsed.understood, results),
        rejected: rejected
            .map(|rejected| contract::rejected(catalog, wanted, rejected))
            .collect(),
        totals: contract::totals(&plan.candidates),
        steps: if is_empty {
            Vec::new()
        } else {
            steps(cut, rendered.map(|(_, rendered)| rendered))
        },
        render: rendered.map(|(target, rendered)| contract::render(*target, rendered)),
    }
}

fn candidate<'c>(
    catalog: &Catalog<'c>,
    wanted: &[BoundChoice],
    way: &Candidate,
    rank: u32,
    request: &Request,
) -> CandidateOut<'c> {
    CandidateOut {
        mig: Cut::of(catalog, wanted, way).map(|cut| cut.out()),
        ..contract::candidate(catalog, wanted, way, rank, request)
    }
}

/// Adds the bill of the use to each candidate with a price.
fn add_bills<'c>(
    catalog: &Catalog<'c>,
    plan: &Plan,
    of: &BillUse,
    nodes: u32,
    results: &mut [CandidateOut<'c>],
) -> Result<()> {
    let usage = of.usage(None)?;
    for (out, way) in results.iter_mut().zip(&plan.candidates) {
        let bill = way
            .quote
            .map(|quote| bill::of_quote(catalog, &way.found, quote, nodes, &usage));
        out.bill = bill.map(Box::new);
    }
    Ok(())
}

/// The note if the first candidate has more devices than requested.
fn oversized(catalog: &Catalog<'_>, plan: &Plan) -> Option<Note> {
    let first = plan.candidates.first().filter(|way| !way.is_exact)?;
    let id = catalog.str(catalog.offer(first.found.offer).id);
    let message = format!(
        "{id} has {}, more than requested: the price is for the whole machine",
        counted(first.found.count, "device")
    );
    Some(Note::new("oversized", message))
}

/// The note that the plan leaves the provider whose instance type the spec names.
fn elsewhere(
    catalog: &Catalog<'_>,
    request: &PlanRequest,
    wanted: &[BoundChoice],
    plan: &Plan,
) -> Option<Note> {
    let first = plan.candidates.first()?;
    let named = wanted.get(first.found.choice)?.instance_type.as_deref()?;
    let Meaning::InstanceType(named) = catalog.name(named)?.meaning else {
        return None;
    };
    let (named, found) = (catalog.offer(named), catalog.offer(first.found.offer));
    if named.provider == found.provider || !request.offers.providers.is_empty() {
        return None;
    }
    let id = catalog.str(named.id);
    let (home, away) = (
        catalog.provider_id(named.provider),
        catalog.provider_id(found.provider),
    );
    let message = format!(
        "{id} means its hardware, and the first candidate is at {away}: `providers` {home} keeps the plan at {home}"
    );
    Some(Note::new("elsewhere", message))
}

/// The note that a target rents none of the recommended machines, with the providers from which it rents.
fn not_rentable(catalog: &Catalog<'_>, request: &PlanRequest, plan: &Plan) -> Option<Note> {
    let target = request.target?;
    let is_recommended = !request.recommended.machines.is_empty();
    if !is_recommended || !plan.candidates.is_empty() || !request.offers.providers.is_empty() {
        return None;
    }
    let providers = request::reached(catalog, target);
    (!providers.is_empty()).then(|| {
        let message = format!(
            "{} cannot start any of the recommended machines: recommend machines that it can start, with `providers` {}",
            target.name(),
            providers.join(",")
        );
        Note::new("not-rentable", message)
    })
}

/// The notes on the choices of a spec.
fn notes_of_choices(wanted: &[BoundChoice]) -> impl Iterator<Item = Note> {
    wanted
        .iter()
        .flat_map(|choice| choice.notes.iter().cloned())
}

/// The notes on the prices and sizes of the candidates.
fn notes_on_candidates(catalog: &Catalog<'_>, plan: &Plan) -> impl Iterator<Item = Note> {
    let notes = mixed_ages(catalog, plan).into_iter();
    notes
        .chain(oversized(catalog, plan))
        .chain(attached(catalog, plan))
}

/// Leaves out the candidates that the image of an engine does not run on, or that a target would wrongly prefer.
fn keep_startable(
    catalog: &Catalog<'_>,
    request: &PlanRequest,
    wanted: &[BoundChoice],
    image: Option<&EngineImage<'_>>,
    plan: &mut Plan,
) {
    if image.is_some() {
        served::keep_vendor(catalog, wanted, plan);
    }
    let target = request.target.map(Target::descriptor);
    if target.is_some_and(|target| target.takes_cheapest) {
        keep_first(plan);
    }
}

/// Leaves out doubtful candidates that cost less than the first, which a target would take before it.
fn keep_first(plan: &mut Plan) {
    let usd = |way: &Candidate| way.quote.map(|quote| quote.likely.usd);
    let setback = |way: &Candidate| Setback::of_reasons(&way.found.reasons);
    let Some((first, price)) = plan.candidates.first().map(|way| (setback(way), usd(way))) else {
        return;
    };
    plan.candidates
        .retain(|way| setback(way) <= first || usd(way) >= price);
}

/// The note that attached accelerators are priced without their host.
fn attached(catalog: &Catalog<'_>, plan: &Plan) -> Option<Note> {
    let host = |way: &Candidate| {
        let found = &way.found;
        let offer = catalog.offer(found.offer);
        let host = catalog.host_of(&offer, found.accelerator, found.count)?;
        Some((offer, host))
    };
    let (offer, host) = plan.candidates.iter().find_map(host)?;
    let message = format!(
        "{} is priced without the machine that it is attached to, such as {}: prices, totals and limits exclude the host, and a bill includes it",
        catalog.str(offer.id),
        host.id(catalog)
    );
    Some(Note::new("attached", message))
}

/// The note that live and catalog prices are ranked together.
fn mixed_ages(catalog: &Catalog<'_>, plan: &Plan) -> Option<Note> {
    let is_live = |way: &Candidate| {
        let quote = way.quote?;
        Some(catalog.price(quote.price).kind == PriceKind::Live)
    };
    let has = |live| plan.candidates.iter().any(|way| is_live(way) == Some(live));
    (has(true) && has(false)).then(|| {
        Note::new(
            "mixed-provenance",
            "live prices and catalog prices are ranked together",
        )
    })
}

/// Returns true if there are no candidates only because of old prices.
fn is_only_stale(plan: &Plan) -> bool {
    // An offer that is not sold with this capacity type cannot be a candidate at any price age.
    let is_sold = |reason| !matches!(reason, Reject::Market | Reject::NotOffered | Reject::Name);
    let mut sold = plan
        .rejected
        .iter()
        .filter(|rejected| rejected.capacity.is_some() && is_sold(rejected.reason));
    let is_any = plan
        .rejected
        .iter()
        .any(|rejected| rejected.reason == Reject::Stale);
    is_any && sold.all(|rejected| rejected.reason == Reject::Stale)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_highest_ranked_machine_that_a_target_starts_is_first() {
        let result = |provider: &str, id: &str, spec: &str, tensor: u32| {
            json!({
                "spec": spec,
                "offer": {"provider": provider, "instance_type": id, "count": 8},
                "fit": {"parallelism": {"tensor": tensor, "data": 8 / tensor}},
            })
        };
        // The first and the third have the same layout.
        let text = json!({
            "schema": "sky-accel.recommend.v1",
            "request": {"model": "Llama-3.1-8B"},
            "results": [
                result("aws", "p5.48xlarge", "H100-80GB-SXM:x8", 8),
                result("gcp", "a2-ultragpu-8g", "A100-80GB-SXM:x8", 4),
                result("gcp", "a3-highgpu-8g", "H100-80GB-SXM:x8", 8),
            ],
        });
        let mut input = PlanInput::parse(&text.to_string()).unwrap();
        let others = std::mem::take(&mut input.others);
        let first = |target: Option<&str>| {
            let request = |input: &PlanInput| {
                let mut request = PlanRequest::new("").with_input(input.clone(), None);
                request.target = target.map(|name| {
                    let mut targets = Target::ALL.into_iter();
                    targets.find(|target| target.name() == name).unwrap()
                });
                request
            };
            let others: Vec<PlanRequest> = others.iter().map(request).collect();
            let planned = Engine::embedded().plan_first(&request(&input), &others);
            let (_, answer) = planned.unwrap();
            let notes = answer.envelope.notes.into_iter();
            let note = notes
                .into_iter()
                .find(|note| note.code == "not-recommended");
            let first = answer.envelope.results[0].instance_type;
            (first, note.map(|note| note.message).unwrap_or_default())
        };
        assert_eq!(first(None), ("p5.48xlarge", String::new()));
        let (machine, note) = first(Some("gke"));
        assert_eq!(machine, "a2-ultragpu-8g");
        assert!(
            note.starts_with("gke cannot start the recommended p5.48xlarge of aws"),
            "{note}"
        );
        assert!(note.ends_with("number 2 of the recommendation"), "{note}");
    }
}
