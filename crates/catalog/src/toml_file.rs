//! TOML files as typed values that know their positions.
//!
//! The `toml` crate parses a file. Its deserializer would compile each type of the schema for tables, dates and
//! positions alike, which is a third of the WebAssembly module. This deserializer compiles each type once.

use std::ops::Range;

use serde::de::value::{CowStrDeserializer, U32Deserializer};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error as _, IntoDeserializer as _, MapAccess,
    SeqAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use toml::Spanned;
use toml::de::{DeArray, DeFloat, DeInteger, DeTable, DeValue};

/// The name of the tuple `(start, end, value)`, which a value of any type can be read as.
pub(crate) const SPANNED: &str = "$sky_accel::Spanned";

/// Why a file cannot be read, and where.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct TomlError {
    pub message: String,
    pub span: Option<Range<usize>>,
}

/// Reads a file.
pub(crate) fn read<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T, TomlError> {
    let document = DeTable::parse(text).map_err(|error| TomlError {
        message: error.message().to_owned(),
        span: error.span(),
    })?;
    let span = document.span();
    T::deserialize(TomlValue {
        value: DeValue::Table(document.into_inner()),
        span,
    })
}

impl TomlError {
    /// Adds the position of the value that was being read, if no inner value has added its position.
    fn or_at(mut self, span: Range<usize>) -> Self {
        self.span.get_or_insert(span);
        self
    }
}

impl serde::de::Error for TomlError {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Self {
            message: message.to_string(),
            span: None,
        }
    }
}

struct TomlValue<'de> {
    value: DeValue<'de>,
    span: Range<usize>,
}

impl<'de> From<Spanned<DeValue<'de>>> for TomlValue<'de> {
    fn from(value: Spanned<DeValue<'de>>) -> Self {
        Self {
            span: value.span(),
            value: value.into_inner(),
        }
    }
}

impl<'de> Deserializer<'de> for TomlValue<'de> {
    type Error = TomlError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TomlError> {
        let read = match self.value {
            DeValue::String(text) => CowStrDeserializer::new(text).deserialize_any(visitor),
            DeValue::Integer(number) => visit_integer(&number, visitor),
            DeValue::Float(number) => float(&number).and_then(|number| visitor.visit_f64(number)),
            DeValue::Boolean(flag) => visitor.visit_bool(flag),
            // As if it was quoted: the compiler checks the text.
            DeValue::Datetime(date) => visitor.visit_string(date.to_string()),
            DeValue::Array(values) => visitor.visit_seq(Items(values.into_iter())),
            DeValue::Table(values) => visitor.visit_map(Entries {
                entries: values.into_iter(),
                value: None,
            }),
        };
        read.map_err(|error| error.or_at(self.span))
    }

    /// A key that is there has a value.
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TomlError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, TomlError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _length: usize,
        visitor: V,
    ) -> Result<V::Value, TomlError> {
        if name == SPANNED {
            return visitor.visit_seq(SpannedParts {
                bounds: [self.span.start, self.span.end].into_iter(),
                value: Some(self),
            });
        }
        self.deserialize_any(visitor)
    }

    /// Values that are one of several words are the only enumerations of catalog files.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TomlError> {
        let read = match self.value {
            DeValue::String(word) => visitor.visit_enum(CowStrDeserializer::new(word)),
            _ => Err(TomlError::custom("expected a string")),
        };
        read.map_err(|error| error.or_at(self.span))
    }

    forward_to_deserialize_any! {
        bool u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 char str string seq bytes byte_buf map unit ignored_any unit_struct
        struct tuple identifier
    }
}

fn visit_integer<'de, V: Visitor<'de>>(
    number: &DeInteger<'_>,
    visitor: V,
) -> Result<V::Value, TomlError> {
    let (digits, radix) = (number.as_str(), number.radix());
    if let Ok(number) = i64::from_str_radix(digits, radix) {
        visitor.visit_i64(number)
    } else if let Ok(number) = u64::from_str_radix(digits, radix) {
        visitor.visit_u64(number)
    } else {
        Err(TomlError::custom(format_args!(
            "the integer {number} is too large"
        )))
    }
}

fn float(number: &DeFloat<'_>) -> Result<f64, TomlError> {
    let text = number.as_str();
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() || text.contains("inf") || text.contains("nan") => Ok(value),
        _ => Err(TomlError::custom(format_args!(
            "the number {text} is too large"
        ))),
    }
}

/// The values of an array.
struct Items<'de>(<DeArray<'de> as IntoIterator>::IntoIter);

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = TomlError;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, TomlError> {
        let item = self.0.next().map(TomlValue::from);
        item.map(|item| seed.deserialize(item)).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

/// The keys and values of a table.
struct Entries<'de> {
    entries: <DeTable<'de> as IntoIterator>::IntoIter,
    /// The value whose key was read.
    value: Option<Spanned<DeValue<'de>>>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = TomlError;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, TomlError> {
        let Some((key, value)) = self.entries.next() else {
            return Ok(None);
        };
        self.value = Some(value);
        let key = TomlValue {
            span: key.span(),
            value: DeValue::String(key.into_inner()),
        };
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, TomlError> {
        let value = self.value.take();
        let value = value.ok_or_else(|| TomlError::custom("a value is read before its key"))?;
        let span = value.span();
        let read = seed.deserialize(TomlValue::from(value));
        read.map_err(|error| error.or_at(span))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.entries.len())
    }
}

/// The parts of the tuple [`SPANNED`].
struct SpannedParts<'de> {
    bounds: std::array::IntoIter<usize, 2>,
    value: Option<TomlValue<'de>>,
}

impl<'de> SeqAccess<'de> for SpannedParts<'de> {
    type Error = TomlError;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, TomlError> {
        if let Some(bound) = self.bounds.next() {
            // A file has at most 100 MB.
            let bound: U32Deserializer<TomlError> = (bound as u32).into_deserializer();
            return seed.deserialize(bound).map(Some);
        }
        let value = self.value.take();
        value.map(|value| seed.deserialize(value)).transpose()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;

    use super::*;
    use crate::schema::Spanned;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    struct Sample {
        text: String,
        number: Option<u32>,
        figure: f64,
        flag: bool,
        word: Option<Word>,
        pair: Option<[u8; 2]>,
        amounts: BTreeMap<String, f64>,
        either: Option<Either>,
        inner: Vec<Sample>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum Word {
        FirstWord,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(untagged)]
    enum Either {
        Figure(f64),
        Figures(BTreeMap<String, f64>),
    }

    #[test]
    fn reads_as_the_deserializer_of_toml() {
        for text in [
            "",
            "text = 'a'\nnumber = 0x10\nfigure = 3\nflag = true\npair = [1, 2]\nword = 'first-word'",
            "either = 1.5\namounts = { a = 1, 'b c' = 2.5 }",
            "either = { a = 1 }\n[[inner]]\ntext = 'x'\n[[inner.inner]]\nfigure = -inf",
            "number = -1",
            "number = 5000000000",
            "number = 10000000000000000000",
            "number = 'a'",
            "figure = [1]",
            "flag = 1",
            "text = 1",
            "word = 'other'",
            "pair = [1]",
            "pair = [1, 300]",
            "amounts = { a = 'b' }",
            "either = 'a'",
            "unknown = 1",
            "[[inner]]\n[[inner]]\n  [[inner.inner]]\n  number = 'a'",
            "inner = { text = 'a' }",
            "text = 'a'\ntext = 'b'",
            "text = ",
        ] {
            let read = read::<Sample>(text).map_err(|error| (error.message, error.span));
            let expected = toml::from_str::<Sample>(text)
                .map_err(|error| (error.message().to_owned(), error.span()));
            assert_eq!(read, expected, "{text}");
        }
    }

    #[test]
    fn values_know_their_positions() {
        type Positions = BTreeMap<Spanned<String>, Vec<Spanned<f64>>>;
        let read: Positions = read("'a b' = [1,  2.5]").unwrap();
        let (key, values) = read.first_key_value().unwrap();
        assert_eq!(*key, Spanned::new(0..5, "a b".to_owned()));
        assert_eq!(
            *values,
            [Spanned::new(9..10, 1.0), Spanned::new(13..16, 2.5)]
        );
    }

    #[test]
    fn dates_are_texts() {
        let read: BTreeMap<String, String> = read("a = 2026-11-20").unwrap();
        assert_eq!(read["a"], "2026-11-20");
    }

    #[test]
    fn numbers_beyond_their_types_are_errors() {
        for (text, message) in [
            (
                "a = 99999999999999999999",
                "the integer 99999999999999999999 is too large",
            ),
            ("a = 1e999", "the number 1e999 is too large"),
        ] {
            let error = read::<BTreeMap<String, f64>>(text).unwrap_err();
            assert_eq!(
                (&*error.message, error.span),
                (message, Some(4..text.len()))
            );
        }
    }
}
