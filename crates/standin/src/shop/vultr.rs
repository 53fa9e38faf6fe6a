//! Vultr's market: plans of virtual machines, of bare metal, and regions.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::table::{market, rows};

#[derive(Clone, Debug, Deserialize)]
pub struct VultrShop {
    /// Rows of `/v2/plans`.
    #[serde(deserialize_with = "rows")]
    pub plans: Vec<Value>,
    /// Rows of `/v2/plans-metal`.
    #[serde(deserialize_with = "rows")]
    pub metal: Vec<Value>,
    /// Rows of `/v2/regions`.
    #[serde(deserialize_with = "rows")]
    pub regions: Vec<Value>,
    /// The plans that the account cannot order, each with its region.
    #[serde(default)]
    pub taken: Vec<(String, String)>,
    /// The modification time of the lists.
    #[serde(skip, default = "Timestamp::now")]
    pub published: Timestamp,
}

impl Default for VultrShop {
    fn default() -> Self {
        market(include_str!("vultr.json"))
    }
}
