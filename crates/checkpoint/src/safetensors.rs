//! The header of a safetensors file: a length, then JSON with every tensor's type and shape.

use std::fmt;
use std::io::{self, Read};

use serde::de::{self, DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use thiserror::Error;

/// A fault of a file. Texts may hold characters of the file.
#[derive(Debug, Error)]
pub enum HeaderError {
    /// It cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It ends before its header does.
    #[error("the header is cut off")]
    Truncated,
    /// A header that claims more bytes than are read.
    #[error("the header claims {claimed} bytes: more than the {most} that are read")]
    TooLong {
        /// The length that the file claims, in bytes.
        claimed: u64,
        /// The bound.
        most: u64,
    },
    /// No JSON object of tensors, with the parser's reason.
    #[error("the header is no JSON: {0}")]
    Json(String),
    /// A tensor whose type, shape and place do not go together.
    #[error("tensor '{0}' has no sound type, shape and place")]
    Tensor(String),
}

/// The sums over the tensors of one file, or of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tensors {
    /// Tensors.
    pub count: u64,
    /// Bytes of all tensors.
    pub bytes: u64,
    /// Values of tensors with a float type: packed ones have fewer than they stand for.
    pub values: u64,
    /// Bytes of the headers.
    pub header_bytes: u64,
}

impl Tensors {
    /// The sums with those of another file.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            count: self.count.saturating_add(other.count),
            bytes: self.bytes.saturating_add(other.bytes),
            values: self.values.saturating_add(other.values),
            header_bytes: self.header_bytes.saturating_add(other.header_bytes),
        }
    }
}

/// The most bytes of the headers of a model. 140,000 tensors, of a model with 384 experts in one file, take half
/// of it. The format itself allows 100 MB.
pub const MAX_HEADER_BYTES: u64 = 32 << 20;
/// The most sides of a tensor.
const MAX_SIDES: u32 = 32;
/// The longest name that an error repeats, in characters.
const MAX_NAME: usize = 60;
/// The entry that is no tensor.
const METADATA: &str = "__metadata__";

/// Reads the header of a safetensors file, and nothing else. `length` is that of the file, in
/// bytes, `most` the longest header that is read. Tensors are added up as they are read: memory
/// does not grow with the header.
///
/// # Errors
///
/// [`HeaderError`] for what cannot be read, is cut off or is no header, and for tensors that are
/// not within the file.
pub fn read_header(mut file: impl Read, length: u64, most: u64) -> Result<Tensors, HeaderError> {
    let mut size = [0; 8];
    file.read_exact(&mut size).map_err(cut)?;
    let size = u64::from_le_bytes(size);
    if size > most {
        let claimed = size;
        return Err(HeaderError::TooLong { claimed, most });
    }
    if size.saturating_add(8) > length {
        return Err(HeaderError::Truncated);
    }
    let mut sums = Tensors {
        header_bytes: size,
        ..Tensors::default()
    };
    let mut wrong = None;
    let mut text = file.take(size);
    let mut parser = serde_json::Deserializer::from_reader(&mut text);
    let header = Header {
        room: length - 8 - size,
        sums: &mut sums,
        wrong: &mut wrong,
    };
    let read = header.deserialize(&mut parser).and_then(|()| parser.end());
    match read {
        Ok(()) => Ok(sums),
        Err(error) if error.is_io() => Err(HeaderError::Io(error.into())),
        Err(error) if error.is_eof() && text.limit() > 0 => Err(HeaderError::Truncated),
        Err(error) => Err(match wrong.filter(|_| error.is_data()) {
            Some(name) => HeaderError::Tensor(name),
            None => HeaderError::Json(error.to_string()),
        }),
    }
}

/// The header's object, added up entry by entry.
struct Header<'t> {
    /// Bytes of the file behind the header.
    room: u64,
    sums: &'t mut Tensors,
    /// The tensor at which reading ended.
    wrong: &'t mut Option<String>,
}

impl<'de> DeserializeSeed<'de> for Header<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Header<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object of tensors")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<Name>()? {
            if name.is_metadata {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let added = map.next_value::<Entry>().and_then(|entry| {
                let bytes = entry.bytes(self.room);
                let bytes = bytes.ok_or_else(|| de::Error::custom("outside of the file"))?;
                self.sums.add(&entry, bytes);
                // Tensors do not share bytes, so all of them fit too.
                if self.sums.bytes > self.room {
                    return Err(de::Error::custom("more bytes than the file"));
                }
                Ok(())
            });
            if let Err(error) = added {
                *self.wrong = Some(name.start);
                return Err(error);
            }
        }
        Ok(())
    }
}

/// The name of an entry: a header may be one long name, so it is not copied.
struct Name {
    /// Its first characters.
    start: String,
    is_metadata: bool,
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl Visitor<'_> for Text {
            type Value = Name;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a name")
            }

            fn visit_str<E>(self, name: &str) -> Result<Name, E> {
                Ok(Name {
                    start: name.chars().take(MAX_NAME).collect(),
                    is_metadata: name == METADATA,
                })
            }
        }

        deserializer.deserialize_str(Text)
    }
}

/// One tensor.
#[derive(Deserialize)]
struct Entry {
    dtype: Kind,
    shape: Values,
    data_offsets: (u64, u64),
}

impl Entry {
    /// Its bytes, where they are within the room behind the header.
    fn bytes(&self, room: u64) -> Option<u64> {
        let (start, end) = self.data_offsets;
        end.checked_sub(start).filter(|_| end <= room)
    }
}

impl Tensors {
    fn add(&mut self, entry: &Entry, bytes: u64) {
        self.count += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        if entry.dtype.is_float {
            self.values = self.values.saturating_add(entry.shape.0);
        }
    }
}

/// A type of values.
struct Kind {
    is_float: bool,
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Name::deserialize(deserializer)?.start;
        Ok(Self {
            is_float: name.starts_with('F') || name.starts_with("BF"),
        })
    }
}

/// The number of values of a shape: the product of its sides.
struct Values(u64);

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Sides;

        impl<'de> Visitor<'de> for Sides {
            type Value = Values;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("the sides of a tensor")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut sides: A) -> Result<Values, A::Error> {
                let mut values: u64 = 1;
                let mut count = 0;
                while let Some(side) = sides.next_element::<u64>()? {
                    count += 1;
                    values = values
                        .checked_mul(side)
                        .filter(|_| count <= MAX_SIDES)
                        .ok_or_else(|| de::Error::custom("too many values"))?;
                }
                Ok(Values(values))
            }
        }

        deserializer.deserialize_seq(Sides)
    }
}

fn cut(error: io::Error) -> HeaderError {
    if error.kind() == io::ErrorKind::UnexpectedEof {
        HeaderError::Truncated
    } else {
        HeaderError::Io(error)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{HeaderError, MAX_HEADER_BYTES, Tensors, read_header};

    fn file(header: &str, data: usize) -> Vec<u8> {
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header.as_bytes());
        bytes.extend(vec![0; data]);
        bytes
    }

    fn read(bytes: &[u8]) -> Result<Tensors, HeaderError> {
        read_header(bytes, bytes.len() as u64, MAX_HEADER_BYTES)
    }

    #[test]
    fn bytes_and_values_are_added_up() {
        let header = r#"{"__metadata__":{"format":"pt"},"a":{"dtype":"BF16","shape":[2,3],"data_offsets":[0,12]},"b":{"dtype":"I32","shape":[1],"data_offsets":[12,16]}}"#;
        let sums = read(&file(header, 16)).ok();
        let expected = Tensors {
            count: 2,
            bytes: 16,
            values: 6,
            header_bytes: header.len() as u64,
        };
        assert_eq!(sums, Some(expected));
    }

    #[test]
    fn what_lies_about_its_length_is_refused() {
        let whole = file(
            r#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#,
            4,
        );
        for cut in 0..whole.len() - 4 {
            assert!(read(&whole[..cut]).is_err(), "{cut}");
        }
        assert!(matches!(
            read(&u64::MAX.to_le_bytes()),
            Err(HeaderError::TooLong { .. })
        ));
        assert!(matches!(
            read(&MAX_HEADER_BYTES.to_le_bytes()),
            Err(HeaderError::Truncated)
        ));
        for header in [
            r#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,400]}}"#,
            r#"{"a":{"dtype":"F32","shape":[4294967296,4294967296,4294967296],"data_offsets":[0,4]}}"#,
            r#"{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}"#,
            r#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}"#,
            r#"{"a":7}"#,
            "[]",
        ] {
            assert!(read(&file(header, 4)).is_err(), "{header}");
        }
    }

    #[test]
    fn tensors_that_share_bytes_or_have_endless_shapes_are_refused() {
        let tensor = r#"{"dtype":"F32","shape":[1],"data_offsets":[0,4]}"#;
        let twice = format!(r#"{{"a":{tensor},"b":{tensor}}}"#);
        assert!(matches!(read(&file(&twice, 4)), Err(HeaderError::Tensor(name)) if name == "b"));
        let long = format!(
            r#"{{"a":{{"dtype":"F32","shape":[{}1],"data_offsets":[0,4]}}}}"#,
            "1,".repeat(40)
        );
        assert!(matches!(read(&file(&long, 4)), Err(HeaderError::Tensor(name)) if name == "a"));
        let padded = format!(r#"{{"a":{tensor}}}   "#);
        assert_eq!(read(&file(&padded, 4)).ok().map(|sums| sums.bytes), Some(4));
        let error = read(&u64::MAX.to_le_bytes()).unwrap_err();
        assert!(error.to_string().contains("33554432"), "{error}");
    }

    proptest! {
        #[test]
        fn nothing_panics(bytes in proptest::collection::vec(any::<u8>(), 0..256)) {
            let _ = read(&bytes);
        }

        #[test]
        fn no_header_panics(header in "\\PC{0,200}") {
            let _ = read(&file(&header, 8));
        }
    }
}
