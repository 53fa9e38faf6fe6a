//! Temporary files: files that do not have their final name yet, and leftovers of a killed program.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::removal::remove;

/// The prefix of their names; six letters and digits follow.
pub const PREFIX: &str = ".sky-accel-tmp-";

/// The age at which a file counts as a leftover.
const LEFT: Duration = Duration::from_secs(3600);

/// Returns true for the name of a temporary file.
pub fn is_temporary(name: &str) -> bool {
    let end = name.strip_prefix(PREFIX);
    end.is_some_and(|end| end.len() == 6 && end.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// Removes the leftovers in a folder that are at least an hour old. Links and folders are not
/// touched. Files that cannot be read or removed stay.
pub fn clean(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_ours = is_temporary(&entry.file_name().to_string_lossy());
        let is_left = || {
            let meta = entry.metadata().ok()?;
            let age = meta.modified().ok()?.elapsed().ok()?;
            Some(meta.is_file() && age >= LEFT)
        };
        if is_ours && is_left() == Some(true) {
            let _ = remove(&entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::time::{Duration, SystemTime};

    use super::{PREFIX, clean};

    #[test]
    fn removes_only_old_leftovers() {
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
        let mut remaining: Vec<String> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        remaining.sort();
        assert_eq!(
            remaining,
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
