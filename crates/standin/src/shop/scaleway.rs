//! Scaleway's market: instance types with prices in euros, and their stock by zone.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

#[derive(Clone, Debug)]
pub struct ScalewayZone {
    pub code: String,
    /// The types of the zone, each with its stock: available, scarce or shortage.
    pub stock: Vec<(String, String)>,
}

#[derive(Clone, Debug)]
pub struct ScalewayShop {
    /// Rows of `products/servers` by name, the same in every zone.
    pub types: Map<String, Value>,
    pub zones: Vec<ScalewayZone>,
    /// The modification time of the list.
    pub published: Timestamp,
}

struct ScalewayType {
    name: &'static str,
    /// Empty without a GPU.
    gpu: &'static str,
    gpus: u32,
    /// GB of one GPU.
    gpu_memory: u64,
    cpus: u32,
    /// GiB.
    memory: u64,
    /// Euros an hour.
    price: f64,
}

#[rustfmt::skip]
const TYPES: &[ScalewayType] = &[
    ScalewayType { name: "H100-1-80G", gpu: "H100-PCIe", gpus: 1, gpu_memory: 80, cpus: 24, memory: 240, price: 2.8665 },
    ScalewayType { name: "H100-2-80G", gpu: "H100-PCIe", gpus: 2, gpu_memory: 80, cpus: 48, memory: 480, price: 5.73 },
    ScalewayType { name: "H100-SXM-2-80G", gpu: "H100-SXM", gpus: 2, gpu_memory: 80, cpus: 32, memory: 240, price: 6.6198 },
    ScalewayType { name: "H100-SXM-8-80G", gpu: "H100-SXM", gpus: 8, gpu_memory: 80, cpus: 128, memory: 960, price: 25.3308 },
    ScalewayType { name: "B300-SXM-8-288G", gpu: "B300-SXM", gpus: 8, gpu_memory: 288, cpus: 224, memory: 3840, price: 60.0 },
    ScalewayType { name: "L40S-1-48G", gpu: "L40S", gpus: 1, gpu_memory: 48, cpus: 8, memory: 96, price: 1.469_916 },
    ScalewayType { name: "L40S-8-48G", gpu: "L40S", gpus: 8, gpu_memory: 48, cpus: 64, memory: 768, price: 11.1994 },
    ScalewayType { name: "L4-1-24G", gpu: "L4", gpus: 1, gpu_memory: 24, cpus: 8, memory: 48, price: 0.7875 },
    ScalewayType { name: "RENDER-S", gpu: "P100", gpus: 1, gpu_memory: 16, cpus: 10, memory: 42, price: 1.221 },
    // An unknown card.
    ScalewayType { name: "X900-1-512G", gpu: "X900", gpus: 1, gpu_memory: 512, cpus: 64, memory: 512, price: 11.5 },
    // A type without a price.
    ScalewayType { name: "L4-16-24G", gpu: "L4", gpus: 16, gpu_memory: 24, cpus: 128, memory: 768, price: 0.0 },
    ScalewayType { name: "DEV1-S", gpu: "", gpus: 0, gpu_memory: 0, cpus: 2, memory: 2, price: 0.0088 },
    ScalewayType { name: "POP2-8C-32G", gpu: "", gpus: 0, gpu_memory: 0, cpus: 8, memory: 32, price: 0.29 },
    // The same machine with a Windows license, and a machine with another architecture.
    ScalewayType { name: "POP2-8C-32G-WIN", gpu: "", gpus: 0, gpu_memory: 0, cpus: 8, memory: 32, price: 0.5816 },
    ScalewayType { name: "COPARM1-2C-8G", gpu: "", gpus: 0, gpu_memory: 0, cpus: 2, memory: 8, price: 0.0426 },
];

impl ScalewayType {
    fn row(&self) -> Value {
        let info = json!({
            "gpu_manufacturer": "NVIDIA",
            "gpu_name": self.gpu,
            "gpu_memory": self.gpu_memory * 1_073_741_824,
        });
        json!({
            "alt_names": [],
            "arch": if self.name.starts_with("COPARM") { "arm64" } else { "x86_64" },
            "ncpus": self.cpus,
            "ram": self.memory * 1_073_741_824,
            "gpu": self.gpus,
            "gpu_info": if self.gpus > 0 { info } else { Value::Null },
            "mig_profile": null,
            "hourly_price": self.price,
            "monthly_price": (self.price * 730.0 * 1e4).round() / 1e4,
            "end_of_service": self.name == "RENDER-S",
            "capabilities": { "block_storage": true, "boot_types": ["local", "rescue"], "max_file_systems": 0 },
            "network": { "ipv6_support": true, "sum_internet_bandwidth": 1_000_000_000_u64, "interfaces": [] },
            "volumes_constraint": { "min_size": 0, "max_size": 0 },
            "per_volume_constraint": { "l_ssd": { "min_size": 0, "max_size": 0 } },
            "scratch_storage_max_volumes_count": 0,
            "block_bandwidth": 2_147_483_648_u64,
        })
    }
}

fn zone(code: &str, stock: &[(&str, &str)]) -> ScalewayZone {
    // Every zone has machines without a GPU.
    let plain = ["DEV1-S", "POP2-8C-32G", "POP2-8C-32G-WIN"].map(|name| (name, "available"));
    ScalewayZone {
        code: code.into(),
        stock: stock
            .iter()
            .chain(&plain)
            .map(|(name, word)| ((*name).to_owned(), (*word).to_owned()))
            .collect(),
    }
}

impl Default for ScalewayShop {
    fn default() -> Self {
        let types = TYPES.iter().map(|kind| (kind.name.to_owned(), kind.row()));
        Self {
            types: types.collect(),
            zones: vec![
                zone(
                    "fr-par-1",
                    &[("RENDER-S", "shortage"), ("COPARM1-2C-8G", "available")],
                ),
                zone(
                    "fr-par-2",
                    &[
                        ("H100-1-80G", "available"),
                        ("H100-2-80G", "scarce"),
                        ("H100-SXM-2-80G", "available"),
                        ("H100-SXM-8-80G", "shortage"),
                        ("B300-SXM-8-288G", "scarce"),
                        ("L40S-1-48G", "available"),
                        ("L40S-8-48G", "available"),
                        ("L4-1-24G", "available"),
                        ("X900-1-512G", "available"),
                        ("L4-16-24G", "available"),
                    ],
                ),
                zone("fr-par-3", &[]),
                zone("nl-ams-1", &[]),
                zone("nl-ams-2", &[]),
                zone("nl-ams-3", &[]),
                zone("pl-waw-1", &[]),
                zone(
                    "pl-waw-2",
                    &[
                        ("H100-1-80G", "shortage"),
                        ("L40S-1-48G", "scarce"),
                        ("L4-1-24G", "available"),
                    ],
                ),
                zone("pl-waw-3", &[]),
            ],
            published: Timestamp::now(),
        }
    }
}
