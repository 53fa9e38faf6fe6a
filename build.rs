//! Copies the WebAssembly module of the page that `sky-accel web` writes, which `cargo xtask web` builds.

use std::path::PathBuf;
use std::{env, fs, io};

/// The variable with the path of the compressed module. Without it, the program has none.
const VARIABLE: &str = "SKY_ACCEL_WEB_MODULE";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    let module = match env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        Some(path) => {
            let path = PathBuf::from(path);
            println!("cargo::rerun-if-changed={}", path.display());
            fs::read(path)?
        }
        None => Vec::new(),
    };
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("module.wasm.gz"), module)
}
