//! The kinds of values of a run's options: how each is read from JSON and from the command line.

use std::marker::PhantomData;

use serde::de::DeserializeOwned;
use serde_json::Value;
use sky_accel_core::duration::{BareNumber, seconds};
use sky_accel_core::sizing::Workload;
use sky_accel_core::suggest;
use sky_accel_core::word::Word;

use super::model_source::ModelSource;
use crate::code::ErrorCode;
use crate::error::{Error, Result};
#[cfg(feature = "clap")]
use crate::text::{quantity, whole_number};

#[cfg(feature = "clap")]
use clap::builder::{PossibleValuesParser, TypedValueParser as _, ValueParser};

/// The work that an option applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionScope {
    /// All work.
    All,
    /// Work on tokens: not the generation of images, videos or speech.
    Tokens,
    /// Inference, also for the rollouts of training.
    Inference,
    /// Generation of tokens, also by the rollouts of training.
    Generation,
    /// Inference by an engine that serves many users.
    Serving,
    /// Inference for users.
    Requests,
    /// Generation of tokens for users.
    Answers,
    /// Training.
    Training,
    /// Training of adapters.
    Adapters,
    /// Training on generated sequences.
    Rollouts,
}

/// Reads option values of type `T`.
pub(super) trait OptionKind<T> {
    /// The JSON type of a value; empty where there are several.
    const JSON_TYPE: &'static str;

    /// The accepted words, for values that are chosen from a set.
    fn words() -> Vec<&'static str> {
        Vec::new()
    }

    /// Reads a JSON value; `field` is the name of the option in error messages.
    fn read(field: &str, value: Value) -> Result<T>;

    /// Reads the value of a flag.
    #[cfg(feature = "clap")]
    fn parser() -> ValueParser;
}

fn bad_value(message: String) -> Error {
    Error::new(ErrorCode::BadValue, message)
}

/// Reads a value whose JSON type is fixed.
fn typed<T: DeserializeOwned>(field: &str, value: Value) -> Result<T> {
    serde_json::from_value(value).map_err(|error| {
        // Serde names the type in Rust.
        let error = error
            .to_string()
            .replace("expected f64", "expected a number");
        Error::new(ErrorCode::Request, format!("`{field}`: {error}"))
    })
}

/// An error for a word outside of its set: it lists the set, and hints at the nearest words.
pub(super) fn unknown_word(field: &str, text: &str, words: &[&str]) -> Error {
    let list = words.join(", ");
    let message = format!("unknown `{field}` '{text}': choose one of {list}");
    bad_value(message).hint(suggest::closest(text, words.iter().copied()))
}

fn words_of<T: Word>() -> Vec<&'static str> {
    T::ALL.iter().map(|(word, _)| *word).collect()
}

/// Text.
pub(super) struct PlainText;

impl OptionKind<String> for PlainText {
    const JSON_TYPE: &'static str = "string";

    fn read(field: &str, value: Value) -> Result<String> {
        typed(field, value)
    }

    #[cfg(feature = "clap")]
    fn parser() -> ValueParser {
        ValueParser::string()
    }
}

/// Several texts: a JSON list, or one text with commas.
pub(super) struct TextList;

impl OptionKind<Vec<String>> for TextList {
    const JSON_TYPE: &'static str = "array";

    fn read(field: &str, value: Value) -> Result<Vec<String>> {
        match value {
            Value::String(text) => {
                let words = text.split(',').map(|word| word.trim().to_owned());
                Ok(words.filter(|word| !word.is_empty()).collect())
            }
            list => typed(field, list),
        }
    }

    #[cfg(feature = "clap")]
    fn parser() -> ValueParser {
        ValueParser::string()
    }
}

/// A number; its bounds are checked when the run is read. A flag may write it with a unit, as in `32k`.
pub(super) struct Number;

impl OptionKind<f64> for Number {
    const JSON_TYPE: &'static str = "number";

    fn read(field: &str, value: Value) -> Result<f64> {
        typed(field, value)
    }

    #[cfg(feature = "clap")]
    fn parser() -> ValueParser {
        let parse = |text: &str| quantity(text).ok_or("expected a number from 0");
        ValueParser::from(parse)
    }
}

/// A number above zero. A flag may write it with a unit, as in `32k`.
pub(super) struct Positive;

impl OptionKind<f64> for Positive {
    const JSON_TYPE: &'static str = "number";

    fn read(field: &str, value: Value) -> Result<f64> {
        typed(field, value)
    }

    #[cfg(feature = "clap")]
    fn parser() -> ValueParser {
        let parse = |text: &str| match quantity(text) {
            Some(number) if number > 0.0 => Ok(number),
            _ => Err("expected a number above zero"),
        };
        ValueParser::from(parse)
    }
}

/// An integer from `MIN` to `MAX`. JSON may write it with a decimal point, as some serializers do.
pub(super) struct Count<const MIN: i64, const MAX: i64>;

impl<T, const MIN: i64, const MAX: i64> OptionKind<T> for Count<MIN, MAX>
where
    T: TryFrom<i64> + TryFrom<u64> + Clone + Send + Sync + 'static,
{
    const JSON_TYPE: &'static str = "integer";

    fn read(field: &str, value: Value) -> Result<T> {
        let number: f64 = typed(field, value)?;
        // Only the type bounds the integer here: the bounds of the option are errors of another code, given when
        // the run is read.
        let is_integer = number >= 0.0 && number.fract() == 0.0 && number < 1e15;
        let integer = is_integer.then_some(number as u64);
        integer
            .and_then(|integer| T::try_from(integer).ok())
            .ok_or_else(|| {
                let message = format!("`{field}` is an integer from {MIN} to {MAX}, not {number}");
                Error::new(ErrorCode::Request, message)
            })
    }

    #[cfg(feature = "clap")]
    fn parser() -> ValueParser {
        ValueParser::from(|text: &str| whole_number::<T>(text, MIN, MAX))
    }
}

/// True or false.
pub(super) struct Switch;

impl OptionKind<bool> for Switch {
    const JSON_TYPE: &'static str = "boolean";

    fn read(field: &str, value: Value) -> Result<bool> {
        typed(field, value)
    }

    #[cfg(feature = "clap")]
    fn parser() -> ValueParser {
        ValueParser::bool()
    }
}

/// One of the words of an enum.
pub(super) struct OneOf<T>(PhantomData<T>);

impl<T: Word + Send + Sync> OptionKind<T> for OneOf<T> {
    const JSON_TYPE: &'static str = "string";

    fn words() -> Vec<&'static str> {
        words_of::<T>()
    }

    fn read(field: &str, value: Value) -> Result<T> {
        let text: String = typed(field, value)?;
        T::from_word(&text).ok_or_else(|| unknown_word(field, &text, &words_of::<T>()))
    }

    #[cfg(feature = "clap")]
    fn parser() -> ValueParser {
        PossibleValuesParser::new(T::ALL.iter().map(|(word, _)| *word))
            .try_map(|word| T::from_word(&word).ok_or("not one of the words"))
            .into()
    }
}

/// A duration in seconds: a number, or text such as `2s` and `50ms`.
pub(super) struct Seconds;

const SECONDS: &str = "a time above zero such as 2s or 50ms";

impl OptionKind<f64> for Seconds {
    const JSON_TYPE: &'static str = "number";

    fn read(field: &str, value: Value) -> Result<f64> {
        match value {
            Value::String(text) => seconds(&text, BareNumber::Seconds)
                .map_err(|_| bad_value(format!("`{field}` is {SECONDS}, not '{text}'"))),
            number => typed(field, number),
        }
    }

    #[cfg(feature = "clap")]
    fn parser() -> ValueParser {
        let parse = |text: &str| match seconds(text, BareNumber::Seconds) {
            Ok(seconds) if seconds > 0.0 => Ok(seconds),
            _ => Err(format!("expected {SECONDS}")),
        };
        ValueParser::from(parse)
    }
}

/// A measured speed: `tokens_per_s=4100`.
pub(super) struct Measurement;

const MEASURED: &str = "a measured speed such as tokens_per_s=4100";

impl OptionKind<f64> for Measurement {
    const JSON_TYPE: &'static str = "string";

    fn read(field: &str, value: Value) -> Result<f64> {
        let text: String = typed(field, value)?;
        read_measured(&text)
            .ok_or_else(|| bad_value(format!("`{field}` is {MEASURED}, not '{text}'")))
    }

    #[cfg(feature = "clap")]
    fn parser() -> ValueParser {
        ValueParser::from(|text: &str| {
            read_measured(text).ok_or_else(|| format!("expected {MEASURED}"))
        })
    }
}

fn read_measured(text: &str) -> Option<f64> {
    let value: f64 = text.trim().strip_prefix("tokens_per_s=")?.parse().ok()?;
    (value.is_finite() && value > 0.0).then_some(value)
}

/// A kind of work by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkKind {
    /// Work that is computed for a model.
    Computed(Workload),
    /// Another word, such as `development`: `recommend` without a model has rules of thumb for some.
    Other(String),
}

impl WorkKind {
    /// The name of the work.
    pub fn word(&self) -> &str {
        match self {
            Self::Computed(workload) => workload.word(),
            Self::Other(word) => word,
        }
    }

    /// True for work that trains a model.
    pub fn is_training(&self) -> bool {
        matches!(self, Self::Computed(workload) if workload.is_training())
    }

    /// The work, if it can be computed for a model.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::BadValue`] for other work.
    pub fn computed(&self) -> Result<Workload> {
        match self {
            Self::Computed(workload) => Ok(*workload),
            Self::Other(word) => Err(unknown_word("workload", word, &words_of::<Workload>())),
        }
    }
}

impl From<Workload> for WorkKind {
    fn from(workload: Workload) -> Self {
        Self::Computed(workload)
    }
}

impl From<String> for WorkKind {
    fn from(word: String) -> Self {
        match Workload::from_word(&word) {
            Some(workload) => Self::Computed(workload),
            None => Self::Other(word),
        }
    }
}

/// A kind of work. The accepted words include work that is not computed for a model.
pub(super) struct Work;

impl OptionKind<WorkKind> for Work {
    const JSON_TYPE: &'static str = "string";

    fn words() -> Vec<&'static str> {
        words_of::<Workload>()
    }

    fn read(field: &str, value: Value) -> Result<WorkKind> {
        let text: String = typed(field, value)?;
        Ok(WorkKind::from(text))
    }

    #[cfg(feature = "clap")]
    fn parser() -> ValueParser {
        clap::builder::StringValueParser::new()
            .map(WorkKind::from)
            .into()
    }
}

/// A model: a name or path, or its configuration as a JSON object.
pub(super) struct ModelName;

impl OptionKind<ModelSource> for ModelName {
    const JSON_TYPE: &'static str = "";

    fn read(field: &str, value: Value) -> Result<ModelSource> {
        match value {
            Value::String(name) => Ok(ModelSource::Name(name)),
            Value::Object(config) => Ok(ModelSource::Config(config)),
            _ => {
                let message = format!(
                    "`{field}` is a name, a path or an object with the fields of a config.json"
                );
                Err(Error::new(ErrorCode::Request, message))
            }
        }
    }

    #[cfg(feature = "clap")]
    fn parser() -> ValueParser {
        clap::builder::StringValueParser::new()
            .map(ModelSource::Name)
            .into()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use sky_accel_core::sizing::CacheFormat;

    use super::*;

    #[test]
    fn seconds_have_units() {
        for (text, seconds) in [("2s", 2.0), ("50ms", 0.05), (" 1.5 ", 1.5)] {
            let read = Seconds::read("max_ttft", json!(text)).unwrap();
            assert!((read - seconds).abs() < 1e-12, "{text}");
        }
        let error = Seconds::read("max_ttft", json!("soon")).unwrap_err();
        assert_eq!(error.problems[0].code, ErrorCode::BadValue);
        assert!(error.to_string().contains("`max_ttft`"), "{error}");
    }

    #[test]
    fn integers_may_have_a_decimal_point() {
        let read = |value| <Count<1, 1024> as OptionKind<u32>>::read("tensor_parallel", value);
        assert_eq!(read(json!(8.0)).unwrap(), 8);
        for wrong in [json!(1.5), json!(-1), json!(1e12), json!("8")] {
            assert_eq!(
                read(wrong).unwrap_err().problems[0].code,
                ErrorCode::Request
            );
        }
    }

    #[test]
    fn lists_may_be_text() {
        let modules = TextList::read("modules_to_save", json!("embeddings, head,")).unwrap();
        assert_eq!(modules, ["embeddings", "head"]);
    }

    #[test]
    fn unknown_words_are_answered_with_the_set() {
        let error =
            <OneOf<CacheFormat> as OptionKind<CacheFormat>>::read("kv_precision", json!("fp9"))
                .unwrap_err();
        assert_eq!(error.problems[0].code, ErrorCode::BadValue);
        assert!(error.to_string().contains("bf16, fp8, int8"), "{error}");
    }

    #[test]
    fn measured_speeds_are_positive() {
        assert!(Measurement::read("calibrate", json!("tokens_per_s=4100")).is_ok());
        for wrong in ["4100", "tokens_per_s=0", "tokens_per_s=many"] {
            assert!(
                Measurement::read("calibrate", json!(wrong)).is_err(),
                "{wrong}"
            );
        }
    }
}
