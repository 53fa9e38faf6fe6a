//! The prices of Amazon's price pages.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::table::{market, rows};

/// A location, by its name on the price pages.
#[derive(Clone, Debug, Deserialize)]
pub struct AwsFeedPlace {
    pub name: String,
    pub code: String,
    pub kind: String,
    pub continent: String,
    /// The on-demand prices. A location without prices has no file.
    #[serde(default, deserialize_with = "rows")]
    pub units: Vec<Value>,
    /// Whether the file is compressed with gzip, without a header that says so.
    #[serde(default)]
    pub gzip: bool,
}

#[derive(Clone, Debug, Deserialize)]
pub struct AwsFeedShop {
    pub places: Vec<AwsFeedPlace>,
    /// `spot.json`.
    pub spot: Value,
    /// `spot-advisor-data.json`.
    pub advisor: Value,
    /// The publication time of the on-demand prices, which their files include.
    #[serde(skip, default = "Timestamp::now")]
    pub published: Timestamp,
    /// The modification time of the spot prices, which only a header states.
    #[serde(skip, default = "Timestamp::now")]
    pub spot_modified: Timestamp,
}

impl Default for AwsFeedShop {
    fn default() -> Self {
        market(include_str!("awsfeed.json"))
    }
}
