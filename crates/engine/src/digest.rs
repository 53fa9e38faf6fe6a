//! Hashes.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// The SHA-256 of several parts as 64 lowercase hexadecimal digits. The length precedes each part, so that
/// different divisions of the same bytes have different digests.
pub fn sha256<'p>(parts: impl IntoIterator<Item = &'p [u8]>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hex(hash)
}

/// The SHA-256 of a file, as other tools print it.
pub fn sha256_of_file(bytes: &[u8]) -> String {
    hex(Sha256::new_with_prefix(bytes))
}

fn hex(hash: Sha256) -> String {
    let mut hex = String::new();
    for byte in hash.finalize() {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}
