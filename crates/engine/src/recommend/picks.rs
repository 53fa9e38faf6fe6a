//! Picks: the cheapest machine, the best value and the safest, and others where these are the same machine.

use sky_accel_core::catalog::{Catalog, OfferKind, ProviderId, Quality};

use super::requirements::{Requirements, ServiceLimit};
use super::search::SizedMachine;
use crate::recommend_words::{Basis, Objective, PickKind, Tier};

/// A safe machine keeps this fraction of its memory free, and exceeds service limits by this factor.
const SAFE_SPARE: f64 = 0.2;
const SAFE_SERVICE: f64 = 1.25;
/// Prices within this factor count as equal.
const SAME_PRICE: f64 = 1.002;
/// Costs per token within this factor count as equal: the lower hourly price is then the better value.
const SAME_VALUE: f64 = 1.01;
/// A job that ends sooner is the better value up to this factor of the lowest total.
const SOONER: f64 = 1.1;
/// The safest machine costs at most this factor of the first.
const SAFETY_PRICE: f64 = 2.5;
/// Machines that fill up the picks cost at most this factor of the first.
const NEAR_PRICE: f64 = 2.0;
/// A faster machine is faster than the other picks by at least this factor.
const FASTER: f64 = 1.1;
/// The number of picks to fill up to.
const PICKS: usize = 3;
/// The length of a date with a day.
const DAY: usize = "2026-10-27".len();

/// A pick: its index in the ranking and its reasons.
pub(super) struct Pick {
    pub kinds: Vec<PickKind>,
    pub at: usize,
    /// The hours within which the job ends, if slower machines are no candidates.
    pub within_hours: Option<f64>,
}

/// Picks from ranked machines; reasons for the same machine are merged. Only machines of the tier, device class and
/// region certainty of the first machine are candidates, and only those whose job ends in a usual time or not later
/// than the first.
pub(super) fn picks(
    catalog: &Catalog<'_>,
    choices: &[SizedMachine],
    requirements: &Requirements,
    objective: Objective,
) -> Vec<Pick> {
    let Some(first) = choices.first() else {
        return Vec::new();
    };
    let is_verified = |choice: &SizedMachine| !choice.machine.is_region_unverified();
    let hours_of_first = first.hours.map_or(0.0, |hours| hours.taken);
    let usual = requirements.usual_hours.max(hours_of_first);
    let is_soon = |choice: &SizedMachine| choice.hours.is_none_or(|hours| hours.taken <= usual);
    let is_doubtful = |choice: &SizedMachine| {
        let mut reasons = choice.machine.reasons.iter();
        reasons.any(|reason| reason.is_doubt())
    };
    let counts = |choice: &SizedMachine| {
        choice.tier == first.tier
            && (is_doubtful(first) || !is_doubtful(choice))
            && is_soon(choice)
            && choice.matches_device_class == first.matches_device_class
            && is_verified(choice) == is_verified(first)
    };
    let numbered = choices.iter().enumerate();
    let candidates: Vec<(usize, &SizedMachine)> =
        numbered.filter(|(_, choice)| counts(choice)).collect();
    let within_hours = (!choices.iter().all(is_soon)).then_some(usual);
    let list = Candidates {
        machines: &candidates,
        first,
        requirements,
    };
    let is_for_speed = matches!(objective, Objective::Speed | Objective::Latency);
    let mut picks: Vec<Pick> = Vec::new();
    // A machine that misses a limit is neither of good value nor safe.
    let mut enough = candidates.clone();
    enough.retain(|(_, choice)| choice.shortfalls.is_empty());
    let of_enough = Candidates {
        machines: &enough,
        first,
        requirements,
    };
    // A machine may not be in the requested region.
    let is_known = is_verified(first);
    for (kind, at) in [
        (PickKind::Fastest, is_for_speed.then_some(0)),
        (PickKind::Cheapest, list.cheapest()),
        (
            PickKind::Value,
            of_enough.value().filter(|at| list.value() == Some(*at)),
        ),
        (
            PickKind::Safest,
            of_enough.safest(catalog).filter(|_| is_known),
        ),
    ] {
        let Some(at) = at else { continue };
        match picks.iter_mut().find(|pick| pick.at == at) {
            Some(pick) => pick.kinds.push(kind),
            None => picks.push(Pick {
                kinds: vec![kind],
                at,
                within_hours,
            }),
        }
    }
    let fill = |picks: &mut Vec<Pick>, kind: PickKind, at: Option<usize>| {
        if let Some(at) = at.filter(|_| picks.len() < PICKS) {
            let kinds = vec![kind];
            picks.push(Pick {
                kinds,
                at,
                within_hours,
            });
        }
    };
    let faster = list.faster(choices, &picks);
    fill(
        &mut picks,
        PickKind::Fastest,
        faster.filter(|_| !is_for_speed),
    );
    let other = list.of_another_provider(catalog, choices, &picks);
    fill(&mut picks, PickKind::Alternative, other);
    picks
}

/// The machines to pick from, in their order.
struct Candidates<'c> {
    machines: &'c [(usize, &'c SizedMachine)],
    first: &'c SizedMachine,
    requirements: &'c Requirements,
}

impl Candidates<'_> {
    /// The first of the machines with the lowest known cost.
    fn least(&self, cost: impl Fn(&SizedMachine) -> f64) -> Option<usize> {
        let mut best: Option<(usize, f64)> = None;
        for (at, choice) in self.machines {
            let cost = cost(choice);
            if cost.is_finite() && best.is_none_or(|(_, least)| cost < least) {
                best = Some((*at, cost));
            }
        }
        best.map(|(at, _)| at)
    }

    /// The first of the machines whose price is the lowest but for a fraction that no reader sees.
    fn cheapest(&self) -> Option<usize> {
        let lowest = self.least(|choice| self.paid(choice))?;
        let (_, lowest) = self.machines.iter().find(|(at, _)| *at == lowest)?;
        let limit = self.paid(lowest) * SAME_PRICE;
        let mut machines = self.machines.iter();
        let (at, _) = machines.find(|(_, choice)| self.paid(choice) <= limit)?;
        Some(*at)
    }

    /// The unit of the price that people pay: the total of a job, else an hour.
    fn price(&self) -> Basis {
        match self.requirements.basis {
            Basis::Job => Basis::Job,
            Basis::Hour | Basis::MillionTokens => Basis::Hour,
        }
    }

    /// The cost for a user: the whole bill if it ranks machines, else the price.
    fn paid(&self, choice: &SizedMachine) -> f64 {
        match self.first.bill {
            Some(_) => choice
                .bill
                .map_or(f64::INFINITY, |bill| bill.ranking.decimal()),
            None => choice.cost(self.price()),
        }
    }

    /// True for machines whose price is at most `factor` times the price of the first.
    fn is_near(&self, choice: &SizedMachine, factor: f64) -> bool {
        if let Some(first) = self.first.bill {
            return self.paid(choice) <= first.ranking.decimal() * factor;
        }
        let price = self.price();
        choice.ranked_cost(price) <= self.first.ranked_cost(price) * factor
    }

    /// The machine with the lowest cost of the requested work.
    fn value(&self) -> Option<usize> {
        let value = |choice: &SizedMachine| self.cost_of_work(choice);
        let best = self.least(value)?;
        let (_, best) = self.machines.iter().find(|(at, _)| *at == best)?;
        if self.requirements.basis == Basis::Job {
            let limit = value(best) * SOONER;
            return self.least(|choice| match choice.hours {
                Some(hours) if value(choice) <= limit => hours.taken,
                _ => f64::INFINITY,
            });
        }
        let limit = value(best) * SAME_VALUE;
        self.least(|choice| {
            if value(choice) <= limit {
                choice.ranked_cost(Basis::Hour)
            } else {
                f64::INFINITY
            }
        })
    }

    /// The cost of the requested work. Without a load, the work is the answer for one user, not for as many as the
    /// machine could serve.
    fn cost_of_work(&self, choice: &SizedMachine) -> f64 {
        let requirements = self.requirements;
        let is_for_one = requirements.basis == Basis::Hour && !requirements.has_load;
        match choice.model.speed.filter(|_| is_for_one) {
            Some(speed) => choice.usd_per_hour.decimal() / speed,
            None if requirements.basis == Basis::Hour && choice.model.items_per_s.is_some() => {
                choice.usd_per_item().unwrap_or(f64::INFINITY)
            }
            None if requirements.basis == Basis::Hour => choice.ranked_cost(Basis::MillionTokens),
            None => choice.ranked_cost(requirements.basis),
        }
    }

    fn safest(&self, catalog: &Catalog<'_>) -> Option<usize> {
        let price = self.price();
        let safe = self.machines.iter().filter(|(_, choice)| {
            let offer = catalog.offer(choice.machine.offer);
            let is_tight = choice.model.fitted.fits() == Some(false);
            let is_sound = choice.tier == Tier::List && offer.regions.len > 0 && !is_tight;
            choice.nodes == 1 && is_sound && self.is_near(choice, SAFETY_PRICE)
        });
        safe.max_by(|(a, one), (b, other)| {
            let safety = |choice| safety(catalog, choice, self.requirements);
            safety(one)
                .cmp(&safety(other))
                .then_with(|| other.cost(price).total_cmp(&one.cost(price)))
                .then_with(|| b.cmp(a))
        })
        .map(|(at, _)| *at)
    }

    /// The fastest machine near the price of the first, if it is faster than the machines picked so far.
    fn faster(&self, choices: &[SizedMachine], picks: &[Pick]) -> Option<usize> {
        // In a job, the speed of all devices counts, and not the speed of one user.
        let is_job = self.requirements.basis == Basis::Job;
        let speed = |choice: &SizedMachine| {
            let model = &choice.model;
            let of_user = model.speed.filter(|_| !is_job);
            of_user.or(model.work_per_s()).unwrap_or_default()
        };
        let picked = picks.iter().map(|pick| speed(&choices[pick.at]));
        let known = picked.fold(0.0, f64::max);
        self.least(|choice| {
            let is_faster = speed(choice) > known * FASTER;
            if is_faster && self.is_near(choice, NEAR_PRICE) {
                -speed(choice)
            } else {
                f64::INFINITY
            }
        })
    }

    fn of_another_provider(
        &self,
        catalog: &Catalog<'_>,
        choices: &[SizedMachine],
        picks: &[Pick],
    ) -> Option<usize> {
        let provider =
            |choice: &SizedMachine| -> ProviderId { catalog.offer(choice.machine.offer).provider };
        let picked: Vec<ProviderId> = picks
            .iter()
            .map(|pick| provider(&choices[pick.at]))
            .collect();
        let is_other = |choice: &SizedMachine| {
            !picked.contains(&provider(choice)) && self.is_near(choice, NEAR_PRICE)
        };
        let other = self.machines.iter().find(|(_, choice)| is_other(choice));
        other.map(|(at, _)| *at)
    }
}

/// True if a machine has memory to spare.
pub(super) fn has_room(choice: &SizedMachine) -> bool {
    choice.model.spare() >= SAFE_SPARE
}

/// Reasons to rely on a machine, in order of importance.
fn safety(catalog: &Catalog<'_>, choice: &SizedMachine, requirements: &Requirements) -> [bool; 6] {
    let machine = &choice.machine;
    let offer = catalog.offer(machine.offer);
    let price = machine.on_demand.map(|quote| catalog.price(quote.price));
    let is_published = price.is_some_and(|price| price.quality == Quality::Provider);
    let is_dated = price.is_some_and(|price| catalog.str(price.as_of).len() >= DAY);
    [
        is_published && is_dated,
        !machine.reasons.iter().any(|reason| reason.is_doubt()),
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

#[cfg(test)]
mod tests {
    use jiff::ToSpan as _;

    use super::*;
    use crate::sizing::{ModelSource, RunRequest};
    use crate::{Engine, OfferFilter, RecommendRequest, Recommendation};

    /// The answer some days after the date of the catalog.
    fn recommend(
        days: i64,
        (model, users): (&str, f64),
        on: Option<&str>,
    ) -> Recommendation<'static> {
        let engine = Engine::embedded();
        let today = engine.today().saturating_add(days.days());
        let engine = Engine::new(engine.catalog(), today);
        let request = RecommendRequest {
            run: RunRequest {
                model: Some(ModelSource::Name(model.to_owned())),
                concurrency: Some(users),
                ..RunRequest::default()
            },
            on: on.map(str::to_owned),
            offers: OfferFilter {
                limit: Some(1000),
                ..OfferFilter::default()
            },
            ..RecommendRequest::default()
        };
        engine.recommend(&request, None).unwrap()
    }

    #[test]
    fn the_safest_machine_has_known_regions() {
        let mut found = 0;
        for model in ["Qwen3-8B", "Phi-4", "Qwen3-32B", "Llama-3.3-70B"] {
            for users in [2.0, 30.0, 200.0] {
                let answer = recommend(0, (model, users), None).envelope;
                let mut picks = answer.more.picks.iter();
                let safest = picks.find(|pick| {
                    pick.kind == PickKind::Safest || pick.also.contains(&PickKind::Safest)
                });
                let Some(pick) = safest else { continue };
                let offer = &answer.results[pick.rank - 1].offer;
                assert!(offer.regions.is_some(), "{model} {users}: {pick:?}");
                found += 1;
            }
        }
        assert!(found > 6, "{found}");
    }

    #[test]
    fn no_pick_is_doubtful_beside_a_sound_first_machine() {
        let catalog = Engine::embedded().catalog();
        let mut sound = 0;
        for id in catalog.accelerator_ids() {
            if catalog.sold(id).iter().next().is_none() {
                continue;
            }
            let card = catalog.accelerator_id(id);
            let answer = recommend(120, ("Qwen3-4B", 1.0), Some(card)).envelope;
            let is_doubtful = |rank: usize| {
                let mut reasons = answer.results[rank - 1].offer.reasons.iter();
                reasons.any(|reason| reason.is_doubt())
            };
            if answer.results.is_empty() || is_doubtful(1) {
                continue;
            }
            sound += 1;
            for pick in &answer.more.picks {
                assert!(!is_doubtful(pick.rank), "{card}: {pick:?}");
            }
        }
        assert!(sound > 20, "{sound}");
    }
}
