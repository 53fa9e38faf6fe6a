//! Writes the generated files of the repository, and fits the sizing coefficients. `cargo xtask generate`,
//! `cargo xtask fit`, `cargo xtask hold-out` and `cargo xtask prices` run it.
//!
//! It is a separate program because it links all of sky-accel, which would delay the other tasks of xtask.

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
mod paths;
mod prices;
mod problem;
mod providers;
mod python;
mod ridge;

use std::io::Write as _;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(
    name = "sky-accel-generator",
    about = "Write completions, JSON Schemas, modules of the Python package, and the pages of docs that follow from code"
)]
struct GeneratorArguments {
    /// Change nothing, and fail if a file is not current
    #[arg(long)]
    check: bool,
    #[command(subcommand)]
    task: Option<Task>,
}

#[derive(Subcommand)]
enum Task {
    /// Fit the coefficients to the measurements, and print the differences from the catalog
    Fit,
    /// Measure errors on held-out models and releases, and write measurements/held-out.json
    HoldOut,
    /// Test likely prices on the prices of the past
    Prices {
        /// Print the weights that fit best, next to the weights of the catalog
        #[arg(long)]
        refit: bool,
        /// Fail if an error exceeds its limit
        #[arg(long, conflicts_with = "refit")]
        check: bool,
    },
    /// Write only the modules of the Python package, in a second
    Python,
}

fn main() -> Result<()> {
    let arguments = GeneratorArguments::parse();
    match arguments.task {
        Some(Task::Fit) => fit::write(&mut std::io::stdout()),
        Some(Task::HoldOut) => hold_out::write(),
        Some(Task::Prices { refit: true, .. }) => prices::refit(&mut std::io::stdout()),
        Some(Task::Prices { check: true, .. }) => prices::check(),
        Some(Task::Prices { .. }) => {
            let page = prices::page()?;
            Ok(std::io::stdout().write_all(page.as_bytes())?)
        }
        Some(Task::Python) => python::write(),
        None => files::generate(arguments.check),
    }
}
