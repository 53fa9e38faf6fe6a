//! Writes to a folder of overlays: one process at a time, and each file completely or not at all.

use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

use sky_accel_engine::{Error, ErrorCode};
use sky_accel_files::private::{PrivateFolder, lock_file, lock_within};
use sky_accel_files::write::{self, Access, prepare};
use sky_accel_files::{remove, temporaries};

use crate::context::Result;
use crate::ui::Ui;

/// The name of the file that is locked.
const LOCK: &str = ".lock";

/// An update of every provider is finished by then; in a shared folder, another user may hold the lock forever.
const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// Writes a file.
pub fn write_file(file: &Path, text: &str, access: Access) -> std::result::Result<(), Error> {
    let text: &[&[u8]] = &[text.as_bytes()];
    let ready = prepare(file, text, access).map_err(|error| unwritable(file, &error))?;
    ready.finish().map_err(|error| unwritable(file, &error))
}

/// Locks a folder; only the user may be able to write to the user's own. A second update waits for the first to finish.
pub fn lock(folder: &Path, is_own: bool, ui: &mut Ui) -> Result<File> {
    let unwritable = |error: &dyn std::fmt::Display| unwritable(folder, error);
    if is_own {
        PrivateFolder::at(folder).map_err(|error| unwritable(&error))?;
    }
    let lock = lock_file(folder, LOCK).map_err(|error| unwritable(&format!("{LOCK}: {error}")))?;
    let wait = |limit| lock_within(&lock, limit).map_err(|error| unwritable(&error));
    if !wait(Duration::ZERO)? {
        ui.footer("waiting for another update to finish")?;
        if !wait(LONGEST_WAIT)? {
            let error = unwritable(&format!("another process still holds {LOCK}"));
            return Err(error
                .advise("end that process, or set another folder with --into")
                .into());
        }
    }
    // Remove temporary files of an update that was killed.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        // Only the holder of the lock writes here, so even new files are leftovers.
        if temporaries::is_temporary(&entry.file_name().to_string_lossy()) {
            let _ = remove(&entry.path());
        }
    }
    // Fail before any request if the folder is not writable.
    write::probe_folder(folder).map_err(|error| unwritable(&error))?;
    Ok(lock)
}

/// The error for a file or folder that cannot be written.
pub fn unwritable(path: &Path, why: &dyn std::fmt::Display) -> Error {
    let message = format!("cannot write {}: {why}", path.display());
    Error::new(ErrorCode::CatalogUnwritable, message)
}

/// The user's own catalog is trusted, so only the user may write it; another folder may be for others too.
pub fn access(is_own: bool) -> Access {
    if is_own {
        Access::Private
    } else {
        Access::Shared
    }
}
