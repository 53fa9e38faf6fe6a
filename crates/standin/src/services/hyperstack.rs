//! Hyperstack's API: flavors, stocks and the price book.

use serde_json::{Value, json};

use super::keyed::check_header;
use crate::reply::{Problem, Reply};
use crate::service::{Recorded, Service, ServiceAnswer, ServiceDeclaration, no_such_path};
use crate::shop::HyperstackShop;

const KEY: &str = "standin0hyperstack-0123-4567-89ab";

impl Service {
    /// Hyperstack's API.
    pub const HYPERSTACK: Self = Self(&ServiceDeclaration {
        base: "/v1",
        credentials: &[("HYPERSTACK_API_KEY", KEY)],
        method: Some("GET"),
        ..ServiceDeclaration::api(
            "hyperstack",
            "SKY_ACCEL_URL_HYPERSTACK",
            |state, request, _| answer(&state.shop.hyperstack, request),
            problem,
        )
    });
}

fn problem(problem: Problem, message: &str) -> Reply {
    let (status, reason) = problem.of(&Problem::HTTP);
    let body = json!({ "status": false, "message": message, "error_reason": reason });
    Reply::json(status, body)
}

fn answer(shop: &HyperstackShop, request: &Recorded) -> ServiceAnswer {
    check_header(request, "api_key", KEY)?;
    let region = request.parameter("region");
    let is_there = |row: &&Value| region.as_ref().is_none_or(|id| row["region_name"] == **id);
    let body = match request.path_only() {
        "/v1/core/flavors" => {
            let groups: Vec<&Value> = shop.flavors.iter().filter(is_there).collect();
            json!({ "status": true, "message": "OK", "data": groups })
        }
        "/v1/core/stocks" => json!({ "status": true, "message": "OK", "stocks": shop.stocks }),
        "/v1/pricebook" => json!(shop.prices),
        _ => return no_such_path(),
    };
    Ok(Reply::json(200, body))
}
