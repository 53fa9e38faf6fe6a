//! The API of Akamai's cloud, formerly Linode: types, regions and availability.

use serde_json::{Value, json};

use crate::reply::{Problem, Reply};
use crate::service::{Recorded, Service, ServiceAnswer, ServiceDeclaration, no_such_path};
use crate::shop::LinodeShop;

impl Service {
    /// The API of Akamai's cloud.
    pub const LINODE: Self = Self(&ServiceDeclaration::list(
        "linode",
        "SKY_ACCEL_URL_LINODE",
        |state, request, _| answer(&state.shop.linode, request),
        problem,
    ));
}

fn problem(problem: Problem, message: &str) -> Reply {
    Reply::json(
        problem.status(),
        json!({ "errors": [{ "reason": message }] }),
    )
}

fn answer(shop: &LinodeShop, request: &Recorded) -> ServiceAnswer {
    let rows = match request.path_only() {
        "/v4/linode/types" => shop.types.clone(),
        "/v4/regions" => shop.regions.clone(),
        "/v4/regions/availability" => availability(shop),
        _ => return no_such_path(),
    };
    let size = request.number("page_size", 100)?;
    let page = request.number("page", 1)?;
    if !(25..=500).contains(&size) {
        return Err((Problem::BadRequest, "Must be 25-500".into()));
    }
    let pages = rows.len().div_ceil(size).max(1);
    if !(1..=pages).contains(&page) {
        return Err((Problem::NotFound, "Not found".into()));
    }
    let start = (page - 1) * size;
    let end = rows.len().min(start + size);
    let body = json!({
        "data": rows[start..end],
        "page": page,
        "pages": pages,
        "results": rows.len(),
    });
    Ok(Reply::json(200, body).modified(shop.published))
}

/// Returns a row for each type in each region, including types without stock.
fn availability(shop: &LinodeShop) -> Vec<Value> {
    let mut rows = Vec::new();
    for region in &shop.regions {
        for kind in &shop.types {
            let free = shop
                .stock
                .iter()
                .any(|(plan, place)| kind["id"] == plan.as_str() && region["id"] == place.as_str());
            rows.push(json!({
                "region": region["id"],
                "plan": kind["id"],
                "available": free,
            }));
        }
    }
    rows
}
