//! The matches of a request, and the explanation when nothing matches.

use super::host;
use super::likely::LikelyPrice;
use super::request::CapacityFilter;
use super::verdict::{DropCode, Reason, Stage};
use crate::catalog::{AcceleratorId, Availability, Catalog, OfferId, RegionId};
use crate::money::{Count, Usd};

/// The price that applies to an offer in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quote {
    /// A row of [`Catalog::prices`].
    pub price: u32,
    /// The stated price in USD per hour for the whole machine.
    pub usd: Usd,
    /// The likely price of today; the stated price if the request asks for stated prices.
    pub likely: LikelyPrice,
    /// The age of the stated price in days; `None` if its date is unknown, or the request asks for stated prices.
    pub age_days: Option<i32>,
    /// The region of the price; `None` when the price names no region.
    pub region: Option<RegionId>,
    /// The availability at this price.
    pub availability: Availability,
}

/// A machine that matches.
#[derive(Clone, Debug)]
pub struct Match {
    /// The index of the choice of the spec that it matches.
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
    /// Properties of the match that a reader may have to check.
    pub reasons: Vec<Reason>,
}

impl Match {
    /// Returns the price that ranks the match; `None` when it has no such price.
    pub fn ranking_quote(&self, capacity_filter: CapacityFilter) -> Option<Quote> {
        ranking_quote(capacity_filter, self.on_demand, self.spot)
    }

    /// Returns the availability at the price that ranks the match or, when that price is unknown,
    /// at the other price.
    pub fn availability(&self, capacity_filter: CapacityFilter) -> Availability {
        let quote = self
            .ranking_quote(capacity_filter)
            .or(self.on_demand)
            .or(self.spot);
        quote.map_or(Availability::Unknown, |quote| quote.availability)
    }

    /// Returns whether it is unknown that the provider sells the match in a requested region.
    pub fn is_region_unverified(&self) -> bool {
        self.reasons.contains(&Reason::RegionUnverified)
    }

    /// Returns the host memory of the whole machine in GiB; `None` when it is unknown.
    pub fn host_memory_gib(&self, catalog: &Catalog<'_>) -> Option<f64> {
        host::memory_gib(&catalog.offer(self.offer), self.count)
    }

    /// Returns the vCPUs of the whole machine; `None` when they are unknown.
    pub fn vcpu(&self, catalog: &Catalog<'_>) -> Option<f64> {
        host::vcpu(&catalog.offer(self.offer), self.count)
    }

    /// Returns the likely price of today that ranks the match, in USD per hour for the whole machine;
    /// `None` when it has no price.
    pub fn ranking_price(&self, capacity_filter: CapacityFilter) -> Option<Usd> {
        self.ranking_quote(capacity_filter)
            .map(|quote| quote.likely.usd)
    }
}

/// Returns the price that ranks a machine with these prices: a price in stock wins over a lower price out of stock.
pub(super) fn ranking_quote(
    capacity_filter: CapacityFilter,
    on_demand: Option<Quote>,
    spot: Option<Quote>,
) -> Option<Quote> {
    capacity_filter.ranking_quote(on_demand, spot, |quote| {
        (
            quote.availability == Availability::Unavailable,
            quote.likely.usd,
        )
    })
}

/// One step of the funnel: a condition, and the number of offers that remain after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunnelStep {
    /// The index of the choice of the spec that the step belongs to.
    pub choice: usize,
    /// The condition.
    pub stage: Stage,
    /// The condition as a phrase, such as `with exactly 8 of them`.
    pub label: String,
    /// The number of offers that meet this condition and all earlier conditions.
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

/// The matches of a request, with an explanation when nothing matches.
#[derive(Clone, Debug, Default)]
pub struct Resolution {
    /// The matches, best first.
    pub matches: Vec<Match>,
    /// The number of matches beyond the limit, including offers that were not judged.
    pub left_off: usize,
    /// The steps of the funnel; filled when nothing matches.
    pub funnel: Vec<FunnelStep>,
    /// The nearest alternatives; filled when nothing matches, or nothing with a known price and a
    /// verified region, or nothing undoubted within the price limit.
    pub nearest: Vec<Nearest>,
    /// Every verdict; filled when [`Request::explain`] is set.
    pub considered: Vec<Considered>,
}

impl Resolution {
    /// Returns whether any match is known to be sold in a requested region. When `false`, no match
    /// is confirmed, even if [`Self::matches`] is not empty.
    pub fn has_verified(&self) -> bool {
        self.matches
            .iter()
            .any(|found| !found.is_region_unverified())
    }
}

crate::words! {
    /// The difference between an alternative and the request.
    pub enum Relation {
        /// The machine has more accelerators.
        Larger = "larger",
        /// The machine has fewer accelerators.
        Smaller = "smaller",
        /// The offer is sold in other regions.
        OtherRegion = "other-region",
        /// The accelerator has another memory size.
        OtherMemory = "other-memory",
        /// The accelerator is another variant of the family.
        OtherVariant = "other-variant",
        /// Another provider sells the offer.
        OtherProvider = "other-provider",
        /// The offer is sold with another capacity type or in another price tier.
        OtherCapacityType = "other-capacity-type",
        /// The price is above the limit, or unknown.
        HigherPrice = "higher-price",
        /// Several machines have the requested count together.
        MultiNode = "multi-node",
        /// The accelerator is of another family.
        OtherAccelerator = "other-accelerator",
    }
}

/// An alternative that meets the request except for one relaxed condition.
#[derive(Clone, Debug)]
pub struct Nearest {
    /// The difference from the request.
    pub relation: Relation,
    /// The number of machines that are needed together; 1 except for [`Relation::MultiNode`].
    pub nodes: u32,
    /// The alternative itself.
    pub found: Match,
}
