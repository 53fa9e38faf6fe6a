//! Vast.ai's market: offers as the API returns them.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::table::{market, remove_marks, with_fields};

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
#[derive(Deserialize)]
struct VastOffer {
    id: u64,
    machine: u64,
    gpu: String,
    /// MB per GPU.
    ram: u64,
    count: u64,
    /// The number of GPUs of the whole machine.
    of: u64,
    /// Dollars per GPU and hour.
    price: f64,
    place: String,
    datacenter: bool,
    verified: bool,
    /// Values that do not follow from the other fields.
    #[serde(default)]
    odd: Map<String, Value>,
}

#[derive(Deserialize)]
struct VastData {
    /// The fields that are the same in every row.
    common: Value,
    offers: Vec<VastOffer>,
    /// The locations of generated offers.
    places: Vec<String>,
    /// The GPUs of offers for benchmarks: name, MB, dollars per hour.
    gpus: Vec<(String, u64, f64)>,
}

static DATA: LazyLock<VastData> = LazyLock::new(|| market(include_str!("vast.json")));

fn round(value: f64) -> f64 {
    (value * 1_000_000.0).round() / 1_000_000.0
}

fn offer(offer: &VastOffer) -> Value {
    let (id, machine, gpu) = (offer.id, offer.machine, offer.gpu.as_str());
    let (ram, count, of) = (offer.ram, offer.count, offer.of);
    let share = count as f64 / of as f64;
    let base = round(offer.price * count as f64);
    let cores = of * 16;
    let nvlink = if gpu.contains("SXM") { 450.0 } else { 0.0 };
    let amd = gpu.starts_with("RX") || gpu.starts_with("Instinct");
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
        "dph_base": base,
        "min_bid": round(base * 0.6),
    });
    let row = with_fields(&DATA.common, &details);
    let mut row = with_fields(&row, &Value::Object(offer.odd.clone()));
    remove_marks(&mut row);
    row
}

impl Default for VastShop {
    fn default() -> Self {
        let mut offers: Vec<Value> = DATA.offers.iter().map(offer).collect();
        // Many offers of the most common GPU exceed the implicit limit of a search.
        offers.extend((0..60).map(|index| {
            offer(&VastOffer {
                id: 2000 + index,
                machine: 200 + index,
                gpu: "RTX 4090".into(),
                ram: 24564,
                count: 1 << (index % 4),
                of: 8,
                price: 0.35 + 0.005 * index as f64,
                place: DATA.places[index as usize % DATA.places.len()].clone(),
                datacenter: index % 3 == 0,
                verified: index % 5 != 0,
                odd: Map::new(),
            })
        }));
        Self {
            anonymous_reads: false,
            offers,
            row_cap: None,
            truncated: TruncatedField::default(),
        }
    }
}

/// Returns offers for benchmarks, with all GPUs, counts and locations in turn.
pub(super) fn generated(n: usize) -> Vec<Value> {
    let gpus = &DATA.gpus;
    (0..n)
        .map(|index| {
            let (gpu, ram, price) = gpus[index % gpus.len()].clone();
            offer(&VastOffer {
                id: 5_000_000 + index as u64,
                machine: 10_000 + (index / 4) as u64,
                gpu,
                ram,
                count: 1 << (index / gpus.len() % 4),
                of: 8,
                price: price + 0.001 * (index % 211) as f64,
                place: DATA.places[index % DATA.places.len()].clone(),
                datacenter: index % 3 == 0,
                verified: index % 7 != 0,
                odd: Map::new(),
            })
        })
        .collect()
}
