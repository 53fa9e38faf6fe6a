//! SkyPilot's catalogs, one for each cloud.

use jiff::Timestamp;
use serde_json::Value;

use super::table::{csv_rows, files};

#[derive(Clone, Debug)]
pub struct SkyPilotCatalog {
    pub cloud: String,
    /// Rows by column name. Every cell is a string, as in a CSV file.
    pub rows: Vec<Value>,
}

#[derive(Clone, Debug)]
pub struct SkyPilotShop {
    pub catalogs: Vec<SkyPilotCatalog>,
    /// The upload time of the files. Without it, responses have no validators.
    pub modified: Option<Timestamp>,
}

const FILES: &[(&str, &str)] = files![
    "skypilot/": "aws" "azure" "cudo" "do" "fluidstack" "gcp" "hyperbolic" "ibm" "lambda" "mithril" "nebius"
        "oci" "paperspace" "primeintellect" "runpod" "scp" "seeweb" "shadeform" "vast" "verda" "yotta"
];

impl Default for SkyPilotShop {
    fn default() -> Self {
        let catalog = |&(cloud, text): &(&str, &str)| SkyPilotCatalog {
            cloud: cloud.into(),
            rows: csv_rows(text),
        };
        Self {
            catalogs: FILES.iter().map(catalog).collect(),
            modified: Some(Timestamp::now()),
        }
    }
}
