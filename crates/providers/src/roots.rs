//! The root certificates that `SSL_CERT_FILE` and `SSL_CERT_DIR` name. The TLS libraries read these
//! files without limits, so they are checked before.

use std::env;
use std::ffi::OsStr;
use std::path::Path;
use std::{fs, io};

use thiserror::Error;

use crate::named_file::read_named_file;

const FILE_VARIABLE: &str = "SSL_CERT_FILE";
const FOLDERS_VARIABLE: &str = "SSL_CERT_DIR";
/// The maximum size of a file. The bundles of operating systems have less than 1 MiB.
const MAX_FILE: u64 = 16 << 20;
/// The maximum size of all files together.
const MAX_TOTAL: usize = 64 << 20;
/// The maximum number of files in the folders.
const MAX_FILES: usize = 10_000;
/// The start of a certificate in a PEM file.
const CERTIFICATE: &[u8] = b"-----BEGIN CERTIFICATE-----";

/// The reason why the files with root certificates are not used.
#[derive(Debug, Error)]
pub enum RootsError {
    /// A file or a folder that a variable names.
    #[error("{variable} names {path}: {reason}")]
    File {
        /// The variable.
        variable: &'static str,
        /// The path of the file.
        path: String,
        /// The reason, as a clause.
        reason: String,
    },
    /// There are too many files, or they are too large together.
    #[error("the folders in {FOLDERS_VARIABLE} have more than {MAX_FILES} files or 64 MiB")]
    TooMany,
    /// No file has a certificate.
    #[error("no file in {FILE_VARIABLE} and {FOLDERS_VARIABLE} has a certificate in PEM format")]
    Empty,
}

/// Checks the files that the variables name, if they are set. Files that cannot be opened are left
/// to the TLS library, which ignores them.
///
/// # Errors
///
/// Fails if a file is not a regular file or too large, and if no file has a certificate.
pub fn check_root_certificates() -> Result<(), RootsError> {
    let (file, folders) = (env::var_os(FILE_VARIABLE), env::var_os(FOLDERS_VARIABLE));
    check(file.as_deref(), folders.as_deref())
}

fn check(file: Option<&OsStr>, folders: Option<&OsStr>) -> Result<(), RootsError> {
    let folders: Vec<_> = folders
        .map(env::split_paths)
        .into_iter()
        .flatten()
        .collect();
    let folders = folders.iter().filter(|path| !path.as_os_str().is_empty());
    let mut found = Found::default();
    if let Some(file) = file {
        found.is_named = true;
        found.add(FILE_VARIABLE, Path::new(file))?;
    }
    for folder in folders {
        found.is_named = true;
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            // The library skips anything else in a folder.
            if path.is_file() {
                found.add(FOLDERS_VARIABLE, &path)?;
            }
        }
    }
    if found.is_named && !found.has_certificate {
        return Err(RootsError::Empty);
    }
    Ok(())
}

/// The files found so far.
#[derive(Default)]
struct Found {
    /// True if a variable names a file or a folder.
    is_named: bool,
    has_certificate: bool,
    files: usize,
    bytes: usize,
}

impl Found {
    fn add(&mut self, variable: &'static str, path: &Path) -> Result<(), RootsError> {
        let text = match read_named_file(path, MAX_FILE) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::Other => {
                return Err(RootsError::File {
                    variable,
                    path: path.display().to_string(),
                    reason: error.to_string(),
                });
            }
            // The operating system refuses it to the library too.
            Err(_) => return Ok(()),
        };
        self.files += 1;
        self.bytes += text.len();
        if self.files > MAX_FILES || self.bytes > MAX_TOTAL {
            return Err(RootsError::TooMany);
        }
        self.has_certificate |= memchr::memmem::find(&text, CERTIFICATE).is_some();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    fn message(file: Option<&Path>, folders: Option<&Path>) -> String {
        let checked = check(file.map(Path::as_os_str), folders.map(Path::as_os_str));
        checked.map_or_else(|error| error.to_string(), |()| "sound".to_owned())
    }

    #[test]
    fn only_small_regular_files_with_certificates_are_sound() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("roots.pem");
        fs::write(&file, "-----BEGIN CERTIFICATE-----\n").unwrap();
        assert_eq!(message(None, None), "sound");
        assert_eq!(message(Some(&file), None), "sound");
        assert_eq!(message(None, Some(folder.path())), "sound");
        let is_no_file = message(Some(folder.path()), None);
        assert!(
            is_no_file.ends_with("it is not a regular file"),
            "{is_no_file}"
        );
        // A sparse file.
        let large = File::create(folder.path().join("large.pem")).unwrap();
        large.set_len(1 << 30).unwrap();
        let too_large = message(None, Some(folder.path()));
        assert!(
            too_large.ends_with("it is larger than 16 MiB"),
            "{too_large}"
        );
        assert!(too_large.starts_with("SSL_CERT_DIR names "), "{too_large}");
    }

    #[test]
    fn files_without_certificates_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let no_certificate =
            "no file in SSL_CERT_FILE and SSL_CERT_DIR has a certificate in PEM format";
        assert_eq!(message(None, Some(folder.path())), no_certificate);
        let file = folder.path().join("roots.pem");
        assert_eq!(message(Some(&file), None), no_certificate);
        fs::write(&file, "").unwrap();
        assert_eq!(message(Some(&file), None), no_certificate);
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_not_read() {
        for path in ["/dev/zero", "/dev/null"] {
            let refused = message(Some(Path::new(path)), None);
            assert!(refused.ends_with("it is not a regular file"), "{refused}");
        }
    }
}
