//! The order of choices, and those that nothing beats.

use sky_accel_core::catalog::Catalog;

use super::search::Choice;
use super::service::Shortfall;
use super::tier::{Tier, TierOrder};
use super::wishes::Wishes;
use super::{Basis, Objective};

/// Where nothing keeps what people usually expect, a machine counts as near if it is so many times slower
/// than the best at most.
const NEAR: f64 = 2.0;

/// The choices that meet every wish.
pub(super) struct Usable {
    pub choices: Vec<Choice>,
    /// Those that leave a wish open. Where nothing meets every wish, the user asked for one of theirs.
    pub missed: Vec<Choice>,
    /// Whether nothing keeps what people usually expect, so that the choices are those next to it.
    pub is_below_usual: bool,
}

/// Parts the choices that meet every wish from the others.
///
/// Where none does, and none would at any price, those are taken that leave open only what nobody asked for, as long
/// as they are not much slower than the best of them.
pub(super) fn usable(choices: Vec<Choice>, wishes: &Wishes) -> Usable {
    let (meet, others): (Vec<Choice>, Vec<Choice>) = choices
        .into_iter()
        .partition(|choice| choice.shortfalls.is_empty());
    if !meet.is_empty() {
        return Usable {
            choices: meet,
            missed: others,
            is_below_usual: false,
        };
    }
    let is_asked = |open: &Shortfall| open.is_asked(wishes);
    // Less service is no answer to less money: with more of it, there is a machine.
    let is_for_more = |choice: &Choice| choice.shortfalls.iter().all(Shortfall::is_of_money);
    if others.iter().any(is_for_more) {
        return Usable {
            choices: Vec::new(),
            missed: others,
            is_below_usual: false,
        };
    }
    let (missed, mut near): (Vec<Choice>, Vec<Choice>) = others
        .into_iter()
        .partition(|choice| choice.shortfalls.iter().any(is_asked));
    if near.is_empty() {
        return Usable {
            choices: near,
            missed,
            is_below_usual: false,
        };
    }
    let speed = |choice: &Choice| choice.model.speed.unwrap_or(0.0);
    let first = |choice: &Choice| choice.model.first_token_s.unwrap_or(f64::INFINITY);
    let fastest = near.iter().map(speed).fold(0.0, f64::max);
    let soonest = near.iter().map(first).fold(f64::INFINITY, f64::min);
    let least = wishes
        .speed
        .map_or(0.0, |wish| wish.value.min(fastest / NEAR));
    let most = wishes
        .first_token_s
        .map_or(f64::INFINITY, |wish| wish.value.max(soonest * NEAR));
    near.retain(|choice| speed(choice) >= least && first(choice) <= most);
    Usable {
        choices: near,
        missed,
        is_below_usual: true,
    }
}

/// Sorts choices, the best first. The order is total: two runs print the same.
pub(super) fn rank(
    catalog: &Catalog<'_>,
    choices: &mut [Choice],
    objective: Objective,
    basis: Basis,
    tiers: TierOrder,
) {
    choices.sort_by(|a, b| {
        let by_cost = || a.ranked_cost(basis).total_cmp(&b.ranked_cost(basis));
        let by_speed = || {
            let speed = |choice: &Choice| choice.model.tokens_per_s.unwrap_or_default();
            speed(b).total_cmp(&speed(a))
        };
        let by_latency = || {
            let speed = |choice: &Choice| choice.model.speed.unwrap_or_default();
            speed(b).total_cmp(&speed(a))
        };
        let by_memory = || {
            let memory = |choice: &Choice| {
                let usable = choice.model.fitted.usable.unwrap_or_default();
                usable * f64::from(choice.devices())
            };
            memory(a).total_cmp(&memory(b))
        };
        let first = match objective {
            Objective::Cost => by_cost(),
            Objective::Speed => by_speed(),
            Objective::Latency => by_latency(),
            Objective::Memory => by_memory(),
        };
        // Where a region is asked for, a machine in an unknown one is a guess.
        let is_guess = |choice: &Choice| choice.machine.is_region_unverified();
        let is_below = |choice: &Choice| tiers == TierOrder::List && choice.tier != Tier::List;
        let id = |choice: &Choice| catalog.str(catalog.offer(choice.machine.offer).id);
        let devices = |choice: &Choice| {
            let machine = &choice.machine;
            (
                machine.offer,
                machine.count,
                machine.accelerator,
                choice.nodes,
            )
        };
        is_guess(a)
            .cmp(&is_guess(b))
            .then_with(|| b.suits.cmp(&a.suits))
            .then_with(|| is_below(a).cmp(&is_below(b)))
            .then(first)
            .then_with(by_cost)
            .then_with(|| a.usd_per_hour.cmp(&b.usd_per_hour))
            .then_with(by_speed)
            .then_with(|| id(a).cmp(id(b)))
            .then_with(|| devices(a).cmp(&devices(b)))
            .then_with(|| a.tier.cmp(&b.tier))
    });
}

/// For each point of cost and speed, whether no other one is at most as dear and at least as fast.
/// `None` where the speed is unknown.
pub(super) fn pareto<C: Copy + PartialOrd>(points: &[(C, Option<f64>)]) -> Vec<Option<bool>> {
    let known: Vec<(C, f64)> = points
        .iter()
        .filter_map(|(cost, speed)| Some((*cost, (*speed)?)))
        .collect();
    let beats = |a: (C, f64), b: (C, f64)| a.0 <= b.0 && a.1 >= b.1 && (a.0 < b.0 || a.1 > b.1);
    points
        .iter()
        .map(|(cost, speed)| {
            let point = (*cost, (*speed)?);
            Some(!known.iter().any(|other| beats(*other, point)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::pareto;

    #[test]
    fn the_front_is_what_nothing_beats_in_both() {
        let points = [
            (1, Some(10.0)),
            (2, Some(30.0)),
            (2, Some(20.0)),
            (3, Some(30.0)),
            (4, None),
            (1, Some(10.0)),
        ];
        assert_eq!(
            pareto(&points),
            [
                Some(true),
                Some(true),
                Some(false),
                Some(false),
                None,
                Some(true)
            ]
        );
    }
}
