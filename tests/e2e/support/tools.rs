//! Optional programs of some tests. Without them, a test reports that it is
//! skipped, and why.
//!
//! `cargo xtask test --install` installs them and does not allow skipped tests.

use std::env;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Set if all tools are installed: a test then fails instead of being skipped.
const REQUIRE_TOOLS: &str = "SKY_ACCEL_REQUIRE_TOOLS";

/// Returns the first of the programs on the `PATH`, or `None` if the test has to be skipped.
pub fn program(names: &[&str]) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path)
        .flat_map(|folder| names.iter().map(move |name| folder.join(name)))
        .find(|file| file.is_file());
    if found.is_none() {
        skip(&format!("no {} on this machine", names.join(" or ")));
    }
    found
}

/// Returns the program folder of a vendor's client in the version of its requirements file, or `None` if the
/// test has to be skipped.
pub fn vendor(vendor: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // The requirements of a vendor that is also a plan target are in `tests/engines`.
    let pins = root.join(format!("tests/vendors/requirements-{vendor}.txt"));
    let requirements = if pins.exists() {
        pins
    } else {
        root.join(format!("tests/engines/{vendor}/requirements.txt"))
    };
    // The folder of cargo's output, where `cargo xtask test --install` puts the clients.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent()?;
    let home = target.join("vendors").join(vendor);
    let installed = fs::read_to_string(home.join("installed.txt")).ok();
    if installed.is_some() && installed == fs::read_to_string(requirements).ok() {
        return Some(home.join("bin"));
    }
    skip(&format!("the client of {vendor} is not installed"));
    None
}

/// Returns the folder of a Node client in the version of its lock file, or `None` if the test has to be skipped.
pub fn node_client(name: &str) -> Option<PathBuf> {
    let lock = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/vendors")
        .join(name)
        .join("package-lock.json");
    let home = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .parent()?
        .join("vendors")
        .join(name);
    let installed = fs::read_to_string(home.join("installed.txt")).ok();
    if installed.is_some() && installed == fs::read_to_string(lock).ok() {
        return Some(home);
    }
    skip(&format!("{name} is not installed"));
    None
}

/// Returns the value of a variable of the environment, or `None` if the test has to be skipped. Not every machine has
/// it, so that a missing one is never a failure.
pub fn variable(name: &str, how: &str) -> Option<String> {
    let value = env::var(name).ok().filter(|value| !value.is_empty());
    if value.is_none() {
        report(&format!("{name} is not set ({how})"));
    }
    value
}

/// Reports that a test is skipped, even if the test harness captures output.
fn skip(reason: &str) {
    assert!(
        env::var_os(REQUIRE_TOOLS).is_none(),
        "{reason}, and {REQUIRE_TOOLS} is set"
    );
    report(&format!(
        "{reason} (`cargo xtask test --install` installs what tests need)"
    ));
}

fn report(reason: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    let _ = writeln!(io::stderr(), "skipped: {test}: {reason}");
}
