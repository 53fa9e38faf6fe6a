//! Programs that tasks run.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::root;

/// Runs cargo in the root of the repository, as it runs there on a command line.
pub fn cargo(arguments: &[&str], environment: &[(&str, &str)]) -> Result<()> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    // What `cargo run` sets for this program. Build scripts of dependencies depend on it, and would
    // build ring and all above it again.
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy();
        if ["CARGO_MANIFEST_", "CARGO_PKG_"]
            .iter()
            .any(|start| name.starts_with(start))
        {
            command.env_remove(&*name);
        }
    }
    run(command
        .args(arguments)
        .envs(environment.iter().copied())
        .current_dir(root()))
}

/// Runs a command to its end; anything but success is an error.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("{command:?} does not start"))?;
    if !status.success() {
        bail!("{command:?} failed");
    }
    Ok(())
}

/// Where a program is on the `PATH`.
pub fn find(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}
