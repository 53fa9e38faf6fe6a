//! The choices that most people decide between: the cheapest, the best value and the safest, and the fastest
//! where speed is what is asked for.

use sky_accel_core::catalog::{Catalog, OfferKind, Quality};

use super::search::Choice;
use super::tier::Tier;
use super::wishes::{Wish, Wishes};
use super::{Basis, Objective};

/// The share of memory that stays free on a safe machine, and how much better than asked it serves.
const SAFE_SPARE: f64 = 0.2;
const SAFE_SERVICE: f64 = 1.25;
/// Costs of a token that differ less are the same to a person: the cheaper hour is the better value.
const SAME_VALUE: f64 = 1.01;
/// A date with a day has so many characters.
const DAY: usize = "2026-10-27".len();

sky_accel_core::words! {
    /// Why a choice is picked.
    pub enum PickKind {
        /// The least money per hour.
        Cheapest = "cheapest",
        /// The least money for the work.
        Value = "value",
        /// One device, or one machine, with room to spare, at a list price that its provider published on a
        /// known day.
        Safest = "safest",
        /// The most tokens per second, of one user or of all, where that is what choices are ranked by.
        Fastest = "fastest",
    }
}

/// A choice that is picked, by its place in the ranking, for one reason or several.
pub(super) struct Pick {
    pub kinds: Vec<PickKind>,
    pub at: usize,
}

/// Picks from ranked choices, one for each kind; equal ones are merged. Those of the first tier count, unless
/// there are none.
pub(super) fn picks(
    catalog: &Catalog<'_>,
    choices: &[Choice],
    wishes: &Wishes,
    objective: Objective,
) -> Vec<Pick> {
    let basis = wishes.basis;
    let Some(first) = choices.first() else {
        return Vec::new();
    };
    let is_verified = |choice: &Choice| !choice.machine.is_region_unverified();
    let counts = |choice: &Choice| {
        choice.tier == first.tier
            && choice.suits == first.suits
            && is_verified(choice) == is_verified(first)
    };
    let candidates = || {
        choices
            .iter()
            .enumerate()
            .filter(|(_, choice)| counts(choice))
    };
    // Ranked choices: of equal ones the first counts.
    let least = |cost: &dyn Fn(&Choice) -> f64| {
        let mut best: Option<(usize, f64)> = None;
        for (at, choice) in candidates() {
            let cost = cost(choice);
            // Where nothing is known of the work, nothing is of its price.
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
        let most = choices[at].cost(by_work) * SAME_VALUE;
        let is_as_good = |choice: &Choice| choice.cost(by_work) <= most;
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
            let (one_safety, other_safety) =
                (safety(catalog, one, wishes), safety(catalog, other, wishes));
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

/// Whether so much memory stays free that a choice has room to spare.
pub(super) fn has_room(choice: &Choice) -> bool {
    choice.model.spare() >= SAFE_SPARE
}

/// Reasons to rely on a machine, the more important first.
fn safety(catalog: &Catalog<'_>, choice: &Choice, wishes: &Wishes) -> [bool; 6] {
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
        serves_well(choice, wishes),
        has_room(choice),
        choice.devices() == 1,
        offer.kind == OfferKind::Machine,
    ]
}

/// Whether service is better than asked by a margin; in training nobody waits.
fn serves_well(choice: &Choice, wishes: &Wishes) -> bool {
    let model = &choice.model;
    let is_fast = |wish: Wish| {
        model
            .speed
            .is_some_and(|speed| speed >= wish.value * SAFE_SERVICE)
    };
    let is_soon = |wish: Wish| {
        let first = model.first_token_s;
        first.is_some_and(|first| first * SAFE_SERVICE <= wish.value)
    };
    wishes.speed.is_none_or(is_fast) && wishes.first_token_s.is_none_or(is_soon)
}
