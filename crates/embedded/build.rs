//! Compiles `catalog/` to the bytes of its tables, and says file, line and column when it can't.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use sky_accel_catalog::{Document, Layer, compile, parse};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=../../catalog");
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let root = manifest.join("../..");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let mut paths = Vec::new();
    toml_files(&root.join("catalog"), &mut paths)?;
    paths.sort();

    let mut documents: Vec<Document> = Vec::new();
    let mut broken = false;
    let mut sources = String::from(
        "/// The TOML files behind [`CATALOG`]: the path of each from the root of the repository, and its\n/// text.\npub static SOURCES: &[(&str, &str)] = &[\n",
    );
    for path in &paths {
        let name = path
            .strip_prefix(&root)
            .unwrap_or(path)
            .to_string_lossy()
            .replace('\\', "/");
        let _ = writeln!(
            sources,
            "({name:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {:?}))),",
            format!("/../../{name}")
        );
        match parse(Layer::EMBEDDED, &name, &fs::read_to_string(path)?) {
            Ok(document) => documents.push(document),
            Err(error) => {
                println!("cargo::error={error}");
                broken = true;
            }
        }
    }
    sources.push_str("];\n");
    if broken {
        return Ok(());
    }
    match compile(&documents) {
        Ok(tables) => {
            let catalog = tables.catalog();
            fs::write(out.join("tables"), catalog.tables_to_bytes())?;
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
