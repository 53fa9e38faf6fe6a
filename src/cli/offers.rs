//! Options of several commands: filters on offers, and live queries.

use std::time::Duration;

use clap::Args;
use sky_accel_core::catalog::Upfront;
use sky_accel_core::resolve::{CapacityFilter, Interconnect, PriceBasis};

use super::durations;
use super::numbers::{from_one, host_memory, positive, usd, whole};
use super::words::{any_word, words_where};
use crate::completion::values;

/// Help heading of the flags for live queries.
pub const LIVE: &str = "Live answers";

/// Filters on offers.
#[derive(Clone, Debug, Args)]
pub struct OfferArgs {
    /// Only these: aws, hyperscalers; `!aws` excludes it
    ///
    /// An id, a name or a group of providers: hyperscalers, marketplaces, neoclouds, brokers and eu. The option is
    /// repeatable.
    #[arg(long, value_name = "ID", value_delimiter = ',', add = values::provider())]
    pub provider: Vec<String>,
    /// Only these: us-east-1, eu-*, Germany, EU
    ///
    /// A region, a pattern, a country or a group of countries: EU, EEA, Europe, Asia and others. The option is
    /// repeatable.
    #[arg(long, value_name = "REGION", value_delimiter = ',', add = values::region())]
    pub region: Vec<String>,
    /// Capacity type to price: on-demand, spot or any
    ///
    /// With any, the cheaper type ranks; `plan` tries both. By default, on-demand prices rank, and spot prices are
    /// shown too; `plan` tries on-demand only.
    #[arg(long, value_parser = words_where(is_capacity_type), value_name = "TYPE")]
    pub capacity_type: Option<CapacityFilter>,
    /// Price tier of providers with several tiers: secure, community or any [default: the provider's own
    /// machines before those of private hosts]. For `recommend`: with `list`, its default, marketplaces,
    /// consumer cards and weak prices rank below other offers; with `any`, all rank together
    #[arg(long, value_name = "TIER", add = values::tier(), hide_short_help = true)]
    pub tier: Option<String>,
    /// Exclude machines above this price per hour
    #[arg(long, value_name = "USD", allow_negative_numbers = true, value_parser = usd)]
    pub max_price: Option<f64>,
    /// Only prices of at most this age: 12h, 30d
    ///
    /// If no price is left, the exit code is 7.
    #[arg(long, value_name = "AGE", allow_hyphen_values = true, value_parser = durations::age)]
    pub max_age: Option<Duration>,
    /// Price that ranks and limits machines: likely (of today, estimated) or stated (as last seen) [default: likely]
    #[arg(long, value_parser = any_word::<PriceBasis>(), value_name = "PRICE", hide_short_help = true)]
    pub price: Option<PriceBasis>,
    /// Only machines with at least this many vCPUs
    ///
    /// Machines with an unknown number are left out.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = positive, hide_short_help = true)]
    pub min_vcpu: Option<f64>,
    /// Only machines with at least this much host memory: 256GB, 1TB
    ///
    /// Without a unit, the size is in GB. Machines with unknown memory are left out.
    #[arg(long, value_name = "SIZE", value_parser = host_memory, hide_short_help = true)]
    pub min_host_memory: Option<f64>,
    /// Only machines with this link, in a machine or between machines
    #[arg(long, value_parser = any_word::<Interconnect>(), value_name = "KIND", hide_short_help = true)]
    pub interconnect: Option<Interconnect>,
    /// Leave out machines that are known to be out of stock or excluded by a quota
    ///
    /// Machines of unknown stock stay, behind machines in stock. Only --live knows stock.
    #[arg(long, hide_short_help = true)]
    pub available: bool,
    /// Show at most N rows
    ///
    /// By default, `recommend` shows 10 rows, `plan` 15, and `resolve` the best of each provider.
    #[arg(long, value_name = "N", value_parser = from_one)]
    pub limit: Option<u32>,
    /// Show prices in this currency, such as EUR
    ///
    /// The rate is a dated rate of the catalog. Limits stay in USD.
    #[arg(long, value_name = "CODE", add = values::currency())]
    pub currency: Option<String>,
}

/// The time for which totals are shown.
#[derive(Clone, Copy, Debug, Args)]
#[group(multiple = false)]
pub struct HoursArgs {
    /// Add the total for this time: 100, 90m or 2d
    ///
    /// A number without a unit is in hours. The total is the price of today for the hours that the provider bills; it
    /// is not a committed price.
    #[arg(long, value_name = "HOURS", allow_negative_numbers = true, value_parser = durations::hours)]
    pub hours: Option<f64>,
    /// Add the total for 730 hours
    #[arg(long)]
    pub month: bool,
    /// Add the total for 8,760 hours
    #[arg(long)]
    pub year: bool,
}

impl HoursArgs {
    /// Returns the given flag; `None` without a time.
    pub fn flag(self) -> Option<&'static str> {
        match self {
            Self { month: true, .. } => Some("--month"),
            Self { year: true, .. } => Some("--year"),
            Self { hours, .. } => hours.map(|_| "--hours"),
        }
    }

    /// Hours of a month: a twelfth of a year, as providers count.
    const MONTH: f64 = 730.0;
    /// Hours of a year of 365 days.
    const YEAR: f64 = 8_760.0;

    /// Returns the hours; `None` without a time.
    pub fn value(self) -> Option<f64> {
        match self {
            Self { month: true, .. } => Some(Self::MONTH),
            Self { year: true, .. } => Some(Self::YEAR),
            Self { hours, .. } => hours,
        }
    }
}

/// Commitments whose prices rank offers.
#[derive(Clone, Debug, Default, Args)]
pub struct CommitArgs {
    /// Rank by committed prices: 1y, 3y, 7d or any
    ///
    /// Reserved instances, savings plans, committed use discounts, capacity blocks and others, each with its effective
    /// price, its discount and its break-even. Offers without a known committed price are left out, with their number.
    #[arg(long, value_name = "TERM")]
    pub commit: Option<String>,
    /// Upfront payment of the commitment: none, partial or all [default: the smallest available]
    #[arg(long, value_name = "PART", value_parser = any_word::<Upfront>(), requires = "commit", hide_short_help = true)]
    pub upfront: Option<Upfront>,
}

/// Live queries.
#[derive(Debug, Args)]
#[command(next_help_heading = LIVE)]
pub struct LiveArgs {
    /// Query the providers for current offers, prices and stock
    ///
    /// The queries use your keys or, where that is allowed, no key.
    #[arg(long)]
    pub live: bool,
    /// Also query without a key where a provider's terms restrict automated access: RunPod, Vast.ai
    #[arg(long, requires = "live", hide_short_help = true)]
    pub public: bool,
    /// Query again even if an answer is cached
    #[arg(
        long,
        requires = "live",
        conflicts_with = "offline",
        hide_short_help = true
    )]
    pub refresh: bool,
    /// Timeout for each provider, up to 10m; a number without a unit is in seconds
    #[arg(long, value_name = "TIME", requires = "live", default_value = "30s", allow_hyphen_values = true, value_parser = durations::timeout, hide_short_help = true)]
    pub timeout: Duration,
    /// Ask AWS for spot placement scores (1 to 10) too; Azure and Google Cloud always report their own scores
    ///
    /// AWS scores sets of at least three instance types with equal accelerators, for the number of machines of --nodes.
    #[arg(long, requires = "live", hide_short_help = true)]
    pub spot_scores: bool,
    /// Show blocks of AWS and Google Cloud that can be reserved for this many hours [default without a value: 24]
    #[arg(long, value_name = "HOURS", requires = "live", num_args = 0..=1, default_missing_value = "24", require_equals = true, value_parser = whole::<1, 4368>, hide_short_help = true)]
    pub capacity_blocks: Option<u32>,
    /// Check whether the account's quotas allow the machines, where a provider reports quotas, and show what is left
    #[arg(long, requires = "live", hide_short_help = true)]
    pub check_quota: bool,
}

/// Whether a capacity filter can be requested; without the flag it is unspecified.
pub fn is_capacity_type(filter: CapacityFilter) -> bool {
    filter != CapacityFilter::Unspecified
}
