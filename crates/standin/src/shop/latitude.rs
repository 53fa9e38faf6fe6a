//! Latitude.sh's market: bare-metal plans with prices by region and machines in stock by site.

use serde::Deserialize;
use serde_json::Value;

use super::table::{market, rows};

#[derive(Clone, Debug, Deserialize)]
pub struct LatitudeShop {
    /// The attributes of the rows of `/plans`.
    #[serde(deserialize_with = "rows")]
    pub plans: Vec<Value>,
}

impl Default for LatitudeShop {
    fn default() -> Self {
        market(include_str!("latitude.json"))
    }
}
