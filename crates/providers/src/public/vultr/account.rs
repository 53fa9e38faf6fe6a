//! The stock that the account of a key sees: the plans that it can order in each region.

use std::collections::BTreeMap;

use futures_util::StreamExt as _;
use futures_util::stream::iter;
use serde::Deserialize;
use sky_accel_core::catalog::CapacityType;

use crate::cache::{Answered, Fetched};
use crate::client::ApiClient;
use crate::context::Context;
use crate::error::{ErrorKind, ProviderError};
use crate::json::{Maybe, MaybeList, document};
use crate::obtainability::{Obtainability, StockState};
use crate::offer::Offer;
use crate::public::account::{AccountAnswer, add_problems};
use crate::public::shared::KEEP_STOCK;

/// The id of Vultr in the catalog.
pub(super) const ID: &str = "vultr";

const OPERATION: &str = "requesting the plans of a region";
const SOURCE: &str = "region availability";
/// The maximum number of regions that are asked.
const MAX_REGIONS: usize = 16;
/// Vultr's own client limits itself to two requests a second.
const CONCURRENT: usize = 2;

#[derive(Default, Deserialize)]
#[serde(default)]
struct AvailabilityDocument {
    available_plans: MaybeList<Maybe<String>>,
}

/// The plans that are sold in each region, by region.
pub(super) type RegionPlans = BTreeMap<String, Vec<String>>;

/// Returns the regions where on-demand prices of offers hold, and the number of further regions.
pub(super) fn regions(offers: &[Offer]) -> (RegionPlans, usize) {
    let mut regions = RegionPlans::new();
    for offer in offers {
        let on_demand = |price: &&crate::offer::Price| price.capacity == CapacityType::OnDemand;
        for price in offer.prices.iter().filter(on_demand) {
            // The region becomes a part of addresses.
            if let Some(region) = price.region.as_deref().filter(|region| is_name(region)) {
                regions
                    .entry(region.to_owned())
                    .or_default()
                    .push(offer.id.clone());
            }
        }
    }
    let others = regions.len().saturating_sub(MAX_REGIONS);
    (regions.into_iter().take(MAX_REGIONS).collect(), others)
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Checks the key with the data of its account.
///
/// # Errors
///
/// Fails if the key is refused, or without an answer.
pub(super) async fn check(client: &ApiClient, context: &Context<'_>) -> Result<(), ProviderError> {
    let answer = client.get(context, "reading the account", "/v2/account");
    answer.await.map(drop)
}

/// Returns the cached or fetched stock in some regions.
///
/// # Errors
///
/// Fails if the key is refused. The errors of single regions are problems.
pub(super) async fn answer(
    client: &ApiClient,
    regions: &RegionPlans,
    context: &Context<'_>,
) -> Result<Fetched<AccountAnswer>, ProviderError> {
    let fetch = || fetch(client, regions, context);
    client
        .kept(context, "stock", regions, KEEP_STOCK, fetch)
        .await
}

async fn fetch(
    client: &ApiClient,
    regions: &RegionPlans,
    context: &Context<'_>,
) -> Result<Answered<AccountAnswer>, ProviderError> {
    let reads = regions.iter().map(async |(region, plans)| {
        let path = format!("/v2/regions/{region}/availability");
        let body = client.get(context, OPERATION, &path).await?;
        let available = context.parsed(OPERATION, || available(&body))?;
        Ok((region, plans, available))
    });
    let answers: Vec<Result<_, ProviderError>> = iter(reads).buffered(CONCURRENT).collect().await;
    let mut answer = AccountAnswer::default();
    let mut problems = Vec::new();
    for read in answers {
        match read {
            Ok((region, plans, available)) => {
                for plan in plans {
                    answer.add_stock(plan, record(region, available.contains(plan)));
                }
            }
            Err(error) if error.kind == ErrorKind::CredentialsRefused => return Err(error),
            Err(error) => add_problems(&mut problems, [error]),
        }
    }
    Ok((answer, problems))
}

/// Returns the plans that the account can order in a region.
pub(super) fn available(body: &[u8]) -> Result<Vec<String>, ProviderError> {
    let document: AvailabilityDocument = document(ID, body)?;
    let plans = document.available_plans.0;
    let plans = plans.ok_or_else(|| ProviderError::no_list(ID, "available plans"))?;
    Ok(plans.into_iter().filter_map(|plan| plan.0).collect())
}

fn record(region: &str, is_available: bool) -> Obtainability {
    let state = if is_available {
        StockState::Available
    } else {
        StockState::Unavailable
    };
    Obtainability {
        state,
        ..Obtainability::new(CapacityType::OnDemand, 1, SOURCE).in_region(region)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offer::Price;

    #[test]
    fn regions_with_prices_are_asked() {
        let offer = |id: &str, places: &[&str]| {
            let prices = places.iter().map(|place| Price {
                region: Some((*place).to_owned()),
                ..Price::new(CapacityType::OnDemand, 1.0)
            });
            Offer {
                id: id.to_owned(),
                prices: prices.collect(),
                ..Offer::default()
            }
        };
        let spot = Offer {
            prices: vec![Price {
                region: Some("fra".to_owned()),
                ..Price::new(CapacityType::Spot, 1.0)
            }],
            ..offer("spot", &[])
        };
        let offers = [offer("a", &["ewr", "../x", ""]), offer("b", &["ewr"]), spot];
        let (found, others) = regions(&offers);
        let plans = ["a", "b"].map(str::to_owned).to_vec();
        assert_eq!(
            (found, others),
            (RegionPlans::from([("ewr".to_owned(), plans)]), 0)
        );
        let many: Vec<String> = (0..20).map(|at| format!("r{at}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let (found, others) = regions(&[offer("a", &many)]);
        assert_eq!((found.len(), others), (MAX_REGIONS, 4));
    }

    #[test]
    fn an_answer_without_its_list_is_no_answer() {
        let plans = available(br#"{"available_plans":["vcg-a",[7],null,"vcg-b"]}"#).unwrap();
        assert_eq!(plans, ["vcg-a", "vcg-b"]);
        assert_eq!(available(br#"{"available_plans":[]}"#).unwrap(), [""; 0]);
        for body in [
            "",
            "{}",
            "[]",
            "null",
            r#"{"available_plans":{}}"#,
            "<html>",
        ] {
            assert!(available(body.as_bytes()).is_err(), "{body}");
        }
    }
}
