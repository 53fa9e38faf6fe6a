//! The catalog that is compiled into sky-accel.
//!
//! The build script compiles the TOML files of `catalog/` once. Opening [`CATALOG`] parses nothing:
//! the tables are read in place, from the bytes of the program.

use std::sync::LazyLock;

use sky_accel_core::catalog::{Catalog, Pool};

/// A TOML file of the catalog.
#[derive(Clone, Copy, Debug)]
pub struct CatalogFile {
    /// The path from the root of the repository.
    pub path: &'static str,
    /// The text, for messages.
    pub text: &'static str,
    /// The file as the build script parsed it.
    pub parsed: &'static [u8],
}

/// A catalog that the build script compiled.
struct Embedded {
    tables: &'static [u8],
    pool: &'static str,
    fingerprint: &'static str,
    files: &'static [CatalogFile],
}

impl Embedded {
    fn open(&self) -> Catalog<'static> {
        Catalog::open_parts(self.tables, Pool::new(self.pool)).unwrap_or_default()
    }
}

static SHIPPED: Embedded = include!(concat!(env!("OUT_DIR"), "/shipped.rs"));

#[cfg(feature = "test-catalog")]
static TEST: Embedded = include!(concat!(env!("OUT_DIR"), "/test.rs"));

/// The variable that makes a program answer from the test catalog.
#[cfg(feature = "test-catalog")]
pub const TEST_CATALOG_VARIABLE: &str = "SKY_ACCEL_TEST_CATALOG";

/// The catalog of `tests/catalog`, for unit tests, which cannot set [`TEST_CATALOG_VARIABLE`].
#[cfg(feature = "test-catalog")]
pub mod test_catalog {
    use std::sync::LazyLock;

    use sky_accel_core::catalog::Catalog;

    use super::{CatalogFile, TEST};

    /// The compiled tables.
    pub static CATALOG: LazyLock<Catalog<'static>> = LazyLock::new(|| TEST.open());

    /// Returns the TOML sources of [`CATALOG`].
    pub fn files() -> &'static [CatalogFile] {
        TEST.files
    }

    /// Returns a number that differs between catalogs, and between versions of their tables.
    pub fn fingerprint() -> &'static str {
        TEST.fingerprint
    }
}

#[cfg(feature = "test-catalog")]
pub use test_catalog::CATALOG as TEST_CATALOG;

/// The catalog that answers.
static SELECTED: LazyLock<&'static Embedded> = LazyLock::new(|| {
    #[cfg(feature = "test-catalog")]
    if std::env::var_os(TEST_CATALOG_VARIABLE).is_some() {
        return &TEST;
    }
    &SHIPPED
});

/// The compiled tables.
pub static CATALOG: LazyLock<Catalog<'static>> = LazyLock::new(|| SELECTED.open());

/// Returns the TOML sources of [`CATALOG`].
pub fn files() -> &'static [CatalogFile] {
    SELECTED.files
}

/// Returns a number that differs between catalogs, and between versions of their tables.
pub fn fingerprint() -> &'static str {
    SELECTED.fingerprint
}

#[cfg(test)]
mod tests {
    use sky_accel_catalog::{Source, compile};

    use super::*;

    #[test]
    fn embedded_tables_have_the_current_layout() {
        let catalog = Catalog::open_parts(SHIPPED.tables, Pool::new(SHIPPED.pool)).unwrap();
        assert!(!catalog.offers.is_empty() && !catalog.names.is_empty());
    }

    #[test]
    fn parsed_files_compile_to_the_embedded_tables() {
        let parsed = |file: &CatalogFile| Source {
            parsed: file.parsed,
            ..Source::embedded(file.path, file.text)
        };
        let sources: Vec<Source> = SHIPPED.files.iter().map(parsed).collect();
        let tables = compile(&sources).unwrap();
        let catalog = tables.catalog();
        assert_eq!(catalog.tables_to_bytes(), SHIPPED.tables);
        assert_eq!(catalog.pool.to_text(), SHIPPED.pool);
    }
}
