//! Azure's market: the price list with a row for each meter of a size in a region, and an account.

use std::collections::BTreeMap;

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
    pub account: AzureAccountShop,
}

/// The sizes and the regions of a subscription.
#[derive(Clone, Debug, Deserialize)]
pub struct AzureAccountShop {
    pub sizes: Vec<AzureSize>,
    pub regions: Vec<AzureRegion>,
    /// The number of resource SKUs on a page.
    pub page_size: usize,
}

/// A size of machines.
#[derive(Clone, Debug, Deserialize)]
pub struct AzureSize {
    pub name: String,
    pub family: String,
    pub vcpus: u64,
    pub gpus: u32,
    pub spot: bool,
}

/// The stock and the quotas of a region. Names of sizes are keys.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct AzureRegion {
    pub name: String,
    /// The on-demand machines in stock.
    pub stock: BTreeMap<String, u64>,
    /// The spot scores.
    pub spot: BTreeMap<String, String>,
    /// The eviction rates of spot machines.
    pub evictions: BTreeMap<String, String>,
    /// The sizes that the subscription may not use.
    pub blocked: Vec<String>,
    /// The zones in which the subscription may not use a size.
    pub blocked_zones: BTreeMap<String, Vec<String>>,
    /// The sizes that are not sold here.
    pub missing: Vec<String>,
    pub usages: Vec<AzureUsage>,
}

/// The use of a pool of vCPUs.
#[derive(Clone, Debug, Deserialize)]
pub struct AzureUsage {
    pub code: String,
    pub name: String,
    pub used: u64,
    pub limit: u64,
}

impl Default for AzureShop {
    fn default() -> Self {
        market(include_str!("azure.json"))
    }
}
