//! Oracle's market: products with prices, shapes that consist of products, and a tenancy.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::table::{market, rows};

#[derive(Clone, Debug, Deserialize)]
pub struct OciShop {
    /// Rows of `products.json`; the price list has the same ones.
    #[serde(deserialize_with = "rows")]
    pub products: Vec<Value>,
    /// Rows of `shapes.json`.
    #[serde(deserialize_with = "rows")]
    pub shapes: Vec<Value>,
    /// Rows per page of the price list; `None` for a single page.
    #[serde(skip)]
    pub page_size: Option<usize>,
    /// The modification time of the price list.
    #[serde(skip, default = "Timestamp::now")]
    pub last_updated: Timestamp,
    pub account: OciAccountShop,
}

/// The stock and the limits of a tenancy in its only region.
#[derive(Clone, Debug, Deserialize)]
pub struct OciAccountShop {
    pub domains: Vec<OciDomain>,
    /// The name of the limit of each shape.
    pub shapes: BTreeMap<String, String>,
    pub limits: Vec<OciLimit>,
}

/// An availability domain.
#[derive(Clone, Debug, Deserialize)]
pub struct OciDomain {
    pub name: String,
    /// The machines in stock by shape; `None` for a shape in stock without a count.
    pub stock: BTreeMap<String, Option<u32>>,
}

/// A limit of an availability domain, or of the region.
#[derive(Clone, Debug, Deserialize)]
pub struct OciLimit {
    pub name: String,
    pub domain: Option<String>,
    pub value: u32,
    pub used: u32,
}

impl Default for OciShop {
    fn default() -> Self {
        market(include_str!("oci.json"))
    }
}
