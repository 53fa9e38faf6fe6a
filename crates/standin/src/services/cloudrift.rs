//! CloudRift's list of instance types, a POST request.

use serde_json::{Value, json};

use crate::reply::{Problem, Reply};
use crate::service::{Recorded, Service, ServiceAnswer, ServiceDeclaration, no_such_path};
use crate::shop::CloudRiftShop;

impl Service {
    /// CloudRift's API.
    pub const CLOUDRIFT: Self = Self(&ServiceDeclaration {
        method: Some("POST"),
        ..ServiceDeclaration::list(
            "cloudrift",
            "SKY_ACCEL_URL_CLOUDRIFT",
            |state, request, _| answer(&state.shop.cloudrift, request),
            problem,
        )
    });
}

fn problem(problem: Problem, message: &str) -> Reply {
    Reply::json(problem.status(), json!({ "message": message }))
}

fn answer(shop: &CloudRiftShop, request: &Recorded) -> ServiceAnswer {
    if request.path_only() != "/api/v1/instance-types/list" {
        return no_such_path();
    }
    let bad = |message: String| (Problem::BadRequest, message);
    let body: Value =
        serde_json::from_str(&request.body).map_err(|error| bad(error.to_string()))?;
    if !body["version"].is_string() {
        return Err(bad("missing field `version`".into()));
    }
    let services = match &body["data"]["selector"] {
        Value::String(all) if all == "All" => None,
        selector => {
            let services = &selector["ByServiceAndLocation"]["services"];
            let services = services.as_array();
            Some(services.ok_or(bad("unknown variant of `selector`".into()))?)
        }
    };
    let rows: Vec<&Value> = shop
        .instance_types
        .iter()
        .filter(|_| services.is_none_or(|services| services.contains(&json!("vm"))))
        .collect();
    Ok(Reply::json(
        200,
        json!({ "version": body["version"], "data": { "instance_types": rows } }),
    )
    .modified(shop.published))
}
