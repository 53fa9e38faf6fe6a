//! Vast.ai's API: searches for offers.

mod search;

use serde_json::{Value, json};

use crate::credentials::VAST_API_KEY;
use crate::error::problem;
use crate::reply::{Problem, Reply};
use crate::shop::TruncatedField;
use crate::state::{Recorded, State};

pub(crate) fn answer(state: &State, request: &Recorded, untouched: bool) -> Reply {
    let refuse = |kind, message: &str| problem(request.service, kind, message);
    let shop = &state.shop.vast;
    let path = request.path_only().trim_end_matches('/');
    // At its start, the command line client reads the GPU names without a key.
    if path == "/api/v0/gpu_names/unique" {
        return Reply::json(200, json!({ "success": true, "gpu_names": names(shop) }));
    }
    let key = match request.bearer() {
        Some(key) => Some(key.to_owned()),
        None => request.parameter("api_key"),
    };
    match key.as_deref() {
        Some(VAST_API_KEY) => {}
        None if shop.anonymous_reads => {}
        _ => return refuse(Problem::Unauthorized, "Invalid user key"),
    }
    // Benchmarks repeat a search over thousands of rows, and they should measure the client.
    let question = format!("{} {}", request.path, request.body);
    if untouched && let Some(body) = state.answers().get(&question) {
        return Reply::bytes(200, "application/json", body.clone());
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
            return Reply::json(
                200,
                json!({ "id": 1, "username": "standin", "email": "standin@example.com", "credit": 10.0, "balance": 0.0 }),
            );
        }
        ("GET", _) => return refuse(Problem::NotFound, "no such path"),
        _ => {
            state.count_write();
            return refuse(Problem::Forbidden, "nothing is for rent here");
        }
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
            reply
        }
        Err(message) => refuse(Problem::BadRequest, &message),
    }
}

fn names(shop: &crate::shop::VastShop) -> Vec<&str> {
    let mut names: Vec<&str> = shop
        .offers
        .iter()
        .filter_map(|offer| offer["gpu_name"].as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}
