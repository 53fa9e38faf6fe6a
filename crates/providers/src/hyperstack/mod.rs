//! Hyperstack: flavors with a fixed number of GPUs, priced per GPU, with the number of free machines
//! per region. Three requests, sent concurrently.

mod response;

use std::time::Duration;

use crate::api::{ListingFuture, ProviderApi, ProviderCall};
use crate::bearer::KeyHeader;
use crate::cache::Answered;
use crate::client::ApiClient;
use crate::context::Context;
use crate::credentials::Environment;
use crate::error::ProviderError;
use crate::listing::ParsedOffers;
use crate::query::Query;

use response::ID;

/// Hyperstack.
pub(crate) const API: ProviderApi = ProviderApi {
    unpublished: "on-demand and spot prices, and the number of free machines by region",
    secret_variables: &["HYPERSTACK_API_KEY"],
    key_files: &["~/.hyperstack/api_key"],
    key_hint: "create a key at API keys in the Hyperstack console; a role that only reads is enough",
    key_rights: "reading flavors, stocks and the price book",
    ..ProviderApi::new(ID, &["https://infrahub-api.nexgencloud.com/v1"], query)
};

/// The time for which an answer stays fresh. It includes numbers of free machines.
const KEEP: Duration = Duration::from_secs(60);

/// A client of Hyperstack.
struct Hyperstack(ApiClient);

fn query(call: ProviderCall<'_>) -> ListingFuture<'_> {
    Box::pin(async move {
        let client = ApiClient::new(&API, &call, key_in_file)?;
        let hyperstack = Hyperstack(client.with_key_in(KeyHeader::Plain("api_key")));
        let (query, context) = (call.query, call.context);
        let question = (query.accelerators, query.machines);
        let fetch = || hyperstack.fetch(query, context);
        let mut listing = hyperstack
            .0
            .listing(context, &question, KEEP, fetch)
            .await?;
        // Without the price book, the prices of the catalog remain, with their dates.
        listing.lacks_on_demand = listing.offers.iter().any(|offer| offer.prices.is_empty());
        Ok(listing)
    })
}

fn key_in_file(environment: &Environment<'_>) -> Option<String> {
    API.key_file_texts(environment).next()
}

impl Hyperstack {
    async fn fetch(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> Result<Answered<ParsedOffers>, ProviderError> {
        let get = |operation, path| self.0.get(context, operation, path);
        let (flavors, stocks, prices) = futures_util::future::join3(
            get("listing flavors", "/core/flavors"),
            get("requesting stock", "/core/stocks"),
            get("reading the price book", "/pricebook"),
        )
        .await;
        let ((offers, dropped), problems) = context.parsed("reading the lists", || {
            response::offers(query, flavors, stocks, prices)
        })?;
        Ok(((offers, dropped.done()), problems))
    }
}

/// Parses a body as the answer to each request.
pub(crate) fn parse_answers(query: &Query<'_>, body: &[u8]) {
    let answer = || Ok(body.to_vec());
    let _ = response::offers(query, answer(), answer(), answer());
}
