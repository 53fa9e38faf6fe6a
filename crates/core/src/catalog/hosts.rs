//! Machines that accelerators are attached to, which are priced separately.

use super::{AcceleratorId, Catalog, Offer, OfferKind, ProviderId, RegionId, Rows, Str};
use crate::money::{Count, Usd};

/// The minimum number of vCPUs for each accelerator, if the provider allows as many.
const VCPU_EACH: f64 = 4.0;

crate::rows! {
    /// A family of machines that accelerators are attached to. The name of a size ends with its vCPUs, such as
    /// `n1-standard-8`.
    #[derive(Clone, Copy, Debug)]
    pub struct HostFamily {
        /// The provider.
        pub provider: ProviderId,
        /// The name without the size, such as `n1-standard`.
        pub family: Str,
        /// The vCPUs of the sizes, in order: a run of [`field@Catalog::host_sizes`].
        pub sizes: Rows,
        /// The memory for each vCPU in GiB.
        pub gib_per_vcpu: f64,
        /// The prices: a run of [`field@Catalog::host_prices`].
        pub prices: Rows,
        /// The source of the facts.
        pub source: Str,
        /// The date of the facts: a day, a month or a year.
        pub as_of: Str,
    }

    /// The price of a host in a region.
    #[derive(Clone, Copy, Debug)]
    pub struct HostPrice {
        /// The region.
        pub region: RegionId,
        /// US dollars per hour for one vCPU, on demand.
        pub usd_per_vcpu: Usd,
        /// The same as spot; `None` if unknown.
        pub spot_usd_per_vcpu: Option<Usd>,
    }

    /// The largest host that a number of accelerators may be attached to.
    #[derive(Clone, Copy, Debug)]
    pub struct HostLimit {
        /// The provider.
        pub provider: ProviderId,
        /// The accelerator.
        pub accelerator: AcceleratorId,
        /// The number of accelerators.
        pub count: u8,
        /// The maximum number of vCPUs.
        pub vcpu: u16,
        /// The maximum memory in GB.
        pub memory_gb: f64,
    }
}

/// The host that is assumed for some accelerators.
#[derive(Clone, Copy, Debug)]
pub struct AttachedHost {
    /// The family.
    pub family: HostFamily,
    /// The vCPUs of the size.
    pub vcpu: u16,
    /// The limit for this number of accelerators; `None` if unknown.
    pub limit: Option<HostLimit>,
}

impl AttachedHost {
    /// Returns the price in a region or, without a region, the lowest price; `None` if it is unknown.
    pub fn price(&self, catalog: &Catalog<'_>, region: Option<RegionId>) -> Option<HostPrice> {
        let mut prices = catalog.host_prices.run(self.family.prices).iter();
        match region {
            Some(id) => prices.find(|price| price.region == id),
            None => prices.min_by_key(|price| price.usd_per_vcpu),
        }
    }

    /// Returns the provider's own id, such as `n1-standard-8`.
    pub fn id(&self, catalog: &Catalog<'_>) -> String {
        format!("{}-{}", catalog.str(self.family.family), self.vcpu)
    }
}

impl Catalog<'_> {
    /// Returns the default host for `count` accelerators of an attached offer: the smallest size of the provider's
    /// first family with four vCPUs for each accelerator, or the largest that the limit allows. `None` for other
    /// offers, and if no host is known.
    pub fn host_of(
        &self,
        offer: &Offer,
        accelerator: AcceleratorId,
        count: Count,
    ) -> Option<AttachedHost> {
        if offer.kind != OfferKind::Attached {
            return None;
        }
        let family = self
            .hosts
            .iter()
            .find(|host| host.provider == offer.provider)?;
        let mut limits = self.host_limits.iter();
        let limit = limits.find(|limit| {
            limit.provider == offer.provider
                && limit.accelerator == accelerator
                && Count::whole(limit.count.into()) == count
        });
        let max_vcpu = limit.map_or(u16::MAX, |limit| limit.vcpu);
        let wanted = VCPU_EACH * count.decimal();
        let sizes = self.host_sizes.run(family.sizes);
        let allowed = || sizes.iter().filter(|vcpu| *vcpu <= max_vcpu);
        let vcpu = allowed()
            .find(|vcpu| f64::from(*vcpu) >= wanted)
            .or_else(|| allowed().next_back())?;
        Some(AttachedHost {
            family,
            vcpu,
            limit,
        })
    }
}
