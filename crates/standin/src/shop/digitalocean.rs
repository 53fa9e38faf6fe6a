//! DigitalOcean's market: sizes and an account.

use serde::Deserialize;
use serde_json::Value;

use super::table::{market, rows};

#[derive(Clone, Debug, Deserialize)]
pub struct DigitalOceanShop {
    /// Rows of `/v2/sizes`.
    #[serde(deserialize_with = "rows")]
    pub sizes: Vec<Value>,
    pub account: Value,
    /// The maximum number of rows of a page.
    pub page_size: usize,
}

impl Default for DigitalOceanShop {
    fn default() -> Self {
        market(include_str!("digitalocean.json"))
    }
}
