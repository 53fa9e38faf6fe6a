//! Scaleway's Instance API: the products of a zone. And its IAM API: the quotas of an organization.

use serde_json::{Map, Value, json};

use super::keyed::{check_header, page as numbered_page};
use crate::reply::{Problem, Reply};
use crate::service::{Recorded, Service, ServiceAnswer, ServiceDeclaration, no_such_path};
use crate::shop::ScalewayShop;

const KEY: &str = "57a9d14e-0123-4567-89ab-cdef01234567";
const ORGANIZATION: &str = "0e6a7a1c-5e2f-4c64-9c39-1f2f6f0a0d11";

impl Service {
    /// Scaleway's Instance API and IAM API.
    pub const SCALEWAY: Self = Self(&ServiceDeclaration {
        credentials: &[("SCW_SECRET_KEY", KEY)],
        settings: &[("SCW_DEFAULT_ORGANIZATION_ID", ORGANIZATION)],
        ..ServiceDeclaration::list(
            "scaleway",
            "SKY_ACCEL_URL_SCALEWAY",
            |state, request, _| answer(&state.shop.scaleway, request),
            problem,
        )
    });
}

fn problem(problem: Problem, message: &str) -> Reply {
    Reply::json(problem.status(), json!({ "message": message }))
}

fn answer(shop: &ScalewayShop, request: &Recorded) -> ServiceAnswer {
    let path = request.path_only().trim_start_matches('/');
    if path == "iam/v1alpha1/quota" {
        return quotas(shop, request);
    }
    let parts: Vec<&str> = path.split('/').collect();
    let [
        "instance",
        "v1",
        "zones",
        code,
        "products",
        "servers",
        more @ ..,
    ] = parts.as_slice()
    else {
        return no_such_path();
    };
    // The API rejects a malformed code before any lookup.
    if code.split('-').count() != 3 {
        return Err((Problem::BadRequest, "Unknown zone in path".into()));
    }
    let Some(zone) = shop.zones.iter().find(|zone| zone.code == *code) else {
        return Err((Problem::NotFound, "zone not found".into()));
    };
    let servers = match more {
        [] => zone
            .stock
            .iter()
            .filter_map(|(name, _)| Some((name.clone(), shop.types.get(name)?.clone())))
            .collect(),
        ["availability"] => zone
            .stock
            .iter()
            .map(|(name, word)| (name.clone(), json!({ "availability": word })))
            .collect(),
        _ => return no_such_path(),
    };
    page(shop, request, &servers)
}

/// Lists the quotas of an organization.
fn quotas(shop: &ScalewayShop, request: &Recorded) -> ServiceAnswer {
    check_header(request, "x-auth-token", KEY)?;
    if request.parameter("organization_id").as_deref() != Some(ORGANIZATION) {
        return Err((Problem::Forbidden, "insufficient permissions".into()));
    }
    let (rows, _) = numbered_page(request, &shop.quotas, ("page_size", 20), 100)?;
    let body = json!({ "quota": rows, "total_count": shop.quotas.len() });
    Ok(Reply::json(200, body))
}

fn page(shop: &ScalewayShop, request: &Recorded, servers: &Map<String, Value>) -> ServiceAnswer {
    let size = request.number("per_page", 50)?;
    let page = request.number("page", 1)?;
    if !(1..=100).contains(&size) || page == 0 {
        return Err((Problem::BadRequest, "Validation Error".into()));
    }
    // A page after the last page is empty.
    let rows: Map<String, Value> = servers
        .iter()
        .skip((page - 1) * size)
        .take(size)
        .map(|(name, row)| (name.clone(), row.clone()))
        .collect();
    Ok(Reply::json(200, json!({ "servers": rows }))
        .header("x-total-count", servers.len().to_string())
        .modified(shop.published))
}
