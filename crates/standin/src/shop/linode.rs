//! The market of Akamai's cloud, formerly Linode.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::table::{market, rows};

#[derive(Clone, Debug, Deserialize)]
pub struct LinodeShop {
    /// Rows of `/linode/types`.
    #[serde(deserialize_with = "rows")]
    pub types: Vec<Value>,
    /// Rows of `/regions`.
    #[serde(deserialize_with = "rows")]
    pub regions: Vec<Value>,
    /// The available types: pairs of a type id and a region id.
    pub stock: Vec<(String, String)>,
    /// The modification time of the lists.
    #[serde(skip, default = "Timestamp::now")]
    pub published: Timestamp,
}

impl Default for LinodeShop {
    fn default() -> Self {
        market(include_str!("linode.json"))
    }
}
