//! RunPod: GPU types by the count, priced per GPU, in stock per data center.
//!
//! Two requests to its GraphQL API, the only one that knows spot prices and stock by place: what
//! types and data centers there are, then price and stock of the wanted ones by count and place.

mod offers;
mod request;
mod response;

use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::iter;
use reqwest::StatusCode;
use serde::Deserialize;

use crate::bearer::Bearer;
use crate::cache::{Answered, Key};
use crate::context::Context;
use crate::credentials::Environment;
use crate::error::{ErrorKind, ProviderError};
use crate::http::Call;
use crate::offer::{Found, Listing};
use crate::query::Query;
use crate::{Provider, offer};

use response::{DataCenter, Market};

const ID: &str = "runpod";
const BASE_URL: &str = "https://api.runpod.io";
const BASE_URL_VARIABLE: &str = "RUNPOD_API_BASE_URL";
const KEY_VARIABLE: &str = "RUNPOD_API_KEY";
const KEY_FILE: &str = ".runpod/config.toml";
/// A listing takes less than 1 MB.
const MAX_BODY: usize = 8 << 20;
/// How long a marketplace's answer is kept.
const KEEP: Duration = Duration::from_secs(3600);

/// Requests under way at once.
const CONCURRENT: usize = 6;
/// The most types whose stock is asked for place by place where no list tells it.
const MAX_TYPES_BY_PLACE: usize = 8;

/// An account at RunPod.
#[derive(Debug)]
pub struct RunPod {
    base_url: String,
    bearer: Bearer,
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
    /// Creates an account with the key in `RUNPOD_API_KEY` or in the file of RunPod's tools.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::CredentialsMissing`] if there is no usable key, and with
    /// [`ErrorKind::Network`] if the variable for the base URL is not an HTTP URL.
    pub fn from_environment(environment: &Environment<'_>) -> Result<Self, ProviderError> {
        let in_file = || {
            let text = environment.text(environment.home(KEY_FILE))?;
            let file: KeyFile = toml::from_str(&text).ok()?;
            file.api_key.or_else(|| file.default?.api_key)
        };
        let key = environment.get(KEY_VARIABLE).or_else(in_file);
        let Some(bearer) = key.as_deref().and_then(Bearer::new) else {
            let message = format!("no API key: set {KEY_VARIABLE}, or put it into ~/{KEY_FILE}");
            return Err(ProviderError::new(ID, ErrorKind::CredentialsMissing, message)
                .hint("keys are made at Settings > API Keys of the RunPod console; read access is enough. --public asks without a key: RunPod's terms restrict automated access, so that is for you to decide"));
        };
        Ok(Self {
            base_url: base_url(environment)?,
            bearer,
        })
    }

    /// Creates a client that sends no key, whatever the environment has.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Network`] if the variable for the base URL is not an HTTP URL.
    pub fn without_key(environment: &Environment<'_>) -> Result<Self, ProviderError> {
        Ok(Self {
            base_url: base_url(environment)?,
            bearer: Bearer::default(),
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
            secrets: self.bearer.secrets(),
            max_body: MAX_BODY,
            pace: None,
            explain: &explain,
        };
        let url = format!("{}/graphql", self.base_url);
        let body = serde_json::json!({ "query": query });
        let reply = context.read(&call, |client| {
            self.bearer.sign(client.post(&url)).json(&body)
        });
        Ok(reply.await?.body)
    }

    /// Types and data centers. Without a key, RunPod may keep the stock of data centers to itself:
    /// then it is asked again without it, and stock is known from the prices.
    async fn market(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> Result<(Market, Vec<ProviderError>), ProviderError> {
        const OPERATION: &str = "listing GPU types";
        let market = async |with_stock| {
            let body = self
                .ask(context, OPERATION, &request::types(with_stock))
                .await?;
            response::market(&body)
        };
        let is_told = |answer: &(Market, Vec<ProviderError>)| {
            let (market, problems) = answer;
            problems.is_empty() && market.centers.iter().any(DataCenter::tells_stock)
        };
        match market(true).await {
            Ok(answer) if self.bearer.is_present() || is_told(&answer) => Ok(answer),
            Err(error) if self.bearer.is_present() || !error.may_be_the_question() => Err(error),
            Ok(_) | Err(_) => {
                let (mut market, problems) = market(false).await?;
                // Nobody is asked thousands of questions for a guess at each place.
                let is_much = request::wanted(query, &market).count() > MAX_TYPES_BY_PLACE;
                if is_much && query.places.is_none() {
                    market.centers.clear();
                }
                Ok((market, problems))
            }
        }
    }

    async fn fetch(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> Result<Answered<Found>, ProviderError> {
        let (market, mut problems) = self.market(query, context).await?;
        let (batches, is_cut) = request::batches(query, &market);
        if is_cut {
            let message = "it lists more types and places than prices are asked for";
            problems.push(ProviderError::new(ID, ErrorKind::Incomplete, message));
        }
        let asked = batches.iter().map(async |batch| {
            let body = self
                .ask(context, "asking for prices and stock", &batch.text)
                .await?;
            response::quotes(&body, batch)
        });
        let answers: Vec<_> = iter(asked).buffered(CONCURRENT).collect().await;
        let mut quotes = Vec::new();
        let failed = answers.iter().filter(|answer| answer.is_err()).count();
        for answer in answers {
            match answer {
                Ok((some, of_batch)) => {
                    quotes.extend(some);
                    problems.extend(of_batch);
                }
                // Without any price there is no answer.
                Err(error) if failed == batches.len() => return Err(error),
                Err(error) => problems.push(error),
            }
        }
        let (mut offers, dropped) = offers::offers(query, market, &quotes);
        offer::strike(&mut offers, self.bearer.secrets());
        let problems = problems
            .into_iter()
            .map(|error| error.struck(self.bearer.secrets()))
            .collect();
        Ok(((offers, dropped), problems))
    }
}

/// The address of the API.
fn base_url(environment: &Environment<'_>) -> Result<String, ProviderError> {
    let default = environment.public_url(ID, BASE_URL)?;
    environment.base_url(ID, BASE_URL_VARIABLE, &default)
}

/// Parses one body as every answer that is asked for.
pub(crate) fn parse_answers(query: &Query<'_>, body: &[u8]) {
    let Ok((market, _)) = response::market(body) else {
        return;
    };
    let mut quotes = Vec::new();
    for batch in request::batches(query, &market).0 {
        if let Ok((some, _)) = response::quotes(body, &batch) {
            quotes.extend(some);
        }
    }
    let _ = offers::offers(query, market, &quotes);
}

impl Provider for RunPod {
    const ID: &'static str = ID;

    async fn listing(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> Result<Listing, ProviderError> {
        let question = (query.accelerators, query.counts, query.places);
        let account = self.bearer.account();
        let key = Key::new(ID, "offers", &question, &self.base_url, account);
        let fetch = || self.fetch(query, context);
        let fetched = context.cached(&key, KEEP, fetch).await;
        let failed =
            |error: ProviderError| error.struck(self.bearer.secrets()).of(self.bearer.access());
        let mut fetched = fetched.map_err(failed)?;
        fetched.problems = fetched.problems.into_iter().map(failed).collect();
        Ok(Listing {
            access: self.bearer.access(),
            ..Listing::of(fetched)
        })
    }
}

/// The failure that a status tells of: a refused key.
fn explain(status: StatusCode, _body: &[u8]) -> Option<ProviderError> {
    matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN).then(key_refused)
}

fn key_refused() -> ProviderError {
    let message = format!("the API key is refused (from {KEY_VARIABLE} or ~/{KEY_FILE})");
    ProviderError::new(ID, ErrorKind::CredentialsRefused, message)
        .hint("check that it is whole and not revoked, and that it may read GraphQL")
}
