//! Atomic file writes: each file is written completely or not at all.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use sky_accel_engine::RenderedFile;
use sky_accel_engine::asking::temporaries;
use sky_accel_engine::{Error, ErrorCode};
use tempfile::NamedTempFile;

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
            let _ = fs::remove_dir(&self.path);
        }
    }
}

impl Folder {
    /// Creates the folder if needed and checks that it is writable.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let is_new = !path.exists();
        fs::create_dir_all(path).map_err(|error| unwritable(path, &error))?;
        temporaries::clean(path);
        prepared(path, b"", 0o600).map_err(|error| unwritable(path, &error))?;
        Ok(Self {
            path: path.to_owned(),
            is_new,
        })
    }

    /// Writes all files atomically and returns their paths. Temporary files are complete before the
    /// first rename, so a full disk leaves the old files untouched.
    pub fn write(&self, files: &[RenderedFile]) -> Result<Vec<String>, Error> {
        let mut ready = Vec::new();
        for file in files {
            let path = self.path.join(&file.name);
            let mode = if file.text.starts_with("#!") {
                0o755
            } else {
                0o644
            };
            let temporary = prepared(&self.path, file.text.as_bytes(), mode)
                .map_err(|error| unwritable(&path, &error))?;
            ready.push((temporary, path));
        }
        let mut paths = Vec::new();
        for (temporary, path) in ready {
            temporary
                .persist(&path)
                .map_err(|error| unwritable(&path, &error.error))?;
            paths.push(path.display().to_string());
        }
        Ok(paths)
    }
}

/// Checks that a file can be written at `path`, before the work that produces it.
pub fn probe(path: &Path) -> Result<(), Error> {
    if path.is_dir() {
        return Err(unwritable(path, &"it is a folder"));
    }
    let folder = folder_of(path);
    temporaries::clean(folder);
    prepared(folder, b"", 0o600).map_err(|error| unwritable(path, &error))?;
    Ok(())
}

/// Writes a file atomically, replacing an existing file.
pub fn write(path: &Path, text: &[u8]) -> Result<(), Error> {
    let temporary =
        prepared(folder_of(path), text, 0o644).map_err(|error| unwritable(path, &error))?;
    temporary
        .persist(path)
        .map_err(|error| unwritable(path, &error.error))?;
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Writes a temporary file into `folder`, ready to be renamed.
pub fn prepared(folder: &Path, text: &[u8], mode: u32) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(temporaries::PREFIX);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    #[cfg(not(unix))]
    let _ = mode;
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(text)?;
    file.as_file().sync_all()?;
    Ok(file)
}

pub fn unwritable(path: &Path, why: &dyn std::fmt::Display) -> Error {
    // Strip the name of the temporary file: it means nothing to the user.
    let why = why.to_string();
    let why = why.split(" at path ").next().unwrap_or_default();
    let message = format!("cannot write {}: {why}", path.display());
    Error::new(ErrorCode::Unwritable, message)
}
