//! Lambda's Cloud API: instance types and images.

use serde_json::{Map, Value, json};

use super::keyed::check_bearer;
use crate::reply::{Problem, ProblemCodes, Reply};
use crate::service::{Recorded, Service, ServiceAnswer, ServiceDeclaration, no_such_path};
use crate::shop::LambdaShop;

const KEY: &str = "secret_standin0lambda_0123456789abcdef";

impl Service {
    /// Lambda's API.
    pub const LAMBDA: Self = Self(&ServiceDeclaration {
        base: "/api/v1",
        credentials: &[("LAMBDA_API_KEY", KEY)],
        method: Some("GET"),
        ..ServiceDeclaration::api(
            "lambda",
            "SKY_ACCEL_URL_LAMBDA",
            |state, request, _| answer(&state.shop.lambda, request),
            problem,
        )
    });
}

const CODES: ProblemCodes = [
    (400, "global/invalid-parameters"),
    (401, "global/invalid-api-key"),
    (403, "global/account-inactive"),
    (404, "global/object-does-not-exist"),
    (429, "global/rate-limited"),
    (429, "global/rate-limited"),
    (500, "global/internal-error"),
];

fn problem(problem: Problem, message: &str) -> Reply {
    let (status, code) = problem.of(&CODES);
    let error = json!({ "code": code, "message": message, "suggestion": "Check the request." });
    Reply::json(status, json!({ "error": error }))
}

fn answer(shop: &LambdaShop, request: &Recorded) -> ServiceAnswer {
    check_bearer(request, KEY)?;
    let data: Value = match request.path_only() {
        "/api/v1/instance-types" => {
            let types = shop.types.iter().map(|row| {
                let name = row["instance_type"]["name"].as_str().unwrap_or_default();
                (name.to_owned(), row.clone())
            });
            types.collect::<Map<String, Value>>().into()
        }
        "/api/v1/images" => {
            let images = shop.regions.iter().enumerate();
            let image =
                |(at, region): (usize, &Value)| json!({ "id": at.to_string(), "region": region });
            images.map(image).collect()
        }
        _ => return no_such_path(),
    };
    Ok(Reply::json(200, json!({ "data": data })))
}
