//! RunPod: GPU types by the count, priced per GPU, in stock per data center.
//!
//! Two requests to its GraphQL API, the only API with spot prices and stock by data center: first
//! the types and data centers, then price and stock of the wanted types by count and place.

mod asks;
mod offers;
mod request;
mod response;

use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::iter;
use http::StatusCode;
use serde::Deserialize;

use crate::api::{ListingFuture, ProviderApi, ProviderCall};
use crate::cache::Answered;
use crate::client::ApiClient;
use crate::context::Context;
use crate::credentials::Environment;
use crate::error::{ErrorKind, ProviderError};
use crate::listing::ParsedOffers;
use crate::query::Query;
use crate::read_call::ReadCall;

use asks::ID;
use response::{DataCenter, RunPodMarket};

/// RunPod.
pub(crate) const API: ProviderApi = ProviderApi {
    published: "on-demand and spot prices, and stock by data center",
    url_variables: &["RUNPOD_API_BASE_URL"],
    secret_variables: &["RUNPOD_API_KEY"],
    key_files: &["~/.runpod/config.toml"],
    key_hint: "create a key at Settings > API Keys in the RunPod console; read access is enough",
    key_rights: "read access to GraphQL",
    restrictive_terms: Some("RunPod's terms restrict automated access"),
    ..ProviderApi::new(ID, &["https://api.runpod.io"], query)
};

/// A listing takes less than 1 MB.
const MAX_BODY: usize = 8 << 20;
/// The time for which a marketplace's answer stays fresh.
const KEEP: Duration = Duration::from_secs(3600);

/// The maximum number of concurrent requests.
const CONCURRENT: usize = 6;
/// The maximum number of types whose stock is requested for each place, if no list reports it.
const MAX_TYPES_BY_PLACE: usize = 8;

/// A client of RunPod.
struct RunPod(ApiClient);

/// The key file of the command-line tool or of the Python package.
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

fn query(call: ProviderCall<'_>) -> ListingFuture<'_> {
    Box::pin(async move {
        let runpod = RunPod(ApiClient::new(&API, &call, key_in_file)?);
        let query = call.query;
        let question = (query.accelerators, query.counts, query.places);
        let fetch = || runpod.fetch(query, call.context);
        runpod.0.listing(call.context, &question, KEEP, fetch).await
    })
}

fn key_in_file(environment: &Environment<'_>) -> Option<String> {
    let text = API.key_file_texts(environment).next()?;
    let file: KeyFile = toml::from_str(&text).ok()?;
    file.api_key.or_else(|| file.default?.api_key)
}

impl RunPod {
    async fn ask(
        &self,
        context: &Context<'_>,
        operation: &str,
        query: &str,
    ) -> Result<Vec<u8>, ProviderError> {
        let call = ReadCall {
            provider: ID,
            operation,
            secrets: self.0.bearer.secrets(),
            max_body: MAX_BODY,
            pace: None,
            explain: &explain,
        };
        let url = format!("{}/graphql", self.0.base_url);
        let body = serde_json::json!({ "query": query });
        let reply = context.read(&call, |client| {
            self.0.bearer.sign(client.post(&url)).json(&body)
        });
        Ok(reply.await?.body)
    }

    /// Returns types and data centers. Without a key, RunPod may refuse to report the stock of data
    /// centers: then the request is repeated without stock, which follows from the prices.
    async fn market(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> Result<(RunPodMarket, Vec<ProviderError>), ProviderError> {
        const OPERATION: &str = "listing GPU types";
        let market = async |with_stock| {
            let body = self
                .ask(context, OPERATION, &request::types(with_stock))
                .await?;
            context.parsed(OPERATION, || response::market(&body))
        };
        let is_told = |answer: &(RunPodMarket, Vec<ProviderError>)| {
            let (market, problems) = answer;
            problems.is_empty() && market.centers.iter().any(DataCenter::tells_stock)
        };
        match market(true).await {
            Ok(answer) if self.0.bearer.is_present() || is_told(&answer) => Ok(answer),
            Err(error) if self.0.bearer.is_present() || !error.may_be_the_question() => Err(error),
            Ok(_) | Err(_) => {
                let (mut market, problems) = market(false).await?;
                // Without known stock, each type needs a price request per place: too many requests
                // for many types.
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
    ) -> Result<Answered<ParsedOffers>, ProviderError> {
        let market = self.market(query, context).await;
        let (market, mut problems) = market.map_err(with_key_sources)?;
        let (batches, is_cut) = request::batches(query, &market);
        if is_cut {
            let message = "it lists more types and places than prices are requested for";
            problems.push(ProviderError::new(ID, ErrorKind::Incomplete, message));
        }
        let reads = batches.iter().map(async |batch| {
            const OPERATION: &str = "requesting prices and stock";
            let body = self.ask(context, OPERATION, &batch.text).await?;
            context.parsed(OPERATION, || response::quotes(&body, batch))
        });
        let answers: Vec<_> = iter(reads).buffered(CONCURRENT).collect().await;
        let mut quotes = Vec::new();
        let failed = answers.iter().filter(|answer| answer.is_err()).count();
        for answer in answers {
            match answer {
                Ok((some, of_batch)) => {
                    quotes.extend(some);
                    problems.extend(of_batch);
                }
                // An answer without any price is useless.
                Err(error) if failed == batches.len() => return Err(with_key_sources(error)),
                Err(error) => problems.push(error),
            }
        }
        let (offers, dropped) = offers::offers(query, market, &quotes);
        let problems = problems.into_iter().map(with_key_sources).collect();
        Ok(((offers, dropped), problems))
    }
}

/// Parses a body as the answer to each request.
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

/// The error of a refused key, whether the status or the body says so.
fn explain(status: StatusCode, _body: &[u8]) -> Option<ProviderError> {
    matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN).then(key_refused)
}

fn key_refused() -> ProviderError {
    API.key_refused("check that it is complete and not revoked, and that it may read GraphQL")
}

/// Names the sources of the key in the error of a refused key.
fn with_key_sources(error: ProviderError) -> ProviderError {
    match error.kind {
        ErrorKind::CredentialsRefused => key_refused(),
        _ => error,
    }
}
