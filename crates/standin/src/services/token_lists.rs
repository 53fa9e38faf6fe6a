//! The public lists of prices of tokens: one JSON document each.

use jiff::Timestamp;
use serde_json::Value;

use crate::reply::{Problem, Reply};
use crate::service::{Recorded, Service, ServiceAnswer, ServiceDeclaration, no_such_path};

impl Service {
    /// The list of litellm.
    pub const LITELLM: Self = Self(&ServiceDeclaration::list(
        "litellm",
        "SKY_ACCEL_URL_LITELLM",
        |state, request, _| {
            let lists = &state.shop.token_lists;
            let path = "/model_prices_and_context_window.json";
            answer(&lists.litellm, lists.published, path, request)
        },
        problem,
    ));

    /// The list of genai-prices.
    pub const GENAI_PRICES: Self = Self(&ServiceDeclaration::list(
        "genai-prices",
        "SKY_ACCEL_URL_GENAI_PRICES",
        |state, request, _| {
            let lists = &state.shop.token_lists;
            answer(&lists.genai_prices, lists.published, "/data.json", request)
        },
        problem,
    ));
}

fn problem(problem: Problem, message: &str) -> Reply {
    Reply::text(problem.status(), "text/plain; charset=utf-8", message)
}

fn answer(document: &Value, published: Timestamp, path: &str, request: &Recorded) -> ServiceAnswer {
    if request.path_only() != path {
        return no_such_path();
    }
    Ok(Reply::json(200, document.clone()).modified(published))
}
