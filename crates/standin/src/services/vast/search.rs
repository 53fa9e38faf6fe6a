//! The query language of Vast.ai's search, and the prices that depend on a query.

use std::cmp::Ordering;

use serde_json::{Map, Value, json};

use crate::shop::VastShop;

/// The maximum number of rows of a search without a limit.
const IMPLICIT_LIMIT: usize = 64;

const CONTROL: &[&str] = &[
    "type",
    "order",
    "limit",
    "allocated_storage",
    "disable_bundling",
    "resource_type",
];

/// Filters that are not fields of a row, or that rename a field.
const VIRTUAL: &[&str] = &["verified", "datacenter", "target_reliability"];

/// Fields that depend on the search.
const PRICES: &[&str] = &[
    "discounted_dph_total",
    "dlperf_per_dphtotal",
    "dph_base",
    "dph_total",
    "dph_total_adj",
    "is_bid",
    "storage_total_cost",
];

/// The rows of the response.
pub(super) struct SearchResult {
    pub offers: Vec<Value>,
    /// Whether further rows matched.
    pub truncated: bool,
}

pub(super) fn search(shop: &VastShop, query: &Map<String, Value>) -> Result<SearchResult, String> {
    let mut filters = Vec::new();
    for (name, condition) in query {
        if CONTROL.contains(&name.as_str()) {
            continue;
        }
        let field = alias(name);
        let is_known = VIRTUAL.contains(&field)
            || PRICES.contains(&field)
            || shop.offers.iter().any(|offer| offer.get(field).is_some());
        if !is_known && !shop.offers.is_empty() {
            return Err(format!("unknown field {name}"));
        }
        let condition = condition
            .as_object()
            .ok_or_else(|| format!("{name}: no {{operator: value}}"))?;
        for (operator, wanted) in condition {
            filters.push(VastFilter::new(name, operator, wanted)?);
        }
    }
    let storage = query
        .get("allocated_storage")
        .and_then(number)
        .unwrap_or(5.0);
    let kind = query.get("type").and_then(Value::as_str);
    let bid = match kind {
        None | Some("on-demand" | "ondemand" | "reserved") => false,
        Some("bid") => true,
        Some(other) => return Err(format!("unknown type {other}")),
    };
    let (on_prices, on_fields): (Vec<VastFilter>, Vec<VastFilter>) = filters
        .into_iter()
        .partition(|filter| PRICES.contains(&alias(&filter.name)));
    let mut offers: Vec<Value> = shop
        .offers
        .iter()
        .filter(|offer| on_fields.iter().all(|filter| filter.admits(offer)))
        .map(|offer| priced(offer, storage, bid))
        .filter(|offer| on_prices.iter().all(|filter| filter.admits(offer)))
        .collect();
    order(&mut offers, query.get("order"))?;
    let limit = match query.get("limit") {
        None | Some(Value::Null) => IMPLICIT_LIMIT,
        Some(limit) => number(limit).ok_or("limit is not a number")? as usize,
    };
    let limit = shop.row_cap.map_or(limit, |cap| limit.min(cap));
    let truncated = offers.len() > limit;
    offers.truncate(limit);
    Ok(SearchResult { offers, truncated })
}

fn alias(name: &str) -> &str {
    match name {
        "dph" | "dphtotal" => "dph_total",
        "cuda_vers" => "cuda_max_good",
        "gpu_ram_GB" => "gpu_ram",
        other => other,
    }
}

/// Parses a number or a string with a number, which the command line client sends.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
        _ => None,
    }
}

/// Returns a row with the prices for this search.
fn priced(offer: &Value, storage: f64, bid: bool) -> Value {
    let mut row = offer.clone();
    let get = |name: &str| offer.get(name).and_then(Value::as_f64);
    let disk = storage * get("storage_cost").unwrap_or(0.0) / 30.0 / 24.0;
    let base = get(if bid { "min_bid" } else { "dph_base" });
    let total = base.map(|base| base + disk);
    row["is_bid"] = json!(bid);
    row["dph_base"] = json!(base);
    row["dph_total"] = json!(total);
    row["dph_total_adj"] = json!(total);
    row["discounted_dph_total"] = json!(total);
    row["discounted_hourly"] = json!(0.0);
    row["storage_total_cost"] = json!(disk);
    row["dlperf_per_dphtotal"] = json!(
        get("dlperf")
            .zip(total)
            .filter(|(_, total)| *total > 0.0)
            .map(|(dlperf, total)| dlperf / total)
    );
    let parts = json!({
        "gpuCostPerHour": base,
        "diskHour": disk,
        "totalHour": total,
        "discountTotalHour": 0.0,
        "discountedTotalPerHour": total,
    });
    row["search"] = parts.clone();
    row["instance"] = parts;
    row
}

struct VastFilter {
    name: String,
    operator: Operator,
    wanted: Value,
}

#[derive(Clone, Copy, PartialEq)]
enum Operator {
    Eq,
    Neq,
    Gt,
    Gte,
    Lt,
    Lte,
    In,
    NotIn,
}

impl VastFilter {
    fn new(name: &str, operator: &str, wanted: &Value) -> Result<Self, String> {
        let operator = match operator {
            "eq" => Operator::Eq,
            "neq" => Operator::Neq,
            "gt" => Operator::Gt,
            "gte" => Operator::Gte,
            "lt" => Operator::Lt,
            "lte" => Operator::Lte,
            "in" => Operator::In,
            "notin" => Operator::NotIn,
            other => return Err(format!("{name}: unknown operator {other}")),
        };
        let list = matches!(operator, Operator::In | Operator::NotIn);
        if list != wanted.is_array() {
            return Err(format!("{name}: {wanted} does not fit its operator"));
        }
        // The unit of this alias is GB in the client.
        let wanted = match (name, number(wanted)) {
            ("gpu_ram_GB", Some(wanted)) => json!(wanted * 1000.0),
            _ => wanted.clone(),
        };
        Ok(Self {
            name: name.into(),
            operator,
            wanted,
        })
    }

    fn admits(&self, offer: &Value) -> bool {
        let field_of = |name: &str| offer.get(name).cloned().unwrap_or(Value::Null);
        let found = match alias(&self.name) {
            "verified" => json!(field_of("verification") == "verified"),
            "datacenter" => json!(field_of("hosting_type") == 1),
            "target_reliability" => field_of("reliability"),
            // A filter treats null as false.
            flag @ ("external" | "rented" | "rentable") => {
                json!(field_of(flag).as_bool().unwrap_or(false))
            }
            "geolocation" => field_of("geolocation")
                .as_str()
                .and_then(|place| place.rsplit(',').next())
                .map_or(Value::Null, |country| json!(country.trim())),
            field => field_of(field),
        };
        if found.is_null() {
            return matches!(self.operator, Operator::NotIn | Operator::Neq);
        }
        let among = || {
            let wanted = self.wanted.as_array().into_iter().flatten();
            wanted
                .into_iter()
                .any(|wanted| compare(&found, wanted) == Some(Ordering::Equal))
        };
        let ordering = compare(&found, &self.wanted);
        match self.operator {
            Operator::Eq => ordering == Some(Ordering::Equal),
            Operator::Neq => ordering != Some(Ordering::Equal),
            Operator::Gt => ordering == Some(Ordering::Greater),
            Operator::Gte => ordering.is_some_and(Ordering::is_ge),
            Operator::Lt => ordering == Some(Ordering::Less),
            Operator::Lte => ordering.is_some_and(Ordering::is_le),
            Operator::In => among(),
            Operator::NotIn => !among(),
        }
    }
}

fn compare(found: &Value, wanted: &Value) -> Option<Ordering> {
    match (found, wanted) {
        (Value::String(found), Value::String(wanted)) => Some(found.cmp(wanted)),
        (Value::Bool(found), Value::String(wanted)) => {
            Some(found.to_string().cmp(&wanted.to_lowercase()))
        }
        _ => number(found)?.partial_cmp(&number(wanted)?),
    }
}

fn order(offers: &mut [Value], order: Option<&Value>) -> Result<(), String> {
    let default = json!([["score", "desc"]]);
    let keys = order
        .filter(|order| !order.is_null())
        .unwrap_or(&default)
        .as_array()
        .ok_or("order is not a list")?;
    for key in keys.iter().rev() {
        let (Some(name), direction) = (key[0].as_str(), key[1].as_str().unwrap_or("asc")) else {
            return Err("order wants [field, direction]".into());
        };
        let name = alias(name);
        offers.sort_by(|a, b| {
            let (a, b) = (a.get(name), b.get(name));
            let ordering = match (a.filter(|a| !a.is_null()), b.filter(|b| !b.is_null())) {
                (Some(a), Some(b)) => compare(a, b).unwrap_or(Ordering::Equal),
                // Rows without the value come last in both directions.
                (Some(_), None) => return Ordering::Less,
                (None, Some(_)) => return Ordering::Greater,
                (None, None) => Ordering::Equal,
            };
            if direction == "desc" {
                ordering.reverse()
            } else {
                ordering
            }
        });
    }
    Ok(())
}
