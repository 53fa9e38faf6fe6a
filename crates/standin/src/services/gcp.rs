//! Google's Compute Engine, its advice on capacity, Cloud Quotas, and the token server.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::Fault;
use crate::reply::{Problem, ProblemCodes, Reply};
use crate::service::{
    Recorded, Refusal, Service, ServiceAnswer, ServiceDeclaration, no_such_path, refuse,
    refuse_write,
};
use crate::shop::GcpShop;
use crate::state::State;

const TOKEN: &str = "ya29.standin0token0gcp";
const PROJECT: &str = "standin-project";
/// The stored login of a user that the token server accepts.
const CLIENT_ID: &str = "standin-gcp-client";
const CLIENT_SECRET: &str = "standin0secret0gcp";
const REFRESH_TOKEN: &str = "1//standin0refresh0gcp";
/// The number of days in a history of preemptions.
const DAYS: i64 = 30;

impl Service {
    /// Google Cloud's API.
    pub const GCP: Self = Self(&ServiceDeclaration {
        credentials: &[("CLOUDSDK_AUTH_ACCESS_TOKEN", TOKEN)],
        settings: &[("GOOGLE_CLOUD_PROJECT", PROJECT)],
        has_tokens: true,
        document: ("application/json", "{\"items\":\""),
        ..ServiceDeclaration::api("gcp", "SKY_ACCEL_URL_GCP", answer, problem)
    });
}

const CODES: ProblemCodes = [
    (400, "INVALID_ARGUMENT"),
    (401, "UNAUTHENTICATED"),
    (403, "PERMISSION_DENIED"),
    (404, "NOT_FOUND"),
    (429, "RESOURCE_EXHAUSTED"),
    (429, "RESOURCE_EXHAUSTED"),
    (500, "INTERNAL"),
];

fn problem(problem: Problem, message: &str) -> Reply {
    let (code, status) = problem.of(&CODES);
    let error = json!({ "code": code, "message": message, "status": status });
    Reply::json(code, json!({ "error": error }))
}

fn answer(state: &State, request: &Recorded, fault: &Fault) -> ServiceAnswer {
    let path = request.path_only();
    if path == "/token" {
        return Ok(token(state, request));
    }
    let is_expired = *fault == Fault::ExpiredToken;
    let is_known = request.bearer().is_some_and(|token| {
        token == TOKEN && !is_expired || state.tokens().accept(token, is_expired)
    });
    if !is_known {
        return refuse(Problem::Unauthorized, "Request had invalid credentials");
    }
    let shop = &state.shop.gcp;
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let (method, parts) = (request.method.as_str(), parts.as_slice());
    match parts {
        ["v1", "projects", project, ..] | ["compute", "v1", "projects", project, ..]
            if *project != PROJECT =>
        {
            refuse(Problem::NotFound, "The resource was not found")
        }
        [
            "v1",
            "projects",
            _,
            "locations",
            "global",
            "services",
            "compute.googleapis.com",
            "quotaInfos",
        ] if method == "GET" => Ok(Reply::json(200, json!({ "quotaInfos": shop.quota_infos }))),
        ["compute", "v1", "projects", _, rest @ ..] => match (method, rest) {
            ("GET", []) => Ok(Reply::json(
                200,
                json!({ "name": PROJECT, "quotas": shop.project_quotas }),
            )),
            ("GET", ["aggregated", "machineTypes"]) => machine_types(shop, request),
            ("GET", ["zones", zone, "acceleratorTypes"]) => {
                Ok(Reply::json(200, accelerator_types(shop, zone)))
            }
            ("GET", ["regions", region]) => Ok(Reply::json(
                200,
                json!({ "name": region, "status": "UP", "quotas": shop.region_quotas }),
            )),
            ("POST", ["regions", region, "advice", kind]) => {
                let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
                match *kind {
                    "capacity" => capacity(shop, &body),
                    "capacityHistory" => history(shop, region, &body),
                    "calendarMode" => calendar(shop, region, &body),
                    _ => no_such_path(),
                }
            }
            ("GET", _) => no_such_path(),
            _ => refuse_write(state),
        },
        _ if method == "GET" => no_such_path(),
        _ => refuse_write(state),
    }
}

/// Hands out a token for the stored login of a user, or for a statement of a service account.
fn token(state: &State, request: &Recorded) -> Reply {
    let form: Vec<(String, String)> = form_urlencoded::parse(request.body.as_bytes())
        .into_owned()
        .collect();
    let field = |name: &str| {
        let mut fields = form.iter();
        fields.find_map(|(key, value)| (key == name).then_some(value.as_str()))
    };
    let is_good = match field("grant_type") {
        Some("refresh_token") => {
            field("client_id") == Some(CLIENT_ID)
                && field("client_secret") == Some(CLIENT_SECRET)
                && field("refresh_token") == Some(REFRESH_TOKEN)
        }
        Some("urn:ietf:params:oauth:grant-type:jwt-bearer") => {
            let parts = field("assertion").unwrap_or_default().split('.');
            parts.filter(|part| part.len() > 20).count() == 3
        }
        _ => false,
    };
    if request.method != "POST" || !is_good {
        let error = json!({ "error": "invalid_grant", "error_description": "Bad Request" });
        return Reply::json(400, error);
    }
    let token = state.tokens().mint();
    let answer = json!({ "access_token": token, "expires_in": 3599, "token_type": "Bearer" });
    Reply::json(200, answer)
}

/// Returns true if a filter by a regular expression of the form `name eq "(a|b)[0-9].*"` accepts a
/// name.
fn accepts(filter: Option<&str>, name: &str) -> Result<bool, Refusal> {
    let Some(filter) = filter else {
        return Ok(true);
    };
    let starts = filter
        .strip_prefix("name eq \"(")
        .and_then(|rest| rest.strip_suffix(")[0-9].*\""));
    let Some(starts) = starts else {
        return refuse(Problem::BadRequest, format!("Invalid filter: {filter}"));
    };
    Ok(starts.split('|').any(|start| {
        let rest = name.strip_prefix(start).unwrap_or_default();
        rest.starts_with(|first: char| first.is_ascii_digit())
    }))
}

/// Lists machine types by zone. A zone without types on the page has a warning.
fn machine_types(shop: &GcpShop, request: &Recorded) -> ServiceAnswer {
    let filter = request.parameter("filter");
    let mut rows = Vec::new();
    for found in &shop.types {
        let name = found.row["name"].as_str().unwrap_or_default();
        if accepts(filter.as_deref(), name)? {
            rows.extend(found.zones.iter().map(|zone| (zone, &found.row)));
        }
    }
    rows.sort_by_key(|(zone, _)| *zone);
    let start = match request.parameter("pageToken") {
        Some(token) => match token.strip_prefix("page-").map(str::parse) {
            Some(Ok(start)) => start,
            _ => return refuse(Problem::BadRequest, "Invalid value for field 'pageToken'"),
        },
        None => 0_usize,
    };
    let end = shop.page_size.map_or(rows.len(), |size| start + size);
    let mut items = json!({});
    for (zone, _) in &rows {
        let warning = json!({ "code": "NO_RESULTS_ON_PAGE", "message": "There are no results" });
        items[format!("zones/{zone}")] = json!({ "warning": warning });
    }
    for (zone, row) in rows.iter().take(end).skip(start) {
        let mut row = (*row).clone();
        row["zone"] = json!(zone);
        row["kind"] = json!("compute#machineType");
        let scope = &mut items[format!("zones/{zone}")];
        if scope["machineTypes"].is_null() {
            *scope = json!({ "machineTypes": [] });
        }
        if let Some(list) = scope["machineTypes"].as_array_mut() {
            list.push(row);
        }
    }
    let mut answer = json!({
        "kind": "compute#machineTypeAggregatedList",
        "id": format!("projects/{PROJECT}/aggregated/machineTypes"),
        "items": items,
    });
    if end < rows.len() {
        answer["nextPageToken"] = json!(format!("page-{end}"));
    }
    Ok(Reply::json(200, answer))
}

fn accelerator_types(shop: &GcpShop, zone: &str) -> Value {
    let here = shop.types.iter();
    let here = here.filter(|found| found.zones.iter().any(|other| other == zone));
    let mut names: Vec<&str> = here
        .filter_map(|found| found.row["accelerators"][0]["guestAcceleratorType"].as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    let rows = names.into_iter();
    let rows = rows.map(|name| json!({ "name": name, "maximumCardsPerInstance": 8 }));
    json!({ "kind": "compute#acceleratorTypeList", "items": rows.collect::<Vec<_>>() })
}

/// Returns the likelihood of getting machines of the only type in the only zone of a request. Twice as
/// many machines are half as likely.
fn capacity(shop: &GcpShop, body: &Value) -> ServiceAnswer {
    let size = body["size"].as_u64().filter(|size| *size > 0);
    let selections = body["instanceFlexibilityPolicy"]["instanceSelections"].as_object();
    let selection = selections.and_then(|all| all.values().next());
    let machine = selection.and_then(|one| one["machineTypes"][0].as_str());
    let zone = body["distributionPolicy"]["zones"][0]["zone"].as_str();
    let zone = zone.and_then(|zone| zone.strip_prefix("zones/"));
    let (Some(size), Some(machine), Some(zone)) = (size, machine, zone) else {
        return refuse(
            Problem::BadRequest,
            "size, machine type and zone are required",
        );
    };
    if body["instanceProperties"]["scheduling"]["provisioningModel"] != "SPOT" {
        return refuse(Problem::BadRequest, "provisioningModel must be SPOT");
    }
    if !shop.spot.contains_key(machine) {
        return refuse(Problem::BadRequest, "The machine type is not supported");
    }
    let mut scores = shop.scores.get(zone).cloned().unwrap_or_else(|| json!({}));
    if let Some(score) = scores["obtainability"].as_f64() {
        scores["obtainability"] = json!((score / size as f64 * 10.0).round() / 10.0);
    }
    let shard = json!({
        "zone": format!("https://www.googleapis.com/compute/v1/projects/{PROJECT}/zones/{zone}"),
        "machineType": machine,
        "instanceCount": size,
        "provisioningModel": "SPOT",
    });
    let recommendation = json!({ "scores": scores, "shards": [shard] });
    Ok(Reply::json(
        200,
        json!({ "recommendations": [recommendation] }),
    ))
}

/// Returns the preemptions of the last days, and the price of the whole machine.
fn history(shop: &GcpShop, region: &str, body: &Value) -> ServiceAnswer {
    let properties = &body["instanceProperties"];
    if properties["scheduling"]["provisioningModel"] != "SPOT" {
        return refuse(Problem::BadRequest, "provisioningModel must be SPOT");
    }
    let machine = properties["machineType"].as_str().unwrap_or_default();
    let Some(usd) = shop.spot.get(machine) else {
        return refuse(Problem::BadRequest, "The machine type is not supported");
    };
    let usd = if region == "us-central1" {
        *usd
    } else {
        usd * 1.1
    };
    let wants = |kind: &str| {
        let kinds = body["types"].as_array();
        kinds.is_some_and(|kinds| kinds.iter().any(|other| other == kind))
    };
    let mut answer = json!({
        "location": format!("https://www.googleapis.com/compute/v1/projects/{PROJECT}/regions/{region}"),
        "machineType": machine,
    });
    let now = Timestamp::now();
    let day = |ago: i64| {
        let time = now - SignedDuration::from_hours(24 * ago);
        json!(time.to_string())
    };
    if wants("PREEMPTION") {
        let days = (1..=DAYS).rev().map(|ago| {
            let rate = (ago * 7 % DAYS) as f64 / 100.0;
            json!({
                "interval": { "startTime": day(ago), "endTime": day(ago - 1) },
                "preemptionRate": rate,
            })
        });
        answer["preemptionHistory"] = days.collect();
    }
    if wants("PRICE") {
        let price = |usd: f64| {
            let nanos = (usd.fract() * 1e9).round() as i64;
            json!({ "currencyCode": "USD", "units": format!("{:.0}", usd.trunc()), "nanos": nanos })
        };
        answer["priceHistory"] = json!([
            { "interval": { "startTime": day(200), "endTime": day(40) }, "listPrice": price(usd * 0.8) },
            { "interval": { "startTime": day(40) }, "listPrice": price(usd) },
        ]);
    }
    Ok(Reply::json(200, answer))
}

/// Recommends a start in three days in the first zone of the region that has machines.
fn calendar(shop: &GcpShop, region: &str, body: &Value) -> ServiceAnswer {
    let specs = body["futureResourcesSpecs"].as_object();
    let spec = specs.and_then(|specs| specs.iter().next());
    let Some((name, spec)) = spec else {
        return refuse(Problem::BadRequest, "futureResourcesSpecs is required");
    };
    let seconds = spec["timeRangeSpec"]["minDuration"].as_str();
    let seconds = seconds.and_then(|text| text.strip_suffix('s')?.parse::<i64>().ok());
    let Some(seconds) = seconds else {
        return refuse(Problem::BadRequest, "minDuration is required");
    };
    let machine = spec["targetResources"]["specificSkuResources"]["machineType"].as_str();
    let found = shop
        .types
        .iter()
        .find(|found| found.row["name"].as_str() == machine);
    let zones = found
        .map(|found| found.zones.as_slice())
        .unwrap_or_default();
    let here = |zone: &&String| zone.rsplit_once('-').is_some_and(|(of, _)| of == region);
    let mut recommendation =
        json!({ "recommendationType": "FUTURE_RESERVATION", "otherLocations": {} });
    for zone in zones.iter().filter(here) {
        let is_first = recommendation["location"].is_null();
        if is_first && shop.reservable.contains(zone) {
            let start = Timestamp::now() + SignedDuration::from_hours(72);
            let start = start.as_second() / 86_400 * 86_400;
            let time = |second: i64| {
                Timestamp::from_second(second)
                    .unwrap_or_default()
                    .to_string()
            };
            recommendation["location"] = json!(format!("zones/{zone}"));
            recommendation["startTime"] = json!(time(start));
            recommendation["endTime"] = json!(time(start + seconds));
        } else {
            let status = json!({ "status": "NO_CAPACITY" });
            recommendation["otherLocations"][format!("zones/{zone}")] = status;
        }
    }
    let row = json!({ "recommendationsPerSpec": { name: recommendation } });
    Ok(Reply::json(200, json!({ "recommendations": [row] })))
}
