//! Finds and reads the files of overlays.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::builtin::files;
use jiff::tz::TimeZone;
use sky_accel_catalog::{Layer, Source};
use sky_accel_files::input::read_regular;

use super::header;
use crate::code::ErrorCode;
use crate::digest::sha256;
use crate::error::{Error, Result};

/// The maximum size of a catalog file, in bytes.
const MAX_FILE_LEN: u64 = 100_000_000;
/// The maximum size of all overlays together, in bytes.
const MAX_OVERLAYS_LEN: u64 = 10 * MAX_FILE_LEN;
/// The maximum number of files and folders in an overlay folder.
const MAX_ENTRIES: usize = 10_000;

/// A file of an overlay.
#[derive(Debug)]
pub(super) struct OverlayFile {
    pub layer: Layer,
    pub path: PathBuf,
    pub metadata: Metadata,
    /// True for a compiled catalog, false for a source file.
    pub is_compiled: bool,
}

impl OverlayFile {
    /// The path for messages.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }
}

/// The files of overlays in order; later overlays have later layers.
pub(super) fn list(overlays: &[PathBuf]) -> Result<Vec<OverlayFile>> {
    let mut files = Vec::new();
    for (at, overlay) in overlays.iter().enumerate() {
        let found = overlay_files(overlay).map_err(|error| unreadable(overlay, &error))?;
        if found.is_empty() {
            return Err(unreadable(overlay, &"it contains no .toml or .csv file"));
        }
        for path in found {
            let metadata = fs::metadata(&path).map_err(|error| unreadable(&path, &error))?;
            files.push(OverlayFile {
                layer: Layer::overlay(at),
                is_compiled: header::is_compiled(&path, &metadata),
                path,
                metadata,
            });
        }
    }
    Ok(files)
}

/// The files starting with the last compiled catalog, which replaces all files before it.
pub(super) fn above_compiled(mut files: Vec<OverlayFile>) -> Result<Vec<OverlayFile>> {
    let Some(at) = files.iter().rposition(|file| file.is_compiled) else {
        return Ok(files);
    };
    let files = files.split_off(at);
    match files.get(1) {
        None => Ok(files),
        Some(later) => {
            let compiled = files[0].name();
            let why = format!(
                "no overlay can follow the compiled catalog {compiled}: compile both together"
            );
            Err(unreadable(&later.path, &why))
        }
    }
}

/// Reads the files of overlays.
pub(super) fn read(files: &[OverlayFile]) -> Result<Vec<Source>> {
    if let Some(file) = files.iter().find(|file| file.is_compiled) {
        let why = "it is a compiled catalog; source files are needed";
        return Err(unreadable(&file.path, &why));
    }
    texts(files)
}

/// The texts of overlay files; for a compiled catalog, its checksum.
fn texts(files: &[OverlayFile]) -> Result<Vec<Source>> {
    let mut bytes = 0;
    let read = |file: &OverlayFile| -> Result<Source> {
        let failed = |error: io::Error| unreadable(&file.path, &error);
        let text = if file.is_compiled {
            header::sum(&file.path).map_err(failed)?
        } else {
            read_catalog(&file.path).map_err(failed)?
        };
        bytes += text.len() as u64;
        if bytes > MAX_OVERLAYS_LEN {
            let max_mb = MAX_OVERLAYS_LEN / 1_000_000;
            let message = format!("with this file, overlays exceed {max_mb} MB");
            return Err(failed(io::Error::other(message)));
        }
        Ok(Source {
            layer: file.layer,
            file: file.name(),
            text: text.into(),
            day: day(&file.metadata),
            parsed: &[],
        })
    };
    files.iter().map(read).collect()
}

/// The files of the embedded catalog.
pub(super) fn embedded() -> impl Iterator<Item = Source> {
    files().iter().map(|file| Source {
        parsed: file.parsed,
        ..Source::embedded(file.path, file.text)
    })
}

/// The files of the embedded catalog and of the overlays.
pub(super) fn with_embedded(overlays: &[PathBuf]) -> Result<Vec<Source>> {
    let overlays = read(&list(overlays)?)?;
    Ok(embedded().chain(overlays).collect())
}

/// The date of the last modification of a file; empty if unknown.
fn day(metadata: &Metadata) -> String {
    let written = metadata.modified().ok();
    let written = written.and_then(|time| jiff::Timestamp::try_from(time).ok());
    written.map_or_else(String::new, |time| {
        time.to_zoned(TimeZone::UTC).date().to_string()
    })
}

/// The SHA-256 of all sources of a catalog with these overlays, as hexadecimal digits.
///
/// # Errors
///
/// The errors of [`Loaded::load`](super::Loaded::load).
pub fn digest(overlays: &[PathBuf]) -> Result<String> {
    let sources = texts(&list(overlays)?)?;
    let embedded = files().iter();
    let embedded = embedded.flat_map(|file| [file.path.as_bytes(), file.text.as_bytes()]);
    let added = sources.iter().map(|source| source.text.as_bytes());
    Ok(sha256(embedded.chain(added)))
}

/// The SHA-256 of a text and of the names and contents of all overlay files, as hexadecimal digits. The
/// files are not parsed.
///
/// # Errors
///
/// [`ErrorCode::CatalogUnreadable`] if a file cannot be read.
pub fn fingerprint(text: &str, overlays: &[PathBuf]) -> Result<String> {
    // Hash each part separately, so that different divisions of the same bytes have different digests.
    let mut sums = vec![sha256([text.as_bytes()])];
    let sources = texts(&list(overlays)?)?;
    sums.extend(content(&sources));
    Ok(sha256(sums.iter().map(String::as_bytes)))
}

/// The SHA-256 of the name and text of each source.
pub(super) fn content(sources: &[Source]) -> impl Iterator<Item = String> {
    sources
        .iter()
        .flat_map(|source| [source.file.as_bytes(), source.text.as_bytes()])
        .map(|part| sha256([part]))
}

pub(super) fn unreadable(path: &Path, error: &dyn std::fmt::Display) -> Error {
    let path = path.display();
    let message = format!("cannot read the overlay catalog {path}: {error}");
    Error::new(ErrorCode::CatalogUnreadable, message)
}

/// Reads a catalog file. It must be a regular file, because a pipe or a device may never end.
fn read_catalog(file: &Path) -> io::Result<String> {
    read_regular(file, MAX_FILE_LEN)
}

/// The files of an overlay, sorted by name: the file, or the TOML and CSV files in the folder and its
/// subfolders.
///
/// # Errors
///
/// A folder cannot be read.
pub fn overlay_files(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    find_files(path, 0, &mut 0, &mut files)?;
    files.sort();
    Ok(files)
}

/// Returns true if the path is a catalog file or a folder with catalog files.
pub fn has_files(path: &Path) -> bool {
    let mut files = Vec::new();
    find_files(path, 0, &mut 0, &mut files).is_ok() && !files.is_empty()
}

/// Adds the files at a path; `entries` counts all visited entries.
fn find_files(
    path: &Path,
    depth: usize,
    entries: &mut usize,
    found: &mut Vec<PathBuf>,
) -> io::Result<()> {
    if !fs::metadata(path)?.is_dir() {
        found.push(path.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        let path = entry?.path();
        *entries += 1;
        if *entries > MAX_ENTRIES {
            let message = format!("there are more than {MAX_ENTRIES} files and folders in it");
            return Err(io::Error::other(message));
        }
        let is_catalog = || {
            let extension = path.extension();
            extension.is_some_and(|extension| extension == "toml" || extension == "csv")
        };
        // Limit the depth because links may form a circle; skip anything but regular files.
        if path.is_dir() && depth < 8 {
            find_files(&path, depth + 1, entries, found)?;
        } else if path.is_file() && is_catalog() {
            found.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlays_are_files_of_folders_in_order_of_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        assert!(!has_files(root));
        let empty = list(&[root.to_owned()]).err().unwrap().to_string();
        let wanted = format!(
            "cannot read the overlay catalog {}: it contains no .toml or .csv file",
            root.display()
        );
        assert_eq!(empty, wanted);
        assert!(!has_files(&root.join("absent")));
        fs::create_dir(root.join("b")).unwrap();
        for name in ["z.toml", "b/c.csv", "a.toml", "notes.md", "b/toml"] {
            fs::write(root.join(name), "").unwrap();
        }
        let wanted = ["a.toml", "b/c.csv", "z.toml"].map(|name| root.join(name));
        assert_eq!(overlay_files(root).unwrap(), wanted);
        assert!(has_files(root) && has_files(&root.join("notes.md")));
        let single = root.join("notes.md");
        let files = list(&[single.clone(), root.to_owned()]).unwrap();
        let layers: Vec<_> = files.iter().map(|file| file.layer).collect();
        let (first, second) = (Layer::overlay(0), Layer::overlay(1));
        assert_eq!(layers, [first, second, second, second]);
        assert_eq!(files[0].path, single);
        assert!(files.iter().all(|file| !file.is_compiled));
    }

    #[test]
    fn folders_are_read_eight_deep() {
        let folder = tempfile::tempdir().unwrap();
        let mut path = folder.path().to_owned();
        let mut files = Vec::new();
        for _ in 0..9 {
            path.push("d");
            fs::create_dir(&path).unwrap();
            files.push(path.join("f.toml"));
            fs::write(path.join("f.toml"), "").unwrap();
        }
        let mut wanted = files[..8].to_vec();
        wanted.sort();
        assert_eq!(overlay_files(folder.path()).unwrap(), wanted);
    }

    #[test]
    fn sums_are_of_texts_and_fingerprints_of_names_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str, text: &str| {
            fs::write(folder.path().join(name), text).unwrap();
            vec![folder.path().join(name)]
        };
        let (first, same) = (path("a.toml", "# 1"), path("b.toml", "# 1"));
        let other = path("c.toml", "# 2");
        let sum = |overlays: &[PathBuf]| digest(overlays).unwrap();
        assert_eq!(sum(&first), sum(&same));
        assert!(sum(&first) != sum(&other) && sum(&first) != sum(&[]));
        let print = |text, overlays: &[PathBuf]| fingerprint(text, overlays).unwrap();
        assert_eq!(print("x", &first), print("x", &first));
        assert_ne!(print("x", &first), print("y", &first));
        assert_ne!(print("x", &first), print("x", &same));
        assert_ne!(print("x", &first), print("x", &[]));
    }
}
