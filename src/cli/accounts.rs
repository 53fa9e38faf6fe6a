//! Arguments of commands about the user's accounts: quotas and credentials.

use std::time::Duration;

use clap::{Args, Subcommand};
use sky_accel_core::resolve::CapacityFilter;
use sky_accel_engine::MAX_NODES;

use super::durations;
use super::examples;
use super::numbers::whole;
use super::offers::is_capacity_type;
use super::words::words_where;
use crate::completion::values;

#[derive(Debug, Args)]
pub struct QuotaArgs {
    /// A spec such as H100:x8
    #[arg(value_name = "SPEC", add = values::spec())]
    pub spec: String,
    /// The number of machines that are needed together
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<1, MAX_NODES>)]
    pub nodes: u32,
    /// Only these: aws, hyperscalers; `!aws` excludes it; repeatable
    #[arg(long, value_name = "ID", value_delimiter = ',', add = values::provider())]
    pub provider: Vec<String>,
    /// Only these: us-east-1, eu-*, Germany, EU; repeatable
    #[arg(long, value_name = "REGION", value_delimiter = ',', add = values::region())]
    pub region: Vec<String>,
    /// Only quotas of this capacity type: on-demand, spot or any [default: any]
    #[arg(long, value_parser = words_where(is_capacity_type), value_name = "TYPE")]
    pub capacity_type: Option<CapacityFilter>,
    /// Timeout for each provider, up to 10m; a number without a unit is in seconds
    #[arg(long, value_name = "TIME", default_value = "30s", allow_hyphen_values = true, value_parser = durations::timeout)]
    pub timeout: Duration,
}

#[derive(Debug, Subcommand)]
pub enum LiveCommand {
    /// Show which credentials of each provider are found, and what they lack
    ///
    /// Names variables and files, and never shows a value. Without --check, it sends no request.
    #[command(before_long_help = examples::DOCTOR)]
    Doctor(DoctorArgs),
}

#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Only these: aws, hyperscalers; `!aws` excludes it; repeatable
    #[arg(long, value_name = "ID", value_delimiter = ',', add = values::provider())]
    pub provider: Vec<String>,
    /// Also query each provider with credentials once, and report whether it accepts them
    #[arg(long, conflicts_with = "offline")]
    pub check: bool,
    /// Timeout for each provider, up to 10m; a number without a unit is in seconds
    #[arg(long, value_name = "TIME", requires = "check", default_value = "10s", allow_hyphen_values = true, value_parser = durations::timeout)]
    pub timeout: Duration,
}
