//! Candidates that a target can hold to the stated providers, regions, capacity type, price limit, interconnect and
//! host.

use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::Catalog;
use sky_accel_core::note::Note;
use sky_accel_core::plan::{Candidate, Plan};
use sky_accel_core::resolve::CapacityFilter;
use sky_accel_core::text::list_and;
use sky_accel_targets::{Handover, LossCode, Target, render};

use super::cut::Cut;
use super::request::ParsedRequest;
use crate::code::ErrorCode;
use crate::error::{Error, Result};

/// A requirement that a target may be unable to state: its loss, its name and its field.
type Requirement = (LossCode, &'static str, &'static str);

/// Leaves out the candidates whose file for the target would not hold a provider, a region, a capacity type, a price
/// limit, an interconnect or the size of the host that the request states: the target could rent another machine.
/// Returns a note on them.
///
/// # Errors
///
/// [`ErrorCode::PlanLossy`] if no candidate is left.
pub(super) fn hold(
    catalog: &Catalog<'_>,
    parsed: &ParsedRequest,
    wanted: &[BoundChoice],
    target: Option<Target>,
    plan: &mut Plan,
) -> Result<Option<Note>> {
    let requirements = stated_requirements(parsed);
    let Some(target) = target.filter(|_| !requirements.is_empty() && !plan.candidates.is_empty())
    else {
        return Ok(None);
    };
    let lost = |candidate: &Candidate| {
        let cut = Cut::of(catalog, wanted, candidate);
        let handover = Handover {
            catalog: *catalog,
            wanted,
            candidates: std::slice::from_ref(candidate),
            job: &parsed.job,
            layout: cut.as_ref().map(Cut::layout),
            regions: parsed.request.offers.regions.as_ref(),
            names_providers: parsed.names_providers,
        };
        // The whole plan states why a target cannot rent a candidate.
        let alone = render(&handover, target).ok()?;
        let is_lost = |(code, ..): &&Requirement| alone.lossy.iter().any(|loss| loss.code == *code);
        requirements.iter().find(is_lost).copied()
    };
    let mut providers: Vec<&str> = Vec::new();
    let mut unstated: Vec<Requirement> = Vec::new();
    plan.candidates.retain(|candidate| {
        let Some(requirement) = lost(candidate) else {
            return true;
        };
        let provider = catalog.provider(catalog.offer(candidate.found.offer).provider);
        let provider = catalog.str(provider.name);
        if !providers.contains(&provider) {
            providers.push(provider);
        }
        if !unstated.contains(&requirement) {
            unstated.push(requirement);
        }
        false
    });
    if providers.is_empty() {
        return Ok(None);
    }
    let fields = list(&unstated, |(_, _, field)| format!("`{field}`"));
    let what = list(&unstated, |(_, what, field)| format!("{what} (`{field}`)"));
    let name = target.name();
    let providers = list_and(&providers);
    if plan.candidates.is_empty() {
        let message = format!(
            "a file for {name} cannot state {what}, so the machine that it starts at {providers} may not be as requested"
        );
        return Err(Error::new(ErrorCode::PlanLossy, message).advise(format!(
            "leave out {fields}, or choose other providers or another target"
        )));
    }
    let message =
        format!("left out candidates at {providers}: a file for {name} cannot state {what}");
    Ok(Some(Note::new("not-held", message)))
}

/// Returns the requirements of the request that a target may be unable to state.
fn stated_requirements(parsed: &ParsedRequest) -> Vec<Requirement> {
    let offers = &parsed.request.offers;
    let is_spot = offers.capacity_filter == CapacityFilter::Spot;
    let price_limit = if offers.max_price.is_some() {
        "max_price"
    } else {
        "budget_usd"
    };
    let host_limit = if offers.min_vcpu.is_some() {
        "min_vcpu"
    } else {
        "min_host_memory_gib"
    };
    let requirements: [(bool, Requirement); 6] = [
        (
            offers.regions.is_some(),
            (LossCode::Region, "the region", "regions"),
        ),
        (is_spot, (LossCode::Spot, "spot capacity", "capacity_type")),
        (
            // Reserved capacity is already paid for.
            parsed.job.max_price.is_some() && parsed.job.capacity.is_none(),
            (LossCode::MaxPrice, "the price limit", price_limit),
        ),
        (
            parsed.names_providers,
            (LossCode::Provider, "the provider", "providers"),
        ),
        (
            parsed.job.interconnect.is_some(),
            (LossCode::Interconnect, "the interconnect", "interconnect"),
        ),
        (
            parsed.job.host.is_some(),
            (LossCode::Host, "the size of the host", host_limit),
        ),
    ];
    let stated = requirements.into_iter().filter(|(is_stated, _)| *is_stated);
    stated.map(|(_, requirement)| requirement).collect()
}

/// Joins requirements to a list of words.
fn list(requirements: &[Requirement], words: impl Fn(&Requirement) -> String) -> String {
    let words: Vec<String> = requirements.iter().map(words).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    list_and(&words)
}
