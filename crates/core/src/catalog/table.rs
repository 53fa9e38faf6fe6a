//! Tables of rows of fixed width, decoded on access from bytes in the program, in a file, or in memory.
//!
//! The layout of a row follows from its declaration: its columns one after another, little-endian and without
//! padding. Any bytes are a valid row, so corrupt bytes can give a wrong answer but never a failure. A row outside
//! its table has zeros in every column.

use std::cmp::Ordering;
use std::fmt;
use std::marker::PhantomData;

use crate::money::{Count, Usd};

/// A value with a fixed number of bytes.
pub trait Column: Copy {
    /// The number of bytes.
    const WIDTH: usize;
    /// A hash of the names and types of the columns.
    const LAYOUT: u64;

    /// Reads the value from its bytes. Missing bytes count as zeros.
    fn read(bytes: &[u8]) -> Self;

    /// Appends the bytes of the value: exactly [`Self::WIDTH`].
    fn write(self, out: &mut Vec<u8>);
}

/// Adds a word to the hash of a layout (FNV-1a, 64 bits).
#[doc(hidden)]
pub const fn layout_of(mut layout: u64, word: &str) -> u64 {
    let bytes = word.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        layout = mix(layout, bytes[at] as u64);
        at += 1;
    }
    layout
}

/// Adds a number to the hash of a layout.
#[doc(hidden)]
pub const fn mix(layout: u64, number: u64) -> u64 {
    (layout ^ number).wrapping_mul(0x0100_0000_01b3)
}

/// The hash of an empty layout.
#[doc(hidden)]
pub const NO_LAYOUT: u64 = 0xcbf2_9ce4_8422_2325;

/// Returns the bytes of a column that starts at `at`.
#[inline(always)]
#[doc(hidden)]
pub fn part(bytes: &[u8], at: usize, width: usize) -> &[u8] {
    bytes.get(at..at + width).unwrap_or_default()
}

macro_rules! numbers {
    ($($number:ty),*) => {
        $(impl Column for $number {
            const WIDTH: usize = size_of::<$number>();
            const LAYOUT: u64 = layout_of(NO_LAYOUT, stringify!($number));

            #[inline(always)]
            fn read(bytes: &[u8]) -> Self {
                bytes.first_chunk().map_or(<$number>::default(), |bytes| <$number>::from_le_bytes(*bytes))
            }

            fn write(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
        })*
    };
}

numbers!(u8, u16, u32, u64, i64, f64);

impl Column for bool {
    const WIDTH: usize = 1;
    const LAYOUT: u64 = layout_of(NO_LAYOUT, "bool");

    #[inline(always)]
    fn read(bytes: &[u8]) -> Self {
        u8::read(bytes) != 0
    }

    fn write(self, out: &mut Vec<u8>) {
        u8::from(self).write(out);
    }
}

/// A byte that is 0 for `None`, then the value.
impl<T: Column> Column for Option<T> {
    const WIDTH: usize = 1 + T::WIDTH;
    const LAYOUT: u64 = layout_of(T::LAYOUT, "?");

    #[inline(always)]
    fn read(bytes: &[u8]) -> Self {
        bool::read(bytes).then(|| T::read(part(bytes, 1, T::WIDTH)))
    }

    fn write(self, out: &mut Vec<u8>) {
        let end = out.len() + Self::WIDTH;
        self.is_some().write(out);
        if let Some(value) = self {
            value.write(out);
        }
        out.resize(end, 0);
    }
}

impl<A: Column, B: Column> Column for (A, B) {
    const WIDTH: usize = A::WIDTH + B::WIDTH;
    const LAYOUT: u64 = mix(A::LAYOUT, B::LAYOUT);

    #[inline(always)]
    fn read(bytes: &[u8]) -> Self {
        (
            A::read(part(bytes, 0, A::WIDTH)),
            B::read(part(bytes, A::WIDTH, B::WIDTH)),
        )
    }

    fn write(self, out: &mut Vec<u8>) {
        self.0.write(out);
        self.1.write(out);
    }
}

/// Declares structs whose fields are columns of a row, in their order.
#[macro_export]
macro_rules! rows {
    ($(
        $(#[$meta:meta])*
        pub struct $name:ident { $($(#[$field_meta:meta])* pub $field:ident: $column:ty,)+ }
    )+) => {
        $(
            $(#[$meta])*
            pub struct $name {
                $($(#[$field_meta])* pub $field: $column,)+
            }

            impl $crate::catalog::Column for $name {
                const WIDTH: usize = 0 $(+ <$column as $crate::catalog::Column>::WIDTH)+;
                const LAYOUT: u64 = {
                    let mut layout = $crate::catalog::NO_LAYOUT;
                    $(
                        layout = $crate::catalog::layout_of(layout, stringify!($field));
                        layout = $crate::catalog::mix(
                            layout,
                            <$column as $crate::catalog::Column>::LAYOUT,
                        );
                    )+
                    layout
                };

                #[inline(always)]
                fn read(bytes: &[u8]) -> Self {
                    let mut end = 0;
                    $(
                        let width = <$column as $crate::catalog::Column>::WIDTH;
                        let $field = <$column as $crate::catalog::Column>::read(
                            $crate::catalog::part(bytes, end, width),
                        );
                        end += width;
                    )+
                    let _ = end;
                    Self { $($field,)+ }
                }

                fn write(self, out: &mut Vec<u8>) {
                    $($crate::catalog::Column::write(self.$field, out);)+
                }
            }
        )+
    };
}

crate::rows! {
    /// A string: a range of bytes of the pool of a catalog. The empty string is an unknown or missing value.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Str {
        /// The first byte.
        pub start: u32,
        /// The length in bytes.
        pub len: u32,
    }

    /// A run of rows in another table.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Rows {
        /// The index of the first row.
        pub start: u32,
        /// The number of rows.
        pub len: u32,
    }
}

/// The kinds of plain columns, as a row stores them.
pub(super) mod kind {
    use super::Str;

    pub type Text = Str;
    pub type Class = Str;
    pub type Figure = Option<f64>;
    pub type Flag = Option<bool>;
}

/// Implements [`Column`] for an enum without fields: one byte, the index of the variant. An invalid byte reads as the
/// first variant.
#[macro_export]
macro_rules! choice_column {
    ($name:ident { $($variant:ident,)+ }) => {
        impl $crate::catalog::Column for $name {
            const WIDTH: usize = 1;
            const LAYOUT: u64 = {
                let layout = $crate::catalog::NO_LAYOUT;
                $(let layout = $crate::catalog::layout_of(layout, stringify!($variant));)+
                layout
            };

            #[inline(always)]
            fn read(bytes: &[u8]) -> Self {
                const VARIANTS: &[$name] = &[$($name::$variant,)+];
                let at = usize::from(<u8 as $crate::catalog::Column>::read(bytes));
                VARIANTS.get(at).copied().unwrap_or(VARIANTS[0])
            }

            fn write(self, out: &mut Vec<u8>) {
                out.push(self as u8);
            }
        }
    };
}

/// Implements [`Column`] for a struct with one unnamed field.
macro_rules! newtype_column {
    ($name:ident($value:ty)) => {
        impl $crate::catalog::Column for $name {
            const WIDTH: usize = <$value as $crate::catalog::Column>::WIDTH;
            const LAYOUT: u64 = <$value as $crate::catalog::Column>::LAYOUT;

            #[inline(always)]
            fn read(bytes: &[u8]) -> Self {
                Self(<$value as $crate::catalog::Column>::read(bytes))
            }

            fn write(self, out: &mut Vec<u8>) {
                $crate::catalog::Column::write(self.0, out);
            }
        }
    };
}
pub(crate) use newtype_column;

newtype_column!(Usd(u64));
newtype_column!(Count(u32));

/// Declares an enum without fields that is a column.
macro_rules! choice {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$variant_meta:meta])* $variant:ident,)+ }) => {
        $(#[$meta])*
        pub enum $name {
            $($(#[$variant_meta])* $variant,)+
        }

        $crate::choice_column!($name { $($variant,)+ });
    };
}
pub(crate) use choice;

/// A table: a view of consecutive rows.
#[derive(Clone, Copy)]
pub struct Table<'a, T> {
    bytes: &'a [u8],
    rows: PhantomData<fn() -> T>,
}

impl<'a, T: Column> Table<'a, T> {
    /// Returns the table of these bytes. An incomplete row at the end is ignored.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            rows: PhantomData,
        }
    }

    /// Returns the number of rows.
    #[inline]
    pub const fn len(&self) -> usize {
        self.bytes.len() / T::WIDTH
    }

    /// Returns whether there are no rows.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bytes of the rows.
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the row with this index; zeros in every column if the index is out of range.
    #[inline(always)]
    pub fn at(&self, index: usize) -> T {
        let rest = self.bytes.get(index.saturating_mul(T::WIDTH)..);
        // With a slice of known length, the compiler drops the bounds checks of the columns.
        match rest.and_then(|rest| rest.get(..T::WIDTH)) {
            Some(row) => T::read(row),
            None => zeros(),
        }
    }

    /// Returns the row with this index; `None` if the index is out of range.
    #[inline]
    pub fn get(&self, index: usize) -> Option<T> {
        (index < self.len()).then(|| self.at(index))
    }

    /// Returns the first row; `None` in an empty table.
    pub fn first(&self) -> Option<T> {
        self.get(0)
    }

    /// Returns a copy of the rows.
    pub fn to_vec(&self) -> Vec<T> {
        self.iter().collect()
    }

    /// Returns the rows in their order.
    #[inline]
    pub fn iter(&self) -> Iter<'a, T> {
        Iter {
            rest: self.bytes,
            row: PhantomData,
        }
    }

    /// Returns a run of rows; an empty table if the run is out of range.
    #[inline]
    #[must_use]
    pub fn run(&self, rows: Rows) -> Self {
        let start = rows.start as usize * T::WIDTH;
        let end = start + rows.len as usize * T::WIDTH;
        Self::new(self.bytes.get(start..end).unwrap_or_default())
    }

    /// Returns the index of the first row where `before` is false, in a table where all rows with a true `before`
    /// come first.
    #[inline]
    pub fn partition_point(&self, before: impl Fn(T) -> bool) -> usize {
        let (mut from, mut to) = (0, self.len());
        while from < to {
            let middle = from + (to - from) / 2;
            if before(self.at(middle)) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        from
    }

    /// Returns the rows that have a key in a table that is sorted by that key.
    #[inline]
    #[must_use]
    pub fn equal_range<K: Ord>(&self, key: &K, of: impl Fn(T) -> K) -> Self {
        let from = self.partition_point(|row| of(row) < *key);
        let rest = Self::new(self.bytes.get(from * T::WIDTH..).unwrap_or_default());
        let len = rest.partition_point(|row| of(row) == *key);
        Self::new(rest.bytes.get(..len * T::WIDTH).unwrap_or_default())
    }

    /// Returns the first row whose `place` is `Equal`, in a table sorted so that `Less` rows come first and `Greater`
    /// rows last.
    #[inline]
    pub fn find(&self, place: impl Fn(&T) -> Ordering) -> Option<T> {
        let at = self.partition_point(|row| place(&row) == Ordering::Less);
        self.get(at).filter(|row| place(row) == Ordering::Equal)
    }

    /// Returns whether a row is in the table.
    #[inline]
    pub fn contains(&self, row: &T) -> bool
    where
        T: PartialEq,
    {
        self.iter().any(|known| known == *row)
    }
}

#[cold]
fn zeros<T: Column>() -> T {
    T::read(&[])
}

impl<T> Default for Table<'_, T> {
    fn default() -> Self {
        Self {
            bytes: &[],
            rows: PhantomData,
        }
    }
}

impl<T: Column + fmt::Debug> fmt::Debug for Table<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'a, T: Column> IntoIterator for Table<'a, T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<'a, T: Column> IntoIterator for &Table<'a, T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

/// The rows of a table in their order.
#[derive(Clone, Debug)]
pub struct Iter<'a, T> {
    rest: &'a [u8],
    row: PhantomData<fn() -> T>,
}

impl<T: Column> Iterator for Iter<'_, T> {
    type Item = T;

    #[inline(always)]
    fn next(&mut self) -> Option<T> {
        let row = self.rest.get(..T::WIDTH)?;
        self.rest = &self.rest[T::WIDTH..];
        Some(T::read(row))
    }

    #[inline]
    fn nth(&mut self, n: usize) -> Option<T> {
        let skipped = n.saturating_mul(T::WIDTH).min(self.rest.len());
        self.rest = &self.rest[skipped..];
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.rest.len() / T::WIDTH;
        (len, Some(len))
    }
}

impl<T: Column> DoubleEndedIterator for Iter<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        // An incomplete row at the end is ignored, as by `next`.
        let whole_len = self.rest.len() - self.rest.len() % T::WIDTH;
        let (rest, row) =
            self.rest[..whole_len].split_at_checked(whole_len.checked_sub(T::WIDTH)?)?;
        self.rest = rest;
        Some(T::read(row))
    }
}

impl<T: Column> ExactSizeIterator for Iter<'_, T> {}

#[cfg(test)]
mod tests {
    use super::*;

    crate::rows! {
        /// A row of every kind of column.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Sample {
            /// A whole number.
            pub number: u32,
            /// A figure that may be unknown.
            pub figure: Option<f64>,
            /// A pair.
            pub pair: (u8, Option<bool>),
        }
    }

    const SAMPLES: [Sample; 3] = [
        Sample {
            number: 1,
            figure: None,
            pair: (2, None),
        },
        Sample {
            number: u32::MAX,
            figure: Some(-0.5),
            pair: (255, Some(false)),
        },
        Sample {
            number: 7,
            figure: Some(1e300),
            pair: (0, Some(true)),
        },
    ];

    fn bytes() -> Vec<u8> {
        let mut bytes = Vec::new();
        for sample in SAMPLES {
            sample.write(&mut bytes);
        }
        bytes
    }

    #[test]
    fn reads_back_written_rows() {
        let bytes = bytes();
        assert_eq!(bytes.len(), 3 * Sample::WIDTH);
        assert_eq!(Sample::WIDTH, 4 + 9 + 3);
        let table = Table::<Sample>::new(&bytes);
        assert!(table.iter().eq(SAMPLES));
        assert!(table.iter().rev().eq(SAMPLES.into_iter().rev()));
        assert_eq!(table.iter().nth(1), Some(SAMPLES[1]));
        let run = table.run(Rows { start: 1, len: 2 });
        assert!(run.iter().eq([SAMPLES[1], SAMPLES[2]]));
        assert!(run.contains(&SAMPLES[2]) && !run.contains(&SAMPLES[0]));
    }

    #[test]
    fn rows_out_of_range_are_zeros() {
        let bytes = bytes();
        let table = Table::<Sample>::new(&bytes[..bytes.len() - 1]);
        assert_eq!(table.len(), 2);
        assert!(table.iter().eq([SAMPLES[0], SAMPLES[1]]));
        assert!(table.iter().rev().eq([SAMPLES[1], SAMPLES[0]]));
        assert_eq!(table.iter().len(), 2);
        assert_eq!(table.iter().nth(2), None);
        let zeros = Sample {
            number: 0,
            figure: None,
            pair: (0, None),
        };
        for index in [2, 3, usize::MAX] {
            assert_eq!(table.at(index), zeros);
            assert_eq!(table.get(index), None);
        }
        let far = [(0, 3), (2, 1), (u32::MAX, u32::MAX)];
        for (start, len) in far {
            assert!(table.run(Rows { start, len }).is_empty());
        }
    }

    #[test]
    fn finds_rows_by_binary_search() {
        let mut bytes = Vec::new();
        for number in [1_u16, 3, 3, 3, 8] {
            number.write(&mut bytes);
        }
        let table = Table::<u16>::new(&bytes);
        for (key, found) in [(0, 0), (1, 1), (3, 3), (4, 0), (8, 1), (9, 0)] {
            let rows = table.equal_range(&key, |row| row);
            assert_eq!(rows.len(), found, "{key}");
            assert!(rows.iter().all(|row| row == key));
            let place = |row: &u16| row.cmp(&key);
            assert_eq!(table.find(place), rows.first(), "{key}");
        }
        assert_eq!(table.partition_point(|row| row < 4), 4);
    }
}
