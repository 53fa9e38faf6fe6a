//! Lium's market: nodes with free GPUs.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::table::{market, rows};

#[derive(Clone, Debug, Deserialize)]
pub struct LiumShop {
    /// Rows of `nodes`.
    #[serde(deserialize_with = "rows")]
    pub nodes: Vec<Value>,
    #[serde(skip, default = "Timestamp::now")]
    pub generated_at: Timestamp,
}

impl Default for LiumShop {
    fn default() -> Self {
        market(include_str!("lium.json"))
    }
}
