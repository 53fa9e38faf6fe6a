//! Resolving: from bound specs to what each provider sells.
//!
//! One place, `judge::Judge`, decides about one offer; everything else asks it. The exact
//! answer is what it keeps; `--explain` is all its verdicts; the funnel counts them; the nearest
//! alternatives are what it keeps when one wish is relaxed.

mod best;
mod fresh;
mod judge;
mod machines;
mod nearest;
mod quote;
mod region;
mod tier;

use std::collections::HashSet;

use crate::bind::{Candidate, Wanted};
use crate::catalog::{
    AcceleratorId, Availability, CapacityType, Catalog, OfferId, ProviderId, RegionId,
    SoldAccelerator, Status,
};
use crate::money::{Count, Usd};

use best::MANY;
pub(crate) use best::{Leaders, best_first};
use fresh::OLD_PRICE;
pub use fresh::{FreshSince, PriceAge};
pub(crate) use judge::Judge;
pub use judge::{DropCode, Reason, Stage};
pub use machines::{Machines, cheapest_to_cut};
pub use nearest::{Nearest, Relation};
pub use quote::total as total_price;
pub use region::{RegionFilter, UnknownRegion, glob};
pub use tier::{PriceTier, UnknownTier};

crate::words! {
    /// The requested capacity type; it decides which price ranks a machine.
    #[derive(Default)]
    pub enum CapacityFilter {
        /// Ranked by the on-demand price; offers sold in reserved blocks only are listed too.
        #[default]
        Unspecified = "unspecified",
        /// On-demand capacity only, ranked by the on-demand price.
        OnDemand = "on-demand",
        /// Ranked by the spot price.
        Spot = "spot",
        /// Ranked by the lower of the two prices.
        Any = "any",
    }
}

impl CapacityFilter {
    /// Returns the one of a machine's two prices that ranks it; `key` orders them, the better one
    /// first. `None` when the machine has no such price.
    pub fn leading<T, K: PartialOrd>(
        self,
        on_demand: Option<T>,
        spot: Option<T>,
        key: impl Fn(&T) -> K,
    ) -> Option<T> {
        match self {
            Self::Unspecified | Self::OnDemand => on_demand,
            Self::Spot => spot,
            Self::Any => match (on_demand, spot) {
                (Some(a), Some(b)) => Some(if key(&b) < key(&a) { b } else { a }),
                (a, b) => a.or(b),
            },
        }
    }
}

crate::words! {
    /// The figure that an answer is sorted by, lowest first.
    #[derive(Default)]
    pub enum Sort {
        /// USD per hour for the whole machine.
        #[default]
        Price = "price",
        /// USD per hour for one accelerator.
        PricePerGpu = "price-per-gpu",
        /// USD per hour for one GB of device memory, in marketed GB.
        PricePerGb = "price-per-gb",
        /// USD per hour for one TFLOPS of
        /// [`Accelerator::headline_tflops`](crate::catalog::Accelerator::headline_tflops).
        PricePerTflop = "price-per-tflop",
    }
}

/// The conditions beside the spec.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The requested providers; empty stands for every provider.
    pub providers: Vec<ProviderId>,
    /// The requested regions; `None` when every region will do.
    pub regions: Option<RegionFilter>,
    /// The capacity type whose price ranks a machine.
    pub capacity_filter: CapacityFilter,
    /// The only price tier that counts; `None` for the cheapest of all tiers.
    pub price_tier: Option<PriceTier>,
    /// The price limit in USD per hour for the whole machine; `None` without a limit. It hides
    /// dearer machines and changes no other price.
    pub max_price: Option<Usd>,
    /// Whether larger machines match too.
    pub at_least: bool,
    /// The figure by which matches are sorted.
    pub sort: Sort,
    /// The most matches in the answer; `None` for all of them.
    pub limit: Option<usize>,
    /// Whether the answer lists every verdict.
    pub explain: bool,
    /// Which prices are fresh; `None` ranks old ones like fresh ones.
    pub fresh_since: Option<FreshSince>,
}

/// The price that applies to an offer in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quote {
    /// A row of [`Catalog::prices`].
    pub price: u32,
    /// USD per hour for the whole machine.
    pub usd: Usd,
    /// The region of the price; `None` when the price names no region.
    pub region: Option<RegionId>,
    /// The availability at this price.
    pub availability: Availability,
}

/// A machine that matches.
#[derive(Clone, Debug)]
pub struct Match {
    /// The index of the choice of the spec that it fulfils.
    pub choice: usize,
    /// The offer.
    pub offer: OfferId,
    /// The accelerator in the machine.
    pub accelerator: AcceleratorId,
    /// The number of accelerators in the machine, in thousandths of a device.
    pub count: Count,
    /// The on-demand price; `None` when none applies.
    pub on_demand: Option<Quote>,
    /// The spot price; `None` when none applies.
    pub spot: Option<Quote>,
    /// The number of GPUs that the requested MIG slices take; 1 without slices.
    pub gpus_needed: u32,
    /// Remarks that a reader may have to check.
    pub reasons: Vec<Reason>,
}

impl Match {
    /// Returns the price that ranks the match; `None` when it has no such price.
    pub fn leading(&self, capacity_filter: CapacityFilter) -> Option<Quote> {
        capacity_filter.leading(self.on_demand, self.spot, |quote| {
            (quote.availability == Availability::Unavailable, quote.usd)
        })
    }

    /// Returns the availability at the price that ranks the match or, when that price is unknown,
    /// at the other price.
    pub fn availability(&self, capacity_filter: CapacityFilter) -> Availability {
        let quote = self
            .leading(capacity_filter)
            .or(self.on_demand)
            .or(self.spot);
        quote.map_or(Availability::Unknown, |quote| quote.availability)
    }

    /// Returns whether it is unknown if the provider sells this in a requested region.
    pub fn is_region_unverified(&self) -> bool {
        self.reasons.contains(&Reason::RegionUnverified)
    }

    /// Returns the host memory of the whole machine in GiB; `None` when it is unknown.
    pub fn host_memory_gib(&self, catalog: &Catalog<'_>) -> Option<f64> {
        let offer = catalog.offer(self.offer);
        let count = if offer.host_memory_per_accelerator {
            self.count.decimal()
        } else {
            1.0
        };
        offer.host_memory_gib.map(|gib| gib * count)
    }

    /// Returns the price that ranks the match, in USD per hour for the whole machine; `None` when
    /// it has no such price.
    pub fn ruling(&self, capacity_filter: CapacityFilter) -> Option<Usd> {
        self.leading(capacity_filter).map(|quote| quote.usd)
    }
}

/// One step of the funnel: a condition, and the number of offers that remain after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunnelStep {
    /// The index of the choice of the spec that the step belongs to.
    pub choice: usize,
    /// The condition.
    pub stage: Stage,
    /// The condition in words, such as `with exactly 8 of them`.
    pub label: String,
    /// The number of offers that fulfil this condition and all earlier ones.
    pub remaining: usize,
}

/// The verdict on one offer.
#[derive(Clone, Debug)]
pub struct Considered {
    /// The index of the choice of the spec that the offer was judged by.
    pub choice: usize,
    /// The offer.
    pub offer: OfferId,
    /// The accelerator that the offer was judged for.
    pub accelerator: AcceleratorId,
    /// The number of accelerators; `None` for a dropped offer without a fixed count.
    pub count: Option<Count>,
    /// The reason why the offer was dropped; `None` when it matches.
    pub dropped: Option<DropCode>,
}

/// The matches of a request, with an explanation where there are none.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The matches, best first.
    pub matches: Vec<Match>,
    /// The number of matches cut off by the limit, and of offers that were not looked at.
    pub left_off: usize,
    /// The steps of the funnel; filled when nothing matches.
    pub funnel: Vec<FunnelStep>,
    /// The nearest alternatives; filled when nothing matches, or nothing with a known price and a
    /// verified region.
    pub nearest: Vec<Nearest>,
    /// Every verdict; filled when [`Request::explain`] is set.
    pub considered: Vec<Considered>,
}

impl Answer {
    /// Whether any match is known to be sold where it was asked for. `false` means that nothing
    /// matches as far as anybody knows, even when [`Self::matches`] holds rows.
    pub fn has_verified(&self) -> bool {
        self.matches
            .iter()
            .any(|found| !found.is_region_unverified())
    }
}

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

/// Returns the places where a match can be bought with a capacity type, each with its price. The
/// region is `None` where the provider chooses it, the price where it is unknown.
pub fn ways(
    catalog: &Catalog<'_>,
    found: &Match,
    capacity: CapacityType,
    request: &Request,
) -> Vec<(Option<RegionId>, Option<Quote>)> {
    let pricing = quote::Pricing {
        catalog,
        offer: &catalog.offer(found.offer),
        count: found.count,
        regions: request.regions.as_ref(),
        tier: request.price_tier.as_ref(),
    };
    pricing.ways(capacity)
}

/// The first keys in the order of matches: not retired, region verified, preference, status, in stock,
/// price known, a good one, price.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Lead {
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
    fn of(catalog: &Catalog<'_>, found: &Match, request: &Request) -> Self {
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
    fn bound(
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
fn sort(catalog: &Catalog<'_>, matches: &mut Vec<Match>, request: &Request) {
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

/// Prices a match in one region.
pub fn in_region(
    catalog: &Catalog<'_>,
    found: &Match,
    region: RegionId,
    request: &Request,
) -> Match {
    let pricing = quote::Pricing {
        catalog,
        offer: &catalog.offer(found.offer),
        count: found.count,
        regions: None,
        tier: request.price_tier.as_ref(),
    };
    Match {
        on_demand: pricing.at(CapacityType::OnDemand, region),
        spot: pricing.at(CapacityType::Spot, region),
        ..found.clone()
    }
}

/// Prices an offer at a count without any other condition, as `show` lists it.
pub fn offer_at(
    catalog: &Catalog<'_>,
    id: OfferId,
    accelerator: AcceleratorId,
    count: Count,
) -> Match {
    let pricing = quote::Pricing {
        catalog,
        offer: &catalog.offer(id),
        count,
        regions: None,
        tier: None,
    };
    let (on_demand, spot) = pricing.quotes(CapacityFilter::default());
    Match {
        choice: 0,
        offer: id,
        accelerator,
        count,
        on_demand,
        spot,
        gpus_needed: 1,
        reasons: Vec::new(),
    }
}
