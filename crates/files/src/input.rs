//! Reads files of unknown origin: nothing here waits forever or reads more than a limit.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::descriptor::without_waiting;
use crate::system::retry;

/// The maximum size of a text, such as a plan, a lock file or a listing, in bytes.
pub const MAX_TEXT: u64 = 16 << 20;
/// The maximum size of a config file in bytes. A parsed file takes some fifty times as much memory.
pub const MAX_CONFIG: u64 = 256 << 10;

/// Opens a regular file. Anything else is an error: a pipe or a device may never end.
///
/// # Errors
///
/// The file cannot be opened or is not a regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    let file = retry(|| without_waiting(options.read(true), true).open(path))?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::other("it is not a regular file"))
    }
}

/// Reads a regular text file.
///
/// # Errors
///
/// The file cannot be read, is not a regular file or not UTF-8, or is larger than the limit.
pub fn read_regular(path: &Path, limit: u64) -> io::Result<String> {
    read_bounded(open_regular(path)?, limit)
}

/// Reads the bytes of a regular file.
///
/// # Errors
///
/// The file cannot be read, is not a regular file, or is larger than the limit.
pub fn read_bytes(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let input = open_regular(path)?;
    input.take(limit + 1).read_to_end(&mut bytes)?;
    within(bytes.len(), limit)?;
    Ok(bytes)
}

/// Reads a text file, pipe or device that the user names.
///
/// # Errors
///
/// The file cannot be read, is a folder or not UTF-8, or is larger than the limit; no program writes to
/// the pipe, or its writer is silent for too long.
pub fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    read_bounded(open(path)?, limit)
}

/// Reads a text to its end.
///
/// # Errors
///
/// The input cannot be read, is not UTF-8, or is larger than the limit.
pub fn read_bounded(input: impl Read, limit: u64) -> io::Result<String> {
    let mut text = String::new();
    let len = input.take(limit + 1).read_to_string(&mut text)?;
    within(len, limit)?;
    Ok(text)
}

/// Returns an error if a length exceeds a limit.
fn within(len: usize, limit: u64) -> io::Result<()> {
    if len as u64 > limit {
        let message = format!("it is larger than {}", size(limit));
        return Err(io::Error::other(message));
    }
    Ok(())
}

/// Returns a limit with its unit.
fn size(limit: u64) -> String {
    if limit.is_multiple_of(1 << 20) {
        format!("{} MiB", limit >> 20)
    } else if limit.is_multiple_of(1 << 10) {
        format!("{} KiB", limit >> 10)
    } else {
        format!("{} MB", limit / 1_000_000)
    }
}

/// Opens a file, pipe or device that the user names. Reading never waits forever.
///
/// # Errors
///
/// The file cannot be opened or is a folder.
pub fn open(path: &Path) -> io::Result<impl Read + use<>> {
    let mut options = File::options();
    let file = retry(|| without_waiting(options.read(true), true).open(path))?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::Error::new(
            io::ErrorKind::IsADirectory,
            "it is a folder, not a file",
        ));
    }
    Ok(input(path, file, &metadata))
}

#[cfg(not(unix))]
fn input(_: &Path, file: File, _: &std::fs::Metadata) -> File {
    file
}

#[cfg(unix)]
use self::pipe::input;

#[cfg(unix)]
mod pipe {
    use std::fs::{File, Metadata};
    use std::io::{self, Read};
    use std::path::Path;
    use std::time::{Duration, Instant};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    use crate::descriptor::{is_descriptor, is_pipe};

    /// The maximum time until a program opens a pipe for writing.
    const MAX_WAIT: Duration = Duration::from_secs(5);
    /// The maximum time between two parts of an input.
    const MAX_SILENCE: Duration = Duration::from_secs(30);

    pub(super) fn input(path: &Path, file: File, metadata: &Metadata) -> Input {
        Input {
            file,
            // A pipe with a name may not have a writer yet.
            is_begun: !is_pipe(metadata) || is_descriptor(path),
        }
    }

    /// An input whose reads do not wait; [`Read`] waits with a limit.
    pub(super) struct Input {
        file: File,
        /// Whether an end of the input is its real end, and not a pipe that no program writes to yet.
        is_begun: bool,
    }

    impl Read for Input {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            loop {
                match self.file.read(buffer) {
                    Ok(0) if !self.is_begun && !buffer.is_empty() => {
                        self.wait(MAX_WAIT, "no program writes to this pipe")?;
                    }
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        let seconds = MAX_SILENCE.as_secs();
                        self.wait(MAX_SILENCE, &format!("no input for {seconds} seconds"))?;
                    }
                    result => return result,
                }
                self.is_begun = true;
            }
        }
    }

    impl Input {
        fn wait(&self, limit: Duration, why: &str) -> io::Result<()> {
            let start = Instant::now();
            loop {
                let left = limit.saturating_sub(start.elapsed());
                let left = Timespec::try_from(left).ok();
                let mut files = [PollFd::new(&self.file, PollFlags::IN)];
                match poll(&mut files, left.as_ref()) {
                    Ok(0) => return Err(io::Error::new(io::ErrorKind::TimedOut, why)),
                    Ok(_) => return Ok(()),
                    Err(rustix::io::Errno::INTR) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;
    use std::process::Command;

    use super::*;

    fn pipe(folder: &Path) -> std::path::PathBuf {
        let path = folder.join("pipe");
        let made = Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        path
    }

    #[test]
    fn only_regular_files_are_regular() {
        let folder = tempfile::tempdir().unwrap();
        for path in [&pipe(folder.path()), folder.path(), Path::new("/dev/zero")] {
            let error = read_regular(path, 10).unwrap_err();
            assert_eq!(error.to_string(), "it is not a regular file");
        }
        let path = folder.path().join("file");
        fs::write(&path, "0123456789").unwrap();
        assert_eq!(read_regular(&path, 10).unwrap(), "0123456789");
        assert!(read_regular(&path, 9).is_err());
    }

    #[test]
    fn a_pipe_gives_what_its_writer_writes() {
        let folder = tempfile::tempdir().unwrap();
        let path = pipe(folder.path());
        let writer = {
            let path = path.clone();
            std::thread::spawn(move || {
                let mut file = File::options().write(true).open(path).unwrap();
                file.write_all(b"some text").unwrap();
            })
        };
        assert_eq!(read_text(&path, 100).unwrap(), "some text");
        writer.join().unwrap();
    }

    #[test]
    fn a_pipe_without_a_writer_fails() {
        let folder = tempfile::tempdir().unwrap();
        let error = read_text(&pipe(folder.path()), 100).unwrap_err();
        assert_eq!(error.to_string(), "no program writes to this pipe");
    }

    #[test]
    fn devices_are_read_up_to_the_limit() {
        assert_eq!(read_text(Path::new("/dev/null"), 100).unwrap(), "");
        let error = read_text(Path::new("/dev/zero"), 1 << 20).unwrap_err();
        assert_eq!(error.to_string(), "it is larger than 1 MiB");
        let error = read_text(Path::new("/"), 100).unwrap_err();
        assert_eq!(error.to_string(), "it is a folder, not a file");
    }
}
