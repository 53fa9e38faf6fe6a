//! The link that joins the accelerators of a request.

use crate::catalog::{AcceleratorId, Catalog, Fabric, Offer};
use crate::money::Count;

crate::words! {
    /// The link that must join the accelerators.
    pub enum Interconnect {
        /// Elastic Fabric Adapters between machines.
        Efa = "efa",
        /// InfiniBand between machines.
        Infiniband = "infiniband",
        /// NVLink inside a machine.
        Nvlink = "nvlink",
        /// Any of these links.
        Any = "any",
    }
}

impl Interconnect {
    /// Returns whether the link joins machines to each other.
    pub fn is_fabric(self) -> bool {
        self != Self::Nvlink
    }

    /// Returns whether a machine with `count` of an accelerator has the link.
    pub fn joins(
        self,
        catalog: &Catalog<'_>,
        offer: &Offer,
        accelerator: AcceleratorId,
        count: Count,
    ) -> bool {
        let fabric = || catalog.network(offer).map(|network| network.fabric);
        let is_efa = || offer.efa_interfaces.is_some() || fabric() == Some(Fabric::Efa);
        let is_nvlink = || {
            let row = catalog.accelerator(accelerator);
            let is_nvlink = catalog.str(row.interconnect).starts_with("NVLink");
            // Bridges are optional.
            count > Count::ONE && is_nvlink && !catalog.has_bridge(&row)
        };
        match self {
            Self::Efa => is_efa(),
            Self::Infiniband => fabric() == Some(Fabric::Infiniband),
            Self::Nvlink => is_nvlink(),
            Self::Any => is_efa() || fabric().is_some() || is_nvlink(),
        }
    }
}
