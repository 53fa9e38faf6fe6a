//! The files that a command reads: its output must not replace them.

use std::fs;
use std::io;
use std::path::Path;

/// The files that a command reads, by identity: links to a file and its other names are the same file.
#[derive(Clone, Debug, Default)]
pub struct Inputs(Vec<Identity>);

/// The device and the number of a file.
#[cfg(unix)]
type Identity = (u64, u64);
/// The path of a file without links.
#[cfg(not(unix))]
type Identity = std::path::PathBuf;

impl Inputs {
    /// Adds a regular file. Devices, pipes and terminals keep nothing that an output could replace.
    pub fn add(&mut self, path: &Path) {
        self.0.extend(identity(path));
    }

    /// Adds standard input, if it is a regular file.
    pub fn add_stdin(&mut self) {
        self.0.extend(identity_of_stdin());
    }

    /// Adds the regular files in a folder whose names end with one of the extensions.
    pub fn add_folder(&mut self, folder: &Path, extensions: &[&str]) {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        for path in entries.map(|entry| entry.path()) {
            let extension = path.extension().and_then(|end| end.to_str());
            if extension.is_some_and(|end| extensions.contains(&end)) {
                self.add(&path);
            }
        }
    }

    /// Checks that a path does not lead to an input.
    ///
    /// # Errors
    ///
    /// The path leads to an input.
    pub fn check(&self, output: &Path) -> io::Result<()> {
        match identity(output) {
            Some(file) if self.0.contains(&file) => {
                Err(io::Error::other("the file is an input of this command"))
            }
            _ => Ok(()),
        }
    }
}

/// The identity of the regular file to which a path leads.
#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;

    let metadata = crate::system::retry(|| fs::metadata(path)).ok()?;
    metadata.is_file().then(|| (metadata.dev(), metadata.ino()))
}

/// The identity of the regular file to which a path leads.
#[cfg(not(unix))]
fn identity(path: &Path) -> Option<Identity> {
    fs::canonicalize(path).ok().filter(|path| path.is_file())
}

#[cfg(unix)]
fn identity_of_stdin() -> Option<Identity> {
    use rustix::fs::FileType;

    let status = rustix::fs::fstat(io::stdin()).ok()?;
    let is_file = FileType::from_raw_mode(status.st_mode as _) == FileType::RegularFile;
    #[allow(
        clippy::unnecessary_cast,
        trivial_numeric_casts,
        reason = "the types of the fields differ between systems"
    )]
    is_file.then_some((status.st_dev as u64, status.st_ino as u64))
}

#[cfg(not(unix))]
fn identity_of_stdin() -> Option<Identity> {
    None
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn outputs_are_compared_with_inputs() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["a", "b", "c.toml", "d.txt"] {
            fs::write(at(name), "text").unwrap();
        }
        symlink("a", at("link")).unwrap();
        fs::hard_link(at("a"), at("name")).unwrap();
        let mut inputs = Inputs::default();
        inputs.add(&at("link"));
        inputs.add(&at("absent"));
        inputs.add(Path::new("/dev/null"));
        inputs.add_folder(folder.path(), &["toml"]);
        for input in ["a", "link", "name", "./../a", "c.toml"] {
            let path = match input.strip_prefix("./../") {
                Some(name) => folder
                    .path()
                    .join("..")
                    .join(folder.path().file_name().unwrap())
                    .join(name),
                None => at(input),
            };
            let error = inputs.check(&path).unwrap_err();
            assert_eq!(error.to_string(), "the file is an input of this command");
        }
        for other in ["b", "d.txt", "absent", "/dev/null"] {
            inputs.check(&at(other)).unwrap();
        }
    }
}
