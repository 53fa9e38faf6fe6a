//! Public lists of prices of models behind APIs: litellm and genai-prices.
//!
//! Both are one JSON document of a project that collects the prices of many sellers. A row that cannot be read is left
//! out; only a document without rows fails.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use sky_accel_core::catalog::TokenUnit;

use crate::context::Context;
use crate::credentials::Environment;
use crate::error::ProviderError;
use crate::feed::Feed;
use crate::json::{Maybe, MaybeList, MaybeObject};
use crate::reading::DocumentAge;

/// The document does not change more often than projects merge changes.
const KEEP: Duration = Duration::from_secs(3600);
const MILLION: f64 = 1e6;
const HOUR_S: f64 = 3600.0;

/// A project that collects prices of models behind APIs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenFeed {
    /// The list of litellm, by the name of a model in its library.
    LiteLlm,
    /// The list of genai-prices, by seller.
    GenaiPrices,
}

/// A price in a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeedPrice {
    /// The list's name of the seller.
    pub seller: String,
    /// The seller's name of the model.
    pub model_id: String,
    /// The unit of the prices.
    pub unit: TokenUnit,
    /// US dollars per million tokens of input.
    pub input: Option<f64>,
    /// US dollars per million tokens of output, or per unit.
    pub output: Option<f64>,
    /// US dollars per million tokens of input from the seller's cache.
    pub cached: Option<f64>,
    /// The maximum context in tokens.
    pub context: Option<f64>,
    /// The day on which the seller retires the model.
    pub retires: Option<String>,
}

impl TokenFeed {
    /// Every list.
    pub const ALL: [Self; 2] = [Self::LiteLlm, Self::GenaiPrices];

    /// Returns the name of the project, as prices cite it.
    pub fn name(self) -> &'static str {
        match self {
            Self::LiteLlm => "litellm",
            Self::GenaiPrices => "genai-prices",
        }
    }

    /// Returns the address of the folder of the document, and the path of the document in it.
    fn address(self) -> (&'static str, &'static str) {
        match self {
            Self::LiteLlm => (
                "https://raw.githubusercontent.com/BerriAI/litellm/main",
                "model_prices_and_context_window.json",
            ),
            Self::GenaiPrices => (
                "https://raw.githubusercontent.com/pydantic/genai-prices/main/prices",
                "data.json",
            ),
        }
    }

    /// Downloads the document, and returns its prices on a day such as `2026-11-20`.
    ///
    /// # Errors
    ///
    /// Same as [`ProviderApi::query`](crate::ProviderApi::query).
    pub async fn prices(
        self,
        day: &str,
        environment: &Environment<'_>,
        context: &Context<'_>,
    ) -> Result<Vec<FeedPrice>, ProviderError> {
        let (base, path) = self.address();
        let base = environment.public_url(self.name(), base)?;
        let feed = Feed {
            provider: self.name(),
            operation: "reading its prices of tokens",
            url: format!("{base}/{path}"),
            question: None,
            keep: KEEP,
        };
        let mut reading = DocumentAge::default();
        let prices = context.document(&feed, &mut reading, |document| {
            self.read(&document.body, day)
                .filter(|prices| !prices.is_empty())
                .ok_or_else(|| feed.unreadable("not its documented list of prices"))
        });
        prices.await
    }

    /// Reads a document; `None` if it is not the list.
    fn read(self, body: &[u8], day: &str) -> Option<Vec<FeedPrice>> {
        match self {
            Self::LiteLlm => {
                let rows: BTreeMap<String, MaybeObject<LiteLlmRow>> =
                    serde_json::from_slice(body).ok()?;
                let rows = rows.into_iter();
                let prices = rows.filter_map(|(name, row)| row.0?.price(&name));
                Some(prices.collect())
            }
            Self::GenaiPrices => {
                let sellers: Vec<MaybeObject<GenaiSeller>> = serde_json::from_slice(body).ok()?;
                let sellers = sellers.into_iter().filter_map(|seller| seller.0);
                Some(sellers.flat_map(|seller| seller.prices(day)).collect())
            }
        }
    }
}

/// A model in the list of litellm. Prices are for one token, image, character or second.
#[derive(Default, Deserialize)]
#[serde(default)]
struct LiteLlmRow {
    litellm_provider: Maybe<String>,
    mode: Maybe<String>,
    input_cost_per_token: Maybe<f64>,
    output_cost_per_token: Maybe<f64>,
    cache_read_input_token_cost: Maybe<f64>,
    output_cost_per_image: Maybe<f64>,
    input_cost_per_image: Maybe<f64>,
    input_cost_per_second: Maybe<f64>,
    input_cost_per_character: Maybe<f64>,
    max_input_tokens: Maybe<f64>,
    deprecation_date: Maybe<String>,
}

impl LiteLlmRow {
    /// The price; `None` for a row without a seller or in an unknown unit.
    fn price(self, name: &str) -> Option<FeedPrice> {
        let seller = self.litellm_provider.0?;
        let per_million = |usd: Maybe<f64>| usd.0.map(|usd| usd * MILLION);
        let (unit, output) = match self.mode.0.as_deref() {
            Some("image_generation") => {
                let each = self.output_cost_per_image.0;
                (TokenUnit::Image, each.or(self.input_cost_per_image.0))
            }
            Some("audio_transcription") => {
                let second = self.input_cost_per_second.0;
                (TokenUnit::AudioHour, second.map(|usd| usd * HOUR_S))
            }
            Some("audio_speech") => {
                let character = self.input_cost_per_character;
                (TokenUnit::Characters, per_million(character))
            }
            Some("chat" | "completion" | "embedding" | "responses") => {
                (TokenUnit::Tokens, per_million(self.output_cost_per_token))
            }
            _ => return None,
        };
        let is_tokens = unit == TokenUnit::Tokens;
        Some(FeedPrice {
            // Most names begin with the library's name of the seller.
            model_id: match name.split_once('/') {
                Some((first, rest)) if first == seller => rest.to_owned(),
                _ => name.to_owned(),
            },
            seller,
            unit,
            input: per_million(self.input_cost_per_token).filter(|_| is_tokens),
            output,
            cached: per_million(self.cache_read_input_token_cost).filter(|_| is_tokens),
            context: self.max_input_tokens.0,
            retires: self.deprecation_date.0,
        })
    }
}

/// A seller in the list of genai-prices.
#[derive(Default, Deserialize)]
#[serde(default)]
struct GenaiSeller {
    id: Maybe<String>,
    models: MaybeList<MaybeObject<GenaiModel>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct GenaiModel {
    id: Maybe<String>,
    context_window: Maybe<f64>,
    deprecated: Maybe<bool>,
    /// An object, or a list of objects with the days on which each applies.
    prices: Value,
}

impl GenaiSeller {
    fn prices(self, day: &str) -> Vec<FeedPrice> {
        let Some(seller) = self.id.0 else {
            return Vec::new();
        };
        let models = self.models.0.unwrap_or_default().into_iter();
        let models = models.filter_map(|model| model.0);
        models
            .filter(|model| model.deprecated.0 != Some(true))
            .filter_map(|model| {
                let prices = prices_on(&model.prices, day)?;
                Some(FeedPrice {
                    seller: seller.clone(),
                    model_id: model.id.0?,
                    input: amount(prices, "input_mtok"),
                    output: amount(prices, "output_mtok"),
                    cached: amount(prices, "cache_read_mtok"),
                    context: model.context_window.0,
                    ..FeedPrice::default()
                })
            })
            .collect()
    }
}

/// Returns the prices of a model on a day: the last entry that has begun, if there are several. Ignores prices for
/// hours of the day.
fn prices_on<'v>(prices: &'v Value, day: &str) -> Option<&'v Value> {
    let Some(list) = prices.as_array() else {
        return prices.is_object().then_some(prices);
    };
    let applies = |entry: &&Value| match entry.get("constraint") {
        None | Some(Value::Null) => true,
        Some(constraint) => {
            let start = constraint.get("start_date").and_then(Value::as_str);
            start.is_some_and(|start| start <= day)
        }
    };
    list.iter().rev().find(applies)?.get("prices")
}

/// A price. If the price has tiers by the length of the prompt, the price for the shortest prompts.
fn amount(prices: &Value, field: &str) -> Option<f64> {
    let price = prices.get(field)?;
    price.as_f64().or_else(|| price.get("base")?.as_f64())
}

/// Reads a document for fuzzing.
pub(crate) fn parse(feed: TokenFeed, body: &[u8]) {
    let _ = feed.read(body, "2026-11-20");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_units_of_litellm() {
        let text = r#"{
            "sample_spec": {"litellm_provider": "one of ...", "mode": "one of ..."},
            "fireworks_ai/accounts/x": {"litellm_provider": "fireworks_ai", "mode": "chat", "input_cost_per_token": 9e-07,
                "output_cost_per_token": "1e-6", "cache_read_input_token_cost": 4.5e-07, "max_input_tokens": 131072,
                "deprecation_date": "2026-12-01"},
            "groq/whisper": {"litellm_provider": "groq", "mode": "audio_transcription", "input_cost_per_second": 3e-05},
            "flux": {"litellm_provider": "aiml", "mode": "image_generation", "output_cost_per_image": 0.04},
            "odd": {"litellm_provider": 5, "mode": ["chat"]},
            "none": 7
        }"#;
        let mut prices = TokenFeed::LiteLlm.read(text.as_bytes(), "").unwrap();
        prices.sort_by(|a, b| a.model_id.cmp(&b.model_id));
        let [chat, image, audio] = &prices[..] else {
            panic!("{prices:?}")
        };
        assert_eq!(chat.model_id, "accounts/x");
        let rounded = |usd: Option<f64>| usd.map(|usd| (usd * 1e6).round() / 1e6);
        assert_eq!(
            [chat.input, chat.output, chat.cached].map(rounded),
            [Some(0.9), Some(1.0), Some(0.45)]
        );
        assert_eq!(chat.retires.as_deref(), Some("2026-12-01"));
        assert_eq!((image.unit, image.output), (TokenUnit::Image, Some(0.04)));
        assert_eq!(audio.unit, TokenUnit::AudioHour);
        assert_eq!(rounded(audio.output), Some(0.108));
        assert!(TokenFeed::LiteLlm.read(b"[]", "").is_none());
    }

    #[test]
    fn reads_the_prices_of_a_day_of_genai_prices() {
        let text = r#"[{"id": "avian", "models": [
            {"id": "a", "context_window": 8192, "prices": {"input_mtok": {"base": 3, "tiers": []}, "output_mtok": 15}},
            {"id": "b", "prices": [{"prices": {"input_mtok": 1}}, {"constraint": {"start_date": "2026-10-01"}, "prices": {"input_mtok": 2}},
                {"constraint": {"start_date": "2027-01-01"}, "prices": {"input_mtok": 3}},
                {"constraint": {"start_time": "00:30:00Z"}, "prices": {"input_mtok": 4}}]},
            {"id": "c", "deprecated": true, "prices": {"input_mtok": 1}},
            {"prices": {"input_mtok": 1}}, 5
        ]}, {"models": 7}, null]"#;
        let prices = TokenFeed::GenaiPrices.read(text.as_bytes(), "2026-11-20");
        let found: Vec<_> = prices
            .unwrap()
            .into_iter()
            .map(|price| (price.model_id, price.input, price.output, price.context))
            .collect();
        assert_eq!(
            found,
            [
                ("a".to_owned(), Some(3.0), Some(15.0), Some(8192.0)),
                ("b".to_owned(), Some(2.0), None, None)
            ]
        );
        assert!(TokenFeed::GenaiPrices.read(b"{}", "").is_none());
    }
}
