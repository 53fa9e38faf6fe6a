//! The network of a cluster.

use sky_accel_core::catalog::{Catalog, Fabric};
use sky_accel_core::resolve::Match;

/// The network between machines of one type, in one region.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Interconnect {
    /// The kind of network.
    pub fabric: Fabric,
    /// Bytes per second and device, in one direction.
    pub bytes_per_s: f64,
    /// The source of the figure.
    pub source: String,
}

impl Interconnect {
    /// The network of a machine, if clusters of it are known to have one.
    pub fn of(catalog: &Catalog<'_>, machine: &Match) -> Option<Self> {
        let offer = catalog.offer(machine.offer);
        let network = catalog.network(&offer)?;
        Some(Self {
            fabric: network.fabric,
            bytes_per_s: network.bytes_per_device(machine.count.whole_devices()),
            source: catalog.str(network.source).to_owned(),
        })
    }
}
