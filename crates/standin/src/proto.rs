//! Messages of gRPC from JSON, so that markets are data and faults of data apply to them.
//!
//! A value of another type than its field has is written with another wire type, which no client can read.

use prost::encoding::{WireType, encode_key, encode_varint};
use serde_json::Value;

/// A field of a message: its name in JSON, its number, and its type.
pub(crate) struct ProtoField(pub &'static str, pub u32, pub ProtoType);

/// The type of a field.
pub(crate) enum ProtoType {
    Text,
    Number,
    /// An enumeration: its words and their numbers.
    Word(&'static [(&'static str, u64)]),
    /// A time, such as `2026-11-01T12:00:00Z`.
    Time,
    Message(&'static [ProtoField]),
    Rows(&'static [ProtoField]),
}

/// The number of an unknown word of an enumeration.
const UNKNOWN_WORD: u64 = 99;

/// Returns a message with the prefix of gRPC.
pub(crate) fn framed(fields: &[ProtoField], value: &Value) -> Vec<u8> {
    let message = message(fields, value);
    let length = u32::try_from(message.len()).expect("messages are small");
    let mut framed = vec![0];
    framed.extend(length.to_be_bytes());
    framed.extend(message);
    framed
}

fn message(fields: &[ProtoField], value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    for field in fields {
        if let Some(value) = value.get(field.0).filter(|value| !value.is_null()) {
            add(&mut bytes, field, value);
        }
    }
    bytes
}

fn add(bytes: &mut Vec<u8>, ProtoField(_, number, kind): &ProtoField, value: &Value) {
    match (kind, value) {
        (ProtoType::Text, Value::String(text)) => add_bytes(bytes, *number, text.as_bytes()),
        (ProtoType::Number, Value::Number(amount)) => {
            add_number(bytes, *number, amount.as_u64().unwrap_or_default());
        }
        (ProtoType::Word(words), Value::String(word)) => {
            let known = words.iter().find(|(other, _)| other == word);
            add_number(
                bytes,
                *number,
                known.map_or(UNKNOWN_WORD, |(_, known)| *known),
            );
        }
        (ProtoType::Time, Value::String(time)) => {
            let seconds = time.parse().map_or(0, jiff::Timestamp::as_second);
            let mut time = Vec::new();
            add_number(&mut time, 1, seconds.try_into().unwrap_or_default());
            add_bytes(bytes, *number, &time);
        }
        (ProtoType::Message(fields), value @ Value::Object(_)) => {
            add_bytes(bytes, *number, &message(fields, value));
        }
        (ProtoType::Rows(fields), Value::Array(rows)) => {
            for row in rows {
                add_bytes(bytes, *number, &message(fields, row));
            }
        }
        (ProtoType::Number | ProtoType::Word(_), _) => {
            add_bytes(bytes, *number, value.to_string().as_bytes());
        }
        _ => add_number(bytes, *number, 0),
    }
}

fn add_bytes(bytes: &mut Vec<u8>, number: u32, value: &[u8]) {
    encode_key(number, WireType::LengthDelimited, bytes);
    encode_varint(value.len() as u64, bytes);
    bytes.extend(value);
}

fn add_number(bytes: &mut Vec<u8>, number: u32, value: u64) {
    encode_key(number, WireType::Varint, bytes);
    encode_varint(value, bytes);
}
