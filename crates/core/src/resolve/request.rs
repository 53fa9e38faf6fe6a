//! The conditions on offers, beside the spec.

use super::fresh::FreshSince;
use super::region::RegionFilter;
use super::tier::PriceTier;
use crate::catalog::ProviderId;
use crate::money::Usd;

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
