//! Imports a folder of `config.json` files into the models of the catalog, or compares them with it: `cargo xtask
//! models` runs it.

mod append;
mod compare;
mod entry;
mod exact;
mod folder;
mod known;
mod report;
#[cfg(test)]
mod testing;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

use known::KnownModels;

/// The exit status if a file differs from the catalog or cannot be read.
const DIFFERS: u8 = 1;
/// The exit status without a report: a workflow must not take an error for differences.
const FAILED: u8 = 2;

#[derive(Parser)]
#[command(
    name = "sky-accel-importer",
    about = "Import config.json files into the models of the catalog, or compare them with it"
)]
struct ImporterArguments {
    /// The folder: ORG/NAME/config.json, ORG--NAME/config.json or ORG--NAME_config.json, and hf_quant_config.json
    /// likewise
    folder: PathBuf,
    /// Append the entries of new models to this file of the catalog
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
}

fn main() -> ExitCode {
    run(&ImporterArguments::parse()).unwrap_or_else(|error| {
        let _ = writeln!(std::io::stderr(), "error: {error:#}");
        ExitCode::from(FAILED)
    })
}

fn run(arguments: &ImporterArguments) -> Result<ExitCode> {
    let known = KnownModels::of_repository()?;
    let files = folder::read(&arguments.folder)?;
    let mut report = report::of(&known, &files);
    if let Some(path) = &arguments.write {
        let written = append::append(&known, path, &report.entries)?;
        report.lines.push(written);
        report.differences -= report.entries.len();
    }
    let mut out = std::io::stdout().lock();
    for line in &report.lines {
        writeln!(out, "{line}")?;
    }
    writeln!(
        out,
        "{} files, {} equal to the catalog, {} differences",
        files.len(),
        report.equal,
        report.differences
    )?;
    Ok(match report.differences {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::from(DIFFERS),
    })
}
