//! Ranges of prices, now and in the past.

use std::borrow::Cow;

use serde::Serialize;
use sky_accel_core::catalog::{CapacityType, MarketKind, PriceKind, Quality};
use sky_accel_core::market::{PriceSpread, Standing};
use sky_accel_core::resolve::Reason;

use super::Num;

/// The prices of an accelerator in one kind of market. All amounts are US dollars per hour for one accelerator.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MarketOut<'a> {
    /// The catalog's id of the accelerator.
    pub accelerator: &'a str,
    /// The kind of market: `list` (neoclouds), `hyperscaler-list`, `marketplace`, `spot` or `hyperscaler-spot`.
    pub kind: MarketKind,
    /// How the capacity is bought: `on-demand` or `spot`.
    pub capacity_type: CapacityType,
    /// The lowest likely price of each provider today, without prices in doubt if there are others; omitted without an
    /// offer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub today: Option<SpreadOut>,
    /// The offer to try first; omitted without an offer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cheapest: Option<CheapestOut<'a>>,
    /// The lowest dated price of each provider in each quarter since 2023, the oldest first. Quarters without a dated
    /// price are left out.
    pub quarters: Vec<QuarterOut>,
}

/// The lowest prices of several providers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpreadOut {
    /// The number of providers.
    pub sources: usize,
    /// The lowest price.
    #[serde(rename = "low_usd_per_accelerator_hour")]
    pub low_usd: Num,
    /// A quarter of the providers charge at most this.
    #[serde(rename = "p25_usd_per_accelerator_hour")]
    pub p25_usd: Num,
    /// Half of the providers charge at most this.
    #[serde(rename = "median_usd_per_accelerator_hour")]
    pub median_usd: Num,
    /// Three quarters of the providers charge at most this.
    #[serde(rename = "p75_usd_per_accelerator_hour")]
    pub p75_usd: Num,
    /// The highest price.
    #[serde(rename = "high_usd_per_accelerator_hour")]
    pub high_usd: Num,
}

impl From<PriceSpread> for SpreadOut {
    fn from(spread: PriceSpread) -> Self {
        Self {
            sources: spread.sources,
            low_usd: Num(spread.low),
            p25_usd: Num(spread.p25),
            median_usd: Num(spread.median),
            p75_usd: Num(spread.p75),
            high_usd: Num(spread.high),
        }
    }
}

/// The prices of a quarter of a year.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QuarterOut {
    /// The quarter, such as `2026-Q3`.
    pub quarter: String,
    /// The prices.
    #[serde(flatten)]
    pub prices: SpreadOut,
}

/// The offer to try first: the lowest likely price among confirmed prices or, without one, among all.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheapestOut<'a> {
    /// The id of the provider.
    pub provider: &'a str,
    /// The provider's id of the machine.
    pub instance_type: &'a str,
    /// The region of the price; omitted if it applies to all regions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<&'a str>,
    /// The price as it was last seen.
    #[serde(rename = "usd_per_accelerator_hour")]
    pub usd: Num,
    /// The likely price of today.
    #[serde(rename = "likely_usd_per_accelerator_hour")]
    pub likely_usd: Num,
    /// The lower end of the band that holds four of five likely prices.
    #[serde(rename = "low_usd_per_accelerator_hour")]
    pub low_usd: Num,
    /// The upper end of the band.
    #[serde(rename = "high_usd_per_accelerator_hour")]
    pub high_usd: Num,
    /// The provider's page with the offer or its prices. Omitted if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<Cow<'a, str>>,
    /// The origin of the price; `contract` is the user's own.
    pub kind: PriceKind,
    /// The date of the price: a day, a month or a year.
    pub as_of: &'a str,
    /// The number of sources that have stated a price of the offer.
    pub sources: u8,
    /// The reliability of the price.
    pub quality: Quality,
    /// The age of the price in days; omitted if its date is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age_days: Option<i32>,
    /// The source of the price.
    pub source: &'a str,
    /// Stable codes of the reasons to check the price, as in `resolve`; omitted if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    /// The likely price compared with recent prices of all providers; omitted if fewer than three have any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<ComparisonOut>,
}

/// A price compared with the recent prices of all providers that sell the same capacity type.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparisonOut {
    /// The distance from the median in whole percent; negative below it.
    pub percent: i32,
    /// The median of the newest prices of the providers in the last six months.
    #[serde(rename = "median_usd_per_accelerator_hour")]
    pub median_usd: Num,
    /// The number of providers.
    pub sources: usize,
    /// The comparison as text. The wording may change.
    pub text: String,
}

impl From<Standing> for ComparisonOut {
    fn from(standing: Standing) -> Self {
        Self {
            percent: standing.percent,
            median_usd: Num(standing.median),
            sources: standing.sources,
            text: standing.to_string(),
        }
    }
}

/// A price of the past in US dollars per hour for one accelerator.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PastPriceOut<'a> {
    /// The catalog's id of the accelerator.
    pub accelerator: &'a str,
    /// The kind of market, as in the document of `prices`.
    pub kind: MarketKind,
    /// How the capacity is bought: `on-demand` or `spot`.
    pub capacity_type: CapacityType,
    /// The origin of the price: `list` or `snapshot`.
    pub price_kind: PriceKind,
    /// The id of the provider.
    pub provider: &'a str,
    /// The first day on which the price was seen.
    pub from: String,
    /// The last day on which the price was seen.
    pub until: String,
    /// The lowest price of all machines and regions.
    #[serde(rename = "usd_per_accelerator_hour")]
    pub usd: Num,
    /// The median of all machines and regions.
    #[serde(rename = "median_usd_per_accelerator_hour")]
    pub median_usd: Num,
    /// The highest price of all machines and regions.
    #[serde(rename = "high_usd_per_accelerator_hour")]
    pub high_usd: Num,
    /// The source of the price.
    pub source: &'a str,
}

/// Additional fields of the documents of `prices`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PricesParts<'a> {
    /// The requested currency; omitted for US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<RateOut<'a>>,
}

/// A currency, with its rate. Amounts in the document stay in US dollars.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RateOut<'a> {
    /// The ISO 4217 code, such as `EUR`.
    pub code: &'a str,
    /// US dollars per unit.
    pub usd_rate: Num,
    /// The date of the rate.
    pub rate_as_of: &'a str,
}
