//! JarvisLabs: GPUs priced per GPU, with the number of free GPUs per region. The
//! prices are in the currency of the account. Two requests, sent concurrently.

mod response;

use std::time::Duration;

use serde::Deserialize;

use crate::api::{ListingFuture, ProviderApi, ProviderCall};
use crate::cache::Answered;
use crate::client::ApiClient;
use crate::context::Context;
use crate::credentials::Environment;
use crate::error::ProviderError;
use crate::listing::ParsedOffers;
use crate::query::Query;

use response::ID;

/// JarvisLabs.
pub(crate) const API: ProviderApi = ProviderApi {
    unpublished: "on-demand and spot prices in the account's currency, and the number of free GPUs \
                  by region",
    secret_variables: &["JL_API_KEY"],
    key_files: &["~/.config/jl/config.toml"],
    key_hint: "create a key at API Keys in the JarvisLabs console",
    key_rights: "reading GPU availability; every key of JarvisLabs has all rights",
    ..ProviderApi::new(ID, &["https://backendn.jarvislabs.net"], query)
};

/// The time for which an answer stays fresh. It includes numbers of free GPUs.
const KEEP: Duration = Duration::from_secs(60);

/// A client of JarvisLabs.
struct JarvisLabs(ApiClient);

/// The key file of the command-line tool.
#[derive(Deserialize)]
struct TokenFile {
    auth: TokenSection,
}

#[derive(Deserialize)]
struct TokenSection {
    token: String,
}

fn query(call: ProviderCall<'_>) -> ListingFuture<'_> {
    Box::pin(async move {
        let jarvislabs = JarvisLabs(ApiClient::new(&API, &call, key_in_file)?);
        let (query, context) = (call.query, call.context);
        let question = (query.accelerators, query.machines);
        let fetch = || jarvislabs.fetch(query, context);
        jarvislabs.0.listing(context, &question, KEEP, fetch).await
    })
}

fn key_in_file(environment: &Environment<'_>) -> Option<String> {
    let text = API.key_file_texts(environment).next()?;
    let file: TokenFile = toml::from_str(&text).ok()?;
    Some(file.auth.token)
}

impl JarvisLabs {
    /// Requests the list and the currency. Without the currency, the prices mean nothing.
    async fn fetch(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> Result<Answered<ParsedOffers>, ProviderError> {
        let get = |operation, path| self.0.get(context, operation, path);
        let (list, currency) = futures_util::future::join(
            get("listing GPUs", "/misc/server_meta"),
            get("requesting the account's currency", "/misc/"),
        )
        .await;
        let (list, currency) = (list?, currency?);
        let (offers, dropped) = context.parsed("reading the list", || {
            let list = response::list(&list)?;
            let currency = response::currency(&currency)?;
            list.offers(query, currency)
        })?;
        Ok(((offers, dropped.done()), Vec::new()))
    }
}

/// Parses a body as the answer to each request.
pub(crate) fn parse_answers(query: &Query<'_>, body: &[u8]) {
    let _ = response::currency(body);
    if let Ok(list) = response::list(body) {
        let _ = list.offers(query, None);
    }
}
