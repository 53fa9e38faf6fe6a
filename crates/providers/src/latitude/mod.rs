//! Latitude.sh: bare-metal plans, with prices by region and the number of machines in stock by site. One request.
//! Its virtual machines are left out: their list does not state the number of GPUs.

mod response;

use std::time::Duration;

use crate::api::{ListingFuture, ProviderApi, ProviderCall, StockScope};
use crate::bearer::KeyHeader;
use crate::client::ApiClient;
use crate::query::Query;

use response::ID;

/// Latitude.sh.
pub(crate) const API: ProviderApi = ProviderApi {
    unpublished: "prices of bare metal, and the number of machines in stock by site",
    secret_variables: &["LATITUDESH_BEARER"],
    key_hint: "create an API key in the dashboard of Latitude.sh",
    key_rights: "reading plans",
    stock: StockScope::ON_DEMAND,
    ..ProviderApi::new(ID, &["https://api.latitude.sh"], query)
};

const OPERATION: &str = "listing plans";
const PLANS: &str = "/plans?filter%5Bgpu%5D=true";
/// The time for which an answer stays fresh. It includes numbers of machines.
const KEEP: Duration = Duration::from_secs(60);

fn query(call: ProviderCall<'_>) -> ListingFuture<'_> {
    Box::pin(async move {
        let client = ApiClient::new(&API, &call, |_| None)?;
        // The API takes the key without a scheme.
        let client = client.with_key_in(KeyHeader::Plain("authorization"));
        let client = client.accepting("application/vnd.api+json");
        let (query, context) = (call.query, call.context);
        let fetch = async || {
            let body = client.get(context, OPERATION, PLANS).await?;
            let (offers, dropped) = context.parsed(OPERATION, || response::offers(query, &body))?;
            Ok(((offers, dropped.done()), Vec::new()))
        };
        client
            .listing(context, &query.accelerators, KEEP, fetch)
            .await
    })
}

/// Parses a body as the answer.
pub(crate) fn parse_answers(query: &Query<'_>, body: &[u8]) {
    let _ = response::offers(query, body);
}
