//! The host of the accelerators: requested minimums, and the size below which a host is doubtful.

use super::request::Request;
use super::verdict::DropCode;
use crate::catalog::{AcceleratorClass, AcceleratorId, Catalog, Offer};
use crate::money::Count;

/// Returns the vCPUs of a machine with `count` accelerators; `None` when they are unknown.
pub(super) fn vcpu(offer: &Offer, count: Count) -> Option<f64> {
    let factor = if offer.vcpu_per_accelerator {
        count.decimal()
    } else {
        1.0
    };
    offer.vcpu.map(|vcpu| vcpu * factor)
}

/// Returns the host memory of a machine with `count` accelerators in GiB; `None` when it is unknown.
pub(super) fn memory_gib(offer: &Offer, count: Count) -> Option<f64> {
    let factor = if offer.host_memory_per_accelerator {
        count.decimal()
    } else {
        1.0
    };
    offer.host_memory_gib.map(|gib| gib * factor)
}

/// The sizes below which a host is too small for its accelerators; `None` for a catalog without the limit.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HostLimits {
    /// Host memory as a share of the memory of the accelerators.
    memory_share: Option<f64>,
    /// vCPUs for each data-center accelerator.
    vcpu_each: Option<f64>,
}

impl HostLimits {
    pub(super) fn of(catalog: &Catalog<'_>) -> Self {
        Self {
            memory_share: catalog.coefficient("small-host-memory-share", ""),
            vcpu_each: catalog.coefficient("host-vcpu-per-accelerator", ""),
        }
    }

    /// Returns whether the host of a machine is known to be too small for its accelerators. A slice or a
    /// part of an accelerator has a part of the host.
    pub(super) fn is_too_small(
        self,
        catalog: &Catalog<'_>,
        offer: &Offer,
        accelerator: AcceleratorId,
        count: Count,
    ) -> bool {
        if offer.mig_profile.len > 0 || !count.is_whole() {
            return false;
        }
        let row = || catalog.accelerator(accelerator);
        let has_little_memory = || {
            let limits = memory_gib(offer, count).zip(self.memory_share);
            limits.is_some_and(|(host, share)| {
                host < share * row().memory_gb.unwrap_or_default() * count.decimal()
            })
        };
        let has_few_cpus = || {
            let limits = vcpu(offer, count).zip(self.vcpu_each);
            limits.is_some_and(|(vcpu, each)| {
                let is_few = vcpu < each * count.decimal();
                is_few && catalog.class(&row()) == Some(AcceleratorClass::Datacenter)
            })
        };
        has_little_memory() || has_few_cpus()
    }
}

/// Returns whether the host of a machine is known to be too small for its accelerators.
pub fn has_small_host(
    catalog: &Catalog<'_>,
    offer: &Offer,
    accelerator: AcceleratorId,
    count: Count,
) -> bool {
    HostLimits::of(catalog).is_too_small(catalog, offer, accelerator, count)
}

/// Returns the minimum of a request that the host of a machine misses.
pub(super) fn missed_minimum(request: &Request, offer: &Offer, count: Count) -> Option<DropCode> {
    let misses = |minimum: Option<f64>, figure: Option<f64>| {
        let minimum = minimum?;
        match figure {
            None => Some(DropCode::HostUnknown),
            Some(figure) => (figure < minimum).then_some(DropCode::HostTooSmall),
        }
    };
    misses(request.min_vcpu, vcpu(offer, count))
        .or_else(|| misses(request.min_host_memory_gib, memory_gib(offer, count)))
}
