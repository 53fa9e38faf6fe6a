//! Files that are not there yet under their names, and those that a killed program left.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;

/// The beginning of their names; six letters and digits follow.
pub const PREFIX: &str = ".sky-accel-tmp-";

/// The age at which nobody is writing one any more.
const LEFT: Duration = Duration::from_secs(3600);

/// The most bytes that are written at once.
const PIECE: usize = 1 << 16;

/// Whether a name is that of such a file.
pub fn is_temporary(name: &str) -> bool {
    let end = name.strip_prefix(PREFIX);
    end.is_some_and(|end| end.len() == 6 && end.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// Makes a folder that only its user can look into, unless it is there.
///
/// # Errors
///
/// The folder cannot be made.
pub fn create_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Writes a file of several parts as a whole or not at all, into a folder that is made for its user
/// alone where it is missing.
///
/// # Errors
///
/// The folder or the file cannot be written.
pub fn write_into(folder: &Path, name: &str, parts: &[&[u8]]) -> io::Result<()> {
    create_private(folder)?;
    clean(folder);
    let mut temporary = tempfile::Builder::new()
        .prefix(PREFIX)
        .tempfile_in(folder)?;
    // A file is cached in the pieces that it was written in. One that is mapped later has whole pieces
    // in memory wherever it is touched.
    for piece in parts.iter().flat_map(|part| part.chunks(PIECE)) {
        temporary.write_all(piece)?;
    }
    // A name must not survive a loss of power that its bytes did not.
    temporary.as_file().sync_data()?;
    temporary.persist(folder.join(name))?;
    Ok(())
}

/// Removes those in a folder that a killed program left an hour ago or more. Links and folders
/// are not touched. What cannot be read or removed stays.
pub fn clean(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_ours = is_temporary(&entry.file_name().to_string_lossy());
        let is_left = || {
            let meta = entry.metadata().ok()?;
            let age = meta.modified().ok()?.elapsed().ok()?;
            Some(meta.is_file() && age >= LEFT)
        };
        if is_ours && is_left() == Some(true) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::time::{Duration, SystemTime};

    use super::{PREFIX, clean};

    #[test]
    fn only_old_files_of_this_program_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let old = SystemTime::now() - Duration::from_secs(7200);
        for (name, is_old) in [("aaaaaa", true), ("bbbbbb", false), ("notes.md", true)] {
            let file = File::create(at(&format!("{PREFIX}{name}"))).unwrap();
            if is_old {
                file.set_modified(old).unwrap();
            }
        }
        let other = File::create(at(".tmpx")).unwrap();
        other.set_modified(old).unwrap();
        fs::create_dir(at(&format!("{PREFIX}folder"))).unwrap();
        clean(folder.path());
        let mut left: Vec<String> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(
            left,
            [
                ".sky-accel-tmp-bbbbbb",
                ".sky-accel-tmp-folder",
                ".sky-accel-tmp-notes.md",
                ".tmpx"
            ]
        );
        clean(&at("missing"));
    }
}
