//! Hyperstack's market: flavors, stocks and the price book.

use serde::Deserialize;
use serde_json::Value;

use super::table::{market, rows};

#[derive(Clone, Debug, Deserialize)]
pub struct HyperstackShop {
    /// The groups of `/core/flavors`.
    pub flavors: Vec<Value>,
    /// The regions of `/core/stocks`.
    pub stocks: Vec<Value>,
    /// Rows of `/pricebook`.
    #[serde(deserialize_with = "rows")]
    pub prices: Vec<Value>,
}

impl Default for HyperstackShop {
    fn default() -> Self {
        market(include_str!("hyperstack.json"))
    }
}
