//! Development tasks: `cargo xtask <task>`.
//!
//! `generate` writes the committed generated files, `validate` checks rendered plans with the code of their targets,
//! `test` runs everything that continuous integration runs, and `fuzz` runs the fuzz targets. A task installs software
//! only with `--install`. The crate has few dependencies, so that tasks start quickly.

mod arguments;
mod fuzz;
mod install;
mod paths;
mod process;
#[cfg(test)]
mod promises;
mod test;
mod validate;
mod web;

use std::path;

use anyhow::Result;
use clap::{Parser, Subcommand};

use arguments::{FuzzArguments, ModelsArguments, TestArguments, ValidateArguments, WebArguments};

#[derive(Parser)]
#[command(name = "xtask", about = "Development tasks")]
struct TaskArguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Write completions, JSON Schemas, modules of the Python package, and the pages of docs that follow from code
    Generate {
        /// Change no file, and fail if a file is out of date
        #[arg(long)]
        check: bool,
    },
    /// Fit coefficients to all measurements, and write them where they differ from the catalog
    Fit,
    /// Fit coefficients with each model and each release held out, and write measurements/held-out.json
    HoldOut,
    /// Test likely prices on the prices of the past, and print docs/prices-accuracy.md
    Prices {
        /// Print the weights that fit best, next to the weights of the catalog
        #[arg(long)]
        refit: bool,
        /// Print nothing, and fail if an error exceeds its limit
        #[arg(long, conflicts_with = "refit")]
        check: bool,
    },
    /// Compare a folder of config.json files with the models of the catalog, and print entries for new models
    Models(ModelsArguments),
    /// Check rendered plans with the code of every plan target, and write docs/validation.md
    Validate(ValidateArguments),
    /// Run all tests and the light checks of plan targets
    Test(TestArguments),
    /// Write the pictures of the README from real output: docs/images
    Pictures,
    /// Build the WebAssembly module of the page that `sky-accel web` writes, as target/web/module.wasm.gz
    Web(WebArguments),
    /// Run every fuzz target for its share of a time, and print the number of executions
    Fuzz(FuzzArguments),
}

fn main() -> Result<()> {
    match TaskArguments::parse().task {
        Task::Generate { check } => generator(if check { &["--check"] } else { &[] }),
        Task::Fit => generator(&["fit"]),
        Task::HoldOut => generator(&["hold-out"]),
        Task::Prices { refit, check } => {
            let option = [(refit, "--refit"), (check, "--check")];
            let given = option.iter().filter(|(is_given, _)| *is_given);
            let given: Vec<&str> = given.map(|(_, option)| *option).collect();
            generator(&[&["prices"], &given[..]].concat())
        }
        Task::Models(arguments) => models(&arguments),
        Task::Validate(arguments) => validate::validate(arguments, None),
        Task::Test(arguments) => test::test(arguments),
        Task::Pictures => pictures(),
        Task::Web(arguments) => web::web(arguments),
        Task::Fuzz(arguments) => fuzz::fuzz(&arguments),
    }
}

/// Runs the importer of models, a separate crate because it links the compiler of the catalog. It fails if a file
/// differs from the catalog.
fn models(arguments: &ModelsArguments) -> Result<()> {
    // Cargo runs in the root of the repository.
    let folder = path::absolute(&arguments.folder)?;
    let file = arguments.write.as_ref().map(path::absolute).transpose()?;
    let mut importer = vec![folder.to_string_lossy().into_owned()];
    if let Some(file) = file {
        importer.extend(["--write".to_owned(), file.to_string_lossy().into_owned()]);
    }
    let importer: Vec<&str> = importer.iter().map(String::as_str).collect();
    let run = [
        "run",
        "--release",
        "--quiet",
        "--locked",
        "--package",
        "sky-accel-importer",
        "--",
    ];
    process::cargo(&[&run, &importer[..]].concat(), &[])
}

/// Builds the program, and draws what it shows in a terminal and, where the page of `sky-accel web` was built, in a
/// browser.
fn pictures() -> Result<()> {
    let locked = ["--release", "--locked"];
    process::cargo(&[&["build"], &locked[..]].concat(), &[])?;
    let draw = [&["run"], &locked[..], &["--example", "screenshots"]].concat();
    let page = paths::target_folder().join(paths::WEB_PAGE);
    let page_text = page.to_string_lossy();
    let environment = [(paths::WEB_PAGE_VARIABLE, &*page_text)];
    process::cargo(&draw, if page.is_file() { &environment } else { &[] })
}

/// Runs the generator, a separate crate because it links the whole program.
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
