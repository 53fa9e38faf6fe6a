//! The public lists of prices of tokens: one JSON document each.

use serde_json::Value;

use crate::reply::{Problem, Reply};
use crate::service::{Recorded, Service, ServiceAnswer, ServiceDeclaration, no_such_path};

impl Service {
    /// The list of litellm.
    pub const LITELLM: Self = Self(&ServiceDeclaration::list(
        "litellm",
        "SKY_ACCEL_URL_LITELLM",
        |state, request, _| {
            let document = &state.shop.token_lists.litellm;
            answer(document, "/model_prices_and_context_window.json", request)
        },
        problem,
    ));

    /// The list of genai-prices.
    pub const GENAI_PRICES: Self = Self(&ServiceDeclaration::list(
        "genai-prices",
        "SKY_ACCEL_URL_GENAI_PRICES",
        |state, request, _| answer(&state.shop.token_lists.genai_prices, "/data.json", request),
        problem,
    ));
}

fn problem(problem: Problem, message: &str) -> Reply {
    Reply::text(problem.status(), "text/plain; charset=utf-8", message)
}

fn answer(document: &Value, path: &str, request: &Recorded) -> ServiceAnswer {
    if request.path_only() != path {
        return no_such_path();
    }
    Ok(Reply::json(200, document.clone()))
}
