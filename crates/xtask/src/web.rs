//! Builds the WebAssembly module of the page that `sky-accel web` writes, and compares its answers with the program's.
//!
//! The module is built by the installed toolchain if it has the target, and otherwise in a folder with a Debian system,
//! whose toolchain has it. `--install` makes that folder.

use std::env;
use std::fs;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

use crate::arguments::WebArguments;
use crate::paths::{WEB_PAGE, root, target_folder};
use crate::process::{cargo, find, run};

const TARGET: &str = "wasm32-unknown-unknown";
/// The variable with the folder of the Debian system.
const CHROOT: &str = "SKY_ACCEL_WEB_CHROOT";
/// The packages that build the module, besides the essential ones of Debian.
const PACKAGES: &str =
    "cargo,rustc,libstd-rust-dev-wasm32,lld,gcc,libc6-dev,ca-certificates,binaryen";
/// The release of Debian whose toolchain is new enough.
const RELEASE: &str = "sid";
/// The program that shrinks modules.
const OPTIMIZER: &str = "wasm-opt";
/// The most bytes of the compressed module. With the catalog, which takes 630,000, a page has to stay below 3 MB.
const MAX_MODULE: u64 = 2_370_000;
/// The passes of the compression. More of them gain less than 0.1%.
const PASSES: NonZeroU64 = NonZeroU64::MIN.saturating_add(4);
/// Mounts the repository, the registry and the build folder where they are, and runs a command. The mounts end with the
/// command, because it has its own mount namespace. Debian packages the linker separately.
const IN_CHROOT: &str = r#"
set -eu
chroot=$1; cargo_home=$2; root=$3; build=$4; shift 4
for folder in "$cargo_home" "$root" "$build"; do
  mkdir -p "$folder" "$chroot$folder"
  mount --bind "$folder" "$chroot$folder"
done
mount -t proc proc "$chroot/proc"
mount --bind /dev "$chroot/dev"
exec chroot "$chroot" /usr/bin/env -i HOME=/root CARGO_HOME="$cargo_home" PATH=/usr/bin:/bin \
  CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld \
  sh -c 'cd "$1" && shift && exec "$@"' sh "$root" "$@"
"#;

/// Where the module is built.
enum Toolchain {
    Installed,
    Chroot(PathBuf),
}

/// Builds the module.
///
/// # Errors
///
/// Fails if no toolchain has the target, if the build fails, and if the module is too large.
pub fn web(arguments: WebArguments) -> Result<()> {
    let Some(toolchain) = toolchain(arguments.install)? else {
        bail!(
            "no toolchain for {TARGET} with {OPTIMIZER}: `rustup target add {TARGET}` and Binaryen add them, and `cargo xtask \
             web --install` makes a folder with a Debian system that has both; {CHROOT} names such a folder"
        );
    };
    build(&toolchain)?;
    if arguments.test {
        cargo(&["build", "--release", "--locked"], &[])?;
        compare(&target_folder().join("release/sky-accel"))?;
    }
    Ok(())
}

/// Builds the module and compares its answers with those of a program, where there is a toolchain.
///
/// # Errors
///
/// Fails as [`web`], and if an answer differs.
#[expect(clippy::print_stderr, reason = "a skipped test must be seen")]
pub fn test(program: &Path) -> Result<()> {
    let Some(toolchain) = toolchain(false)? else {
        eprintln!(
            "skipped: the module for pages, because no toolchain has {TARGET} and {OPTIMIZER}"
        );
        return Ok(());
    };
    if find("node").is_none() {
        eprintln!("skipped: the module for pages, because Node is missing");
        return Ok(());
    }
    build(&toolchain)?;
    compare(program)
}

/// Returns the toolchain that has the target and the optimizer; `None` if none has both.
fn toolchain(may_install: bool) -> Result<Option<Toolchain>> {
    if has_target()? && find(OPTIMIZER).is_some() {
        return Ok(Some(Toolchain::Installed));
    }
    let chroot =
        env::var_os(CHROOT).map_or_else(|| target_folder().join("web/debian"), PathBuf::from);
    let is_there = ["cargo", OPTIMIZER]
        .iter()
        .all(|program| chroot.join("usr/bin").join(program).is_file());
    if !is_there && may_install {
        fs::create_dir_all(&chroot)?;
        let mut debootstrap = Command::new("debootstrap");
        debootstrap.args(["--variant=minbase", "--include", PACKAGES, RELEASE]);
        run(debootstrap.arg(&chroot)).context("debootstrap makes the Debian system, as root")?;
    }
    Ok((is_there || may_install).then_some(Toolchain::Chroot(chroot)))
}

/// Returns whether the installed toolchain has the target.
fn has_target() -> Result<bool> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let found = Command::new(rustc)
        .args(["--print", "target-libdir", "--target", TARGET])
        .current_dir(root())
        .output()
        .context("rustc does not start")?;
    let folder = String::from_utf8_lossy(&found.stdout);
    Ok(found.status.success() && Path::new(folder.trim()).is_dir())
}

/// Builds, optimizes and compresses the module, and prints its sizes.
#[expect(clippy::print_stdout, reason = "the sizes are the result of the task")]
fn build(toolchain: &Toolchain) -> Result<()> {
    let folder = target_folder().join("web");
    let build = folder.join("build");
    let build_text = build.to_string_lossy();
    let mut arguments = vec![
        "rustc",
        "--locked",
        "--package",
        "sky-accel-web",
        // Not in its manifest: each build of the workspace would link it.
        "--crate-type",
        "cdylib",
        "--profile",
        "web",
        "--target",
        TARGET,
        "--target-dir",
        &build_text[..],
    ];
    match toolchain {
        Toolchain::Installed => cargo(&arguments, &[])?,
        Toolchain::Chroot(chroot) => {
            // The Debian system then needs no network.
            cargo(&["fetch", "--locked"], &[])?;
            arguments.push("--offline");
            run(in_chroot(chroot, &build)?.arg("cargo").args(&arguments))
                .context("mounting needs root")?;
        }
    }
    let module = folder.join("module.wasm");
    let linked = build.join(TARGET).join("web/sky_accel_web.wasm");
    let optimized = build.join("optimized.wasm");
    let mut optimize = match toolchain {
        Toolchain::Installed => Command::new(OPTIMIZER),
        Toolchain::Chroot(chroot) => {
            let mut command = in_chroot(chroot, &build)?;
            command.arg(OPTIMIZER);
            command
        }
    };
    optimize.args(["-Os", "--all-features"]).arg(&linked);
    run(optimize.arg("-o").arg(&optimized))?;
    fs::copy(&optimized, &module)?;
    let packed = compress(&module)?;
    let length = |path: &Path| Ok::<_, anyhow::Error>(fs::metadata(path)?.len());
    let (plain_length, packed_length) = (length(&module)?, length(&packed)?);
    println!(
        "{}: {plain_length} bytes, {packed_length} compressed",
        packed.display()
    );
    println!(
        "SKY_ACCEL_WEB_MODULE={} cargo build puts it into the program",
        packed.display()
    );
    ensure!(
        packed_length <= MAX_MODULE,
        "the compressed module has more than {MAX_MODULE} bytes"
    );
    Ok(())
}

/// A command that runs the program of its next argument in the Debian system.
fn in_chroot(chroot: &Path, build: &Path) -> Result<Command> {
    let home = cargo_home().context("neither CARGO_HOME nor HOME is set")?;
    let mut unshare = Command::new("unshare");
    unshare.args(["--mount", "sh", "-c", IN_CHROOT, "sh"]);
    unshare.arg(chroot).arg(home).arg(root()).arg(build);
    Ok(unshare)
}

/// Compresses a file, and returns the path of the result. Pages contain it, and browsers read no denser format than
/// gzip.
fn compress(file: &Path) -> Result<PathBuf> {
    let packed = PathBuf::from(format!("{}.gz", file.display()));
    let options = zopfli::Options {
        iteration_count: PASSES,
        ..zopfli::Options::default()
    };
    let to = fs::File::create(&packed)?;
    zopfli::compress(options, zopfli::Format::Gzip, fs::File::open(file)?, to)?;
    Ok(packed)
}

fn cargo_home() -> Option<PathBuf> {
    let home = || Some(PathBuf::from(env::var_os("HOME")?).join(".cargo"));
    env::var_os("CARGO_HOME").map(PathBuf::from).or_else(home)
}

/// Writes a page, and compares the answers of its module with those of a program.
fn compare(program: &Path) -> Result<()> {
    let folder = target_folder().join("web");
    let page = target_folder().join(WEB_PAGE);
    let mut write = Command::new(program);
    write.args(["--no-config", "web", "--out"]).arg(&page);
    run(write.arg("--module").arg(folder.join("module.wasm.gz")))?;
    let mut node = Command::new("node");
    node.arg(root().join("tests/web/answers.mjs"));
    run(node.arg(&page).arg(program))
}
