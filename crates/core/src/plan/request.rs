//! The conditions of a plan, in addition to the spec.

use crate::catalog::CapacityType;
use crate::money::{Count, Usd};
use crate::resolve;

crate::words! {
    /// The capacity types that a plan tries, in order.
    #[derive(Default)]
    pub enum CapacityOrder {
        /// On-demand machines only.
        #[default]
        OnDemand = "on-demand",
        /// Spot machines only.
        Spot = "spot",
        /// Spot machines, then on-demand machines.
        SpotFirst = "spot-first",
        /// Both, the cheaper first.
        Any = "any",
    }
}

impl CapacityOrder {
    /// Returns the capacity filter that ranks alternatives.
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
    /// The criterion that ranks the candidates of a plan.
    #[derive(Default)]
    pub enum PlanObjective {
        /// The price; stock decides only between candidates of the same kind.
        #[default]
        Price = "price",
        /// The expected time and money to running machines: stock, then quota, then the start, then the price.
        Obtainability = "obtainability",
    }
}

/// Capacity that the user has already paid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reserved {
    /// An on-demand reservation, kept for its owner.
    Reservation,
    /// A capacity block, bought in advance.
    Block,
}

/// The conditions of a plan, in addition to the spec.
#[derive(Clone, Debug)]
pub struct Request {
    /// Providers, regions, and the price limit for one machine and hour.
    pub offers: resolve::Request,
    /// The capacity types to try, and their order.
    pub capacity_order: CapacityOrder,
    /// The criterion that ranks the candidates.
    pub objective: PlanObjective,
    /// Whether to exclude larger machines of providers without an exact machine.
    pub exact: bool,
    /// Whether to list each region at most once for each capacity type.
    pub distinct_regions: bool,
    /// The number of machines.
    pub nodes: u32,
    /// The duration in hours; `None` when not set.
    pub hours: Option<f64>,
    /// The budget for all machines in USD: for all hours if `hours` is set, else per hour. `None`
    /// without a budget.
    pub budget: Option<Usd>,
    /// The CUDA version of the image; `None` when unknown.
    pub cuda: Option<String>,
    /// The capacity that is already paid for, which no price limit or budget excludes. `None`
    /// without such capacity.
    pub reserved: Option<Reserved>,
    /// The maximum number of candidates of the plan.
    pub limit: usize,
}

impl Request {
    /// Returns the cost of all machines for a number of hours at a price for one machine; `None` on
    /// overflow.
    pub(super) fn usd_total(&self, usd: Usd, hours: f64) -> Option<Usd> {
        usd.times(Count::whole(self.nodes)).for_hours(hours)
    }
}
