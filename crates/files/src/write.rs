//! Writes files: the only code of the program that creates or changes a file.
//!
//! A path means what it means to the shell's `>`. Links are followed. A device, pipe or open stream gets the
//! bytes. A regular file is replaced atomically by a complete file with the same mode and owner, or written
//! in place if it cannot be replaced without a loss: it has several names or attributes, its owner cannot be
//! kept, or its folder cannot be written.

#[cfg(unix)]
use std::fs::Permissions;
use std::fs::{self, File, Metadata};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::NamedTempFile;

use crate::descriptor::{is_descriptor, own_stream, without_waiting};
use crate::removal::remove;
use crate::system::{folder_of, retry};
use crate::temporaries;

/// The maximum number of links on the way to a file, as in Linux.
const MAX_LINKS: usize = 40;
/// The maximum number of bytes per write. The page cache keeps a file in the pieces in which it was written; a mapped
/// file then needs fewer page faults, because each fault maps a whole piece.
const PIECE: usize = 1 << 16;
/// The maximum size of old contents that are kept in memory. Larger ones are kept in a file.
const MAX_IN_MEMORY: u64 = 64 << 20;
/// The maximum time until a program opens a pipe for reading.
const MAX_WAIT: Duration = Duration::from_secs(5);
/// The maximum number of attempts while other programs create and remove the same file.
const MAX_TRIES: usize = 16;

/// Who may use a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A new file has the mode of the process's umask; an existing file keeps its mode.
    Shared,
    /// As [`Self::Shared`], and each user who may read the file may execute it.
    Executable,
    /// Only the owner may read the file, new or not. It is always replaced and never written in place, and a
    /// device or pipe is an error.
    Private,
}

impl Access {
    fn of_new(self) -> u32 {
        match self {
            Self::Shared => 0o666,
            Self::Executable => 0o777,
            Self::Private => 0o600,
        }
    }

    /// The mode of a file that replaces a file.
    #[cfg(unix)]
    fn after(self, mode: u32) -> u32 {
        // The bits beside the permissions stay too. A write removes them where the shell's `>` would.
        let mode = mode & 0o7777;
        match self {
            Self::Shared => mode,
            Self::Executable => mode | ((mode & 0o444) >> 2),
            Self::Private => 0o600,
        }
    }
}

/// Writes a file: see the module.
///
/// # Errors
///
/// The file cannot be written. Except for a stream, its old contents remain.
pub fn write(path: &Path, parts: &[&[u8]], access: Access) -> io::Result<()> {
    prepare(path, parts, access)?.finish()
}

/// Checks that a file can be written, before the work that produces its contents.
///
/// # Errors
///
/// The file cannot be written.
pub fn probe(path: &Path, access: Access) -> io::Result<()> {
    temporaries::clean(folder_of(&Destination::of(path)?.path));
    prepare(path, &[], access).map(drop)
}

/// Checks that files can be created in a folder.
///
/// # Errors
///
/// No file can be created.
pub fn probe_folder(folder: &Path) -> io::Result<()> {
    temporaries::clean(folder);
    Temporary::new(&folder.join("file"), 0o600, &[]).map(drop)
}

/// Creates a folder and the folders above it.
///
/// # Errors
///
/// The folder cannot be created.
pub fn create_folder(path: &Path) -> io::Result<()> {
    retry(|| fs::create_dir_all(path))
}

/// A file that is ready to be written.
#[derive(Debug)]
#[must_use]
pub struct Prepared<'p> {
    place: Destination,
    parts: &'p [&'p [u8]],
    access: Access,
    step: Step,
}

/// The last step.
#[derive(Debug)]
enum Step {
    /// Gives a complete file its name, which no file has yet.
    Create(Temporary),
    /// Gives a complete file the name of an existing file.
    Replace(Temporary),
    /// Overwrites an existing file.
    Overwrite,
    /// Writes into a device, a pipe or an open stream.
    Send(Metadata),
}

/// Prepares a file, so that several files can be written together: nothing that a user sees has changed yet.
///
/// # Errors
///
/// The file cannot be written.
pub fn prepare<'p>(path: &Path, parts: &'p [&'p [u8]], access: Access) -> io::Result<Prepared<'p>> {
    let place = Destination::of(path)?;
    let step = match place.metadata()? {
        None => Step::Create(Temporary::new(&place.path, access.of_new(), parts)?),
        Some(metadata) if metadata.is_dir() => {
            return Err(io::Error::new(
                io::ErrorKind::IsADirectory,
                "it is a folder, not a file",
            ));
        }
        Some(metadata) if !metadata.is_file() || place.is_own_stream(&metadata) => {
            if access == Access::Private {
                return Err(io::Error::other("it is not a regular file"));
            }
            Step::Send(metadata)
        }
        Some(metadata) => over(&place, &metadata, parts, access)?,
    };
    Ok(Prepared {
        place,
        parts,
        access,
        step,
    })
}

/// Prepares to write over a regular file.
fn over(
    place: &Destination,
    metadata: &Metadata,
    parts: &[&[u8]],
    access: Access,
) -> io::Result<Step> {
    // A file that the user may not write stays, even if its folder can be written.
    let file = place.open(false)?;
    let can_overwrite = access != Access::Private;
    if can_overwrite && (place.is_descriptor || !can_replace(metadata, &file)) {
        return Ok(Step::Overwrite);
    }
    let temporary = Temporary::like(place, metadata, access, parts);
    match temporary {
        Ok(Some(temporary)) => Ok(Step::Replace(temporary)),
        Ok(None) if can_overwrite => Ok(Step::Overwrite),
        Ok(None) => Err(io::Error::other("it belongs to another user")),
        Err(error) if can_overwrite && is_denied(&error) => Ok(Step::Overwrite),
        Err(error) => Err(error),
    }
}

/// Returns true if the folder does not allow a replacement, or if the file is a mount, as in containers.
fn is_denied(error: &io::Error) -> bool {
    use io::ErrorKind as Kind;
    matches!(
        error.kind(),
        Kind::PermissionDenied
            | Kind::ReadOnlyFilesystem
            | Kind::ResourceBusy
            | Kind::CrossesDevices
    )
}

impl Prepared<'_> {
    /// Writes the file.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn finish(self) -> io::Result<()> {
        match self.step {
            Step::Create(temporary) => match temporary.create(&self.place.path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    again(&self.place.path, self.parts, self.access)
                }
                result => result,
            },
            Step::Replace(temporary) => match temporary.replace(&self.place.path) {
                Err(error) if self.access != Access::Private && is_denied(&error) => {
                    overwrite(&self.place, self.parts, self.access)
                }
                result => result,
            },
            Step::Overwrite => overwrite(&self.place, self.parts, self.access),
            Step::Send(metadata) => send(&self.place, &metadata, self.parts),
        }
    }
}

/// Writes a file that another program has created in the meantime.
fn again(path: &Path, parts: &[&[u8]], access: Access) -> io::Result<()> {
    for _ in 0..MAX_TRIES {
        let prepared = prepare(path, parts, access)?;
        if let Step::Create(temporary) = prepared.step {
            match temporary.create(path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                result => return result,
            }
        } else {
            return prepared.finish();
        }
    }
    Err(io::Error::from(io::ErrorKind::AlreadyExists))
}

/// The file to which a path leads.
#[derive(Debug)]
struct Destination {
    path: PathBuf,
    /// Whether the path is a link to something that a process has open.
    is_descriptor: bool,
}

impl Destination {
    fn of(path: &Path) -> io::Result<Self> {
        let mut path = path.to_owned();
        for _ in 0..MAX_LINKS {
            let is_link = match retry(|| fs::symlink_metadata(&path)) {
                Ok(metadata) => metadata.is_symlink(),
                Err(error) if error.kind() == io::ErrorKind::NotFound => false,
                Err(error) => return Err(error),
            };
            let is_descriptor = is_link && is_descriptor(&path);
            if !is_link || is_descriptor {
                return Ok(Self {
                    path,
                    is_descriptor,
                });
            }
            path = folder_of(&path).join(retry(|| fs::read_link(&path))?);
        }
        Err(io::Error::other("too many links"))
    }

    /// The metadata of the file; `None` if the file does not exist yet.
    fn metadata(&self) -> io::Result<Option<Metadata>> {
        match retry(|| fs::metadata(&self.path)) {
            Ok(metadata) => Ok(Some(metadata)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Opens the file for writing without changing it.
    fn open(&self, read: bool) -> io::Result<File> {
        let mut options = File::options();
        let options = without_waiting(options.read(read).write(true), true);
        retry(|| options.open(&self.path))
    }

    /// Returns true for the program's own output in a file: what follows on the same stream must not overwrite it.
    fn is_own_stream(&self, metadata: &Metadata) -> bool {
        self.is_descriptor && own_stream(metadata).is_some()
    }
}

/// A complete file with a temporary name, which is removed unless it gets another name.
#[derive(Debug)]
struct Temporary(Option<NamedTempFile>);

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(file) = &self.0 {
            let _ = remove(file.path());
        }
    }
}

impl Temporary {
    fn new(path: &Path, mode: u32, parts: &[&[u8]]) -> io::Result<Self> {
        let temporary = Self::empty(path, mode)?;
        temporary.fill(parts)?;
        Ok(temporary)
    }

    /// A file with the owner and the mode of another; `None` if the owner cannot be kept.
    fn like(
        place: &Destination,
        metadata: &Metadata,
        access: Access,
        parts: &[&[u8]],
    ) -> io::Result<Option<Self>> {
        // No other user may read the contents before the file has its owner and mode.
        let temporary = Self::empty(&place.path, 0o600)?;
        if let Some(file) = &temporary.0
            && !adopt(file.as_file(), metadata, access)?
        {
            return Ok(None);
        }
        temporary.fill(parts)?;
        Ok(Some(temporary))
    }

    fn empty(path: &Path, mode: u32) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(temporaries::PREFIX);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
        #[cfg(not(unix))]
        let _ = mode;
        let file = retry(|| builder.tempfile_in(folder_of(path)));
        // The name of the temporary file means nothing to the user.
        let file = file.map_err(|error| match error.to_string().split_once(" at path ") {
            Some((why, _)) => io::Error::new(error.kind(), why),
            None => error,
        })?;
        Ok(Self(Some(file)))
    }

    fn fill(&self, parts: &[&[u8]]) -> io::Result<()> {
        match &self.0 {
            Some(file) => {
                put(file.as_file(), parts)?;
                // Without this, a power failure could leave the final name on an incomplete file.
                synchronize(file.as_file())
            }
            None => Ok(()),
        }
    }

    /// Gives the file a name that no file has.
    fn create(mut self, path: &Path) -> io::Result<()> {
        let result = self.rename(|file| file.persist_noclobber(path));
        match result {
            // Not every file system can tell whether the name is free.
            Err(error)
                if !matches!(
                    error.kind(),
                    io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound
                ) && !path.exists() =>
            {
                self.rename(|file| file.persist(path))
            }
            result => result,
        }
    }

    /// Gives the file the name of another file, which it replaces.
    fn replace(mut self, path: &Path) -> io::Result<()> {
        self.rename(|file| file.persist(path))
    }

    fn rename(
        &mut self,
        rename: impl Fn(NamedTempFile) -> Result<File, tempfile::PersistError>,
    ) -> io::Result<()> {
        while let Some(file) = self.0.take() {
            let Err(failed) = rename(file) else { break };
            self.0 = Some(failed.file);
            if failed.error.kind() != io::ErrorKind::Interrupted {
                return Err(failed.error);
            }
        }
        Ok(())
    }
}

/// Returns true if a complete file can replace a file without losing its names or attributes.
#[cfg(unix)]
fn can_replace(metadata: &Metadata, file: &File) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) <= 1 && !has_attributes(file)
}

/// Returns true if a complete file can replace a file without losing its names or attributes.
#[cfg(not(unix))]
fn can_replace(_: &Metadata, _: &File) -> bool {
    true
}

/// Returns true if a file has attributes that its replacement would not have, such as an access control list.
#[cfg(target_os = "linux")]
fn has_attributes(file: &File) -> bool {
    let mut names = [0; 1024];
    match rustix::fs::flistxattr(file, &mut names[..]) {
        // The label of SELinux follows from the folder.
        Ok(len) => names[..len]
            .split(|byte| *byte == 0)
            .any(|name| !name.is_empty() && name != b"security.selinux"),
        // Too many to list.
        Err(rustix::io::Errno::RANGE) => true,
        Err(_) => false,
    }
}

/// Returns true if a file has attributes that its replacement would not have.
#[cfg(all(unix, not(target_os = "linux")))]
fn has_attributes(_: &File) -> bool {
    false
}

/// Gives a new file the owner and the mode of another; returns false if the owner cannot be kept.
#[cfg(unix)]
fn adopt(file: &File, old: &Metadata, access: Access) -> io::Result<bool> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};

    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        match retry(|| fchown(file, Some(old.uid()), Some(old.gid()))) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(false),
            result => result?,
        }
    }
    let mode = access.after(old.mode());
    retry(|| file.set_permissions(Permissions::from_mode(mode)))?;
    Ok(true)
}

/// Gives a new file the owner and the mode of another; returns false if the owner cannot be kept.
#[cfg(not(unix))]
fn adopt(_: &File, _: &Metadata, _: Access) -> io::Result<bool> {
    Ok(true)
}

/// Overwrites a file that cannot be replaced. If that fails, its old contents are restored; a file whose contents
/// cannot be kept is not overwritten.
fn overwrite(place: &Destination, parts: &[&[u8]], access: Access) -> io::Result<()> {
    let (mut file, old) = match place.open(true) {
        Ok(mut file) => {
            let old = OldContents::of(&mut file, MAX_IN_MEMORY)?;
            (file, old)
        }
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let file = place.open(false)?;
            if file.metadata()?.len() > 0 {
                let why = "it cannot be replaced, nor read to restore its contents after an error";
                return Err(io::Error::new(error.kind(), why));
            }
            (file, OldContents::Memory(Vec::new()))
        }
        Err(error) => return Err(error),
    };
    let len: usize = parts.iter().map(|part| part.len()).sum();
    reserve(&file, len as u64)?;
    let result = refill(&mut file, parts, len as u64);
    if result.is_err() {
        old.restore(&mut file)?;
    }
    result?;
    make_executable(&file, access);
    Ok(())
}

/// The contents of a file before it is overwritten.
#[derive(Debug)]
enum OldContents {
    Memory(Vec<u8>),
    /// A temporary file without a name.
    File(File),
}

impl OldContents {
    fn of(file: &mut File, max_in_memory: u64) -> io::Result<Self> {
        if file.metadata()?.len() > max_in_memory {
            let mut copy = retry(tempfile::tempfile)?;
            io::copy(file, &mut copy)?;
            return Ok(Self::File(copy));
        }
        let mut old = Vec::new();
        file.read_to_end(&mut old)?;
        Ok(Self::Memory(old))
    }

    fn restore(self, file: &mut File) -> io::Result<()> {
        match self {
            Self::Memory(old) => refill(file, &[&old], old.len() as u64),
            Self::File(mut old) => {
                file.seek(SeekFrom::Start(0))?;
                old.seek(SeekFrom::Start(0))?;
                let len = io::copy(&mut old, file)?;
                retry(|| file.set_len(len))?;
                synchronize(file)
            }
        }
    }
}

fn refill(file: &mut File, parts: &[&[u8]], len: u64) -> io::Result<()> {
    file.seek(SeekFrom::Start(0))?;
    put(file, parts)?;
    retry(|| file.set_len(len))?;
    synchronize(file)
}

/// Reserves space, so that a full disk and a limit of the file's size are found before anything is overwritten.
#[cfg(target_os = "linux")]
fn reserve(file: &File, len: u64) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    use rustix::io::Errno;
    use rustix::process::{Resource, getrlimit};

    if len == 0 {
        return Ok(());
    }
    // The file keeps its size, so the system does not compare the limit.
    let limit = getrlimit(Resource::Fsize).current;
    if limit.is_some_and(|limit| len > limit) {
        return Err(Errno::FBIG.into());
    }
    let is_too_large = |error: &io::Error| {
        let errors = [Errno::NOSPC, Errno::FBIG, Errno::DQUOT].map(Errno::raw_os_error);
        error
            .raw_os_error()
            .is_some_and(|error| errors.contains(&error))
    };
    match retry(|| Ok(fallocate(file, FallocateFlags::KEEP_SIZE, 0, len)?)) {
        Err(error) if is_too_large(&error) => Err(error),
        // Not every file system can reserve space.
        _ => Ok(()),
    }
}

/// Reserves space, so that a full disk is found before anything is overwritten.
#[cfg(not(target_os = "linux"))]
fn reserve(_: &File, _: u64) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn make_executable(file: &File, access: Access) {
    use std::os::unix::fs::PermissionsExt as _;

    if access == Access::Executable
        && let Ok(metadata) = file.metadata()
    {
        // If another user owns the file, only that user can change its mode.
        let mode = access.after(metadata.permissions().mode());
        let _ = file.set_permissions(Permissions::from_mode(mode));
    }
}

#[cfg(not(unix))]
fn make_executable(_: &File, _: Access) {}

/// Writes into a device, a pipe or an open stream.
fn send(place: &Destination, metadata: &Metadata, parts: &[&[u8]]) -> io::Result<()> {
    let file = match own_stream(metadata) {
        Some(stream) => stream,
        None => open_stream(place, metadata)?,
    };
    put(&file, parts)
}

/// Opens a device or pipe; a pipe needs a program that reads it.
#[cfg(unix)]
fn open_stream(place: &Destination, metadata: &Metadata) -> io::Result<File> {
    let start = Instant::now();
    let no_peer = Some(rustix::io::Errno::NXIO.raw_os_error());
    loop {
        match place.open(false) {
            Ok(file) => {
                crate::descriptor::wait_again(&file)?;
                return Ok(file);
            }
            Err(error) if error.raw_os_error() != no_peer => return Err(error),
            Err(_) if !crate::descriptor::is_pipe(metadata) => {
                return Err(io::Error::other("it is a socket or an absent device"));
            }
            Err(_) if start.elapsed() >= MAX_WAIT => {
                let why = "no program reads from this pipe";
                return Err(io::Error::new(io::ErrorKind::TimedOut, why));
            }
            Err(_) => std::thread::sleep(Duration::from_millis(10)),
        }
    }
}

/// Opens a device or pipe.
#[cfg(not(unix))]
fn open_stream(place: &Destination, _: &Metadata) -> io::Result<File> {
    let _ = (Instant::now(), MAX_WAIT);
    place.open(false)
}

fn put(mut file: &File, parts: &[&[u8]]) -> io::Result<()> {
    let pieces = parts.iter().flat_map(|part| part.chunks(PIECE));
    for piece in pieces {
        file.write_all(piece)?;
    }
    Ok(())
}

/// Waits until the contents of a file are on its disk.
fn synchronize(file: &File) -> io::Result<()> {
    match retry(|| file.sync_all()) {
        // Not every file system can.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        result => result,
    }
}

#[cfg(unix)]
#[cfg(test)]
#[path = "write_tests.rs"]
mod tests;
