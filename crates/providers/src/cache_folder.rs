//! The folder of cached answers and documents: what it may hold, and how its files are read and written.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use sky_accel_files::limits::{Limits, prune};
use sky_accel_files::private::PrivateFolder;

/// The limits of the folder: answers of all providers need about 60 MB, and no answer is used for longer than a week
/// without `offline`.
const LIMITS: Limits = Limits {
    bytes: 256 << 20,
    files: 4096,
    age: Duration::from_secs(30 * 86_400),
};
/// The number of bytes after which a run checks the limits again. Each file counts at least [`LEAST`].
const CHECKED_EVERY: u64 = 16 << 20;
/// The space that a small file needs.
const LEAST: u64 = 64 << 10;

/// Opens a file; `None` if it does not exist, or if another user may have written it.
pub(crate) fn open(folder: &Path, name: &str) -> Option<File> {
    PrivateFolder::at(folder).ok()?.open(name).ok()
}

/// Writes a file. Then the oldest files beyond the limits are removed.
pub(crate) fn write(folder: &Path, name: &str, parts: &[&[u8]]) -> io::Result<()> {
    /// The bytes that this run wrote since it last checked the limits.
    static WRITTEN: AtomicU64 = AtomicU64::new(CHECKED_EVERY);

    PrivateFolder::at(folder)?.write(name, parts)?;
    let len: usize = parts.iter().map(|part| part.len()).sum();
    let len = LEAST.max(len as u64);
    if WRITTEN.fetch_add(len, Ordering::Relaxed) + len >= CHECKED_EVERY {
        WRITTEN.store(0, Ordering::Relaxed);
        prune(folder, LIMITS, is_answer);
    }
    Ok(())
}

/// Returns true for the name of an answer or a document.
fn is_answer(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("feed-") || name.ends_with(".json")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn a_hostile_number_of_answers_does_not_stay() {
        let folder = tempfile::tempdir().unwrap();
        let before = SystemTime::now() - Duration::from_secs(3600);
        for at in 0..40_u64 {
            let name = ["feed-a-", "b-"][at as usize % 2];
            let end = ["", ".json"][at as usize % 2];
            let file = File::create(folder.path().join(format!("{name}{at}{end}"))).unwrap();
            file.set_len(24 << 20).unwrap();
            file.set_modified(before + Duration::from_secs(at)).unwrap();
        }
        let old = File::create(folder.path().join("b-old.json")).unwrap();
        old.set_modified(before - LIMITS.age).unwrap();
        // Each run checks the limits after its first file.
        for at in 0..300 {
            write(folder.path(), &format!("c-{at}.json"), &[b"{}"]).unwrap();
        }
        let entries = fs::read_dir(folder.path()).unwrap();
        let bytes: u64 = entries.map(|e| e.unwrap().metadata().unwrap().len()).sum();
        assert!(bytes <= LIMITS.bytes + CHECKED_EVERY, "{bytes}");
        assert!(bytes > LIMITS.bytes / 2, "the newest stay: {bytes}");
        assert!(!folder.path().join("b-old.json").exists());
        assert!(folder.path().join("b-39.json").exists());
    }
}
