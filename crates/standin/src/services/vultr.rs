//! Vultr's API: plans and regions.

use serde_json::{Value, json};

use crate::reply::{Problem, Reply};
use crate::service::{Recorded, Service, ServiceAnswer, ServiceDeclaration, no_such_path};
use crate::shop::VultrShop;

impl Service {
    /// Vultr's API.
    pub const VULTR: Self = Self(&ServiceDeclaration::list(
        "vultr",
        "SKY_ACCEL_URL_VULTR",
        |state, request, _| answer(&state.shop.vultr, request),
        problem,
    ));
}

fn problem(problem: Problem, message: &str) -> Reply {
    let status = problem.status();
    Reply::json(status, json!({ "error": message, "status": status }))
}

fn answer(shop: &VultrShop, request: &Recorded) -> ServiceAnswer {
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
