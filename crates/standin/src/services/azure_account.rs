//! Azure Resource Manager: sizes, usages and placement scores of a subscription, and the login for them.

use serde_json::{Map, Value, json};

use crate::Fault;
use crate::reply::{Problem, Reply};
use crate::service::{Recorded, ServiceAnswer, no_such_path, refuse, refuse_write};
use crate::shop::{AzureAccountShop, AzureRegion, AzureSize};
use crate::state::State;

const TENANT: &str = "standin-azure-tenant";
const CLIENT: &str = "standin-azure-client";
const SECRET: &str = "standin0secret0azure";
const SUBSCRIPTION: &str = "standin-azure-subscription";

/// The variables of a service principal.
pub(super) const CREDENTIALS: &[(&str, &str)] = &[
    ("AZURE_TENANT_ID", TENANT),
    ("AZURE_CLIENT_ID", CLIENT),
    ("AZURE_CLIENT_SECRET", SECRET),
    ("AZURE_SUBSCRIPTION_ID", SUBSCRIPTION),
];

/// The token of a user of the command line.
pub(super) const USER_TOKEN: &str = "ey.azure.user.standin0123456789abcdef";

/// The maximum numbers of sizes and regions in a request for spot scores.
const SPOT_SIZES: usize = 5;
const SPOT_REGIONS: usize = 8;

pub(super) fn answer(state: &State, request: &Recorded, fault: &Fault) -> ServiceAnswer {
    let path = request.path_only();
    if path == format!("/{TENANT}/oauth2/v2.0/token") {
        return login(state, request);
    }
    let is_expired = *fault == Fault::ExpiredToken;
    let good = request.bearer().is_some_and(|token| {
        token == USER_TOKEN && !is_expired || state.tokens().accept(token, is_expired)
    });
    if !good {
        return refuse(
            Problem::Unauthorized,
            "The access token is missing or has expired",
        );
    }
    if path == "/providers/Microsoft.ResourceGraph/resources" {
        return evictions(&state.shop.azure.account, request);
    }
    let start = format!("/subscriptions/{SUBSCRIPTION}/providers/Microsoft.Compute/");
    let Some(path) = path.strip_prefix(&start) else {
        return no_such_path();
    };
    let shop = &state.shop.azure.account;
    let parts: Vec<&str> = path.split('/').collect();
    match (request.method.as_str(), parts.as_slice()) {
        ("GET", ["skus"]) => skus(shop, request),
        ("GET", ["locations", region, "usages"]) => usages(region_of(shop, region)?, request),
        (
            "POST",
            [
                "locations",
                region,
                "skuMixPlacementScores",
                "recommendations",
                "generate",
            ],
        ) => mix(shop, region_of(shop, region)?, request),
        ("POST", ["locations", _, "placementScores", "spot", "generate"]) => spot(shop, request),
        ("GET", _) => no_such_path(),
        _ => refuse_write(state),
    }
}

fn login(state: &State, request: &Recorded) -> ServiceAnswer {
    if request.method != "POST" {
        return no_such_path();
    }
    let fields: Map<String, Value> = form_urlencoded::parse(request.body.as_bytes())
        .map(|(name, value)| (name.into_owned(), json!(value)))
        .collect();
    let is = |name: &str, wanted: &str| fields.get(name).is_some_and(|value| value == wanted);
    if !is("grant_type", "client_credentials")
        || !is("scope", "https://management.azure.com/.default")
    {
        return refuse(
            Problem::BadRequest,
            "AADSTS900144: grant_type or scope is missing",
        );
    }
    if !is("client_id", CLIENT) || !is("client_secret", SECRET) {
        return refuse(
            Problem::Unauthorized,
            "AADSTS7000215: Invalid client secret provided",
        );
    }
    let token = state.tokens().mint();
    let answer = json!({ "token_type": "Bearer", "expires_in": 3599, "ext_expires_in": 3599, "access_token": token });
    Ok(Reply::json(200, answer))
}

/// Checks the version of a request.
fn check_version(request: &Recorded, versions: &[&str]) -> Result<(), (Problem, String)> {
    let version = request.parameter("api-version").unwrap_or_default();
    if versions.contains(&version.as_str()) {
        return Ok(());
    }
    let message = format!("InvalidApiVersionParameter: the api-version '{version}' is invalid");
    refuse(Problem::BadRequest, message)
}

fn region_of<'s>(
    shop: &'s AzureAccountShop,
    name: &str,
) -> Result<&'s AzureRegion, (Problem, String)> {
    let mut regions = shop.regions.iter();
    let found = regions.find(|region| region.name.eq_ignore_ascii_case(name));
    found.ok_or_else(|| (Problem::BadRequest, format!("no location {name}")))
}

fn skus(shop: &AzureAccountShop, request: &Recorded) -> ServiceAnswer {
    check_version(request, &["2021-07-01"])?;
    let filter = request.parameter("$filter");
    let place = match &filter {
        None => None,
        Some(text) => {
            let name = text
                .strip_prefix("location eq '")
                .and_then(|rest| rest.strip_suffix('\''));
            let Some(name) = name else {
                return refuse(
                    Problem::BadRequest,
                    format!("the filter {text} is not supported"),
                );
            };
            Some(region_of(shop, name)?)
        }
    };
    let regions = shop.regions.iter();
    let regions = regions.filter(|region| place.is_none_or(|place| place.name == region.name));
    let rows: Vec<Value> = regions.flat_map(|region| rows(shop, region)).collect();
    let skip = request.number("$skiptoken", 0)?.min(rows.len());
    let end = rows.len().min(skip + shop.page_size);
    let mut page = json!({ "value": rows[skip..end] });
    if end < rows.len() {
        page["nextLink"] = json!(request.link(&["$skiptoken"], &[("$skiptoken", end)]));
    }
    Ok(Reply::json(200, page))
}

/// Returns the resource SKUs of a region.
fn rows(shop: &AzureAccountShop, region: &AzureRegion) -> Vec<Value> {
    let disk = json!({ "resourceType": "disks", "name": "Premium_LRS", "tier": "Premium", "size": "P10",
        "locations": [region.name], "capabilities": [], "restrictions": [] });
    let sizes = shop
        .sizes
        .iter()
        .filter(|size| !region.missing.contains(&size.name));
    let sizes = sizes.map(|size| {
        let zones = ["1", "2", "3"];
        let blocked = region.blocked_zones.get(&size.name);
        let restrictions = if region.blocked.contains(&size.name) {
            json!([{ "type": "Location", "values": [region.name],
                "restrictionInfo": { "locations": [region.name] }, "reasonCode": "NotAvailableForSubscription" }])
        } else if let Some(zones) = blocked {
            json!([{ "type": "Zone", "values": [region.name],
                "restrictionInfo": { "locations": [region.name], "zones": zones }, "reasonCode": "NotAvailableForSubscription" }])
        } else {
            json!([])
        };
        json!({
            "resourceType": "virtualMachines",
            "name": size.name,
            "tier": "Standard",
            "size": size.name.trim_start_matches("Standard_"),
            "family": size.family,
            "locations": [region.name],
            "locationInfo": [{ "location": region.name, "zones": zones, "zoneDetails": [] }],
            "capabilities": [
                { "name": "vCPUs", "value": size.vcpus.to_string() },
                { "name": "GPUs", "value": size.gpus.to_string() },
                { "name": "LowPriorityCapable", "value": if size.spot { "True" } else { "False" } },
            ],
            "restrictions": restrictions,
        })
    });
    [disk].into_iter().chain(sizes).collect()
}

fn usages(region: &AzureRegion, request: &Recorded) -> ServiceAnswer {
    check_version(request, &["2024-07-01", "2026-04-01"])?;
    let rows = region.usages.iter().map(|usage| {
        json!({
            "unit": "Count",
            "currentValue": usage.used,
            "limit": usage.limit,
            "name": { "value": usage.code, "localizedValue": usage.name },
        })
    });
    Ok(Reply::json(
        200,
        json!({ "value": rows.collect::<Vec<_>>() }),
    ))
}

fn mix(shop: &AzureAccountShop, region: &AzureRegion, request: &Recorded) -> ServiceAnswer {
    check_version(request, &["2026-05-05-preview", "2026-09-05-preview"])?;
    let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
    let profile = &body["capacityProfile"];
    let asked = profile["capacity"].as_u64().unwrap_or_default();
    let is_priority = profile["priority"] == "Regular" || profile["priority"] == "Spot";
    if !(1..=10_000).contains(&asked) || profile["capacityType"] != "VM" || !is_priority {
        return refuse(Problem::BadRequest, "capacityProfile is not valid");
    }
    if profile["allocationStrategy"] == "LowestPrice" && profile["osType"].is_null() {
        return refuse(Problem::BadRequest, "LowestPrice needs osType");
    }
    let names: Vec<&str> = body["instanceDescription"]["vmSizes"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|size| size["name"].as_str())
        .collect();
    if names.is_empty() {
        return refuse(Problem::BadRequest, "vmSizes is empty");
    }
    let mut choices = Vec::new();
    let limits: Vec<Value> = names
        .iter()
        .map(|name| {
            let (limit, reason) = limit(shop, region, name, asked);
            if limit >= asked {
                choices.push(json!({ "score": 7, "skuSplit": [
                    { "name": name, "priority": profile["priority"], "capacity": asked }] }));
            }
            json!({ "name": name, "priority": profile["priority"], "limit": limit, "reason": reason })
        })
        .collect();
    let reason = limits.iter().find(|limit| limit["reason"] != "None");
    let reason = reason.filter(|_| choices.is_empty());
    Ok(Reply::json(
        200,
        json!({
            "id": "standin-placement",
            "placementChoices": choices,
            "validUntil": (jiff::Timestamp::now() + jiff::SignedDuration::from_mins(20)).to_string(),
            "partialFulfillmentReason": reason.map_or(json!("None"), |limit| limit["reason"].clone()),
            "capacityLimits": limits,
        }),
    ))
}

/// Returns the number of on-demand machines of a size, and the reason why there are not more.
fn limit(
    shop: &AzureAccountShop,
    region: &AzureRegion,
    name: &str,
    asked: u64,
) -> (u64, &'static str) {
    let Some(size) = size_of(shop, region, name) else {
        return (0, "SkuNotAvailable");
    };
    let stock = region.stock.get(&size.name).copied().unwrap_or_default();
    let of_pool = |code: &str| {
        let usage = region
            .usages
            .iter()
            .find(|usage| squeezed(&usage.code) == squeezed(code))?;
        Some(usage.limit.saturating_sub(usage.used) / size.vcpus)
    };
    let quota = [of_pool(&size.family), of_pool("cores")];
    let quota = quota.into_iter().flatten().min().unwrap_or(u64::MAX);
    let reason = match (quota < asked, stock < asked) {
        (true, _) => "InsufficientQuota",
        (false, true) => "InsufficientCapacity",
        (false, false) => "None",
    };
    (asked.min(stock).min(quota), reason)
}

/// Returns a size that the subscription may use in a region.
fn size_of<'s>(
    shop: &'s AzureAccountShop,
    region: &AzureRegion,
    name: &str,
) -> Option<&'s AzureSize> {
    let mut sizes = shop.sizes.iter();
    let size = sizes.find(|size| size.name.eq_ignore_ascii_case(name))?;
    let is_closed = region.blocked.contains(&size.name) || region.missing.contains(&size.name);
    (!is_closed).then_some(size)
}

fn squeezed(name: &str) -> String {
    name.replace(' ', "").to_lowercase()
}

fn spot(shop: &AzureAccountShop, request: &Recorded) -> ServiceAnswer {
    // The client of the preview asks here with its version too.
    check_version(
        request,
        &["2025-06-05", "2026-05-05-preview", "2026-09-05-preview"],
    )?;
    let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
    let list = |name: &str| body[name].as_array().cloned().unwrap_or_default();
    let (regions, sizes) = (list("desiredLocations"), list("desiredSizes"));
    let is_count = body["desiredCount"].as_u64().is_some_and(|count| count > 0);
    let are_few =
        (1..=SPOT_REGIONS).contains(&regions.len()) && (1..=SPOT_SIZES).contains(&sizes.len());
    if !is_count || !are_few || !body["availabilityZones"].is_boolean() {
        return refuse(Problem::BadRequest, "the request for scores is not valid");
    }
    let count = body["desiredCount"].as_u64().unwrap_or_default();
    let mut rows = Vec::new();
    for region in regions.iter().filter_map(Value::as_str) {
        let region = region_of(shop, region)?;
        for name in sizes.iter().filter_map(|size| size["sku"].as_str()) {
            let size = size_of(shop, region, name).filter(|size| size.spot);
            let score = match size {
                None => "RestrictedSkuNotAvailable",
                Some(size) => region
                    .spot
                    .get(&size.name)
                    .map_or("DataNotFoundOrStale", String::as_str),
            };
            let mut pools = region.usages.iter();
            let pool = pools.find(|usage| usage.code == "lowPriorityCores");
            let left = pool.map_or(0, |pool| pool.limit.saturating_sub(pool.used));
            rows.push(json!({
                "sku": name,
                "region": region.name,
                "score": score,
                "isQuotaAvailable": size.is_some_and(|size| size.vcpus * count <= left),
            }));
        }
    }
    Ok(Reply::json(
        200,
        json!({
            "desiredLocations": regions,
            "desiredSizes": sizes,
            "desiredCount": count,
            "availabilityZones": body["availabilityZones"],
            "placementScores": rows,
        }),
    ))
}

/// Answers the question of Resource Graph for eviction rates. Its names of sizes are in lower case.
fn evictions(shop: &AzureAccountShop, request: &Recorded) -> ServiceAnswer {
    check_version(request, &["2021-03-01", "2024-04-01"])?;
    let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
    let query = body["query"].as_str().unwrap_or_default();
    let is_asked = query.starts_with("SpotResources ") && query.contains("skuspotevictionrate");
    if !is_asked || body["subscriptions"] != json!([SUBSCRIPTION]) {
        return refuse(Problem::BadRequest, "BadRequest: the query is not valid");
    }
    let is_named = |name: &str| {
        query
            .to_lowercase()
            .contains(&format!("'{}'", name.to_lowercase()))
    };
    let regions = shop.regions.iter().filter(|region| is_named(&region.name));
    let rows = regions.flat_map(|region| {
        let rates = region.evictions.iter().filter(|(size, _)| is_named(size));
        rates.map(|(size, rate)| {
            json!({ "skuName": size.to_lowercase(), "location": region.name, "spotEvictionRate": rate })
        })
    });
    let rows: Vec<Value> = rows.collect();
    let count = rows.len();
    Ok(Reply::json(
        200,
        json!({ "totalRecords": count, "count": count, "data": rows, "facets": [], "resultTruncated": "false" }),
    ))
}
