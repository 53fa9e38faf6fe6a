//! Vast.ai's API: searches for offers.

mod search;

use serde_json::{Value, json};

use crate::Fault;
use crate::reply::{Problem, ProblemCodes, Reply};
use crate::service::{
    Recorded, Service, ServiceAnswer, ServiceDeclaration, no_such_path, refuse, refuse_write,
};
use crate::shop::{TruncatedField, VastShop};
use crate::state::State;

const API_KEY: &str = "standin0secret0vast";

impl Service {
    /// Vast.ai's API.
    pub const VAST: Self = Self(&ServiceDeclaration {
        credentials: &[("VAST_API_KEY", API_KEY)],
        quota_header: None,
        ..ServiceDeclaration::api("vast", "VAST_URL", answer, problem)
    });
}

const CODES: ProblemCodes = [
    (400, "invalid_args"),
    (401, "auth_error"),
    (403, "forbidden"),
    (404, "no_such_ask"),
    (429, "too_many_requests"),
    (429, "search_quota_exceeded"),
    (500, "server_error"),
];

fn problem(problem: Problem, message: &str) -> Reply {
    let (status, code) = problem.of(&CODES);
    if matches!(problem, Problem::TooMany) {
        return Reply::text(status, "text/plain", message);
    }
    let body = json!({ "success": false, "error": code, "msg": message });
    Reply::json(status, body)
}

fn answer(state: &State, request: &Recorded, fault: &Fault) -> ServiceAnswer {
    let untouched = matches!(fault, Fault::None | Fault::Delay(_));
    let shop = &state.shop.vast;
    let path = request.path_only().trim_end_matches('/');
    // At its start, the command line client reads the GPU names without a key.
    if path == "/api/v0/gpu_names/unique" {
        let body = json!({ "success": true, "gpu_names": names(shop) });
        return Ok(Reply::json(200, body));
    }
    let key = match request.bearer() {
        Some(key) => Some(key.to_owned()),
        None => request.parameter("api_key"),
    };
    match key.as_deref() {
        Some(API_KEY) => {}
        None if shop.anonymous_reads => {}
        _ => return refuse(Problem::Unauthorized, "Invalid user key"),
    }
    // Benchmarks repeat a search over thousands of rows, and they should measure the client.
    let question = format!("{} {}", request.path, request.body);
    if untouched && let Some(body) = state.answers().get(&question) {
        return Ok(Reply::bytes(200, "application/json", body.clone()));
    }
    let query: Result<Value, _> = match (request.method.as_str(), path) {
        // Without the trailing slash, the path is unknown.
        ("POST", "/api/v0/bundles") if request.path_only().ends_with('/') => {
            serde_json::from_str(&request.body)
        }
        ("GET", "/api/v0/bundles") => {
            serde_json::from_str(request.parameter("q").as_deref().unwrap_or("{}"))
        }
        ("PUT", "/api/v0/search/asks") => serde_json::from_str::<Value>(&request.body)
            .map(|mut body| body.get_mut("q").map_or(json!({}), Value::take)),
        ("GET", "/api/v0/users/current") => {
            return Ok(Reply::json(
                200,
                json!({ "id": 1, "username": "standin", "email": "standin@example.com", "credit": 10.0, "balance": 0.0 }),
            ));
        }
        ("GET", _) => return no_such_path(),
        _ => return refuse_write(state),
    };
    let found = match &query {
        Ok(Value::Object(query)) => search::search(shop, query),
        Ok(_) => Err("the query is not an object".into()),
        Err(error) => Err(error.to_string()),
    };
    match found {
        Ok(found) => {
            let mut body = json!({ "offers": found.offers });
            match shop.truncated {
                TruncatedField::Absent => {}
                TruncatedField::AlwaysFalse => body["truncated"] = json!(false),
                TruncatedField::Honest => body["truncated"] = json!(found.truncated),
            }
            let reply = Reply::json(200, body);
            if untouched {
                state.answers().insert(question, reply.body());
            }
            Ok(reply)
        }
        Err(message) => refuse(Problem::BadRequest, message),
    }
}

fn names(shop: &VastShop) -> Vec<&str> {
    let mut names: Vec<&str> = shop
        .offers
        .iter()
        .filter_map(|offer| offer["gpu_name"].as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}
