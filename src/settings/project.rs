//! The project file: `sky-accel.toml` in the working directory.
//!
//! Anyone may have put it there, so it only sets preferences. Catalogs decide what users rent: catalogs
//! that it names are used only after the user trusted the current contents of both.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sky_accel_engine::catalog::{fingerprint, overlay_files};
use sky_accel_engine::{Error, ErrorCode};
use sky_accel_files::input::{MAX_CONFIG, MAX_TEXT, read_bounded};
use sky_accel_files::owner_fault;
use sky_accel_files::private::{PrivateFolder, fault_of_folder, open_owned};

use super::folders::data_folder;
use crate::files;

/// The name of the list of trusted files.
const TRUSTED: &str = "trusted.json";

/// Catalogs that a project file names.
#[derive(Debug)]
pub struct ProjectCatalogs {
    /// Absolute path of the project file.
    pub file: PathBuf,
    text: String,
    pub overlays: Vec<PathBuf>,
    trust: Trust,
}

/// The user's decision on a project's catalogs.
#[derive(Debug)]
enum Trust {
    Trusted,
    /// The user trusted earlier contents.
    Changed,
    Never,
    /// The project file is unchanged, but its catalogs cannot be read.
    Unusable(Error),
}

/// A project file whose catalogs the user has trusted.
#[derive(Debug, Deserialize, Serialize)]
struct TrustedFile {
    file: PathBuf,
    /// SHA-256 of the project file. If it differs, no catalog is read.
    project_sha256: String,
    /// SHA-256 of the project file and all files of its catalogs.
    sha256: String,
}

/// Returns why a project file must not be read; `None` if it may be.
pub(super) fn fault(file: &Path) -> Option<&'static str> {
    let metadata = fs::symlink_metadata(file).ok()?;
    if metadata.is_file() {
        owner_fault(&metadata)
    } else {
        Some("it is a link or not a regular file")
    }
}

/// Reads a project file. The open file is checked as in [`fault`], because another may have taken its place.
pub(super) fn read(file: &Path) -> io::Result<String> {
    read_bounded(open_owned(file, false)?, MAX_CONFIG)
}

impl ProjectCatalogs {
    /// Returns the catalogs that a project file names. Catalogs that the user has not trusted are not
    /// opened.
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

    /// Returns the SHA-256 of the project file and all files of its catalogs.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::CatalogUnreadable`] if a file cannot be read or another user may have written it.
    pub fn sha256(&self) -> Result<String, Error> {
        for overlay in &self.overlays {
            check_owner(overlay)?;
        }
        fingerprint(&self.text, &self.overlays)
    }

    /// Checks that commands may use the catalogs.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::ConfigUntrusted`] unless the user trusts the catalogs and they can be read.
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

    /// Trusts the current contents of the catalogs and returns their SHA-256.
    ///
    /// # Errors
    ///
    /// Same as [`Self::sha256`] and [`revoke`].
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

/// Checks that only the user may have written an overlay: its files, and the folders between them and the overlay.
///
/// # Errors
///
/// [`ErrorCode::CatalogUnreadable`] if a file cannot be read or another user may have written it.
pub(super) fn check_owner(overlay: &Path) -> Result<(), Error> {
    let unusable = |path: &Path, why: &dyn std::fmt::Display| {
        let message = format!("cannot use the overlay catalog {}: {why}", path.display());
        Error::new(ErrorCode::CatalogUnreadable, message)
    };
    for file in overlay_files(overlay).map_err(|error| unusable(overlay, &error))? {
        open_owned(&file, true).map_err(|error| unusable(&file, &error))?;
        let folders = file.ancestors().skip(1);
        for folder in folders.take_while(|folder| folder.starts_with(overlay)) {
            if let Some(why) = fault_of_folder(folder) {
                return Err(unusable(folder, &why));
            }
        }
    }
    Ok(())
}

/// Revokes the trust in the catalogs of a project file.
///
/// # Errors
///
/// [`ErrorCode::Unwritable`] if the list of trusted files cannot be read or written.
pub fn revoke(file: &Path) -> Result<PathBuf, Error> {
    let file = canonical(file)?;
    replace(&file, None)?;
    Ok(file)
}

/// Replaces the entry of a file in the list of trusted files.
fn replace(file: &Path, entry: Option<TrustedFile>) -> Result<(), Error> {
    let Some(folder) = data_folder() else {
        let message = "cannot store the list of trusted files: no home folder is known";
        return Err(Error::new(ErrorCode::Unwritable, message));
    };
    let store = folder.join(TRUSTED);
    let unwritable = |why: &dyn std::fmt::Display| files::unwritable(&store, why);
    let mut trusted = trusted_files().map_err(|error| unwritable(&error))?;
    trusted.retain(|trusted| trusted.file != *file);
    trusted.extend(entry);
    let text = serde_json::to_string_pretty(&trusted).map_err(|error| unwritable(&error))?;
    PrivateFolder::at(&folder)
        .and_then(|folder| folder.write(TRUSTED, &[text.as_bytes(), b"\n"]))
        .map_err(|error| unwritable(&error))
}

fn canonical(file: &Path) -> Result<PathBuf, Error> {
    fs::canonicalize(file).map_err(|error| {
        let message = format!("cannot read the config file {}: {error}", file.display());
        Error::new(ErrorCode::ConfigUnreadable, message)
    })
}

/// Reads the list of trusted files; empty if no list exists yet.
fn trusted_files() -> io::Result<Vec<TrustedFile>> {
    let Some(folder) = data_folder() else {
        return Ok(Vec::new());
    };
    let file = match PrivateFolder::at(&folder)?.open(TRUSTED) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    Ok(serde_json::from_str(&read_bounded(file, MAX_TEXT)?)?)
}
