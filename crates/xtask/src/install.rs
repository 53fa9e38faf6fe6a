//! The programs that tests and checks need besides cargo. Only `--install` comes here to change the machine.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::process::{find, run};
use crate::{root, target_folder};

/// Programs that tests run, each by any of its names, and the Debian packages that they are in.
const PROGRAMS: [(&[&str], &str); 8] = [
    (&["bash"], "bash"),
    (&["zsh"], "zsh"),
    (&["fish"], "fish"),
    (&["chromium", "google-chrome"], "chromium"),
    (&["node"], "nodejs"),
    (&["npm"], "npm"),
    (&["jq"], "jq"),
    (&["curl"], "curl"),
];

/// The vendors' own clients, each in an environment of its own: they do not agree on what they need.
const VENDORS: [&str; 10] = [
    "aws", "gpuhunt", "linode", "mcp", "ovh", "runpod", "scaleway", "skypilot", "vastai", "verda",
];

/// Those that are packages of Node.
const NODE_CLIENTS: [&str; 2] = ["mcp-inspector", "runpod-mcp"];

/// Installs the programs that are missing, where this machine and this user allow it.
///
/// # Errors
///
/// When apt-get is missing or fails.
#[expect(
    clippy::print_stderr,
    reason = "an installation takes a while: say which"
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

/// Installs the vendors' clients where they are missing or are not the pinned ones.
///
/// # Errors
///
/// When Python or Node is missing, or pip or npm fails.
pub fn vendors() -> Result<()> {
    for vendor in VENDORS {
        let environment = PythonEnvironment::of_vendor(vendor);
        if !environment.is_current()? {
            environment.install("python3")?;
        }
    }
    NODE_CLIENTS.into_iter().try_for_each(node_client)
}

/// Installs a client that is a package of Node. `tests/vendors` looks for it in the same place.
#[expect(
    clippy::print_stderr,
    reason = "an installation takes a while: say which"
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
    // What stands in the lock is installed, by its hashes, and none of it is run.
    run(Command::new("npm")
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
        .args(["--loglevel", "error"])
        .current_dir(&home))?;
    fs::write(stamp, wanted)?;
    Ok(())
}

/// The interpreter of the environment that has pip, which installs into the others.
fn pip() -> Result<PathBuf> {
    let home = target_folder().join("pip");
    let python = home.join("bin/python");
    if !python.exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&home))?;
    }
    Ok(python)
}

/// A Python environment that holds what a requirements file pins.
pub struct PythonEnvironment {
    name: String,
    home: PathBuf,
    /// The requested packages, by name and version: the file ends in `.in`. Beside it, in a file that
    /// ends in `.txt`, everything that this needs has its version and its hashes.
    requirements: PathBuf,
}

impl PythonEnvironment {
    /// The client of a vendor; `tests/vendors` looks for it in the same place.
    pub fn of_vendor(vendor: &str) -> Self {
        // A vendor whose code takes plans too has its pins there, once for both.
        let pins = root().join(format!("tests/vendors/requirements-{vendor}.in"));
        let requirements = if pins.exists() {
            pins
        } else {
            Self::of_engine(vendor).requirements
        };
        Self {
            name: format!("the client of {vendor}"),
            home: target_folder().join("vendors").join(vendor),
            requirements,
        }
    }

    /// The code of an engine that takes plans.
    pub fn of_engine(engine: &str) -> Self {
        Self {
            name: engine.to_owned(),
            home: target_folder().join("engines").join(engine),
            requirements: root()
                .join("tests/engines")
                .join(engine)
                .join("requirements.in"),
        }
    }

    /// Its interpreter, which is there once the environment is installed.
    pub fn python(&self) -> PathBuf {
        self.home.join("bin/python")
    }

    /// The text of its requirements file, without what that needs in turn.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn requirements(&self) -> Result<String> {
        fs::read_to_string(&self.requirements)
            .with_context(|| format!("cannot read {}", self.requirements.display()))
    }

    /// The file with versions and hashes of all that is installed.
    fn locked(&self) -> PathBuf {
        self.requirements.with_extension("txt")
    }

    /// Whether it is installed as its requirements file says today.
    ///
    /// # Errors
    ///
    /// When the requirements file cannot be read.
    pub fn is_current(&self) -> Result<bool> {
        let wanted = fs::read_to_string(self.locked())?;
        Ok(fs::read_to_string(self.stamp()).is_ok_and(|installed| installed == wanted))
    }

    /// Makes it anew with an interpreter.
    ///
    /// # Errors
    ///
    /// When the interpreter does not start or pip fails.
    #[expect(
        clippy::print_stderr,
        reason = "an installation takes a while: say which"
    )]
    pub fn install(&self, interpreter: impl AsRef<std::ffi::OsStr>) -> Result<()> {
        eprintln!("installing {}", self.name);
        if self.home.exists() {
            fs::remove_dir_all(&self.home)?;
        }
        // Copying pip into each environment takes longer than some of them take otherwise.
        run(Command::new(interpreter)
            .args(["-m", "venv", "--without-pip"])
            .arg(&self.home))?;
        // Most of what is installed is never imported: it need not be compiled. The file has everything that is
        // needed; a resolver would look at newer versions for extras, and stop at those that have no hash.
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

    /// Says what is installed: written last, so an installation that failed does not count.
    fn stamp(&self) -> PathBuf {
        self.home.join("installed.txt")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_of_node_is_locked_by_its_hash() {
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
    fn everything_that_is_asked_for_is_locked_with_hashes() {
        let mut files: Vec<PathBuf> = Vec::new();
        for folder in ["tests/vendors", "tests/engines"] {
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
                // Extras stand in the name: `moto[server]==5.2.5`.
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
