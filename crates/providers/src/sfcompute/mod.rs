//! San Francisco Compute: an order book of machine hours, with the machines for sale over time. The API is a preview.

mod response;

use std::time::Duration;

use futures_util::future::join3;
use serde::Deserialize;

use crate::api::{ListingFuture, ProviderApi, ProviderCall, StockScope};
use crate::cache::Answered;
use crate::client::ApiClient;
use crate::clock::now;
use crate::context::Context;
use crate::credentials::Environment;
use crate::error::{ErrorKind, ProviderError};
use crate::json::{LongText, Maybe};
use crate::listing::ParsedOffers;
use crate::public::shared::MAX_PAGES;
use crate::query::Query;

use response::{Asks, ID, Moment, NextPage};

/// San Francisco Compute.
pub(crate) const API: ProviderApi = ProviderApi {
    unpublished: "the lowest price for the next hour, and machines for sale by zone, now and later",
    secret_variables: &["SF_API_KEY", "SF_BEARER_TOKEN"],
    key_files: &["~/.sfcompute/config"],
    key_hint: "`sf tokens create` prints a token; without grants, it can only read the market",
    key_rights: "reading instance SKUs and the order book: a token needs no grants",
    stock: StockScope::ON_DEMAND,
    ..ProviderApi::new(ID, &["https://api.sfcompute.com"], query)
};

const TYPES: &str = "listing instance SKUs";
const SCHEDULES: &str = "reading availability";
const BOOK: &str = "reading the order book";
/// Orders change within minutes.
const KEEP: Duration = Duration::from_secs(60);
/// The maximum number of price levels in an answer.
const DEPTH: u32 = 100;

/// A client of San Francisco Compute.
struct SfCompute(ApiClient);

fn query(call: ProviderCall<'_>) -> ListingFuture<'_> {
    Box::pin(async move {
        let market = SfCompute(ApiClient::new(&API, &call, key_in_file)?);
        let (query, context) = (call.query, call.context);
        let question = (query.accelerators, query.machines);
        let fetch = || market.fetch(query, context);
        let mut listing = market.0.listing(context, &question, KEEP, fetch).await?;
        // Without an order for the next hour, the average of the catalog remains, with its date.
        listing.lacks_on_demand =
            query.on_demand && listing.offers.iter().any(|offer| offer.prices.is_empty());
        Ok(listing)
    })
}

/// The configuration of the command line.
#[derive(Default, Deserialize)]
#[serde(default)]
struct SfConfigFile {
    auth_token: Maybe<LongText>,
}

fn key_in_file(environment: &Environment<'_>) -> Option<String> {
    let text = API.key_file_texts(environment).next()?;
    let file: SfConfigFile = serde_json::from_str(&text).ok()?;
    Some(file.auth_token.0?.0)
}

impl SfCompute {
    async fn fetch(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> Result<Answered<ParsedOffers>, ProviderError> {
        let moment = Moment::after(now());
        let (start, end) = (moment.start, moment.end());
        let book =
            format!("/preview/v2/orderbook/depth?start_at={start}&end_at={end}&depth={DEPTH}");
        let (types, schedules, asks) = join3(
            self.rows(context, TYPES, "/preview/v2/instance_skus"),
            self.rows(context, SCHEDULES, "/preview/v2/instance_skus/availability"),
            self.0.get(context, BOOK, &book),
        )
        .await;
        let ((types, problem), mut problems) = (types?, Vec::new());
        problems.extend(problem);
        // Without schedules or prices, the other facts are complete.
        let schedules = match schedules {
            Ok((schedules, problem)) => {
                problems.extend(problem);
                schedules
            }
            Err(error) => {
                problems.push(error);
                Vec::new()
            }
        };
        let asks = asks.and_then(|body| context.parsed(BOOK, || response::asks(&body, moment)));
        let asks = asks.unwrap_or_else(|error| {
            problems.push(error);
            Asks::new()
        });
        let (offers, dropped) = context.parsed(TYPES, || {
            response::offers(query, types, schedules, &asks, moment)
        })?;
        Ok(((offers, dropped.done()), problems))
    }

    /// Reads the rows of all pages, and the error of the first unreadable page after the first one.
    async fn rows<R: response::Row>(
        &self,
        context: &Context<'_>,
        operation: &str,
        path: &str,
    ) -> Result<(Vec<R>, Option<ProviderError>), ProviderError> {
        let mut rows = Vec::new();
        let mut after = String::new();
        for _ in 0..MAX_PAGES {
            let address = format!("{path}?limit={}{after}", response::PAGE_SIZE);
            let body = self.0.get(context, operation, &address).await;
            let page = body.and_then(|body| context.parsed(operation, || response::page(&body)));
            let (mut page, next) = match page {
                Ok(page) => page,
                Err(error) if rows.is_empty() => return Err(error),
                Err(error) => return Ok((rows, Some(error))),
            };
            rows.append(&mut page);
            match next {
                NextPage::After(cursor) => after = format!("&starting_after={cursor}"),
                NextPage::None => return Ok((rows, None)),
                NextPage::Lost => {
                    let message = format!("a page has no cursor of the next page ({operation})");
                    return Ok((rows, Some(incomplete(message))));
                }
            }
        }
        let message = format!("the list has more than {MAX_PAGES} pages ({operation})");
        Ok((rows, Some(incomplete(message))))
    }
}

fn incomplete(message: String) -> ProviderError {
    ProviderError::new(ID, ErrorKind::Incomplete, message)
}

/// Parses a body as each of the answers.
pub(crate) fn parse_answers(query: &Query<'_>, body: &[u8]) {
    let moment = Moment::after(0);
    let types = response::page(body).map(|(rows, _)| rows);
    let schedules = response::page(body).map(|(rows, _)| rows);
    let asks = response::asks(body, moment).unwrap_or_default();
    let (types, schedules) = (types.unwrap_or_default(), schedules.unwrap_or_default());
    let _ = response::offers(query, types, schedules, &asks, moment);
}
