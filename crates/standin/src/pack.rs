//! Encodings of documents: gzip, CSV, and a zip archive with a single file.

use std::io::Write as _;

use bytes::Bytes;
use flate2::write::{DeflateEncoder, GzEncoder};
use flate2::{Compress, Compression, Crc, FlushCompress};
use serde_json::Value;

pub(crate) fn gzip(document: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(document).expect("memory takes bytes");
    encoder.finish().expect("memory takes bytes").into()
}

/// Writes rows as CSV. The first row decides the columns.
pub(crate) fn csv(rows: &Value) -> Bytes {
    let rows: Vec<&Value> = rows.as_array().into_iter().flatten().collect();
    let columns: Vec<&String> = rows
        .first()
        .and_then(|row| row.as_object())
        .into_iter()
        .flat_map(|row| row.keys())
        .collect();
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(&columns).expect("memory takes bytes");
    for row in rows {
        let cells = columns.iter().map(|column| cell(&row[column.as_str()]));
        writer.write_record(cells).expect("as many cells as names");
    }
    writer.into_inner().expect("memory takes bytes").into()
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Writes a zip archive with a single deflated file. The names are from the specification of the format.
pub(crate) fn zip(name: &str, content: &[u8]) -> Bytes {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).expect("memory takes bytes");
    let packed = encoder.finish().expect("memory takes bytes");
    let mut crc = Crc::new();
    crc.update(content);
    archive(name, &packed, crc.sum(), content.len() as u32)
}

/// The unpacked size of a bomb in bytes.
const BOMB: usize = 512 << 20;

/// Returns deflated data that unpacks to [`BOMB`] spaces.
fn deflated_bomb() -> Vec<u8> {
    const PART: usize = 1 << 20;
    let mut compress = Compress::new(Compression::best(), false);
    let mut part = Vec::with_capacity(PART);
    // After a full flush, the data can be repeated: it refers to nothing before it.
    compress
        .compress_vec(&vec![b' '; PART], &mut part, FlushCompress::Full)
        .expect("memory takes bytes");
    let mut bomb = part.repeat(BOMB / PART);
    // An empty last block.
    bomb.extend([3, 0]);
    bomb
}

/// Returns a small gzip file that unpacks to [`BOMB`] bytes.
pub(crate) fn gzip_bomb() -> Bytes {
    let header = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    // The checksum is wrong, but no reader should get there.
    let end = [0; 8];
    [&header[..], &deflated_bomb(), &end].concat().into()
}

/// Returns a small zip archive whose file unpacks to [`BOMB`] bytes.
pub(crate) fn zip_bomb(name: &str) -> Bytes {
    archive(name, &deflated_bomb(), 0, BOMB as u32)
}

/// Writes a zip archive with deflated data of `len` bytes.
fn archive(name: &str, packed: &[u8], sum: u32, len: u32) -> Bytes {
    // The fields that the local header and the central directory share.
    let mut shared = Vec::new();
    for word in [20_u16, 0, 8, 0, 0x21] {
        shared.extend(word.to_le_bytes());
    }
    for word in [sum, packed.len() as u32, len] {
        shared.extend(word.to_le_bytes());
    }
    shared.extend((name.len() as u16).to_le_bytes());
    shared.extend(0_u16.to_le_bytes());

    let mut file = b"PK\x03\x04".to_vec();
    file.extend(&shared);
    file.extend(name.as_bytes());
    file.extend(packed);

    let mut directory = b"PK\x01\x02".to_vec();
    directory.extend(20_u16.to_le_bytes());
    directory.extend(&shared);
    // Comment, disk, attributes and offset are all zero.
    directory.extend([0; 14]);
    directory.extend(name.as_bytes());

    let mut end = b"PK\x05\x06".to_vec();
    end.extend([0; 4]);
    end.extend([1_u16, 1].map(u16::to_le_bytes).concat());
    end.extend((directory.len() as u32).to_le_bytes());
    end.extend((file.len() as u32).to_le_bytes());
    end.extend([0; 2]);
    [file, directory, end].concat().into()
}
