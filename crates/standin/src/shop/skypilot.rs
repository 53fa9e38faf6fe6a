//! SkyPilot's catalogs, one for each cloud.

use jiff::Timestamp;
use serde_json::Value;

use crate::pack;

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

const FILES: &[(&str, &str)] = &[
    ("aws", include_str!("skypilot/aws.csv")),
    ("azure", include_str!("skypilot/azure.csv")),
    ("cudo", include_str!("skypilot/cudo.csv")),
    ("do", include_str!("skypilot/do.csv")),
    ("fluidstack", include_str!("skypilot/fluidstack.csv")),
    ("gcp", include_str!("skypilot/gcp.csv")),
    ("hyperbolic", include_str!("skypilot/hyperbolic.csv")),
    ("ibm", include_str!("skypilot/ibm.csv")),
    ("lambda", include_str!("skypilot/lambda.csv")),
    ("mithril", include_str!("skypilot/mithril.csv")),
    ("nebius", include_str!("skypilot/nebius.csv")),
    ("oci", include_str!("skypilot/oci.csv")),
    ("paperspace", include_str!("skypilot/paperspace.csv")),
    (
        "primeintellect",
        include_str!("skypilot/primeintellect.csv"),
    ),
    ("runpod", include_str!("skypilot/runpod.csv")),
    ("scp", include_str!("skypilot/scp.csv")),
    ("seeweb", include_str!("skypilot/seeweb.csv")),
    ("shadeform", include_str!("skypilot/shadeform.csv")),
    ("vast", include_str!("skypilot/vast.csv")),
    ("verda", include_str!("skypilot/verda.csv")),
    ("yotta", include_str!("skypilot/yotta.csv")),
];

impl Default for SkyPilotShop {
    fn default() -> Self {
        let catalog = |&(cloud, text): &(&str, &str)| SkyPilotCatalog {
            cloud: cloud.into(),
            rows: pack::rows(text),
        };
        Self {
            catalogs: FILES.iter().map(catalog).collect(),
            modified: Some(Timestamp::now()),
        }
    }
}
