//! Rendering plans, and showing them to an engine's own code.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use super::Engine;
use crate::install::PythonEnvironment;
use crate::process::cargo;
use crate::{root, target_folder};

/// Candidates of each plan: some engines are asked about each by itself.
const CANDIDATES: &str = "5";

/// A plan to render.
pub struct Case {
    pub name: String,
    /// Arguments of `sky-accel plan`.
    pub args: Vec<String>,
    /// Its strings are none that an engine would take, but for their form.
    pub is_odd: bool,
}

/// Builds the program, and returns where it is.
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

/// The plans that `tests/engines/cases.toml` asks for.
pub fn cases() -> Result<Vec<Case>> {
    let text = fs::read_to_string(root().join("tests/engines/cases.toml"))?;
    let table: toml::Table = text.parse()?;
    let rows = table["case"].as_array().context("there are no cases")?;
    let case = |row: &toml::Value| {
        let args = row["args"].as_array().context("a case has args")?;
        Ok(Case {
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

/// The interpreter of an engine's own environment, installed first where that is allowed.
///
/// `None` is an environment that is missing and may not be installed.
pub fn environment(engine: &Engine, install: bool) -> Result<Option<PathBuf>> {
    let environment = PythonEnvironment::of_engine(engine.name);
    if !environment.is_current()? {
        if !install {
            return Ok(None);
        }
        let interpreter = if environment.requirements()?.starts_with("# python3.12") {
            python_3_12().with_context(|| format!("{} needs Python 3.12", engine.name))?
        } else {
            "python3".into()
        };
        environment.install(interpreter)?;
    }
    Ok(Some(environment.python()))
}

/// A newer Python, by its name or where pyenv keeps it.
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

/// Renders a case into a folder of its own and returns the plan, or why there is none.
pub fn render(
    program: &Path,
    engine: &Engine,
    case: &Case,
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
            engine.name,
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
        code => bail!("{} for {}: {code:?}: {stderr}", case.name, engine.name),
    }
}

/// The folders in a folder, by name.
pub fn subfolders(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    Ok(paths)
}

/// The engine's answers, one for each folder.
pub fn ask(python: &Path, folder: &Path, folders: &[PathBuf]) -> Result<Vec<Value>> {
    let output = Command::new(python)
        .arg("-B")
        .arg(folder.join("check.py"))
        .args(folders)
        // What a script asks its user for.
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
