//! Paths in requests and reports.

use std::path::{Path, PathBuf};

use sky_accel_engine::contract::CatalogRequest;

/// Returns the request of a command on overlays.
pub fn request(overlays: &[PathBuf]) -> CatalogRequest {
    CatalogRequest {
        overlays: overlays.iter().map(|path| shown(path)).collect(),
    }
}

/// Returns a path as printable text.
pub fn shown(path: &Path) -> String {
    sky_accel_core::text::printable(&path.display().to_string())
}
