//! San Francisco Compute's market: instance SKUs, their schedules and the order book.

use serde::Deserialize;
use serde_json::Value;

use super::table::{market, rows};

#[derive(Clone, Debug, Deserialize)]
pub struct SfComputeShop {
    /// The number of rows on a page.
    pub page_size: usize,
    /// Rows of `/preview/v2/instance_skus`.
    #[serde(deserialize_with = "rows")]
    pub types: Vec<Value>,
    /// The schedules. Times are hours from now.
    #[serde(deserialize_with = "rows")]
    pub schedules: Vec<Value>,
    /// The sell side of the order book.
    #[serde(deserialize_with = "rows")]
    pub asks: Vec<Value>,
}

impl Default for SfComputeShop {
    fn default() -> Self {
        market(include_str!("sfcompute.json"))
    }
}
