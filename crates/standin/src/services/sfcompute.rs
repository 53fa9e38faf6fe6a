//! San Francisco Compute's API: instance SKUs, what is for sale over time, and the order book.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::keyed::check_bearer;
use crate::reply::{Problem, Reply};
use crate::service::{Recorded, Service, ServiceAnswer, ServiceDeclaration, no_such_path, refuse};
use crate::shop::SfComputeShop;

const KEY: &str = "sk_live_standin0123456789abcdef";

impl Service {
    /// San Francisco Compute's API.
    pub const SFCOMPUTE: Self = Self(&ServiceDeclaration {
        credentials: &[("SF_API_KEY", KEY)],
        method: Some("GET"),
        ..ServiceDeclaration::api(
            "sfcompute",
            "SKY_ACCEL_URL_SFCOMPUTE",
            |state, request, _| answer(&state.shop.sfcompute, request),
            problem,
        )
    });
}

fn problem(problem: Problem, message: &str) -> Reply {
    let (status, kind) = problem.of(&Problem::HTTP);
    Reply::json(
        status,
        json!({ "error": { "type": kind, "message": message } }),
    )
}

fn answer(shop: &SfComputeShop, request: &Recorded) -> ServiceAnswer {
    check_bearer(request, KEY)?;
    match request.path_only() {
        "/preview/v2/instance_skus" => page(shop, request, &shop.types),
        "/preview/v2/instance_skus/availability" => page(shop, request, &shop.schedules),
        "/preview/v2/orderbook/depth" => depth(shop, request),
        _ => no_such_path(),
    }
}

/// Replaces hours from now by seconds since 1970, on full minutes.
fn with_times(rows: &[Value]) -> Vec<Value> {
    let now = Timestamp::now().as_second() / 60 * 60;
    let mut rows = rows.to_vec();
    let schedules = rows.iter_mut().flat_map(|row| {
        let row = row.as_object_mut().into_iter().flatten();
        row.filter(|(name, _)| name.starts_with("schedule") || name.starts_with("allocation"))
    });
    for entry in schedules.flat_map(|(_, list)| list.as_array_mut().into_iter().flatten()) {
        for time in ["start_at", "end_at"] {
            if let Some(hours) = entry[time].as_i64() {
                entry[time] = (now + hours * 3600).into();
            }
        }
    }
    rows
}

fn page(shop: &SfComputeShop, request: &Recorded, rows: &[Value]) -> ServiceAnswer {
    let limit = request.number("limit", 50)?;
    if !(1..=200).contains(&limit) {
        return refuse(Problem::BadRequest, "limit must be between 1 and 200");
    }
    let after = request.parameter("starting_after").unwrap_or_default();
    let start = after
        .strip_prefix("iskuc_")
        .map_or(0, |at| at.parse().unwrap_or(0));
    let start = start.min(rows.len());
    let end = (start + limit.min(shop.page_size)).min(rows.len());
    let has_more = end < rows.len();
    Ok(Reply::json(
        200,
        json!({
            "object": "list",
            "has_more": has_more,
            "cursor": has_more.then(|| format!("iskuc_{end}")),
            "data": with_times(&rows[start..end]),
        }),
    ))
}

fn depth(shop: &SfComputeShop, request: &Recorded) -> ServiceAnswer {
    let (start, end) = (request.number("start_at", 0)?, request.number("end_at", 0)?);
    if start == 0 || end <= start || start % 60 != 0 || end % 60 != 0 {
        return refuse(
            Problem::BadRequest,
            "start_at and end_at must be full minutes",
        );
    }
    Ok(Reply::json(
        200,
        json!({
            "requirements": {},
            "start_at": start,
            "end_at": end,
            "requested_at": Timestamp::now().as_second(),
            "bids": [],
            "asks": with_times(&shop.asks),
        }),
    ))
}
