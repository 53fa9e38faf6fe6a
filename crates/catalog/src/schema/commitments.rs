//! `[[commitment_program]]` and `[[commitment]]`: prices for a promise to pay for a term.

use serde::{Deserialize, Serialize};

use super::{HourlyAmount, Spanned, SpannedText};

/// A kind of commitment that a provider sells. A later layer replaces it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CommitmentProgramEntry {
    /// The id of the provider; `sold_by` of the file if it is `None`.
    pub provider: Option<SpannedText>,
    /// The id, to which commitments refer.
    pub id: SpannedText,
    /// The provider's name of it.
    pub name: SpannedText,
    /// The hours that it bills: `whole-term` or `used`. Default: `whole-term`.
    pub billing: Option<SpannedText>,
    /// The outcome at the end of the term.
    pub at_end: Option<SpannedText>,
    /// Whether the provider ends the machines at the end of the term. Default: `false`.
    #[serde(default)]
    pub ends_machines: bool,
    /// The days above which terms are whole weeks. Default: every length within a range of terms is sold.
    pub weeks_above_days: Option<u16>,
    /// A remark for users.
    pub note: Option<SpannedText>,
    /// Prices that are a constant part of the price without upfront payment.
    #[serde(default)]
    pub derived: Vec<DerivedPaymentEntry>,
    /// The source of the facts.
    pub source: SpannedText,
    /// The date of the source.
    pub as_of: SpannedText,
}

/// A price that is a constant part of the price without upfront payment.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DerivedPaymentEntry {
    /// The term, such as `1y`.
    pub term: SpannedText,
    /// The payment: `partial` or `all`.
    pub upfront: SpannedText,
    /// The share of the price without upfront payment.
    pub share: Spanned<f64>,
    /// The source of the share.
    pub source: SpannedText,
    /// The date of the source.
    pub as_of: SpannedText,
}

/// The price of offers under a commitment. It replaces the price of an earlier layer region by region.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CommitmentEntry {
    /// The id of the kind of commitment.
    pub program: SpannedText,
    /// The provider's ids of the offers; every offer of the provider if it is empty.
    #[serde(default)]
    pub offers: Vec<SpannedText>,
    /// The terms: `1y`, `3mo`, `7d`, `1d-182d`, `1mo+`.
    pub terms: Vec<SpannedText>,
    /// The payment: `none`, `partial` or `all`; unknown if it is `None`.
    pub upfront: Option<SpannedText>,
    /// The provider's name of the price tier; every tier if it is `None`.
    pub tier: Option<SpannedText>,
    /// US dollars per hour for the whole machine.
    pub usd_per_hour: Option<Spanned<HourlyAmount>>,
    /// US dollars per hour for one accelerator, with its share of the machine.
    pub usd_per_accelerator_hour: Option<Spanned<HourlyAmount>>,
    /// US dollars per hour for one accelerator without the rest of the machine.
    pub usd_per_accelerator_alone_hour: Option<Spanned<HourlyAmount>>,
    /// The share of the price on demand.
    pub share_of_on_demand: Option<Spanned<HourlyAmount>>,
    /// The greatest discount that the provider states, if it publishes no price.
    pub up_to_discount: Option<Spanned<f64>>,
    /// Whether the price is the lowest of several. Default: `false`.
    #[serde(default)]
    pub is_lowest: bool,
    /// The quality of the price. Default: `provider`.
    pub quality: Option<SpannedText>,
    /// A remark for users.
    pub note: Option<SpannedText>,
    /// The source of the price.
    pub source: SpannedText,
    /// The date of the price.
    pub as_of: SpannedText,
}

impl CommitmentEntry {
    /// Returns the stated figures, each with its field.
    pub fn figures(&self) -> impl Iterator<Item = &Spanned<HourlyAmount>> {
        [
            &self.usd_per_hour,
            &self.usd_per_accelerator_hour,
            &self.usd_per_accelerator_alone_hour,
            &self.share_of_on_demand,
        ]
        .into_iter()
        .flatten()
    }

    /// Returns the number of rows that the entry makes.
    pub fn rows(&self) -> usize {
        let places: usize = self
            .figures()
            .map(|figure| match figure.get_ref() {
                HourlyAmount::Everywhere(_) => 1,
                HourlyAmount::ByRegion(by_region) => by_region.len(),
            })
            .sum();
        places.max(1) * self.terms.len() * self.offers.len().max(1)
    }
}
