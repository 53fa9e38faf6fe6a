//! Folders and files of the user.

use std::path::PathBuf;

use etcetera::BaseStrategy;
use sky_accel_engine::catalog::has_files;

/// Name of the folder in the user's config folder, and stem of the config file in a project.
const APP: &str = "sky-accel";

/// Returns the user's config folder: `$XDG_CONFIG_HOME/sky-accel`, or the platform's equivalent.
pub fn user_folder() -> Option<PathBuf> {
    etcetera::choose_base_strategy()
        .ok()
        .map(|base| base.config_dir().join(APP))
}

/// Returns the cache folder of live answers: `$XDG_CACHE_HOME/sky-accel`, or the platform's equivalent.
pub fn cache_folder() -> Option<PathBuf> {
    etcetera::choose_base_strategy()
        .ok()
        .map(|base| base.cache_dir().join(APP))
}

/// Returns the cache folder of compiled overlays.
pub fn compiled_folder() -> Option<PathBuf> {
    Some(cache_folder()?.join("catalogs"))
}

/// Returns the path of the project file, which may not exist.
pub fn project_file() -> PathBuf {
    PathBuf::from(format!("{APP}.toml"))
}

/// Returns the user's config file if it exists. Its reader fails for a folder or a device.
pub fn user_file() -> Option<PathBuf> {
    let file = user_folder()?.join("config.toml");
    file.symlink_metadata().is_ok().then_some(file)
}

/// Returns the folder of generated lists: `$XDG_DATA_HOME/sky-accel`, or the platform's equivalent.
pub fn data_folder() -> Option<PathBuf> {
    etcetera::choose_base_strategy()
        .ok()
        .map(|base| base.data_dir().join(APP))
}

/// Returns the folder of the user's overlays, which may not exist.
pub fn overlay_folder() -> Option<PathBuf> {
    Some(user_folder()?.join("catalog"))
}

pub fn user_overlays() -> Option<PathBuf> {
    let folder = overlay_folder()?;
    // A folder without catalog files is not an error: it has no overlay.
    has_files(&folder).then_some(folder)
}
