//! The network that joins several machines of one type.

use sky_accel_core::catalog::Catalog;
use sky_accel_core::resolve::Match;

/// The network between machines of one type, in one region.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Interconnect {
    /// What it is called: `infiniband`, `efa`.
    pub kind: &'static str,
    /// Bytes per second and device, in one direction.
    pub bytes_per_s: f64,
    /// The source of the figure.
    pub source: String,
}

impl Interconnect {
    /// The network of a machine, where it is known to be one that clusters are built with.
    pub fn of(_catalog: &Catalog<'_>, _machine: &Match) -> Option<Self> {
        None
    }
}
