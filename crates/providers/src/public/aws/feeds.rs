//! The feeds and their contents.

use std::collections::{BTreeMap, HashMap};

use sky_accel_core::catalog::CapacityType;

use crate::credentials::Environment;
use crate::error::ProviderError;
use crate::feed::Feed;
use crate::offer::Tally;
use crate::public::shared::KEEP_PRICES;
use crate::query::{Interest, Query};
use crate::reading::DocumentAge;

pub(super) const ID: &str = "aws";
pub(super) const PAGES_URL: &str = "https://b0.p.awsstatic.com";
pub(super) const SPOT_URL: &str = "https://website.spot.ec2.aws.a2z.com";
pub(super) const ADVISOR_URL: &str = "https://spot-bid-advisor.s3.amazonaws.com";

/// The servers of the feeds.
pub(super) struct Hosts {
    pub pages: String,
    pub spot: String,
    pub advisor: String,
}

/// The contents of one or several feeds.
pub(super) struct FeedData {
    pub capacity: CapacityType,
    /// The prices in USD by region and instance type.
    pub prices: BTreeMap<String, RegionPrices>,
    /// The interruption rates by region and instance type.
    pub interruptions: Rates,
    pub dropped: Tally,
    pub problems: Vec<ProviderError>,
    pub remarks: Vec<String>,
    pub reading: DocumentAge,
}

/// Interruption rates by region and instance type.
pub(super) type Rates = HashMap<String, HashMap<String, String>>;

/// The prices of instance types in a region, and the date of their feed.
#[derive(Debug, PartialEq)]
pub(super) struct RegionPrices {
    pub by_type: HashMap<String, f64>,
    pub date: i64,
}

impl Hosts {
    pub(super) fn from_environment(environment: &Environment<'_>) -> Result<Self, ProviderError> {
        Ok(Self {
            pages: environment.public_url(ID, PAGES_URL)?,
            spot: environment.public_url(ID, SPOT_URL)?,
            advisor: environment.public_url(ID, ADVISOR_URL)?,
        })
    }
}

impl FeedData {
    pub(super) fn new(capacity: CapacityType) -> Self {
        Self {
            capacity,
            prices: BTreeMap::new(),
            interruptions: HashMap::new(),
            dropped: Tally::default(),
            problems: Vec::new(),
            remarks: Vec::new(),
            reading: DocumentAge::default(),
        }
    }
}

pub(super) fn feed(operation: &str, url: String) -> Feed<'_> {
    Feed {
        provider: ID,
        operation,
        url,
        question: None,
        keep: KEEP_PRICES,
    }
}

/// Returns true if the offers of an instance type are requested.
pub(super) fn is_wanted(query: &Query<'_>, id: &str) -> bool {
    (query.interest)(id, None) == Interest::Requested
}
