//! Reads devices from a catalog.

use std::collections::HashMap;

use super::device::{Device, EngineCosts, Shares};
use super::words::ServingEngine;
use crate::catalog::{Accelerator, AcceleratorId, Catalog, Str};

/// The properties of an accelerator that its costs depend on.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct CostKey {
    architecture: Str,
    class: Str,
    compute_capability: Str,
    memory_type: Str,
}

impl CostKey {
    fn of(accelerator: &Accelerator) -> Self {
        Self {
            architecture: accelerator.architecture,
            class: accelerator.class,
            compute_capability: accelerator.compute_capability,
            memory_type: accelerator.memory_type,
        }
    }
}

/// Reads the devices of one catalog for a serving engine. Coefficients for an architecture, class and memory take
/// precedence over general ones, and are read once for all accelerators that share them.
pub struct DeviceReader {
    engine: ServingEngine,
    version: Option<String>,
    costs: HashMap<CostKey, (Shares, EngineCosts)>,
}

impl DeviceReader {
    /// A reader for a version of an engine; the newest for `None`.
    pub fn new(engine: ServingEngine, version: Option<&str>) -> Self {
        Self {
            engine,
            version: version.map(str::to_owned),
            costs: HashMap::new(),
        }
    }

    /// Reads the device for an accelerator, without shares of training.
    pub fn read(&mut self, catalog: &Catalog<'_>, id: AcceleratorId) -> Device {
        let accelerator = catalog.accelerator(id);
        let (engine, version) = (self.engine, self.version.as_deref());
        let costs = self.costs.entry(CostKey::of(&accelerator));
        let costs = costs.or_insert_with(|| {
            (
                Shares::of(catalog, &accelerator, engine, version),
                EngineCosts::of(catalog, &accelerator, engine, version),
            )
        });
        Device::of(catalog, id, &accelerator, *costs)
    }
}
