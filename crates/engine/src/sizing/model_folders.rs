//! Folders whose files may be read as models, for requests of others.

use std::fs;
use std::path::{Component, Path, PathBuf};

use sky_accel_core::text::printable;

use crate::code::ErrorCode;
use crate::error::{Error, Result};

/// The maximum number of files of a model and its parts.
const MAX_FILES: usize = 10_000;

/// Folders whose files may be read as models. Links are allowed if they lead to files below the folders.
#[derive(Clone, Debug, Default)]
pub struct ModelFolders(Vec<ModelFolder>);

#[derive(Clone, Debug)]
struct ModelFolder {
    /// The absolute path as the user named it.
    name: PathBuf,
    /// The path without links.
    place: PathBuf,
}

impl ModelFolders {
    /// Reads the places of the folders.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::Request`] for a path that is not a folder.
    pub fn new(folders: &[PathBuf]) -> Result<Self> {
        let place = |folder: &PathBuf| {
            let place = fs::canonicalize(folder).ok().filter(|found| found.is_dir());
            let absolute = std::path::absolute(folder).ok();
            let found = absolute.zip(place);
            let found = found.map(|(name, place)| ModelFolder { name, place });
            found.ok_or_else(|| {
                let path = printable(&folder.display().to_string());
                let message = format!("`allow` {path} must be a readable folder");
                Error::new(ErrorCode::Request, message)
            })
        };
        Ok(Self(folders.iter().map(place).collect::<Result<_>>()?))
    }

    /// Returns true if all files of a model are below the folders.
    ///
    /// The answer for other paths must not depend on what exists: only paths that begin with a folder are looked up,
    /// and `..` after a link or a folder elsewhere would tell whether it exists.
    pub(super) fn allows(&self, model: &Path) -> bool {
        let has_parent = model.components().any(|part| part == Component::ParentDir);
        let is_named = std::path::absolute(model).is_ok_and(|model| {
            let mut folders = self.0.iter();
            folders
                .any(|folder| model.starts_with(&folder.name) || model.starts_with(&folder.place))
        });
        if has_parent || !is_named {
            return false;
        }
        let Ok(place) = fs::canonicalize(model) else {
            return false;
        };
        if !self.has(&place) {
            return false;
        }
        if place.is_dir() {
            let mut left = MAX_FILES;
            return self.has_all(model, &mut left, true);
        }
        // The configuration is beside the weights.
        ["config.json", "hf_quant_config.json"]
            .iter()
            .all(|name| self.has_target(&model.with_file_name(name)))
    }

    fn has(&self, place: &Path) -> bool {
        self.0.iter().any(|folder| place.starts_with(&folder.place))
    }

    /// Returns true if a path does not exist, or is below the folders.
    fn has_target(&self, path: &Path) -> bool {
        match fs::symlink_metadata(path) {
            Ok(_) => fs::canonicalize(path).is_ok_and(|place| self.has(&place)),
            Err(_) => true,
        }
    }

    /// Returns true if all entries of a folder, and of the folders in it, are below the folders.
    fn has_all(&self, folder: &Path, left: &mut usize, has_parts: bool) -> bool {
        let Ok(entries) = fs::read_dir(folder) else {
            return false;
        };
        for entry in entries {
            let Some(rest) = left.checked_sub(1) else {
                return false;
            };
            *left = rest;
            let Ok(path) = entry.map(|entry| entry.path()) else {
                return false;
            };
            if !self.has_target(&path)
                || (has_parts && path.is_dir() && !self.has_all(&path, left, false))
            {
                return false;
            }
        }
        true
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_must_stay_below_the_folders() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path();
        let dir = |path: &str| fs::create_dir_all(root.join(path)).unwrap();
        dir("in/model/part");
        dir("in/blobs");
        dir("in/cached");
        dir("in/bad");
        dir("in/deep/part");
        dir("in-other");
        fs::write(root.join("out.json"), "{}").unwrap();
        fs::write(root.join("in/blobs/a"), "{}").unwrap();
        fs::write(root.join("in/model/config.json"), "{}").unwrap();
        fs::write(root.join("in/bad/x.safetensors"), "").unwrap();
        symlink("../blobs/a", root.join("in/cached/config.json")).unwrap();
        symlink("../../out.json", root.join("in/bad/config.json")).unwrap();
        symlink("../../../out.json", root.join("in/deep/part/x.safetensors")).unwrap();
        symlink("../out.json", root.join("in/link.json")).unwrap();
        symlink("model", root.join("in/same")).unwrap();
        symlink("in", root.join("alias")).unwrap();
        let folders = ModelFolders::new(&[root.join("in")]).unwrap();
        for (path, expected) in [
            ("in", false),
            ("in/model", true),
            ("in/model/config.json", true),
            ("in/same", true),
            ("in/cached", true),
            ("in/cached/config.json", true),
            ("in/model/../model", false),
            ("in/../in/model", false),
            ("alias/model", false),
            ("in/missing", false),
            ("in/link.json", false),
            ("in/bad", false),
            ("in/bad/x.safetensors", false),
            ("in/deep", false),
            ("in/../out.json", false),
            ("in-other", false),
            ("out.json", false),
        ] {
            assert_eq!(folders.allows(&root.join(path)), expected, "{path}");
        }
        assert!(!ModelFolders::default().allows(&root.join("in/model")));
        assert!(ModelFolders::new(&[root.join("out.json")]).is_err());
    }
}
