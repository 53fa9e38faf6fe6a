//! What is known at the moment of planning.

use sky_accel_core::catalog::{CapacityType, Catalog, OfferId, RegionId};
use sky_accel_core::plan::World;
use sky_accel_providers::Capacity as LiveCapacity;

use super::super::age;
use crate::live::Live;
use crate::settings::Settings;

/// What is known now.
pub(super) struct Now<'n, 'a> {
    pub catalog: &'n Catalog<'a>,
    pub settings: &'n Settings,
    pub live: Option<&'n Live>,
    pub nodes: u32,
    /// Seconds that a price may be old.
    pub max_age_s: Option<u64>,
}

impl World for Now<'_, '_> {
    fn is_stale(&self, as_of: Option<&str>) -> bool {
        let Some(max) = self.max_age_s else {
            return false;
        };
        let Some(as_of) = as_of else {
            return true;
        };
        let days = age::days(self.settings, as_of).and_then(|days| u64::try_from(days).ok());
        days.is_some_and(|days| days * 86_400 > max)
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
        let capacity = match capacity {
            CapacityType::OnDemand => LiveCapacity::OnDemand,
            CapacityType::Spot => LiveCapacity::Spot,
        };
        let mut all = extras.quotas.iter();
        let quota = all.find(|quota| quota.region == region && quota.capacity == capacity)?;
        Some(row.vcpu? * f64::from(self.nodes) <= quota.limit)
    }
}
