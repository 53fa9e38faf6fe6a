//! Lium's market: nodes with free GPUs.

use jiff::Timestamp;
use serde_json::{Value, json};

#[derive(Clone, Debug)]
pub struct LiumShop {
    /// Rows of `nodes`.
    pub nodes: Vec<Value>,
    pub generated_at: Timestamp,
}

struct Node {
    id: &'static str,
    gpu: &'static str,
    gpu_memory: u32,
    /// The number of GPUs of the node, of free GPUs, and the minimum rental.
    gpus: (u32, u32, u32),
    cpus: u32,
    memory: u32,
    /// Dollars per GPU and hour.
    price: f64,
    tier: &'static str,
    country: &'static str,
}

#[rustfmt::skip]
const NODES: &[Node] = &[
    Node { id: "0c1b6f4e-h100", gpu: "H100 SXM", gpu_memory: 80, gpus: (8, 8, 8), cpus: 192, memory: 1007, price: 1.75, tier: "secure", country: "US" },
    Node { id: "1d4a2b90-h100", gpu: "H100 PCIe", gpu_memory: 80, gpus: (4, 3, 1), cpus: 80, memory: 504, price: 2.24, tier: "community", country: "US" },
    Node { id: "2f83c7a1-h200", gpu: "H200", gpu_memory: 141, gpus: (8, 4, 1), cpus: 192, memory: 1536, price: 2.05, tier: "secure", country: "PT" },
    Node { id: "3a9e51d2-b200", gpu: "B200", gpu_memory: 180, gpus: (8, 8, 8), cpus: 288, memory: 2262, price: 6.5, tier: "secure", country: "US" },
    Node { id: "4be07c63-b300", gpu: "B300", gpu_memory: 275, gpus: (8, 1, 1), cpus: 224, memory: 1890, price: 8.0003, tier: "secure", country: "FI" },
    Node { id: "5c6d8e94-l40s", gpu: "L40S", gpu_memory: 48, gpus: (4, 4, 2), cpus: 46, memory: 283, price: 0.38, tier: "community", country: "US" },
    Node { id: "6d5f9a05-4090", gpu: "RTX 4090", gpu_memory: 24, gpus: (2, 2, 1), cpus: 32, memory: 94, price: 0.28, tier: "community", country: "UA" },
    Node { id: "7e4a0b16-pro6", gpu: "RTX PRO 6000 Blackwell Server Edition", gpu_memory: 96, gpus: (8, 6, 1), cpus: 128, memory: 1511, price: 1.29, tier: "secure", country: "US" },
    // A fully rented node.
    Node { id: "8f3b1c27-h100", gpu: "H100 SXM", gpu_memory: 80, gpus: (8, 0, 1), cpus: 192, memory: 1007, price: 1.6, tier: "secure", country: "CA" },
    // Fewer free GPUs than the minimum rental.
    Node { id: "902c2d38-a100", gpu: "A100", gpu_memory: 80, gpus: (8, 2, 4), cpus: 128, memory: 1000, price: 0.9, tier: "community", country: "FR" },
    Node { id: "a11d3e49-x900", gpu: "X900 Quantum", gpu_memory: 512, gpus: (8, 8, 1), cpus: 192, memory: 2048, price: 9.99, tier: "secure", country: "US" },
    // A price of zero means no price.
    Node { id: "b20e4f5a-3090", gpu: "RTX 3090", gpu_memory: 24, gpus: (8, 8, 1), cpus: 80, memory: 189, price: 0.0, tier: "community", country: "JP" },
];

impl Node {
    fn row(&self) -> Value {
        let (count, free, least) = self.gpus;
        let node_price = (self.price * f64::from(count) * 1e6).round() / 1e6;
        json!({
            "id": self.id,
            "gpu_model": self.gpu,
            "gpu_count": count,
            "available_gpu_count": free,
            "min_rentable_gpu_count": least,
            "gpu_memory_gb": self.gpu_memory,
            "cpu_count": self.cpus,
            "ram_gb": self.memory,
            "disk_free_gb": 1800,
            "price_per_gpu_hour": self.price,
            "price_per_node_hour": node_price,
            "tier": self.tier,
            "country_code": self.country,
            "region": null,
            "rent_url": format!("https://lium.io/nodes/{}", self.id),
        })
    }
}

impl Default for LiumShop {
    fn default() -> Self {
        let mut nodes: Vec<Value> = NODES.iter().map(Node::row).collect();
        // The API guarantees the id and the link only.
        nodes.push(json!({
            "id": "c31f506b-none",
            "gpu_model": null,
            "gpu_count": null,
            "available_gpu_count": null,
            "min_rentable_gpu_count": null,
            "gpu_memory_gb": null,
            "cpu_count": null,
            "ram_gb": null,
            "disk_free_gb": null,
            "price_per_gpu_hour": null,
            "price_per_node_hour": null,
            "tier": null,
            "country_code": null,
            "region": null,
            "rent_url": "https://lium.io/nodes/c31f506b-none",
        }));
        Self {
            nodes,
            generated_at: Timestamp::now(),
        }
    }
}
