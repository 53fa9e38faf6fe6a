//! Files that are read where they lie: only the pages that are looked at take memory.

use std::fs::File;
use std::io;
use std::ops::Deref;

/// The bytes of a file that nobody changes in place.
#[derive(Debug)]
pub struct Mapping(memmap2::Mmap);

impl Mapping {
    /// Maps a whole file.
    ///
    /// The file must be one that is only ever replaced as a whole, under its name, by this user: the
    /// bytes of a file that is cut while it is mapped cannot be read any more, and reading them ends
    /// the process.
    ///
    /// # Errors
    ///
    /// The file cannot be mapped.
    #[allow(
        unsafe_code,
        reason = "memmap2 cannot know that nobody changes the file: its callers do"
    )]
    pub fn of(file: &File) -> io::Result<Self> {
        // SAFETY: the bytes of a mapping are plain `u8`s, of which every value is valid, and callers
        // map only files of the user's own cache, which are replaced by renaming and never written to.
        let mapping = unsafe { memmap2::Mmap::map(file) }?;
        // What lies beside a row is of no use: without this, each page brings fifteen others.
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
    fn a_mapping_outlives_the_name_of_its_file() {
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
    fn an_empty_file_has_no_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, b"").unwrap();
        assert!(Mapping::of(&File::open(&path).unwrap()).unwrap().is_empty());
    }
}
