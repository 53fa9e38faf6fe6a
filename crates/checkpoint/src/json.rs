//! Configurations as bytes: JSON as Python writes it, bounded before it is parsed.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::fields::ConfigError;

/// The largest configuration that is read, in bytes. Those with a line for each quantized module
/// have about a million.
pub const MAX_CONFIG_BYTES: u64 = 4 << 20;
/// The most values that a configuration may have: a parsed value takes more memory than its text.
pub const MAX_CONFIG_VALUES: u64 = 1 << 18;

/// Numbers that JSON does not have and Python's `json` writes.
const NOT_FINITE: [&[u8]; 3] = [b"NaN", b"Infinity", b"-Infinity"];
/// The text that stands for them while they are parsed.
const PLACEHOLDER: &str = "\0not finite";
const PLACEHOLDER_JSON: &[u8] = b"\"\\u0000not finite\"";

/// Reads `config.json`, `hf_quant_config.json` or another configuration.
///
/// Fields with a bare `NaN`, `Infinity` or `-Infinity` are left out: they are read as not given.
/// In lists they are `null`.
///
/// # Errors
///
/// [`ConfigError::TooLarge`] beyond [`MAX_CONFIG_BYTES`] or [`MAX_CONFIG_VALUES`], before anything
/// is parsed, and [`ConfigError::Json`] for what is no JSON object or nested too deeply.
pub fn read_config(bytes: &[u8]) -> Result<Map<String, Value>, ConfigError> {
    let length = bytes.len() as u64;
    if length > MAX_CONFIG_BYTES {
        return Err(ConfigError::TooLarge {
            what: "bytes",
            n: length,
            most: MAX_CONFIG_BYTES,
        });
    }
    let (text, values) = finite(bytes);
    if values > MAX_CONFIG_VALUES {
        return Err(ConfigError::TooLarge {
            what: "values",
            n: values,
            most: MAX_CONFIG_VALUES,
        });
    }
    let mut fields: Map<String, Value> =
        serde_json::from_slice(&text).map_err(|error| ConfigError::Json(error.to_string()))?;
    if matches!(text, Cow::Owned(_)) {
        leave_out(&mut fields);
    }
    Ok(fields)
}

/// The text with a placeholder for each number that is not finite, and about how many values it
/// has.
fn finite(bytes: &[u8]) -> (Cow<'_, [u8]>, u64) {
    let mut values = 0;
    let mut copied: Option<(Vec<u8>, usize)> = None;
    let (mut at, mut in_text) = (0, false);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if in_text => at += 1,
            b'"' => in_text = !in_text,
            b',' | b'[' | b'{' if !in_text => values += 1,
            b'N' | b'I' | b'-' if !in_text => {
                let rest = &bytes[at..];
                if let Some(found) = NOT_FINITE.iter().find(|word| rest.starts_with(word)) {
                    let (copy, from) = copied.get_or_insert_default();
                    copy.extend(&bytes[*from..at]);
                    copy.extend(PLACEHOLDER_JSON);
                    at += found.len();
                    *from = at;
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    match copied {
        Some((mut copy, from)) => {
            copy.extend(&bytes[from..]);
            (Cow::Owned(copy), values)
        }
        None => (Cow::Borrowed(bytes), values),
    }
}

fn is_placeholder(value: &Value) -> bool {
    value.as_str() == Some(PLACEHOLDER)
}

/// Leaves out the fields with a placeholder. The parser bounds how deep they are nested.
fn leave_out(fields: &mut Map<String, Value>) {
    fields.retain(|_, value| !is_placeholder(value));
    fields.values_mut().for_each(leave_out_within);
}

fn leave_out_within(value: &mut Value) {
    match value {
        Value::Object(fields) => leave_out(fields),
        Value::Array(values) => {
            for value in values {
                if is_placeholder(value) {
                    *value = Value::Null;
                } else {
                    leave_out_within(value);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_that_are_not_finite_are_not_given() {
        let text =
            br#"{"a": Infinity, "b": -Infinity, "c": {"d": NaN, "e": 1}, "f": [0.0, Infinity],
            "g": "NaN, \"-Infinity", "NaN": -1, "h": null}"#;
        let fields = read_config(text).unwrap();
        let expected =
            json!({"c": {"e": 1}, "f": [0.0, null], "g": "NaN, \"-Infinity", "NaN": -1, "h": null});
        assert_eq!(Value::Object(fields), expected);
        for bad in [
            "{\"a\": Infinit}",
            "{\"a\": NaNa}",
            "{\"a\": --Infinity}",
            "NaN",
            "[]",
            "",
        ] {
            let error = read_config(bad.as_bytes()).unwrap_err();
            assert!(
                error.to_string().contains("no JSON object"),
                "{bad}: {error}"
            );
        }
    }

    #[test]
    fn large_configurations_are_refused_with_their_bound() {
        let long = format!("{{\"a\": \"{}\"}}", "x".repeat(MAX_CONFIG_BYTES as usize));
        let error = read_config(long.as_bytes()).unwrap_err();
        assert!(matches!(error, ConfigError::TooLarge { what: "bytes", .. }));
        assert!(error.to_string().contains("4194304"), "{error}");
        let many = format!("{{\"a\": [{}0]}}", "[],".repeat(200_000));
        let error = read_config(many.as_bytes()).unwrap_err();
        assert!(matches!(
            error,
            ConfigError::TooLarge { what: "values", .. }
        ));
        assert!(error.to_string().contains("262144"), "{error}");
        let deep = "[".repeat(100_000);
        assert!(matches!(
            read_config(deep.as_bytes()),
            Err(ConfigError::Json(_))
        ));
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "[\\[\\]{}\",:\\\\NaInfity0 -]{0,60}") {
            let _ = read_config(text.as_bytes());
        }
    }
}
