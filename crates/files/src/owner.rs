//! Checks of file ownership.

use std::fs::Metadata;

/// Why a file may have been written by another user; `None` if only its owner or the superuser can write it.
#[cfg(unix)]
pub fn owner_fault(metadata: &Metadata) -> Option<&'static str> {
    use std::os::unix::fs::MetadataExt as _;

    let user = rustix::process::geteuid().as_raw();
    if ![user, 0].contains(&metadata.uid()) {
        return Some("it belongs to another user");
    }
    others_may_write(metadata).then_some("other users may write to it")
}

/// Returns true if other users may write to a file or folder.
#[cfg(unix)]
pub(crate) fn others_may_write(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    let user = rustix::process::geteuid().as_raw();
    // By convention, the private group of a user has the user's id.
    let others = if metadata.gid() == user { 0o002 } else { 0o022 };
    metadata.mode() & others != 0
}

/// Why a file may have been written by another user; `None` if only its owner or the superuser can write it.
#[cfg(not(unix))]
pub fn owner_fault(_: &Metadata) -> Option<&'static str> {
    None
}
