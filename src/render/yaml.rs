//! YAML that is safe to print: characters that move a cursor or hide text are escaped, as in JSON.

use std::fmt::Write as _;
use std::io;

use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::Value;
use serde_saphyr::DoubleQuoted;
use sky_accel_core::text::{is_unprintable, printable};

/// Returns a document with a line feed.
///
/// # Errors
///
/// Fails if the value cannot be represented in YAML.
pub(super) fn document(value: &Value) -> io::Result<String> {
    let text = serde_saphyr::to_string(&SafeValue(value)).map_err(io::Error::other)?;
    if !text.chars().any(is_hidden) {
        return Ok(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match u32::from(c) {
            _ if !is_hidden(c) => escaped.push(c),
            // Writing to a string cannot fail.
            code @ ..=0xffff => drop(write!(escaped, "\\u{code:04X}")),
            code => drop(write!(escaped, "\\U{code:08X}")),
        }
    }
    Ok(escaped)
}

fn is_hidden(c: char) -> bool {
    c != '\n' && is_unprintable(c)
}

/// A value in which each text with an unprintable character is in double quotes, where YAML has escapes.
struct SafeValue<'v>(&'v Value);

impl Serialize for SafeValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::String(text) if text.chars().any(is_hidden) => {
                DoubleQuoted(text).serialize(serializer)
            }
            Value::Array(items) => serializer.collect_seq(items.iter().map(SafeValue)),
            Value::Object(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (name, value) in fields {
                    map.serialize_entry(&printable(name), &SafeValue(value))?;
                }
                map.end()
            }
            other => other.serialize(serializer),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unprintable_characters_are_escaped_and_read_back() {
        let value = json!({"a": "x\u{202e}y", "b": ["\u{1b}[2J\u{200b}", "\u{e0001}", "\u{feff}z"],
            "c": {"plain": "two\nlines", "n": 1.5, "none": null, "yes": "yes"}});
        let text = document(&value).unwrap();
        assert!(!text.chars().any(is_hidden), "{text}");
        let read: Value = serde_saphyr::from_str(&text).unwrap();
        assert_eq!(read, value, "{text}");
        let harmless = json!({"text": "a: b", "list": [1, "#"]});
        let plain = serde_saphyr::to_string(&harmless).unwrap();
        assert_eq!(document(&harmless).unwrap(), plain);
    }
}
