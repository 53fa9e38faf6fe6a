//! Values with their positions in a file.

use std::fmt::{self, Formatter};
use std::marker::PhantomData;
use std::ops::Range;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::toml_file::SPANNED;

/// A value with the range of bytes that it has in its file.
///
/// It can be read from TOML, and written to and read from binary formats. [`toml::Spanned`] does not serialize the
/// range.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spanned<T> {
    value: T,
    start: u32,
    end: u32,
}

/// A text with its position in a file.
pub(crate) type SpannedText = Spanned<String>;

/// The kinds of plain columns, as a file states them.
pub(super) mod kind {
    pub type Text = String;
    pub type Class = String;
    pub type Figure = f64;
    pub type Flag = bool;
}

impl<T> Spanned<T> {
    pub fn new(span: Range<usize>, value: T) -> Self {
        // A file has at most 100 MB.
        Self {
            start: span.start as u32,
            end: span.end as u32,
            value,
        }
    }

    pub fn span(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    pub fn get_ref(&self) -> &T {
        &self.value
    }

    /// Returns the same value without a position.
    pub fn elsewhere(&self) -> Self
    where
        T: Clone,
    {
        Self::new(0..0, self.value.clone())
    }
}

impl<T: Serialize> Serialize for Spanned<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.start, self.end, &self.value).serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Spanned<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_tuple_struct(SPANNED, 3, Parts(PhantomData))
    }
}

/// Reads a value after the two ends of its range.
struct Parts<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Parts<T> {
    type Value = Spanned<T>;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value with its position")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Spanned<T>, A::Error> {
        let missing = |part| move || A::Error::invalid_length(part, &"three parts");
        Ok(Spanned {
            start: parts.next_element()?.ok_or_else(missing(0))?,
            end: parts.next_element()?.ok_or_else(missing(1))?,
            value: parts.next_element()?.ok_or_else(missing(2))?,
        })
    }
}
