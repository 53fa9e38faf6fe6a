//! The catalog that is compiled into sky-accel.
//!
//! The build script compiles the TOML files of `catalog/` once. Opening [`CATALOG`] parses nothing:
//! the tables are read in place, from the bytes of the program. A program in WebAssembly has no tables:
//! its host provides them with [`provide`].

use std::sync::{LazyLock, OnceLock};

use sky_accel_core::catalog::{Catalog, OpenError, Pool};

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

#[cfg(not(target_family = "wasm"))]
static SHIPPED: Embedded = include!(concat!(env!("OUT_DIR"), "/shipped.rs"));

#[cfg(target_family = "wasm")]
static SHIPPED: Embedded = Embedded {
    tables: &[],
    pool: "",
    fingerprint: "",
    files: &[],
};

/// The catalog that the host of the program provided.
static PROVIDED: OnceLock<Embedded> = OnceLock::new();

/// Makes tables answer in place of the catalog in the program, until the program ends. Has no effect if a catalog has
/// answered or was provided before.
///
/// `tables` are the bytes of [`Catalog::to_bytes`]; each of `files` is the path and the text of a source.
///
/// # Errors
///
/// Fails if the bytes are no catalog of this version.
pub fn provide(
    tables: &[u8],
    fingerprint: String,
    files: Vec<(String, String)>,
) -> Result<(), OpenError> {
    let pool = Catalog::open(tables)?.pool.bytes().len();
    let text = std::str::from_utf8(&tables[tables.len() - pool..]);
    let pool = text.map_err(|_| OpenError::NoCatalog)?.to_owned();
    let rows = tables[..tables.len() - pool.len()].to_vec();
    let files = files.into_iter().map(|(path, text)| CatalogFile {
        path: path.leak(),
        text: text.leak(),
        parsed: &[],
    });
    let files: Vec<CatalogFile> = files.collect();
    PROVIDED.get_or_init(|| Embedded {
        tables: rows.leak(),
        pool: pool.leak(),
        fingerprint: fingerprint.leak(),
        files: files.leak(),
    });
    Ok(())
}

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
    if let Some(provided) = PROVIDED.get() {
        return provided;
    }
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
