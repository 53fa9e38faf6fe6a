//! Mithril's API: instance types, auctions of spot machines, and quotas of a project.

use serde_json::json;

use super::keyed::check_bearer;
use crate::reply::{Problem, Reply};
use crate::service::{Recorded, Service, ServiceAnswer, ServiceDeclaration, no_such_path, refuse};
use crate::shop::MithrilShop;

const KEY: &str = "fkey_standin0123456789abcdef";
const PROJECT: &str = "proj_standin";

impl Service {
    /// Mithril's API.
    pub const MITHRIL: Self = Self(&ServiceDeclaration {
        credentials: &[("MITHRIL_API_KEY", KEY)],
        settings: &[("MITHRIL_PROJECT", PROJECT)],
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
        "/v2/quotas" if request.parameter("project").as_deref() == Some(PROJECT) => &shop.quotas,
        "/v2/quotas" => return refuse(Problem::NotFound, "no such project"),
        _ => return no_such_path(),
    };
    Ok(Reply::json(200, rows.clone().into()))
}
