//! The quotas of an organization: the number of machines of each type, by zone. Their use is not reported.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sky_accel_core::catalog::CapacityType;

use crate::cache::{Answered, Fetched};
use crate::client::ApiClient;
use crate::context::Context;
use crate::error::{ErrorKind, ProviderError};
use crate::json::{Maybe, MaybeList, MaybeObject, document};
use crate::offer::{Offer, Quota, QuotaUnit};
use crate::public::account::AccountAnswer;
use crate::public::shared::KEEP_STOCK;

/// The id of Scaleway in the catalog.
pub(super) const ID: &str = "scaleway";

const OPERATION: &str = "reading quotas";
/// The start of the names of quotas of types. The rest is the name of the type with `_` in place of `-`.
const OF_TYPE: &str = "cp_servers_type_";
const PER_PAGE: usize = 100;
/// The maximum number of pages. An organization has a few hundred quotas.
const MAX_PAGES: usize = 20;

#[derive(Default, Deserialize)]
#[serde(default)]
struct QuotaPage {
    quota: MaybeList<MaybeObject<QuotaRow>>,
    total_count: Maybe<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct QuotaRow {
    name: Maybe<String>,
    pretty_name: Maybe<String>,
    limits: MaybeList<MaybeObject<LimitRow>>,
}

/// A limit in a zone, in a region or everywhere.
#[derive(Default, Deserialize)]
#[serde(default)]
struct LimitRow {
    region: Maybe<String>,
    zone: Maybe<String>,
    limit: Maybe<f64>,
    unlimited: Maybe<bool>,
}

/// The quotas of types, by the name of the type in the form of quotas.
type QuotasByType = BTreeMap<String, Vec<Quota>>;

/// A page of the list.
#[derive(Debug, Default)]
struct TypeQuotas {
    of_type: QuotasByType,
    rows: usize,
    /// The number of rows of all pages.
    total: Option<usize>,
}

/// The question of the cache key.
#[derive(Serialize)]
struct QuotaQuestion<'a> {
    organization: &'a str,
    types: Vec<&'a str>,
}

/// Checks the key with the first page of the quotas.
///
/// # Errors
///
/// Fails like [`ApiClient::get`].
pub(super) async fn check(
    client: &ApiClient,
    organization: &str,
    context: &Context<'_>,
) -> Result<(), ProviderError> {
    let answer = client.get(context, OPERATION, &path(organization, 1)).await;
    answer.map(drop)
}

/// Returns the path of a page.
fn path(organization: &str, page: usize) -> String {
    format!("/iam/v1alpha1/quota?organization_id={organization}&page_size={PER_PAGE}&page={page}")
}

/// Returns the cached or fetched quotas of the types of offers.
///
/// # Errors
///
/// Fails like [`ApiClient::get`].
pub(super) async fn answer(
    client: &ApiClient,
    organization: &str,
    offers: &[Offer],
    context: &Context<'_>,
) -> Result<Fetched<AccountAnswer>, ProviderError> {
    let question = QuotaQuestion {
        organization,
        types: offers.iter().map(|offer| offer.id.as_str()).collect(),
    };
    let fetch = || fetch(client, organization, offers, context);
    client
        .kept(context, "quotas", &question, KEEP_STOCK, fetch)
        .await
}

async fn fetch(
    client: &ApiClient,
    organization: &str,
    offers: &[Offer],
    context: &Context<'_>,
) -> Result<Answered<AccountAnswer>, ProviderError> {
    let mut quotas = QuotasByType::new();
    let mut problems = Vec::new();
    let (mut rows, mut is_whole) = (0, false);
    for page in 1..=MAX_PAGES {
        let path = path(organization, page);
        let read = client.get(context, OPERATION, &path).await;
        let read = read.and_then(|body| context.parsed(OPERATION, || self::page(&body)));
        let read = match read {
            Ok(read) => read,
            Err(error) if rows == 0 => return Err(error),
            Err(error) => {
                problems.push(error);
                break;
            }
        };
        quotas.extend(read.of_type);
        rows += read.rows;
        is_whole = read.rows == 0 || read.total.is_some_and(|total| rows >= total);
        if is_whole {
            break;
        }
    }
    if !is_whole && problems.is_empty() {
        let message = format!("the list of quotas has more than {MAX_PAGES} pages");
        problems.push(ProviderError::new(ID, ErrorKind::Incomplete, message));
    }
    let mut answer = AccountAnswer::default();
    for offer in offers {
        let of_type = quotas.get(&offer.id.replace('-', "_").to_ascii_lowercase());
        for quota in of_type.into_iter().flatten() {
            answer.add_quota(&offer.id, quota.clone());
        }
    }
    Ok((answer, problems))
}

/// Parses a page.
fn page(body: &[u8]) -> Result<TypeQuotas, ProviderError> {
    let document: QuotaPage = document(ID, body)?;
    let rows = document.quota.0;
    let rows = rows.ok_or_else(|| ProviderError::no_list(ID, "quotas"))?;
    let total = document.total_count.0.filter(|total| *total >= 0.0);
    let mut found = TypeQuotas {
        rows: rows.len(),
        total: total.map(|total| total as usize),
        ..TypeQuotas::default()
    };
    for row in rows.into_iter().filter_map(|row| row.0) {
        let Some(name) = &row.name.0 else { continue };
        let Some(of_type) = name.strip_prefix(OF_TYPE) else {
            continue;
        };
        let key = of_type.to_ascii_lowercase();
        let quotas = quotas(row);
        found.of_type.insert(key, quotas);
    }
    Ok(found)
}

/// Returns the quota in each region. A machine needs room in one zone, so the zone with the highest limit counts.
fn quotas(row: QuotaRow) -> Vec<Quota> {
    let code = row.name.0.unwrap_or_default();
    let mut highest: BTreeMap<Option<String>, (Option<f64>, Option<String>)> = BTreeMap::new();
    for limit in row.limits.items().into_iter().filter_map(|row| row.0) {
        let of_zone = limit
            .zone
            .0
            .as_deref()
            .and_then(|zone| zone.rsplit_once('-'));
        let region = limit
            .region
            .0
            .or(of_zone.map(|(region, _)| region.to_owned()));
        let amount = match (limit.unlimited.0, limit.limit.0) {
            (Some(true), _) => None,
            (_, Some(amount)) if amount >= 0.0 => Some(amount),
            _ => continue,
        };
        let zone = limit.zone.0;
        let best = highest
            .entry(region)
            .or_insert_with(|| (amount, zone.clone()));
        let is_higher = match (amount, best.0) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(amount), Some(best)) => amount > best,
        };
        if is_higher {
            *best = (amount, zone);
        }
    }
    let name = row.pretty_name.0;
    let quotas = highest.into_iter().map(|(region, (limit, zone))| Quota {
        region,
        capacity: CapacityType::OnDemand,
        code: code.clone(),
        name: match (&name, zone) {
            (Some(name), Some(zone)) => Some(format!("{name} in {zone}")),
            (None, Some(zone)) => Some(format!("in {zone}")),
            (name, None) => name.clone(),
        },
        unit: QuotaUnit::Machines,
        limit,
        used: None,
        is_adjustable: None,
    });
    quotas.collect()
}

/// Parses a body as a page.
pub(super) fn parse(body: &[u8]) {
    let _ = page(body);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_zone_of_a_region_counts() {
        let found = page(
            br#"{"total_count":250,"quota":[
            {"name":"cp_servers_type_H100_1_80G","pretty_name":"H100-1-80G","limits":[
              {"zone":"fr-par-1","limit":0},{"zone":"fr-par-2","limit":4},{"zone":"pl-waw-2","unlimited":true},
              {"zone":"nl-ams-1","limit":-1},{"zone":"nl-ams-2","limit":"many"}]},
            {"name":"cp_servers_type_L4_1_24G","limits":[{"global":true,"limit":2}]},
            {"name":"cp_cores","limits":[{"limit":9}]},{"limits":7},7]}"#,
        )
        .unwrap();
        assert_eq!((found.rows, found.total), (5, Some(250)));
        let shown: Vec<_> = found.of_type["h100_1_80g"]
            .iter()
            .map(|quota| (quota.region.as_deref(), quota.limit, quota.name.as_deref()))
            .collect();
        assert_eq!(
            shown,
            [
                (Some("fr-par"), Some(4.0), Some("H100-1-80G in fr-par-2")),
                (Some("pl-waw"), None, Some("H100-1-80G in pl-waw-2")),
            ]
        );
        let [l4] = &found.of_type["l4_1_24g"][..] else {
            panic!("{found:?}")
        };
        assert_eq!((&l4.region, l4.limit, l4.used), (&None, Some(2.0), None));
        assert_eq!(found.of_type.len(), 2);
    }

    #[test]
    fn answers_without_quotas_are_errors() {
        for body in ["", "{}", "[]", "null", r#"{"quota":{}}"#, "<html>"] {
            assert!(page(body.as_bytes()).is_err(), "{body}");
        }
    }
}
