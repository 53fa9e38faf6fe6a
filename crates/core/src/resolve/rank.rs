//! The ranking of matches.

use super::answer::Match;
use super::fresh::{OLD_PRICE, PriceAge};
use super::judge::Judge;
use super::request::{Request, Sort};
use super::verdict::Reason;
use crate::bind::Candidate;
use crate::catalog::{
    AcceleratorId, Availability, CapacityType, Catalog, PriceKind, SoldAccelerator, Status,
};
use crate::money::{Count, Usd};

/// The leading sort keys of a match; earlier fields take precedence. Availability comes before
/// price, since a price out of stock is of no use; the preference of choices comes before both.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MatchRank {
    is_retired: bool,
    is_region_unverified: bool,
    choice: usize,
    status: Status,
    is_unavailable: bool,
    is_unpriced: bool,
    /// Whether the price is only a hint, or buys only part of the accelerators.
    is_weak: bool,
    /// The bits of the figure that sorts matches. The bits of nonnegative floats are ordered like
    /// their values.
    figure: u64,
}

impl MatchRank {
    pub(super) fn of(catalog: &Catalog<'_>, found: &Match, request: &Request) -> Self {
        let filter = request.capacity_filter;
        let figure = found
            .ranking_price(filter)
            .and_then(|usd| figure(catalog, request.sort, usd, found.count, found.accelerator));
        let offer = catalog.offer(found.offer);
        let status = offer.status;
        let price = found
            .ranking_quote(filter)
            .map(|quote| catalog.price(quote.price));
        Self {
            is_retired: status == Status::Retired,
            is_region_unverified: found.is_region_unverified(),
            choice: found.choice,
            status,
            is_unavailable: found.availability(filter) == Availability::Unavailable,
            is_unpriced: figure.is_none(),
            is_weak: offer.is_part(found.count)
                || price.is_some_and(|price| price.quality.is_weak()),
            figure: figure.unwrap_or_default().to_bits(),
        }
    }

    /// Returns a lower bound for the matches of an offer, from its row in the index.
    pub(super) fn bound(
        catalog: &Catalog<'_>,
        judge: &Judge<'_, '_, '_>,
        candidate: Candidate,
        sold: &SoldAccelerator,
    ) -> Self {
        let sort = judge.request.sort;
        // Figures per accelerator do not depend on the count.
        let count = match sort {
            Sort::Price => judge.least_count(candidate, sold),
            _ => Count::ONE,
        };
        let at_least = |capacity| sold.at_least(capacity, count);
        let (on_demand, spot) = (
            at_least(CapacityType::OnDemand),
            at_least(CapacityType::Spot),
        );
        let usd = judge
            .request
            .capacity_filter
            .ranking_quote(on_demand, spot, |usd| *usd);
        let figure = usd.and_then(|usd| {
            // The name of an offer may cover several accelerators; the bound needs the smallest
            // figure.
            let candidates = judge.wanted.candidates.iter();
            let figures =
                candidates.filter_map(|of| figure(catalog, sort, usd, count, of.accelerator));
            // Dividing in another order may round the last digit differently, so the bound is
            // slightly lower.
            figures
                .min_by(f64::total_cmp)
                .map(|figure| figure * (1.0 - 4.0 * f64::EPSILON))
        });
        Self {
            is_retired: sold.status == Status::Retired,
            is_region_unverified: false,
            choice: judge.choice,
            status: sold.status,
            is_unavailable: false,
            is_unpriced: figure.is_none(),
            is_weak: false,
            figure: figure.unwrap_or_default().to_bits(),
        }
    }
}

/// Returns the figure that sorts a machine at a price; `None` when it is unknown.
fn figure(
    catalog: &Catalog<'_>,
    sort: Sort,
    usd: Usd,
    count: Count,
    accelerator: AcceleratorId,
) -> Option<f64> {
    let usd = usd.0 as f64;
    let accelerator = || catalog.accelerator(accelerator);
    Some(match sort {
        Sort::Price => usd,
        Sort::PricePerGpu => usd / count.decimal(),
        Sort::PricePerGb => usd / (count.decimal() * accelerator().memory_gb?),
        Sort::PricePerTflop => usd / (count.decimal() * accelerator().headline_tflops()?),
    })
}

/// Returns the age of the price that ranks a match.
fn age(catalog: &Catalog<'_>, found: &Match, request: &Request) -> PriceAge {
    let Some((fresh, quote)) = request
        .fresh_since
        .as_ref()
        .zip(found.ranking_quote(request.capacity_filter))
    else {
        return PriceAge::Unknown;
    };
    let provider = catalog.provider(catalog.offer(found.offer).provider);
    fresh.age(catalog, &provider, &catalog.price(quote.price))
}

/// Returns the rank of each match, and whether its old price moved it after a fresh price of the
/// same accelerator that is up to [`OLD_PRICE`] times as high. Adds [`Reason::OldPrice`] to the
/// moved matches.
fn fresh_first(
    catalog: &Catalog<'_>,
    matches: &mut [Match],
    request: &Request,
) -> Vec<(MatchRank, bool)> {
    let ranks = matches
        .iter()
        .map(|found| (MatchRank::of(catalog, found, request), false));
    let mut ranks: Vec<(MatchRank, bool)> = ranks.collect();
    if request.fresh_since.is_none() {
        return ranks;
    }
    let ages: Vec<PriceAge> = matches
        .iter()
        .map(|found| age(catalog, found, request))
        .collect();
    let without_figure = |rank: &MatchRank| MatchRank { figure: 0, ..*rank };
    let mut fresh: Vec<(MatchRank, AcceleratorId, u64)> = Vec::new();
    for (at, (found, (rank, _))) in matches.iter().zip(&ranks).enumerate() {
        if ages[at] == PriceAge::Fresh && !rank.is_unpriced {
            fresh.push((without_figure(rank), found.accelerator, rank.figure));
        }
    }
    fresh.sort_unstable();
    for (at, (found, (rank, is_behind))) in matches.iter_mut().zip(&mut ranks).enumerate() {
        if ages[at] != PriceAge::Old || rank.is_unpriced {
            continue;
        }
        let highest = (f64::from_bits(rank.figure) * OLD_PRICE).to_bits();
        let key = |figure| (without_figure(rank), found.accelerator, figure);
        let (low, high) = (key(rank.figure), key(highest));
        let up_to = fresh.partition_point(|row| *row <= high);
        if let Some((.., figure)) = fresh[..up_to].last().filter(|row| **row > low) {
            rank.figure = *figure;
            *is_behind = true;
            found.reasons.push(Reason::OldPrice);
        }
    }
    ranks
}

/// Sorts matches by [`MatchRank`] and then prices of a contract first, by count, provider and id. The order is total, so that
/// equal requests give equal output.
pub(super) fn sort(catalog: &Catalog<'_>, matches: &mut Vec<Match>, request: &Request) {
    let ranks = fresh_first(catalog, matches, request);
    let mut sorted: Vec<_> = std::mem::take(matches).into_iter().zip(ranks).collect();
    sorted.sort_by_cached_key(|(m, rank)| {
        let offer = catalog.offer(m.offer);
        let quote = m.ranking_quote(request.capacity_filter);
        let kind = quote.map(|quote| catalog.price(quote.price).kind);
        (
            *rank,
            kind != Some(PriceKind::Contract),
            m.count,
            offer.provider,
            catalog.pool.bytes_of(offer.id),
            m.accelerator,
        )
    });
    matches.extend(sorted.into_iter().map(|(found, _)| found));
}
