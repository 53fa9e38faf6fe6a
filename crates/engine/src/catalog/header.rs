//! The header of compiled catalogs: a checksum, then the first bytes of the tables.

use std::fs::Metadata;
use std::io::{self, Read as _};
use std::path::Path;

use sky_accel_files::input::open_regular;

/// The length of the checksum in hexadecimal digits.
pub(super) const SUM_LEN: usize = 64;
/// The first bytes of the tables.
const MAGIC: &[u8] = b"SKYACCEL";

/// Returns true if a file starts like a compiled catalog.
pub(super) fn is_compiled(path: &Path, metadata: &Metadata) -> bool {
    let is_source = |extension| extension == "toml" || extension == "csv";
    if !metadata.is_file() || path.extension().is_some_and(is_source) {
        return false;
    }
    let mut start = [0; SUM_LEN + MAGIC.len()];
    let read = open_regular(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start.ends_with(MAGIC)
}

/// The digest at the start of a compiled catalog. It is verified when the catalog is read.
pub(super) fn sum(path: &Path) -> io::Result<String> {
    let mut sum = String::new();
    open_regular(path)?
        .take(SUM_LEN as u64)
        .read_to_string(&mut sum)?;
    Ok(sum)
}
