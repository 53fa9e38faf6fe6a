//! Mithril's API: instance types and auctions of spot machines.

use serde_json::json;

use super::keyed::check_bearer;
use crate::reply::{Problem, Reply};
use crate::service::{Recorded, Service, ServiceAnswer, ServiceDeclaration, no_such_path};
use crate::shop::MithrilShop;

const KEY: &str = "fkey_standin0123456789abcdef";

impl Service {
    /// Mithril's API.
    pub const MITHRIL: Self = Self(&ServiceDeclaration {
        credentials: &[("MITHRIL_API_KEY", KEY)],
        method: Some("GET"),
        ..ServiceDeclaration::api(
            "mithril",
            "MITHRIL_API_URL",
            |state, request, _| answer(&state.shop.mithril, request),
            problem,
        )
    });
}

fn problem(problem: Problem, message: &str) -> Reply {
    Reply::json(problem.status(), json!({ "detail": message }))
}

fn answer(shop: &MithrilShop, request: &Recorded) -> ServiceAnswer {
    check_bearer(request, KEY)?;
    let rows = match request.path_only() {
        "/v2/instance-types" => &shop.types,
        "/v2/spot/availability" => &shop.auctions,
        _ => return no_such_path(),
    };
    Ok(Reply::json(200, rows.clone().into()))
}
