//! The conditions on offers, in addition to the spec.

use super::interconnect::Interconnect;
use super::likely::LikelyPrices;
use super::region::RegionFilter;
use super::tier::PriceTier;
use crate::catalog::ProviderId;
use crate::money::Usd;

crate::words! {
    /// The requested capacity type, which selects the price that ranks a machine.
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
    /// Returns the price that ranks a machine: its on-demand price, its spot price or, with
    /// [`Self::Any`], the price with the lower `key`. `None` when the machine has no such price.
    pub fn ranking_quote<T, K: PartialOrd>(
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
    /// The figure that sorts matches, lowest first.
    #[derive(Default)]
    pub enum Sort {
        /// USD per hour for the whole machine.
        #[default]
        Price = "price",
        /// USD per hour for one accelerator.
        PricePerGpu = "price-per-gpu",
        /// USD per hour for one GB of device memory, in marketed GB.
        PricePerGb = "price-per-gb",
        /// USD per hour for one TFLOPS of the headline rate: dense 16-bit, or FP32 where no 16-bit rate is published.
        PricePerTflop = "price-per-tflop",
        /// Stock first (in stock, little stock, unknown), then USD per hour for the whole machine.
        Obtainability = "obtainability",
    }
}

/// The conditions on offers, in addition to the spec.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The requested providers; empty means every provider.
    pub providers: Vec<ProviderId>,
    /// The requested regions; `None` means every region.
    pub regions: Option<RegionFilter>,
    /// The capacity type whose price ranks a machine.
    pub capacity_filter: CapacityFilter,
    /// The requested price tier; `None` means the cheapest tier of the provider's own machines, or else of machines of
    /// private hosts.
    pub price_tier: Option<PriceTier>,
    /// Whether prices for machines of private hosts count as much as prices for the provider's own machines.
    pub hosts_are_equal: bool,
    /// The minimum number of vCPUs of the whole machine; `None` without a minimum.
    pub min_vcpu: Option<f64>,
    /// The minimum host memory of the whole machine in GiB; `None` without a minimum.
    pub min_host_memory_gib: Option<f64>,
    /// The link that must join the accelerators; `None` without a requirement.
    pub interconnect: Option<Interconnect>,
    /// The price limit in USD per hour for the whole machine; `None` without a limit. The limit
    /// hides more expensive machines and does not affect which price of a machine applies.
    pub max_price: Option<Usd>,
    /// Whether larger machines match too.
    pub at_least: bool,
    /// The figure that sorts matches.
    pub sort: Sort,
    /// The maximum number of matches; `None` means all matches.
    pub limit: Option<usize>,
    /// Whether the answer lists every verdict.
    pub explain: bool,
    /// Whether to leave out machines that are known to be out of stock, excluded by a quota or not sold. Unknown stock
    /// ranks behind known stock.
    pub available: bool,
    /// The estimator of today's prices, which rank and limit machines; `None` takes prices as stated.
    pub likely: Option<LikelyPrices>,
}

impl Request {
    /// Returns whether stock orders machines before their price.
    pub(super) fn is_by_stock(&self) -> bool {
        self.available || self.sort == Sort::Obtainability
    }
}
