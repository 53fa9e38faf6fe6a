//! The ranking of machines, and the Pareto front.

use std::cmp::Ordering;

use sky_accel_core::catalog::Catalog;
use sky_accel_core::money::Usd;
use sky_accel_core::resolve::Setback;
use sky_accel_core::sizing::Arrival;

use super::replicas::group_of;
use super::requirements::Requirements;
use super::search::SizedMachine;
use super::service::Shortfall;
use crate::recommend_words::{Basis, Objective, Tier, TierOrder};

/// If no machine meets the default service limits, machines that miss them by up to this factor more than the best
/// count as near.
const NEAR: f64 = 2.0;
/// Several users are not served where even the best machine misses a default limit by more than this factor.
const FAR: f64 = 4.0;
/// Of this many users and more, a near machine serves at least this part within the limits, or misses them by at most a
/// factor.
const CLOSE: f64 = 2.5;
const MANY_USERS: f64 = 10.0;
const LEAST_PART: f64 = 0.5;

/// A machine of named hardware that misses default limits by up to a factor is listed with the machines that meet them,
/// if the cheapest of these are several and cost more than a factor: 1 plus a multiple of its excess. A convention:
/// half of the speed is worth a fourth of the price.
const WORTHWHILE_EXCESS: f64 = 2.0;
const SAVED_PER_EXCESS: f64 = 3.0;

/// A machine for a job never ranks below a machine that costs this factor more and takes longer.
const MUCH_DEARER: f64 = 1.3;
/// The same if that machine takes more than eight hours: for less, one device is worth its simplicity.
const CLEARLY_DEARER: f64 = 1.1;
const LONG_HOURS: f64 = 8.0;
/// Ranks a machine just before another.
const BEFORE: f64 = 1.0 - 1e-9;

/// The machines that meet all requirements.
pub(super) struct Usable {
    pub choices: Vec<SizedMachine>,
    /// Machines with unmet requirements. If `choices` is empty, each of them misses a requirement of the request.
    pub missed: Vec<SizedMachine>,
    /// True if no machine meets the default service limits, and `choices` has the nearest machines.
    pub is_below_usual: bool,
}

/// Separates the machines that meet all requirements from the others.
///
/// If only several machines of named hardware do, for much more money, machines that miss only default limits join
/// them. If no machine does, at any price, they are taken unless they are much slower than the best of them.
pub(super) fn usable(
    choices: Vec<SizedMachine>,
    requirements: &Requirements,
    is_named: bool,
) -> Usable {
    let (mut meet, others): (Vec<SizedMachine>, Vec<SizedMachine>) = choices
        .into_iter()
        .partition(|choice| choice.shortfalls.is_empty());
    if !meet.is_empty() {
        let (worth, missed): (Vec<SizedMachine>, Vec<SizedMachine>) = others
            .into_iter()
            .partition(|choice| is_named && is_worth_its_excess(choice, &meet, requirements));
        meet.extend(worth);
        return Usable {
            choices: meet,
            missed,
            is_below_usual: false,
        };
    }
    let is_asked = |unmet: &Shortfall| unmet.is_requested(requirements);
    // Do not answer a low budget with worse service: a machine exists for more money.
    if others.iter().any(SizedMachine::exceeds_only_money_or_time) {
        return Usable {
            choices: Vec::new(),
            missed: others,
            is_below_usual: false,
        };
    }
    let (mut missed, near): (Vec<SizedMachine>, Vec<SizedMachine>) = others
        .into_iter()
        .partition(|choice| choice.shortfalls.iter().any(is_asked));
    if near.is_empty() {
        return Usable {
            choices: near,
            missed,
            is_below_usual: false,
        };
    }
    let distance = |choice: &SizedMachine| distance(choice, requirements);
    let least = near.iter().map(distance).fold(f64::INFINITY, f64::min);
    let has_several_users = users(requirements).is_some_and(|users| users > 1.0);
    let most = if has_several_users && least > FAR {
        0.0
    } else {
        least * NEAR
    };
    let serves_a_part = |choice: &SizedMachine| {
        let load = users(requirements).zip(choice.model.served);
        load.is_none_or(|(users, served)| serves_a_part(distance(choice), users, served.most_users))
    };
    let (near, far): (Vec<SizedMachine>, Vec<SizedMachine>) = near
        .into_iter()
        .partition(|choice| distance(choice) <= most && serves_a_part(choice));
    missed.extend(far);
    Usable {
        is_below_usual: !near.is_empty(),
        choices: near,
        missed,
    }
}

/// Returns whether a server misses only default limits, by a bounded factor, and costs much less than the several
/// machines that meet them and are the cheapest of the same or a better group.
fn is_worth_its_excess(
    choice: &SizedMachine,
    meet: &[SizedMachine],
    requirements: &Requirements,
) -> bool {
    if !requirements.has_load || requirements.basis != Basis::Hour {
        return false;
    }
    let mut open = choice.shortfalls.iter();
    let excess = open.try_fold(1.0, |excess: f64, open| {
        Some(excess.max(open.excess_of_default(requirements)?))
    });
    let Some(excess) = excess.filter(|excess| *excess <= WORTHWHILE_EXCESS) else {
        return false;
    };
    let cost = |choice: &SizedMachine| choice.weighed_cost(Basis::Hour);
    let comparable = meet
        .iter()
        .filter(|other| group_of(other) <= group_of(choice));
    let cheapest = comparable.min_by(|a, b| cost(a).total_cmp(&cost(b)));
    let factor = 1.0 + SAVED_PER_EXCESS * (excess - 1.0);
    cheapest.is_some_and(|other| other.nodes > 1 && cost(other) >= factor * cost(choice))
}

/// The largest ratio of a machine's time to a limit on it; 1 if it meets all limits.
fn distance(choice: &SizedMachine, requirements: &Requirements) -> f64 {
    let speed = choice.model.speed.unwrap_or(0.0);
    let first = choice.model.first_token_s.unwrap_or(f64::INFINITY);
    let speed = requirements.speed.map_or(1.0, |limit| limit.value / speed);
    let first = requirements
        .first_token_s
        .map_or(1.0, |limit| first / limit.value);
    speed.max(first).max(1.0)
}

/// The users of the load; `None` without a load, or for a rate of requests.
fn users(requirements: &Requirements) -> Option<f64> {
    requirements.load.and_then(|load| match load.arrival {
        Arrival::Users(users) => Some(users),
        Arrival::Rate(_) => None,
    })
}

/// True unless a machine is far from the limits and serves far fewer users within them than the load has.
fn serves_a_part(distance: f64, users: f64, most_users: f64) -> bool {
    distance <= CLOSE || users < MANY_USERS || most_users >= LEAST_PART * users
}

/// The figures that rank a machine, in order of importance. Computed once per machine, since sorting compares often.
#[derive(Clone, Copy)]
struct RankKey {
    /// True for a machine in an unknown region if the request limits regions.
    is_guess: bool,
    matches_device_class: bool,
    is_below: bool,
    /// The doubts about the price: machines below the list have all kinds of prices.
    setback: Setback,
    /// Ascending.
    objective: f64,
    cost: f64,
    usd_per_hour: Usd,
    machines: u32,
    work_per_s: f64,
}

impl RankKey {
    fn of(choice: &SizedMachine, objective: Objective, basis: Basis, tiers: TierOrder) -> Self {
        let model = &choice.model;
        let cost = choice.weighed_cost(basis);
        let work_per_s = model.work_per_s().unwrap_or_default();
        Self {
            is_guess: choice.machine.is_region_unverified(),
            matches_device_class: choice.matches_device_class,
            is_below: tiers == TierOrder::List && choice.tier != Tier::List,
            setback: match tiers {
                TierOrder::List => Setback::of_reasons(&choice.machine.reasons),
                TierOrder::Any => Setback::None,
            },
            objective: match objective {
                Objective::Cost => cost,
                Objective::Speed => -work_per_s,
                // Texts that are only read have no speed of each user, but a time to an answer.
                Objective::Latency => match (model.speed, model.first_token_s) {
                    (None, Some(seconds)) => seconds,
                    (speed, _) => -speed.unwrap_or_default(),
                },
                Objective::Memory => {
                    let usable = model.fitted.usable.unwrap_or_default();
                    usable * f64::from(choice.devices())
                }
            },
            cost,
            usd_per_hour: choice.usd_per_hour,
            machines: choice.nodes,
            work_per_s,
        }
    }

    /// Returns whether only figures decide the order of two machines.
    fn is_of_group(&self, other: Self) -> bool {
        let group = |key: Self| {
            (
                key.is_guess,
                key.matches_device_class,
                key.is_below,
                key.setback,
            )
        };
        group(*self) == group(other)
    }

    fn cmp(&self, other: &Self) -> Ordering {
        self.is_guess
            .cmp(&other.is_guess)
            .then_with(|| other.matches_device_class.cmp(&self.matches_device_class))
            .then_with(|| self.is_below.cmp(&other.is_below))
            .then_with(|| self.setback.cmp(&other.setback))
            .then_with(|| self.objective.total_cmp(&other.objective))
            .then_with(|| self.cost.total_cmp(&other.cost))
            .then_with(|| self.usd_per_hour.cmp(&other.usd_per_hour))
            .then_with(|| self.machines.cmp(&other.machines))
            .then_with(|| other.work_per_s.total_cmp(&self.work_per_s))
    }
}

/// A machine for a job, with its costs in money and time.
struct JobCost {
    usd: f64,
    hours: f64,
    at: usize,
}

/// Ranks machines for a job before the machines that cost much or clearly more and take longer.
fn promote(mut jobs: Vec<JobCost>, keys: &mut [RankKey]) {
    promote_by(MUCH_DEARER, 0.0, &mut jobs, keys);
    promote_by(CLEARLY_DEARER, LONG_HOURS, &mut jobs, keys);
}

/// Ranks machines for a job before the machines that cost `factor` more and take longer, and more than `least_hours`,
/// whatever their numbers of devices.
fn promote_by(factor: f64, least_hours: f64, jobs: &mut [JobCost], keys: &mut [RankKey]) {
    jobs.sort_by(|a, b| b.usd.total_cmp(&a.usd).then(b.hours.total_cmp(&a.hours)));
    // The more expensive machines with the least rank for their hours.
    let mut dearer: Vec<(f64, RankKey)> = Vec::new();
    let mut next = 0;
    for job in &*jobs {
        let is_dearer = |other: &&JobCost| other.usd >= job.usd * factor;
        while let Some(other) = jobs.get(next).filter(is_dearer) {
            let (hours, key) = (other.hours, keys[other.at]);
            let is_covered = |(other, known): &(f64, RankKey)| {
                *other >= hours && known.is_of_group(key) && known.objective <= key.objective
            };
            if hours > least_hours && !dearer.iter().any(is_covered) {
                dearer.push((hours, key));
            }
            next += 1;
        }
        let key = &mut keys[job.at];
        let slower = dearer
            .iter()
            .filter(|(hours, of)| *hours >= job.hours && of.is_of_group(*key));
        let least = slower.map(|(_, of)| of.objective).min_by(f64::total_cmp);
        if let Some(least) = least.filter(|least| *least <= key.objective) {
            key.objective = least * BEFORE;
        }
    }
}

/// Sorts machines, the best first. The order is total, so that two runs print the same.
pub(super) fn rank(
    catalog: &Catalog<'_>,
    choices: Vec<SizedMachine>,
    objective: Objective,
    basis: Basis,
    tiers: TierOrder,
) -> Vec<SizedMachine> {
    let key = |choice: &SizedMachine| RankKey::of(choice, objective, basis, tiers);
    let mut keys: Vec<RankKey> = choices.iter().map(key).collect();
    if basis == Basis::Job && objective == Objective::Cost {
        let jobs = choices.iter().zip(0..).filter_map(|(choice, at)| {
            let (usd, hours) = (choice.usd_total()?.decimal(), choice.hours?.taken);
            Some(JobCost { usd, hours, at })
        });
        promote(jobs.collect(), &mut keys);
    }
    let mut keyed: Vec<(RankKey, usize)> = keys.into_iter().zip(0..).collect();
    keyed.sort_by(|(a, at), (b, other)| {
        let (first, second) = (&choices[*at], &choices[*other]);
        let id = |choice: &SizedMachine| catalog.str(catalog.offer(choice.machine.offer).id);
        let devices = |choice: &SizedMachine| {
            let machine = &choice.machine;
            (
                machine.offer,
                machine.count,
                machine.accelerator,
                choice.nodes,
            )
        };
        a.cmp(b)
            .then_with(|| id(first).cmp(id(second)))
            .then_with(|| devices(first).cmp(&devices(second)))
            .then_with(|| first.tier.cmp(&second.tier))
    });
    let mut choices: Vec<Option<SizedMachine>> = choices.into_iter().map(Some).collect();
    let in_order = keyed.into_iter().filter_map(|(key, at)| {
        let mut choice = choices[at].take()?;
        if objective == Objective::Cost {
            choice.ranked_share = key.objective / choice.ranked_cost(basis);
        }
        Some(choice)
    });
    in_order.collect()
}

/// For each point of cost and speed: true if it is Pareto-optimal. `None` if the speed is unknown.
pub(super) fn pareto(points: &[(f64, Option<f64>)]) -> Vec<Option<bool>> {
    let mut order: Vec<(f64, f64, usize)> = points
        .iter()
        .zip(0..)
        .filter_map(|((cost, speed), at)| Some((*cost, (*speed)?, at)))
        .collect();
    // Of equal costs, the fastest comes first.
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
    let mut front = vec![None; points.len()];
    let mut fastest: Option<(f64, f64)> = None;
    for (cost, speed, at) in order {
        // A point is beaten by a cheaper point that is as fast, and by a faster point.
        let is_beaten = fastest.is_some_and(|(least, most)| match most.total_cmp(&speed) {
            Ordering::Greater => true,
            Ordering::Equal => least < cost,
            Ordering::Less => false,
        });
        front[at] = Some(!is_beaten);
        if fastest.is_none_or(|(_, most)| speed > most) {
            fastest = Some((cost, speed));
        }
    }
    front
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: RankKey = RankKey {
        is_guess: false,
        matches_device_class: true,
        is_below: false,
        setback: Setback::None,
        objective: 2.0,
        cost: 2.0,
        usd_per_hour: Usd(2),
        machines: 2,
        work_per_s: 10.0,
    };

    #[test]
    fn ranks_by_certainty_class_tier_and_objective() {
        // From the best to the worst: each differs in a less important figure than the next.
        let keys = [
            RankKey {
                objective: 1.0,
                cost: 9.0,
                ..KEY
            },
            RankKey { cost: 1.0, ..KEY },
            RankKey {
                usd_per_hour: Usd(1),
                ..KEY
            },
            RankKey { machines: 1, ..KEY },
            RankKey {
                work_per_s: 11.0,
                ..KEY
            },
            KEY,
            RankKey {
                is_below: true,
                objective: 0.0,
                ..KEY
            },
            RankKey {
                matches_device_class: false,
                objective: 0.0,
                ..KEY
            },
            RankKey {
                is_guess: true,
                objective: 0.0,
                ..KEY
            },
        ];
        for pair in keys.windows(2) {
            assert_eq!(pair[0].cmp(&pair[1]), Ordering::Less);
            assert_eq!(pair[1].cmp(&pair[0]), Ordering::Greater);
        }
        assert_eq!(KEY.cmp(&KEY), Ordering::Equal);
    }

    #[test]
    fn machines_far_from_the_limits_serve_half_of_many_users() {
        assert!(serves_a_part(3.0, 30.0, 15.0));
        assert!(!serves_a_part(3.0, 30.0, 14.0));
        // Close to the limits, or for a few users, any number is enough.
        assert!(serves_a_part(2.0, 30.0, 0.0));
        assert!(serves_a_part(3.0, 9.0, 0.0));
    }

    #[test]
    fn jobs_rank_before_clearly_dearer_and_slower_jobs() {
        // The cost in dollars, the hours, and the figure that ranks: dollars with a margin for many devices.
        let order = |jobs: &[(f64, f64, f64)]| {
            let mut keys: Vec<RankKey> = jobs
                .iter()
                .map(|(.., objective)| RankKey {
                    objective: *objective,
                    ..KEY
                })
                .collect();
            let jobs = jobs.iter().zip(0..);
            let jobs = jobs.map(|(&(usd, hours, _), at)| JobCost { usd, hours, at });
            promote(jobs.collect(), &mut keys);
            let mut places: Vec<usize> = (0..keys.len()).collect();
            places.sort_by(|a, b| keys[*a].cmp(&keys[*b]));
            places
        };
        let one = (100.0, 80.0, 100.0);
        assert_eq!(order(&[one, (80.0, 40.0, 106.0)]), [1, 0]);
        assert_eq!(order(&[one, (95.0, 40.0, 126.0)]), [0, 1]);
        assert_eq!(order(&[one, (80.0, 90.0, 106.0)]), [0, 1]);
        // A job of less than a day stays on few devices.
        assert_eq!(order(&[(100.0, 8.0, 100.0), (80.0, 4.0, 106.0)]), [0, 1]);
        // Unless few devices cost much more.
        assert_eq!(order(&[(100.0, 8.0, 100.0), (70.0, 4.0, 106.0)]), [1, 0]);
        // A job that precedes a promoted job also precedes the jobs that the promoted job passes.
        assert_eq!(
            order(&[one, (80.0, 40.0, 106.0), (70.0, 30.0, 120.0)]),
            [2, 1, 0]
        );
        assert_eq!(order(&[(0.0, 1.0, 0.0), (0.0, 1.0, 0.0)]), [0, 1]);
    }

    #[test]
    fn pareto_optimal_points_are_not_dominated() {
        let points = [
            (1.0, Some(10.0)),
            (2.0, Some(30.0)),
            (2.0, Some(20.0)),
            (3.0, Some(30.0)),
            (4.0, None),
            (1.0, Some(10.0)),
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
