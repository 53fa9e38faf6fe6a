//! Writes the files of the repository that follow from the program. `cargo xtask generate` runs it.
//!
//! It is a program of its own because it links all of sky-accel, which the other tasks must not
//! wait for.

mod accuracy;
mod errors;
mod files;

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Parser;

#[derive(Parser)]
#[command(
    name = "sky-accel-generator",
    about = "Write completions, manual pages, JSON Schemas, docs/accuracy.md and docs/errors.md"
)]
struct Arguments {
    /// Change nothing, and fail when something would change
    #[arg(long)]
    check: bool,
}

fn main() -> Result<()> {
    files::generate(Arguments::parse().check)
}

/// The root of the repository.
fn root() -> PathBuf {
    // This crate stands two folders below the root.
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .map_or_else(PathBuf::new, Path::to_path_buf)
}
