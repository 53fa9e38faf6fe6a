//! Memory-mapped files, of which only the pages in use take memory.

use std::fs::File;
use std::io;
use std::ops::Deref;

/// The bytes of a file that is never changed in place.
#[derive(Debug)]
pub struct Mapping(memmap2::Mmap);

impl Mapping {
    /// Maps a whole file.
    ///
    /// The file must belong to this user and must only be replaced by renaming: reading a mapping
    /// beyond the end of a truncated file kills the process.
    ///
    /// # Errors
    ///
    /// Fails when the operating system cannot map the file.
    #[allow(
        unsafe_code,
        reason = "callers guarantee that the file is not changed in place"
    )]
    pub fn of(file: &File) -> io::Result<Self> {
        // SAFETY: the bytes of a mapping are plain `u8`s, of which every value is valid, and callers
        // map only files of the user's own cache, which are replaced by renaming and never written to.
        let mapping = unsafe { memmap2::Mmap::map(file) }?;
        // Rows are read at random: without this advice, each page fault also reads 15 other pages.
        #[cfg(unix)]
        let _ = mapping.advise(memmap2::Advice::Random);
        Ok(Self(mapping))
    }
}

impl Deref for Mapping {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_mapping_keeps_the_bytes_of_a_replaced_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, b"first").unwrap();
        let mapping = Mapping::of(&File::open(&path).unwrap()).unwrap();
        fs::write(folder.path().join("new"), b"second").unwrap();
        fs::rename(folder.path().join("new"), &path).unwrap();
        assert_eq!(&*mapping, b"first");
        assert_eq!(
            &*Mapping::of(&File::open(&path).unwrap()).unwrap(),
            b"second"
        );
        fs::remove_file(&path).unwrap();
        assert_eq!(&*mapping, b"first");
    }

    #[test]
    fn maps_an_empty_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, b"").unwrap();
        assert!(Mapping::of(&File::open(&path).unwrap()).unwrap().is_empty());
    }
}
