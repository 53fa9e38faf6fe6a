//! The header of a safetensors file: a length, then JSON with every tensor's type and shape.

use std::io::{self, Read};

use serde_json::{Map, Value};
use thiserror::Error;

/// What is wrong with a file.
#[derive(Debug, Error)]
pub enum HeaderError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("the header is cut off")]
    Truncated,
    #[error("the header claims {0} bytes: more than any has")]
    TooLong(u64),
    #[error("the header is no JSON: {0}")]
    Json(String),
    #[error("tensor '{0}' has no sound type, shape and place")]
    Tensor(String),
}

/// What the tensors of a file add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tensors {
    pub count: u64,
    /// Of all tensors.
    pub bytes: u64,
    /// Values of tensors with a float type: packed ones have fewer than they stand for.
    pub values: u64,
}

impl Tensors {
    /// With those of another file.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            count: self.count.saturating_add(other.count),
            bytes: self.bytes.saturating_add(other.bytes),
            values: self.values.saturating_add(other.values),
        }
    }
}

/// The format allows 100 MB.
const MAX_HEADER: u64 = 100_000_000;

/// Reads the header, and nothing else. `length` is that of the file.
pub fn read_header(mut file: impl Read, length: u64) -> Result<Tensors, HeaderError> {
    let mut size = [0; 8];
    file.read_exact(&mut size).map_err(cut)?;
    let size = u64::from_le_bytes(size);
    if size > MAX_HEADER {
        return Err(HeaderError::TooLong(size));
    }
    if size.saturating_add(8) > length {
        return Err(HeaderError::Truncated);
    }
    let mut text = Vec::new();
    file.take(size).read_to_end(&mut text)?;
    if text.len() as u64 != size {
        return Err(HeaderError::Truncated);
    }
    let header: Map<String, Value> =
        serde_json::from_slice(&text).map_err(|error| HeaderError::Json(error.to_string()))?;
    let room = length - 8 - size;
    let mut all = Tensors::default();
    for (name, own) in &header {
        if name == "__metadata__" {
            continue;
        }
        let wrong = || HeaderError::Tensor(name.chars().take(60).collect());
        let kind = own.get("dtype").and_then(Value::as_str).ok_or_else(wrong)?;
        let shape = own
            .get("shape")
            .and_then(Value::as_array)
            .ok_or_else(wrong)?;
        let mut values: u64 = 1;
        for side in shape {
            values = side
                .as_u64()
                .and_then(|side| values.checked_mul(side))
                .ok_or_else(wrong)?;
        }
        let ends = own
            .get("data_offsets")
            .and_then(Value::as_array)
            .ok_or_else(wrong)?;
        let (Some(start), Some(end)) = (
            ends.first().and_then(Value::as_u64),
            ends.get(1).and_then(Value::as_u64),
        ) else {
            return Err(wrong());
        };
        let bytes = end
            .checked_sub(start)
            .filter(|_| end <= room)
            .ok_or_else(wrong)?;
        all.count += 1;
        all.bytes = all.bytes.saturating_add(bytes);
        if kind.starts_with('F') || kind.starts_with("BF") {
            all.values = all.values.saturating_add(values);
        }
    }
    Ok(all)
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

    use super::{HeaderError, Tensors, read_header};

    fn file(header: &str, data: usize) -> Vec<u8> {
        let mut all = (header.len() as u64).to_le_bytes().to_vec();
        all.extend(header.as_bytes());
        all.extend(vec![0; data]);
        all
    }

    fn read(bytes: &[u8]) -> Result<Tensors, HeaderError> {
        read_header(bytes, bytes.len() as u64)
    }

    #[test]
    fn bytes_and_values_are_added_up() {
        let header = r#"{"__metadata__":{"format":"pt"},"a":{"dtype":"BF16","shape":[2,3],"data_offsets":[0,12]},"b":{"dtype":"I32","shape":[1],"data_offsets":[12,16]}}"#;
        let all = read(&file(header, 16)).ok();
        let expected = Tensors {
            count: 2,
            bytes: 16,
            values: 6,
        };
        assert_eq!(all, Some(expected));
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
            Err(HeaderError::TooLong(_))
        ));
        assert!(matches!(
            read(&99_999_999_u64.to_le_bytes()),
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
