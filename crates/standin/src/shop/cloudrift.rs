//! CloudRift's market: machines by their card.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

#[derive(Clone, Debug)]
pub struct CloudRiftShop {
    /// Rows of `instance_types`.
    pub instance_types: Vec<Value>,
    /// The modification time of the list.
    pub published: Timestamp,
}

const GIB: u64 = 1_073_741_824;

struct Variant {
    name: &'static str,
    /// Cents an hour.
    cents: f64,
    cpus: u32,
    /// GiB.
    memory: u64,
    gpus: u32,
    /// Free machines by data center.
    free: &'static [(&'static str, u32)],
}

impl Variant {
    fn row(&self, vram: u64) -> Value {
        let free: Map<String, Value> = self
            .free
            .iter()
            .map(|&(place, count)| (place.to_owned(), json!(count)))
            .collect();
        json!({
            "name": self.name,
            "cost_per_hour": self.cents,
            "cpu_count": self.cpus,
            "logical_cpu_count": self.cpus * 2,
            "dram": self.memory * GIB,
            "disk": 500 * GIB,
            "vram": vram * GIB,
            "gpu_count": self.gpus,
            "nodes_per_dc": free,
        })
    }
}

/// Name, card, GiB of the card, machines.
#[rustfmt::skip]
const TYPES: &[(&str, &str, u64, &[Variant])] = &[
    ("rtx49", "RTX 4090", 24, &[
        Variant { name: "rtx49-7c-kn.1", cents: 38.75, cpus: 7, memory: 50, gpus: 1, free: &[("ap-east-tw-kn-1", 4)] },
        Variant { name: "rtx49-7-50-500-nr.1", cents: 39.0, cpus: 7, memory: 50, gpus: 1, free: &[("us-east-nc-nr-1", 3), ("us-east-nc-nr-3", 0)] },
        Variant { name: "rtx49-14-100-1000-nr.2", cents: 78.0, cpus: 14, memory: 100, gpus: 2, free: &[("us-east-nc-nr-1", 1)] },
    ]),
    ("rtx59", "RTX 5090", 32, &[
        Variant { name: "rtx59-7-50-400-ec.1", cents: 65.0, cpus: 7, memory: 50, gpus: 1, free: &[("us-east-nc-nr-1", 2)] },
        // Not available in any data center.
        Variant { name: "rtx59-14-100-800-ec.2", cents: 130.0, cpus: 14, memory: 100, gpus: 2, free: &[] },
    ]),
    ("rtxpro6000", "RTX PRO 6000", 96, &[
        Variant { name: "rtxpro6000-16-120-1000-nr.1", cents: 129.0, cpus: 16, memory: 120, gpus: 1, free: &[("us-east-nc-nr-1", 1)] },
        // A price of zero means no price.
        Variant { name: "rtxpro6000-128-960-8000-nr.8", cents: 0.0, cpus: 128, memory: 960, gpus: 8, free: &[("us-east-nc-nr-1", 1)] },
    ]),
    ("mi350x", "MI350X", 288, &[
        Variant { name: "mi350x-30-240-2000-lo.1", cents: 299.0, cpus: 30, memory: 240, gpus: 1, free: &[("eu-west-uk-lo-1", 1)] },
    ]),
    ("x900", "X900 Quantum", 512, &[
        Variant { name: "x900-64-512-4000-nr.1", cents: 999.0, cpus: 64, memory: 512, gpus: 1, free: &[("us-east-nc-nr-1", 1)] },
    ]),
    ("epyc", "EPYC 9654", 0, &[
        Variant { name: "epyc-8-32-200-nr.0", cents: 12.0, cpus: 8, memory: 32, gpus: 0, free: &[("us-east-nc-nr-1", 9)] },
    ]),
];

impl Default for CloudRiftShop {
    fn default() -> Self {
        let row = |&(name, brand, vram, variants): &(&str, &str, u64, &[Variant])| {
            let maker = match brand {
                "MI350X" | "EPYC 9654" => "AMD",
                _ => "NVIDIA",
            };
            json!({
                "name": name,
                "brand": format!("{maker} {brand}"),
                "brand_short": brand,
                "manufacturer": maker,
                "variants": variants.iter().map(|variant| variant.row(vram)).collect::<Vec<_>>(),
            })
        };
        Self {
            instance_types: TYPES.iter().map(row).collect(),
            published: Timestamp::now(),
        }
    }
}
