//! Vultr's API: plans and regions, and with a key the plans that an account can order.

use serde_json::{Value, json};

use super::keyed::check_bearer;
use crate::reply::{Problem, Reply};
use crate::service::{Recorded, Service, ServiceAnswer, ServiceDeclaration, no_such_path};
use crate::shop::VultrShop;

const KEY: &str = "VULTRSTANDIN0123456789ABCDEFGHIJKLMN";

impl Service {
    /// Vultr's API.
    pub const VULTR: Self = Self(&ServiceDeclaration {
        credentials: &[("VULTR_API_KEY", KEY)],
        ..ServiceDeclaration::list(
            "vultr",
            "SKY_ACCEL_URL_VULTR",
            |state, request, _| answer(&state.shop.vultr, request),
            problem,
        )
    });
}

fn problem(problem: Problem, message: &str) -> Reply {
    let status = problem.status();
    Reply::json(status, json!({ "error": message, "status": status }))
}

fn answer(shop: &VultrShop, request: &Recorded) -> ServiceAnswer {
    if request.path_only() == "/v2/account" {
        check_bearer(request, KEY)?;
        let account =
            json!({ "name": "Stand In", "email": "standin@example.com", "acls": ["provisioning"] });
        return Ok(Reply::json(200, json!({ "account": account })));
    }
    let path = request.path_only().strip_prefix("/v2/regions/");
    if let Some(region) = path.and_then(|path| path.strip_suffix("/availability")) {
        check_bearer(request, KEY)?;
        return available(shop, region);
    }
    let kind = request.parameter("type").unwrap_or("all".into());
    let of_kind = |row: &&Value| kind == "all" || row["type"] == kind.as_str();
    let (name, rows): (_, Vec<&Value>) = match request.path_only() {
        "/v2/plans" => ("plans", shop.plans.iter().filter(of_kind).collect()),
        "/v2/plans-metal" => ("plans_metal", shop.metal.iter().collect()),
        "/v2/regions" => ("regions", shop.regions.iter().collect()),
        _ => return no_such_path(),
    };
    page(shop, request, name, &rows)
}

/// Lists the plans that the account can order in a region.
fn available(shop: &VultrShop, region: &str) -> ServiceAnswer {
    if !shop.regions.iter().any(|row| row["id"] == region) {
        return Err((Problem::NotFound, "Invalid region".to_owned()));
    }
    let is_free = |row: &&Value| {
        let mut places = row["locations"].as_array().into_iter().flatten();
        let is_taken = shop
            .taken
            .iter()
            .any(|(id, place)| row["id"] == *id && place == region);
        places.any(|place| place == region) && !is_taken
    };
    let rows = shop.plans.iter().chain(&shop.metal).filter(is_free);
    let plans: Vec<&Value> = rows.map(|row| &row["id"]).collect();
    Ok(Reply::json(200, json!({ "available_plans": plans })))
}

fn page(shop: &VultrShop, request: &Recorded, name: &str, rows: &[&Value]) -> ServiceAnswer {
    let size = request.number("per_page", 100)?;
    if !(1..=500).contains(&size) {
        let message = "Invalid per_page: must be between 1 and 500";
        return Err((Problem::BadRequest, message.into()));
    }
    let start = match request.parameter("cursor") {
        None => 0,
        Some(cursor) if cursor.is_empty() => 0,
        Some(cursor) => offset(&cursor)
            .filter(|start| *start < rows.len())
            .ok_or((Problem::BadRequest, "Invalid cursor".to_owned()))?,
    };
    let end = rows.len().min(start + size);
    let next = if end < rows.len() {
        cursor(end)
    } else {
        String::new()
    };
    let prev = if start > 0 {
        cursor(start.saturating_sub(size))
    } else {
        String::new()
    };
    let meta = json!({ "total": rows.len(), "links": { "next": next, "prev": prev } });
    let mut body = json!({ name: [], "meta": meta });
    body[name] = rows[start..end].iter().copied().cloned().collect();
    Ok(Reply::json(200, body).modified(shop.published))
}

/// Returns an opaque cursor.
fn cursor(offset: usize) -> String {
    format!("bmV4dF9f{offset:06x}")
}

fn offset(cursor: &str) -> Option<usize> {
    usize::from_str_radix(cursor.strip_prefix("bmV4dF9f")?, 16).ok()
}
