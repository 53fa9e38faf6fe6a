//! The project file: `sky-accel.toml` in the folder that one works in.
//!
//! Anybody may have put it there, so it sets preferences and no more. Catalogs decide what is rented:
//! those that it names are used only when the user has trusted the file and them as they are.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sky_accel_engine::catalog::{fingerprint, overlay_files, read_text};
use sky_accel_engine::{Error, ErrorCode};

use crate::files;

/// The catalogs that a project file names.
#[derive(Debug)]
pub struct ProjectCatalogs {
    /// The project file.
    pub file: PathBuf,
    pub overlays: Vec<PathBuf>,
    /// Of the project file and of every file of the overlays.
    pub sha256: String,
    pub trust: Trust,
}

/// Whether the user has trusted a project's catalogs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    Trusted,
    /// As they were once, but not as they are.
    Changed,
    Never,
}

/// A project's catalogs that the user has trusted.
#[derive(Debug, Deserialize, Serialize)]
struct TrustedFile {
    file: PathBuf,
    sha256: String,
}

/// Why a project file may not be read; `None` when it may.
pub(super) fn fault(file: &Path) -> Option<&'static str> {
    let metadata = fs::symlink_metadata(file).ok()?;
    if metadata.is_file() {
        owner_fault(&metadata)
    } else {
        Some("it is a link, or no regular file")
    }
}

/// Why what a file says cannot be the user's own words.
#[cfg(unix)]
fn owner_fault(metadata: &Metadata) -> Option<&'static str> {
    use std::os::unix::fs::MetadataExt as _;

    let user = rustix::process::geteuid().as_raw();
    if metadata.uid() != user {
        return Some("it belongs to another user");
    }
    // The group that a user has to themselves has the user's number.
    let others = if metadata.gid() == user { 0o002 } else { 0o022 };
    (metadata.mode() & others != 0).then_some("other users may write to it")
}

#[cfg(not(unix))]
fn owner_fault(_: &Metadata) -> Option<&'static str> {
    None
}

impl ProjectCatalogs {
    /// Reads the catalogs that a project file names, without a look at what they say.
    pub(super) fn read(file: &Path, text: &str, overlays: Vec<PathBuf>) -> Result<Self, Error> {
        let unusable = |path: &Path, why: &dyn std::fmt::Display| {
            let message = format!("cannot use the overlay catalog {}: {why}", path.display());
            Error::new(ErrorCode::CatalogUnreadable, message)
        };
        for overlay in &overlays {
            for file in overlay_files(overlay).map_err(|error| unusable(overlay, &error))? {
                let metadata = fs::metadata(&file).map_err(|error| unusable(&file, &error))?;
                if let Some(why) = owner_fault(&metadata) {
                    return Err(unusable(&file, &why));
                }
            }
        }
        let sha256 = fingerprint(text, &overlays)?;
        let file = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
        let known = trusted_files();
        let mut known = known.iter().filter(|trusted| trusted.file == file);
        let trust = match known.next() {
            Some(trusted) if trusted.sha256 == sha256 => Trust::Trusted,
            Some(_) => Trust::Changed,
            None => Trust::Never,
        };
        Ok(Self {
            file,
            overlays,
            sha256,
            trust,
        })
    }

    /// The error of commands that would use the catalogs.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::ConfigUntrusted`] unless they are trusted.
    pub fn check(&self) -> Result<(), Error> {
        let state = match self.trust {
            Trust::Trusted => return Ok(()),
            Trust::Changed => "they changed since you trusted them",
            Trust::Never => "you have not trusted them",
        };
        let message = format!("{} names catalogs, and {state}", self.file.display());
        let advice = "read them, then run `sky-accel config trust`; --no-config leaves them out";
        Err(Error::new(ErrorCode::ConfigUntrusted, message).advise(advice))
    }

    /// Notes that the user trusts the catalogs as they are, or no longer.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::Unwritable`] when the list cannot be written.
    pub fn set_trusted(&self, is_trusted: bool) -> Result<(), Error> {
        let Some(store) = store() else {
            let message = "there is no home folder to keep the list of trusted files in";
            return Err(Error::new(ErrorCode::Unwritable, message));
        };
        let mut trusted = trusted_files();
        trusted.retain(|trusted| trusted.file != self.file);
        if is_trusted {
            trusted.push(TrustedFile {
                file: self.file.clone(),
                sha256: self.sha256.clone(),
            });
        }
        if let Some(folder) = store.parent() {
            fs::create_dir_all(folder).map_err(|error| files::unwritable(&store, &error))?;
        }
        let text = serde_json::to_string_pretty(&trusted).unwrap_or_default() + "\n";
        files::write(&store, text.as_bytes())
    }
}

/// The list of trusted files. One that cannot be read trusts nothing.
fn trusted_files() -> Vec<TrustedFile> {
    let text = store().and_then(|store| read_text(&store).ok());
    text.and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default()
}

fn store() -> Option<PathBuf> {
    Some(super::data_folder()?.join("trusted.json"))
}
