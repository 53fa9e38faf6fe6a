//! Faults that change a valid response of any shape.

use serde_json::{Map, Value, json};

/// Changes types: numbers become objects, strings arrays, and lists of scalars strings.
pub(crate) fn wrong_types(value: &mut Value) {
    *value = match value.take() {
        Value::Number(number) => json!({ "value": number }),
        Value::String(text) => json!([text]),
        Value::Bool(flag) => json!(format!("perhaps {flag}")),
        Value::Null => json!({}),
        Value::Array(values) if !values.iter().any(nested) => json!("not a list"),
        Value::Array(mut values) => {
            values.iter_mut().for_each(wrong_types);
            Value::Array(values)
        }
        Value::Object(mut fields) => {
            fields.values_mut().for_each(wrong_types);
            Value::Object(fields)
        }
    };
}

fn nested(value: &Value) -> bool {
    value.is_object() || value.is_array()
}

pub(crate) fn nulls(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(nulls),
        Value::Object(fields) => fields.values_mut().for_each(nulls),
        leaf => *leaf = Value::Null,
    }
}

/// Fields with names or enumerated values, each with an unknown value.
#[rustfmt::skip]
const WORDS: &[(&str, &str)] = &[
    ("accelerator", "Quantum X9000"),
    ("AcceleratorName", "Quantum X9000"),
    ("Instance Type", "q9.48xlarge"),
    ("InstanceType", "q9.48xlarge"),
    ("armSkuName", "Standard_NQ96_X9000_v9"),
    ("availability", "plentiful"),
    ("availabilities", "9X9000.512V"),
    ("availabilityZone", "xx-north-9a"),
    ("code", "XXX-09"),
    ("brand_short", "Quantum X9000"),
    ("country_code", "XX"),
    ("description", "9x Quantum X9000 512GB"),
    ("displayName", "Quantum X9000"),
    ("display_name", "Quantum X9000"),
    ("gpu", "X9000-512G"),
    ("gpuType", "X9000_512GB"),
    ("gpuTypeId", "NVIDIA Quantum X9000"),
    ("gpu_arch", "quantum"),
    ("gpu_description", "Quantum X9000 (512 GB)"),
    ("gpu_name", "Quantum X9000"),
    ("gpu_model", "Quantum X9000"),
    ("gpu_type", "QUANTUM_X9000"),
    ("guestAcceleratorType", "nvidia-quantum-x9000"),
    ("id", "NVIDIA Quantum X9000"),
    ("instanceType", "q9.48xlarge"),
    ("instance_name", "q9.48xlarge"),
    ("instance_type", "9X9000.512V"),
    ("location", "xx-north-9"),
    ("locationType", "moon-base"),
    ("location_code", "XXX-09"),
    ("manufacturer", "Quantum"),
    ("model", "Quantum X9000"),
    ("name", "Quantum X9000"),
    ("optInStatus", "opted-sideways"),
    ("partNumber", "B999999"),
    ("planCode", "x9000-380.consumption"),
    ("platform", "gpu-x9000-sxm"),
    ("productDescription", "Plan 9"),
    ("regionName", "xx-north-9"),
    ("slug", "gpu-x9000x8-4096gb"),
    ("stockStatus", "Plenty"),
    ("supportedArchitectures", "riscv128"),
    ("supportedUsageClasses", "borrowed"),
    ("type", "quantum"),
    ("unit", "Fortnights"),
    ("verification", "sworn"),
    ("zoneName", "xx-north-9a"),
    ("zoneState", "asleep"),
];

pub(crate) fn word(name: &str) -> Option<String> {
    let (_, word) = WORDS.iter().find(|(known, _)| *known == name)?;
    Some((*word).into())
}

/// Adds unknown fields to every object and an unknown row to every list.
pub(crate) fn unknown_values(value: &mut Value) {
    unknown_in("", value);
}

fn unknown_in(name: &str, value: &mut Value) {
    match value {
        Value::Array(values) => {
            for value in values.iter_mut() {
                unknown_in(name, value);
            }
            let Some(last) = values.last() else { return };
            let mut stranger = last.clone();
            match &mut stranger {
                Value::String(text) => *text = word(name).unwrap_or("unheard-of".into()),
                other => unheard_of(other),
            }
            values.push(stranger);
        }
        Value::Object(fields) => {
            for (name, value) in fields.iter_mut() {
                unknown_in(name, value);
            }
            fields.insert("futureField".into(), json!({ "since": 2031, "of": [1, 2] }));
            fields.insert("future_flag".into(), json!("perhaps"));
        }
        _ => {}
    }
}

fn unheard_of(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(unheard_of),
        Value::Object(fields) => {
            for (name, value) in fields {
                match (&*value, word(name)) {
                    (Value::String(_), Some(word)) => *value = Value::String(word),
                    (Value::Number(_), _) if name == "id" => *value = json!(999_999_999),
                    _ => unheard_of(value),
                }
            }
        }
        _ => {}
    }
}

/// Terminal escapes that set a color, the window title and the clipboard, ring the bell, erase the line
/// and reverse the text.
const HOSTILE: &str =
    "\u{1b}[31m\u{1b}]0;owned\u{7}\u{1b}]52;c;b3duZWQ=\u{7}\u{9b}2K\r\u{8}\u{0}\u{202e}\n\u{1b}[2J";

pub(crate) fn hostile(value: &mut Value) {
    mark(value, false, &mut HOSTILE.to_owned());
}

fn mark(value: &mut Value, within: bool, suffix: &mut String) {
    match value {
        Value::String(text) if within && !figure(text) => text.push_str(suffix),
        Value::Array(values) => {
            let last = values.len().saturating_sub(1);
            for (index, value) in values.iter_mut().enumerate() {
                // Valid rows remain between hostile rows, and a client must still show them.
                let hostile = within || index % 2 == 1;
                if index == last && hostile && !within {
                    let mut long = "N".repeat(100_000) + HOSTILE;
                    mark(value, true, &mut long);
                } else {
                    mark(value, hostile, suffix);
                }
            }
        }
        Value::Object(fields) => mark_fields(fields, within, suffix),
        _ => {}
    }
}

fn mark_fields(fields: &mut Map<String, Value>, within: bool, suffix: &mut String) {
    for (name, value) in fields {
        let message = ["message", "Message", "msg"].contains(&name.as_str());
        let opaque = [
            "nextPageToken",
            "nextToken",
            "NextToken",
            "access_token",
            "Endpoint",
        ]
        .contains(&name.as_str());
        if !opaque {
            mark(value, within || message, suffix);
            // One long name per row is enough.
            if suffix.len() > HOSTILE.len() && value.as_str().is_some_and(|text| text.len() > 9999)
            {
                HOSTILE.clone_into(suffix);
            }
        }
    }
}

/// Prices, dates and ids, which are not displayed as text.
fn figure(text: &str) -> bool {
    text.parse::<f64>().is_ok() || text.starts_with("20") && text.ends_with('Z')
}
