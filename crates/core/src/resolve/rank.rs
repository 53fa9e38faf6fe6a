//! The order of matches.

use super::answer::Match;
use super::fresh::{OLD_PRICE, PriceAge};
use super::judge::Judge;
use super::request::{Request, Sort};
use super::verdict::Reason;
use crate::bind::Candidate;
use crate::catalog::{AcceleratorId, Availability, CapacityType, Catalog, SoldAccelerator, Status};
use crate::money::{Count, Usd};

/// The first keys in the order of matches: not retired, region verified, preference, status, in stock,
/// price known, a good one, price.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Lead {
    is_retired: bool,
    is_region_unverified: bool,
    choice: usize,
    status: Status,
    is_unavailable: bool,
    is_unpriced: bool,
    /// Whether the price is no more than a hint, or what it buys is a share of the accelerators.
    is_weak: bool,
    /// The bits of the figure that is sorted by: of numbers that are not negative, they are in the same
    /// order.
    figure: u64,
}

impl Lead {
    pub(super) fn of(catalog: &Catalog<'_>, found: &Match, request: &Request) -> Self {
        let filter = request.capacity_filter;
        let figure = found
            .ruling(filter)
            .and_then(|usd| figure(catalog, request.sort, usd, found.count, found.accelerator));
        let offer = catalog.offer(found.offer);
        let status = offer.status;
        let price = found
            .leading(filter)
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

    /// A lower bound for the matches of an offer, by its row in the index.
    pub(super) fn bound(
        catalog: &Catalog<'_>,
        judge: &Judge<'_, '_, '_>,
        candidate: Candidate,
        sold: &SoldAccelerator,
    ) -> Self {
        let sort = judge.request.sort;
        // What ranks by a part of a machine is the same for any number of parts.
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
            .leading(on_demand, spot, |usd| *usd);
        let figure = usd.and_then(|usd| {
            // A name may cover several accelerators.
            let candidates = judge.wanted.candidates.iter();
            let figures =
                candidates.filter_map(|of| figure(catalog, sort, usd, count, of.accelerator));
            // Divided in another order, the last digit may be another one.
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

/// The figure that a machine at a price is sorted by; `None` when it is unknown.
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

/// How old the price is that ranks a match.
fn age(catalog: &Catalog<'_>, found: &Match, request: &Request) -> PriceAge {
    let Some((fresh, quote)) = request
        .fresh_since
        .as_ref()
        .zip(found.leading(request.capacity_filter))
    else {
        return PriceAge::Unknown;
    };
    let provider = catalog.provider(catalog.offer(found.offer).provider);
    fresh.age(catalog, &provider, &catalog.price(quote.price))
}

/// The leads of matches in which old prices come behind fresh ones of the same accelerator that are a little
/// higher, with whether that moves them; marks the matches that this concerns.
fn fresh_first(
    catalog: &Catalog<'_>,
    matches: &mut [Match],
    request: &Request,
) -> Vec<(Lead, bool)> {
    let leads = matches
        .iter()
        .map(|found| (Lead::of(catalog, found, request), false));
    let mut leads: Vec<(Lead, bool)> = leads.collect();
    if request.fresh_since.is_none() {
        return leads;
    }
    let ages: Vec<PriceAge> = matches
        .iter()
        .map(|found| age(catalog, found, request))
        .collect();
    let without_figure = |lead: &Lead| Lead { figure: 0, ..*lead };
    let mut fresh: Vec<(Lead, AcceleratorId, u64)> = Vec::new();
    for (at, (found, (lead, _))) in matches.iter().zip(&leads).enumerate() {
        if ages[at] == PriceAge::Fresh && !lead.is_unpriced {
            fresh.push((without_figure(lead), found.accelerator, lead.figure));
        }
    }
    fresh.sort_unstable();
    for (at, (found, (lead, is_behind))) in matches.iter_mut().zip(&mut leads).enumerate() {
        if ages[at] != PriceAge::Old || lead.is_unpriced {
            continue;
        }
        let highest = (f64::from_bits(lead.figure) * OLD_PRICE).to_bits();
        let of = |figure| (without_figure(lead), found.accelerator, figure);
        let (low, high) = (of(lead.figure), of(highest));
        let up_to = fresh.partition_point(|row| *row <= high);
        if let Some((.., figure)) = fresh[..up_to].last().filter(|row| **row > low) {
            lead.figure = *figure;
            *is_behind = true;
            found.reasons.push(Reason::OldPrice);
        }
    }
    leads
}

/// Sorts by [`Lead`] first. The order is total, so that two runs print the same.
pub(super) fn sort(catalog: &Catalog<'_>, matches: &mut Vec<Match>, request: &Request) {
    let leads = fresh_first(catalog, matches, request);
    let mut sorted: Vec<_> = std::mem::take(matches).into_iter().zip(leads).collect();
    sorted.sort_by_cached_key(|(m, lead)| {
        let offer = catalog.offer(m.offer);
        (
            *lead,
            m.count,
            offer.provider,
            catalog.pool.bytes_of(offer.id),
            m.accelerator,
        )
    });
    matches.extend(sorted.into_iter().map(|(found, _)| found));
}
