//! Compiles `catalog/`, and for tests `tests/catalog/`, to the bytes of their tables. Errors name file, line and
//! column.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use sky_accel_catalog::{Source, compile};
use sky_accel_core::catalog::{NO_LAYOUT, mix};

fn main() -> io::Result<()> {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    // The host of a program in WebAssembly provides the catalog.
    if env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") {
        return Ok(());
    }
    let root = manifest.join("../..");
    embed(&root, &out, "shipped")?;
    if env::var_os("CARGO_FEATURE_TEST_CATALOG").is_some() {
        embed(&root.join("tests"), &out, "test")?;
    }
    Ok(())
}

/// Compiles the folder `catalog` of `parent`, and writes its tables and `NAME.rs`, an expression that includes them.
fn embed(parent: &Path, out: &Path, name: &str) -> io::Result<()> {
    let folder = parent.join("catalog");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut paths = Vec::new();
    catalog_files(&folder, &mut paths)?;
    paths.sort();
    let updates = folder.join("updates");
    // Later files override earlier ones, so updates are last.
    paths.sort_by_key(|path| path.starts_with(&updates));

    let mut sources: Vec<Source> = Vec::new();
    let mut files = String::new();
    for path in &paths {
        let file_name = path
            .strip_prefix(parent)
            .unwrap_or(path)
            .to_string_lossy()
            .replace('\\', "/");
        let source = Source::embedded(&file_name, fs::read_to_string(path)?);
        // A file that cannot be parsed is reported below, with all other errors.
        let parsed = out.join(format!("{name}-{}.parsed", sources.len()));
        fs::write(&parsed, source.parse().unwrap_or_default())?;
        let (path, parsed) = (path.to_string_lossy(), parsed.to_string_lossy());
        let _ = writeln!(
            files,
            "CatalogFile {{ path: {file_name:?}, text: include_str!({path:?}), parsed: include_bytes!({parsed:?}) }},",
        );
        sources.push(source);
    }
    match compile(&sources) {
        Ok(tables) => {
            let catalog = tables.catalog();
            let rows = catalog.tables_to_bytes();
            let bytes = rows.iter().chain(catalog.pool.bytes());
            let fingerprint = bytes.fold(NO_LAYOUT, |sum, byte| mix(sum, u64::from(*byte)));
            let (tables_name, pool_name) = (format!("{name}-tables"), format!("{name}-pool"));
            let expression = format!(
                "Embedded {{ tables: include_bytes!({tables_name:?}), pool: include_str!({pool_name:?}), \
                 fingerprint: \"{fingerprint:016x}\", files: &[\n{files}] }}\n"
            );
            fs::write(out.join(tables_name), rows)?;
            fs::write(out.join(pool_name), catalog.pool.bytes())?;
            fs::write(out.join(format!("{name}.rs")), expression)
        }
        Err(errors) => {
            for error in errors {
                println!("cargo::error={error}");
            }
            Ok(())
        }
    }
}

fn catalog_files(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            catalog_files(&path, found)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "toml" || extension == "csv")
        {
            found.push(path);
        }
    }
    Ok(())
}
