//! Installation of the programs that tests and checks need besides cargo. It runs only with
//! `--install`.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::paths::{root, target_folder};
use crate::process::{find, run};

/// The programs that tests run, each with its possible names and its Debian package.
const PROGRAMS: &[(&[&str], &str)] = &[
    (&["bash"], "bash"),
    (&["zsh"], "zsh"),
    (&["fish"], "fish"),
    (&["chromium", "google-chrome"], "chromium"),
    (&["node"], "nodejs"),
    (&["npm"], "npm"),
    (&["jq"], "jq"),
    (&["curl"], "curl"),
    (&["strace"], "strace"),
];

/// The vendors' own clients. Each has a separate environment because their requirements conflict.
const VENDORS: &[&str] = &[
    "aws",
    "azure",
    "gcp",
    "gpuhunt",
    "hyperstack",
    "latitude",
    "linode",
    "mcp",
    "nebius",
    "oci",
    "ovh",
    "runpod",
    "scaleway",
    "skypilot",
    "vastai",
    "verda",
];

/// The vendors' clients that are Node packages.
const NODE_CLIENTS: &[&str] = &["mcp-inspector", "runpod-mcp"];

/// Installs the missing programs with apt-get.
///
/// # Errors
///
/// Fails if apt-get is missing, fails, or needs another user.
#[expect(
    clippy::print_stderr,
    reason = "an installation takes a while: progress goes to the terminal"
)]
pub fn programs() -> Result<()> {
    let missing: Vec<&str> = PROGRAMS
        .iter()
        .filter(|(names, _)| names.iter().all(|name| find(name).is_none()))
        .map(|(_, package)| *package)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let list = missing.join(" ");
    eprintln!("installing {list}");
    let apt = |arguments: &[&str]| {
        run(Command::new("apt-get")
            .args(arguments)
            .env("DEBIAN_FRONTEND", "noninteractive"))
    };
    apt(&["update", "--quiet"])
        .and_then(|()| {
            let fixed = ["install", "--quiet", "--yes", "--no-install-recommends"];
            apt(&[&fixed[..], &missing[..]].concat())
        })
        .with_context(|| format!("tests need {list}: install them, then try again"))
}

/// Installs the vendors' clients, and what the tests of the Python package need, where they are missing or outdated.
///
/// # Errors
///
/// Fails if Python or Node is missing, or if pip or npm fails.
pub fn vendors() -> Result<()> {
    let vendors = VENDORS.iter().copied().map(PythonEnvironment::of_vendor);
    for environment in vendors.chain([PythonEnvironment::of_package()]) {
        if !environment.is_current()? {
            environment.install("python3")?;
        }
    }
    NODE_CLIENTS.iter().copied().try_for_each(node_client)
}

/// Installs a client that is a Node package, in the folder where `tests/vendors` looks for it.
#[expect(
    clippy::print_stderr,
    reason = "an installation takes a while: progress goes to the terminal"
)]
fn node_client(name: &str) -> Result<()> {
    let home = target_folder().join("vendors").join(name);
    let pins = root().join("tests/vendors").join(name);
    let wanted = fs::read_to_string(pins.join("package-lock.json"))?;
    let stamp = home.join("installed.txt");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    eprintln!("installing {name}");
    fs::create_dir_all(&home)?;
    for file in ["package.json", "package-lock.json"] {
        fs::copy(pins.join(file), home.join(file))?;
    }
    // `npm ci` installs exactly the packages of the lock file and verifies their hashes. No install
    // script runs.
    run(Command::new("npm")
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
        .args(["--loglevel", "error"])
        .current_dir(&home))?;
    fs::write(stamp, wanted)?;
    Ok(())
}

/// Returns the interpreter of the environment with pip, which installs into all others.
fn pip() -> Result<PathBuf> {
    let home = target_folder().join("pip");
    let python = home.join("bin/python");
    if !python.exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&home))?;
    }
    Ok(python)
}

/// A Python environment with the packages that a requirements file pins.
pub struct PythonEnvironment {
    name: String,
    home: PathBuf,
    /// The `.in` file with the requested packages. The `.txt` file next to it has the versions and
    /// hashes of all packages, including dependencies.
    requirements: PathBuf,
}

impl PythonEnvironment {
    /// The environment of a vendor's client, in the folder where `tests/vendors` looks for it.
    pub fn of_vendor(vendor: &str) -> Self {
        // The client of a vendor that is also a plan target uses the pins of the target's check.
        let pins = root().join(format!("tests/vendors/requirements-{vendor}.in"));
        let requirements = if pins.exists() {
            pins
        } else {
            Self::of_target(vendor).requirements
        };
        Self {
            name: format!("the client of {vendor}"),
            home: target_folder().join("vendors").join(vendor),
            requirements,
        }
    }

    /// The environment of the check of a plan target.
    pub fn of_target(target: &str) -> Self {
        Self {
            name: format!("the check of {target}"),
            home: target_folder().join("engines").join(target),
            requirements: root()
                .join("tests/engines")
                .join(target)
                .join("requirements.in"),
        }
    }

    /// The environment of the tests of the Python package, in the folder where `crates/python/tests` looks for it.
    pub fn of_package() -> Self {
        Self {
            name: "the tests of the Python package".to_owned(),
            home: target_folder().join("python"),
            requirements: root().join("python/tests/requirements.in"),
        }
    }

    /// Returns the path of the interpreter, which exists once the environment is installed.
    pub fn python(&self) -> PathBuf {
        self.home.join("bin/python")
    }

    /// Reads the requested packages, without their dependencies.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn requirements(&self) -> Result<String> {
        fs::read_to_string(&self.requirements)
            .with_context(|| format!("cannot read {}", self.requirements.display()))
    }

    /// Returns the path of the file with the versions and hashes of all packages.
    fn locked(&self) -> PathBuf {
        self.requirements.with_extension("txt")
    }

    /// Returns whether exactly the pinned packages are installed.
    ///
    /// # Errors
    ///
    /// Fails if the requirements file cannot be read.
    pub fn is_current(&self) -> Result<bool> {
        let wanted = fs::read_to_string(self.locked())?;
        Ok(fs::read_to_string(self.stamp()).is_ok_and(|installed| installed == wanted))
    }

    /// Deletes the environment and creates it again with an interpreter.
    ///
    /// # Errors
    ///
    /// Fails if the interpreter does not start or pip fails.
    #[expect(
        clippy::print_stderr,
        reason = "an installation takes a while: progress goes to the terminal"
    )]
    pub fn install(&self, interpreter: impl AsRef<std::ffi::OsStr>) -> Result<()> {
        eprintln!("installing {}", self.name);
        if self.home.exists() {
            fs::remove_dir_all(&self.home)?;
        }
        // One shared pip: to copy pip into each environment takes longer than some installations.
        run(Command::new(interpreter)
            .args(["-m", "venv", "--without-pip"])
            .arg(&self.home))?;
        // `--no-compile`: most installed modules are never imported. `--no-deps`: the file lists all
        // dependencies, and the resolver would fail on newer versions of extras without a hash.
        let install = [
            "install",
            "--quiet",
            "--no-compile",
            "--no-deps",
            "--require-hashes",
        ];
        run(Command::new(pip()?)
            .args(["-m", "pip", "--python"])
            .arg(self.python())
            .args(install)
            .args(["--disable-pip-version-check", "-r"])
            .arg(self.locked()))?;
        fs::copy(self.locked(), self.stamp())?;
        Ok(())
    }

    /// Returns the path of the copy of the pins. It is written last, so a failed installation does not
    /// count as current.
    fn stamp(&self) -> PathBuf {
        self.home.join("installed.txt")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_packages_are_locked_by_hash() {
        for name in NODE_CLIENTS {
            let lock = root().join("tests/vendors").join(name);
            let lock = fs::read_to_string(lock.join("package-lock.json")).unwrap();
            let packages = lock.matches("\"node_modules/").count();
            assert!(packages > 50, "{name}: {packages}");
            let hashes = lock.matches("\"integrity\": \"sha512-").count();
            assert_eq!(hashes, packages, "{name}");
            assert!(!lock.contains("\"resolved\""), "a lock names no registry");
        }
    }

    #[test]
    fn python_requirements_are_locked_with_hashes() {
        let mut files: Vec<PathBuf> = Vec::new();
        for folder in ["tests/vendors", "tests/engines", "python/tests"] {
            let pattern = root().join(folder);
            for entry in fs::read_dir(pattern).unwrap() {
                let path = entry.unwrap().path();
                files.push(if path.is_dir() {
                    path.join("requirements.in")
                } else {
                    path
                });
            }
        }
        files.retain(|path| path.extension().is_some_and(|end| end == "in") && path.exists());
        assert!(files.len() > 20, "{files:?}");
        for file in files {
            let wanted = fs::read_to_string(&file).unwrap();
            let locked = fs::read_to_string(file.with_extension("txt")).unwrap();
            let lines = wanted
                .lines()
                .filter(|line| !line.is_empty() && !line.starts_with('#'));
            for line in lines {
                // A name may contain extras: `moto[server]==5.2.5`.
                let (name, version) = line.split_once("==").unwrap();
                let name = name.split('[').next().unwrap().to_lowercase();
                let is_pin =
                    |row: &str| row.starts_with(&name) && row.contains(&format!("=={version}"));
                let is_pinned = locked.lines().any(is_pin);
                assert!(is_pinned, "{}: {line}", file.display());
            }
            let pins = locked.lines().filter(|row| row.contains("==")).count();
            let hashes = locked
                .lines()
                .filter(|row| row.contains("--hash=sha256:"))
                .count();
            assert!(hashes >= pins, "{}", file.display());
        }
    }
}
