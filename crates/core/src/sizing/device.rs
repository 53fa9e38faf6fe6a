//! The figures of an accelerator that decide how fast a model runs on it, and whether it fits.

use super::memory::GIB;
use super::words::Engine;
use crate::catalog::{AcceleratorId, Catalog};

/// One device, with the efficiencies that were measured on its kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Device {
    /// Bytes that its driver reports, or about as many where that is not known.
    pub memory: Option<f64>,
    /// Bytes per second.
    pub bandwidth: Option<f64>,
    /// Dense operations per second on 32-bit operands.
    pub flops_32: Option<f64>,
    /// Dense operations per second on 16-bit operands.
    pub flops_16: Option<f64>,
    /// On 8-bit operands; those on 16 bits where no rate on 8 is known.
    pub flops_8: Option<f64>,
    /// On 4-bit operands; those on 8 bits where no rate on 4 is known.
    pub flops_4: Option<f64>,
    /// Bytes per second to others in the machine, in one direction.
    pub link: f64,
    /// Bytes per second to the host, in one direction.
    pub host_link: f64,
    /// Devices of the largest machine, or of a domain with one fabric.
    pub per_machine: f64,
    /// The share of the operations that training reaches, between 0 and 1.
    pub train_efficiency: f64,
    /// The share of the operations that reading prompts reaches.
    pub prefill_efficiency: f64,
    /// The share of the bandwidth that generating reaches.
    pub decode_efficiency: f64,
    /// Seconds that one layer costs besides, while tokens are generated.
    pub launch: f64,
    /// Bytes per second of one device to another machine, in one direction.
    pub network: f64,
}

impl Device {
    /// An accelerator with an engine on it, with the coefficients of its architecture, class and
    /// memory where there are such, else with the general ones.
    pub fn of(catalog: &Catalog<'_>, id: AcceleratorId, engine: Engine) -> Self {
        let accelerator = catalog.accelerator(id);
        let architecture = catalog.str(accelerator.architecture);
        let stacked = catalog.str(accelerator.memory_type).starts_with("HBM");
        let known = |name: &str, scope: &str| catalog.coefficient(name, scope).unwrap_or_default();
        let engine_scope = match (engine, stacked) {
            (Engine::LlamaCpp, true) => "llama.cpp on HBM",
            (engine, _) => engine.word(),
        };
        let consumer = catalog.str(accelerator.class) == "consumer";
        let prefill_scope = match engine {
            Engine::LlamaCpp if consumer => "llama.cpp on consumer cards".to_owned(),
            Engine::LlamaCpp => format!("llama.cpp on {architecture}"),
            _ => architecture.to_owned(),
        };
        // Machines that are made for it have fast networks too.
        let joined = accelerator
            .interconnect_gb_s
            .is_some_and(|both| both >= known("fabric-interconnect-gb-s", ""));
        let fabric = if joined { "fabric" } else { "" };
        let tera = |rate: Option<f64>| rate.map(|rate| rate * 1e12);
        let giga = |rate: f64| rate * 1e9;
        let flops_16 = tera(accelerator.headline_tflops());
        // Where a format is not computed in, its weights are unpacked.
        let flops_8 = tera(accelerator.fp8_tflops).or(flops_16);
        Self {
            memory: accelerator
                .memory_mib
                .map(|mib| mib * GIB / 1024.0)
                .or(accelerator
                    .memory_gb
                    .map(|gb| gb * GIB * known("reported-memory-share", ""))),
            bandwidth: accelerator.memory_bandwidth_gb_s.map(giga),
            flops_32: tera(accelerator.tf32_tflops.or(accelerator.fp32_tflops)),
            flops_16,
            flops_8,
            flops_4: tera(accelerator.fp4_tflops).or(flops_8),
            link: accelerator
                .interconnect_gb_s
                .map_or(giga(known("pcie-gb-s", "")), |both| giga(both) / 2.0),
            host_link: giga(known("pcie-gb-s", "")),
            per_machine: accelerator.max_per_node.unwrap_or(8.0).max(1.0),
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
