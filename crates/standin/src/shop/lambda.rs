//! Lambda's market: instance types, and the regions where each is in stock.

use serde::Deserialize;
use serde_json::Value;

use super::table::{market, rows};

#[derive(Clone, Debug, Deserialize)]
pub struct LambdaShop {
    /// The values of `/instance-types`.
    #[serde(deserialize_with = "rows")]
    pub types: Vec<Value>,
    /// All regions.
    pub regions: Vec<Value>,
}

impl Default for LambdaShop {
    fn default() -> Self {
        market(include_str!("lambda.json"))
    }
}
