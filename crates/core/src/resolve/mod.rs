//! Resolving: from bound specs to what each provider sells.
//!
//! One place, `judge::Judge`, decides about one offer; everything else asks it. The exact
//! answer is what it keeps; `--explain` is all its verdicts; the funnel counts them; the nearest
//! alternatives are what it keeps when one wish is relaxed.

mod judge;
mod machines;
mod nearest;
mod quote;
mod region;
mod tier;

use crate::bind::Wanted;
use crate::catalog::{
    AcceleratorId, Availability, CapacityType, Catalog, OfferId, ProviderId, RegionId, Status,
};
use crate::money::{Count, Usd};

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
    /// The number of matches cut off by the limit.
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
pub fn resolve(catalog: &Catalog<'_>, wanted: &[Wanted], request: &Request) -> Answer {
    let mut answer = Answer::default();
    for (choice, wanted_choice) in wanted.iter().enumerate() {
        let judge = judge::Judge {
            catalog,
            wanted: wanted_choice,
            request,
            choice,
            relaxed: None,
        };
        let many = wanted.len() > 1;
        for candidate in &wanted_choice.candidates {
            let sold = catalog.sold(candidate.accelerator).iter();
            for sold in sold.filter(|sold| judge.may_match(*candidate, sold)) {
                judge.offer(*candidate, sold.offer, &mut |verdict| {
                    if let Ok(found) = verdict {
                        let known = many
                            && answer
                                .matches
                                .iter()
                                .any(|m| m.offer == found.offer && m.count == found.count);
                        if !known {
                            answer.matches.push(found);
                        }
                    }
                });
            }
        }
        if request.explain {
            judge.universe(&mut |considered| answer.considered.push(considered));
        }
    }
    sort(catalog, &mut answer.matches, request);
    if !answer.matches.iter().any(|found| {
        !found.is_region_unverified() && found.ruling(request.capacity_filter).is_some()
    }) {
        nearest::fill(catalog, wanted, request, &mut answer);
    }
    if let Some(limit) = request.limit
        && answer.matches.len() > limit
    {
        answer.left_off = answer.matches.len() - limit;
        answer.matches.truncate(limit);
    }
    answer
}

/// Calls `emit` with the verdict on every offer of the candidates' families, and the index of the
/// choice that the offer was judged by.
pub fn verdicts(
    catalog: &Catalog<'_>,
    wanted: &[Wanted],
    request: &Request,
    emit: &mut impl FnMut(usize, OfferId, Result<Match, DropCode>),
) {
    for (choice, wanted) in wanted.iter().enumerate() {
        let judge = judge::Judge {
            catalog,
            wanted,
            request,
            choice,
            relaxed: None,
        };
        judge.verdicts(&mut |offer, verdict| emit(choice, offer, verdict));
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

/// Sorts by: not retired, region verified, preference, status, in stock, price known, price. The order
/// is total, so that two runs print the same.
fn sort(catalog: &Catalog<'_>, matches: &mut [Match], request: &Request) {
    let value = |m: &Match| -> Option<f64> {
        let usd = m.ruling(request.capacity_filter)?;
        let accelerator = || catalog.accelerator(m.accelerator);
        Some(match request.sort {
            Sort::Price => usd.0 as f64,
            Sort::PricePerGpu => usd.0 as f64 / m.count.decimal(),
            Sort::PricePerGb => usd.0 as f64 / (m.count.decimal() * accelerator().memory_gb?),
            Sort::PricePerTflop => {
                usd.0 as f64 / (m.count.decimal() * accelerator().headline_tflops()?)
            }
        })
    };
    matches.sort_by_cached_key(|m| {
        let offer = catalog.offer(m.offer);
        let value = value(m);
        (
            offer.status == Status::Retired,
            m.is_region_unverified(),
            m.choice,
            offer.status,
            m.availability(request.capacity_filter) == Availability::Unavailable,
            value.is_none(),
            // Of numbers that are not negative, the bits are in the same order.
            value.unwrap_or_default().to_bits(),
            m.count,
            offer.provider,
            catalog.str(offer.id),
            m.accelerator,
        )
    });
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
