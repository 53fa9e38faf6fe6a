//! Azure's price list: a row for each meter of a size in a region.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::table::{market, rows};

#[derive(Clone, Debug, Deserialize)]
pub struct AzureShop {
    /// Rows with the API's field names, in dollars.
    #[serde(deserialize_with = "rows")]
    pub meters: Vec<Value>,
    /// The maximum number of rows per page.
    pub page_size: usize,
    /// Whether a page links to the next page. For a while in 2023, none did.
    pub next_page_links: bool,
    /// The modification time of the list.
    #[serde(skip, default = "Timestamp::now")]
    pub published: Timestamp,
}

impl Default for AzureShop {
    fn default() -> Self {
        market(include_str!("azure.json"))
    }
}
