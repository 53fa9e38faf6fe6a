//! `[[charge]]`: what providers bill besides machines.

use serde::{Deserialize, Serialize};

use super::{Spanned, SpannedText};

/// A charge of a provider, or a rule of its bill. A later layer replaces it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChargeEntry {
    /// The id of the provider; `sold_by` of the file if it is `None`.
    pub provider: Option<SpannedText>,
    /// The thing that is billed: a word of `ChargeItem`.
    pub item: SpannedText,
    /// The regions where it holds, in place of the charge without regions. Default: all others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regions: Vec<SpannedText>,
    /// The rule. Default: `priced`.
    pub rule: Option<SpannedText>,
    /// The start of the ids of offers for which it is free.
    pub except: Option<SpannedText>,
    /// The price of a unit.
    pub price: Option<Spanned<f64>>,
    /// The unit of the price.
    pub per: Option<SpannedText>,
    /// The code of the currency. Default: `USD`.
    pub currency: Option<SpannedText>,
    /// The units of each month that cost nothing; of addresses, the number on each machine.
    pub free: Option<Spanned<u64>>,
    /// The prices of larger amounts, the smallest amount first.
    #[serde(default)]
    pub tiers: Vec<ChargeTierEntry>,
    /// The time that a start takes at least and at most.
    pub seconds: Option<[Spanned<u32>; 2]>,
    /// The hours that a rental is billed at least.
    pub hours: Option<Spanned<u32>>,
    /// A remark for users.
    pub note: Option<SpannedText>,
    /// The certainty: `high`, `medium` or `low`.
    pub sure: SpannedText,
    /// The source of the fact.
    pub source: SpannedText,
    /// The date of the source.
    pub as_of: SpannedText,
}

/// The price of the part of an amount that is above a bound.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChargeTierEntry {
    /// The bound in units of each month, counted after the free units.
    pub above: Spanned<u64>,
    /// The price of a unit.
    pub price: Spanned<f64>,
}
