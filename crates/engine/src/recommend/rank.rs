//! The order of choices, and those that nothing beats.

use sky_accel_core::catalog::Catalog;

use super::Objective;
use super::search::Choice;

/// Sorts choices, the best first. The order is total: two runs print the same.
pub(super) fn rank(
    catalog: &Catalog<'_>,
    choices: &mut [Choice],
    objective: Objective,
    by_total: bool,
) {
    choices.sort_by(|a, b| {
        let by_cost = || a.cost(by_total).cmp(&b.cost(by_total));
        let by_speed = || {
            let speed = |choice: &Choice| choice.model.tokens_per_s.unwrap_or_default();
            speed(b).total_cmp(&speed(a))
        };
        let by_memory = || {
            let memory = |choice: &Choice| {
                let fitted = &choice.model.fitted;
                fitted.usable.unwrap_or_default() * f64::from(fitted.layout.devices())
            };
            memory(a).total_cmp(&memory(b))
        };
        let first = match objective {
            Objective::Cost => by_cost(),
            Objective::Speed => by_speed(),
            Objective::Memory => by_memory(),
        };
        // Where a region is asked for, a machine in an unknown one is a guess.
        let is_guess = |choice: &Choice| choice.machine.is_region_unverified();
        let id = |choice: &Choice| catalog.str(catalog.offer(choice.machine.offer).id);
        let devices = |choice: &Choice| {
            let machine = &choice.machine;
            (machine.offer, machine.count, machine.accelerator)
        };
        is_guess(a)
            .cmp(&is_guess(b))
            .then(first)
            .then_with(by_cost)
            .then_with(by_speed)
            .then_with(|| id(a).cmp(id(b)))
            .then_with(|| devices(a).cmp(&devices(b)))
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
