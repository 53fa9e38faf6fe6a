//! Prime Intellect: the machines of many clouds, with a class of stock per data center.

mod response;

use std::time::Duration;

use crate::api::{ListingFuture, ProviderApi, ProviderCall};
use crate::cache::Answered;
use crate::client::ApiClient;
use crate::context::Context;
use crate::credentials::Environment;
use crate::error::{ErrorKind, ProviderError};
use crate::listing::ParsedOffers;
use crate::public::shared::MAX_PAGES;
use crate::query::Query;

use response::{ID, MachineRow};

/// Prime Intellect.
pub(crate) const API: ProviderApi = ProviderApi {
    unpublished: "on-demand and spot prices, and stock by data center",
    url_variables: &["PRIME_API_BASE_URL"],
    secret_variables: &["PRIME_API_KEY"],
    key_files: &["~/.prime/config.json"],
    key_hint: "create a key with the permission Availability > Read at Settings > API Keys in the \
               Prime Intellect console",
    key_rights: "the permission Availability > Read",
    ..ProviderApi::new(ID, &["https://api.primeintellect.ai"], query)
};

const OPERATION: &str = "listing available machines";
/// The end of a base URL that the vendor's tools accept too.
const VERSION: &str = "/api/v1";
const PER_PAGE: usize = 100;
/// The time for which an answer stays fresh. It includes stock.
const KEEP: Duration = Duration::from_secs(300);

/// A client of Prime Intellect.
struct Prime(ApiClient);

fn query(call: ProviderCall<'_>) -> ListingFuture<'_> {
    Box::pin(async move {
        let prime = Prime(ApiClient::new(&API, &call, key_in_file)?);
        let (query, context) = (call.query, call.context);
        let fetch = || prime.fetch(query, context);
        prime
            .0
            .listing(context, &query.accelerators, KEEP, fetch)
            .await
    })
}

fn key_in_file(environment: &Environment<'_>) -> Option<String> {
    let text = API.key_file_texts(environment).next()?;
    response::key(&text)
}

impl Prime {
    async fn fetch(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> Result<Answered<ParsedOffers>, ProviderError> {
        let (rows, problem) = self.rows(context).await?;
        let (offers, dropped) = context.parsed(OPERATION, || response::offers(query, rows))?;
        Ok(((offers, dropped.done()), problem.into_iter().collect()))
    }

    /// Reads the rows of all pages, and the error of the first unreadable page.
    async fn rows(
        &self,
        context: &Context<'_>,
    ) -> Result<(Vec<MachineRow>, Option<ProviderError>), ProviderError> {
        let base = self.0.base_url.trim_end_matches(VERSION);
        let mut rows = Vec::new();
        for number in 1..=MAX_PAGES {
            let address =
                format!("{base}{VERSION}/availability/gpus?page={number}&page_size={PER_PAGE}");
            let body = self.0.get_address(context, OPERATION, &address).await;
            let page = body.and_then(|body| context.parsed(OPERATION, || response::page(&body)));
            let page = match page {
                Ok(page) => page,
                Err(error) if rows.is_empty() => return Err(error),
                Err(error) => return Ok((rows, Some(error))),
            };
            let is_end = page.rows.is_empty();
            rows.extend(page.rows);
            let total = page.total.unwrap_or(rows.len());
            if rows.len() >= total {
                return Ok((rows, None));
            }
            if is_end {
                let message = format!("its list ends after {} of {total} rows", rows.len());
                return Ok((rows, Some(incomplete(&message))));
            }
        }
        let message = format!("the list has more than {MAX_PAGES} pages");
        Ok((rows, Some(incomplete(&message))))
    }
}

fn incomplete(message: &str) -> ProviderError {
    ProviderError::new(ID, ErrorKind::Incomplete, message)
}

/// Parses a body as a page.
pub(crate) fn parse_answers(query: &Query<'_>, body: &[u8]) {
    if let Ok(page) = response::page(body) {
        let _ = response::offers(query, page.rows);
    }
}
