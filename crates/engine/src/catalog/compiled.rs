//! The cache of compiled overlays, in a folder of the user's cache.
//!
//! There are two kinds of file. `<sum>.catalog` holds the tables compiled from sources with that checksum.
//! `<number>.sources` maps the names, sizes and modification times of source files to tables, so that
//! unchanged sources need not be read. Files are replaced atomically. A file that is damaged, from another
//! version, or writable by other users is ignored; failing to write only costs time.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::builtin::{EMBEDDED, fingerprint};
use sky_accel_catalog::{Source, Tables};
use sky_accel_core::catalog::{Catalog, NO_LAYOUT, mix};
use sky_accel_files::limits::{Limits, prune};
use sky_accel_files::private::{PrivateFolder, lock_within};
use sky_accel_mapping::Mapping;

use super::header::SUM_LEN;
use super::sources::{OverlayFile, content};
use crate::digest::sha256;

/// A file may change twice within the resolution of its modification time. A time more recent than this is
/// not trusted.
const UNSETTLED: Duration = Duration::from_secs(2);
/// A process that waits for another longer than a usual compilation takes compiles itself.
const LONGEST_TURN: Duration = Duration::from_secs(2);
/// The limits for each kind of file.
const LIMITS: Limits = Limits {
    bytes: 2 << 30,
    files: 16,
    age: Duration::from_secs(90 * 86_400),
};

/// Compiled tables in a file.
pub(super) struct CompiledFile(Mapping);

impl CompiledFile {
    pub fn catalog(&self) -> Catalog<'_> {
        Catalog::open(&self.0[SUM_LEN..]).unwrap_or_default()
    }
}

/// The folder of compiled overlays.
pub(super) struct Folder(PrivateFolder);

impl Folder {
    /// The folder at a path, whether it exists or not; `None` if other users may write to it.
    pub fn at(path: &Path) -> Option<Self> {
        PrivateFolder::at(path).ok().map(Self)
    }

    /// Takes a lock, so that processes that start together compile once instead of each using the memory of
    /// a compilation. The lock is released with the file. Returns `None` after a timeout, or if files
    /// cannot be locked.
    pub fn turn(&self) -> Option<File> {
        let file = self.0.lock_file("lock").ok()?;
        let is_locked = lock_within(&file, LONGEST_TURN).ok()?;
        is_locked.then_some(file)
    }

    /// The tables of source files that are unchanged since they were compiled.
    pub fn of_files(&self, files: &[OverlayFile]) -> Option<CompiledFile> {
        let file_description = description(files);
        let mut text = String::new();
        let file = self.0.open(&sources_file(&file_description)).ok()?;
        let max_len = SUM_LEN + file_description.len() + 1;
        file.take(max_len as u64).read_to_string(&mut text).ok()?;
        let (sum, described) = text.split_at_checked(SUM_LEN)?;
        if described != file_description {
            return None;
        }
        self.of_sum(sum)
    }

    /// The tables of sources; their names, sizes and times are recorded for the next lookup.
    pub fn of_sources(&self, files: &[OverlayFile], sources: &[Source]) -> Option<CompiledFile> {
        let sum = sources_sum(sources);
        let found = self.of_sum(&sum)?;
        self.remember(files, &sum);
        Some(found)
    }

    /// Stores the tables of sources.
    pub fn keep(&self, files: &[OverlayFile], sources: &[Source], tables: &Tables) {
        let sum = sources_sum(sources);
        let catalog = tables.catalog();
        let parts = [
            sum.as_bytes(),
            &catalog.tables_to_bytes(),
            catalog.pool.bytes(),
        ];
        let name = catalog_file(&sum);
        if self.0.write(&name, &parts).is_ok() {
            self.remember(files, &sum);
            self.clean();
        }
    }

    /// Stores a verified compiled catalog.
    pub fn keep_shipped(&self, file: &OverlayFile, bytes: &[u8]) -> Option<CompiledFile> {
        let sum = std::str::from_utf8(bytes.get(..SUM_LEN)?).ok()?;
        self.0.write(&catalog_file(sum), &[bytes]).ok()?;
        self.remember(std::slice::from_ref(file), sum);
        self.clean();
        self.of_sum(sum)
    }

    fn of_sum(&self, sum: &str) -> Option<CompiledFile> {
        // The name must not contain a path.
        if sum.len() != SUM_LEN || !sum.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let mapping = Mapping::of(&self.0.open(&catalog_file(sum)).ok()?).ok()?;
        let is_whole =
            mapping.starts_with(sum.as_bytes()) && Catalog::open(&mapping[SUM_LEN..]).is_ok();
        is_whole.then_some(CompiledFile(mapping))
    }

    fn remember(&self, files: &[OverlayFile], sum: &str) {
        let now = SystemTime::now();
        let is_settled = |file: &OverlayFile| {
            let age = file
                .metadata
                .modified()
                .ok()
                .and_then(|time| now.duration_since(time).ok());
            age.is_some_and(|age| age > UNSETTLED)
        };
        if files.iter().all(is_settled) {
            let file_description = description(files);
            let parts = [sum.as_bytes(), file_description.as_bytes()];
            let _ = self.0.write(&sources_file(&file_description), &parts);
        }
    }

    /// Removes the oldest files of each kind beyond the limits.
    fn clean(&self) {
        for kind in ["catalog", "sources"] {
            let is_kind = |path: &Path| path.extension().is_some_and(|end| end == kind);
            prune(self.0.path(), LIMITS, is_kind);
        }
    }
}

fn catalog_file(sum: &str) -> String {
    format!("{}.catalog", &sum[..SUM_LEN / 2])
}

/// The checksum of all inputs of the tables: the program, its catalog, and the sources.
fn sources_sum(sources: &[Source]) -> String {
    let program = program();
    let layers = sources
        .iter()
        .map(|source| format!("{} {}", source.layer.number(), source.day));
    let layers: Vec<String> = layers.collect();
    let texts: Vec<String> = content(sources).collect();
    let parts = [&program].into_iter().chain(&layers).chain(&texts);
    sha256(parts.map(String::as_bytes))
}

/// The file name for a description of sources. The file repeats the description, because names are hashes
/// and may collide.
fn sources_file(description: &str) -> String {
    let bytes = description.bytes().map(u64::from);
    format!("{:016x}.sources", bytes.fold(NO_LAYOUT, mix))
}

/// The names, sizes and modification times of sources, and the program version.
fn description(files: &[OverlayFile]) -> String {
    let mut text = program();
    for file in files {
        let _ = write!(
            text,
            "\n{} {} {}",
            file.layer.number(),
            file.metadata.len(),
            file.name()
        );
        if let Ok(written) = file.metadata.modified() {
            let _ = write!(text, " {}", nanoseconds(written));
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;

            let at = &file.metadata;
            // Programs can reset the modification time, but not the time of the last status change.
            let (seconds, nanoseconds) = (at.ctime(), at.ctime_nsec());
            let _ = write!(text, " {} {} {seconds} {nanoseconds}", at.dev(), at.ino());
        }
    }
    text
}

/// The nanoseconds between the start of 1970 and a time.
fn nanoseconds(time: SystemTime) -> u128 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH);
    since.unwrap_or_default().as_nanos()
}

/// The program and its catalog: other versions may compile the same sources differently.
fn program() -> String {
    let file = std::env::current_exe().and_then(fs::metadata);
    let file = file.and_then(|file| Ok((file.len(), nanoseconds(file.modified()?))));
    let (len, written) = file.unwrap_or_default();
    format!(
        "sky-accel {} {len} {written} with the catalog {} {}",
        env!("CARGO_PKG_VERSION"),
        EMBEDDED.version(),
        fingerprint()
    )
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::catalog::Loaded;

    #[test]
    fn processes_compile_one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Folder::at(&folder.path().join("catalogs")).unwrap();
        let first = folder.turn().unwrap();
        let (send, second) = mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(|| send.send(folder.turn().is_some()));
            std::thread::sleep(Duration::from_millis(100));
            assert!(second.try_recv().is_err(), "the second did not wait");
            drop(first);
            assert_eq!(second.recv(), Ok(true));
        });
    }

    #[test]
    fn a_process_that_holds_the_lock_delays_others_for_seconds_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("catalogs");
        let overlay = folder.path().join("overlay.toml");
        fs::write(&overlay, "[[vendor]]\nname = \"Acme\"\n").unwrap();
        let held = Folder::at(&path).unwrap().turn().unwrap();
        let loaded = Loaded::load(std::slice::from_ref(&overlay), Some(&path)).unwrap();
        assert!(!loaded.is_embedded());
        // Only who holds the lock stores tables.
        let stored = || fs::read_dir(&path).unwrap().count();
        assert_eq!(stored(), 1);
        drop(held);
        let _ = Loaded::load(&[overlay], Some(&path)).unwrap();
        assert!(stored() > 1);
    }

    #[cfg(unix)]
    #[test]
    fn ignores_a_folder_that_other_users_may_write_to() {
        use std::os::unix::fs::PermissionsExt as _;

        let home = tempfile::tempdir().unwrap();
        assert!(Folder::at(home.path()).is_some());
        fs::set_permissions(home.path(), fs::Permissions::from_mode(0o777)).unwrap();
        assert!(Folder::at(home.path()).is_none());
    }
}
