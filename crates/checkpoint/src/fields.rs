//! Fields of a configuration, which a stranger wrote: every number is bounded.

use serde_json::{Map, Value};
use thiserror::Error;

/// A fault of a configuration. Texts may hold characters of the file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ConfigError {
    /// More bytes or values than are read.
    #[error("it has {n} {what}, and at most {most} are read: too large to be a configuration")]
    TooLarge {
        /// The unit of both numbers.
        what: &'static str,
        /// The number in the file.
        n: u64,
        /// The bound.
        most: u64,
    },
    /// No JSON object, with the parser's reason.
    #[error("no JSON object: {0}")]
    Json(String),
    /// Neither the file nor the caller names an architecture.
    #[error("it has no `model_type`")]
    NoModelType,
    /// An architecture that the catalog does not have.
    #[error("unknown model_type '{0}'")]
    UnknownModelType(String),
    /// A field without which there is no shape.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A field that is no whole number within its bounds.
    #[error("`{field}` is {value}, not a number between {low} and {high}")]
    OutOfBounds {
        /// The name that the file uses.
        field: String,
        /// Its value, cut off where it is long.
        value: String,
        /// The least that it may be.
        low: u64,
        /// The most that it may be.
        high: u64,
    },
    /// A list or pattern of layers with another length than the model has layers.
    #[error("`{field}` tells {listed} layers, and the model has {layers}")]
    LayerCount {
        /// The name that the file uses.
        field: &'static str,
        /// The layers that it tells.
        listed: usize,
        /// The layers of the model.
        layers: u32,
    },
    /// A word or letter for a kind of layer that is not known.
    #[error("`{field}` has an unknown kind of layer '{word}'")]
    UnknownLayer {
        /// The name that the file uses.
        field: &'static str,
        /// The word, cut off where it is long.
        word: String,
    },
    /// Fields that cannot be true together.
    #[error("{0}")]
    Contradiction(String),
}

pub(crate) type Fields = Map<String, Value>;
pub(crate) type Result<T> = std::result::Result<T, ConfigError>;

/// The word of a figure that follows from others.
const FOLLOWS: &str = "auto";
/// The most that any field may be.
pub(crate) const MOST: u64 = 1 << 31;
/// The most that a width or a number of heads may be.
pub(crate) const MOST_WIDE: u64 = 1 << 22;
/// The most layers of a model.
pub(crate) const MOST_LAYERS: u64 = 4096;

/// A whole number under one of its names.
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
    let whole = value.as_u64().or_else(|| {
        let number = value.as_f64()?;
        (number >= 0.0 && number.fract() == 0.0 && number < MOST as f64).then_some(number as u64)
    });
    match whole.filter(|n| *n <= high) {
        Some(n) => Ok(Some(n as u32)),
        None => Err(ConfigError::OutOfBounds {
            field: name.to_owned(),
            value: value.to_string().chars().take(40).collect(),
            low: 0,
            high,
        }),
    }
}

pub(crate) fn needed(config: &Fields, names: &[&'static str], high: u64) -> Result<u32> {
    number(config, names, high)?
        .filter(|n| *n > 0)
        .ok_or(ConfigError::Missing(names[0]))
}

pub(crate) fn flag(config: &Fields, names: &[&str]) -> Option<bool> {
    names
        .iter()
        .find_map(|name| config.get(*name).and_then(Value::as_bool))
}

/// The items of a list.
pub(crate) fn list<'f>(config: &'f Fields, name: &str) -> Option<&'f [Value]> {
    config.get(name)?.as_array().map(Vec::as_slice)
}

/// The fields inside of a field.
pub(crate) fn object<'f>(config: &'f Fields, name: &str) -> Option<&'f Fields> {
    config.get(name)?.as_object()
}

/// A positive number that may have a fraction.
pub(crate) fn factor(config: &Fields, name: &str) -> Option<f64> {
    let number = config.get(name)?.as_f64()?;
    (number > 0.0 && number < 4096.0).then_some(number)
}

/// A product of figures, as a float: what a stranger wrote does not overflow.
pub(crate) fn product(a: u32, b: u32) -> f64 {
    f64::from(a) * f64::from(b)
}
