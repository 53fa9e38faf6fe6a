//! Lenient reading of JSON from providers.
//!
//! A field of a wrong type counts as missing, and so does a row that is not an object. Only an
//! answer without its documented list fails.

use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{
    Deserialize, DeserializeOwned, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess,
    Visitor,
};

use crate::budget::count_row;
use crate::error::{ErrorKind, ProviderError};

/// The methods of a visitor that read and discard a value.
macro_rules! no_scalars {
    () => {
        no_scalars!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }
    };
    ($($visit:ident: $type:ty),*) => {
        $(fn $visit<E>(self, _: $type) -> Result<Self::Value, E> {
            Ok(None)
        })*
    };
}
macro_rules! no_list {
    () => {
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            Ok(None)
        }
    };
}
macro_rules! no_object {
    () => {
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok(None)
        }
    };
}

/// A value of the requested type, or nothing. Numbers, `true` and `false` may be strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Maybe<T>(pub Option<T>);

impl<T> Default for Maybe<T> {
    fn default() -> Self {
        Self(None)
    }
}

/// Conversions from each kind of JSON value; by default, none succeeds.
pub(crate) trait FromScalar: Sized {
    fn from_number(_number: f64) -> Option<Self> {
        None
    }
    fn from_text(_text: &str) -> Option<Self> {
        None
    }
    fn from_bool(_bool: bool) -> Option<Self> {
        None
    }
}

impl FromScalar for f64 {
    fn from_number(number: f64) -> Option<Self> {
        number.is_finite().then_some(number)
    }

    fn from_text(text: &str) -> Option<Self> {
        text.trim().parse().ok().and_then(Self::from_number)
    }
}

/// A text of any length, such as a token or an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LongText(pub String);

impl FromScalar for LongText {
    fn from_text(text: &str) -> Option<Self> {
        (!text.is_empty()).then(|| Self(text.to_owned()))
    }
}

/// The maximum length of a text in bytes, for names, places and currencies. A longer text counts as
/// missing.
const MAX_TEXT: usize = 512;

impl FromScalar for String {
    fn from_text(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty() && text.len() <= MAX_TEXT).then(|| text.to_owned())
    }

    fn from_number(number: f64) -> Option<Self> {
        (number.fract() == 0.0).then(|| format!("{number:.0}"))
    }
}

impl FromScalar for bool {
    fn from_bool(bool: bool) -> Option<Self> {
        Some(bool)
    }

    fn from_text(text: &str) -> Option<Self> {
        match text {
            _ if text.eq_ignore_ascii_case("true") => Some(true),
            _ if text.eq_ignore_ascii_case("false") => Some(false),
            _ => None,
        }
    }
}

struct ScalarVisitor<T>(PhantomData<T>);

impl<'de, T: FromScalar> Visitor<'de> for ScalarVisitor<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(T::from_bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(T::from_number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(T::from_number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(T::from_number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(T::from_text(value))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    no_list!();

    no_object!();
}

impl<'de, T: FromScalar> Deserialize<'de> for Maybe<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_any(ScalarVisitor(PhantomData))
            .map(Self)
    }
}

/// An object, or nothing.
#[derive(Clone, Debug)]
pub(crate) struct MaybeObject<T>(pub Option<T>);

impl<T> Default for MaybeObject<T> {
    fn default() -> Self {
        Self(None)
    }
}

struct RowVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for RowVisitor<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Some)
    }

    no_scalars!();

    no_list!();
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for MaybeObject<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_any(RowVisitor(PhantomData))
            .map(Self)
    }
}

/// A list, or nothing.
#[derive(Clone, Debug)]
pub(crate) struct MaybeList<T>(pub Option<Vec<T>>);

impl<T> Default for MaybeList<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> MaybeList<T> {
    pub(crate) fn items(self) -> Vec<T> {
        self.0.unwrap_or_default()
    }
}

struct ListVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
    type Value = Option<Vec<T>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
            count_row(items.len()).map_err(A::Error::custom)?;
        }
        Ok(Some(items))
    }

    no_scalars!();

    no_object!();
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for MaybeList<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_any(ListVisitor(PhantomData))
            .map(Self)
    }
}

/// An object with arbitrary keys, or nothing.
#[derive(Clone, Debug)]
pub(crate) struct MaybeMap<T>(pub Option<HashMap<String, T>>);

impl<T> Default for MaybeMap<T> {
    fn default() -> Self {
        Self(None)
    }
}

struct MapVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for MapVisitor<T> {
    type Value = Option<HashMap<String, T>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut items = HashMap::new();
        while let Some((key, item)) = map.next_entry()? {
            items.insert(key, item);
            count_row(items.len()).map_err(A::Error::custom)?;
        }
        Ok(Some(items))
    }

    no_scalars!();

    no_list!();
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for MaybeMap<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_any(MapVisitor(PhantomData))
            .map(Self)
    }
}

/// Parses the JSON of an answer.
///
/// # Errors
///
/// Fails with [`ErrorKind::Protocol`] if it is not JSON of this kind, or has too many rows.
pub(crate) fn document<T: DeserializeOwned>(
    provider: &'static str,
    body: &[u8],
) -> Result<T, ProviderError> {
    serde_json::from_slice(body).map_err(|_| {
        let message = "the answer is not the documented JSON";
        ProviderError::new(provider, ErrorKind::Protocol, message)
    })
}

/// Returns an amount above zero.
pub(crate) fn positive(figure: Maybe<f64>) -> Option<f64> {
    figure.0.filter(|value| *value > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::MAX_LIST_ROWS;

    #[derive(Debug, Default, serde::Deserialize)]
    #[serde(default)]
    struct Item {
        n: Maybe<f64>,
        name: Maybe<String>,
    }

    #[test]
    fn wrong_types_are_missing_values() {
        let text = r#"[{"n":1,"name":"a"},{"n":"2.5","name":3},{"n":{"x":[1]},"name":[]},{"n":null},"row",null,7]"#;
        let rows: MaybeList<MaybeObject<Item>> = serde_json::from_str(text).unwrap();
        let rows = rows.items();
        assert_eq!(rows.len(), 7);
        let read: Vec<_> = rows
            .into_iter()
            .map(|row| row.0.map(|item| (item.n.0, item.name.0)))
            .collect();
        assert_eq!(read[0], Some((Some(1.0), Some("a".to_owned()))));
        assert_eq!(read[1], Some((Some(2.5), Some("3".to_owned()))));
        assert_eq!(read[2], Some((None, None)));
        assert_eq!(read[3], Some((None, None)));
        assert_eq!(read[4..], [None, None, None]);
        let none: MaybeList<MaybeObject<Item>> = serde_json::from_str("{\"a\":[1]}").unwrap();
        assert!(none.0.is_none());
    }

    #[test]
    fn flags_may_be_strings() {
        let flag = |text| serde_json::from_str::<Maybe<bool>>(text).unwrap().0;
        assert_eq!((flag("true"), flag("\"True\"")), (Some(true), Some(true)));
        assert_eq!(flag("\"false\""), Some(false));
        assert_eq!((flag("\"perhaps\""), flag("1")), (None, None));
    }

    #[test]
    fn long_lists_and_maps_are_errors() {
        let list = |rows: usize| format!("[{}0]", "0,".repeat(rows - 1));
        let read = |text: String| serde_json::from_str::<MaybeList<Maybe<f64>>>(&text);
        assert_eq!(
            read(list(MAX_LIST_ROWS)).unwrap().items().len(),
            MAX_LIST_ROWS
        );
        assert!(read(list(MAX_LIST_ROWS + 1)).is_err());
        let map = |rows: usize| {
            let rows: Vec<String> = (0..rows).map(|at| format!("\"{at}\":1")).collect();
            format!("{{{}}}", rows.join(","))
        };
        let read = |text: String| serde_json::from_str::<MaybeMap<Maybe<f64>>>(&text);
        assert_eq!(read(map(3)).unwrap().0.unwrap().len(), 3);
        assert!(read(map(MAX_LIST_ROWS + 1)).is_err());
        assert!(read("[1]".to_owned()).unwrap().0.is_none());
    }

    #[test]
    fn amounts_are_finite_and_positive() {
        let figure = |text| positive(serde_json::from_str(text).unwrap());
        assert_eq!(figure("1.5"), Some(1.5));
        assert_eq!(figure("0"), None);
        assert_eq!(figure("-1"), None);
        assert_eq!(figure("\"NaN\""), None);
    }
}
