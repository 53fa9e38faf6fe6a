//! Plans rendered for a target, and the answers of the target's check to them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;
use sky_accel_targets::Target;

use crate::install::PythonEnvironment;
use crate::paths::{root, target_folder};
use crate::process::cargo;

/// The number of candidates of each plan. It is small because some checks run once per candidate.
const CANDIDATES: &str = "5";

/// A plan to render.
pub struct ValidationCase {
    /// The name, which is the name of the folder of the rendered plan.
    pub name: String,
    /// The arguments of `sky-accel plan`.
    pub args: Vec<String>,
    /// True if the strings of the case only test escaping, so that a target may reject the image.
    pub is_odd: bool,
}

/// Builds the program and returns its path.
pub fn program(no_aws: bool) -> Result<PathBuf> {
    let build = ["build", "--release", "--quiet", "--locked"];
    let without = if no_aws {
        &["--no-default-features"][..]
    } else {
        &[]
    };
    cargo(&[&build, without].concat(), &[])?;
    Ok(target_folder().join("release/sky-accel"))
}

/// Reads the plans to render from `tests/engines/cases.toml`.
pub fn read_cases() -> Result<Vec<ValidationCase>> {
    let text = fs::read_to_string(root().join("tests/engines/cases.toml"))?;
    let table: toml::Table = text.parse()?;
    let rows = table["case"].as_array().context("there are no cases")?;
    let case = |row: &toml::Value| {
        let args = row["args"].as_array().context("a case has args")?;
        Ok(ValidationCase {
            name: row["name"]
                .as_str()
                .context("a case has a name")?
                .to_owned(),
            args: args
                .iter()
                .filter_map(|arg| arg.as_str().map(str::to_owned))
                .collect(),
            is_odd: row.get("odd").is_some(),
        })
    };
    rows.iter().map(case).collect()
}

/// Returns the interpreter of a check's environment, and installs the environment first if allowed.
///
/// Returns `None` for an environment that is missing or outdated and may not be installed.
pub fn environment(target: Target, install: bool) -> Result<Option<PathBuf>> {
    let environment = PythonEnvironment::of_target(target.name());
    if !environment.is_current()? {
        if !install {
            return Ok(None);
        }
        let interpreter = if environment.requirements()?.starts_with("# python3.12") {
            python_3_12()
                .with_context(|| format!("the check of {} needs Python 3.12", target.name()))?
        } else {
            "python3".into()
        };
        environment.install(interpreter)?;
    }
    Ok(Some(environment.python()))
}

/// Finds Python 3.12 on the `PATH` or among the versions of pyenv.
fn python_3_12() -> Option<PathBuf> {
    let by_name = PathBuf::from("python3.12");
    let works = |path: &Path| {
        Command::new(path)
            .arg("--version")
            .output()
            .is_ok_and(|out| out.status.success())
    };
    if works(&by_name) {
        return Some(by_name);
    }
    let versions = Path::new(&env::var_os("HOME")?).join(".pyenv/versions");
    let mut folders: Vec<PathBuf> = fs::read_dir(versions)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    folders.sort();
    folders
        .into_iter()
        .filter(|path| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("3.12"))
        })
        .map(|path| path.join("bin/python"))
        .find(|path| works(path))
}

/// Renders a case into a separate folder, and returns the plan or the reason for a missing plan.
pub fn render(
    program: &Path,
    target: Target,
    case: &ValidationCase,
    renders: &Path,
) -> Result<std::result::Result<Value, String>> {
    let folder = renders.join(&case.name);
    let output = Command::new(program)
        .args(["--no-config", "plan"])
        .args(&case.args)
        .args([
            "--limit",
            CANDIDATES,
            "--to",
            target.name(),
            "-o",
            "json",
            "--out",
        ])
        .arg(&folder)
        .current_dir(root())
        .output()?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => Ok(Ok(serde_json::from_slice(&output.stdout)?)),
        Some(1) => Ok(Err("no offer".to_owned())),
        Some(2) => {
            fs::remove_dir_all(&folder).ok();
            let error: Value = serde_json::from_str(&stderr).unwrap_or_default();
            let message = error["error"]["message"].as_str().unwrap_or(&stderr);
            Ok(Err(message.to_owned()))
        }
        code => bail!("{} for {}: {code:?}: {stderr}", case.name, target.name()),
    }
}

/// Returns the subfolders of a folder, sorted by name.
pub fn subfolders(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    Ok(paths)
}

/// Runs the check of a target and returns its answers, one for each folder.
pub fn ask(python: &Path, folder: &Path, folders: &[PathBuf]) -> Result<Vec<Value>> {
    let output = Command::new(python)
        .arg("-B")
        .arg(folder.join("check.py"))
        .args(folders)
        // Rendered scripts read the image from the environment if the plan has none.
        .env("IMAGE", "python:3.12")
        .output()?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    let answers: Vec<Value> = stdout
        .lines()
        .map(serde_json::from_str)
        .collect::<serde_json::Result<_>>()?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    ensure!(
        answers.len() == folders.len(),
        "{}: {} answers to {} questions: {stderr}",
        folder.display(),
        answers.len(),
        folders.len()
    );
    Ok(answers)
}
