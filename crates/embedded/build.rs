//! Compiles `catalog/` to the bytes of its tables, and reports errors with file, line and column.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use sky_accel_catalog::{Layer, Source, compile};
use sky_accel_core::catalog::{NO_LAYOUT, mix};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=../../catalog");
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let root = manifest.join("../..");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let mut paths = Vec::new();
    toml_files(&root.join("catalog"), &mut paths)?;
    paths.sort();

    let mut files: Vec<Source> = Vec::new();
    let mut sources =
        String::from("/// The TOML files behind [`CATALOG`].\npub static FILES: &[File] = &[\n");
    for path in &paths {
        let name = path
            .strip_prefix(&root)
            .unwrap_or(path)
            .to_string_lossy()
            .replace('\\', "/");
        let file = Source::toml(Layer::EMBEDDED, &name, fs::read_to_string(path)?);
        // Syntax errors are reported below, with all other errors.
        let parsed = out.join(format!("{}.parsed", files.len()));
        fs::write(&parsed, file.parse().unwrap_or_default())?;
        let (path, parsed) = (path.to_string_lossy(), parsed.to_string_lossy());
        let _ = writeln!(
            sources,
            "File {{ path: {name:?}, text: include_str!({path:?}), parsed: include_bytes!({parsed:?}) }},",
        );
        files.push(file);
    }
    sources.push_str("];\n");
    match compile(&files) {
        Ok(tables) => {
            let catalog = tables.catalog();
            let rows = catalog.tables_to_bytes();
            let bytes = rows.iter().chain(catalog.pool.bytes());
            let fingerprint = bytes.fold(NO_LAYOUT, |sum, byte| mix(sum, u64::from(*byte)));
            let _ = writeln!(
                sources,
                "/// A hash of the catalog and the layout of its tables.\npub const FINGERPRINT: &str = \"{fingerprint:016x}\";"
            );
            fs::write(out.join("tables"), rows)?;
            fs::write(out.join("pool"), catalog.pool.bytes())?;
            fs::write(out.join("sources.rs"), sources)
        }
        Err(errors) => {
            for error in errors {
                println!("cargo::error={error}");
            }
            Ok(())
        }
    }
}

fn toml_files(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            toml_files(&path, found)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            found.push(path);
        }
    }
    Ok(())
}
