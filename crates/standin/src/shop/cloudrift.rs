//! CloudRift's market: machines by their card.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::table::{market, rows};

#[derive(Clone, Debug, Deserialize)]
pub struct CloudRiftShop {
    /// Rows of `instance_types`.
    #[serde(deserialize_with = "rows")]
    pub instance_types: Vec<Value>,
    /// The modification time of the list.
    #[serde(skip, default = "Timestamp::now")]
    pub published: Timestamp,
}

impl Default for CloudRiftShop {
    fn default() -> Self {
        market(include_str!("cloudrift.json"))
    }
}
