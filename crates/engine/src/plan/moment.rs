//! Facts at the time of planning, which are not in the catalog.

use jiff::civil::Date;
use sky_accel_core::catalog::{CapacityType, Catalog, OfferId, RegionId};
use sky_accel_core::plan::World;
use sky_accel_live::Live;

use crate::age;

/// The age of prices and the account's quotas.
pub(super) struct Moment<'n, 'a> {
    pub catalog: &'n Catalog<'a>,
    pub today: Date,
    pub live: Option<&'n Live>,
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
        age::days(self.today, as_of).is_some_and(|days| days > age::whole_days(max))
    }

    fn quota_allows(
        &self,
        offer: OfferId,
        region: Option<RegionId>,
        capacity: CapacityType,
    ) -> Option<bool> {
        let row = self.catalog.offer(offer);
        let id = self.catalog.str(row.id).to_owned();
        let extras = self.live?.extras.get(&(row.provider, id))?;
        let region = self.catalog.region_id(region?);
        let mut quotas = extras.quotas.iter();
        let quota = quotas.find(|quota| quota.region == region && quota.capacity == capacity)?;
        Some(row.vcpu? * f64::from(self.nodes) <= quota.limit)
    }
}
