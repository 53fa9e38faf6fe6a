//! Reads the header of a safetensors file: a length, then JSON with the type and shape of every tensor.

use std::fmt;
use std::io::{self, Read};

use serde::de::{self, DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use thiserror::Error;

/// An error in a file. Its texts may contain any characters of the file.
#[derive(Debug, Error)]
pub enum HeaderError {
    /// The file cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file ends within its header.
    #[error("the header is truncated")]
    Truncated,
    /// The header exceeds the limit.
    #[error("the header is too large: {claimed} bytes (the limit is {most})")]
    TooLong {
        /// The length in the file, in bytes.
        claimed: u64,
        /// The limit, in bytes.
        most: u64,
    },
    /// The header is not a JSON object of tensors; with the reason of the parser.
    #[error("the header is not valid JSON: {0}")]
    Json(String),
    /// The type, shape and position of a tensor are inconsistent.
    #[error("tensor '{0}' has an invalid type, shape or position")]
    Tensor(String),
}

/// Sums over the tensors of one or several files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tensors {
    /// The number of tensors.
    pub count: u64,
    /// Bytes of all tensors.
    pub bytes: u64,
    /// Values of tensors with a float type. Packed tensors are excluded: they have fewer values than weights.
    pub values: u64,
    /// Bytes of the headers.
    pub header_bytes: u64,
}

impl Tensors {
    /// Adds the sums of another file.
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

/// The maximum size of all headers of a model, in bytes. 140,000 tensors, as in a model with 384 experts, take half of
/// it. The format itself allows 100 MB.
pub const MAX_HEADER_BYTES: u64 = 32 << 20;
/// The maximum number of dimensions of a tensor.
const MAX_SIDES: u32 = 32;
/// The maximum length of a name in an error, in characters.
const MAX_NAME: usize = 60;
/// The entry that is not a tensor.
const METADATA: &str = "__metadata__";

/// Reads the header of a safetensors file, and nothing else.
///
/// `length` is the length of the file and `most` the maximum length of the header, both in bytes. Tensors are summed
/// while they are read, so memory does not grow with the header.
///
/// # Errors
///
/// [`HeaderError`] if the file cannot be read, is truncated or has no valid header, or if a tensor is outside the file.
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
    let header = HeaderVisitor {
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

/// Sums the entries of the header.
struct HeaderVisitor<'t> {
    /// Bytes of the file after the header.
    room: u64,
    sums: &'t mut Tensors,
    /// The first invalid tensor.
    wrong: &'t mut Option<String>,
}

impl<'de> DeserializeSeed<'de> for HeaderVisitor<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for HeaderVisitor<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object of tensors")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<EntryName>()? {
            if name.is_metadata {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let added = map.next_value::<TensorEntry>().and_then(|entry| {
                let bytes = entry.bytes(self.room);
                let bytes = bytes.ok_or_else(|| de::Error::custom("outside of the file"))?;
                self.sums.add(&entry, bytes);
                // Tensors do not share bytes, so their sum has to fit, too.
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

/// The name of an entry. It is not copied, because a header may consist of one long name.
struct EntryName {
    /// The first characters.
    start: String,
    is_metadata: bool,
}

impl<'de> Deserialize<'de> for EntryName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameVisitor;

        impl Visitor<'_> for NameVisitor {
            type Value = EntryName;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a name")
            }

            fn visit_str<E>(self, name: &str) -> Result<EntryName, E> {
                Ok(EntryName {
                    start: name.chars().take(MAX_NAME).collect(),
                    is_metadata: name == METADATA,
                })
            }
        }

        deserializer.deserialize_str(NameVisitor)
    }
}

/// A tensor.
#[derive(Deserialize)]
struct TensorEntry {
    dtype: DataType,
    shape: ValueCount,
    data_offsets: (u64, u64),
}

impl TensorEntry {
    /// The bytes of the tensor, if it is within the `room` bytes after the header.
    fn bytes(&self, room: u64) -> Option<u64> {
        let (start, end) = self.data_offsets;
        end.checked_sub(start).filter(|_| end <= room)
    }
}

impl Tensors {
    fn add(&mut self, entry: &TensorEntry, bytes: u64) {
        self.count += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        if entry.dtype.is_float {
            self.values = self.values.saturating_add(entry.shape.0);
        }
    }
}

/// A data type.
struct DataType {
    is_float: bool,
}

impl<'de> Deserialize<'de> for DataType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = EntryName::deserialize(deserializer)?.start;
        Ok(Self {
            is_float: name.starts_with('F') || name.starts_with("BF"),
        })
    }
}

/// The number of values of a tensor: the product of its dimensions.
struct ValueCount(u64);

impl<'de> Deserialize<'de> for ValueCount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ShapeVisitor;

        impl<'de> Visitor<'de> for ShapeVisitor {
            type Value = ValueCount;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("the sides of a tensor")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut sides: A) -> Result<ValueCount, A::Error> {
                let mut values: u64 = 1;
                let mut count = 0;
                while let Some(side) = sides.next_element::<u64>()? {
                    count += 1;
                    values = values
                        .checked_mul(side)
                        .filter(|_| count <= MAX_SIDES)
                        .ok_or_else(|| de::Error::custom("too many values"))?;
                }
                Ok(ValueCount(values))
            }
        }

        deserializer.deserialize_seq(ShapeVisitor)
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
    fn sums_bytes_and_values() {
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
    fn tensors_and_headers_reach_their_bounds() {
        let tensor = |sides: usize, end: u64| {
            let sides = "1,".repeat(sides - 1);
            format!(r#"{{"a":{{"dtype":"F32","shape":[{sides}1],"data_offsets":[0,{end}]}}}}"#)
        };
        assert!(read(&file(&tensor(32, 4), 4)).is_ok());
        assert!(read(&file(&tensor(33, 4), 4)).is_err());
        assert!(read(&file(&tensor(1, 5), 4)).is_err());
        let bytes = file(&tensor(1, 4), 4);
        let size = tensor(1, 4).len() as u64;
        let within = |length: u64, most: u64| read_header(&bytes[..], length, most);
        assert!(within(bytes.len() as u64, size).is_ok());
        assert!(matches!(
            within(bytes.len() as u64, size - 1),
            Err(HeaderError::TooLong { claimed, most }) if (claimed, most) == (size, size - 1)
        ));
        // The header fits, and the tensor does not.
        assert!(matches!(within(size + 8, size), Err(HeaderError::Tensor(name)) if name == "a"));
        assert!(matches!(
            within(size + 7, size),
            Err(HeaderError::Truncated)
        ));
    }

    #[test]
    fn values_are_those_of_floating_point_numbers() {
        let values = |dtype: &str| {
            let header =
                format!(r#"{{"a":{{"dtype":"{dtype}","shape":[2,2],"data_offsets":[0,4]}}}}"#);
            read(&file(&header, 4)).unwrap().values
        };
        for dtype in ["F64", "F32", "F16", "BF16", "F8_E4M3", "F8_E5M2"] {
            assert_eq!(values(dtype), 4, "{dtype}");
        }
        for dtype in ["I64", "I8", "U8", "BOOL"] {
            assert_eq!(values(dtype), 0, "{dtype}");
        }
        // Entries without tensors have no sums.
        let empty = read(&file("{}", 0)).unwrap();
        assert_eq!((empty.count, empty.bytes, empty.header_bytes), (0, 0, 2));
    }

    #[test]
    fn rejects_false_lengths() {
        let intact = file(
            r#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#,
            4,
        );
        for cut in 0..intact.len() - 4 {
            assert!(read(&intact[..cut]).is_err(), "{cut}");
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
    fn rejects_tensors_that_overlap_or_have_too_many_dimensions() {
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
