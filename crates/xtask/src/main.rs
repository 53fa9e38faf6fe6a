//! Development tasks: `cargo xtask <task>`.
//!
//! `generate` writes what is generated and committed, `validate` shows plans to the engines that
//! take them, and `test` does everything that continuous integration does. Nothing is installed on
//! the machine unless a task is given `--install`. The tasks themselves depend on little, so that
//! they start soon.

mod engines;
mod install;
mod process;
mod test;

use std::env;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, Parser, Subcommand};

#[derive(Parser)]
#[command(name = "xtask", about = "Development tasks")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Write completions, JSON Schemas, docs/accuracy.md and docs/errors.md
    Generate {
        /// Change nothing, and fail when something would change
        #[arg(long)]
        check: bool,
    },
    /// Fit coefficients to all measurements, and write those that differ from the catalog
    Fit,
    /// Fit coefficients without each model and each release, and write measurements/held-out.json
    HoldOut,
    /// Ask every engine about the plans that are rendered for it, and write docs/validation.md
    Validate(ValidateArguments),
    /// Run all tests, and the checks of the light engines
    Test(TestArguments),
}

/// Options of `validate`.
#[derive(Args, Clone, Copy)]
struct ValidateArguments {
    /// Ask only the engines of every test run, and write nothing
    #[arg(long)]
    light: bool,
    /// Install the engines that are missing, with pip under target/engines
    #[arg(long)]
    install: bool,
    /// Leave out the AWS SDK
    #[arg(long)]
    no_aws: bool,
}

/// Options of `test`.
#[derive(Args, Clone, Copy)]
struct TestArguments {
    /// Also check formatting and lints
    #[arg(long)]
    lint: bool,
    /// Install what the tests need, with apt-get and with pip under target/, and let no test be skipped
    #[arg(long)]
    install: bool,
    /// Leave out the AWS SDK, the longest part of a build
    #[arg(long)]
    no_aws: bool,
}

fn main() -> Result<()> {
    match Arguments::parse().task {
        Task::Generate { check } => generator(if check { &["--check"] } else { &[] }),
        Task::Fit => generator(&["fit"]),
        Task::HoldOut => generator(&["hold-out"]),
        Task::Validate(arguments) => engines::validate(arguments, None),
        Task::Test(arguments) => test::test(arguments),
    }
}

/// Runs the generator, which links the program.
fn generator(arguments: &[&str]) -> Result<()> {
    let generator = [
        "run",
        "--release",
        "--quiet",
        "--locked",
        "--package",
        "sky-accel-generator",
        "--",
    ];
    process::cargo(&[&generator, arguments].concat(), &[])
}

/// The root of the repository.
fn root() -> PathBuf {
    // This crate stands two folders below the root.
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .map_or_else(PathBuf::new, Path::to_path_buf)
}

/// The folder of everything that is built.
fn target_folder() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
