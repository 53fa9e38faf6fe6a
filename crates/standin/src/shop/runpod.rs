//! RunPod's market: GPU types, data centers and availability.

use serde_json::{Value, json};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunPodPlace {
    /// A data center of the secure cloud.
    Secure(String),
    /// A country of the community cloud.
    Community(String),
}

/// The available pods of a GPU type in a data center or country.
#[derive(Clone, Debug)]
pub struct RunPodStock {
    pub gpu: String,
    pub place: RunPodPlace,
    /// Dollars per GPU and hour.
    pub price: Option<f64>,
    pub spot: Option<f64>,
    /// The available pod sizes. An empty list is a price without stock.
    pub counts: Vec<u32>,
    pub status: Option<String>,
    /// Host share per GPU.
    pub vcpu: u32,
    pub memory: u32,
}

#[derive(Clone, Debug)]
pub struct RunPodShop {
    /// Whether reads without a key are allowed.
    pub anonymous_reads: bool,
    /// Whether reads without a key include the stock of data centers. Otherwise the field is null, with an
    /// error.
    pub anonymous_availability: bool,
    /// Rows of `gpuTypes`, with the API's field names.
    pub gpus: Vec<Value>,
    /// Rows of `dataCenters`.
    pub data_centers: Vec<Value>,
    pub country_codes: Vec<String>,
    pub stock: Vec<RunPodStock>,
}

struct RunPodGpu {
    id: &'static str,
    name: &'static str,
    maker: &'static str,
    memory: u32,
    /// List prices in the secure and the community cloud; 0 if not sold.
    price: (f64, f64),
    max: u32,
}

fn gpu(gpu: &RunPodGpu) -> Value {
    let (secure, community) = gpu.price;
    let spot = |price: f64| (price > 0.0).then_some((price * 60.0).round() / 100.0);
    json!({
        "id": gpu.id,
        "displayName": gpu.name,
        "manufacturer": gpu.maker,
        "memoryInGb": gpu.memory,
        "cudaCores": 0,
        "secureCloud": secure > 0.0,
        "communityCloud": community > 0.0,
        "securePrice": secure,
        "communityPrice": community,
        "secureSpotPrice": spot(secure),
        "communitySpotPrice": spot(community),
        "oneWeekPrice": null,
        "oneMonthPrice": (secure > 0.0).then_some(secure * 0.9),
        "threeMonthPrice": (secure > 0.0).then_some(secure * 0.87),
        "sixMonthPrice": (secure > 0.0).then_some(secure * 0.85),
        "clusterPrice": (secure > 0.0).then_some(secure * 1.2),
        "maxGpuCount": gpu.max,
        "maxGpuCountSecureCloud": if secure > 0.0 { gpu.max } else { 0 },
        "maxGpuCountCommunityCloud": if community > 0.0 { gpu.max } else { 0 },
        "minPodGpuCount": 1,
    })
}

pub const H100_SXM: &str = "NVIDIA H100 80GB HBM3";
pub const H100_PCIE: &str = "NVIDIA H100 PCIe";
pub const H200: &str = "NVIDIA H200";
pub const A100_SXM: &str = "NVIDIA A100-SXM4-80GB";
pub const L40S: &str = "NVIDIA L40S";
pub const RTX_4090: &str = "NVIDIA GeForce RTX 4090";
pub const MI300X: &str = "AMD Instinct MI300X OAM";
pub const A40: &str = "NVIDIA A40";
pub const MIG: &str = "NVIDIA RTX PRO 6000 Blackwell Server Edition MIG 1g.24gb";
pub const UNHEARD_OF: &str = "NVIDIA X900 Quantum";

#[rustfmt::skip]
const GPUS: &[RunPodGpu] = &[
    RunPodGpu { id: H100_SXM, name: "H100 SXM", maker: "Nvidia", memory: 80, price: (2.69, 2.49), max: 8 },
    RunPodGpu { id: H100_PCIE, name: "H100 PCIe", maker: "Nvidia", memory: 80, price: (2.39, 1.99), max: 8 },
    RunPodGpu { id: H200, name: "H200 SXM", maker: "Nvidia", memory: 141, price: (3.59, 0.0), max: 8 },
    RunPodGpu { id: A100_SXM, name: "A100 SXM", maker: "Nvidia", memory: 80, price: (1.49, 1.39), max: 8 },
    RunPodGpu { id: L40S, name: "L40S", maker: "Nvidia", memory: 48, price: (0.86, 0.79), max: 8 },
    RunPodGpu { id: RTX_4090, name: "RTX 4090", maker: "Nvidia", memory: 24, price: (0.69, 0.34), max: 8 },
    RunPodGpu { id: MI300X, name: "MI300X", maker: "AMD", memory: 192, price: (2.49, 0.0), max: 8 },
    // A price, but no stock anywhere.
    RunPodGpu { id: A40, name: "A40", maker: "Nvidia", memory: 48, price: (0.40, 0.0), max: 10 },
    // Its price is reported as zero.
    RunPodGpu { id: "NVIDIA A30", name: "A30", maker: "Nvidia", memory: 24, price: (0.0, 0.22), max: 8 },
    RunPodGpu { id: MIG, name: "PRO 6000 MIG 24GB", maker: "Nvidia", memory: 24, price: (0.59, 0.0), max: 1 },
    RunPodGpu { id: "unknown", name: "unknown", maker: "unknown", memory: 0, price: (0.0, 0.0), max: 0 },
    RunPodGpu { id: UNHEARD_OF, name: "X900 Quantum", maker: "Nvidia", memory: 512, price: (9.99, 0.0), max: 8 },
];

fn stock(
    gpu: &str,
    place: &RunPodPlace,
    price: f64,
    spot: Option<f64>,
    counts: &[u32],
    status: Option<&str>,
) -> RunPodStock {
    RunPodStock {
        gpu: gpu.into(),
        place: place.clone(),
        price: Some(price),
        spot,
        counts: counts.into(),
        status: status.map(Into::into),
        vcpu: 16,
        memory: 125,
    }
}

fn all_stock() -> Vec<RunPodStock> {
    let secure = |id: &str| RunPodPlace::Secure(id.into());
    let community = |country: &str| RunPodPlace::Community(country.into());
    let (high, medium, low) = (Some("High"), Some("Medium"), Some("Low"));
    let ks = &secure("US-KS-2");
    let ca = &secure("US-CA-2");
    let ro = &secure("EU-RO-1");
    let se = &secure("EU-SE-1");
    let is = &secure("EUR-IS-1");
    let jp = &secure("AP-JP-1");
    let unlisted = &secure("US-XX-9");
    let us = &community("US");
    let pl = &community("PL");
    #[rustfmt::skip]
    let rows = vec![
        stock(H100_SXM, ks, 2.69, Some(1.75), &[1, 2, 4, 8], high),
        stock(H100_SXM, ca, 2.69, None, &[1, 2], low),
        stock(H100_SXM, is, 2.79, Some(1.90), &[1, 2, 4], medium),
        stock(H100_SXM, us, 2.49, Some(1.50), &[1, 2], low),
        // A price and no stock.
        stock(H100_SXM, se, 2.69, Some(1.75), &[], None),
        stock(H100_PCIE, ks, 2.39, Some(1.35), &[1, 2], medium),
        stock(H100_PCIE, pl, 1.99, Some(1.25), &[1], low),
        stock(H200, ca, 3.59, Some(2.30), &[1, 2, 4, 8], high),
        stock(H200, jp, 3.79, None, &[8], low),
        stock(A100_SXM, ro, 1.49, Some(0.79), &[1, 2, 4, 8], high),
        stock(A100_SXM, ks, 1.49, Some(0.82), &[1, 2], low),
        stock(A100_SXM, us, 1.39, Some(0.75), &[1, 2, 4], medium),
        stock(L40S, se, 0.86, Some(0.45), &[1, 2, 4, 8], high),
        // A spot price above the on-demand price, which happens.
        stock(L40S, us, 0.79, Some(0.95), &[1, 2], low),
        stock(RTX_4090, ro, 0.69, Some(0.35), &[1, 2, 4, 8], high),
        stock(RTX_4090, is, 0.69, Some(0.35), &[1, 2, 3, 4], medium),
        stock(RTX_4090, us, 0.34, Some(0.20), &[1, 2], medium),
        stock(RTX_4090, pl, 0.36, None, &[1], low),
        stock(MI300X, ro, 2.49, Some(1.60), &[1, 8], low),
        stock(A40, ks, 0.40, Some(0.20), &[], None),
        stock("NVIDIA A30", us, 0.0, Some(0.0), &[1], low),
        stock(MIG, ks, 0.59, None, &[1], medium),
        stock(UNHEARD_OF, ca, 9.99, Some(5.0), &[1, 2, 4, 8], low),
        // The cheapest price, in an unlisted data center.
        stock(H200, unlisted, 3.29, Some(1.99), &[1, 2], high),
    ];
    rows
}

impl Default for RunPodShop {
    fn default() -> Self {
        let center = |id: &str, location: &str, listed: bool| json!({ "id": id, "name": id, "location": location, "listed": listed });
        Self {
            anonymous_reads: true,
            anonymous_availability: false,
            gpus: GPUS.iter().map(gpu).collect(),
            data_centers: vec![
                center("US-KS-2", "United States", true),
                center("US-CA-2", "United States", true),
                center("EU-RO-1", "Romania", true),
                center("EU-SE-1", "Sweden", true),
                center("EUR-IS-1", "Iceland", true),
                center("AP-JP-1", "Japan", true),
                center("US-XX-9", "United States", false),
            ],
            country_codes: ["US", "PL", "RO", "SE", "IS", "JP"].map(Into::into).into(),
            stock: all_stock(),
        }
    }
}
