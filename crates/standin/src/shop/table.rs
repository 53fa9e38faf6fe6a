//! Markets from data files, and tables of rows that share a shape.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// The value of a field in the common part of a table that differs between the rows. A row without the
/// field lacks it.
const DIFFERS: &str = "*";
/// The name of a comment on a row.
const COMMENT: &str = "//";

/// Parses a market.
pub(super) fn market<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).expect("the data of a market")
}

/// Parses a table: the fields that all rows have in common, and for each row the other fields. A row may
/// be a table.
pub(super) fn rows<'de, D, T>(input: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let mut rows = Vec::new();
    collect(&Value::Null, &Value::deserialize(input)?, &mut rows);
    let row = |row| serde_json::from_value(row).map_err(D::Error::custom);
    rows.into_iter().map(row).collect()
}

fn collect(shape: &Value, table: &Value, rows: &mut Vec<Value>) {
    if let Some(Value::Array(nested)) = table.get("rows") {
        let shape = with_fields(shape, &table["common"]);
        for row in nested {
            collect(&shape, row, rows);
        }
    } else {
        let mut row = with_fields(shape, table);
        remove_marks(&mut row);
        rows.push(row);
    }
}

/// Returns a value with some fields replaced, also in the objects within it, and in all rows of a list.
pub(super) fn with_fields(value: &Value, fields: &Value) -> Value {
    let (value, fields) = match (value, fields) {
        (Value::Object(value), Value::Object(fields)) => (value, fields),
        (Value::Array(rows), Value::Object(_)) => {
            return rows.iter().map(|row| with_fields(row, fields)).collect();
        }
        _ => return fields.clone(),
    };
    let mut value = value.clone();
    for (name, field) in fields {
        let changed = with_fields(value.get(name).unwrap_or(&Value::Null), field);
        value.insert(name.clone(), changed);
    }
    Value::Object(value)
}

/// Removes the comments and the fields that a row lacks.
pub(super) fn remove_marks(row: &mut Value) {
    match row {
        Value::Object(fields) => {
            fields.retain(|name, value| name != COMMENT && value != DIFFERS);
            fields.values_mut().for_each(remove_marks);
        }
        Value::Array(rows) => rows.iter_mut().for_each(remove_marks),
        _ => {}
    }
}

/// Parses a table whose rows have names, and moves the names out of the rows.
pub(super) fn by_name<'de, D>(input: D) -> Result<Map<String, Value>, D::Error>
where
    D: Deserializer<'de>,
{
    let named = |mut row: Map<String, Value>| {
        let name = row.shift_remove("name")?;
        Some((name.as_str()?.to_owned(), Value::Object(row)))
    };
    let rows: Vec<_> = rows(input)?;
    Ok(rows.into_iter().filter_map(named).collect())
}

/// Parses the rows of a CSV text. Every cell is a string.
pub(super) fn csv_rows(text: &str) -> Vec<Value> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let columns = reader.headers().expect("a line of names").clone();
    reader
        .records()
        .map(|record| {
            let record = record.expect("as many cells as names");
            columns
                .iter()
                .zip(&record)
                .map(|(column, cell)| (column.to_owned(), Value::from(cell)))
                .collect()
        })
        .collect()
}

/// Lists the CSV files of a folder, each with its name.
macro_rules! files {
    ($folder:literal: $($name:literal)+) => {
        &[$(($name, include_str!(concat!($folder, $name, ".csv"))),)+]
    };
}
pub(super) use files;
