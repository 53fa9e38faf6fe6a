//! Google Cloud's market: machine types by zone, spot prices, scores and quotas of one project.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::table::market;

#[derive(Clone, Debug, Deserialize)]
pub struct GcpShop {
    /// The machine types, each with its zones.
    pub types: Vec<GcpMachineType>,
    /// The prices of spot machines in us-central1, in US dollars per hour. Other regions cost a tenth
    /// more.
    pub spot: BTreeMap<String, f64>,
    /// The score and the uptime of each zone, as Google writes them. A zone without an entry has no score.
    pub scores: BTreeMap<String, Value>,
    /// The zones that have machines for reservations.
    pub reservable: Vec<String>,
    /// The quotas of each region.
    pub region_quotas: Vec<Value>,
    /// The quotas of the project.
    pub project_quotas: Vec<Value>,
    /// Rows of Cloud Quotas.
    pub quota_infos: Vec<Value>,
    /// The number of machine types on a page; `None` for one page.
    #[serde(default)]
    pub page_size: Option<usize>,
}

/// A machine type, and the zones where it is offered.
#[derive(Clone, Debug, Deserialize)]
pub struct GcpMachineType {
    pub row: Value,
    pub zones: Vec<String>,
}

impl Default for GcpShop {
    fn default() -> Self {
        market(include_str!("gcp.json"))
    }
}
