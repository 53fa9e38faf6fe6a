use serde::{Deserialize, Serialize};

use super::{Spanned, SpannedText};

/// A company that sells the use of models by the token. A later layer replaces it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TokenSellerEntry {
    /// The id, to which prices refer.
    pub id: SpannedText,
    /// The name for people.
    pub name: SpannedText,
    /// The page of its prices.
    pub page: Option<SpannedText>,
    /// Its names in lists of prices that other projects keep.
    #[serde(default)]
    pub aliases: Vec<SpannedText>,
}

/// The price of a model at a seller. A later layer replaces it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TokenPriceEntry {
    /// The id or a name of the model.
    pub model: SpannedText,
    /// The id of the seller.
    pub seller: SpannedText,
    /// The seller's name of the model.
    pub model_id: SpannedText,
    /// The kind of service or training, if there are several.
    pub variant: Option<SpannedText>,
    /// The format of the weights, if the seller states it.
    pub precision: Option<SpannedText>,
    /// The unit of the prices: tokens by default.
    pub unit: Option<SpannedText>,
    /// US dollars per million tokens of input.
    pub input_usd: Option<Spanned<f64>>,
    /// US dollars per million tokens of output, or per unit of work.
    pub output_usd: Option<Spanned<f64>>,
    /// US dollars per million tokens of input from the seller's cache.
    pub cached_usd: Option<Spanned<f64>>,
    /// The maximum context in tokens.
    pub context: Option<Spanned<f64>>,
    /// The first day of the price.
    pub since: Option<SpannedText>,
    /// The date on which the source had the price.
    pub as_of: SpannedText,
    /// The day on which the seller retires the model.
    pub retires: Option<SpannedText>,
    /// The source of the price.
    pub source: SpannedText,
}
