//! Folders whose files only the user may have written: caches and records of trust. Their folders are created
//! with mode 0700 and their files with mode 0600, whatever the umask is.

use std::fs::{self, File, Metadata, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::descriptor::without_waiting;
use crate::owner::owner_fault;
use crate::system::{folder_of, retry};
use crate::temporaries;
use crate::write::{Access, write};

/// The time between two attempts to lock a file.
const POLL: Duration = Duration::from_millis(20);

/// A folder of the user, whether it exists or not.
#[derive(Debug)]
pub struct PrivateFolder {
    path: PathBuf,
}

impl PrivateFolder {
    /// Checks that only the user can write to a folder.
    ///
    /// # Errors
    ///
    /// The folder belongs to another user, or other users can write to it or replace it.
    pub fn at(path: &Path) -> io::Result<Self> {
        match retry(|| fs::metadata(path)) {
            Ok(metadata) => {
                if !metadata.is_dir() {
                    return Err(io::Error::other("it is not a folder"));
                }
                if let Some(why) = folder_fault(path, &metadata) {
                    return Err(io::Error::other(why));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        Ok(Self {
            path: path.to_owned(),
        })
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a file of the folder for reading.
    ///
    /// # Errors
    ///
    /// It cannot be opened, is not a regular file, belongs to another user, or other users can write to it.
    pub fn open(&self, name: &str) -> io::Result<File> {
        open_owned(&self.path.join(name), false)
    }

    /// Writes a file atomically from several parts; creates the folder if it is missing.
    ///
    /// # Errors
    ///
    /// The folder or the file cannot be written.
    pub fn write(&self, name: &str, parts: &[&[u8]]) -> io::Result<()> {
        create_private(&self.path)?;
        temporaries::clean(&self.path);
        write(&self.path.join(name), parts, Access::Private)
    }

    /// Opens a file for locking; creates it and the folder if they are missing.
    ///
    /// # Errors
    ///
    /// The folder or the file cannot be written, or the file is a link, not a regular file, or not the user's.
    pub fn lock_file(&self, name: &str) -> io::Result<File> {
        owned(lock_file(&self.path, name)?)
    }
}

/// Opens a file for locking; creates it and its folder, only for the user, if they are missing.
///
/// # Errors
///
/// The folder or the file cannot be written, or the file is a link or not a regular file.
pub fn lock_file(folder: &Path, name: &str) -> io::Result<File> {
    create_private(folder)?;
    let mut options = File::options();
    options.create(true).write(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let path = folder.join(name);
    let file = retry(|| without_waiting(&mut options, false).open(&path))?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::other("it is not a regular file"))
    }
}

/// Locks a file that [`lock_file`] opened; waits no longer than `limit`, since another user may hold the lock of a
/// shared folder forever. Returns whether it is locked now.
///
/// # Errors
///
/// The system cannot lock the file.
pub fn lock_within(file: &File, limit: Duration) -> io::Result<bool> {
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if start.elapsed() < limit => std::thread::sleep(POLL),
            Err(TryLockError::WouldBlock) => return Ok(false),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// Opens a file that only the user may have written; a link is followed if `follow` is true.
///
/// # Errors
///
/// It cannot be opened, is not a regular file, belongs to another user, or other users can write to it.
pub fn open_owned(path: &Path, follow: bool) -> io::Result<File> {
    let mut options = File::options();
    owned(retry(|| {
        without_waiting(options.read(true), follow).open(path)
    })?)
}

/// Checks an open file, not its path: the path may lead elsewhere by now.
fn owned(file: File) -> io::Result<File> {
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    match owner_fault(&metadata) {
        None => Ok(file),
        Some(why) => Err(io::Error::other(why)),
    }
}

/// Why another user may have put files into a folder; `None` if only its owner can.
fn folder_fault(path: &Path, metadata: &Metadata) -> Option<&'static str> {
    owner_fault(metadata).or_else(|| {
        let above = fs::canonicalize(path).ok()?;
        let above = fs::metadata(folder_of(&above)).ok()?;
        is_open(&above).then_some("other users may replace its folder")
    })
}

/// Returns true if other users can replace the entries of a folder. With the sticky bit, as in `/tmp`, only the
/// owners of entries can.
#[cfg(unix)]
fn is_open(metadata: &Metadata) -> bool {
    let is_sticky = std::os::unix::fs::MetadataExt::mode(metadata) & 0o1000 != 0;
    !is_sticky && crate::owner::others_may_write(metadata)
}

/// Returns true if other users can replace the entries of a folder.
#[cfg(not(unix))]
fn is_open(_: &Metadata) -> bool {
    false
}

/// Why another user may have written the files of a folder; `None` if only its owner can, or if it is a file.
pub fn fault_of_folder(path: &Path) -> Option<&'static str> {
    let metadata = fs::metadata(path).ok()?;
    metadata
        .is_dir()
        .then(|| folder_fault(path, &metadata))
        .flatten()
}

/// Creates a folder that only its owner can read, unless it exists.
///
/// # Errors
///
/// The folder cannot be created.
pub fn create_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    retry(|| builder.create(folder))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

    use super::*;

    fn chmod(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn writes_with_private_modes() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a/b");
        let folder = PrivateFolder::at(&path).unwrap();
        folder.write("file", &[b"one ", b"text"]).unwrap();
        let _lock = folder.lock_file("lock").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
        for folder in [&path, &home.path().join("a")] {
            assert_eq!(mode(folder), 0o700);
        }
        for name in ["file", "lock"] {
            assert_eq!(mode(&path.join(name)), 0o600);
        }
        assert_eq!(fs::read(path.join("file")).unwrap(), b"one text");
        assert!(folder.open("file").is_ok());
    }

    #[test]
    fn a_lock_that_another_process_holds_is_given_up() {
        let home = tempfile::tempdir().unwrap();
        let [first, second] = [(); 2].map(|()| lock_file(home.path(), "lock").unwrap());
        assert!(lock_within(&first, Duration::ZERO).unwrap());
        for limit in [Duration::ZERO, 2 * POLL] {
            assert!(!lock_within(&second, limit).unwrap());
        }
        drop(first);
        assert!(lock_within(&second, Duration::ZERO).unwrap());
    }

    #[test]
    fn ignores_what_other_users_may_write() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("folder");
        let folder = PrivateFolder::at(&path).unwrap();
        folder.write("file", &[b"text"]).unwrap();
        chmod(&path.join("file"), 0o666);
        assert!(folder.open("file").is_err());
        chmod(&path.join("file"), 0o600);
        symlink("file", path.join("link")).unwrap();
        assert!(folder.open("link").is_err(), "a link");
        assert!(folder.lock_file("link").is_err(), "a link");
        assert!(open_owned(&path.join("link"), true).is_ok());
        let made = std::process::Command::new("mkfifo")
            .arg(path.join("pipe"))
            .status()
            .unwrap();
        assert!(made.success());
        assert!(folder.open("pipe").is_err(), "a pipe");
        assert!(folder.lock_file("pipe").is_err(), "a pipe");
        assert!(folder.open(".").is_err(), "a folder");
        chmod(&path, 0o777);
        assert!(PrivateFolder::at(&path).is_err());
        chmod(&path, 0o700);
        chmod(home.path(), 0o777);
        assert!(PrivateFolder::at(&path).is_err(), "it can be replaced");
        chmod(home.path(), 0o1777);
        assert!(PrivateFolder::at(&path).is_ok(), "it cannot be replaced");
    }
}
