//! Facts at the moment of planning, such as quotas.

use crate::catalog::{CapacityType, OfferId, RegionId};

/// Facts at the moment of planning that the catalog does not have.
pub trait World {
    /// Returns whether a price of that date is older than allowed; `None` means an unknown price.
    fn is_stale(&self, as_of: Option<&str>) -> bool;

    /// Returns whether the account's quota admits the machines; `None` when that is unknown.
    fn quota_allows(
        &self,
        offer: OfferId,
        region: Option<RegionId>,
        capacity: CapacityType,
    ) -> Option<bool>;

    /// Returns whether the plan is no longer needed, so that the planner may return an incomplete
    /// plan.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// A [`World`] without any facts.
pub struct Offline;

impl World for Offline {
    fn is_stale(&self, _: Option<&str>) -> bool {
        false
    }

    fn quota_allows(&self, _: OfferId, _: Option<RegionId>, _: CapacityType) -> Option<bool> {
        None
    }
}
