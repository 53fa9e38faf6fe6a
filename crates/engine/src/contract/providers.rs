//! Providers, as the catalog and the declarations of their live clients describe them.

use serde::Serialize;
use sky_accel_core::catalog::{CapacityType, Certainty, ChargeItem, ChargeRule, ChargeUnit};

use super::ShowOut;

/// A thing that `show` describes: an accelerator, or a provider. Only a provider has a `kind`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum ShownOut<'a> {
    /// An accelerator.
    Accelerator(Box<ShowOut<'a>>),
    /// A provider.
    Provider(Box<ProviderOut<'a>>),
}

impl<'a> ShownOut<'a> {
    /// Returns the id of the accelerator or the provider.
    pub fn id(&self) -> &'a str {
        match self {
            Self::Accelerator(show) => show.accelerator.id,
            Self::Provider(provider) => provider.id,
        }
    }

    /// Returns the accelerator; `None` for a provider.
    pub fn accelerator(&self) -> Option<&ShowOut<'a>> {
        match self {
            Self::Accelerator(show) => Some(show),
            Self::Provider(_) => None,
        }
    }
}

sky_accel_core::words! {
    /// The kind of a result of `show`.
    pub enum ShownKind {
        /// A provider.
        Provider = "provider",
    }
}

/// A kind of commitment that a provider sells.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SoldCommitmentOut<'a> {
    /// The id, such as `aws-standard-ri`.
    pub program: &'a str,
    /// The provider's name of it.
    pub name: &'a str,
    /// The terms, the shortest first.
    pub terms: Vec<String>,
}

/// A provider, with a summary of its offers. Retired offers do not count.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProviderOut<'a> {
    /// Always `provider`.
    pub kind: ShownKind,
    /// The id, such as `aws`.
    pub id: &'a str,
    /// The name for people.
    pub name: &'a str,
    /// Other names of the provider; or an empty list.
    pub aliases: Vec<&'a str>,
    /// The groups that it belongs to, such as `hyperscalers`; or an empty list.
    pub groups: Vec<&'a str>,
    /// True if it resells machines of other providers.
    pub broker: bool,
    /// True if its prices are bids: an auction or an order book.
    pub auction: bool,
    /// How use is billed, such as `per second, 1 minute minimum`; `null` if it is unknown.
    pub billing: Option<&'a str>,
    /// The billing unit in seconds: started units are billed as a whole; `null` if it is unknown.
    pub billing_unit_s: Option<u32>,
    /// The seconds of each start that are billed at least; omitted without a minimum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub billing_minimum_s: Option<u32>,
    /// The charges besides machines, and the rules of its bill; or an empty list.
    pub charges: Vec<ChargeOut<'a>>,
    /// The address of its documentation; `null` if it is unknown.
    pub docs: Option<&'a str>,
    /// The address of its page with prices. Omitted if it is unknown or depends on the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<&'a str>,
    /// The names of its price tiers, the default first; or an empty list.
    pub tiers: Vec<&'a str>,
    /// The kinds of commitments that it sells. Omitted if unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commitments: Vec<SoldCommitmentOut<'a>>,
    /// The capacity types with a price.
    pub capacity_types: Vec<CapacityType>,
    /// The ids of its regions, locations or data centers; empty if they are unknown.
    pub regions: Vec<&'a str>,
    /// The ids of the accelerators that it rents out, with all accelerators that an ambiguous name may mean.
    pub accelerators: Vec<&'a str>,
    /// The number of instance types: different ids of offers.
    pub instance_types: usize,
    /// The number of instance types with a price.
    pub priced_instance_types: usize,
    /// The date of the oldest price; `null` without a price.
    pub oldest_price: Option<&'a str>,
    /// The date of the newest price; `null` without a price.
    pub newest_price: Option<&'a str>,
    /// The maximum age in days of a current price of this provider.
    pub price_max_age_days: u16,
    /// The client for live answers; `null` if this provider has none.
    pub live: Option<LiveClientOut>,
    /// The plan targets that can rent its machines.
    pub targets: Vec<&'static str>,
}

/// A charge of a provider, or a rule of its bill.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChargeOut<'a> {
    /// The thing that is billed.
    pub item: ChargeItem,
    /// The region where it holds, in place of the charge of all other regions. Omitted for the charge of all others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<&'a str>,
    /// The rule.
    pub rule: ChargeRule,
    /// The price of a unit; omitted if a rule takes its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<PreciseNum>,
    /// The unit of the price; omitted without a price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per: Option<ChargeUnit>,
    /// The code of the currency of the price, such as `EUR`; omitted for US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<&'a str>,
    /// The units of each month that cost nothing; omitted if all units cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub free: Option<u64>,
    /// The prices of larger amounts, the smallest amount first; omitted without tiers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tiers: Vec<ChargeTierOut>,
    /// The seconds of a start or of a rental at least; omitted for other items.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_s: Option<u32>,
    /// The seconds of a start at most; omitted for other items.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_s: Option<u32>,
    /// A remark; omitted without a remark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<&'a str>,
    /// The certainty: `high`, `medium` or `low`.
    pub sure: Certainty,
    /// The source.
    pub source: &'a str,
    /// The date of the source: a day, a month or a year.
    pub as_of: &'a str,
}

/// The price of the part of an amount that is above a bound.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChargeTierOut {
    /// The bound in units of each month, counted after the free units.
    pub above: u64,
    /// The price of a unit.
    pub price: PreciseNum,
}

/// A price of a small unit, with nine decimal places.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(transparent)
)]
#[serde(transparent)]
pub struct PreciseNum(pub f64);

/// The client for live answers of a provider.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LiveClientOut {
    /// The data in answers without a key; empty if the provider answers only with a key.
    pub published: &'static str,
    /// The data that the provider has, but does not publish; `null` if it publishes everything. A key may
    /// give access to it.
    pub unpublished: Option<&'static str>,
    /// The terms that restrict automated access, so that a query without a key needs consent; `null` if
    /// consent is not needed.
    pub terms: Option<&'static str>,
    /// The environment variables that hold or lead to a key; empty if the provider takes no key.
    pub key_variables: Vec<&'static str>,
    /// The files that hold a key; empty if the provider takes no key.
    pub key_files: Vec<&'static str>,
    /// The rights that a key needs; `null` if the provider takes no key.
    pub key_rights: Option<&'static str>,
}
