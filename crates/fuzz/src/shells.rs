//! Command lines that a shell completes.

use std::ffi::OsString;
use std::fs;

use crate::input::text;

/// The longest file name of most file systems.
const MAX_NAME: usize = 255;

/// Completes the last of several words, one a line, in a folder with a file whose name is the first line.
pub(crate) fn completion(bytes: &[u8]) {
    let (Some(text), Ok(folder)) = (text(bytes), tempfile::tempdir()) else {
        return;
    };
    let (name, words) = text.split_once('\n').unwrap_or_default();
    if !name.is_empty() && name.len() <= MAX_NAME && !name.contains(['/', '\0']) {
        // Names that the file system refuses make no file.
        let _ = fs::write(folder.path().join(name), []);
    }
    let words = words.split('\n').map(OsString::from);
    let words = std::iter::once(OsString::from("sky-accel")).chain(words);
    let _ = sky_accel::fuzzing::complete(words.collect(), folder.path());
}
