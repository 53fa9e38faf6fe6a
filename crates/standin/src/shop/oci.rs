//! Oracle's market: products with prices, and shapes that consist of products.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::table::{market, rows};

#[derive(Clone, Debug, Deserialize)]
pub struct OciShop {
    /// Rows of `products.json`; the price list has the same ones.
    #[serde(deserialize_with = "rows")]
    pub products: Vec<Value>,
    /// Rows of `shapes.json`.
    #[serde(deserialize_with = "rows")]
    pub shapes: Vec<Value>,
    /// Rows per page of the price list; `None` for a single page.
    #[serde(skip)]
    pub page_size: Option<usize>,
    /// The modification time of the price list.
    #[serde(skip, default = "Timestamp::now")]
    pub last_updated: Timestamp,
}

impl Default for OciShop {
    fn default() -> Self {
        market(include_str!("oci.json"))
    }
}
