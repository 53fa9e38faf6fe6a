//! Files that are written whole or not at all.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use sky_accel_engine::RenderedFile;
use sky_accel_engine::asking::temporaries;
use sky_accel_engine::{Error, ErrorCode};
use tempfile::NamedTempFile;

/// The folder of an engine's files.
pub struct Folder {
    path: PathBuf,
    /// Whether it was not there before.
    is_new: bool,
}

impl Drop for Folder {
    /// Where nothing was written nothing is left.
    fn drop(&mut self) {
        if self.is_new {
            // It stays when there is something in it.
            let _ = fs::remove_dir(&self.path);
        }
    }
}

impl Folder {
    /// Makes it, and sees that it can be written to.
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

    /// Writes the files, each as a whole, once all of them are ready beside their places; returns
    /// their paths.
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

/// Sees that a file can be written where it is to be.
pub fn probe(path: &Path) -> Result<(), Error> {
    if path.is_dir() {
        return Err(unwritable(path, &"it is a folder"));
    }
    let folder = folder_of(path);
    temporaries::clean(folder);
    prepared(folder, b"", 0o600).map_err(|error| unwritable(path, &error))?;
    Ok(())
}

/// Writes a file in the place of what is there.
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

/// A file that is not there yet under its name.
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
    // Not the name of the temporary file.
    let why = why.to_string();
    let why = why.split(" at path ").next().unwrap_or_default();
    let message = format!("cannot write {}: {why}", path.display());
    Error::new(ErrorCode::Unwritable, message)
}
