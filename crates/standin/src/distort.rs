//! Faults that change the figures, names and lengths of a valid response.

use serde_json::{Map, Value, json};

use crate::transform::word;

/// The fields with prices.
const PRICES: &[&str] = &[
    "Price",
    "SpotPrice",
    "USD",
    "communityPrice",
    "communitySpotPrice",
    "cost_per_hour",
    "dph_base",
    "dph_total",
    "hourly",
    "hourly_cost",
    "hourly_cost_preemptible",
    "hourly_price",
    "minimumBidPrice",
    "min_bid",
    "nanos",
    "onDemand",
    "price",
    "price_cents_per_hour",
    "price_hourly",
    "price_per_gpu_hour",
    "price_per_hour",
    "price_per_node_hour",
    "retailPrice",
    "securePrice",
    "secureSpotPrice",
    "spot_price",
    "storage_total_cost",
    "uninterruptablePrice",
    "units",
    "value",
];
/// The factor of tiny prices.
const TINY: f64 = 1e-9;
/// More rows than a client should read of one list.
const MANY: usize = 50_001;

/// Divides every price by a billion.
pub(crate) fn tiny_prices(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(tiny_prices),
        Value::Object(fields) => {
            for (name, value) in fields {
                let is_price = PRICES.contains(&name.as_str());
                match (&*value, is_price) {
                    (Value::Number(number), true) => {
                        *value = json!(number.as_f64().unwrap_or_default() * TINY);
                    }
                    (Value::String(text), true) if text.parse::<f64>().is_ok() => {
                        let number: f64 = text.parse().unwrap_or_default();
                        *value = json!(format!("{:.15}", number * TINY));
                    }
                    _ => tiny_prices(value),
                }
            }
        }
        _ => {}
    }
}

/// Gives every device and every type an unknown name.
pub(crate) fn unknown_devices(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(unknown_devices),
        Value::Object(fields) => rename(fields),
        _ => {}
    }
}

fn rename(fields: &mut Map<String, Value>) {
    const KEPT: &[&str] = &[
        "code",
        "country_code",
        "location",
        "location_code",
        "type",
        "unit",
    ];
    for (name, value) in fields {
        let new = word(name).filter(|_| !KEPT.contains(&name.as_str()));
        match (&*value, new) {
            (Value::String(_), Some(new)) => *value = Value::String(new),
            _ => unknown_devices(value),
        }
    }
}

/// Adds empty rows to the outermost lists of objects, until each has more than 50,000.
pub(crate) fn many_rows(value: &mut Value) {
    match value {
        Value::Array(values) if values.iter().any(Value::is_object) => {
            values.resize(MANY.max(values.len()), json!({}));
        }
        Value::Object(fields) => fields.values_mut().for_each(many_rows),
        _ => {}
    }
}
