//! Scaleway's market: instance types with prices in euros, and their stock by zone.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::table::{by_name, market, rows};

#[derive(Clone, Debug, Deserialize)]
pub struct ScalewayZone {
    pub code: String,
    /// The types of the zone, each with its stock: available, scarce or shortage.
    pub stock: Vec<(String, String)>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct ScalewayShop {
    /// Rows of `products/servers` by name, the same in every zone.
    #[serde(deserialize_with = "by_name")]
    pub types: Map<String, Value>,
    pub zones: Vec<ScalewayZone>,
    /// The quotas of the organization.
    #[serde(deserialize_with = "rows")]
    pub quotas: Vec<Value>,
    /// The modification time of the list.
    #[serde(skip, default = "Timestamp::now")]
    pub published: Timestamp,
}

impl Default for ScalewayShop {
    fn default() -> Self {
        market(include_str!("scaleway.json"))
    }
}
