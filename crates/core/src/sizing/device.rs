//! What of an accelerator decides how fast a model runs on it, and whether it fits.

use super::memory::GIB;
use super::words::Engine;
use crate::catalog::{AcceleratorId, Catalog};

/// One device, with the efficiencies that were measured on its kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Device {
    /// Bytes that its driver reports, or about as many where that is not known.
    pub memory: Option<f64>,
    /// Bytes per second.
    pub bandwidth: Option<f64>,
    /// Operations per second by the bits of the operands, dense.
    pub flops_32: Option<f64>,
    pub flops_16: Option<f64>,
    pub flops_8: Option<f64>,
    pub flops_4: Option<f64>,
    /// Bytes per second to others in the machine, in one direction.
    pub link: f64,
    /// Devices of the largest machine, or of a domain with one fabric.
    pub per_machine: f64,
    /// Shares of the operations and of the bandwidth that are reached.
    pub train_efficiency: f64,
    pub prefill_efficiency: f64,
    pub decode_efficiency: f64,
    /// Seconds that one layer costs besides, while tokens are generated.
    pub launch: f64,
    /// Bytes per second of one device to another machine, in one direction.
    pub network: f64,
}

/// Drivers hold back some of what is sold: the median of those that are known.
const REPORTED: f64 = 0.97;

impl Device {
    /// An accelerator with an engine on it.
    pub fn of(catalog: &Catalog<'_>, id: AcceleratorId, engine: Engine) -> Self {
        let own = catalog.accelerator(id);
        let architecture = catalog.str(own.architecture);
        let stacked = catalog.str(own.memory_type).starts_with("HBM");
        let known = |name: &str, scope: &str| catalog.coefficient(name, scope).unwrap_or_default();
        let engine_scope = match (engine, stacked) {
            (Engine::LlamaCpp, true) => "llama.cpp on HBM",
            (engine, _) => super::Word::word(engine),
        };
        let consumer = catalog.str(own.class) == "consumer";
        let prefill_scope = match engine {
            Engine::LlamaCpp if consumer => "llama.cpp on consumer cards".to_owned(),
            Engine::LlamaCpp => format!("llama.cpp on {architecture}"),
            _ => architecture.to_owned(),
        };
        // Machines that are made for it have fast networks too.
        let joined = own.interconnect_gb_s.is_some_and(|both| both >= 400.0);
        let fabric = if joined { "fabric" } else { "" };
        let tera = |rate: Option<f64>| rate.map(|rate| rate * 1e12);
        let giga = |rate: f64| rate * 1e9;
        let flops_16 = tera(own.headline_tflops());
        // Where a format is not computed in, its weights are unpacked.
        let flops_8 = tera(own.fp8_tflops).or(flops_16);
        Self {
            memory: own
                .memory_mib
                .map(|mib| mib * GIB / 1024.0)
                .or(own.memory_gb.map(|gb| gb * GIB * REPORTED)),
            bandwidth: own.memory_bandwidth_gb_s.map(giga),
            flops_32: tera(own.tf32_tflops.or(own.fp32_tflops)),
            flops_16,
            flops_8,
            flops_4: tera(own.fp4_tflops).or(flops_8),
            link: own
                .interconnect_gb_s
                .map_or(giga(known("pcie-gb-s", "")), |both| giga(both) / 2.0),
            per_machine: own.max_per_node.unwrap_or(8.0).max(1.0),
            train_efficiency: known("train-efficiency", architecture),
            prefill_efficiency: known("prefill-efficiency", &prefill_scope),
            decode_efficiency: known("decode-bandwidth", engine_scope),
            launch: known("launch-us-per-layer", engine_scope) * 1e-6,
            network: giga(known("network-gb-s", fabric)),
        }
    }

    /// A part of it that is used like a device: so many bytes, and shares of the operations and of
    /// the bandwidth.
    #[must_use]
    pub fn part(self, memory: Option<f64>, compute: f64, bandwidth: f64) -> Self {
        let scaled = |rate: Option<f64>| rate.map(|rate| rate * compute);
        Self {
            memory,
            bandwidth: self.bandwidth.map(|rate| rate * bandwidth),
            flops_32: scaled(self.flops_32),
            flops_16: scaled(self.flops_16),
            flops_8: scaled(self.flops_8),
            flops_4: scaled(self.flops_4),
            ..self
        }
    }

    /// Operations per second on operands of so many bits.
    pub fn flops(&self, bits: f64) -> Option<f64> {
        if bits >= 32.0 {
            self.flops_32.or(self.flops_16)
        } else if bits >= 16.0 {
            self.flops_16
        } else if bits >= 8.0 {
            self.flops_8
        } else {
            self.flops_4
        }
    }

    /// Bytes per second among so many devices.
    pub fn link_among(&self, devices: f64) -> f64 {
        if devices > self.per_machine {
            self.network
        } else {
            self.link
        }
    }
}
