//! Paths to what a process has open, such as `/dev/stdout` and `/proc/self/fd/63`, and flags for opening a path.

use std::fs::{File, Metadata, OpenOptions};
use std::path::Path;

use crate::system::folder_of;

/// Returns true if a link leads to something that a process has open, not to a name.
#[cfg(unix)]
pub(crate) fn is_descriptor(path: &Path) -> bool {
    let folder = std::fs::canonicalize(folder_of(path)).unwrap_or_default();
    folder.starts_with("/proc") || folder.starts_with("/dev/fd")
}

/// Returns true if a link leads to something that a process has open, not to a name.
#[cfg(not(unix))]
pub(crate) fn is_descriptor(path: &Path) -> bool {
    let _ = folder_of(path);
    false
}

/// Opens without waiting for the other end of a pipe, and without taking a terminal.
#[cfg(unix)]
pub(crate) fn without_waiting(options: &mut OpenOptions, follow: bool) -> &mut OpenOptions {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt as _;

    let mut flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    if !follow {
        flags |= OFlags::NOFOLLOW;
    }
    options.custom_flags(flags.bits().cast_signed())
}

/// Opens without waiting for the other end of a pipe, and without taking a terminal.
#[cfg(not(unix))]
pub(crate) fn without_waiting(options: &mut OpenOptions, _: bool) -> &mut OpenOptions {
    options
}

/// Lets reads and writes wait again.
#[cfg(unix)]
pub(crate) fn wait_again(file: &File) -> std::io::Result<()> {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

    Ok(fcntl_setfl(file, fcntl_getfl(file)? - OFlags::NONBLOCK)?)
}

/// Returns true for a pipe.
#[cfg(unix)]
pub(crate) fn is_pipe(metadata: &Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&metadata.file_type())
}

/// Returns standard output or standard error if it is this file. A socket cannot be opened by its path, and
/// a regular file would be written twice from its start.
#[cfg(unix)]
pub(crate) fn own_stream(metadata: &Metadata) -> Option<File> {
    use std::os::fd::AsFd as _;
    use std::os::unix::fs::MetadataExt as _;

    let (output, errors) = (std::io::stdout(), std::io::stderr());
    [output.as_fd(), errors.as_fd()]
        .into_iter()
        .filter_map(|stream| Some(File::from(stream.try_clone_to_owned().ok()?)))
        .find(|stream| {
            stream.metadata().is_ok_and(|stream| {
                (stream.dev(), stream.ino()) == (metadata.dev(), metadata.ino())
            })
        })
}

/// Returns standard output or standard error if it is this file.
#[cfg(not(unix))]
pub(crate) fn own_stream(_: &Metadata) -> Option<File> {
    None
}
