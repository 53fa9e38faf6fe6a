//! The project file: `sky-accel.toml` in the folder that one works in.
//!
//! Anybody may have put it there, so it sets preferences and no more. Catalogs decide what is rented:
//! those that it names are used only when the user has trusted the file and them as they are.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sky_accel_engine::catalog::{fingerprint, overlay_files, read_text};
use sky_accel_engine::{Error, ErrorCode, owner_fault};

use crate::files;

/// The catalogs that a project file names.
#[derive(Debug)]
pub struct ProjectCatalogs {
    /// The project file, as a path from the root.
    pub file: PathBuf,
    text: String,
    pub overlays: Vec<PathBuf>,
    trust: Trust,
}

/// Whether the user has trusted a project's catalogs.
#[derive(Debug)]
enum Trust {
    Trusted,
    /// As they were once, but not as they are.
    Changed,
    Never,
    /// The project file is as it was, but its catalogs cannot be read.
    Unusable(Error),
}

/// A project file whose catalogs the user has trusted.
#[derive(Debug, Deserialize, Serialize)]
struct TrustedFile {
    file: PathBuf,
    /// The SHA-256 of the project file. Unless it is this one, no catalog is looked at.
    project_sha256: String,
    /// The SHA-256 of the project file and of all files of its catalogs.
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

impl ProjectCatalogs {
    /// The catalogs that a project file with this text names. What the user has not trusted is not
    /// looked at.
    pub(super) fn read(file: &Path, text: String, overlays: Vec<PathBuf>) -> Result<Self, Error> {
        let file = canonical(file)?;
        let trusted = trusted_files().unwrap_or_default();
        let trusted = trusted.into_iter().find(|trusted| trusted.file == file);
        let mut project = Self {
            file,
            text,
            overlays,
            trust: Trust::Never,
        };
        if let Some(trusted) = trusted {
            project.trust = if trusted.project_sha256 == project.project_sha256()? {
                match project.sha256() {
                    Ok(sha256) if sha256 == trusted.sha256 => Trust::Trusted,
                    Ok(_) => Trust::Changed,
                    Err(error) => Trust::Unusable(error),
                }
            } else {
                Trust::Changed
            };
        }
        Ok(project)
    }

    fn project_sha256(&self) -> Result<String, Error> {
        fingerprint(&self.text, &[])
    }

    /// The SHA-256 of the project file and of all files of its catalogs.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::CatalogUnreadable`] when one cannot be read, or may be somebody else's.
    pub fn sha256(&self) -> Result<String, Error> {
        let unusable = |path: &Path, why: &dyn std::fmt::Display| {
            let message = format!("cannot use the overlay catalog {}: {why}", path.display());
            Error::new(ErrorCode::CatalogUnreadable, message)
        };
        for overlay in &self.overlays {
            for file in overlay_files(overlay).map_err(|error| unusable(overlay, &error))? {
                let metadata = fs::metadata(&file).map_err(|error| unusable(&file, &error))?;
                if let Some(why) = owner_fault(&metadata) {
                    return Err(unusable(&file, &why));
                }
            }
        }
        fingerprint(&self.text, &self.overlays)
    }

    /// The error of commands that would use the catalogs.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::ConfigUntrusted`] unless they are trusted, and the error of those that are but
    /// cannot be read.
    pub fn check(&self) -> Result<(), Error> {
        let state = match &self.trust {
            Trust::Trusted => return Ok(()),
            Trust::Changed => "they changed since you trusted them".to_owned(),
            Trust::Never => "you have not trusted them".to_owned(),
            Trust::Unusable(error) => match error.problems.first() {
                Some(problem) => problem.message.clone(),
                None => "they cannot be read".to_owned(),
            },
        };
        let message = format!("{} names catalogs, and {state}", self.file.display());
        let advice = "read them, then run `sky-accel config trust`; --no-config leaves them out";
        Err(Error::new(ErrorCode::ConfigUntrusted, message).advise(advice))
    }

    /// Trusts the catalogs as they are, and returns their SHA-256.
    ///
    /// # Errors
    ///
    /// As [`Self::sha256`] and [`revoke`].
    pub fn trust(&self) -> Result<String, Error> {
        let sha256 = self.sha256()?;
        let trusted = TrustedFile {
            file: self.file.clone(),
            project_sha256: self.project_sha256()?,
            sha256: sha256.clone(),
        };
        replace(&self.file, Some(trusted))?;
        Ok(sha256)
    }
}

/// Ends the trust in the catalogs of a project file.
///
/// # Errors
///
/// [`ErrorCode::Unwritable`] when the list of trusted files cannot be read or written.
pub fn revoke(file: &Path) -> Result<PathBuf, Error> {
    let file = canonical(file)?;
    replace(&file, None)?;
    Ok(file)
}

/// Puts an entry of the list in the place of what it has for the file.
fn replace(file: &Path, entry: Option<TrustedFile>) -> Result<(), Error> {
    let Some(store) = store() else {
        let message = "there is no home folder to keep the list of trusted files in";
        return Err(Error::new(ErrorCode::Unwritable, message));
    };
    let unwritable = |why: &dyn std::fmt::Display| files::unwritable(&store, why);
    let mut trusted = trusted_files().map_err(|error| unwritable(&error))?;
    trusted.retain(|trusted| trusted.file != *file);
    trusted.extend(entry);
    if let Some(folder) = store.parent() {
        fs::create_dir_all(folder).map_err(|error| unwritable(&error))?;
    }
    let text = serde_json::to_string_pretty(&trusted).map_err(|error| unwritable(&error))?;
    files::write(&store, format!("{text}\n").as_bytes())
}

fn canonical(file: &Path) -> Result<PathBuf, Error> {
    fs::canonicalize(file).map_err(|error| {
        let message = format!("cannot read the config file {}: {error}", file.display());
        Error::new(ErrorCode::ConfigUnreadable, message)
    })
}

/// The list of trusted files; empty where there is none yet.
fn trusted_files() -> io::Result<Vec<TrustedFile>> {
    let Some(store) = store().filter(|store| store.exists()) else {
        return Ok(Vec::new());
    };
    Ok(serde_json::from_str(&read_text(&store)?)?)
}

fn store() -> Option<PathBuf> {
    Some(super::data_folder()?.join("trusted.json"))
}
