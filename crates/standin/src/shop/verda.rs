//! Verda's market: instance types, locations and availability.

use serde::Deserialize;
use serde_json::Value;

use super::table::{market, rows};

/// The available types of a location, on-demand or spot.
#[derive(Clone, Debug, Deserialize)]
pub struct VerdaStock {
    pub location: String,
    pub spot: bool,
    pub types: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct VerdaShop {
    /// Rows of `/instance-types`, in dollars. Most prices are strings.
    #[serde(deserialize_with = "rows")]
    pub types: Vec<Value>,
    pub locations: Vec<Value>,
    pub periods: Vec<Value>,
    pub stock: Vec<VerdaStock>,
    /// The stated lifetime of a token, in seconds.
    pub expires_in: u64,
}

impl Default for VerdaShop {
    fn default() -> Self {
        market(include_str!("verda.json"))
    }
}
