//! Verda's REST API.

use serde_json::{Map, Value, json};

use crate::Fault;
use crate::reply::{Problem, ProblemCodes, Reply};
use crate::service::{
    Recorded, Service, ServiceAnswer, ServiceDeclaration, no_such_path, refuse, refuse_write,
};
use crate::shop::VerdaShop;
use crate::state::State;

const CLIENT_ID: &str = "standin-verda-client";
const CLIENT_SECRET: &str = "standin0secret0verda";

impl Service {
    /// Verda's API.
    pub const VERDA: Self = Self(&ServiceDeclaration {
        base: "/v1",
        credentials: &[
            ("VERDA_CLIENT_ID", CLIENT_ID),
            ("VERDA_CLIENT_SECRET", CLIENT_SECRET),
        ],
        has_tokens: true,
        ..ServiceDeclaration::api("verda", "VERDA_BASE_URL", answer, problem)
    });
}

const CODES: ProblemCodes = [
    (400, "invalid_request"),
    (401, "unauthorized_request"),
    (403, "forbidden_action"),
    (404, "not_found"),
    (429, "too_many_requests"),
    (429, "too_many_requests"),
    (500, "server_error"),
];

fn problem(problem: Problem, message: &str) -> Reply {
    let (status, code) = problem.of(&CODES);
    Reply::json(status, json!({ "code": code, "message": message }))
}

/// The exchange rate for prices in euros. The API has prices in dollars.
const EUROS_PER_DOLLAR: f64 = 0.86;

const PRICES: &[&str] = &[
    "price_per_hour",
    "spot_price",
    "dynamic_price",
    "max_dynamic_price",
];

fn answer(state: &State, request: &Recorded, fault: &Fault) -> ServiceAnswer {
    let shop = &state.shop.verda;
    let Some(path) = request.path_only().strip_prefix("/v1") else {
        return no_such_path();
    };
    let path = path.trim_end_matches('/');
    if path == "/oauth2/token" {
        return token(state, request);
    }
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    // The price list is public. All other paths need a token.
    if parts != ["instance-types"] {
        let good = request
            .bearer()
            .is_some_and(|token| state.tokens().accept(token, *fault == Fault::ExpiredToken));
        if !good {
            return refuse(
                Problem::Unauthorized,
                "Access token is missing or has expired",
            );
        }
    }
    if request.method != "GET" {
        return refuse_write(state);
    }
    let spot = ["is_spot", "isSpot"]
        .iter()
        .find_map(|name| request.parameter(name))
        .is_some_and(|value| value.eq_ignore_ascii_case("true") || value == "1");
    let location = request
        .parameter("location_code")
        .or_else(|| request.parameter("locationCode"));
    let currency = request.parameter("currency").unwrap_or("usd".into());
    match parts.as_slice() {
        ["instance-types"] => match currency.as_str() {
            "usd" | "eur" => Ok(Reply::json(200, types(shop, &currency))),
            other => refuse(
                Problem::BadRequest,
                format!("currency {other} is not known"),
            ),
        },
        ["instance-types", name] => {
            let row = types(shop, &currency)
                .as_array_mut()
                .and_then(|rows| rows.iter_mut().find(|row| row["instance_type"] == *name))
                .map(Value::take);
            match row {
                Some(row) => Ok(Reply::json(200, row)),
                None => refuse(Problem::NotFound, "Invalid instance type"),
            }
        }
        ["instance-availability"] => Ok(Reply::json(
            200,
            availability(shop, spot, location.as_deref()),
        )),
        ["instance-availability", name] => {
            let free = shop.stock.iter().any(|row| {
                row.spot == spot
                    && location.as_ref().is_none_or(|code| *code == row.location)
                    && row.types.iter().any(|known| known == name)
            });
            Ok(Reply::json(200, json!(free)))
        }
        ["locations"] => Ok(Reply::json(200, json!(shop.locations))),
        ["long-term", "periods", "instances"] => Ok(Reply::json(200, json!(shop.periods))),
        _ => no_such_path(),
    }
}

fn token(state: &State, request: &Recorded) -> ServiceAnswer {
    if request.method != "POST" {
        return no_such_path();
    }
    let form = request
        .header("content-type")
        .is_some_and(|kind| kind.starts_with("application/x-www-form-urlencoded"));
    let fields: Map<String, Value> = if form {
        form_urlencoded::parse(request.body.as_bytes())
            .map(|(name, value)| (name.into_owned(), json!(value)))
            .collect()
    } else {
        serde_json::from_str(&request.body).unwrap_or_default()
    };
    let field = |name: &str| fields.get(name).and_then(Value::as_str);
    let good = match field("grant_type") {
        Some("client_credentials") => {
            field("client_id") == Some(CLIENT_ID) && field("client_secret") == Some(CLIENT_SECRET)
        }
        Some("refresh_token") => {
            field("refresh_token").is_some_and(|token| token.starts_with("verda-refresh-"))
        }
        _ => return refuse(Problem::BadRequest, "grant_type is missing or not known"),
    };
    if !good {
        return refuse(Problem::Unauthorized, "Invalid client id or client secret");
    }
    let (token, number) = {
        let mut tokens = state.tokens();
        (tokens.mint(), tokens.minted())
    };
    Ok(Reply::json(
        200,
        json!({
            "access_token": token,
            "refresh_token": format!("verda-refresh-{number}"),
            "token_type": "Bearer",
            "expires_in": state.shop.verda.expires_in,
            "scope": "cloud-api-v1",
        }),
    ))
}

fn types(shop: &VerdaShop, currency: &str) -> Value {
    let mut rows = shop.types.clone();
    if currency == "eur" {
        for row in &mut rows {
            row["currency"] = json!("eur");
            for name in PRICES {
                let price = &mut row[*name];
                let number = match &*price {
                    Value::String(text) => text.parse().ok(),
                    other => other.as_f64(),
                };
                let number =
                    number.map(|price: f64| (price * EUROS_PER_DOLLAR * 1e4).round() / 1e4);
                *price = match (&*price, number) {
                    (Value::String(_), Some(number)) => json!(number.to_string()),
                    (_, number) => json!(number),
                };
            }
        }
    }
    json!(rows)
}

fn availability(shop: &VerdaShop, spot: bool, location: Option<&str>) -> Value {
    shop.stock
        .iter()
        .filter(|row| row.spot == spot && location.is_none_or(|code| code == row.location))
        .map(|row| json!({ "location_code": row.location, "availabilities": row.types }))
        .collect()
}
