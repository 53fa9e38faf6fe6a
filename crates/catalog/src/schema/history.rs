//! `[[history]]`: prices of the past.

use serde::{Deserialize, Serialize};

use super::{Spanned, SpannedText};

/// The past prices of a provider from one source. Entries of all layers count.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HistoryEntry {
    /// The id of the provider; `sold_by` of the file if it is `None`.
    pub provider: Option<SpannedText>,
    /// How capacity is bought: `on-demand` or `spot`. Default: `on-demand`.
    pub capacity_type: Option<SpannedText>,
    /// The origin of the prices: `list` or `snapshot`. Default: `list`.
    pub kind: Option<SpannedText>,
    /// The source of the prices.
    pub source: SpannedText,
    /// The prices.
    pub prices: Vec<PastPriceEntry>,
}

/// The price of one accelerator from one day to another.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PastPriceEntry {
    /// The id of the accelerator.
    pub accelerator: SpannedText,
    /// The first day on which the price was seen.
    pub from: SpannedText,
    /// The last day on which it was seen. Default: `from`.
    pub until: Option<SpannedText>,
    /// USD per hour for one accelerator: the lowest of all machines and regions.
    pub usd: Spanned<f64>,
    /// The median of all machines and regions. Default: `usd`.
    pub median: Option<Spanned<f64>>,
    /// The highest of all machines and regions. Default: `median`.
    pub high: Option<Spanned<f64>>,
}
