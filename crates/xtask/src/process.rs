//! Child processes of tasks.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::paths::root;

/// Runs cargo in the root of the repository, with the environment of a command line.
pub fn cargo(arguments: &[&str], environment: &[(&str, &str)]) -> Result<()> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    // `cargo run` sets these variables for this program. Build scripts track them, so with them cargo
    // would rebuild ring and everything that depends on it.
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

/// Runs a command to completion. Any exit status except success is an error.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("{command:?} does not start"))?;
    if !status.success() {
        bail!("{command:?} failed");
    }
    Ok(())
}

/// Finds a program on the `PATH`.
pub fn find(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}
