//! OVHcloud's market: the add-ons of a public cloud project, in euros and dollars.

use jiff::Timestamp;
use serde_json::{Value, json};

#[derive(Clone, Debug)]
pub struct OvhCloudShop {
    /// The add-ons of the European catalog, in euros.
    pub euro: Vec<Value>,
    /// The add-ons of the catalog of the United States, in dollars, a subset.
    pub dollar: Vec<Value>,
    /// The modification time of the catalogs.
    pub published: Timestamp,
}

const EURO_SUBSIDIARIES: &[&str] = &["DE", "ES", "FI", "FR", "IE", "IT", "LT", "NL", "PT"];

impl OvhCloudShop {
    /// Returns the currency and the add-ons of a subsidiary.
    pub(crate) fn catalog(&self, subsidiary: &str) -> Option<(&'static str, &[Value])> {
        match subsidiary {
            "US" => Some(("USD", &self.dollar)),
            _ if EURO_SUBSIDIARIES.contains(&subsidiary) => Some(("EUR", &self.euro)),
            _ => None,
        }
    }
}

struct OvhCloudType {
    name: &'static str,
    gpu: &'static str,
    gpus: u32,
    cpus: u32,
    memory: u32,
    /// Euros and dollars per hour; 0 if not sold.
    price: (f64, f64),
    status: &'static str,
}

#[rustfmt::skip]
const TYPES: &[OvhCloudType] = &[
    OvhCloudType { name: "h100-380", gpu: "H100", gpus: 1, cpus: 30, memory: 380, price: (2.8, 0.0), status: "active" },
    OvhCloudType { name: "h100-760", gpu: "H100", gpus: 2, cpus: 60, memory: 760, price: (5.6, 0.0), status: "active" },
    OvhCloudType { name: "h100-1520", gpu: "H100", gpus: 4, cpus: 120, memory: 1520, price: (11.2, 0.0), status: "active" },
    OvhCloudType { name: "h200-1920", gpu: "H200", gpus: 8, cpus: 224, memory: 1920, price: (42.0, 0.0), status: "active" },
    OvhCloudType { name: "a100-180", gpu: "A100", gpus: 1, cpus: 15, memory: 180, price: (2.75, 0.0), status: "active" },
    OvhCloudType { name: "l40s-90", gpu: "L40S", gpus: 1, cpus: 15, memory: 90, price: (1.4, 1.8), status: "active" },
    OvhCloudType { name: "l4-90", gpu: "L4", gpus: 1, cpus: 22, memory: 90, price: (0.75, 1.0), status: "active" },
    OvhCloudType { name: "a10-45", gpu: "A10", gpus: 1, cpus: 30, memory: 45, price: (0.76, 0.0), status: "active" },
    OvhCloudType { name: "t1-45", gpu: "Tesla V100", gpus: 1, cpus: 8, memory: 45, price: (1.65, 1.97), status: "active" },
    OvhCloudType { name: "t2-le-45", gpu: "Tesla V100S", gpus: 1, cpus: 15, memory: 45, price: (0.8, 0.88), status: "active" },
    // A Turing card, despite its name.
    OvhCloudType { name: "rtx5000-28", gpu: "Quadro-RTX5000", gpus: 1, cpus: 4, memory: 28, price: (0.36, 0.0), status: "active" },
    // Not for sale yet, and an unknown card.
    OvhCloudType { name: "b300-3840", gpu: "B300", gpus: 8, cpus: 224, memory: 3840, price: (60.0, 0.0), status: "coming_soon" },
    OvhCloudType { name: "x900-512", gpu: "X900", gpus: 1, cpus: 64, memory: 512, price: (9.5, 11.5), status: "active" },
    OvhCloudType { name: "b3-8", gpu: "", gpus: 0, cpus: 2, memory: 8, price: (0.0508, 0.0511), status: "active" },
];

fn addon(code: &str, price: f64, interval: &str, blobs: &Value) -> Value {
    let micro = (price * 1e8).round() as u64;
    json!({
        "planCode": code,
        "invoiceName": code,
        "product": format!("publiccloud-instance-{code}"),
        "pricingType": "consumption",
        "pricings": [{
            "phase": 0,
            "capacities": ["consumption"],
            "commitment": 0,
            "description": "Consumption",
            "interval": 1,
            "intervalUnit": interval,
            "mode": "default",
            "mustBeCompleted": false,
            "price": micro,
            "tax": 0,
            "type": "consumption",
        }],
        "blobs": blobs,
    })
}

impl OvhCloudType {
    /// Returns the catalog entries of a machine: hourly, monthly, and with Windows.
    fn addons(&self, price: f64, interval: &str) -> Vec<Value> {
        let blobs = |os: &str| {
            let mut blobs = json!({
                "commercial": { "brick": if self.gpus > 0 { "gpu" } else { "general-purpose" }, "name": self.name },
                "technical": {
                    "name": self.name,
                    "cpu": { "cores": self.cpus, "type": "vCore" },
                    "memory": { "size": self.memory, "unit": "GB" },
                    "os": { "family": os },
                },
                "tags": [self.status],
            });
            if self.gpus > 0 {
                blobs["technical"]["gpu"] =
                    json!({ "model": self.gpu, "number": self.gpus, "brand": "NVIDIA" });
            }
            blobs
        };
        let name = self.name;
        vec![
            addon(
                &format!("{name}.consumption"),
                price,
                interval,
                &blobs("linux"),
            ),
            addon(
                &format!("{name}.monthly.postpaid"),
                price * 365.0,
                "month",
                &blobs("linux"),
            ),
            addon(
                &format!("win-{name}.consumption"),
                price * 1.3,
                interval,
                &blobs("windows"),
            ),
        ]
    }
}

/// Returns a card of the notebook and training services, with a price per minute.
fn by_the_minute() -> Value {
    let blobs = json!({
        "commercial": { "brick": "gpu", "name": "ai-training" },
        "technical": { "name": "ai1-1-H100", "gpu": { "model": "H100", "number": 1, "brand": "NVIDIA" } },
        "tags": ["active"],
    });
    addon(
        "ai-training-gpu-h100.minute.consumption",
        0.0465,
        "minute",
        &blobs,
    )
}

impl Default for OvhCloudShop {
    fn default() -> Self {
        let all = |price: fn(&OvhCloudType) -> f64, interval: &str| {
            let mut addons: Vec<Value> = TYPES
                .iter()
                .filter(|kind| price(kind) > 0.0)
                .flat_map(|kind| kind.addons(price(kind), interval))
                .collect();
            addons.push(by_the_minute());
            addons
        };
        Self {
            euro: all(|kind| kind.price.0, "hour"),
            // The dollar catalog has the interval `none` everywhere.
            dollar: all(|kind| kind.price.1, "none"),
            published: Timestamp::now(),
        }
    }
}
