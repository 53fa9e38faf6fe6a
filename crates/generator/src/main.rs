//! Writes the files of the repository that follow from the program. `cargo xtask generate`,
//! `cargo xtask fit` and `cargo xtask hold-out` run it.
//!
//! It is a program of its own because it links all of sky-accel, which the other tasks must not
//! wait for.

mod accuracy;
mod anchors;
mod bands;
mod errors;
mod errors_of;
mod files;
mod fit;
mod fitted;
mod folds;
mod hold_out;
mod measurements;
mod problem;
mod ridge;

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(
    name = "sky-accel-generator",
    about = "Write completions, JSON Schemas, docs/accuracy.md and docs/errors.md"
)]
struct Arguments {
    /// Change nothing, and fail when something would change
    #[arg(long)]
    check: bool,
    #[command(subcommand)]
    task: Option<Task>,
}

#[derive(Subcommand)]
enum Task {
    /// Write the coefficients that the measurements give where they differ from the catalog
    Fit,
    /// Write measurements/held-out.json
    HoldOut,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    match arguments.task {
        Some(Task::Fit) => fit::write(&mut std::io::stdout()),
        Some(Task::HoldOut) => hold_out::write(),
        None => files::generate(arguments.check),
    }
}

/// The root of the repository.
fn root() -> PathBuf {
    // This crate stands two folders below the root.
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .map_or_else(PathBuf::new, Path::to_path_buf)
}
