//! Entry point for fuzzing completion.

use std::ffi::OsString;
use std::path::Path;

/// Completes the last word of a command line in a folder, and returns the number of candidates.
///
/// # Errors
///
/// Fails if the folder cannot be read.
pub fn complete(words: Vec<OsString>, folder: &Path) -> std::io::Result<usize> {
    let texts: Vec<String> = words
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let last = words.len().saturating_sub(1);
    let mut command = crate::completion::command(&texts);
    let found = clap_complete::engine::complete(&mut command, words, last, Some(folder))?;
    Ok(found.len())
}
