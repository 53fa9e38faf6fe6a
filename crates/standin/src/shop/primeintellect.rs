//! Prime Intellect's market: machines of many clouds.

use serde::Deserialize;
use serde_json::Value;

use super::table::{market, rows};

#[derive(Clone, Debug, Deserialize)]
pub struct PrimeIntellectShop {
    /// Rows of `/availability/gpus`.
    #[serde(deserialize_with = "rows")]
    pub machines: Vec<Value>,
    /// The maximum number of rows of a page.
    pub page_size: usize,
}

impl Default for PrimeIntellectShop {
    fn default() -> Self {
        market(include_str!("primeintellect.json"))
    }
}
