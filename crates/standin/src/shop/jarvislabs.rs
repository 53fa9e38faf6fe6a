//! JarvisLabs' market: GPUs by region.

use serde::Deserialize;
use serde_json::Value;

use super::table::{market, rows};

#[derive(Clone, Debug, Deserialize)]
pub struct JarvisLabsShop {
    /// Rows of `server_meta`.
    #[serde(deserialize_with = "rows")]
    pub gpus: Vec<Value>,
    /// Whether the account is charged in rupees.
    pub charges_rupees: bool,
}

impl Default for JarvisLabsShop {
    fn default() -> Self {
        market(include_str!("jarvislabs.json"))
    }
}
