//! Files that the user names for output.

use std::path::{Path, PathBuf};

use sky_accel_engine::RenderedFile;
use sky_accel_engine::{Error, ErrorCode};
use sky_accel_files::write::{self, Access, prepare};

/// Output folder of a plan target's files.
pub struct Folder {
    path: PathBuf,
    /// Whether this run created the folder.
    is_new: bool,
}

impl Drop for Folder {
    /// Removes a folder that this run created and left empty.
    fn drop(&mut self) {
        if self.is_new {
            // Fails, as intended, if the folder has files.
            let _ = std::fs::remove_dir(&self.path);
        }
    }
}

impl Folder {
    /// Creates the folder if needed and checks that it is writable.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let is_new = !path.exists();
        write::create_folder(path).map_err(|error| unwritable(path, &error))?;
        let folder = Self {
            path: path.to_owned(),
            is_new,
        };
        write::probe_folder(path).map_err(|error| unwritable(path, &error))?;
        Ok(folder)
    }

    /// Writes all files atomically and returns their paths. Temporary files are complete before the
    /// first rename, so a full disk leaves the old files untouched.
    pub fn write(&self, files: &[RenderedFile]) -> Result<Vec<String>, Error> {
        let texts: Vec<[&[u8]; 1]> = files.iter().map(|file| [file.text.as_bytes()]).collect();
        let mut ready = Vec::new();
        for (file, text) in files.iter().zip(&texts) {
            let path = self.path.join(&file.name);
            let access = if file.text.starts_with("#!") {
                Access::Executable
            } else {
                Access::Shared
            };
            let prepared =
                prepare(&path, text, access).map_err(|error| unwritable(&path, &error))?;
            ready.push((prepared, path));
        }
        let mut paths = Vec::new();
        for (prepared, path) in ready {
            prepared
                .finish()
                .map_err(|error| unwritable(&path, &error))?;
            paths.push(path.display().to_string());
        }
        Ok(paths)
    }
}

/// Checks that a file can be written at `path`, before the work that produces it.
pub fn probe(path: &Path) -> Result<(), Error> {
    write::probe(path, Access::Shared).map_err(|error| unwritable(path, &error))
}

/// Writes a file: a regular file is written completely or not at all.
pub fn write(path: &Path, text: &[u8]) -> Result<(), Error> {
    write::write(path, &[text], Access::Shared).map_err(|error| unwritable(path, &error))
}

pub fn unwritable(path: &Path, why: &dyn std::fmt::Display) -> Error {
    let message = format!("cannot write {}: {why}", path.display());
    Error::new(ErrorCode::Unwritable, message)
}
