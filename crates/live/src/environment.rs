//! The environment of the process, where providers look for keys.

use std::path::Path;

use sky_accel_files::input::read_regular;

/// The maximum size of a credentials file in bytes.
pub(crate) const MAX_CREDENTIALS: u64 = 1 << 20;

/// Returns the value of an environment variable. Invalid UTF-8 is replaced, so that such a key is
/// refused and not reported as missing.
pub(crate) fn variable(name: &str) -> Option<String> {
    Some(std::env::var_os(name)?.to_string_lossy().into_owned())
}

/// Returns the text of a credentials file; `None` if it cannot be read, is too large or is not a
/// regular file.
pub(crate) fn read(path: &Path) -> Option<String> {
    read_regular(path, MAX_CREDENTIALS).ok()
}
