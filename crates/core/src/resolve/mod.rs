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

use serde::Serialize;

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

/// The capacity type that is asked for; it decides which price ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub enum CapacityFilter {
    /// Ranked by the on-demand price; what is sold in reserved blocks only is listed too.
    #[default]
    Unspecified,
    OnDemand,
    Spot,
    /// Whichever is cheaper.
    Any,
}

impl CapacityFilter {
    /// Which of the two prices of a machine ranks it; `key` sorts them, the better one first.
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

/// The figure that an answer is sorted by, lowest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub enum Sort {
    #[default]
    Price,
    PricePerGpu,
    PricePerGb,
    PricePerTflop,
}

/// The wishes beside the spec.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The providers that are asked; none means every one.
    pub providers: Vec<ProviderId>,
    pub regions: Option<RegionFilter>,
    pub capacity_filter: CapacityFilter,
    /// The one price tier that counts; `None` is the cheapest of all.
    pub price_tier: Option<PriceTier>,
    /// For the whole machine and hour. It hides what is dearer and chooses nothing.
    pub max_price: Option<Usd>,
    /// Larger machines match too.
    pub at_least: bool,
    pub sort: Sort,
    pub limit: Option<usize>,
    /// Whether to keep every verdict.
    pub explain: bool,
}

/// A price that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quote {
    /// A row of [`Catalog::prices`].
    pub price: u32,
    /// For the whole machine and hour.
    pub usd: Usd,
    pub region: Option<RegionId>,
    pub availability: Availability,
}

/// A machine that matches.
#[derive(Clone, Debug)]
pub struct Match {
    /// Which of the wanted choices it fulfils.
    pub choice: usize,
    pub offer: OfferId,
    pub accelerator: AcceleratorId,
    pub count: Count,
    pub on_demand: Option<Quote>,
    pub spot: Option<Quote>,
    pub gpus_needed: u32,
    pub reasons: Vec<Reason>,
}

impl Match {
    /// The price that ranks it.
    pub fn leading(&self, capacity_filter: CapacityFilter) -> Option<Quote> {
        capacity_filter.leading(self.on_demand, self.spot, |quote| {
            (quote.availability == Availability::Unavailable, quote.usd)
        })
    }

    /// Whether it can be rented at the price that ranks it; where that is unknown, at the other.
    pub fn availability(&self, capacity_filter: CapacityFilter) -> Availability {
        let quote = self
            .leading(capacity_filter)
            .or(self.on_demand)
            .or(self.spot);
        quote.map_or(Availability::Unknown, |quote| quote.availability)
    }

    /// Whether it is not known that the provider sells this in a region that was asked for.
    pub fn is_region_unverified(&self) -> bool {
        self.reasons.contains(&Reason::RegionUnverified)
    }

    /// Memory of the host of the whole machine, in GiB; `None` where it is unknown.
    pub fn host_memory_gib(&self, catalog: &Catalog<'_>) -> Option<f64> {
        let offer = catalog.offer(self.offer);
        let count = if offer.host_memory_per_accelerator {
            self.count.decimal()
        } else {
            1.0
        };
        offer.host_memory_gib.map(|gib| gib * count)
    }

    /// The price that ranks it, for the whole machine and hour.
    pub fn ruling(&self, capacity_filter: CapacityFilter) -> Option<Usd> {
        self.leading(capacity_filter).map(|quote| quote.usd)
    }
}

/// One step of the funnel: how many offers are left after a wish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunnelStep {
    /// Which of the wanted choices it is of.
    pub choice: usize,
    pub stage: Stage,
    pub label: String,
    pub remaining: usize,
}

/// A verdict about one offer.
#[derive(Clone, Debug)]
pub struct Considered {
    /// Which of the wanted choices it is about.
    pub choice: usize,
    pub offer: OfferId,
    pub accelerator: AcceleratorId,
    pub count: Option<Count>,
    /// `None` is kept.
    pub dropped: Option<DropCode>,
}

/// The answer.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Best first.
    pub matches: Vec<Match>,
    /// Matches cut off by the limit.
    pub left_off: usize,
    /// Filled when nothing matches.
    pub funnel: Vec<FunnelStep>,
    /// Filled when nothing matches, or nothing with a known price and a verified region.
    pub nearest: Vec<Nearest>,
    /// Filled on request.
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

/// The offers that fulfil any of the choices, in order of preference, then price; where a region is asked for, rows whose region is not verified come last.
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
            for offer in catalog.offers_of(candidate.accelerator) {
                judge.offer(*candidate, offer, &mut |verdict| {
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

/// The verdict about every offer of the families that are wanted, with the choice that it was held
/// against.
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

/// Where a match can be bought, each place with its price.
pub fn ways(
    catalog: &Catalog<'_>,
    found: &Match,
    capacity: CapacityType,
    request: &Request,
) -> Vec<(Option<RegionId>, Option<Quote>)> {
    let pricing = quote::Pricing {
        catalog,
        offer: catalog.offer(found.offer),
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
        let accelerator = catalog.accelerator(m.accelerator);
        Some(match request.sort {
            Sort::Price => usd.0 as f64,
            Sort::PricePerGpu => usd.0 as f64 / m.count.decimal(),
            Sort::PricePerGb => usd.0 as f64 / (m.count.decimal() * accelerator.memory_gb?),
            Sort::PricePerTflop => {
                usd.0 as f64 / (m.count.decimal() * accelerator.headline_tflops()?)
            }
        })
    };
    let out_of_stock =
        |m: &Match| m.availability(request.capacity_filter) == Availability::Unavailable;
    let is_retired = |m: &Match| catalog.offer(m.offer).status == Status::Retired;
    matches.sort_by(|a, b| {
        let (offer_a, offer_b) = (catalog.offer(a.offer), catalog.offer(b.offer));
        is_retired(a)
            .cmp(&is_retired(b))
            .then_with(|| a.is_region_unverified().cmp(&b.is_region_unverified()))
            .then_with(|| a.choice.cmp(&b.choice))
            .then_with(|| offer_a.status.cmp(&offer_b.status))
            .then_with(|| out_of_stock(a).cmp(&out_of_stock(b)))
            .then_with(|| value(a).is_none().cmp(&value(b).is_none()))
            .then_with(|| {
                let or_none = |m: &Match| value(m).unwrap_or_default();
                or_none(a).total_cmp(&or_none(b))
            })
            .then_with(|| a.count.cmp(&b.count))
            .then_with(|| offer_a.provider.cmp(&offer_b.provider))
            .then_with(|| catalog.str(offer_a.id).cmp(catalog.str(offer_b.id)))
            .then_with(|| a.accelerator.cmp(&b.accelerator))
    });
}

/// An offer at a count, priced without any wish: what `show` lists.
pub fn offer_at(
    catalog: &Catalog<'_>,
    id: OfferId,
    accelerator: AcceleratorId,
    count: Count,
) -> Match {
    let pricing = quote::Pricing {
        catalog,
        offer: catalog.offer(id),
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
