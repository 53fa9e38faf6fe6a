//! Runs pytest on the Python package, with the native module that this build has made.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails that way")]

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Set if all tools are installed: a test then fails instead of being skipped.
const REQUIRE_TOOLS: &str = "SKY_ACCEL_REQUIRE_TOOLS";

#[test]
fn the_package_passes_its_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let Some(python) = python(&root) else {
        assert!(
            env::var_os(REQUIRE_TOOLS).is_none(),
            "pytest is not installed, and {REQUIRE_TOOLS} is set"
        );
        let reason = "`cargo xtask test --install` installs pytest";
        let _ = writeln!(io::stderr(), "skipped: the Python package: {reason}");
        return;
    };
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python");
    let packages = scratch.join("packages");
    assemble(&root.join("python/sky_accel"), &packages.join("sky_accel"));
    let tests = Command::new(python)
        .args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider"])
        .current_dir(root.join("python/tests"))
        .env("PYTHONPATH", packages)
        .env("PYTHONPYCACHEPREFIX", scratch.join("compiled"))
        .env("XDG_CACHE_HOME", scratch.join("cache"))
        .output()
        .expect("Python starts");
    assert!(
        tests.status.success(),
        "{}{}",
        String::from_utf8_lossy(&tests.stdout),
        String::from_utf8_lossy(&tests.stderr)
    );
}

/// Returns the interpreter with the pinned packages, where `cargo xtask test --install` puts it.
fn python(root: &Path) -> Option<PathBuf> {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .parent()?
        .join("python");
    let wanted = fs::read_to_string(root.join("python/tests/requirements.txt")).ok()?;
    let installed = fs::read_to_string(home.join("installed.txt")).ok()?;
    (installed == wanted).then(|| home.join("bin/python"))
}

/// Puts the modules and the native module into one folder, as a wheel does.
fn assemble(sources: &Path, package: &Path) {
    if package.exists() {
        fs::remove_dir_all(package).expect("an old package can be removed");
    }
    fs::create_dir_all(package).expect("a folder");
    for entry in fs::read_dir(sources).expect("python/sky_accel") {
        let file = entry.expect("an entry").path();
        if let Some(name) = file.file_name().filter(|_| file.is_file()) {
            fs::copy(&file, package.join(name)).expect("a copy");
        }
    }
    // Cargo builds the module next to the test.
    let test = env::current_exe().expect("the path of the test");
    let name = format!(
        "{}_native{}",
        env::consts::DLL_PREFIX,
        env::consts::DLL_SUFFIX
    );
    let built = test.with_file_name(name);
    let module = if cfg!(windows) {
        "_native.pyd"
    } else {
        "_native.abi3.so"
    };
    fs::hard_link(&built, package.join(module))
        .unwrap_or_else(|error| panic!("{}: {error}", built.display()));
}
