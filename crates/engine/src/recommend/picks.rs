//! Picks: the cheapest machine, the best value and the safest, and the fastest for objectives of speed.

use sky_accel_core::catalog::{Catalog, OfferKind, Quality};

use super::requirements::{Requirements, ServiceLimit};
use super::search::SizedMachine;
use super::tier::Tier;
use super::{Basis, Objective};

/// A safe machine keeps this fraction of its memory free, and exceeds service limits by this factor.
const SAFE_SPARE: f64 = 0.2;
const SAFE_SERVICE: f64 = 1.25;
/// Costs per token within this factor count as equal: the lower hourly price is then the better value.
const SAME_VALUE: f64 = 1.01;
/// The length of a date with a day.
const DAY: usize = "2026-10-27".len();

sky_accel_core::words! {
    /// The reason for a pick.
    pub enum PickKind {
        /// The lowest price per hour.
        Cheapest = "cheapest",
        /// The lowest cost of the work.
        Value = "value",
        /// One device or machine with memory to spare, at a list price that its provider published on a known day.
        Safest = "safest",
        /// The highest tokens per second, in total or per user, if machines are ranked by it.
        Fastest = "fastest",
    }
}

/// A pick: its index in the ranking and its reasons.
pub(super) struct Pick {
    pub kinds: Vec<PickKind>,
    pub at: usize,
}

/// Picks from ranked machines, one per kind; reasons for the same machine are merged. Only machines of the tier, device
/// class and region certainty of the first machine are candidates.
pub(super) fn picks(
    catalog: &Catalog<'_>,
    choices: &[SizedMachine],
    requirements: &Requirements,
    objective: Objective,
) -> Vec<Pick> {
    let basis = requirements.basis;
    let Some(first) = choices.first() else {
        return Vec::new();
    };
    let is_verified = |choice: &SizedMachine| !choice.machine.is_region_unverified();
    let counts = |choice: &SizedMachine| {
        choice.tier == first.tier
            && choice.matches_device_class == first.matches_device_class
            && is_verified(choice) == is_verified(first)
    };
    let candidates = || {
        choices
            .iter()
            .enumerate()
            .filter(|(_, choice)| counts(choice))
    };
    // The first of equal machines wins, since they are ranked.
    let least = |cost: &dyn Fn(&SizedMachine) -> f64| {
        let mut best: Option<(usize, f64)> = None;
        for (at, choice) in candidates() {
            let cost = cost(choice);
            // The cost is infinite if the speed is unknown.
            if !cost.is_finite() {
                continue;
            }
            if best.is_none_or(|(_, least)| cost < least) {
                best = Some((at, cost));
            }
        }
        best.map(|(at, _)| at)
    };
    let cheapest = least(&|choice| choice.ranked_cost(Basis::Hour));
    let by_work = match basis {
        Basis::Hour => Basis::MillionTokens,
        basis => basis,
    };
    let value = least(&|choice| choice.ranked_cost(by_work)).and_then(|at| {
        let limit = choices[at].cost(by_work) * SAME_VALUE;
        let is_as_good = |choice: &SizedMachine| choice.cost(by_work) <= limit;
        least(&|choice| {
            if is_as_good(choice) {
                choice.ranked_cost(Basis::Hour)
            } else {
                f64::INFINITY
            }
        })
    });
    let safest = candidates()
        .filter(|(_, choice)| choice.nodes == 1 && choice.tier == Tier::List)
        .max_by(|(a, one), (b, other)| {
            let (one_safety, other_safety) = (
                safety(catalog, one, requirements),
                safety(catalog, other, requirements),
            );
            one_safety
                .cmp(&other_safety)
                .then_with(|| other.cost(basis).total_cmp(&one.cost(basis)))
                .then_with(|| b.cmp(a))
        })
        .map(|(at, _)| at);
    let is_for_speed = matches!(objective, Objective::Speed | Objective::Latency);
    let mut picks: Vec<Pick> = Vec::new();
    for (kind, at) in [
        (PickKind::Fastest, is_for_speed.then_some(0)),
        (PickKind::Cheapest, cheapest),
        (PickKind::Value, value),
        (PickKind::Safest, safest),
    ] {
        let Some(at) = at else { continue };
        match picks.iter_mut().find(|pick| pick.at == at) {
            Some(pick) => pick.kinds.push(kind),
            None => picks.push(Pick {
                kinds: vec![kind],
                at,
            }),
        }
    }
    picks
}

/// True if a machine has memory to spare.
pub(super) fn has_room(choice: &SizedMachine) -> bool {
    choice.model.spare() >= SAFE_SPARE
}

/// Reasons to rely on a machine, in order of importance.
fn safety(catalog: &Catalog<'_>, choice: &SizedMachine, requirements: &Requirements) -> [bool; 6] {
    let offer = catalog.offer(choice.machine.offer);
    let price = choice
        .machine
        .on_demand
        .map(|quote| catalog.price(quote.price));
    let is_published = price.is_some_and(|price| price.quality == Quality::Provider);
    let is_dated = price.is_some_and(|price| catalog.str(price.as_of).len() >= DAY);
    [
        choice.tier == Tier::List,
        is_published && is_dated,
        serves_well(choice, requirements),
        has_room(choice),
        choice.devices() == 1,
        offer.kind == OfferKind::Machine,
    ]
}

/// True if service exceeds the limits by a margin. Training has no service limits.
fn serves_well(choice: &SizedMachine, requirements: &Requirements) -> bool {
    let model = &choice.model;
    let is_fast = |limit: ServiceLimit| {
        model
            .speed
            .is_some_and(|speed| speed >= limit.value * SAFE_SERVICE)
    };
    let is_soon = |limit: ServiceLimit| {
        let first = model.first_token_s;
        first.is_some_and(|first| first * SAFE_SERVICE <= limit.value)
    };
    requirements.speed.is_none_or(is_fast) && requirements.first_token_s.is_none_or(is_soon)
}
