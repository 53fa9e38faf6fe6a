//! Prime Intellect's API: available machines of many clouds.

use serde_json::{Value, json};

use super::keyed::{check_bearer, page};
use crate::reply::{Problem, Reply};
use crate::service::{Recorded, Service, ServiceAnswer, ServiceDeclaration, no_such_path};
use crate::shop::PrimeIntellectShop;

const KEY: &str = "pit_standin0prime0123456789abcdef";

impl Service {
    /// Prime Intellect's API.
    pub const PRIMEINTELLECT: Self = Self(&ServiceDeclaration {
        credentials: &[("PRIME_API_KEY", KEY)],
        method: Some("GET"),
        ..ServiceDeclaration::api(
            "primeintellect",
            "PRIME_API_BASE_URL",
            |state, request, _| answer(&state.shop.primeintellect, request),
            problem,
        )
    });
}

fn problem(problem: Problem, message: &str) -> Reply {
    Reply::json(problem.status(), json!({ "detail": message }))
}

fn answer(shop: &PrimeIntellectShop, request: &Recorded) -> ServiceAnswer {
    check_bearer(request, KEY)?;
    let rows: Vec<Value> = match request.path_only().trim_end_matches('/') {
        "/api/v1/availability/gpus" => {
            let count = request.number("gpu_count", 0)?;
            let gpu = request.parameter("gpu_type");
            let is_wanted = |row: &&Value| {
                (count == 0 || row["gpuCount"] == count)
                    && gpu.as_ref().is_none_or(|gpu| row["gpuType"] == **gpu)
            };
            shop.machines.iter().filter(is_wanted).cloned().collect()
        }
        "/api/v1/availability/multi-node" => Vec::new(),
        _ => return no_such_path(),
    };
    let (items, _) = page(request, &rows, ("page_size", 10), shop.page_size)?;
    Ok(Reply::json(
        200,
        json!({ "items": items, "totalCount": rows.len() }),
    ))
}
