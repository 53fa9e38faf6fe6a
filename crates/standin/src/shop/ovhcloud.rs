//! OVHcloud's market: the add-ons of a public cloud project, in euros and dollars.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::table::{market, rows};

#[derive(Clone, Debug, Deserialize)]
pub struct OvhCloudShop {
    /// The add-ons of the European catalog, in euros.
    #[serde(deserialize_with = "rows")]
    pub euro: Vec<Value>,
    /// The add-ons of the catalog of the United States, in dollars, a subset. Their interval is `none`.
    #[serde(deserialize_with = "rows")]
    pub dollar: Vec<Value>,
    /// The modification time of the catalogs.
    #[serde(skip, default = "Timestamp::now")]
    pub published: Timestamp,
}

impl Default for OvhCloudShop {
    fn default() -> Self {
        market(include_str!("ovhcloud.json"))
    }
}

const EURO_SUBSIDIARIES: &[&str] = &["DE", "ES", "FI", "FR", "IE", "IT", "LT", "NL", "PT"];

impl OvhCloudShop {
    /// Returns the currency and the add-ons of a subsidiary.
    pub(crate) fn catalog(&self, subsidiary: &str) -> Option<(&'static str, &[Value])> {
        match subsidiary {
            "US" => Some(("USD", &self.dollar)),
            _ if EURO_SUBSIDIARIES.contains(&subsidiary) => Some(("EUR", &self.euro)),
            _ => None,
        }
    }
}
