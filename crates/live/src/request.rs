//! The options of a live question.

use std::time::Duration;

use sky_accel_core::catalog::ProviderId;
use sky_accel_core::resolve::CapacityFilter;
use sky_accel_providers::Cache;
use sky_accel_providers::aggregator::Aggregator;

/// The disk space in decimal GB that marketplace prices include by default.
pub const DEFAULT_DISK_GB: u32 = 10;

/// The options of a live question, apart from the specs.
#[derive(Clone, Debug)]
pub struct LiveRequest {
    /// The capacity type of the requested prices; unspecified requests all prices.
    pub capacity_filter: CapacityFilter,
    /// True to include machines with more accelerators than the spec requests.
    pub at_least: bool,
    /// True to request every count in every region, for alternatives if nothing matches.
    pub widely: bool,
    /// Regions as the user gave them: names, patterns such as `eu-*`, or countries. Empty means
    /// every region.
    pub regions: Vec<String>,
    /// Disk space in decimal GB that the prices of a marketplace include.
    pub disk_gb: f64,
    /// The number of machines that are needed together, for spot scores, capacity blocks and quotas.
    pub machines: u32,
    /// True to request stock that costs further requests.
    pub stock: bool,
    /// True if only the credentials of the providers matter. Their answers may then have no offers.
    pub credentials_only: bool,
    /// True to keep answers that the provider forbids to share. Set it only if all output goes to the user's terminal.
    pub confidential: bool,
    /// True to request spot placement scores.
    pub spot_scores: bool,
    /// The duration of requested capacity blocks in hours; `None` for no blocks.
    pub capacity_block_hours: Option<u32>,
    /// True to request the quotas of the account.
    pub check_quota: bool,
    /// The time limit for all providers together.
    pub timeout: Duration,
    /// The cache of answers and how it is used.
    pub cache: Cache,
    /// The ids of providers that may be queried without a key despite restrictive terms
    /// ([`providers_needing_consent`](crate::providers_needing_consent)).
    pub public: Vec<String>,
    /// The providers that must answer. Others are skipped with a note if their key is
    /// missing.
    pub required: Vec<ProviderId>,
    /// The aggregator that is queried instead of the providers; `None` for the providers
    /// themselves.
    pub aggregator: Option<Aggregator>,
}

impl Default for LiveRequest {
    /// Any price of the requested machines, within 30 seconds, without a cache.
    fn default() -> Self {
        Self {
            capacity_filter: CapacityFilter::Unspecified,
            at_least: false,
            widely: false,
            regions: Vec::new(),
            disk_gb: f64::from(DEFAULT_DISK_GB),
            machines: 1,
            stock: true,
            credentials_only: false,
            confidential: false,
            spot_scores: false,
            capacity_block_hours: None,
            check_quota: false,
            timeout: Duration::from_secs(30),
            cache: Cache {
                folder: None,
                mode: sky_accel_providers::CacheMode::Prefer,
                max_age: None,
            },
            public: Vec::new(),
            required: Vec::new(),
            aggregator: None,
        }
    }
}
