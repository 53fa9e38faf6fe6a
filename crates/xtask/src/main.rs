//! Development tasks: `cargo xtask <task>`.
//!
//! `generate` writes what is generated and committed, `generate --check` fails when that has
//! drifted, `validate` shows plans to the engines that take them, and `test` does everything that
//! continuous integration does.

mod accuracy;
mod engines;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context as _, Result, bail};
use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use sky_accel::cli::Cli;

#[derive(Parser)]
#[command(name = "xtask", about = "Development tasks")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Write completions, manual pages, JSON Schemas and docs/accuracy.md
    Generate {
        /// Change nothing, and fail when something would change
        #[arg(long)]
        check: bool,
    },
    /// Ask every engine about the plans that are rendered for it, and write docs/validation.md
    Validate {
        /// Only the engines of every test run; writes nothing
        #[arg(long)]
        light: bool,
    },
    /// Check that generated files are current, then run all tests
    Test {
        /// Also check formatting and lints
        #[arg(long)]
        lint: bool,
    },
}

fn main() -> Result<()> {
    match Arguments::parse().task {
        Task::Generate { check } => generate(check),
        Task::Validate { light } => engines::validate(light),
        Task::Test { lint } => test(lint),
    }
}

fn root() -> PathBuf {
    // This crate stands two folders below the root.
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .map_or_else(PathBuf::new, Path::to_path_buf)
}

fn target_folder() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

fn generate(check: bool) -> Result<()> {
    let mut stale = Vec::new();
    for (path, text) in generated()? {
        let file = root().join(&path);
        if fs::read_to_string(&file).is_ok_and(|old| old == text) {
            continue;
        }
        if !check {
            if let Some(folder) = file.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(&file, text).with_context(|| format!("cannot write {path}"))?;
        }
        stale.push(path);
    }
    if check && !stale.is_empty() {
        bail!(
            "not current: {} (run `cargo xtask generate`)",
            stale.join(", ")
        );
    }
    Ok(())
}

/// Every generated file: its path from the root, and its text.
fn generated() -> Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    for shell in [
        Shell::Bash,
        Shell::Elvish,
        Shell::Fish,
        Shell::PowerShell,
        Shell::Zsh,
    ] {
        let mut script = Vec::new();
        let mut command = Cli::command();
        let name = match shell {
            Shell::Bash => "sky-accel.bash",
            Shell::Elvish => "sky-accel.elv",
            Shell::Fish => "sky-accel.fish",
            Shell::PowerShell => "_sky-accel.ps1",
            _ => "_sky-accel",
        };
        clap_complete::generate(shell, &mut command, "sky-accel", &mut script);
        files.push((format!("completions/{name}"), String::from_utf8(script)?));
    }
    let mut command = Cli::command();
    command.build();
    pages(&command, "sky-accel", &mut files)?;
    for (name, schema) in sky_accel::schemas() {
        files.push((
            format!("schemas/{name}.json"),
            serde_json::to_string_pretty(&schema)? + "\n",
        ));
    }
    files.push(("docs/accuracy.md".to_owned(), accuracy::page()?));
    Ok(files)
}

/// The manual page of a command, and of those below it.
fn pages(command: &clap::Command, name: &str, files: &mut Vec<(String, String)>) -> Result<()> {
    let page = clap_mangen::Man::new(command.clone().display_name(name)).title(name);
    let mut text = Vec::new();
    page.render(&mut text)?;
    files.push((format!("man/{name}.1"), String::from_utf8(text)?));
    let own = command.get_subcommands();
    // Ours knows topics; what clap adds to groups of commands says nothing of its own.
    let is_own = |below: &&clap::Command| below.get_name() != "help" || name == "sky-accel";
    for below in own.filter(|below| is_own(below) && !below.is_hide_set()) {
        pages(below, &format!("{name}-{}", below.get_name()), files)?;
    }
    Ok(())
}

fn test(lint: bool) -> Result<()> {
    if lint {
        cargo(&["fmt", "--all", "--check"])?;
        cargo(&[
            "clippy",
            "--workspace",
            "--all-targets",
            "--features",
            "test-tools",
            "--locked",
            "--",
            "-D",
            "warnings",
        ])?;
    }
    generate(true)?;
    engines::validate(true)?;
    programs()?;
    let vendors = vendors()?;
    cargo_with(
        &[
            "test",
            "--workspace",
            "--features",
            "test-tools",
            "--locked",
        ],
        &[("SKY_ACCEL_VENDORS", &vendors)],
    )
}

/// Programs that tests run, and the Debian packages that they are in.
const PROGRAMS: [(&str, &str); 4] = [
    ("bash", "bash"),
    ("zsh", "zsh"),
    ("fish", "fish"),
    ("chromium", "chromium"),
];

/// Installs the programs that are missing, where this machine and this user allow it.
#[expect(
    clippy::print_stderr,
    reason = "an installation takes a while: say which"
)]
fn programs() -> Result<()> {
    let path = env::var_os("PATH").unwrap_or_default();
    let is_there = |name: &str| env::split_paths(&path).any(|folder| folder.join(name).is_file());
    let missing: Vec<&str> = PROGRAMS
        .iter()
        .filter(|(program, _)| !is_there(program))
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

/// The vendors' own clients, each in an environment of its own: they do not agree on what they
/// need.
const VENDORS: [&str; 4] = ["aws", "runpod", "vastai", "verda"];

/// Installs the vendors' clients where that is still to be done; tells the folder.
#[expect(
    clippy::print_stderr,
    reason = "an installation takes a while: say which"
)]
fn vendors() -> Result<PathBuf> {
    let folder = target_folder().join("vendors");
    for vendor in VENDORS {
        let list = root().join(format!("tests/vendors/requirements-{vendor}.txt"));
        let wanted = fs::read_to_string(&list)?;
        let (home, installed) = (
            folder.join(vendor),
            folder.join(vendor).join("installed.txt"),
        );
        if fs::read_to_string(&installed).is_ok_and(|text| text == wanted) {
            continue;
        }
        eprintln!("installing the client of {vendor}");
        if home.exists() {
            fs::remove_dir_all(&home)?;
        }
        run(Command::new("python3").args(["-m", "venv"]).arg(&home))?;
        let pip = home.join("bin/pip");
        run(Command::new(pip)
            .args(["install", "--quiet", "--disable-pip-version-check", "-r"])
            .arg(&list))?;
        fs::write(installed, wanted)?;
    }
    Ok(folder)
}

fn cargo(arguments: &[&str]) -> Result<()> {
    cargo_with(arguments, &[])
}

fn cargo_with(arguments: &[&str], environment: &[(&str, &Path)]) -> Result<()> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    run(Command::new(cargo)
        .args(arguments)
        .envs(environment.iter().copied())
        .current_dir(root()))
}

fn run(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("{command:?} does not start"))?;
    if !status.success() {
        bail!("{command:?} failed");
    }
    Ok(())
}
