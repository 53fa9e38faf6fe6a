//! The search for matches.

use std::collections::HashSet;

use super::answer::{Answer, Match};
use super::best::{Leaders, MANY, best_first};
use super::judge::Judge;
use super::nearest;
use super::rank::{Lead, sort};
use super::request::Request;
use super::verdict::DropCode;
use crate::bind::Wanted;
use crate::catalog::{CapacityType, Catalog, OfferId};
use crate::money::Count;

/// Returns the offers that fulfil any of the choices: those that are not retired first, then those
/// whose region is verified, then by preference, status, stock and price.
///
/// Where there are thousands of offers and a limit, only those are looked at that can be among the best;
/// [`Answer::left_off`] counts the others too.
pub fn resolve(catalog: &Catalog<'_>, wanted: &[Wanted], request: &Request) -> Answer {
    let choices = judges(catalog, wanted, request);
    let mut answer = found(catalog, &choices, wanted, request);
    // What was not looked at may have a price.
    let is_priced_elsewhere = !answer.matches.is_empty()
        && answer.left_off > 0
        && request.regions.is_none()
        && choices.iter().flat_map(Judge::sold).any(|(.., sold)| {
            let price = |capacity| sold.at_least(capacity, Count::ONE);
            let (on_demand, spot) = (price(CapacityType::OnDemand), price(CapacityType::Spot));
            let leading = request.capacity_filter.leading(on_demand, spot, |usd| *usd);
            leading.is_some()
        });
    let is_priced = |found: &Match| {
        !found.is_region_unverified() && found.ruling(request.capacity_filter).is_some()
    };
    if !is_priced_elsewhere && !answer.matches.iter().any(is_priced) {
        nearest::fill(catalog, wanted, request, &mut answer);
    }
    if let Some(limit) = request.limit
        && answer.matches.len() > limit
    {
        answer.left_off += answer.matches.len() - limit;
        answer.matches.truncate(limit);
    }
    answer
}

/// Returns every match of a request, best first, without an explanation where there is none.
pub fn matches(catalog: &Catalog<'_>, wanted: &[Wanted], request: &Request) -> Vec<Match> {
    let choices = judges(catalog, wanted, request);
    let request = Request {
        limit: None,
        explain: false,
        ..request.clone()
    };
    found(catalog, &choices, wanted, &request).matches
}

/// The matches in their order, and the verdicts where they are asked for.
fn found(
    catalog: &Catalog<'_>,
    choices: &[Judge<'_, '_, '_>],
    wanted: &[Wanted],
    request: &Request,
) -> Answer {
    let mut answer = Answer::default();
    let mut known = HashSet::new();
    let sold = || choices.iter().flat_map(Judge::sold);
    let mut look = |judge: &Judge<'_, '_, '_>, candidate, offer, tell: &mut dyn FnMut(&Match)| {
        judge.offer(candidate, offer, &mut |verdict| {
            if let Ok(found) = verdict
                && (wanted.len() == 1 || known.insert((found.offer, found.count)))
            {
                tell(&found);
                answer.matches.push(found);
            }
        });
    };
    match request
        .limit
        .filter(|_| !request.explain && is_many(catalog, wanted))
    {
        Some(limit) => {
            let bounds = || {
                sold().map(|(judge, candidate, sold)| {
                    let bound = Lead::bound(catalog, judge, candidate, &sold);
                    (bound, (judge.choice, candidate, sold.offer))
                })
            };
            let mut leaders = Leaders::new(limit);
            let (mut looked_at, mut subject) = (0, 0_u32);
            best_first(
                bounds,
                &mut leaders,
                |(choice, candidate, offer), leaders| {
                    looked_at += 1;
                    look(&choices[choice], candidate, offer, &mut |found| {
                        leaders.add(Lead::of(catalog, found, request), subject);
                        subject += 1;
                    });
                },
            );
            answer.left_off = sold().count() - looked_at;
        }
        None => {
            for (judge, candidate, sold) in sold() {
                look(judge, candidate, sold.offer, &mut |_| {});
            }
        }
    }
    if request.explain {
        for judge in choices {
            judge.universe(&mut |considered| answer.considered.push(considered));
        }
    }
    sort(catalog, &mut answer.matches, request);
    answer
}

/// A judge for each choice.
pub(crate) fn judges<'r, 'c, 'a>(
    catalog: &'c Catalog<'a>,
    wanted: &'r [Wanted],
    request: &'r Request,
) -> Vec<Judge<'r, 'c, 'a>> {
    let choices = wanted.iter().enumerate();
    let judge = |(choice, wanted)| Judge {
        catalog,
        wanted,
        request,
        choice,
        relaxed: None,
    };
    choices.map(judge).collect()
}

/// Whether there are too many offers to look at each.
pub(crate) fn is_many(catalog: &Catalog<'_>, wanted: &[Wanted]) -> bool {
    let offers = |choice: &Wanted| -> usize {
        let candidates = choice.candidates.iter();
        candidates
            .map(|candidate| catalog.sold(candidate.accelerator).len())
            .sum()
    };
    wanted.iter().any(|choice| offers(choice) > MANY)
}

/// Calls `emit` with the verdict on every offer of the candidates' families, and the index of the
/// choice that the offer was judged by.
pub fn verdicts(
    catalog: &Catalog<'_>,
    wanted: &[Wanted],
    request: &Request,
    emit: &mut impl FnMut(usize, OfferId, Result<Match, DropCode>),
) {
    for judge in judges(catalog, wanted, request) {
        judge.verdicts(&mut |offer, verdict| emit(judge.choice, offer, verdict));
    }
}
