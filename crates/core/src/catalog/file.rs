//! The bytes of a whole catalog.
//!
//! A file is a header, the tables as [`catalog_tables!`](crate::catalog_tables) lists them, and the pool. Every number
//! is little-endian. The header has
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `SKYACCEL` |
//! | 4 | the version of this layout |
//! | 8 | a hash of the names and types of all columns |
//! | 8 for each table, then 8 for the pool | its length in bytes |

use super::table::{Column as _, NO_LAYOUT, layout_of, mix};
use super::{Catalog, Pool, Table};
use crate::catalog_tables;

const MAGIC: &[u8; 8] = b"SKYACCEL";
/// Must be increased when the meaning of a column changes but not its name or type, which `LAYOUT` covers.
const VERSION: u32 = 1;

/// The reason why bytes cannot be read as a catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenError {
    /// The bytes do not begin with the magic number of a catalog.
    NoCatalog,
    /// Another version wrote the catalog, with other columns.
    OtherVersion,
    /// There are fewer or more bytes than the header says.
    WrongLength,
}

impl std::fmt::Display for OpenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NoCatalog => "this is not a compiled catalog",
            Self::OtherVersion => "the catalog was compiled by another version of sky-accel",
            Self::WrongLength => "the compiled catalog is incomplete: its length is wrong",
        })
    }
}

impl std::error::Error for OpenError {}

macro_rules! declare_file {
    ($($(#[$doc:meta])* $table:ident: $row:ty,)+) => {
        /// The number of tables.
        const TABLES: usize = [$(stringify!($table)),+].len();

        /// A hash of the names and types of all columns.
        const LAYOUT: u64 = {
            let mut layout = NO_LAYOUT;
            $(
                layout = layout_of(layout, stringify!($table));
                layout = mix(layout, <$row>::LAYOUT);
            )+
            layout
        };

        impl<'a> Catalog<'a> {
            /// Returns the bytes of the tables, ordered as in a file.
            fn sections(&self) -> [&'a [u8]; TABLES] {
                [$(self.$table.bytes()),+]
            }

            /// Returns the catalog of the sections of a file.
            fn of_sections(sections: &[&'a [u8]; TABLES], pool: Pool<'a>) -> Self {
                let [$($table),+] = *sections;
                Self { pool, $($table: Table::new($table)),+ }
            }
        }
    };
}

catalog_tables!(declare_file);

const START: usize = MAGIC.len() + 4 + 8;
const HEADER: usize = START + 8 * (TABLES + 1);

impl<'a> Catalog<'a> {
    /// Returns the catalog in the bytes of a file. Only the header is read.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not a catalog, are incomplete, or were written by another version.
    pub fn open(file: &'a [u8]) -> Result<Self, OpenError> {
        let pool = length(file, TABLES)?;
        let end = file.len().checked_sub(pool).ok_or(OpenError::WrongLength)?;
        Self::open_parts(&file[..end], Pool::of_bytes(&file[end..]))
    }

    /// Returns the catalog in the bytes of a file without its pool.
    ///
    /// # Errors
    ///
    /// Fails as [`Catalog::open`] does.
    pub fn open_parts(tables: &'a [u8], pool: Pool<'a>) -> Result<Self, OpenError> {
        if length(tables, TABLES)? != pool.bytes().len() {
            return Err(OpenError::WrongLength);
        }
        let mut rest = &tables[HEADER..];
        let mut sections: [&[u8]; TABLES] = [&[]; TABLES];
        for (at, section) in sections.iter_mut().enumerate() {
            let bytes = length(tables, at)?;
            let parts = rest.split_at_checked(bytes);
            (*section, rest) = parts.ok_or(OpenError::WrongLength)?;
        }
        if !rest.is_empty() {
            return Err(OpenError::WrongLength);
        }
        Ok(Self::of_sections(&sections, pool))
    }

    /// Returns the bytes of a file with this catalog, without its pool.
    pub fn tables_to_bytes(&self) -> Vec<u8> {
        let sections = self.sections();
        let lengths = sections.map(<[u8]>::len);
        let mut out = Vec::with_capacity(HEADER + lengths.iter().sum::<usize>());
        out.extend_from_slice(MAGIC);
        VERSION.write(&mut out);
        LAYOUT.write(&mut out);
        for length in lengths.into_iter().chain([self.pool.bytes().len()]) {
            (length as u64).write(&mut out);
        }
        for section in sections {
            out.extend_from_slice(section);
        }
        out
    }

    /// Returns the bytes of a file with this catalog.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = self.tables_to_bytes();
        out.extend_from_slice(self.pool.bytes());
        out
    }
}

/// The length of a table, or of the pool, by the header.
fn length(file: &[u8], of: usize) -> Result<usize, OpenError> {
    if !file.starts_with(MAGIC) {
        return Err(OpenError::NoCatalog);
    }
    let header = file.get(..HEADER).ok_or(OpenError::WrongLength)?;
    let version = u32::read(&header[MAGIC.len()..]);
    let layout = u64::read(&header[MAGIC.len() + 4..]);
    if (version, layout) != (VERSION, LAYOUT) {
        return Err(OpenError::OtherVersion);
    }
    usize::try_from(u64::read(&header[START + 8 * of..])).map_err(|_| OpenError::WrongLength)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Str;

    fn sample() -> Vec<u8> {
        let mut rows = Vec::new();
        Str { start: 0, len: 3 }.write(&mut rows);
        Str { start: 3, len: 4 }.write(&mut rows);
        let catalog = Catalog {
            pool: Pool::new("onetwos"),
            strings: Table::new(&rows),
            ..Catalog::default()
        };
        catalog.to_bytes()
    }

    #[test]
    fn round_trips_tables_and_pool() {
        let file = sample();
        let catalog = Catalog::open(&file).unwrap();
        let texts: Vec<&str> = catalog.strings.iter().map(|s| catalog.str(s)).collect();
        assert_eq!(texts, ["one", "twos"]);
        assert_eq!(catalog.to_bytes(), file);
    }

    #[test]
    fn rejects_incomplete_files_and_other_versions() {
        let file = sample();
        for end in 0..file.len() {
            let error = Catalog::open(&file[..end]).unwrap_err();
            let expected = match end {
                ..8 => OpenError::NoCatalog,
                _ => OpenError::WrongLength,
            };
            assert_eq!(error, expected, "{end}");
        }
        let with = |at: usize, byte: u8| {
            let mut file = file.clone();
            file[at] = byte;
            Catalog::open(&file).map(|_| ()).unwrap_err()
        };
        assert_eq!(with(0, b'X'), OpenError::NoCatalog);
        assert_eq!(with(8, 2), OpenError::OtherVersion);
        assert_eq!(with(12, !file[12]), OpenError::OtherVersion);
        assert_eq!(with(START + 7, 255), OpenError::WrongLength);
        assert_eq!(with(HEADER - 1, 255), OpenError::WrongLength);
        let mut longer = file.clone();
        longer.push(0);
        let error = Catalog::open(&longer).map(|_| ());
        assert_eq!(error, Err(OpenError::WrongLength));
    }
}
