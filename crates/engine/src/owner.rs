//! Whose files are.

use std::fs::Metadata;

/// Why what a file says cannot be the user's own words; `None` when it can.
#[cfg(unix)]
pub fn owner_fault(metadata: &Metadata) -> Option<&'static str> {
    use std::os::unix::fs::MetadataExt as _;

    let user = rustix::process::geteuid().as_raw();
    if metadata.uid() != user {
        return Some("it belongs to another user");
    }
    // The group that a user has to themselves has the user's number.
    let others = if metadata.gid() == user { 0o002 } else { 0o022 };
    (metadata.mode() & others != 0).then_some("other users may write to it")
}

/// Why what a file says cannot be the user's own words; `None` when it can.
#[cfg(not(unix))]
pub fn owner_fault(_: &Metadata) -> Option<&'static str> {
    None
}
