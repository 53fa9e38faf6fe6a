//! The market of Akamai's cloud, formerly Linode.

use jiff::Timestamp;
use serde_json::{Value, json};

#[derive(Clone, Debug)]
pub struct LinodeShop {
    /// Rows of `/linode/types`.
    pub types: Vec<Value>,
    /// Rows of `/regions`.
    pub regions: Vec<Value>,
    /// The available types: pairs of a type id and a region id.
    pub stock: Vec<(String, String)>,
    /// The modification time of the lists.
    pub published: Timestamp,
}

struct LinodeType {
    id: &'static str,
    label: &'static str,
    gpus: u32,
    vcpus: u32,
    /// GiB.
    memory: u32,
    price: f64,
    /// The prices in Jakarta and Sao Paulo if they differ, otherwise 0.
    dearer: (f64, f64),
    places: &'static [&'static str],
}

#[rustfmt::skip]
const TYPES: &[LinodeType] = &[
    LinodeType { id: "g1-gpu-rtx6000-1", label: "Dedicated 32GB + RTX6000 GPU x1", gpus: 1, vcpus: 8, memory: 32, price: 1.5, dearer: (0.0, 0.0), places: &["us-ord"] },
    LinodeType { id: "g1-gpu-rtx6000-4", label: "Dedicated 128GB + RTX6000 GPU x4", gpus: 4, vcpus: 24, memory: 128, price: 6.0, dearer: (0.0, 0.0), places: &[] },
    LinodeType { id: "g2-gpu-rtx4000a1-s", label: "RTX4000 Ada x1 Small", gpus: 1, vcpus: 4, memory: 16, price: 0.52, dearer: (0.62, 0.73), places: &["de-fra-2", "us-ord", "us-sea"] },
    LinodeType { id: "g2-gpu-rtx4000a1-xl", label: "RTX4000 Ada x1 X-Large", gpus: 1, vcpus: 32, memory: 128, price: 1.53, dearer: (1.84, 2.14), places: &["us-ord"] },
    LinodeType { id: "g2-gpu-rtx4000a2-s", label: "RTX4000 Ada x2 Small", gpus: 2, vcpus: 8, memory: 32, price: 1.05, dearer: (1.26, 1.47), places: &["fr-par", "us-ord"] },
    LinodeType { id: "g2-gpu-rtx4000a4-m", label: "RTX4000 Ada x4 Medium", gpus: 4, vcpus: 48, memory: 196, price: 3.57, dearer: (4.28, 5.0), places: &["us-ord"] },
    LinodeType { id: "g3-gpu-rtxpro6000-blackwell-1", label: "RTX PRO 6000 Blackwell x1", gpus: 1, vcpus: 16, memory: 176, price: 2.5, dearer: (0.0, 0.0), places: &["us-ord", "de-fra-2"] },
    LinodeType { id: "g3-gpu-rtxpro6000-blackwell-2", label: "RTX PRO 6000 Blackwell x2", gpus: 2, vcpus: 32, memory: 352, price: 5.0, dearer: (0.0, 0.0), places: &["us-ord"] },
    // An unknown card, and a card without a price.
    LinodeType { id: "g9-gpu-x900-1", label: "X900 x1", gpus: 1, vcpus: 64, memory: 512, price: 9.99, dearer: (0.0, 0.0), places: &["us-ord"] },
    LinodeType { id: "g3-gpu-rtxpro6000-blackwell-8", label: "RTX PRO 6000 Blackwell x8", gpus: 8, vcpus: 128, memory: 1408, price: 0.0, dearer: (0.0, 0.0), places: &["us-ord"] },
    LinodeType { id: "g6-nanode-1", label: "Nanode 1GB", gpus: 0, vcpus: 1, memory: 1, price: 0.0075, dearer: (0.009, 0.0105), places: &["de-fra-2", "fr-par", "id-cgk", "br-gru", "us-ord", "us-sea"] },
    // An accelerator other than a GPU.
    LinodeType { id: "g1-accelerated-netint-vpu-t1u1-s", label: "NETINT Quadra T1U x1 Small", gpus: 0, vcpus: 8, memory: 16, price: 0.42, dearer: (0.0, 0.0), places: &["us-ord"] },
];

impl LinodeType {
    fn row(&self) -> Value {
        let monthly = |price: f64| (price * 672.0).round();
        let (jakarta, sao_paulo) = self.dearer;
        let regional: Vec<Value> = [("id-cgk", jakarta), ("br-gru", sao_paulo)]
            .into_iter()
            .filter(|(_, price)| *price > 0.0)
            .map(|(id, price)| json!({ "id": id, "hourly": price, "monthly": monthly(price) }))
            .collect();
        let class = match self.id {
            id if id.contains("-gpu-") => "gpu",
            id if id.contains("-accelerated-") => "accelerated",
            _ => "nanode",
        };
        json!({
            "id": self.id,
            "label": self.label,
            "class": class,
            "gpus": self.gpus,
            "accelerated_devices": u32::from(class == "accelerated"),
            "vcpus": self.vcpus,
            "memory": self.memory * 1024,
            "disk": 524_288,
            "transfer": 0,
            "network_out": 10_000,
            "successor": null,
            "price": { "hourly": self.price, "monthly": monthly(self.price) },
            "region_prices": regional,
            "addons": { "backups": { "price": { "hourly": null, "monthly": null }, "region_prices": [] } },
        })
    }
}

fn region(id: &str, label: &str, country: &str) -> Value {
    json!({
        "id": id,
        "label": label,
        "country": country,
        "capabilities": ["Linodes", "GPU Linodes", "VPCs"],
        "status": "ok",
        "site_type": "core",
        "resolvers": { "ipv4": "192.0.2.1", "ipv6": "2001:db8::1" },
        "placement_group_limits": { "maximum_pgs_per_customer": 100, "maximum_linodes_per_pg": 5 },
    })
}

impl Default for LinodeShop {
    fn default() -> Self {
        let stock = TYPES.iter().flat_map(|kind| {
            let pair = |place: &&str| (kind.id.to_owned(), (*place).to_owned());
            kind.places.iter().map(pair)
        });
        Self {
            types: TYPES.iter().map(LinodeType::row).collect(),
            regions: vec![
                region("br-gru", "Sao Paulo, BR", "br"),
                region("de-fra-2", "Frankfurt 2, DE", "de"),
                region("fr-par", "Paris, FR", "fr"),
                region("id-cgk", "Jakarta, ID", "id"),
                region("us-ord", "Chicago, IL", "us"),
                region("us-sea", "Seattle, WA", "us"),
            ],
            stock: stock.collect(),
            published: Timestamp::now(),
        }
    }
}
