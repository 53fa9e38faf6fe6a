//! Mithril: auctions of spot machines, with the free machines of each type and region and what the last of them costs,
//! and the quotas of a project. Its reservations are left out.

mod profile;
mod response;

use std::time::Duration;

use futures_util::future::join3;

use crate::api::{ListingFuture, ProviderApi, ProviderCall, StockScope};
use crate::cache::Answered;
use crate::client::ApiClient;
use crate::context::Context;
use crate::error::ProviderError;
use crate::listing::{Listing, ParsedOffers};
use crate::query::Query;
use crate::raise::RaiseHelp;

use profile::{CONFIG_FILE, PROJECT_VARIABLE};
use response::{ID, QuotasByType};

/// Mithril.
pub(crate) const API: ProviderApi = ProviderApi {
    unpublished: "spot prices, the number of free machines by region, and quotas",
    url_variables: &["MITHRIL_API_URL"],
    secret_variables: &["MITHRIL_API_KEY"],
    key_files: &[CONFIG_FILE],
    key_hint: "create a key at API keys in the console of Mithril",
    key_rights: "reading instance types, auctions and quotas: a key has the rights of its user",
    raise: Some(RaiseHelp::on(
        "https://docs.mithril.ai/compute-and-storage/compute-quotas",
    )),
    stock: StockScope::SPOT,
    ..ProviderApi::new(ID, &["https://api.mithril.ai"], query)
};

const TYPES: &str = "listing instance types";
const AUCTIONS: &str = "listing auctions";
const QUOTAS: &str = "reading quotas";
/// Bids change within minutes.
const KEEP: Duration = Duration::from_secs(60);

/// A client of Mithril, and the project whose quotas are read.
struct Mithril {
    client: ApiClient,
    project: Option<String>,
}

fn query(call: ProviderCall<'_>) -> ListingFuture<'_> {
    Box::pin(async move {
        let mithril = Mithril {
            client: ApiClient::new(&API, &call, profile::key)?,
            project: profile::project(call.environment).filter(|_| call.query.quota.is_some()),
        };
        let (query, context) = (call.query, call.context);
        let question = (&query.accelerators, &mithril.project);
        let fetch = || mithril.fetch(query, context);
        let client = &mithril.client;
        let listing = client.listing(context, &question, KEEP, fetch).await?;
        let mut remarks = Vec::new();
        if query.quota.is_some() && mithril.project.is_none() {
            remarks.push(format!(
                "quotas need a project: set {PROJECT_VARIABLE}, or `project_id` in {}",
                API.key_files[0]
            ));
        }
        Ok(Listing {
            // The on-demand prices of the catalog are those of reservations, which the answer does not have.
            lacks_on_demand: query.on_demand,
            remarks,
            ..listing
        })
    })
}

impl Mithril {
    async fn fetch(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> Result<Answered<ParsedOffers>, ProviderError> {
        let (types, auctions, quotas) = join3(
            self.client.get(context, TYPES, "/v2/instance-types"),
            self.client.get(context, AUCTIONS, "/v2/spot/availability"),
            self.quotas(context),
        )
        .await;
        let (types, auctions) = (types?, auctions?);
        // Without quotas, prices and stock are complete.
        let (quotas, problems) = match quotas {
            Ok(quotas) => (quotas, Vec::new()),
            Err(error) => (QuotasByType::new(), vec![error]),
        };
        let (offers, dropped) = context.parsed(AUCTIONS, || {
            response::offers(query, &types, &auctions, &quotas)
        })?;
        Ok(((offers, dropped.done()), problems))
    }

    async fn quotas(&self, context: &Context<'_>) -> Result<QuotasByType, ProviderError> {
        let Some(project) = &self.project else {
            return Ok(QuotasByType::new());
        };
        let path = format!("/v2/quotas?project={project}");
        let body = self.client.get(context, QUOTAS, &path).await?;
        context.parsed(QUOTAS, || response::quotas(&body))
    }
}

/// Parses a body as each of the three lists.
pub(crate) fn parse_answers(query: &Query<'_>, body: &[u8]) {
    let quotas = response::quotas(body).unwrap_or_default();
    let _ = response::offers(query, body, body, &quotas);
}
