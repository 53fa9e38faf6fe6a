//! Scaleway's Instance API: the products of a zone.

use serde_json::{Map, Value, json};

use crate::reply::{Problem, Reply};
use crate::service::{Recorded, Service, ServiceAnswer, ServiceDeclaration, no_such_path};
use crate::shop::ScalewayShop;

impl Service {
    /// Scaleway's Instance API.
    pub const SCALEWAY: Self = Self(&ServiceDeclaration::list(
        "scaleway",
        "SKY_ACCEL_URL_SCALEWAY",
        |state, request, _| answer(&state.shop.scaleway, request),
        problem,
    ));
}

fn problem(problem: Problem, message: &str) -> Reply {
    Reply::json(problem.status(), json!({ "message": message }))
}

fn answer(shop: &ScalewayShop, request: &Recorded) -> ServiceAnswer {
    let path = request.path_only().trim_start_matches('/');
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
