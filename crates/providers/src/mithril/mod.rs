//! Mithril: auctions of spot machines, with the free machines of each type and region and what the last of them costs.
//! Its reservations are left out.

mod response;

use std::time::Duration;

use futures_util::future::join;

use crate::api::{ListingFuture, ProviderApi, ProviderCall};
use crate::client::ApiClient;
use crate::listing::Listing;
use crate::query::Query;

use response::ID;

/// Mithril.
pub(crate) const API: ProviderApi = ProviderApi {
    unpublished: "spot prices, and the number of free machines by region",
    url_variables: &["MITHRIL_API_URL"],
    secret_variables: &["MITHRIL_API_KEY"],
    key_hint: "create a key at API keys in the settings of your account at Mithril",
    key_rights: "reading instance types and auctions",
    ..ProviderApi::keyless(ID, &["https://api.mithril.ai"], query)
};

const TYPES: &str = "listing instance types";
const AUCTIONS: &str = "listing auctions";
/// Bids change within minutes.
const KEEP: Duration = Duration::from_secs(60);

fn query(call: ProviderCall<'_>) -> ListingFuture<'_> {
    Box::pin(async move {
        let client = ApiClient::new(&API, &call, |_| None)?;
        let (query, context) = (call.query, call.context);
        let fetch = async || {
            let (types, auctions) = join(
                client.get(context, TYPES, "/v2/instance-types"),
                client.get(context, AUCTIONS, "/v2/spot/availability"),
            )
            .await;
            let (types, auctions) = (types?, auctions?);
            let (offers, dropped) =
                context.parsed(AUCTIONS, || response::offers(query, &types, &auctions))?;
            Ok(((offers, dropped.done()), Vec::new()))
        };
        let question = (&query.accelerators, query.spot);
        let listing = client.listing(context, &question, KEEP, fetch).await?;
        // The prices of the catalog are those of reservations.
        Ok(Listing {
            lacks_on_demand: query.on_demand,
            ..listing
        })
    })
}

/// Parses a body as each of the two lists.
pub(crate) fn parse_answers(query: &Query<'_>, body: &[u8]) {
    let _ = response::offers(query, body, body);
}
