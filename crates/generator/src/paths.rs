//! Paths of the repository.

use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> PathBuf {
    // This crate is two folders below the root.
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .map_or_else(PathBuf::new, Path::to_path_buf)
}
