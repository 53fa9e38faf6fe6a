//! Crusoe Cloud's API: stock, types and quotas. Each request must have the signature of the key.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use ring::hmac;
use serde_json::{Value, json};

use crate::Fault;
use crate::reply::{Problem, ProblemCodes, Reply};
use crate::service::{
    Recorded, Service, ServiceAnswer, ServiceDeclaration, no_such_path, refuse, refuse_write,
};
use crate::state::State;

const KEY_ID: &str = "standinCrusoeKey";
/// `standin0secret0crusoe` in base64.
const SECRET: &str = "c3RhbmRpbjBzZWNyZXQwY3J1c29l";
const PROJECT: &str = "00000000-aaaa-bbbb-cccc-0123456789ab";
/// The maximum difference of the clocks, in seconds.
const MAX_SKEW: i64 = 300;

impl Service {
    /// Crusoe Cloud's API.
    pub const CRUSOE: Self = Self(&ServiceDeclaration {
        base: "/v1",
        credentials: &[
            ("CRUSOE_ACCESS_KEY_ID", KEY_ID),
            ("CRUSOE_SECRET_KEY", SECRET),
            ("CRUSOE_DEFAULT_PROJECT", PROJECT),
        ],
        ..ServiceDeclaration::api("crusoe", "CRUSOE_API_ENDPOINT", answer, problem)
    });
}

const CODES: ProblemCodes = [
    (400, "bad_request"),
    (401, "bad_credential"),
    (403, "forbidden"),
    (404, "not_found"),
    (429, "too_many_requests"),
    (429, "too_many_requests"),
    (500, "internal_error"),
];

fn problem(problem: Problem, message: &str) -> Reply {
    let (status, code) = problem.of(&CODES);
    Reply::json(status, json!({ "code": code, "message": message }))
}

fn answer(state: &State, request: &Recorded, _: &Fault) -> ServiceAnswer {
    if !is_signed(request) {
        return refuse(
            Problem::Unauthorized,
            "The request is not signed with a known key",
        );
    }
    if request.method != "GET" {
        return refuse_write(state);
    }
    let shop = &state.shop.crusoe;
    let parts: Vec<&str> = request.path_only().split('/').skip(1).collect();
    let items = |rows: &Vec<Value>| Ok(Reply::json(200, json!({ "items": rows })));
    // The version before this one has the same lists.
    let ["v1" | "v1alpha5", rest @ ..] = parts.as_slice() else {
        return no_such_path();
    };
    match rest {
        ["capacities"] => items(&shop.capacities),
        ["projects", PROJECT, "compute", "vms", "types"] => items(&shop.types),
        ["projects", PROJECT, "quotas"] => Ok(Reply::json(200, json!({ "quotas": shop.quotas }))),
        _ => no_such_path(),
    }
}

/// Returns true for a request with the signature of the key.
fn is_signed(request: &Recorded) -> bool {
    let time = request.header("x-crusoe-timestamp").unwrap_or_default();
    let skew = time
        .parse::<Timestamp>()
        .map(|time| (time.as_second() - Timestamp::now().as_second()).abs());
    let Some(signature) = request
        .bearer()
        .and_then(|text| text.strip_prefix(&format!("1.0:{KEY_ID}:")))
        .and_then(|text| URL_SAFE_NO_PAD.decode(text).ok())
    else {
        return false;
    };
    let secret = URL_SAFE_NO_PAD.decode(SECRET).expect("a secret in base64");
    let key = hmac::Key::new(hmac::HMAC_SHA256, &secret);
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    // A client whose address is a constant signs the path without the name of this service.
    let prefix = format!("/{}", request.service.name());
    let is_signature_of = |prefix: &str| {
        let text = format!("{prefix}{path}\n{query}\n{}\n{time}\n", request.method);
        hmac::verify(&key, text.as_bytes(), &signature).is_ok()
    };
    skew.is_ok_and(|skew| skew <= MAX_SKEW)
        && [&prefix, ""].iter().any(|prefix| is_signature_of(prefix))
}
