//! RunPod's market: GPU types, data centers and availability.

use serde::Deserialize;
use serde_json::Value;

use super::table::{market, rows};

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub enum RunPodPlace {
    /// A data center of the secure cloud.
    Secure(String),
    /// A country of the community cloud.
    Community(String),
}

/// The available pods of a GPU type in a data center or country.
#[derive(Clone, Debug, Deserialize)]
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

#[derive(Clone, Debug, Deserialize)]
pub struct RunPodShop {
    /// Whether reads without a key are allowed.
    pub anonymous_reads: bool,
    /// Whether reads without a key include the stock of data centers. Otherwise the field is null, with an
    /// error.
    pub anonymous_availability: bool,
    /// Rows of `gpuTypes`, with the API's field names.
    #[serde(deserialize_with = "rows")]
    pub gpus: Vec<Value>,
    /// Rows of `dataCenters`.
    pub data_centers: Vec<Value>,
    pub country_codes: Vec<String>,
    #[serde(deserialize_with = "rows")]
    pub stock: Vec<RunPodStock>,
}

impl Default for RunPodShop {
    fn default() -> Self {
        market(include_str!("runpod.json"))
    }
}
