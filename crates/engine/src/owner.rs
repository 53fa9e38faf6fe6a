//! Checks of file ownership.

use std::fs::Metadata;

/// Why a file may have been written by another user; `None` if only its owner can write it.
#[cfg(unix)]
pub fn owner_fault(metadata: &Metadata) -> Option<&'static str> {
    use std::os::unix::fs::MetadataExt as _;

    let user = rustix::process::geteuid().as_raw();
    if metadata.uid() != user {
        return Some("it belongs to another user");
    }
    // By convention, the private group of a user has the user's id.
    let others = if metadata.gid() == user { 0o002 } else { 0o022 };
    (metadata.mode() & others != 0).then_some("other users may write to it")
}

/// Why a file may have been written by another user; `None` if only its owner can write it.
#[cfg(not(unix))]
pub fn owner_fault(_: &Metadata) -> Option<&'static str> {
    None
}
