//! Vultr's market: plans of virtual machines, of bare metal, and regions.

use jiff::Timestamp;
use serde_json::{Value, json};

#[derive(Clone, Debug)]
pub struct VultrShop {
    /// Rows of `/v2/plans`.
    pub plans: Vec<Value>,
    /// Rows of `/v2/plans-metal`.
    pub metal: Vec<Value>,
    /// Rows of `/v2/regions`.
    pub regions: Vec<Value>,
    /// The modification time of the lists.
    pub published: Timestamp,
}

struct VultrPlan {
    id: &'static str,
    kind: &'static str,
    cpus: u32,
    /// GiB.
    memory: u64,
    price: f64,
    gpu: &'static str,
    /// GB of all GPUs together.
    gpu_memory: u64,
    places: &'static [&'static str],
}

#[rustfmt::skip]
const PLANS: &[VultrPlan] = &[
    VultrPlan { id: "vcg-l40s-16c-180g-48vram", kind: "vcg", cpus: 16, memory: 180, price: 1.5596, gpu: "NVIDIA_L40S", gpu_memory: 48, places: &["ord", "fra"] },
    VultrPlan { id: "vcg-l40s-128c-1500g-384vram", kind: "vcg", cpus: 128, memory: 1500, price: 12.4768, gpu: "NVIDIA_L40S", gpu_memory: 384, places: &["ord"] },
    // A twentieth of a GPU, and a half.
    VultrPlan { id: "vcg-a100-1c-6g-4vram", kind: "vcg", cpus: 1, memory: 6, price: 0.123, gpu: "NVIDIA_A100", gpu_memory: 4, places: &["ewr"] },
    VultrPlan { id: "vcg-a100-6c-60g-40vram", kind: "vcg", cpus: 6, memory: 60, price: 1.397, gpu: "NVIDIA_A100", gpu_memory: 40, places: &["ewr"] },
    VultrPlan { id: "vcg-a100-12c-120g-80vram", kind: "vcg", cpus: 12, memory: 120, price: 2.397, gpu: "NVIDIA_A100", gpu_memory: 80, places: &["ewr", "fra"] },
    VultrPlan { id: "vcg-a40-24c-120g-48vram", kind: "vcg", cpus: 24, memory: 120, price: 1.712, gpu: "NVIDIA_A40", gpu_memory: 48, places: &["blr", ""] },
    // Not available in any region.
    VultrPlan { id: "vcg-a40-96c-480g-192vram", kind: "vcg", cpus: 96, memory: 480, price: 6.848, gpu: "NVIDIA_A40", gpu_memory: 192, places: &[] },
    VultrPlan { id: "vcg-a16-6c-64g-16vram", kind: "vcg", cpus: 6, memory: 64, price: 0.471, gpu: "NVIDIA_A16", gpu_memory: 16, places: &["sjc", "nrt"] },
    // A whole node as a virtual machine, whose row has no card.
    VultrPlan { id: "vcg-h100-216c-1914gb-640vram", kind: "vdm", cpus: 216, memory: 1914, price: 23.92, gpu: "", gpu_memory: 0, places: &["ord"] },
    VultrPlan { id: "vcg-x900-64c-512g-512vram", kind: "vcg", cpus: 64, memory: 512, price: 9.99, gpu: "NVIDIA_X900", gpu_memory: 512, places: &["ewr"] },
    VultrPlan { id: "vc2-2c-4gb", kind: "vc2", cpus: 2, memory: 4, price: 0.03, gpu: "", gpu_memory: 0, places: &["ewr", "fra", "ord"] },
    VultrPlan { id: "vc2-1c-0.5gb-free", kind: "vc2", cpus: 1, memory: 1, price: 0.0, gpu: "", gpu_memory: 0, places: &["fra", "mia", "sea"] },
];

impl VultrPlan {
    fn row(&self) -> Value {
        let mut row = json!({
            "id": self.id,
            "vcpu_count": self.cpus,
            "ram": self.memory * 1024,
            "disk": 1400,
            "disk_count": 1,
            "bandwidth": 10240,
            "monthly_cost": monthly(self.price),
            "hourly_cost": self.price,
            "type": self.kind,
            "locations": self.places,
        });
        if !self.gpu.is_empty() {
            row["gpu_vram_gb"] = json!(self.gpu_memory);
            row["gpu_type"] = json!(self.gpu);
        }
        row
    }
}

fn monthly(price: f64) -> f64 {
    (price * 730.0).round()
}

struct VultrMetal {
    id: &'static str,
    threads: u32,
    /// GiB.
    memory: u64,
    price: f64,
    /// 0 if not sold that way.
    preemptible: f64,
    gpu: &'static str,
    count: u32,
    on_demand: bool,
    places: &'static [&'static str],
}

#[rustfmt::skip]
const METAL: &[VultrMetal] = &[
    // Preemptible only.
    VultrMetal { id: "vbm-112c-2048gb-8-h100-gpu", threads: 224, memory: 2048, price: 23.92, preemptible: 18.4, gpu: "NVIDIA_H100", count: 8, on_demand: false, places: &["sea"] },
    VultrMetal { id: "vbm-256c-2048gb-8-mi300x-gpu", threads: 512, memory: 2268, price: 17.52, preemptible: 14.72, gpu: "AMD_MI300X", count: 8, on_demand: true, places: &["ord"] },
    VultrMetal { id: "vbm-256c-3072gb-8-mi325x-gpu", threads: 512, memory: 3072, price: 36.92, preemptible: 0.0, gpu: "AMD_MI325X", count: 8, on_demand: true, places: &["ord"] },
    VultrMetal { id: "vbm-64c-2048gb-8-l40-gpu", threads: 128, memory: 2048, price: 6.784, preemptible: 0.0, gpu: "NVIDIA_L40S", count: 8, on_demand: true, places: &["fra"] },
    VultrMetal { id: "vbm-72c-480gb-gh200-gpu", threads: 72, memory: 480, price: 1.99, preemptible: 0.0, gpu: "NVIDIA_GH200", count: 1, on_demand: true, places: &["atl"] },
    VultrMetal { id: "vbm-256c-3072gb-8-b200-gpu", threads: 512, memory: 3072, price: 29.92, preemptible: 0.0, gpu: "NVIDIA_B200", count: 8, on_demand: true, places: &[] },
    VultrMetal { id: "vbm-6c-32gb", threads: 12, memory: 32, price: 0.275, preemptible: 0.0, gpu: "", count: 0, on_demand: true, places: &["ewr", "fra"] },
];

impl VultrMetal {
    fn row(&self) -> Value {
        let mut row = json!({
            "id": self.id,
            "cpu_count": 2,
            "cpu_cores": self.threads / 2,
            "cpu_threads": self.threads,
            "cpu_model": "EPYC",
            "cpu_mhz": 2400,
            "ram": self.memory * 1024,
            "disk": 960,
            "disk_count": 2,
            "bandwidth": 10240,
            "monthly_cost": monthly(self.price),
            "hourly_cost": self.price,
            "monthly_cost_preemptible": monthly(self.preemptible),
            "hourly_cost_preemptible": self.preemptible,
            "type": "SSD",
            "deploy_ondemand": self.on_demand,
            "deploy_preemptible": self.preemptible > 0.0,
            "locations": self.places,
        });
        if self.count > 0 {
            row["gpu_type"] = json!(self.gpu);
            row["gpu_count"] = json!(self.count);
        }
        row
    }
}

#[rustfmt::skip]
const REGIONS: &[(&str, &str, &str, &str)] = &[
    ("atl", "Atlanta", "US", "North America"),
    ("blr", "Bangalore", "IN", "Asia"),
    ("ewr", "New Jersey", "US", "North America"),
    ("fra", "Frankfurt", "DE", "Europe"),
    ("mia", "Miami", "US", "North America"),
    ("nrt", "Tokyo", "JP", "Asia"),
    ("ord", "Chicago", "US", "North America"),
    ("sea", "Seattle", "US", "North America"),
    ("sjc", "Silicon Valley", "US", "North America"),
];

impl Default for VultrShop {
    fn default() -> Self {
        let region = |&(id, city, country, continent): &(&str, &str, &str, &str)| {
            json!({
                "id": id,
                "city": city,
                "country": country,
                "continent": continent,
                "options": ["ddos_protection"],
            })
        };
        Self {
            plans: PLANS.iter().map(VultrPlan::row).collect(),
            metal: METAL.iter().map(VultrMetal::row).collect(),
            regions: REGIONS.iter().map(region).collect(),
            published: Timestamp::now(),
        }
    }
}
