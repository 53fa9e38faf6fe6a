//! Limits of the cache folders.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::removal::remove;

/// The bounds of a cache folder.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The maximum number of bytes of all files.
    pub bytes: u64,
    /// The maximum number of files.
    pub files: usize,
    /// The maximum time since a file was written.
    pub age: Duration,
}

/// Removes files beyond the limits, the oldest first. The newest file stays. Files whose names are not `ours`,
/// links and folders are not touched.
pub fn prune(folder: &Path, limits: Limits, ours: impl Fn(&Path) -> bool) {
    let mut files: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if !ours(&path) {
            continue;
        }
        let Ok(metadata) = entry.metadata() else {
            continue;
        };
        if let (true, Ok(written)) = (metadata.is_file(), metadata.modified()) {
            files.push((written, metadata.len(), path));
        }
    }
    files.sort_unstable_by(|a, b| b.cmp(a));
    let mut bytes = 0;
    for (at, (written, len, path)) in files.iter().enumerate() {
        bytes += len;
        let is_old = written.elapsed().is_ok_and(|age| age > limits.age);
        if at > 0 && (bytes > limits.bytes || at >= limits.files || is_old) {
            let _ = remove(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    const LIMITS: Limits = Limits {
        bytes: 1000,
        files: 5,
        age: Duration::from_secs(86_400),
    };

    /// Prunes a folder of files, each with a size and an age in hours, and returns the remaining ones.
    fn remaining(files: &[(u64, u64)]) -> Vec<usize> {
        let folder = tempfile::tempdir().unwrap();
        let path = |at: usize| folder.path().join(format!("{at}.json"));
        for (at, (len, hours)) in files.iter().enumerate() {
            let file = File::create(path(at)).unwrap();
            file.set_len(*len).unwrap();
            let age = Duration::from_secs(hours * 3600);
            file.set_modified(SystemTime::now() - age).unwrap();
        }
        File::create(folder.path().join("other.txt"))
            .and_then(|file| file.set_len(5000))
            .unwrap();
        prune(folder.path(), LIMITS, |path| {
            path.extension().is_some_and(|end| end == "json")
        });
        assert!(folder.path().join("other.txt").exists());
        (0..files.len()).filter(|at| path(*at).exists()).collect()
    }

    #[test]
    fn the_oldest_files_beyond_a_limit_are_removed() {
        assert_eq!(remaining(&[(400, 3), (400, 1), (400, 2)]), [1, 2], "size");
        assert_eq!(remaining(&[(1, 30), (1, 23), (1, 25)]), [1], "age");
        let many: Vec<_> = (0..7).map(|hours| (1, hours)).collect();
        assert_eq!(remaining(&many), [0, 1, 2, 3, 4], "number");
        assert_eq!(remaining(&[(5000, 0), (1, 1)]), [0], "the newest stays");
    }
}
