//! Why something is no candidate.

use crate::catalog::{CapacityType, OfferId, RegionId};
use crate::money::{Count, Usd};
use crate::resolve::DropCode;

/// The reasons; the list is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reject {
    Name,
    MemoryMismatch,
    Count,
    Region,
    Market,
    OverBudget,
    CudaFloor,
    NoMig,
    NoInterconnect,
    Stale,
    NotOffered,
}

impl Reject {
    pub const ALL: [Self; 11] = [
        Self::Name,
        Self::MemoryMismatch,
        Self::Count,
        Self::Region,
        Self::Market,
        Self::OverBudget,
        Self::CudaFloor,
        Self::NoMig,
        Self::NoInterconnect,
        Self::Stale,
        Self::NotOffered,
    ];

    /// Stable name.
    pub fn code(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::MemoryMismatch => "memory-mismatch",
            Self::Count => "count",
            Self::Region => "region",
            Self::Market => "market",
            Self::OverBudget => "over-budget",
            Self::CudaFloor => "cuda-floor",
            Self::NoMig => "no-mig",
            Self::NoInterconnect => "no-interconnect",
            Self::Stale => "stale",
            Self::NotOffered => "not-offered",
        }
    }

    pub(super) fn of(code: DropCode) -> Self {
        match code {
            DropCode::OtherMemory => Self::MemoryMismatch,
            DropCode::OtherVariant => Self::Name,
            DropCode::ProviderNotAsked => Self::NotOffered,
            DropCode::MigNotPermitted | DropCode::SliceNotWholeGpu | DropCode::OtherSlice => {
                Self::NoMig
            }
            DropCode::CountDiffers => Self::Count,
            DropCode::RegionNotSold => Self::Region,
            DropCode::ReservedOnly | DropCode::TierNotSold => Self::Market,
            DropCode::PriceUnknown | DropCode::PriceAboveMax => Self::OverBudget,
        }
    }
}

/// An offer that is no candidate.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// Which of the wanted choices it was held against.
    pub choice: usize,
    pub offer: OfferId,
    pub count: Option<Count>,
    /// Missing where no capacity type would do.
    pub capacity: Option<CapacityType>,
    pub region: Option<RegionId>,
    pub reason: Reject,
    pub detail: String,
    /// For all machines and one hour.
    pub usd: Option<Usd>,
}

/// One of those that differ in their region alone: the cheapest.
pub(super) fn settled(mut rejected: Vec<Rejected>) -> Vec<Rejected> {
    let kind = |row: &Rejected| (row.choice, row.offer, row.count, row.capacity, row.reason);
    rejected.sort_by_key(|row| (kind(row), row.usd.is_none(), row.usd, row.region));
    rejected.dedup_by_key(|row| kind(row));
    rejected
}
