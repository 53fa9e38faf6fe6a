//! Latitude.sh's API: bare-metal plans.

use serde_json::{Value, json};

use super::keyed::check_header;
use crate::reply::{Problem, ProblemCodes, Reply};
use crate::service::{Recorded, Service, ServiceAnswer, ServiceDeclaration, no_such_path, refuse};
use crate::shop::LatitudeShop;

const KEY: &str = "latitude_standin0123456789abcdef";

impl Service {
    /// Latitude.sh's API.
    pub const LATITUDE: Self = Self(&ServiceDeclaration {
        credentials: &[("LATITUDESH_BEARER", KEY)],
        method: Some("GET"),
        ..ServiceDeclaration::api(
            "latitude",
            "SKY_ACCEL_URL_LATITUDE",
            |state, request, _| answer(&state.shop.latitude, request),
            problem,
        )
    });
}

const CODES: ProblemCodes = Problem::lower_case("internal_server_error");

fn problem(problem: Problem, message: &str) -> Reply {
    let (status, code) = problem.of(&CODES);
    let error =
        json!({ "code": code, "status": status.to_string(), "title": code, "detail": message });
    Reply::json_api(status, json!({ "errors": [error] }))
}

fn answer(shop: &LatitudeShop, request: &Recorded) -> ServiceAnswer {
    check_header(request, "authorization", KEY)?;
    if request.header("accept") != Some("application/vnd.api+json") {
        return refuse(Problem::BadRequest, "answers are application/vnd.api+json");
    }
    if request.path_only() != "/plans" {
        return no_such_path();
    }
    let has_gpus = |attributes: &Value| attributes["specs"]["gpu"]["count"].as_f64() > Some(0.0);
    let only_gpus = request.parameter("filter[gpu]").as_deref() == Some("true");
    let plans = shop.plans.iter().enumerate();
    let plans = plans.filter(|(_, attributes)| !only_gpus || has_gpus(attributes));
    let rows = plans.map(|(at, attributes)| {
        json!({ "id": format!("plan_{at}"), "type": "plans", "attributes": attributes })
    });
    Ok(Reply::json_api(
        200,
        json!({ "data": rows.collect::<Vec<_>>(), "meta": {} }),
    ))
}
