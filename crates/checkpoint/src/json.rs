//! Parses configurations: JSON as Python writes it, with bounds that are checked before parsing.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::fields::ConfigError;

/// The maximum size of a configuration, in bytes. Configurations that list every quantized module have about 1 MB.
pub const MAX_CONFIG_BYTES: u64 = 4 << 20;
/// The maximum number of values of a configuration. A parsed value takes more memory than its text.
pub const MAX_CONFIG_VALUES: u64 = 1 << 18;

/// Numbers that Python's `json` writes although JSON does not have them.
const NOT_FINITE: [&[u8]; 3] = [b"NaN", b"Infinity", b"-Infinity"];
/// The placeholder for these numbers while the text is parsed.
const PLACEHOLDER: &str = "\0not finite";
const PLACEHOLDER_JSON: &[u8] = b"\"\\u0000not finite\"";

/// Parses `config.json`, `hf_quant_config.json` or another configuration.
///
/// Fields with a bare `NaN`, `Infinity` or `-Infinity` are removed, as if they were missing. In lists, these numbers
/// become `null`.
///
/// # Errors
///
/// [`ConfigError::TooLarge`] beyond [`MAX_CONFIG_BYTES`] or [`MAX_CONFIG_VALUES`], before anything is parsed, and
/// [`ConfigError::Json`] if the text is not a JSON object or is nested too deeply.
pub fn read_config(bytes: &[u8]) -> Result<Map<String, Value>, ConfigError> {
    let length = bytes.len() as u64;
    if length > MAX_CONFIG_BYTES {
        return Err(ConfigError::TooLarge {
            what: "bytes",
            n: length,
            most: MAX_CONFIG_BYTES,
        });
    }
    let (text, values) = replace_non_finite(bytes);
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
        remove_placeholders(&mut fields);
    }
    Ok(fields)
}

/// Replaces each number that is not finite with a placeholder, and counts the values approximately.
fn replace_non_finite(bytes: &[u8]) -> (Cow<'_, [u8]>, u64) {
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

/// Removes the fields with a placeholder. The parser limits the depth of this recursion.
fn remove_placeholders(fields: &mut Map<String, Value>) {
    fields.retain(|_, value| !is_placeholder(value));
    fields.values_mut().for_each(remove_placeholders_within);
}

fn remove_placeholders_within(value: &mut Value) {
    match value {
        Value::Object(fields) => remove_placeholders(fields),
        Value::Array(values) => {
            for value in values {
                if is_placeholder(value) {
                    *value = Value::Null;
                } else {
                    remove_placeholders_within(value);
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
    fn removes_numbers_that_are_not_finite() {
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
                error.to_string().contains("not a JSON object"),
                "{bad}: {error}"
            );
        }
    }

    #[test]
    fn rejects_large_configurations_with_the_limit() {
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
