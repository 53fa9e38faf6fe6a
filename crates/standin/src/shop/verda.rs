//! Verda's market: instance types, locations and availability.

use serde_json::{Value, json};

/// The available types of a location, on-demand or spot.
#[derive(Clone, Debug)]
pub struct VerdaStock {
    pub location: String,
    pub spot: bool,
    pub types: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct VerdaShop {
    /// Rows of `/instance-types`, in dollars.
    pub types: Vec<Value>,
    pub locations: Vec<Value>,
    pub periods: Vec<Value>,
    pub stock: Vec<VerdaStock>,
    /// The stated lifetime of a token, in seconds.
    pub expires_in: u64,
}

struct VerdaType {
    name: &'static str,
    model: &'static str,
    /// The text after "1x " in the GPU's description.
    gpu: &'static str,
    count: u32,
    /// GB of all GPUs together.
    memory: u32,
    cores: u32,
    ram: u32,
    price: f64,
    spot: Option<f64>,
}

#[rustfmt::skip]
const TYPES: &[VerdaType] = &[
    VerdaType { name: "1H100.80S.30V", model: "H100", gpu: "H100 SXM5 80GB", count: 1, memory: 80, cores: 30, ram: 120, price: 2.29, spot: Some(0.802) },
    VerdaType { name: "2H100.80S.80V", model: "H100", gpu: "H100 SXM5 80GB", count: 2, memory: 160, cores: 80, ram: 370, price: 4.58, spot: Some(1.603) },
    VerdaType { name: "8H100.80S.176V", model: "H100", gpu: "H100 SXM5 80GB", count: 8, memory: 640, cores: 176, ram: 1480, price: 18.32, spot: Some(6.412) },
    VerdaType { name: "8H200.141S.176V", model: "H200", gpu: "H200 SXM5 141GB", count: 8, memory: 1128, cores: 176, ram: 1450, price: 23.92, spot: Some(8.372) },
    VerdaType { name: "1A100.22V", model: "A100 80GB", gpu: "A100 SXM4 80GB", count: 1, memory: 80, cores: 22, ram: 120, price: 1.29, spot: Some(0.4515) },
    VerdaType { name: "8A100.176V", model: "A100 80GB", gpu: "A100 SXM4 80GB", count: 8, memory: 640, cores: 176, ram: 960, price: 10.32, spot: Some(3.612) },
    VerdaType { name: "1A100.40S.22V", model: "A100 40GB", gpu: "A100 SXM4 40GB", count: 1, memory: 40, cores: 22, ram: 120, price: 0.72, spot: Some(0.252) },
    VerdaType { name: "1L40S.20V", model: "L40S", gpu: "L40S 48GB", count: 1, memory: 48, cores: 20, ram: 60, price: 0.91, spot: Some(0.3185) },
    VerdaType { name: "1RTXPRO6000.30V", model: "RTX PRO 6000", gpu: "RTX PRO 6000 96GB", count: 1, memory: 96, cores: 30, ram: 90, price: 1.39, spot: Some(0.4865) },
    VerdaType { name: "1RTXPRO6000.30V.CC", model: "RTX PRO 6000", gpu: "RTX PRO 6000 96GB", count: 1, memory: 96, cores: 30, ram: 90, price: 1.53, spot: Some(0.5355) },
    VerdaType { name: "1B200.30V", model: "B200", gpu: "B200 SXM6 180GB", count: 1, memory: 180, cores: 30, ram: 184, price: 3.99, spot: Some(1.3965) },
    VerdaType { name: "1V100.6V", model: "Tesla V100", gpu: "Tesla V100 16GB", count: 1, memory: 16, cores: 6, ram: 23, price: 0.14, spot: None },
    // No size in its description.
    VerdaType { name: "1AMD7900XTX.10V", model: "AMD 7900XTX", gpu: "AMD 7900XTX", count: 1, memory: 24, cores: 10, ram: 40, price: 0.45, spot: Some(0.15) },
    VerdaType { name: "1X900.64V", model: "X900", gpu: "X900 Quantum 512GB", count: 1, memory: 512, cores: 64, ram: 512, price: 9.99, spot: Some(4.5) },
    VerdaType { name: "CPU.4V.16G", model: "CPU Node", gpu: "", count: 0, memory: 0, cores: 4, ram: 16, price: 0.0279, spot: Some(0.0098) },
];

fn row(kind: &VerdaType, index: usize) -> Value {
    let gpu = match kind.count {
        0 => String::new(),
        count => format!("{count}x {}", kind.gpu),
    };
    json!({
        "id": format!("{index:08x}-c9b7-49d8-8f1e-0123456789ab"),
        "instance_type": kind.name,
        "model": kind.model,
        "name": kind.gpu,
        "display_name": null,
        "manufacturer": if kind.count == 0 || kind.model.starts_with("AMD") { "AMD" } else { "NVIDIA" },
        "description": "Dedicated Hardware Instance",
        "best_for": ["Large model inference"],
        "supported_os": ["ubuntu-24.04-cuda-12.8-open-docker"],
        "deploy_warning": null,
        "p2p": if kind.count > 1 { json!("300 GB/s") } else { Value::Null },
        "currency": "usd",
        "cpu": { "description": format!("{} CPU", kind.cores), "number_of_cores": kind.cores },
        "gpu": { "description": gpu, "number_of_gpus": kind.count },
        "memory": { "description": format!("{}GB RAM", kind.ram), "size_in_gigabytes": kind.ram },
        "gpu_memory": { "description": format!("{}GB GPU RAM", kind.memory), "size_in_gigabytes": kind.memory },
        "storage": { "description": "dynamic" },
        "price_per_hour": kind.price.to_string(),
        "spot_price": kind.spot.map(|price| price.to_string()),
        "dynamic_price": kind.price.to_string(),
        "max_dynamic_price": (kind.price * 1.5).to_string(),
        "serverless_price": null,
        "serverless_spot_price": null,
    })
}

fn stock(location: &str, spot: bool, types: &[&str]) -> VerdaStock {
    VerdaStock {
        location: location.into(),
        spot,
        types: types.iter().copied().map(Into::into).collect(),
    }
}

impl Default for VerdaShop {
    fn default() -> Self {
        let mut types: Vec<Value> = TYPES
            .iter()
            .enumerate()
            .map(|(index, kind)| row(kind, index))
            .collect();
        // Most prices are strings.
        for row in &mut types {
            if row["instance_type"] == "1L40S.20V" {
                row["price_per_hour"] = json!(0.91);
                row["spot_price"] = json!(0.3185);
            }
        }
        let location = |code: &str, name: &str, country: &str| json!({ "code": code, "name": name, "country_code": country });
        let period = |months: u32, discount: f64, enabled: bool| {
            json!({
                "code": format!("{months}_MONTHS"),
                "name": format!("{months} months"),
                "is_enabled": enabled,
                "unit_name": "month",
                "unit_value": months,
                "discount_percentage": discount,
            })
        };
        Self {
            types,
            locations: vec![
                location("FIN-01", "Finland 1", "FI"),
                location("FIN-02", "Finland 2", "FI"),
                location("FIN-03", "Finland 3", "FI"),
                location("ICE-01", "Iceland 1", "IS"),
            ],
            periods: vec![
                period(1, 2.0, true),
                period(3, 6.0, true),
                period(6, 10.0, true),
                period(12, 14.0, true),
                period(24, 18.0, false),
            ],
            // B200 is not available; 2H100 only as spot.
            stock: vec![
                stock(
                    "FIN-01",
                    false,
                    &[
                        "1H100.80S.30V",
                        "8H100.80S.176V",
                        "1A100.22V",
                        "1V100.6V",
                        "CPU.4V.16G",
                    ],
                ),
                stock("FIN-01", true, &["1H100.80S.30V", "2H100.80S.80V"]),
                stock(
                    "FIN-02",
                    false,
                    &[
                        "8A100.176V",
                        "1L40S.20V",
                        "1RTXPRO6000.30V.CC",
                        "1A100.40S.22V",
                    ],
                ),
                stock("FIN-02", true, &["8A100.176V", "1L40S.20V"]),
                stock(
                    "FIN-03",
                    false,
                    &["8H200.141S.176V", "1RTXPRO6000.30V", "CPU.4V.16G"],
                ),
                stock("FIN-03", true, &["8H200.141S.176V", "1X900.64V"]),
                stock(
                    "ICE-01",
                    false,
                    &["1H100.80S.30V", "1X900.64V", "1AMD7900XTX.10V"],
                ),
                stock("ICE-01", true, &[]),
            ],
            expires_in: 600,
        }
    }
}
