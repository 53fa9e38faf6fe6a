//! Quotas of the user's accounts.

use serde::Serialize;
use sky_accel_core::catalog::CapacityType;
use sky_accel_live::QuotaUnit;

use super::Num;
use crate::filter::OfferFilter;

/// The machines whose quotas are requested, as they were understood.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QuotaEcho {
    /// The spec in canonical form.
    pub spec: String,
    /// The filter on offers. Its providers are the queried providers.
    #[serde(flatten)]
    pub offers: OfferFilter,
    /// The number of machines that are needed together.
    pub nodes: u32,
}

/// A quota of the account that a machine counts against.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AccountQuotaOut<'a> {
    /// The id of the provider.
    pub provider: &'a str,
    /// The provider's id of the region; `null` if the quota holds for all regions together.
    pub region: Option<String>,
    /// `on-demand` or `spot`.
    pub capacity_type: CapacityType,
    /// The provider's id of the machine.
    pub instance_type: String,
    /// The catalog's id of the accelerator.
    pub accelerator: &'a str,
    /// The number of accelerators of the machine.
    pub count: Num,
    /// The provider's code of the quota.
    pub code: String,
    /// The provider's name of the quota; `null` if it has none.
    pub name: Option<String>,
    /// The unit of the figures: `vcpus`, `accelerators` or `machines`.
    pub unit: QuotaUnit,
    /// True if the provider sets no limit.
    pub unlimited: bool,
    /// The limit; `null` without a limit.
    pub limit: Option<Num>,
    /// The amount in use, rounded by the provider; `null` if unknown.
    pub used: Option<Num>,
    /// The amount that is left; `null` without a limit, and if the use is unknown.
    pub left: Option<Num>,
    /// The amount that one machine needs; `null` if unknown.
    pub needed: Option<Num>,
    /// The number of these machines that the quota still admits; `null` without a limit, and if the need of a
    /// machine is unknown. If the use is unknown, this is the most: nothing counts as used.
    pub machines_left: Option<u64>,
    /// True if the quota admits the requested number of machines; `null` if the need of a machine is unknown, and
    /// if the limit would suffice but the use is unknown.
    pub admits: Option<bool>,
    /// True if the provider raises the limit on request; `null` if unknown.
    pub adjustable: Option<bool>,
    /// How to raise the limit so that it suffices. Omitted if the quota admits the machines, the need is
    /// unknown, or the provider does not raise it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raise: Option<RaiseOut>,
}

/// How to raise a quota.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RaiseOut {
    /// The lowest limit that admits the machines beside the use.
    pub limit: u64,
    /// The command of the provider's own tool that requests this limit. It is printed, never run. `null` if
    /// the tool has none.
    pub command: Option<String>,
    /// The address of the page where users request a limit; `null` if unknown.
    pub url: Option<String>,
}
