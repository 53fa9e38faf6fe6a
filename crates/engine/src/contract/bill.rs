//! The bill for the use of a machine, line by line.

use std::borrow::Cow;

use serde::Serialize;
use sky_accel_core::bill::{LineItem, OmissionReason};
use sky_accel_core::catalog::{CapacityType, Certainty, OfferKind, PriceKind, Quality, Status};
use sky_accel_core::resolve::Reason;

use super::{CommitmentOut, Num};

/// A machine with the bill for its use.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BilledOut<'a> {
    /// The alternative of the spec that the machine matches, in canonical form.
    pub spec: String,
    /// The id of the provider.
    pub provider: &'a str,
    /// The provider's id of the machine.
    pub instance_type: &'a str,
    /// The provider's page with the machine or its prices. Omitted if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<Cow<'a, str>>,
    /// The catalog's id of the accelerator.
    pub accelerator: &'a str,
    /// The number of accelerators.
    pub count: Num,
    /// The number of machines of the bill. Omitted for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u32>,
    /// The region of the price; omitted if it applies to all regions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<&'a str>,
    /// How the machine is bought: `on-demand` or `spot`.
    pub capacity_type: CapacityType,
    /// US dollars per hour for one machine, as last seen. The bill uses this price.
    pub usd_per_hour: Num,
    /// The likely price of today in US dollars per hour. It ranks the machine.
    pub likely_usd_per_hour: Num,
    /// The lower end of the band that holds four of five likely prices.
    pub low: Num,
    /// The upper end of the band.
    pub high: Num,
    /// The number of sources that have stated a price of the machine.
    pub sources: u8,
    /// The price tier. Omitted if the provider has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<&'a str>,
    /// The kind of the price.
    pub price_kind: PriceKind,
    /// The reliability of the price.
    pub price_quality: Quality,
    /// The date of the price: a day, a month or a year.
    pub as_of: &'a str,
    /// The age of the price in days; a month or a year without a day counts from its first day. `null` if unknown.
    pub age_days: Option<i32>,
    /// The rank of the machine by price per hour, from 1.
    pub price_rank: usize,
    /// The commitment whose price bills the machine. Omitted without `commit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commitment: Option<Box<CommitmentOut<'a>>>,
    /// The product: a machine, or a part or a service instead.
    pub sells: OfferKind,
    /// Whether the provider sells the machine: `offered`, or the obstacle.
    pub status: Status,
    /// Stable codes for unusual properties of the match, as in `resolve`; omitted if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    /// The total that ranks the machine, if it is not `usd_total_likely`: the same with usual amounts for lines that are
    /// not known. Omitted if all are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranking_cost: Option<Num>,
    /// The bill.
    #[serde(flatten)]
    pub bill: BillOut<'a>,
    /// True if an overlay may have changed the offer. Not serialized.
    #[serde(skip)]
    pub(crate) may_be_overlaid: bool,
}

/// A bill. All amounts are US dollars.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BillOut<'a> {
    /// The sum of the lines with an amount, at the stated price of the machine.
    pub usd_total: Num,
    /// The same at the machine's likely price of today. Bills rank by it, plus usual
    /// amounts for lines that are not known.
    pub usd_total_likely: Num,
    /// The number of lines that the total lacks, because their amount is not known. The total is too low by them.
    pub lines_not_known: usize,
    /// The state of the machine when it is not used: `stopped`, or `deleted` if a stopped machine is billed. Omitted if
    /// the machine is always used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub between_sessions: Option<OffState>,
    /// The lines.
    pub lines: Vec<BillLineOut<'a>>,
    /// The traps of the provider's bill that apply; omitted if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub traps: Vec<BillTrapOut<'a>>,
}

sky_accel_core::words! {
    /// The state of a machine that is not used.
    pub enum OffState {
        /// Stopped.
        Stopped = "stopped",
        /// Deleted.
        Deleted = "deleted",
    }
}

/// A line of a bill.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BillLineOut<'a> {
    /// The item.
    pub item: LineItem,
    /// The quantity, of all machines together; `null` if unknown.
    pub quantity: Option<Num>,
    /// The unit of the quantity.
    pub unit: BillUnit,
    /// Whether the amount is known and part of the total.
    pub known: bool,
    /// US dollars; `null` if the line is not part of the total.
    pub usd: Option<Num>,
    /// Why the total leaves the line out; omitted if it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<OmissionReason>,
    /// The amount at most, or for `prepaid` the payment; omitted if unknown, and for lines with an amount.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most_usd: Option<Num>,
    /// The quantity and the price as text. The wording may change.
    pub basis: String,
    /// A remark on the price; omitted without a remark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<&'a str>,
    /// The source of the price or the rule; omitted if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<&'a str>,
    /// The date of the source: a day, a month or a year; omitted if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<&'a str>,
    /// The certainty of the price or the rule: `high`, `medium` or `low`; omitted for machine time, whose price has its
    /// own quality, and if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sure: Option<Certainty>,
}

sky_accel_core::words! {
    /// The unit of a line of a bill.
    pub enum BillUnit {
        /// Hours of machines.
        Hour = "hour",
        /// 1,000,000,000 bytes of a disk, for a month of 730 hours.
        GbMonth = "GB-month",
        /// 1,000,000,000 bytes of traffic.
        Gb = "GB",
        /// Hours of addresses.
        AddressHour = "address-hour",
        /// Payments.
        Payment = "payment",
    }
}

/// A trap of a provider's bill.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BillTrapOut<'a> {
    /// The trap as text.
    pub text: &'a str,
    /// US dollars that it adds to the bill if it is not avoided; omitted if it adds no amount.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adds_usd: Option<Num>,
    /// The source.
    pub source: &'a str,
    /// The date of the source: a day, a month or a year.
    pub as_of: &'a str,
    /// The certainty.
    pub sure: Certainty,
}
