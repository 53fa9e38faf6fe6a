//! Oracle's price list, the two files of its cost estimator, and the API of a tenancy.

use serde_json::{Value, json};

use super::oci_account;
use crate::Fault;
use crate::reply::{Problem, Reply};
use crate::service::{
    Recorded, Service, ServiceAnswer, ServiceDeclaration, no_such_path, refuse_write,
};
use crate::shop::OciShop;
use crate::state::State;

/// The exchange rate for prices in euros. The list is in dollars.
const EUROS_PER_DOLLAR: f64 = 0.86;

impl Service {
    /// Oracle's price list and tenancies.
    pub const OCI: Self = Self(&ServiceDeclaration {
        credentials: oci_account::CREDENTIALS,
        ..ServiceDeclaration::api("oci", "SKY_ACCEL_URL_OCI", answer, problem)
    });
}

fn problem(problem: Problem, message: &str) -> Reply {
    let (status, code) = problem.of(&Problem::HTTP);
    Reply::json(
        status,
        json!({
            "code": code,
            "message": message,
            "type": format!("tag:oracle.com,2020:error/{code}"),
            "instance": "tag:oracle.com,2020:ecid/00000000beef",
        }),
    )
}

fn answer(state: &State, request: &Recorded, _: &Fault) -> ServiceAnswer {
    let is_list = ["/pls/", "/a/"]
        .iter()
        .any(|start| request.path.starts_with(start));
    if !is_list {
        return oci_account::answer(state, request);
    }
    match request.method.as_str() {
        "GET" => list(&state.shop.oci, request),
        _ => refuse_write(state),
    }
}

fn list(shop: &OciShop, request: &Recorded) -> ServiceAnswer {
    let file =
        |items: Value| Ok(Reply::json(200, json!({ "items": items })).modified(shop.last_updated));
    match request.path_only() {
        "/pls/apex/cetools/api/v1/products/" | "/pls/apex/cetools/api/v1/products" => {
            price_list(shop, request)
        }
        "/a/ocom/docs/cloudestimator2/data/shapes.json" => file(json!(shop.shapes)),
        "/a/ocom/docs/cloudestimator2/data/products.json" => file(json!(shop.products)),
        _ => no_such_path(),
    }
}

fn price_list(shop: &OciShop, request: &Recorded) -> ServiceAnswer {
    let currency = request.parameter("currencyCode").unwrap_or("USD".into());
    if !["USD", "EUR"].contains(&currency.as_str()) {
        let message = format!("currencyCode {currency} is not supported");
        return Err((Problem::BadRequest, message));
    }
    let part = request.parameter("partNumber");
    // An unknown part number gives an empty list.
    let rows: Vec<Value> = shop
        .products
        .iter()
        .filter(|row| {
            part.as_ref()
                .is_none_or(|part| row["partNumber"] == part.as_str())
        })
        .map(|row| listed(row, &currency))
        .collect();
    let updated = shop
        .last_updated
        .strftime("%Y-%m-%dT%H:%M:%S.%3fZ")
        .to_string();
    let body = match shop.page_size {
        None => json!({ "items": rows, "lastUpdated": updated }),
        Some(size) => {
            let offset = request.number("offset", 0)?.min(rows.len());
            let end = rows.len().min(offset + size);
            json!({
                "items": rows[offset..end],
                "lastUpdated": updated,
                "hasMore": end < rows.len(),
                "limit": size,
                "offset": offset,
                "count": end - offset,
                "links": links(request, (end < rows.len()).then_some(end)),
            })
        }
    };
    Ok(Reply::json(200, body).modified(shop.last_updated))
}

/// Returns a row of the price list, which has fewer fields than a row of the estimator's file.
fn listed(row: &Value, currency: &str) -> Value {
    let mut localizations = row["currencyCodeLocalizations"].clone();
    for localization in localizations.as_array_mut().into_iter().flatten() {
        if currency == "EUR" {
            localization["currencyCode"] = json!("EUR");
            for price in localization["prices"].as_array_mut().into_iter().flatten() {
                let dollars = price["value"].as_f64().unwrap_or_default();
                price["value"] = json!((dollars * EUROS_PER_DOLLAR * 1e6).round() / 1e6);
            }
        }
    }
    json!({
        "partNumber": row["partNumber"],
        "displayName": row["displayName"],
        "metricName": row["metricName"],
        "serviceCategory": row["serviceCategory"],
        "currencyCodeLocalizations": localizations,
    })
}

fn links(request: &Recorded, next: Option<usize>) -> Value {
    let mut links = vec![json!({ "rel": "self", "href": request.link(&[], &[]) })];
    if let Some(next) = next {
        let href = request.link(&["offset"], &[("offset", next)]);
        links.push(json!({ "rel": "next", "href": href }));
    }
    json!(links)
}
