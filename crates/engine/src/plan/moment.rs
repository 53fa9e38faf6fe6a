//! Facts at the time of planning, which are not in the catalog.

use sky_accel_core::catalog::{CapacityType, OfferId, RegionId};
use sky_accel_core::plan::World;
use sky_accel_live::QuotaUnit;

use crate::age;
use crate::engine::Engine;

/// The age of prices and the account's quotas.
pub(super) struct Moment<'n, 'a> {
    pub engine: &'n Engine<'a>,
    pub nodes: u32,
    /// The maximum age of a price in seconds.
    pub max_age_s: Option<u64>,
}

impl World for Moment<'_, '_> {
    fn is_stale(&self, as_of: Option<&str>) -> bool {
        let Some(max) = self.max_age_s else {
            return false;
        };
        let Some(as_of) = as_of else {
            return true;
        };
        age::days(self.engine.today(), as_of).is_some_and(|days| days > age::whole_days(max))
    }

    fn quota_allows(
        &self,
        offer: OfferId,
        region: Option<RegionId>,
        capacity: CapacityType,
    ) -> Option<bool> {
        let catalog = self.engine.catalog();
        let row = catalog.offer(offer);
        let id = catalog.str(row.id).to_owned();
        let extras = self.engine.live()?.extras.get(&(row.provider, id))?;
        let region = catalog.region_id(region?);
        let mut quotas = extras.quotas.iter();
        let quota = quotas.find(|quota| {
            quota.unit == QuotaUnit::Vcpus
                && quota.region.as_deref().is_none_or(|of| of == region)
                && quota.capacity == capacity
        })?;
        let needed = row.vcpu? * f64::from(self.nodes);
        Some(quota.left().is_none_or(|left| needed <= left))
    }

    fn is_stopped(&self) -> bool {
        self.engine.go_on().is_err()
    }
}
