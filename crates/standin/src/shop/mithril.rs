//! Mithril's market: instance types, auctions of their spot machines, and quotas of a project.

use serde::Deserialize;
use serde_json::Value;

use super::table::{market, rows};

#[derive(Clone, Debug, Deserialize)]
pub struct MithrilShop {
    /// Rows of `/v2/instance-types`.
    #[serde(deserialize_with = "rows")]
    pub types: Vec<Value>,
    /// Rows of `/v2/spot/availability`.
    #[serde(deserialize_with = "rows")]
    pub auctions: Vec<Value>,
    /// Rows of `/v2/quotas`.
    #[serde(deserialize_with = "rows")]
    pub quotas: Vec<Value>,
}

impl Default for MithrilShop {
    fn default() -> Self {
        market(include_str!("mithril.json"))
    }
}
