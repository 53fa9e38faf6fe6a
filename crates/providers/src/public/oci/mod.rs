//! Oracle Cloud: public prices, and with an API key the stock and limits of its tenancy.

mod prices;

use crate::api::{ListingFuture, ProviderApi, ProviderCall};
use crate::query::Query;

use prices::PriceHosts;

const ID: &str = "oci";
const PRICES_URL: &str = "https://apexapps.oracle.com";
const SHAPES_URL: &str = "https://www.oracle.com";

/// Oracle Cloud.
pub(crate) const API: ProviderApi = ProviderApi {
    published: "prices, which are equal in every region; preemptible machines cost half",
    unpublished: "stock",
    ..ProviderApi::keyless(ID, &[PRICES_URL, SHAPES_URL], query)
};

fn query(call: ProviderCall<'_>) -> ListingFuture<'_> {
    Box::pin(async move {
        let hosts = PriceHosts {
            prices: call.environment.public_url(ID, PRICES_URL)?,
            shapes: call.environment.public_url(ID, SHAPES_URL)?,
        };
        prices::listing(&hosts, call.query, call.context).await
    })
}

/// Parses a body as each of the answers.
pub(crate) fn parse(query: &Query<'_>, body: &[u8]) {
    prices::parse(query, body);
}
