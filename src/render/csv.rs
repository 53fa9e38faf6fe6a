//! CSV output: a fixed header, and one row per result.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;
use sky_accel_core::text::printable;

/// Writes a header and results. Columns are paths into a result; lists are joined with `;`.
pub(super) fn write<T: Serialize>(
    out: &mut impl Write,
    columns: &[&str],
    results: &[T],
) -> io::Result<()> {
    csv::Writer::from_writer(&mut *out).write_record(columns)?;
    write_rows(out, columns, results)
}

/// Writes results without a header.
pub(super) fn write_rows<T: Serialize>(
    out: &mut impl Write,
    columns: &[&str],
    results: &[T],
) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    for result in results {
        let value = serde_json::to_value(result)?;
        writer.write_record(columns.iter().map(|path| cell(&value, path)))?;
    }
    writer.flush()
}

fn cell(value: &Value, path: &str) -> String {
    let found = path.split('.').try_fold(value, |value, key| value.get(key));
    found.map(text).unwrap_or_default()
}

/// Escapes text that a spreadsheet would run as a formula.
fn plain(text: &str) -> String {
    let text = printable(text);
    if text.starts_with(['=', '+', '-', '@']) {
        format!("'{text}")
    } else {
        text
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => plain(text),
        Value::Array(items) => items.iter().map(text).collect::<Vec<_>>().join(";"),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn paths_lists_and_quotes() {
        let mut out = Vec::new();
        let results =
            [json!({"a": {"b": -1.5}, "c": ["x", "y"], "d": "1,2", "e": "=1+2", "h": "\u{7}"})];
        super::write(&mut out, &["a.b", "c", "d", "e", "f.g", "h"], &results).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "a.b,c,d,e,f.g,h\n-1.5,x;y,\"1,2\",'=1+2,,\\u{7}\n"
        );
    }
}
