//! Small files that the user or a variable names: only regular files of a limited size are read,
//! because a pipe or a device may never end.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

/// Checks that a file is regular and not too large. Returns its size in bytes.
///
/// # Errors
///
/// Fails if the file cannot be found, is not a regular file, or has more than `max_bytes`.
pub fn check_named_file(path: &Path, max_bytes: u64) -> io::Result<u64> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    if metadata.len() > max_bytes {
        return Err(too_large(max_bytes));
    }
    Ok(metadata.len())
}

/// Reads a file.
///
/// # Errors
///
/// Fails as [`check_named_file`], and if the file cannot be read.
pub fn read_named_file(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let len = check_named_file(path, max_bytes)?;
    let mut bytes = Vec::new();
    // The endless files of the kernel, such as /proc/kmsg, claim to be empty regular files.
    if len == 0 {
        return Ok(bytes);
    }
    File::open(path)?
        .take(max_bytes + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        return Err(too_large(max_bytes));
    }
    Ok(bytes)
}

fn too_large(max_bytes: u64) -> io::Error {
    io::Error::other(format!("it is larger than {} MiB", max_bytes >> 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_only_small_regular_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        fs::write(&path, "key").unwrap();
        assert_eq!(read_named_file(&path, 1 << 20).unwrap(), b"key");
        let reason = |path: &Path| read_named_file(path, 1 << 20).unwrap_err().to_string();
        assert_eq!(reason(folder.path()), "it is not a regular file");
        // A sparse file.
        File::create(&path).unwrap().set_len((1 << 20) + 1).unwrap();
        assert_eq!(reason(&path), "it is larger than 1 MiB");
        #[cfg(unix)]
        assert_eq!(reason(Path::new("/dev/zero")), "it is not a regular file");
    }
}
