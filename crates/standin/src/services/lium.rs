//! Lium's public feed of nodes.

use serde_json::json;

use crate::reply::{Problem, Reply};
use crate::service::{Recorded, Service, ServiceAnswer, ServiceDeclaration, no_such_path};
use crate::shop::LiumShop;

impl Service {
    /// Lium's public feed.
    pub const LIUM: Self = Self(&ServiceDeclaration::list(
        "lium",
        "SKY_ACCEL_URL_LIUM",
        |state, request, _| answer(&state.shop.lium, request),
        problem,
    ));
}

fn problem(problem: Problem, message: &str) -> Reply {
    Reply::json(problem.status(), json!({ "detail": message }))
}

fn answer(shop: &LiumShop, request: &Recorded) -> ServiceAnswer {
    if request.path_only() != "/api/public/v1/nodes" {
        return no_such_path();
    }
    let body = json!({
        "generated_at": shop.generated_at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        "count": shop.nodes.len(),
        "nodes": shop.nodes,
    });
    Ok(Reply::json(200, body).modified(shop.generated_at))
}
