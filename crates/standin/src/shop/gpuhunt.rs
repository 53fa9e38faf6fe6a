//! The catalogs that gpuhunt publishes, one for each provider.

use jiff::Timestamp;
use serde_json::Value;

use super::table::{csv_rows, files};

#[derive(Clone, Debug)]
pub struct GpuHuntCatalog {
    pub provider: String,
    /// The date and the number of the run.
    pub version: String,
    /// Rows by column name. Every cell is a string, as in a CSV file.
    pub rows: Vec<Value>,
    pub published: Timestamp,
}

#[derive(Clone, Debug)]
pub struct GpuHuntShop {
    pub catalogs: Vec<GpuHuntCatalog>,
}

const FILES: &[(&str, &str)] = files![
    "gpuhunt/": "aws" "azure" "cloudrift" "gcp" "lambdalabs" "nebius" "oci" "runpod" "verda"
];

/// Returns the version of a catalog for a time.
fn version(at: Timestamp) -> String {
    format!("{}-1234", at.strftime("%Y%m%d"))
}

impl GpuHuntShop {
    /// Returns all catalogs with the version of a time.
    #[must_use]
    pub fn published(mut self, at: Timestamp) -> Self {
        for catalog in &mut self.catalogs {
            catalog.version = version(at);
            catalog.published = at;
        }
        self
    }
}

impl Default for GpuHuntShop {
    fn default() -> Self {
        let now = Timestamp::now();
        let catalog = |&(provider, text): &(&str, &str)| GpuHuntCatalog {
            provider: provider.into(),
            version: version(now),
            rows: csv_rows(text),
            published: now,
        };
        Self {
            catalogs: FILES.iter().map(catalog).collect(),
        }
    }
}
