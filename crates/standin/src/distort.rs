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
    "cost",
    "cost_per_hour",
    "dph_base",
    "dollars_per_node_hour",
    "dph_total",
    "hour",
    "hourly",
    "hourly_cost",
    "hourly_cost_preemptible",
    "hourly_price",
    "last_instance_price",
    "lowest_allocated_price",
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
/// The name that a property of a machine has beside its value.
const PROPERTY: &str = "display_value";
/// The factor of tiny prices.
const TINY: f64 = 1e-9;
/// More rows than a client should read of one list.
const MANY: usize = 50_001;

/// Divides every price by a billion.
pub(crate) fn tiny_prices(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(tiny_prices),
        Value::Object(fields) => {
            let is_property = fields.contains_key(PROPERTY);
            for (name, value) in fields {
                let is_price = PRICES.contains(&name.as_str()) && !is_property;
                match (&*value, is_price) {
                    (Value::Number(number), true) => {
                        *value = json!(number.as_f64().unwrap_or_default() * TINY);
                    }
                    (Value::String(text), true) => {
                        if let Some(tiny) = tiny_amount(text) {
                            *value = json!(tiny);
                        }
                    }
                    _ => tiny_prices(value),
                }
            }
        }
        _ => {}
    }
}

/// Returns an amount such as `8.00` or `$8.00`, divided by a billion; `None` for another text.
fn tiny_amount(text: &str) -> Option<String> {
    let (sign, amount) = match text.strip_prefix('$') {
        Some(amount) => ("$", amount),
        None => ("", text),
    };
    let amount: f64 = amount.parse().ok()?;
    Some(format!("{sign}{:.15}", amount * TINY))
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
    // Elsewhere, `type` is the kind of a row or of a part.
    let is_gpu = fields.contains_key("vram_per_gpu");
    for (name, value) in fields {
        let is_kept = KEPT.contains(&name.as_str()) && !(is_gpu && name == "type");
        let new = word(name).filter(|_| !is_kept);
        match (&mut *value, new) {
            (Value::String(_), Some(new)) => *value = Value::String(new),
            (Value::Object(property), Some(new)) if property.contains_key(PROPERTY) => {
                property.insert("value".to_owned(), Value::String(new));
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_become_tiny_in_any_notation() {
        let mut value = json!({"pricing": {"USD": {"hour": 18.5, "month": null}}, "last_instance_price": "$8.00",
            "price_per_hour": "0.5", "price": "free", "capacity": 3});
        tiny_prices(&mut value);
        let hour = value["pricing"]["USD"]["hour"].as_f64().unwrap();
        assert!((hour - 18.5e-9).abs() < 1e-15, "{hour}");
        assert_eq!(value["last_instance_price"], "$0.000000008000000");
        assert_eq!(value["price_per_hour"], "0.000000000500000");
        assert_eq!(
            (&value["price"], &value["capacity"]),
            (&json!("free"), &json!(3))
        );
    }

    #[test]
    fn the_type_of_a_gpu_is_its_name() {
        let mut value = json!({"type": "plans", "specs": {"nics": [{"type": "10 Gbps"}],
            "gpu": {"count": 8, "type": "NVIDIA H100", "vram_per_gpu": 80}}});
        unknown_devices(&mut value);
        assert_eq!(value["type"], "plans");
        assert_eq!(value["specs"]["nics"][0]["type"], "10 Gbps");
        assert_ne!(value["specs"]["gpu"]["type"], "NVIDIA H100");
    }
}
