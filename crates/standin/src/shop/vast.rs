//! Vast.ai's market: offers as the API returns them.

use std::sync::LazyLock;

use serde_json::{Value, json};

#[derive(Clone, Debug)]
pub struct VastShop {
    /// Whether searches without a key are allowed.
    pub anonymous_reads: bool,
    /// Offers with the API's field names. Each search fills in the fields that depend on it.
    pub offers: Vec<Value>,
    /// The maximum number of rows, regardless of `limit`. Some accounts get 64 rows, others 512.
    pub row_cap: Option<usize>,
    /// The value of `truncated` in a response.
    pub truncated: TruncatedField,
}

/// The field `truncated` of a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TruncatedField {
    /// The field is missing.
    #[default]
    Absent,
    /// The field is always `false`, as in observed truncated responses.
    AlwaysFalse,
    /// The field is `true` if rows are missing.
    Honest,
}

/// The fields that differ between offers. The other fields follow from them.
struct VastOffer {
    id: u64,
    machine: u64,
    gpu: &'static str,
    /// MB per GPU.
    ram: u64,
    count: u64,
    /// The number of GPUs of the whole machine.
    of: u64,
    /// Dollars per GPU and hour.
    price: f64,
    place: &'static str,
    datacenter: bool,
    verified: bool,
}

fn round(value: f64) -> f64 {
    (value * 1_000_000.0).round() / 1_000_000.0
}

/// The fields that are the same in every row.
static COMMON: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("vast_row.json")).expect("the common part of an offer")
});

fn offer(offer: &VastOffer) -> Value {
    let VastOffer {
        id,
        machine,
        gpu,
        ram,
        count,
        of,
        ..
    } = *offer;
    let share = count as f64 / of as f64;
    let base = round(offer.price * count as f64);
    let cores = of * 16;
    let nvlink = if gpu.contains("SXM") { 450.0 } else { 0.0 };
    let amd = gpu.starts_with("RX") || gpu.starts_with("Instinct");
    let mut row = COMMON.clone();
    let details = json!({
        "ask_contract_id": id,
        "bundle_id": 900_000_000 + machine,
        "bw_nvlink": nvlink,
        "compute_cap": if amd { Value::Null } else { json!(890) },
        "cpu_cores": cores,
        "cpu_cores_effective": round(cores as f64 * share),
        "cpu_ram": of * 64_000,
        "cuda_max_good": if amd { Value::Null } else { json!(12.8) },
        "direct_port_count": 100 * count,
        "disk_space": round(3200.0 * share),
        "dlperf": round(90.5 * count as f64),
        "duration": 2_592_000.0 + id as f64,
        "geolocation": offer.place,
        "gpu_arch": if amd { "amd" } else { "nvidia" },
        "gpu_frac": round(share),
        "gpu_name": gpu,
        "gpu_ram": ram,
        "gpu_total_ram": ram * count,
        "gpu_ids": (0..count).collect::<Vec<_>>(),
        "host_id": 40_000 + machine % 97,
        "hosting_type": u8::from(offer.datacenter),
        "id": id,
        "machine_id": machine,
        "num_gpus": count,
        "public_ipaddr": format!("192.0.2.{}", machine % 250 + 1),
        "score": round(1000.0 * share / (offer.price + 0.01)),
        "static_ip": offer.datacenter,
        "total_flops": round(82.6 * count as f64),
        "verification": if offer.verified { "verified" } else { "unverified" },
        "vericode": u8::from(offer.verified),
    });
    for (name, value) in details.as_object().into_iter().flatten() {
        row[name] = value.clone();
    }
    row["dph_base"] = json!(base);
    row["min_bid"] = json!(round(base * 0.6));
    row
}

const H100: &str = "H100 SXM";
const A100: &str = "A100 SXM4";
const R4090: &str = "RTX 4090";

#[rustfmt::skip]
const OFFERS: &[VastOffer] = &[
    // A whole machine and parts of it: renting one takes the others.
    VastOffer { id: 1001, machine: 11, gpu: H100, ram: 81559, count: 8, of: 8, price: 2.10, place: "Iceland, IS", datacenter: true, verified: true },
    VastOffer { id: 1002, machine: 11, gpu: H100, ram: 81559, count: 4, of: 8, price: 2.10, place: "Iceland, IS", datacenter: true, verified: true },
    VastOffer { id: 1003, machine: 11, gpu: H100, ram: 81559, count: 2, of: 8, price: 2.12, place: "Iceland, IS", datacenter: true, verified: true },
    VastOffer { id: 1004, machine: 11, gpu: H100, ram: 81559, count: 1, of: 8, price: 2.15, place: "Iceland, IS", datacenter: true, verified: true },
    VastOffer { id: 1005, machine: 12, gpu: H100, ram: 81559, count: 8, of: 8, price: 1.87, place: "Texas, US", datacenter: true, verified: true },
    // The same name with 40 and 80 GB.
    VastOffer { id: 1010, machine: 21, gpu: A100, ram: 40960, count: 8, of: 8, price: 0.70, place: "Quebec, CA", datacenter: true, verified: true },
    VastOffer { id: 1011, machine: 22, gpu: A100, ram: 81920, count: 8, of: 8, price: 1.05, place: "Virginia, US", datacenter: true, verified: true },
    VastOffer { id: 1012, machine: 22, gpu: A100, ram: 81920, count: 1, of: 8, price: 1.08, place: "Virginia, US", datacenter: true, verified: true },
    VastOffer { id: 1020, machine: 31, gpu: "H200", ram: 143_771, count: 8, of: 8, price: 2.60, place: "Tokyo, JP", datacenter: true, verified: true },
    VastOffer { id: 1021, machine: 32, gpu: "L40S", ram: 46068, count: 2, of: 4, price: 0.60, place: "Norway, NO", datacenter: true, verified: true },
    VastOffer { id: 1022, machine: 33, gpu: "H100 PCIE", ram: 81559, count: 1, of: 1, price: 1.70, place: "Ohio, US", datacenter: false, verified: true },
    VastOffer { id: 1023, machine: 34, gpu: "H100 NVL", ram: 95830, count: 2, of: 2, price: 1.80, place: "Sweden, SE", datacenter: true, verified: true },
    VastOffer { id: 1024, machine: 35, gpu: "RX 7900 XTX", ram: 24560, count: 1, of: 1, price: 0.30, place: "Germany, DE", datacenter: false, verified: true },
    // The following rows get odd values below.
    VastOffer { id: 1040, machine: 50, gpu: R4090, ram: 24564, count: 1, of: 4, price: 0.29, place: "Oregon, US", datacenter: false, verified: true },
    VastOffer { id: 1041, machine: 51, gpu: R4090, ram: 24564, count: 2, of: 8, price: 0.31, place: "Oregon, US", datacenter: false, verified: true },
    VastOffer { id: 1042, machine: 52, gpu: R4090, ram: 24564, count: 1, of: 3, price: 0.32, place: "Poland, PL", datacenter: false, verified: true },
    VastOffer { id: 1043, machine: 53, gpu: R4090, ram: 24564, count: 1, of: 1, price: 0.28, place: "Poland, PL", datacenter: false, verified: true },
    VastOffer { id: 1044, machine: 54, gpu: R4090, ram: 24564, count: 1, of: 1, price: 0.27, place: "Poland, PL", datacenter: false, verified: true },
    VastOffer { id: 1045, machine: 55, gpu: R4090, ram: 24564, count: 4, of: 4, price: 0.20, place: "Vietnam, VN", datacenter: false, verified: false },
    VastOffer { id: 1046, machine: 56, gpu: R4090, ram: 24564, count: 1, of: 1, price: 0.10, place: "Spain, ES", datacenter: false, verified: true },
    VastOffer { id: 1047, machine: 57, gpu: R4090, ram: 24564, count: 1, of: 1, price: 0.0, place: "Spain, ES", datacenter: false, verified: true },
    VastOffer { id: 1048, machine: 58, gpu: R4090, ram: 24564, count: 1, of: 1, price: 0.33, place: "France, FR", datacenter: false, verified: true },
    VastOffer { id: 1049, machine: 59, gpu: R4090, ram: 24564, count: 1, of: 1, price: 0.25, place: "France, FR", datacenter: false, verified: true },
    VastOffer { id: 1050, machine: 60, gpu: "X900 Quantum", ram: 524_288, count: 1, of: 1, price: 7.0, place: "Finland, FI", datacenter: true, verified: true },
];

const PLACES: &[&str] = &[
    "Texas, US",
    "California, US",
    "Quebec, CA",
    "Poland, PL",
    "Sweden, SE",
    "Germany, DE",
    "Tokyo, JP",
    "South Korea, KR",
];

impl Default for VastShop {
    fn default() -> Self {
        let mut offers: Vec<Value> = OFFERS.iter().map(offer).collect();
        // Many offers of the most common GPU exceed the implicit limit of a search.
        offers.extend((0..60).map(|index| {
            offer(&VastOffer {
                id: 2000 + index,
                machine: 200 + index,
                gpu: R4090,
                ram: 24564,
                count: 1 << (index % 4),
                of: 8,
                price: 0.35 + 0.005 * index as f64,
                place: PLACES[index as usize % PLACES.len()],
                datacenter: index % 3 == 0,
                verified: index % 5 != 0,
            })
        }));
        let mut shop = Self {
            anonymous_reads: false,
            offers,
            row_cap: None,
            truncated: TruncatedField::default(),
        };
        shop.set(1040, &[("cpu_cores", Value::Null)]);
        shop.set(1041, &[("geolocation", Value::Null)]);
        shop.set(1042, &[("cpu_cores_effective", json!(5.333_333))]);
        shop.set(1043, &[("min_bid", json!(0))]);
        shop.drop_field(1044, "min_bid");
        shop.set(1046, &[("rentable", json!(false)), ("rented", json!(true))]);
        shop.set(
            1048,
            &[
                ("cpu_ram", Value::Null),
                ("disk_space", Value::Null),
                ("dlperf", Value::Null),
                ("gpu_frac", Value::Null),
                ("gpu_total_ram", Value::Null),
                ("cuda_max_good", Value::Null),
                ("reliability", Value::Null),
                ("reliability2", Value::Null),
                ("inet_down", Value::Null),
                ("storage_cost", Value::Null),
                ("machine_id", Value::Null),
            ],
        );
        shop.set(1049, &[("external", json!(true))]);
        shop
    }
}

impl VastShop {
    /// Sets fields of an offer.
    pub fn set(&mut self, id: u64, fields: &[(&str, Value)]) {
        for offer in &mut self.offers {
            if offer["id"] == id {
                for (name, value) in fields {
                    offer[*name] = value.clone();
                }
            }
        }
    }

    /// Removes a field of an offer.
    pub fn drop_field(&mut self, id: u64, name: &str) {
        for offer in &mut self.offers {
            if offer["id"] == id
                && let Some(row) = offer.as_object_mut()
            {
                row.shift_remove(name);
            }
        }
    }
}

/// Returns offers for benchmarks, with all GPUs, counts and locations in turn.
pub(super) fn generated(n: usize) -> Vec<Value> {
    const GPUS: &[(&str, u64, f64)] = &[
        ("RTX 4090", 24564, 0.35),
        ("RTX 3090", 24576, 0.18),
        ("H100 SXM", 81559, 2.10),
        ("RTX 5090", 32607, 0.55),
        ("A100 SXM4", 81920, 1.05),
        ("L40S", 46068, 0.60),
        ("RTX A6000", 49140, 0.45),
        ("H200", 143_771, 2.60),
        ("A100 PCIE", 40960, 0.80),
        ("RTX 6000Ada", 49140, 0.70),
    ];
    (0..n)
        .map(|index| {
            let (gpu, ram, price) = GPUS[index % GPUS.len()];
            offer(&VastOffer {
                id: 5_000_000 + index as u64,
                machine: 10_000 + (index / 4) as u64,
                gpu,
                ram,
                count: 1 << (index / GPUS.len() % 4),
                of: 8,
                price: price + 0.001 * (index % 211) as f64,
                place: PLACES[index % PLACES.len()],
                datacenter: index % 3 == 0,
                verified: index % 7 != 0,
            })
        })
        .collect()
}
