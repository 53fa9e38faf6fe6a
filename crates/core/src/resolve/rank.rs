//! The ranking of matches.

use super::answer::Match;
use super::judge::Judge;
use super::likely::LikelyPrices;
use super::request::{CapacityFilter, Request, Sort};
use super::setback::Setback;
use super::stock::StockClass;
use crate::bind::Candidate;
use crate::catalog::{
    AcceleratorId, CapacityType, Catalog, Offer, Price, PriceKind, SoldAccelerator, Status,
};
use crate::money::{Count, Usd};

/// The leading sort keys of a match.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MatchRank {
    /// The number of [`Conditions`]: one number compares faster than its parts.
    conditions: u64,
    /// The bits of the figure that sorts matches. The bits of nonnegative floats are ordered like
    /// their values.
    figure: u64,
}

/// The properties that precede the figure; earlier fields take precedence. Availability comes before price, since a
/// price out of stock is of no use; the preference of choices comes before both.
struct Conditions {
    is_retired: bool,
    is_region_unverified: bool,
    choice: usize,
    status: Status,
    stock: StockClass,
    is_unpriced: bool,
    setback: Setback,
}

impl Conditions {
    fn number(&self) -> u64 {
        let parts = [
            (self.is_retired.into(), 1),
            (self.is_region_unverified.into(), 1),
            (self.choice.min(u32::MAX as usize) as u64, 32),
            (self.status as u64, 8),
            (self.stock as u64, 2),
            (self.is_unpriced.into(), 1),
            (self.setback as u64, Setback::BITS),
        ];
        let parts = parts.into_iter();
        parts.fold(0, |number, (part, bits): (u64, u32)| number << bits | part)
    }
}

impl MatchRank {
    pub(super) fn of(catalog: &Catalog<'_>, found: &Match, request: &Request) -> Self {
        let price = found.ranking_quote(request.capacity_filter);
        let price = price.map(|quote| catalog.price(quote.price));
        let offer = catalog.offer(found.offer);
        Self::of_rows(catalog, found, request, &offer, price.as_ref())
    }

    /// Returns the rank of a match with these rows of the catalog.
    fn of_rows(
        catalog: &Catalog<'_>,
        found: &Match,
        request: &Request,
        offer: &Offer,
        price: Option<&Price>,
    ) -> Self {
        let filter = request.capacity_filter;
        let figure = found.ranking_price(filter).and_then(|usd| {
            sorted_figure(catalog, request.sort, usd, found.count, found.accelerator)
        });
        let conditions = Conditions {
            is_retired: offer.status == Status::Retired,
            is_region_unverified: found.is_region_unverified(),
            choice: found.choice,
            status: match price {
                // A contract replaces the reservation that other users need.
                Some(price) if price.kind == PriceKind::Contract => Status::Offered,
                _ => status_for(offer.status, filter),
            },
            stock: StockClass::ordering(found.availability(filter), request.is_by_stock()),
            is_unpriced: figure.is_none(),
            setback: Setback::of(offer, found.count, price, &found.reasons),
        };
        Self {
            conditions: conditions.number(),
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
            Sort::Price | Sort::Obtainability => judge.least_count(candidate, sold),
            _ => Count::ONE,
        };
        let likely = judge.request.likely.as_ref();
        let at_least = |capacity| {
            let stated = sold.at_least(capacity, count)?;
            let bound = |likely: &LikelyPrices| {
                likely.at_least(catalog, sold.accelerator, capacity, count, stated)
            };
            Some(likely.map_or(stated, bound))
        };
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
            let figures = candidates
                .filter_map(|of| sorted_figure(catalog, sort, usd, count, of.accelerator));
            // Dividing in another order may round the last digit differently, so the bound is
            // slightly lower.
            figures
                .min_by(f64::total_cmp)
                .map(|figure| figure * (1.0 - 4.0 * f64::EPSILON))
        });
        let conditions = Conditions {
            is_retired: sold.status == Status::Retired,
            is_region_unverified: false,
            choice: judge.choice,
            // The price may be of a contract.
            status: match sold.status {
                Status::ReservedOnly if figure.is_some() => Status::Offered,
                status => status_for(status, judge.request.capacity_filter),
            },
            stock: StockClass::Available,
            is_unpriced: figure.is_none(),
            setback: Setback::None,
        };
        Self {
            conditions: conditions.number(),
            figure: figure.unwrap_or_default().to_bits(),
        }
    }
}

/// Returns the status that ranks an offer: offers that are sold only as spot capacity rank with the others if the
/// request is for it.
fn status_for(status: Status, filter: CapacityFilter) -> Status {
    match (status, filter) {
        (Status::SpotOnly, CapacityFilter::Spot | CapacityFilter::Any) => Status::Offered,
        (status, _) => status,
    }
}

/// Returns the conditions of a match that precede its price when matches are sorted, as a number: a match with a lower
/// number comes first at any price.
pub fn rank_before_price(catalog: &Catalog<'_>, found: &Match, request: &Request) -> u64 {
    MatchRank::of(catalog, found, request).conditions
}

/// Returns the figure that sorts a machine at a price, in millionths of a dollar; `None` when it is unknown.
pub fn sorted_figure(
    catalog: &Catalog<'_>,
    sort: Sort,
    usd: Usd,
    count: Count,
    accelerator: AcceleratorId,
) -> Option<f64> {
    let usd = usd.0 as f64;
    let accelerator = || catalog.accelerator(accelerator);
    Some(match sort {
        Sort::Price | Sort::Obtainability => usd,
        Sort::PricePerGpu => usd / count.decimal(),
        Sort::PricePerGb => usd / (count.decimal() * accelerator().memory_gb?),
        Sort::PricePerTflop => usd / (count.decimal() * accelerator().headline_tflops()?),
    })
}

/// Sorts matches by [`MatchRank`], then prices of a contract first and brokers last, then by count, provider and id. The
/// order is total, so that equal requests give equal output.
pub(super) fn sort(catalog: &Catalog<'_>, matches: &mut [Match], request: &Request) {
    matches.sort_by_cached_key(|m| {
        let offer = catalog.offer(m.offer);
        let quote = m.ranking_quote(request.capacity_filter);
        let price = quote.map(|quote| catalog.price(quote.price));
        (
            MatchRank::of_rows(catalog, m, request, &offer, price.as_ref()),
            price.is_none_or(|price| price.kind != PriceKind::Contract),
            catalog.provider(offer.provider).is_broker,
            m.count,
            offer.provider,
            catalog.pool.bytes_of(offer.id),
            m.accelerator,
        )
    });
}
