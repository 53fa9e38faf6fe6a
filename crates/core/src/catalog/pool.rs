//! The text of all strings of a catalog.

use std::fmt;
use std::ops::Range;

use super::Str;

/// The text of all strings, one after another.
#[derive(Clone, Copy)]
pub struct Pool<'a>(PoolText<'a>);

#[derive(Clone, Copy)]
enum PoolText<'a> {
    /// Text that is known to be UTF-8.
    Checked(&'a str),
    /// Bytes of a file. UTF-8 is checked for each string when it is read.
    Unchecked(&'a [u8]),
}

impl<'a> Pool<'a> {
    /// Returns the pool of a text.
    pub const fn new(text: &'a str) -> Self {
        Self(PoolText::Checked(text))
    }

    /// Returns the pool of unchecked bytes. A string that is not UTF-8 reads as empty.
    pub const fn of_bytes(bytes: &'a [u8]) -> Self {
        Self(PoolText::Unchecked(bytes))
    }

    /// Returns a string; empty if it does not lie within the pool.
    #[inline]
    pub fn str(&self, s: Str) -> &'a str {
        match self.0 {
            PoolText::Checked(text) => text.get(range(s)).unwrap_or_default(),
            PoolText::Unchecked(_) => std::str::from_utf8(self.bytes_of(s)).unwrap_or_default(),
        }
    }

    /// Returns the bytes of a string without checking that they are UTF-8. They compare in the same order as strings.
    #[inline]
    pub fn bytes_of(&self, s: Str) -> &'a [u8] {
        self.bytes().get(range(s)).unwrap_or_default()
    }

    /// Returns a copy of the text. Each byte that is not UTF-8 is replaced by `?`, so that every other string keeps its
    /// position.
    pub fn to_text(&self) -> String {
        let mut text = String::with_capacity(self.bytes().len());
        for chunk in self.bytes().utf8_chunks() {
            text.push_str(chunk.valid());
            text.extend(chunk.invalid().iter().map(|_| '?'));
        }
        text
    }

    /// Returns the bytes of all strings.
    pub const fn bytes(&self) -> &'a [u8] {
        match self.0 {
            PoolText::Checked(text) => text.as_bytes(),
            PoolText::Unchecked(bytes) => bytes,
        }
    }
}

/// The bytes of a pool that are a string.
#[inline]
fn range(s: Str) -> Range<usize> {
    let start = s.start as usize;
    start..start + s.len as usize
}

impl Default for Pool<'_> {
    fn default() -> Self {
        Self::new("")
    }
}

impl fmt::Debug for Pool<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.bytes().len())
    }
}
