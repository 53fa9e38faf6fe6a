//! The order of choices, and those that nothing beats.

use std::cmp::Ordering;

use sky_accel_core::catalog::Catalog;
use sky_accel_core::money::Usd;

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
    if others.iter().any(Choice::is_for_more) {
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
        is_below_usual: !near.is_empty(),
        choices: near,
        missed,
    }
}

/// The figures that a choice is ranked by, made once: the more important first.
#[derive(Clone, Copy)]
struct Key {
    /// Where a region is asked for, a machine in an unknown one is a guess.
    is_guess: bool,
    suits: bool,
    is_below: bool,
    /// The least is first.
    objective: f64,
    cost: f64,
    usd_per_hour: Usd,
    tokens_per_s: f64,
}

impl Key {
    fn of(choice: &Choice, objective: Objective, basis: Basis, tiers: TierOrder) -> Self {
        let model = &choice.model;
        let cost = choice.ranked_cost(basis);
        let tokens_per_s = model.tokens_per_s.unwrap_or_default();
        Self {
            is_guess: choice.machine.is_region_unverified(),
            suits: choice.suits,
            is_below: tiers == TierOrder::List && choice.tier != Tier::List,
            objective: match objective {
                Objective::Cost => cost,
                Objective::Speed => -tokens_per_s,
                Objective::Latency => -model.speed.unwrap_or_default(),
                Objective::Memory => {
                    let usable = model.fitted.usable.unwrap_or_default();
                    usable * f64::from(choice.devices())
                }
            },
            cost,
            usd_per_hour: choice.usd_per_hour,
            tokens_per_s,
        }
    }

    fn cmp(&self, other: &Self) -> Ordering {
        self.is_guess
            .cmp(&other.is_guess)
            .then_with(|| other.suits.cmp(&self.suits))
            .then_with(|| self.is_below.cmp(&other.is_below))
            .then_with(|| self.objective.total_cmp(&other.objective))
            .then_with(|| self.cost.total_cmp(&other.cost))
            .then_with(|| self.usd_per_hour.cmp(&other.usd_per_hour))
            .then_with(|| other.tokens_per_s.total_cmp(&self.tokens_per_s))
    }
}

/// Sorts choices, the best first. The order is total: two runs print the same.
pub(super) fn rank(
    catalog: &Catalog<'_>,
    choices: Vec<Choice>,
    objective: Objective,
    basis: Basis,
    tiers: TierOrder,
) -> Vec<Choice> {
    let key = |choice: &Choice| Key::of(choice, objective, basis, tiers);
    let mut keyed: Vec<(Key, usize)> = choices.iter().map(key).zip(0..).collect();
    keyed.sort_by(|(a, at), (b, other)| {
        let (one, two) = (&choices[*at], &choices[*other]);
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
        a.cmp(b)
            .then_with(|| id(one).cmp(id(two)))
            .then_with(|| devices(one).cmp(&devices(two)))
            .then_with(|| one.tier.cmp(&two.tier))
    });
    let mut choices: Vec<Option<Choice>> = choices.into_iter().map(Some).collect();
    let in_order = keyed.into_iter();
    in_order.filter_map(|(_, at)| choices[at].take()).collect()
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
