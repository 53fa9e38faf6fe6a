//! The embedded catalog.
//!
//! The build script compiles the TOML files of `catalog/` once. [`CATALOG`] needs no parsing: rows are decoded from the
//! bytes in the program.

use std::sync::LazyLock;

use sky_accel_core::catalog::{Catalog, Pool};

static TABLES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/tables"));
static POOL: &str = include_str!(concat!(env!("OUT_DIR"), "/pool"));

/// The compiled tables.
pub static CATALOG: LazyLock<Catalog<'static>> =
    LazyLock::new(|| Catalog::open_parts(TABLES, Pool::new(POOL)).unwrap_or_default());

/// A TOML file of the catalog.
#[derive(Clone, Copy, Debug)]
pub struct File {
    /// The path from the root of the repository.
    pub path: &'static str,
    /// The text, for messages.
    pub text: &'static str,
    /// The parsed form of the file, from the build.
    pub parsed: &'static [u8],
}

// The files of the catalog and a number for it, from the build script.
include!(concat!(env!("OUT_DIR"), "/sources.rs"));

#[cfg(test)]
mod tests {
    use sky_accel_catalog::{Layer, Source, compile};

    use super::*;

    #[test]
    fn opens_the_embedded_tables() {
        let catalog = Catalog::open_parts(TABLES, Pool::new(POOL)).unwrap();
        assert!(!catalog.offers.is_empty() && !catalog.names.is_empty());
    }

    #[test]
    fn parsed_files_compile_to_the_same_tables() {
        let parsed = |file: &File| Source {
            parsed: file.parsed,
            ..Source::toml(Layer::EMBEDDED, file.path, file.text)
        };
        let sources: Vec<Source> = FILES.iter().map(parsed).collect();
        let tables = compile(&sources).unwrap();
        let catalog = tables.catalog();
        assert_eq!(catalog.tables_to_bytes(), TABLES);
        assert_eq!(catalog.pool.to_text(), POOL);
    }
}
