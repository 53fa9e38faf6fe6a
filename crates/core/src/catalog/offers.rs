//! Who rents accelerators out, where, in which machines and at what price.

use serde::Serialize;

#[cfg(doc)]
use super::Catalog;
use super::{AcceleratorId, ProviderId, RegionId, Rows, Str};
use crate::money::{Count, Usd};

/// How a provider sells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sells {
    /// Machines with a fixed number of accelerators.
    InstanceTypes,
    /// A type of accelerator, any whole number up to a maximum.
    AnyCount,
    /// Single machines of others, found by search.
    Marketplace,
}

/// A seller.
#[derive(Clone, Copy, Debug)]
pub struct Provider {
    pub id: Str,
    pub name: Str,
    /// Strings.
    pub aliases: Rows,
    pub sells: Sells,
    pub default_region: Option<RegionId>,
    /// Strings: names of price tiers, the one to quote first.
    pub tiers: Rows,
    /// Whether a tenant may cut a GPU into MIG slices.
    pub tenant_mig: Option<bool>,
    pub tenant_mig_note: Str,
    /// Whether it sells reservations and blocks of capacity that can be launched into by their id.
    pub sells_reservations: bool,
    /// Whether its live answers tell what is in stock.
    pub tells_stock: bool,
    /// From when on a price of this provider counts as old.
    pub price_max_age_days: u16,
    /// A run of [`Catalog::regions`].
    pub regions: Rows,
}

/// A region, location or data center of one provider; a country where that is all there is.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    pub provider: ProviderId,
    pub id: Str,
    pub country: Str,
    /// Whether it takes new machines, where that is known.
    pub open: Option<bool>,
    /// Whether it takes accounts of its own.
    pub separate: bool,
}

/// Whether an offer can be rented.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub enum Status {
    Offered,
    ReservedOnly,
    Retired,
}

/// Something that a provider sells: an instance type, a GPU type, a marketplace name.
#[derive(Clone, Copy, Debug)]
pub struct Offer {
    pub provider: ProviderId,
    /// The provider's own id.
    pub id: Str,
    pub display_name: Str,
    /// The one that is displayed.
    pub accelerator: AcceleratorId,
    /// All that it may be: more than one where the provider's name does not tell.
    pub accelerators: Rows,
    /// Fixed number of accelerators.
    pub count: Option<Count>,
    /// Largest number, where any number is sold.
    pub max_count: Option<Count>,
    /// A ready-made MIG slice that is sold as a device.
    pub mig_profile: Str,
    /// Per device, as the provider's API reports it.
    pub memory_mib: Option<f64>,
    pub vcpu: Option<f64>,
    pub host_memory_gib: Option<f64>,
    /// Whether the two above are for one accelerator.
    pub vcpu_per_accelerator: bool,
    pub host_memory_per_accelerator: bool,
    pub host_arch: Str,
    /// Elastic Fabric Adapters that it takes.
    pub efa_interfaces: Option<f64>,
    pub status: Status,
    pub status_note: Str,
    pub note: Str,
    pub interruption_rate: Str,
    /// A run of [`Catalog::region_lists`]; empty when unknown.
    pub regions: Rows,
    pub source: Str,
    pub as_of: Str,
    pub prices: Rows,
}

/// How capacity is bought.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub enum CapacityType {
    OnDemand,
    Spot,
}

/// The origin of a price.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub enum PriceKind {
    /// Published by the provider.
    List,
    /// Asked from the provider now.
    Live,
    /// The lowest marketplace offer seen on a date.
    Snapshot,
    /// Derived from other figures.
    Estimate,
}

/// Which price of a region's zones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub enum Statistic {
    LowestZone,
    MedianZone,
}

/// Whether something can be rented at this moment: only live answers know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub enum Availability {
    #[default]
    Unknown,
    Available,
    /// Little of it is left.
    Limited,
    Unavailable,
}

impl PriceKind {
    /// The word of the contract: `list`, `live`, `snapshot` or `estimate`.
    pub fn word(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Live => "live",
            Self::Snapshot => "snapshot",
            Self::Estimate => "estimate",
        }
    }
}

impl Status {
    /// The word of the contract: `offered`, `reserved-only` or `retired`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Offered => "offered",
            Self::ReservedOnly => "reserved-only",
            Self::Retired => "retired",
        }
    }
}

impl CapacityType {
    /// The word of the contract: `on-demand` or `spot`.
    pub fn word(self) -> &'static str {
        match self {
            Self::OnDemand => "on-demand",
            Self::Spot => "spot",
        }
    }
}

/// One price.
#[derive(Clone, Copy, Debug)]
pub struct Price {
    pub capacity: CapacityType,
    pub kind: PriceKind,
    /// Place among the provider's tiers, 0 where it has none.
    pub tier: u8,
    /// Which of them it is, where the zones of a region differ.
    pub statistic: Option<Statistic>,
    /// The number of accelerators that it is for, where it is not for all.
    pub count: Option<Count>,
    pub region: Option<RegionId>,
    /// A run of [`Catalog::region_lists`]: where marketplace machines at this price were seen.
    pub seen_in: Rows,
    pub usd: Usd,
    /// Whether `usd` is for one accelerator.
    pub per_accelerator: bool,
    pub source: Str,
    /// A day, a month or a year, as exactly as it is known; a second when it is live.
    pub as_of: Str,
    pub availability: Availability,
    /// The availability zone of a spot price.
    pub zone: Str,
    /// The id under which a marketplace rents exactly this machine.
    pub listing: Str,
}
