//! Azure: the Retail Prices API, and the APIs of an account.

use serde_json::{Value, json};

use super::azure_account;
use super::odata::ODataFilter;
use crate::Fault;
use crate::reply::{Problem, Reply};
use crate::service::{Recorded, Service, ServiceAnswer, ServiceDeclaration, refuse_write};
use crate::shop::AzureShop;
use crate::state::State;

/// The exchange rate for prices in euros. The list is in dollars.
const EUROS_PER_DOLLAR: f64 = 0.86;

const VERSIONS: &[&str] = &["2021-10-01", "2021-10-01-preview", "2023-01-01-preview"];

impl Service {
    /// Azure's price list and accounts.
    pub const AZURE: Self = Self(&ServiceDeclaration {
        credentials: azure_account::CREDENTIALS,
        has_tokens: true,
        ..ServiceDeclaration::api("azure", "SKY_ACCEL_URL_AZURE", answer, problem)
    });
}

const PRICES: &str = "/api/retail/prices";

fn answer(state: &State, request: &Recorded, fault: &Fault) -> ServiceAnswer {
    if request.path_only() != PRICES {
        return azure_account::answer(state, request, fault);
    }
    match request.method.as_str() {
        "GET" => prices(&state.shop.azure, request),
        _ => refuse_write(state),
    }
}

fn problem(problem: Problem, message: &str) -> Reply {
    let (status, code) = problem.of(&Problem::HTTP);
    // The price list writes its fields in another case than the APIs of an account.
    Reply::json(
        status,
        json!({
            "Error": { "Code": code, "Message": message },
            "error": { "code": code, "message": message },
        }),
    )
}

fn prices(shop: &AzureShop, request: &Recorded) -> ServiceAnswer {
    let bad = |message: String| (Problem::BadRequest, message);
    let version = request.parameter("api-version");
    if let Some(version) = &version
        && !VERSIONS.contains(&version.as_str())
    {
        return Err(bad(format!("api-version {version} is not supported")));
    }
    let preview = version.is_some_and(|version| version.ends_with("-preview"));
    let currency = request.parameter("currencyCode");
    // The currency may be an OData string literal.
    let currency = currency
        .as_deref()
        .map_or("USD", |code| code.trim_matches('\''));
    if !["USD", "EUR"].contains(&currency) {
        return Err(bad(format!("currencyCode {currency} is not supported")));
    }
    let primary = match request.parameter("meterRegion").as_deref() {
        None => false,
        Some("'primary'") => true,
        Some(other) => return Err(bad(format!("meterRegion {other} is not supported"))),
    };
    let filter = match request.parameter("$filter") {
        None => None,
        Some(text) => Some(
            ODataFilter::parse(&text)
                .map_err(|error| bad(format!("Invalid OData parameters supplied: {error}")))?,
        ),
    };
    check(shop, filter.as_ref()).map_err(bad)?;

    let rows: Vec<Value> = shop
        .meters
        .iter()
        .filter(|row| !primary || row["isPrimaryMeterRegion"] == true)
        .map(with_price_type)
        .filter(|row| filter.as_ref().is_none_or(|filter| filter.takes(row)))
        .collect();
    let skip = request.number("$skip", 0)?.min(rows.len());
    let top = request.number("$top", usize::MAX)?.min(rows.len() - skip);
    let length = top.min(shop.page_size);
    let items: Vec<Value> = rows[skip..skip + length]
        .iter()
        .map(|row| item(row, preview, currency))
        .collect();
    let next = (length < top && shop.next_page_links).then(|| {
        let top = request.parameter("$top").map(|_| ("$top", top - length));
        let paging: Vec<_> = [("$skip", skip + length)].into_iter().chain(top).collect();
        request.link(&["$skip", "$top"], &paging)
    });
    Ok(Reply::json(
        200,
        json!({
            "BillingCurrency": currency,
            "CustomerEntityId": "Default",
            "CustomerEntityType": "Retail",
            "Items": items,
            "NextPageLink": next,
            "Count": items.len(),
        }),
    )
    .modified(shop.published))
}

/// Checks that a filter uses only fields of the rows.
fn check(shop: &AzureShop, filter: Option<&ODataFilter>) -> Result<(), String> {
    let is_known =
        |name: &str| name == "priceType" || shop.meters.iter().any(|row| row.get(name).is_some());
    let fields = filter.map(ODataFilter::fields).unwrap_or_default();
    match fields.into_iter().find(|name| !is_known(name)) {
        Some(name) if !shop.meters.is_empty() => Err(format!(
            "Invalid OData parameters supplied: no field {name}"
        )),
        _ => Ok(()),
    }
}

/// Returns the field of a row for a name in a filter, where `type` is called `priceType`.
fn with_price_type(row: &Value) -> Value {
    let mut row = row.clone();
    row["priceType"] = row["type"].clone();
    row
}

fn item(row: &Value, preview: bool, currency: &str) -> Value {
    let mut row = row.clone();
    if let Some(fields) = row.as_object_mut() {
        fields.remove("priceType");
        if !preview {
            fields.remove("savingsPlan");
        }
    }
    if currency == "EUR" {
        row["currencyCode"] = json!("EUR");
        for name in ["retailPrice", "unitPrice"] {
            let dollars = row[name].as_f64().unwrap_or_default();
            row[name] = json!((dollars * EUROS_PER_DOLLAR * 1e6).round() / 1e6);
        }
    }
    row
}
