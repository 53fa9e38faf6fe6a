//! Folders of the repository.

use std::env;
use std::path::{Path, PathBuf};

/// The page of `sky-accel web` that tests open, in the folder of build output.
pub const WEB_PAGE: &str = "web/sky-accel.html";
/// The variable with the path of that page.
pub const WEB_PAGE_VARIABLE: &str = "SKY_ACCEL_WEB_PAGE";

/// The root of the repository.
pub fn root() -> PathBuf {
    // This crate is two folders below the root.
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .map_or_else(PathBuf::new, Path::to_path_buf)
}

/// The folder of build output.
pub fn target_folder() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
