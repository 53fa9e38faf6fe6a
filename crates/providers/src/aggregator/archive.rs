//! The archives of gpuhunt, each with one table.

use std::io::{Cursor, Read as _};

use zip::ZipArchive;

/// The maximum size of a table in bytes.
const MAX_TABLE: u64 = 64 << 20;

/// Extracts the table from an archive.
///
/// # Errors
///
/// Fails with the reason, which completes the sentence "the answer is …".
pub(super) fn unpacked(archive: &[u8], word: &str) -> Result<Vec<u8>, String> {
    let damaged = || "no archive with a table".to_owned();
    let mut archive = ZipArchive::new(Cursor::new(archive)).map_err(|_| damaged())?;
    let file = archive
        .by_name(&format!("{word}.csv"))
        .map_err(|_| damaged())?;
    let mut table = Vec::new();
    file.take(MAX_TABLE + 1)
        .read_to_end(&mut table)
        .map_err(|_| damaged())?;
    if table.len() as u64 > MAX_TABLE {
        return Err(format!(
            "an archive whose table is larger than {} MB",
            MAX_TABLE >> 20
        ));
    }
    Ok(table)
}
