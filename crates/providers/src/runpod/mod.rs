//! RunPod: GPU types by the count, priced per GPU, in stock per data center.
//!
//! Two requests to its GraphQL API, the only one that knows spot prices and stock by place: what
//! types and data centers there are, then price and stock of the wanted ones by count and place.

mod request;
mod response;

use std::time::Duration;

use reqwest::StatusCode;
use serde::Deserialize;

use crate::cache::Key;
use crate::context::Context;
use crate::credentials::{Environment, is_header_safe};
use crate::error::{ErrorKind, ProviderError};
use crate::http::Call;
use crate::offer::{Listing, Offer};
use crate::query::Query;
use crate::secret::Secrets;
use crate::{Provider, offer};

const ID: &str = "runpod";
const BASE_URL: &str = "https://api.runpod.io";
const BASE_URL_VARIABLE: &str = "RUNPOD_API_BASE_URL";
const KEY_VARIABLE: &str = "RUNPOD_API_KEY";
const KEY_FILE: &str = ".runpod/config.toml";
/// How long a marketplace's answer is kept.
const KEEP: Duration = Duration::from_secs(3600);

/// An account at RunPod.
#[derive(Debug)]
pub struct RunPod {
    base_url: String,
    key: String,
    secrets: Secrets,
}

/// The key file: that of the command-line tool, or of the Python package.
#[derive(Deserialize)]
struct KeyFile {
    #[serde(rename = "apiKey", alias = "apikey")]
    api_key: Option<String>,
    default: Option<KeySection>,
}

#[derive(Deserialize)]
struct KeySection {
    api_key: Option<String>,
}

impl RunPod {
    pub fn from_environment(environment: &Environment<'_>) -> Result<Self, ProviderError> {
        let in_file = || {
            let text = environment.text(environment.home(KEY_FILE))?;
            let file: KeyFile = toml::from_str(&text).ok()?;
            file.api_key.or_else(|| file.default?.api_key)
        };
        let key = environment.get(KEY_VARIABLE).or_else(in_file);
        let Some(key) = key
            .map(|key| key.trim().to_owned())
            .filter(|key| is_header_safe(key))
        else {
            let message = format!("no API key: set {KEY_VARIABLE}, or put it into ~/{KEY_FILE}");
            return Err(ProviderError::new(ID, ErrorKind::CredentialsMissing, message)
                .hint("keys are made at Settings > API Keys of the RunPod console; read access is enough"));
        };
        let base_url = environment.get(BASE_URL_VARIABLE);
        Ok(Self {
            base_url: base_url.map_or_else(
                || BASE_URL.to_owned(),
                |url| url.trim_end_matches('/').to_owned(),
            ),
            secrets: Secrets::new([key.as_str()]),
            key,
        })
    }

    async fn ask(
        &self,
        context: &Context<'_>,
        operation: &str,
        query: &str,
    ) -> Result<Vec<u8>, ProviderError> {
        let call = Call {
            provider: ID,
            operation,
            secrets: &self.secrets,
            explain: &explain,
        };
        let url = format!("{}/graphql", self.base_url);
        let body = serde_json::json!({ "query": query });
        let reply = context.read(&call, |client| {
            client.post(&url).bearer_auth(&self.key).json(&body)
        });
        Ok(reply.await?.body)
    }

    async fn fetch(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> Result<(Vec<Offer>, Vec<offer::Dropped>), ProviderError> {
        let body = self
            .ask(context, "listing GPU types", &request::types())
            .await?;
        let market = response::market(&body)?;
        let wanted = request::wanted(query, &market);
        let asked = wanted.batches.iter().map(async |batch| {
            let body = self
                .ask(context, "asking for prices and stock", &batch.text)
                .await?;
            response::quotes(&body, batch)
        });
        let quotes = futures_util::future::try_join_all(asked).await?.concat();
        Ok(response::offers(query, market, &quotes))
    }
}

impl Provider for RunPod {
    const ID: &'static str = ID;

    async fn listing(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> Result<Listing, ProviderError> {
        let question = (
            query.ids,
            query.counts,
            query.places,
            query.on_demand,
            query.spot,
        );
        let key = Key::new(ID, "offers", &question, &self.base_url, &self.key);
        let fetched = context
            .cached(&key, KEEP, || self.fetch(query, context))
            .await?;
        let (mut offers, dropped) = fetched.value;
        offer::stamp(&mut offers, fetched.at);
        Ok(Listing {
            offers,
            dropped,
            fetched_at: fetched.at,
            cached: fetched.cached,
            ..Listing::default()
        })
    }
}

/// What a refused key looks like.
fn explain(status: StatusCode, _body: &[u8]) -> Option<ProviderError> {
    matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN).then(key_refused)
}

fn key_refused() -> ProviderError {
    let message = format!("the API key is refused (from {KEY_VARIABLE} or ~/{KEY_FILE})");
    ProviderError::new(ID, ErrorKind::CredentialsRefused, message)
        .hint("check that it is whole and not revoked, and that it may read GraphQL")
}
