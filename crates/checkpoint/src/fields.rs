//! Reads fields of a configuration. Configurations are untrusted, so every number is bounded.

use serde_json::{Map, Value};
use thiserror::Error;

/// An error in a configuration. Its texts may contain any characters of the file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ConfigError {
    /// The file has more bytes or values than the limit.
    #[error("too large for a configuration: {n} {what} (the limit is {most})")]
    TooLarge {
        /// The unit of both numbers.
        what: &'static str,
        /// The number in the file.
        n: u64,
        /// The limit.
        most: u64,
    },
    /// The text is not a JSON object; with the reason of the parser.
    #[error("not a JSON object: {0}")]
    Json(String),
    /// Neither the file nor the caller names an architecture.
    #[error("`model_type` is missing")]
    NoModelType,
    /// The catalog does not have the architecture.
    #[error("unknown model_type '{0}'")]
    UnknownModelType(String),
    /// A required field is missing.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A field is not an integer within its bounds.
    #[error("`{field}` is {value}, not a number between {low} and {high}")]
    OutOfBounds {
        /// The name that the file uses.
        field: String,
        /// The value, truncated if it is long.
        value: String,
        /// The minimum.
        low: u64,
        /// The maximum.
        high: u64,
    },
    /// The length of a list or pattern of layers differs from the number of layers.
    #[error("`{field}` lists {listed} layers, but the model has {layers}")]
    LayerCount {
        /// The name that the file uses.
        field: &'static str,
        /// The number of listed layers.
        listed: usize,
        /// The number of layers of the model.
        layers: u32,
    },
    /// A word or letter of a list is not a known kind of layer.
    #[error("`{field}` has an unknown kind of layer '{word}'")]
    UnknownLayer {
        /// The name that the file uses.
        field: &'static str,
        /// The word, truncated if it is long.
        word: String,
    },
    /// Fields contradict each other.
    #[error("{0}")]
    Contradiction(String),
    /// Several independent errors.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Several(Vec<ConfigError>),
}

pub(crate) type Fields = Map<String, Value>;
pub(crate) type Result<T> = std::result::Result<T, ConfigError>;

/// The word for a value that follows from other fields.
const FOLLOWS: &str = "auto";
/// The maximum length of a value in an error, in characters.
const MAX_VALUE: usize = 40;
/// The maximum value of any field.
pub(crate) const MOST: u64 = 1 << 31;
/// The maximum value of a width or a number of heads.
pub(crate) const MOST_WIDE: u64 = 1 << 22;
/// The maximum number of layers of a model.
pub(crate) const MOST_LAYERS: u64 = 4096;

/// Reads an integer under the first of its names that is present; `None` if all are missing.
pub(crate) fn number(config: &Fields, names: &[&str], high: u64) -> Result<Option<u32>> {
    let found = names.iter().find_map(|name| {
        config
            .get(*name)
            .filter(|value| !value.is_null() && value.as_str() != Some(FOLLOWS))
            .map(|value| (*name, value))
    });
    let Some((name, value)) = found else {
        return Ok(None);
    };
    let integer = value.as_u64().or_else(|| {
        let number = value.as_f64()?;
        (number >= 0.0 && number.fract() == 0.0 && number < MOST as f64).then_some(number as u64)
    });
    match integer.filter(|n| *n <= high) {
        Some(n) => Ok(Some(n as u32)),
        None => Err(out_of_bounds(name, value, high)),
    }
}

/// The error for a field that is not an integer between 0 and `high`.
pub(crate) fn out_of_bounds(field: &str, value: &Value, high: u64) -> ConfigError {
    ConfigError::OutOfBounds {
        field: field.to_owned(),
        value: value.to_string().chars().take(MAX_VALUE).collect(),
        low: 0,
        high,
    }
}

/// Reads a positive integer that is required.
pub(crate) fn needed(config: &Fields, names: &[&'static str], high: u64) -> Result<u32> {
    match number(config, names, high)? {
        None => Err(ConfigError::Missing(names[0])),
        Some(0) => {
            let stated = names.iter().find(|name| config.contains_key(**name));
            Err(ConfigError::OutOfBounds {
                field: stated.unwrap_or(&names[0]).to_string(),
                value: "0".to_owned(),
                low: 1,
                high,
            })
        }
        Some(n) => Ok(n),
    }
}

/// Fails with the errors of all results, if there are several, so that a file can be corrected at once.
pub(crate) fn all_of(errors: [Option<ConfigError>; 6]) -> Result<()> {
    let mut errors: Vec<ConfigError> = errors.into_iter().flatten().collect();
    match errors.len() {
        0 => Ok(()),
        1 => Err(errors.remove(0)),
        _ => Err(ConfigError::Several(errors)),
    }
}

/// Reads a boolean under the first of its names that is one.
pub(crate) fn flag(config: &Fields, names: &[&str]) -> Option<bool> {
    names
        .iter()
        .find_map(|name| config.get(*name).and_then(Value::as_bool))
}

/// Returns the items of a list.
pub(crate) fn list<'f>(config: &'f Fields, name: &str) -> Option<&'f [Value]> {
    config.get(name)?.as_array().map(Vec::as_slice)
}

/// Returns the fields of an object.
pub(crate) fn object<'f>(config: &'f Fields, name: &str) -> Option<&'f Fields> {
    config.get(name)?.as_object()
}

/// Reads a positive number that may have a fraction.
pub(crate) fn factor(config: &Fields, name: &str) -> Option<f64> {
    let number = config.get(name)?.as_f64()?;
    (number > 0.0 && number < 4096.0).then_some(number)
}

/// The product of two figures as a float, so that untrusted figures do not overflow.
pub(crate) fn product(a: u32, b: u32) -> f64 {
    f64::from(a) * f64::from(b)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::testing::fields;

    #[test]
    fn numbers_are_integers_within_their_bound() {
        let read = |value: Value| number(&fields(&json!({ "n": value })), &["n"], 10);
        assert_eq!(read(json!(10)), Ok(Some(10)));
        assert_eq!(read(json!(0)), Ok(Some(0)));
        assert_eq!(read(json!(3.0)), Ok(Some(3)));
        assert_eq!(read(json!(null)), Ok(None));
        assert_eq!(read(json!("auto")), Ok(None));
        for value in [json!(11), json!(-1), json!(2.5), json!("3"), json!([3])] {
            let error = read(value.clone());
            assert!(
                matches!(error, Err(ConfigError::OutOfBounds { high: 10, .. })),
                "{value}"
            );
        }
        // The first name that is present decides, and null counts as missing.
        let config = fields(&json!({ "a": null, "b": 2, "c": 3 }));
        assert_eq!(number(&config, &["a", "b", "c"], 10), Ok(Some(2)));
        assert_eq!(number(&config, &["c", "b"], 10), Ok(Some(3)));
    }

    #[test]
    fn errors_repeat_the_start_of_a_value() {
        let config = fields(&json!({ "n": "x".repeat(100) }));
        let error = number(&config, &["n"], 10).unwrap_err();
        assert!(matches!(error, ConfigError::OutOfBounds { value, .. } if value.len() == 40));
    }

    #[test]
    fn required_numbers_are_positive() {
        let config = fields(&json!({ "zero": 0, "one": 1 }));
        assert_eq!(needed(&config, &["one"], 10), Ok(1));
        let missing = |name| Err(ConfigError::Missing(name));
        assert_eq!(
            needed(&config, &["none", "zero"], 10)
                .unwrap_err()
                .to_string(),
            "`zero` is 0, not a number between 1 and 10"
        );
        assert_eq!(needed(&config, &["none"], 10), missing("none"));
    }

    #[test]
    fn flags_and_factors_ignore_other_types() {
        let config =
            fields(&json!({ "no": false, "word": "true", "x": 0.5, "zero": 0, "large": 4096 }));
        assert_eq!(flag(&config, &["word", "no"]), Some(false));
        assert_eq!(flag(&config, &["word"]), None);
        assert_eq!(factor(&config, "x"), Some(0.5));
        assert_eq!(factor(&config, "zero"), None);
        assert_eq!(factor(&config, "large"), None);
    }
}
