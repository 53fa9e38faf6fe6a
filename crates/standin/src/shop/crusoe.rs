//! Crusoe Cloud's market: stock, types and quotas.

use serde::Deserialize;
use serde_json::Value;

use super::table::{market, rows};

#[derive(Clone, Debug, Deserialize)]
pub struct CrusoeShop {
    /// Rows of `/capacities`.
    #[serde(deserialize_with = "rows")]
    pub capacities: Vec<Value>,
    /// Rows of `/compute/vms/types`.
    #[serde(deserialize_with = "rows")]
    pub types: Vec<Value>,
    /// Rows of `/quotas`.
    #[serde(deserialize_with = "rows")]
    pub quotas: Vec<Value>,
}

impl Default for CrusoeShop {
    fn default() -> Self {
        market(include_str!("crusoe.json"))
    }
}
