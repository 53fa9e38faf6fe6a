//! The public lists of prices of tokens.

use jiff::Timestamp;
use serde_json::Value;

#[derive(Clone, Debug)]
pub struct TokenListsShop {
    /// The date of both lists.
    pub published: Timestamp,
    /// The document of litellm.
    pub litellm: Value,
    /// The document of genai-prices.
    pub genai_prices: Value,
}

impl Default for TokenListsShop {
    fn default() -> Self {
        let document = |text| serde_json::from_str(text).unwrap_or_default();
        Self {
            published: Timestamp::now(),
            litellm: document(include_str!("litellm.json")),
            genai_prices: document(include_str!("genai-prices.json")),
        }
    }
}
