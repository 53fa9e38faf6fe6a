//! Amazon EC2 without an account: the data feeds of its price pages.
//!
//! There is one document of on-demand prices for each region, and one document each of spot prices
//! and interruption rates. They name instance types but no GPUs, so only types of the catalog are
//! read. No feed reports stock.

mod feeds;
pub(crate) mod on_demand;
pub(crate) mod spot;

use std::collections::BTreeMap;

use futures_util::future::{OptionFuture, join};

use crate::api::{ListingFuture, ProviderApi, ProviderCall};
use crate::context::Context;
use crate::error::ProviderError;
use crate::listing::Listing;
use crate::offer::{Interruptions, Offer, Price, Region, Tally};
use crate::public::shared::parts;
use crate::query::Query;
use crate::reading::DocumentAge;

use feeds::{ADVISOR_URL, FeedData, Hosts, ID, PAGES_URL, SPOT_URL};

/// AWS without an account. The variables are of the AWS SDK, which `sky-accel-aws` uses.
pub const API: ProviderApi = ProviderApi {
    published: "on-demand prices by region, spot prices, interruption rates of spot machines",
    unpublished: "stock, spot prices by zone",
    url_variables: &[
        "AWS_ENDPOINT_URL",
        "AWS_ENDPOINT_URL_EC2",
        "AWS_ENDPOINT_URL_PRICING",
        "AWS_ENDPOINT_URL_SERVICE_QUOTAS",
    ],
    secret_variables: &[
        "AWS_SECRET_ACCESS_KEY",
        // The SDK's fallback for the variable above.
        "SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "AWS_CONTAINER_AUTHORIZATION_TOKEN",
        // These addresses hand out credentials.
        "AWS_CONTAINER_CREDENTIALS_FULL_URI",
        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    ],
    account_variables: &["AWS_ACCESS_KEY_ID"],
    key_file_variables: &[
        "AWS_CONFIG_FILE",
        "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
        "AWS_SHARED_CREDENTIALS_FILE",
        "AWS_WEB_IDENTITY_TOKEN_FILE",
    ],
    key_files: &["~/.aws/credentials", "~/.aws/config"],
    key_hint: "run `aws configure` or `aws sso login`, or set the variables; docs/prices.md lists \
               the required rights",
    key_rights: "the policy in docs/prices.md",
    ..ProviderApi::new(ID, &[PAGES_URL, SPOT_URL, ADVISOR_URL], query)
};

fn query(call: ProviderCall<'_>) -> ListingFuture<'_> {
    Box::pin(async move {
        let hosts = Hosts::from_environment(call.environment)?;
        listing(&hosts, call.query, call.context).await
    })
}

async fn listing(
    hosts: &Hosts,
    query: &Query<'_>,
    context: &Context<'_>,
) -> Result<Listing, ProviderError> {
    // The feeds identify only types of the catalog, so a query without ids needs no request.
    if query.ids.is_empty() {
        return Ok(Listing {
            asked_nothing: true,
            ..Listing::default()
        });
    }
    let on_demand = query
        .on_demand
        .then(|| on_demand::read(hosts, query, context));
    let on_demand = OptionFuture::from(on_demand);
    let spot = OptionFuture::from(query.spot.then(|| spot::read(hosts, query, context)));
    let (on_demand, spot) = join(on_demand, spot).await;
    let lacks_on_demand = matches!(on_demand, Some(Err(_)));
    let (feeds, mut problems) = parts([on_demand, spot].into_iter().flatten().collect())?;
    let mut offers: BTreeMap<String, Offer> = BTreeMap::new();
    let mut dropped = Tally::default();
    let mut remarks = Vec::new();
    let mut reading = DocumentAge::default();
    for part in feeds {
        add(&mut offers, &part);
        dropped.merge(part.dropped);
        problems.extend(part.problems);
        remarks.extend(part.remarks);
        reading.merge(part.reading);
    }
    let offers = offers.into_values().collect();
    Ok(Listing {
        remarks,
        lacks_on_demand,
        ..Listing::public(offers, dropped, problems, reading)
    })
}

/// Adds the prices of a feed to the offers of their types.
fn add(offers: &mut BTreeMap<String, Offer>, part: &FeedData) {
    for (region, prices) in &part.prices {
        for (id, usd) in &prices.by_type {
            let offer = offers.entry(id.clone()).or_insert_with(|| Offer {
                id: id.clone(),
                ..Offer::default()
            });
            if offer.regions.iter().all(|other| other.id != *region) {
                offer.regions.push(Region {
                    id: region.clone(),
                    country: None,
                });
            }
            offer.prices.push(Price {
                region: Some(region.clone()),
                as_of: prices.date,
                ..Price::new(part.capacity, *usd)
            });
            let rate = part.interruptions.get(region);
            if let Some(rate) = rate.and_then(|rates| rates.get(id)) {
                offer.interruptions.push(Interruptions {
                    region: region.clone(),
                    rate: rate.clone(),
                });
            }
        }
    }
}
