//! JarvisLabs' API: GPUs, and the currency of the account.

use serde_json::json;

use super::keyed::check_bearer;
use crate::reply::{Problem, Reply};
use crate::service::{Recorded, Service, ServiceAnswer, ServiceDeclaration, no_such_path};
use crate::shop::JarvisLabsShop;

const KEY: &str = "standin0jarvislabs0123456789abcdef";

impl Service {
    /// JarvisLabs' API.
    pub const JARVISLABS: Self = Self(&ServiceDeclaration {
        credentials: &[("JL_API_KEY", KEY)],
        method: Some("GET"),
        ..ServiceDeclaration::api(
            "jarvislabs",
            "SKY_ACCEL_URL_JARVISLABS",
            |state, request, _| answer(&state.shop.jarvislabs, request),
            problem,
        )
    });
}

fn problem(problem: Problem, message: &str) -> Reply {
    Reply::json(
        problem.status(),
        json!({ "success": false, "message": message }),
    )
}

fn answer(shop: &JarvisLabsShop, request: &Recorded) -> ServiceAnswer {
    check_bearer(request, KEY)?;
    let body = match request.path_only().trim_end_matches('/') {
        "/misc/server_meta" => json!({ "server_meta": shop.gpus, "cpu_meta": {} }),
        "/misc" => json!({ "success": shop.charges_rupees }),
        _ => return no_such_path(),
    };
    Ok(Reply::json(200, body))
}
