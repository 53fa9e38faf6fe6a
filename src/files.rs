//! Files that the user names for output.

use std::path::{Component, Path, PathBuf};

use sky_accel_engine::RenderedFile;
use sky_accel_engine::{Error, ErrorCode};
use sky_accel_files::inputs::Inputs;
use sky_accel_files::write::{self, Access, prepare};

/// Output folder of a plan target's files.
pub struct Folder {
    path: PathBuf,
    inputs: Inputs,
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
    /// Creates the folder if needed and checks that it is writable. No file in it that is an input is replaced.
    pub fn open(path: &Path, inputs: Inputs) -> Result<Self, Error> {
        let is_new = !path.exists();
        write::create_folder(path).map_err(|error| unwritable(path, &error))?;
        let folder = Self {
            path: path.to_owned(),
            inputs,
            is_new,
        };
        write::probe_folder(path).map_err(|error| unwritable(path, &error))?;
        Ok(folder)
    }

    /// Writes all files atomically and returns their paths. Temporary files are complete before the
    /// first rename, so a full disk leaves the old files untouched.
    pub fn write(&self, files: &[RenderedFile]) -> Result<Vec<String>, Error> {
        let texts: Vec<[&[u8]; 1]> = files.iter().map(|file| [file.text.as_bytes()]).collect();
        // Names may have texts of catalogs.
        if let Some(file) = files.iter().find(|file| !is_plain_name(&file.name)) {
            let path = self.path.join(&file.name);
            return Err(unwritable(&path, &"its name leads out of the folder"));
        }
        let mut ready = Vec::new();
        for (file, text) in files.iter().zip(&texts) {
            let path = self.path.join(&file.name);
            self.inputs
                .check(&path)
                .map_err(|error| unwritable(&path, &error))?;
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

/// Returns true for the name of a file without a folder, on all systems.
fn is_plain_name(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    matches!((parts.next(), parts.next()), (Some(Component::Normal(part)), None) if part == name)
        && !name.contains(['/', '\\', ':'])
}

/// A file that the user names for output.
pub struct OutputFile<'p>(&'p Path);

impl<'p> OutputFile<'p> {
    /// Checks that the file can be written and is not an input, before the work that produces it.
    pub fn open(path: &'p Path, inputs: &Inputs) -> Result<Self, Error> {
        inputs
            .check(path)
            .and_then(|()| write::probe(path, Access::Shared))
            .map_err(|error| unwritable(path, &error))?;
        Ok(Self(path))
    }

    /// Writes the file: a regular file is written completely or not at all.
    pub fn write(&self, text: &[u8]) -> Result<(), Error> {
        write::write(self.0, &[text], Access::Shared).map_err(|error| unwritable(self.0, &error))
    }
}

pub fn unwritable(path: &Path, why: &dyn std::fmt::Display) -> Error {
    let message = format!("cannot write {}: {why}", path.display());
    Error::new(ErrorCode::Unwritable, message)
}

#[cfg(test)]
mod tests {
    use sky_accel_engine::Target;

    use super::*;

    #[test]
    fn files_stay_in_their_folder() {
        let folder = tempfile::tempdir().unwrap();
        let out = Folder::open(&folder.path().join("out"), Inputs::default()).unwrap();
        let written = |name: &str| {
            let name = name.to_owned();
            let text = String::new();
            let step = Target::Ec2Fleet.step();
            out.write(&[RenderedFile { name, text, step }])
        };
        for name in [
            "../a", "a/b", "/a", "..", ".", "", "a/", "a/..", "..\\a", "c:a",
        ] {
            let error = written(name).unwrap_err();
            assert_eq!(error.problems[0].code, ErrorCode::Unwritable, "{name}");
        }
        written("fleet-us-east-1.json").unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
