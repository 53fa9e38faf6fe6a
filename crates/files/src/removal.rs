//! Removes files.

use std::path::Path;
use std::{fs, io};

use crate::system::retry;

/// Removes a file.
///
/// # Errors
///
/// The file cannot be removed.
pub fn remove(path: &Path) -> io::Result<()> {
    match retry(|| fs::remove_file(path)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        // A passing fault would leave the file forever.
        Err(_) => retry(|| fs::remove_file(path)),
        Ok(()) => Ok(()),
    }
}
