//! Untrusted JSON documents, with their size checked before parsing.

use serde::de::Error as _;
use serde_json::{Deserializer, Error, Value};
use sky_accel_core::text::{MAX_JSON_VALUES, count_json_values};

/// Parses one document.
pub(crate) fn parse(text: &str) -> Result<Value, Error> {
    bounded(text)?;
    serde_json::from_str(text)
}

/// Parses the documents of a stream, such as JSON lines.
pub(crate) fn parse_all(text: &str) -> Result<impl Iterator<Item = Result<Value, Error>>, Error> {
    bounded(text)?;
    Ok(Deserializer::from_str(text).into_iter::<Value>())
}

fn bounded(text: &str) -> Result<(), Error> {
    if count_json_values(text.as_bytes()) > MAX_JSON_VALUES {
        let message = format!("it has more than {MAX_JSON_VALUES} values");
        return Err(Error::custom(message));
    }
    Ok(())
}
