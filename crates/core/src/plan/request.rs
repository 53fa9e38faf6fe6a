//! The conditions of a plan.

use crate::catalog::CapacityType;
use crate::money::{Count, Usd};
use crate::resolve;

crate::words! {
    /// The capacity types that a plan tries, and their order.
    #[derive(Default)]
    pub enum CapacityOrder {
        /// On-demand machines only.
        #[default]
        OnDemand = "on-demand",
        /// Spot machines only.
        Spot = "spot",
        /// Spot wherever it is sold, then on-demand.
        SpotFirst = "spot-first",
        /// Both, the cheaper one first.
        Any = "any",
    }
}

impl CapacityOrder {
    /// Returns the capacity type whose price ranks alternatives.
    pub fn filter(self) -> resolve::CapacityFilter {
        match self {
            Self::OnDemand => resolve::CapacityFilter::OnDemand,
            Self::Spot => resolve::CapacityFilter::Spot,
            Self::SpotFirst | Self::Any => resolve::CapacityFilter::Any,
        }
    }

    pub(super) fn capacities(self) -> &'static [CapacityType] {
        match self {
            Self::OnDemand => &[CapacityType::OnDemand],
            Self::Spot => &[CapacityType::Spot],
            Self::SpotFirst | Self::Any => &[CapacityType::Spot, CapacityType::OnDemand],
        }
    }
}

crate::words! {
    /// The link that must join the accelerators.
    pub enum Interconnect {
        /// Elastic Fabric Adapters between machines.
        Efa = "efa",
        /// InfiniBand between machines.
        Infiniband = "infiniband",
        /// NVLink inside a machine.
        Nvlink = "nvlink",
        /// Any of them.
        Any = "any",
    }
}

/// Capacity that is already paid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reserved {
    /// An on-demand reservation, kept for its owner.
    Reservation,
    /// A capacity block, bought in advance.
    Block,
}

/// The conditions of a plan beside the spec.
#[derive(Clone, Debug)]
pub struct Request {
    /// Providers, regions, and the price limit for one machine and hour.
    pub offers: resolve::Request,
    /// The capacity types to try, and their order.
    pub capacity_order: CapacityOrder,
    /// Whether larger machines are left out where a provider sells no exact one.
    pub exact: bool,
    /// Whether each region is taken once for each capacity type.
    pub distinct_regions: bool,
    /// The number of machines.
    pub nodes: u32,
    /// The duration in hours; `None` when it is not given.
    pub hours: Option<f64>,
    /// The most to spend on all machines, in USD: for all hours where `hours` is given, else per
    /// hour. `None` without a budget.
    pub budget: Option<Usd>,
    /// The required link; `None` when any will do.
    pub interconnect: Option<Interconnect>,
    /// The CUDA version of the image; `None` when it is not given.
    pub cuda: Option<String>,
    /// The capacity that is already paid for: no price limit or budget excludes it. `None` when
    /// there is none.
    pub reserved: Option<Reserved>,
    /// The most candidates of the plan.
    pub limit: usize,
}

impl Request {
    /// The cost of all machines in so many hours at a price for one; `None` when it is more than can be counted.
    pub(super) fn usd_total(&self, usd: Usd, hours: f64) -> Option<Usd> {
        let usd = usd.times(Count::whole(self.nodes));
        Usd::from_decimal(usd.decimal() * hours)
    }
}
