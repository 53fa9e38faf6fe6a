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
    mode_of_others(metadata) & 0o022 != 0
}

/// Returns the permissions of users other than the owner.
#[cfg(unix)]
fn mode_of_others(metadata: &Metadata) -> u32 {
    use std::os::unix::fs::MetadataExt as _;

    let user = rustix::process::geteuid().as_raw();
    // By convention, the private group of a user has the user's id.
    let others = if metadata.gid() == user { 0o007 } else { 0o077 };
    metadata.mode() & others
}

/// Returns true if other users may read a file.
#[cfg(unix)]
pub fn others_may_read(metadata: &Metadata) -> bool {
    mode_of_others(metadata) & 0o044 != 0
}

/// Returns true if other users may read a file.
#[cfg(not(unix))]
pub fn others_may_read(_: &Metadata) -> bool {
    false
}

/// Why a file may have been written by another user; `None` if only its owner or the superuser can write it.
#[cfg(not(unix))]
pub fn owner_fault(_: &Metadata) -> Option<&'static str> {
    None
}
