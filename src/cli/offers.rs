//! Options of several commands: filters on offers, and live queries.

use std::time::Duration;

use clap::Args;
use sky_accel_core::resolve::{CapacityFilter, PriceBasis};

use super::durations;
use super::numbers::{from_one, usd, whole};
use super::words::{any_word, words_where};
use crate::completion::values;

/// Help heading of the flags for live queries.
pub const LIVE: &str = "Live answers";

/// Filters on offers.
#[derive(Clone, Debug, Args)]
pub struct OfferArgs {
    /// Only offers of these providers (aws, gcp, azure, …) or groups (hyperscalers, marketplaces, neoclouds,
    /// brokers, eu); `!aws` excludes one; repeatable
    #[arg(long, value_name = "ID", value_delimiter = ',', add = values::provider())]
    pub provider: Vec<String>,
    /// Only these regions, patterns (eu-*), countries, or groups of countries (EU, EEA, Europe, Asia, …);
    /// repeatable
    #[arg(long, value_name = "REGION", value_delimiter = ',', add = values::region())]
    pub region: Vec<String>,
    /// Capacity type to price: on-demand, spot, or any (the cheaper; in `plan` both) [default: rank by on-demand
    /// price, also show spot; in `plan` on-demand]
    #[arg(long, value_parser = words_where(is_capacity_type), value_name = "TYPE")]
    pub capacity_type: Option<CapacityFilter>,
    /// Price tier of providers with several tiers: secure, community or any [default: the cheapest]. For
    /// `recommend`: with `list`, its default, marketplaces, consumer cards and weak prices rank below other
    /// offers; with `any`, all rank together
    #[arg(long, value_name = "TIER", add = values::tier())]
    pub tier: Option<String>,
    /// Exclude machines that cost more than this per hour
    #[arg(long, value_name = "USD", allow_negative_numbers = true, value_parser = usd)]
    pub max_price: Option<f64>,
    /// Only offers whose price is at most this old (12h, 30d, 90d); exits 7 if no offer is left
    #[arg(long, value_name = "AGE", allow_hyphen_values = true, value_parser = durations::age)]
    pub max_age: Option<Duration>,
    /// Price that ranks and limits machines: likely (of today, estimated) or stated (as last seen) [default: likely]
    #[arg(long, value_parser = any_word::<PriceBasis>(), value_name = "PRICE")]
    pub price: Option<PriceBasis>,
    /// Show at most N offers, machines or candidates [default: recommend 10, plan 15, else no limit]
    #[arg(long, value_name = "N", value_parser = from_one)]
    pub limit: Option<u32>,
    /// Show prices in this currency (EUR, GBP, …), at a dated rate of the catalog; limits stay in USD
    #[arg(long, value_name = "CODE", add = values::currency())]
    pub currency: Option<String>,
}

/// Live queries.
#[derive(Debug, Args)]
#[command(next_help_heading = LIVE)]
pub struct LiveArgs {
    /// Query the providers for current offers, prices and stock, with your keys or, where that is allowed,
    /// without a key
    #[arg(long)]
    pub live: bool,
    /// Also query without a key where a provider's terms restrict automated access: RunPod, Vast.ai
    #[arg(long, requires = "live")]
    pub public: bool,
    /// Query again even if an answer is cached
    #[arg(long, requires = "live", conflicts_with = "offline")]
    pub refresh: bool,
    /// Timeout for each provider, up to 10m; a number without a unit is in seconds
    #[arg(long, value_name = "TIME", requires = "live", default_value = "30s", allow_hyphen_values = true, value_parser = durations::timeout)]
    pub timeout: Duration,
    /// AWS: show the spot placement score (1 to 10) by region
    #[arg(long, requires = "live")]
    pub spot_scores: bool,
    /// AWS: show capacity blocks of this many hours [default without a value: 24]
    #[arg(long, value_name = "HOURS", requires = "live", num_args = 0..=1, default_missing_value = "24", require_equals = true, value_parser = whole::<1, 4368>)]
    pub capacity_blocks: Option<u32>,
    /// AWS: check whether the account's quota allows one machine of the type
    #[arg(long, requires = "live")]
    pub check_quota: bool,
}

/// Whether a capacity filter can be requested; without the flag it is unspecified.
pub fn is_capacity_type(filter: CapacityFilter) -> bool {
    filter != CapacityFilter::Unspecified
}
