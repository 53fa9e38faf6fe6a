//! The search for matches of a request.

use std::collections::HashSet;

use super::answer::{Match, Resolution};
use super::best::{Leaders, MANY, best_first};
use super::judge::Judge;
use super::nearest;
use super::rank::{MatchRank, sort};
use super::request::{CapacityFilter, Request};
use super::verdict::DropCode;
use crate::bind::{BoundChoice, Candidate};
use crate::catalog::{CapacityType, Catalog, OfferId, SoldAccelerator};
use crate::money::Count;

/// Returns the offers that match any of the choices. Retired offers come last, then offers with an
/// unverified region; the rest is ordered by choice, status, availability and price.
///
/// With thousands of offers and a limit, only offers that can be among the best are judged;
/// [`Resolution::left_off`] includes the others.
pub fn resolve(catalog: &Catalog<'_>, wanted: &[BoundChoice], request: &Request) -> Resolution {
    let choices = judges(catalog, wanted, request);
    let mut answer = found(catalog, &choices, wanted, request, &|_| true);
    // An offer that was not judged may have a price.
    let is_priced_elsewhere = !answer.matches.is_empty()
        && answer.left_off > 0
        && request.regions.is_none()
        && choices.iter().flat_map(Judge::sold).any(|(.., sold)| {
            let price = |capacity| sold.at_least(capacity, Count::ONE);
            let (on_demand, spot) = (price(CapacityType::OnDemand), price(CapacityType::Spot));
            let leading = request
                .capacity_filter
                .ranking_quote(on_demand, spot, |usd| *usd);
            leading.is_some()
        });
    let is_priced = |found: &Match| {
        !found.is_region_unverified() && found.ranking_price(request.capacity_filter).is_some()
    };
    if !is_priced_elsewhere && !answer.matches.iter().any(is_priced) {
        nearest::fill(catalog, wanted, request, &mut answer);
    } else if request.max_price.is_some() {
        nearest::fill_confirmed(catalog, wanted, request, &mut answer);
    } else if request.capacity_filter == CapacityFilter::Spot {
        nearest::fill_other_counts(catalog, wanted, request, &mut answer);
    }
    if let Some(limit) = request.limit
        && answer.matches.len() > limit
    {
        answer.left_off += answer.matches.len() - limit;
        answer.matches.truncate(limit);
    }
    answer
}

/// Returns every match of a request, best first, without an explanation when nothing matches.
pub fn matches(catalog: &Catalog<'_>, wanted: &[BoundChoice], request: &Request) -> Vec<Match> {
    matches_among(catalog, wanted, request, &|_| true)
}

/// Same as [`matches`], among the offers that `is_meant` accepts.
pub fn matches_among(
    catalog: &Catalog<'_>,
    wanted: &[BoundChoice],
    request: &Request,
    is_meant: &dyn Fn(&SoldAccelerator) -> bool,
) -> Vec<Match> {
    let choices = judges(catalog, wanted, request);
    let request = Request {
        limit: None,
        explain: false,
        ..request.clone()
    };
    found(catalog, &choices, wanted, &request, is_meant).matches
}

/// Returns every match of one choice among rows of the index, each with its candidate, best first.
pub fn matches_of_rows(
    catalog: &Catalog<'_>,
    wanted: &BoundChoice,
    request: &Request,
    rows: impl Iterator<Item = (Candidate, SoldAccelerator)>,
) -> Vec<Match> {
    let judge = Judge::new(catalog, wanted, request, 0);
    let mut found = Vec::new();
    for (candidate, sold) in rows.filter(|(candidate, sold)| judge.may_match(*candidate, sold)) {
        judge.offer(candidate, sold.offer, &mut |verdict| {
            found.extend(verdict.ok());
        });
    }
    sort(catalog, &mut found, request);
    found
}

/// Returns the sorted matches among the offers that `is_meant` accepts, and the verdicts when the request asks for
/// an explanation.
fn found(
    catalog: &Catalog<'_>,
    choices: &[Judge<'_, '_, '_>],
    wanted: &[BoundChoice],
    request: &Request,
    is_meant: &dyn Fn(&SoldAccelerator) -> bool,
) -> Resolution {
    let mut answer = Resolution::default();
    let mut seen = HashSet::new();
    let sold = || {
        let sold = choices.iter().flat_map(Judge::sold);
        sold.filter(|(.., sold)| is_meant(sold))
    };
    let mut look = |judge: &Judge<'_, '_, '_>, candidate, offer, tell: &mut dyn FnMut(&Match)| {
        judge.offer(candidate, offer, &mut |verdict| {
            if let Ok(found) = verdict
                && (wanted.len() == 1 || seen.insert((found.offer, found.count)))
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
                    let bound = MatchRank::bound(catalog, judge, candidate, &sold);
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
                        leaders.add(MatchRank::of(catalog, found, request), subject);
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
            judge.explain_family_offers(&mut |considered| answer.considered.push(considered));
        }
    }
    sort(catalog, &mut answer.matches, request);
    answer
}

/// Returns a judge for each choice.
pub(crate) fn judges<'r, 'c, 'a>(
    catalog: &'c Catalog<'a>,
    wanted: &'r [BoundChoice],
    request: &'r Request,
) -> Vec<Judge<'r, 'c, 'a>> {
    let choices = wanted.iter().enumerate();
    let judge = |(choice, wanted)| Judge::new(catalog, wanted, request, choice);
    choices.map(judge).collect()
}

/// Returns whether there are too many offers to judge each of them.
pub(crate) fn is_many(catalog: &Catalog<'_>, wanted: &[BoundChoice]) -> bool {
    let offers = |choice: &BoundChoice| -> usize {
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
    wanted: &[BoundChoice],
    request: &Request,
    emit: &mut impl FnMut(usize, OfferId, Result<Match, DropCode>),
) {
    for judge in judges(catalog, wanted, request) {
        judge.verdicts(&mut |offer, verdict| emit(judge.choice, offer, verdict));
    }
}
