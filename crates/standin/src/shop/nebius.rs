//! Nebius' market: the capacity for each type, quotas of a tenant, and prices of an account.

use serde::Deserialize;
use serde_json::Value;

use super::table::{market, rows};

#[derive(Clone, Debug, Deserialize)]
pub struct NebiusShop {
    /// The number of rows on a page.
    pub page_size: usize,
    /// Rows of the capacity advisor.
    #[serde(deserialize_with = "rows")]
    pub advice: Vec<Value>,
    /// Quotas of the tenant.
    #[serde(deserialize_with = "rows")]
    pub quotas: Vec<Value>,
    /// The prices of an hour, by platform and preset.
    #[serde(deserialize_with = "rows")]
    pub prices: Vec<Value>,
    /// The tenants of the user.
    pub tenants: Vec<String>,
}

impl Default for NebiusShop {
    fn default() -> Self {
        market(include_str!("nebius.json"))
    }
}
