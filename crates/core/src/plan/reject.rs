//! The reasons why an offer is rejected.

use crate::catalog::{CapacityType, OfferId, RegionId};
use crate::money::{Count, Usd};
use crate::resolve::DropCode;

crate::words! {
    /// The reasons why an offer is rejected; the list is closed.
    pub enum Reject {
        /// The accelerator is another variant, or the machine is not of the reserved instance type.
        Name = "name",
        /// The accelerator has another memory size.
        MemoryMismatch = "memory-mismatch",
        /// The machine has another number of devices, or is larger than necessary.
        Count = "count",
        /// The offer is not sold in the requested regions.
        Region = "region",
        /// The offer is not sold with the requested capacity type or in the requested price tier.
        Market = "market",
        /// The price is above the limit or the budget, or unknown while there is one.
        OverBudget = "over-budget",
        /// The device cannot run the CUDA version.
        CudaFloor = "cuda-floor",
        /// The provider does not let tenants switch MIG on, or sells another slice.
        NoMig = "no-mig",
        /// The machine does not have the required link.
        NoInterconnect = "no-interconnect",
        /// The host has fewer vCPUs or less memory than required, or they are unknown.
        SmallHost = "small-host",
        /// The price is older than allowed.
        Stale = "stale",
        /// The machines are out of stock or not sold there.
        OutOfStock = "out-of-stock",
        /// A quota or a permission of the account excludes the machines.
        Blocked = "blocked",
        /// The provider has retired the offer, or only an old price list has it.
        NotOffered = "not-offered",
    }
}

impl Reject {
    pub(super) fn of(code: DropCode) -> Self {
        match code {
            DropCode::OtherMemory => Self::MemoryMismatch,
            DropCode::OtherVariant => Self::Name,
            DropCode::ProviderNotAsked => Self::NotOffered,
            DropCode::MigNotPermitted | DropCode::SliceNotWholeGpu | DropCode::OtherSlice => {
                Self::NoMig
            }
            DropCode::CountDiffers => Self::Count,
            DropCode::HostTooSmall | DropCode::HostUnknown => Self::SmallHost,
            DropCode::NotJoined => Self::NoInterconnect,
            DropCode::RegionNotSold => Self::Region,
            DropCode::ReservedOnly
            | DropCode::SpotOnly
            | DropCode::TierNotSold
            | DropCode::NoSpotPrice => Self::Market,
            DropCode::PriceTooOld => Self::Stale,
            DropCode::PriceUnknown | DropCode::PriceAboveMax => Self::OverBudget,
            DropCode::OutOfStock => Self::OutOfStock,
        }
    }
}

/// A rejected offer.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// The index of the choice of the spec that the offer was judged by.
    pub choice: usize,
    /// The offer.
    pub offer: OfferId,
    /// The number of accelerators; `None` when the offer was dropped before a count was chosen.
    pub count: Option<Count>,
    /// The capacity type; `None` when the offer fails with every capacity type.
    pub capacity: Option<CapacityType>,
    /// The region; `None` where the provider chooses it or the offer fails everywhere.
    pub region: Option<RegionId>,
    /// The reason.
    pub reason: Reject,
    /// The reason as a phrase that follows the name of the offer: `is retired`.
    pub detail: String,
    /// USD per hour for all machines; `None` when the price is unknown.
    pub usd: Option<Usd>,
}

/// Keeps the cheapest of the rejected offers that differ only in the region. Stock and quotas differ between regions,
/// so offers without them are kept in each.
pub(super) fn settled(mut rejected: Vec<Rejected>) -> Vec<Rejected> {
    let place = |row: &Rejected| {
        let is_local = matches!(row.reason, Reject::OutOfStock | Reject::Blocked);
        row.region.filter(|_| is_local)
    };
    let kind = |row: &Rejected| {
        let sold = (row.choice, row.offer, row.count, row.capacity);
        (sold, row.reason, place(row))
    };
    rejected.sort_by_key(|row| (kind(row), row.usd.is_none(), row.usd, row.region));
    rejected.dedup_by_key(|row| kind(row));
    rejected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_without_stock_are_all_kept() {
        let rejected = |region, reason, usd| Rejected {
            choice: 0,
            offer: OfferId(1),
            count: Some(Count::ONE),
            capacity: Some(CapacityType::OnDemand),
            region: Some(RegionId(region)),
            reason,
            detail: String::new(),
            usd: Some(Usd(usd)),
        };
        let rows = settled(vec![
            rejected(1, Reject::OverBudget, 5),
            rejected(2, Reject::OverBudget, 4),
            rejected(1, Reject::Blocked, 5),
            rejected(2, Reject::Blocked, 4),
            rejected(2, Reject::Blocked, 6),
            rejected(3, Reject::OutOfStock, 3),
        ]);
        let mut kept: Vec<_> = rows
            .iter()
            .map(|row| {
                (
                    row.reason,
                    row.region.map(|region| region.0),
                    row.usd.map(|usd| usd.0),
                )
            })
            .collect();
        kept.sort_by_key(|(_, _, usd)| *usd);
        assert_eq!(
            kept,
            [
                (Reject::OutOfStock, Some(3), Some(3)),
                (Reject::OverBudget, Some(2), Some(4)),
                (Reject::Blocked, Some(2), Some(4)),
                (Reject::Blocked, Some(1), Some(5)),
            ]
        );
    }
}
