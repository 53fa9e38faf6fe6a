//! Vast.ai: a marketplace of single machines, found by search.

mod request;
mod response;

use std::time::Duration;

use reqwest::StatusCode;

use crate::cache::Key;
use crate::context::Context;
use crate::credentials::{Environment, is_header_safe};
use crate::error::{ErrorKind, ProviderError};
use crate::http::Call;
use crate::offer::{Capacity, Dropped, Listing, Offer};
use crate::query::Query;
use crate::secret::Secrets;
use crate::{Provider, offer};

const ID: &str = "vastai";
const BASE_URL: &str = "https://console.vast.ai";
const BASE_URL_VARIABLE: &str = "VAST_URL";
const KEY_VARIABLE: &str = "VAST_API_KEY";
const KEY_FILE: &str = "vastai/vast_api_key";
const OLD_KEY_FILE: &str = ".vast_api_key";
/// How long a marketplace's answer is kept.
const KEEP: Duration = Duration::from_secs(3600);

/// An account at Vast.ai.
#[derive(Debug)]
pub struct VastAi {
    base_url: String,
    key: String,
    secrets: Secrets,
}

impl VastAi {
    pub fn from_environment(environment: &Environment<'_>) -> Result<Self, ProviderError> {
        let key = environment
            .get(KEY_VARIABLE)
            .or_else(|| environment.text(environment.config(KEY_FILE)))
            .or_else(|| environment.text(environment.home(OLD_KEY_FILE)));
        let Some(key) = key
            .map(|key| key.trim().to_owned())
            .filter(|key| is_header_safe(key))
        else {
            let message =
                format!("no API key: set {KEY_VARIABLE}, or put it into ~/.config/{KEY_FILE}");
            return Err(ProviderError::new(ID, ErrorKind::CredentialsMissing, message)
                .hint("keys are made at Keys in the Vast.ai console; reading instances and offers is enough"));
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

    async fn search(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
        capacity: Capacity,
    ) -> Result<response::Found, ProviderError> {
        let call = Call {
            provider: ID,
            operation: match capacity {
                Capacity::OnDemand => "searching on-demand offers",
                Capacity::Spot => "searching interruptible offers",
            },
            secrets: &self.secrets,
            explain: &explain,
        };
        let url = format!("{}/api/v0/bundles/", self.base_url);
        let body = request::search(query, capacity);
        let reply = context
            .read(&call, |client| {
                client.post(&url).bearer_auth(&self.key).json(&body)
            })
            .await?;
        response::parse(&reply.body, capacity, query.disk_gb)
    }

    async fn fetch(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> Result<(Vec<Offer>, Vec<Dropped>), ProviderError> {
        let one = async |wanted: bool, capacity| {
            if wanted {
                self.search(query, context, capacity).await.map(Some)
            } else {
                Ok(None)
            }
        };
        let (on_demand, spot) = futures_util::future::try_join(
            one(query.on_demand, Capacity::OnDemand),
            one(query.spot, Capacity::Spot),
        )
        .await?;
        Ok(response::offers(on_demand.into_iter().chain(spot)))
    }
}

impl Provider for VastAi {
    const ID: &'static str = ID;

    async fn listing(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> Result<Listing, ProviderError> {
        let question = (
            request::search(query, Capacity::OnDemand),
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

/// Refused keys, and the search quota of the day.
fn explain(status: StatusCode, body: &[u8]) -> Option<ProviderError> {
    let contains = |words: &str| memchr::memmem::find(body, words.as_bytes()).is_some();
    match status.as_u16() {
        401 | 403 => Some(key_refused()),
        404 if contains("user key") => Some(key_refused()),
        429 if contains("search_quota_exceeded") => {
            let message = "the searches of this day are used up";
            Some(
                ProviderError::new(ID, ErrorKind::DailyQuota, message)
                    .hint("they come back at 00:00 UTC"),
            )
        }
        _ => None,
    }
}

fn key_refused() -> ProviderError {
    let message = format!(
        "the API key is refused (from {KEY_VARIABLE}, ~/.config/{KEY_FILE} or ~/{OLD_KEY_FILE})"
    );
    ProviderError::new(ID, ErrorKind::CredentialsRefused, message)
        .hint("check that it is whole and not revoked, and that it may search offers")
}
