//! The composite action, whose scripts are run like on a runner against a local release, and the templates that
//! a release fills.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use sky_accel_embedded::TEST_CATALOG_VARIABLE;
use tempfile::TempDir;

use crate::support::tools;

/// A runner with the files that a job writes to.
struct Runner {
    folder: TempDir,
}

impl Runner {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for file in ["summary", "output", "path"] {
            fs::write(folder.path().join(file), "").unwrap();
        }
        Self { folder }
    }

    fn run(&self, script: &str, variables: &[(&str, &str)]) -> Output {
        let script = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("packaging/action")
            .join(script);
        let program = Path::new(env!("CARGO_BIN_EXE_sky-accel")).parent().unwrap();
        let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
        let file = |name: &str| self.folder.path().join(name);
        Command::new(script)
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.folder.path())
            .env("SKY_ACCEL_TODAY", "2026-11-20")
            .env(TEST_CATALOG_VARIABLE, "1")
            .env("RUNNER_TEMP", self.folder.path())
            .env("RUNNER_OS", "Linux")
            .env("RUNNER_ARCH", "X64")
            .env("GITHUB_STEP_SUMMARY", file("summary"))
            .env("GITHUB_OUTPUT", file("output"))
            .env("GITHUB_PATH", file("path"))
            .envs(variables.iter().copied())
            .current_dir(self.folder.path())
            .output()
            .unwrap()
    }

    fn text(&self, file: &str) -> String {
        fs::read_to_string(self.folder.path().join(file)).unwrap()
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn price_within_the_limit_passes_and_names_the_offer() {
    if tools::program(&["jq"]).is_none() {
        return;
    }
    let runner = Runner::new();
    let output = runner.run(
        "gate.sh",
        &[
            ("SPEC", "H100:x8"),
            ("MAX_PRICE", "60"),
            ("OFFER_ARGUMENTS", "--provider aws,gcp"),
        ],
    );
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(
        runner.text("output"),
        "provider=aws\ninstance-type=p5.48xlarge\nusd-per-hour=55.04\n"
    );
    let summary = runner.text("summary");
    assert!(
        summary.contains("ended with 0") && summary.contains("    *  aws"),
        "{summary}"
    );
    // The table is between lines that keep the runner from interpreting commands in it.
    let log = said(&output);
    let token = log
        .lines()
        .find_map(|line| line.strip_prefix("::stop-commands::"));
    let end = format!("\n::{}::\n", token.unwrap());
    let (table, rest) = log.split_once(&end).unwrap();
    assert!(
        token.unwrap().len() == 32 && table.contains("p5.48xlarge"),
        "{log}"
    );
    assert!(!rest.contains("p5.48xlarge"), "{log}");
}

#[test]
fn price_above_the_limit_fails_with_a_reason() {
    let runner = Runner::new();
    let output = runner.run("gate.sh", &[("SPEC", "H100:x8"), ("MAX_PRICE", "2")]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let said = said(&output);
    assert!(
        said.contains("::error title=sky-accel::no offer") && said.contains("nearest:"),
        "{said}"
    );
    assert_eq!(runner.text("output"), "");
    assert!(runner.text("summary").contains("ended with 1"));
}

#[test]
fn model_that_does_not_fit_fails() {
    let runner = Runner::new();
    let fits = [
        ("SPEC", "L4"),
        ("MODEL", "Llama-3.1-8B"),
        ("FIT_ARGUMENTS", "--precision awq"),
    ];
    let output = runner.run("gate.sh", &fits);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let output = runner.run("gate.sh", &[("SPEC", "L4"), ("MODEL", "Llama-3.1-70B")]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("::error title=sky-accel::the model does not fit"));
}

#[test]
fn wrong_input_is_an_error_and_runs_nothing() {
    let runner = Runner::new();
    for (variables, text) in [
        (&[("SPEC", "H10:x8")][..], "did you mean H100"),
        (&[("SPEC", "--version")], "--version"),
        (
            &[("SPEC", "$(touch owned)`touch owned`; touch owned")],
            "error:",
        ),
        (
            &[
                ("SPEC", "H100"),
                ("OFFER_ARGUMENTS", "; touch owned $(touch owned)"),
            ],
            "error:",
        ),
        (
            &[("SPEC", "H100"), ("MAX_PRICE", "cheap")],
            "US dollars per hour",
        ),
    ] {
        let output = runner.run("gate.sh", variables);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{variables:?}: {}",
            said(&output)
        );
        assert!(
            said(&output).contains(text),
            "{variables:?}: {}",
            said(&output)
        );
    }
    assert!(!runner.folder.path().join("owned").exists());
    assert_eq!(runner.run("gate.sh", &[]).status.code(), Some(1));
}

/// A release in a folder: an archive with a program that prints its version, and its checksum.
fn release(folder: &Path, sum_is_right: bool) -> PathBuf {
    let name = "sky-accel-0.1.0-x86_64-unknown-linux-musl";
    let release = folder.join("v0.1.0");
    let program = release.join(name);
    fs::create_dir_all(&program).unwrap();
    fs::write(
        program.join("sky-accel"),
        "#!/bin/sh\necho sky-accel 0.1.0\n",
    )
    .unwrap();
    let script = format!(
        "chmod +x {name}/sky-accel && tar -czf {name}.tgz {name} && sha256sum {name}.tgz > SHA256SUMS && {}",
        if sum_is_right {
            "true"
        } else {
            "echo more >> $(ls *.tgz)"
        }
    );
    let made = Command::new("sh")
        .args(["-c", &script])
        .current_dir(&release)
        .status();
    assert!(made.unwrap().success());
    folder.to_owned()
}

/// A folder for `PATH` with the programs that the script needs and, if `gh` is given, a `gh` with
/// this exit code that keeps its arguments.
fn programs(folder: &Path, gh: Option<i32>) -> Option<PathBuf> {
    let bin = folder.join("bin");
    fs::create_dir_all(&bin).unwrap();
    for name in [
        "awk",
        "bash",
        "curl",
        "env",
        "gzip",
        "mkdir",
        "mktemp",
        "sha256sum",
        "tar",
        "uname",
    ] {
        std::os::unix::fs::symlink(tools::program(&[name])?, bin.join(name)).unwrap();
    }
    if let Some(code) = gh {
        let path = bin.join("gh");
        let kept = folder.join("gh-arguments");
        let script = format!(
            "#!/bin/sh\necho \"$@\" >> '{}'\nexit {code}\n",
            kept.display()
        );
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    Some(bin)
}

/// Installs a release, whose address is the first variable.
fn install(runner: &Runner, gh: Option<i32>, variables: &[(&str, &str)]) -> Option<Output> {
    let releases = runner.folder.path().join("releases");
    let bin = programs(&runner.folder.path().join("programs"), gh)?;
    let address = format!("file://{}", releases.display());
    let mut all = vec![
        ("PATH", bin.to_str().unwrap()),
        ("RELEASES", &address),
        ("REPOSITORY", "owner/sky-accel"),
        ("VERSION", "v0.1.0"),
    ];
    all.extend(variables);
    Some(runner.run("install.sh", &all))
}

#[test]
fn release_with_a_correct_checksum_and_an_attestation_is_installed() {
    let runner = Runner::new();
    release(&runner.folder.path().join("releases"), true);
    let Some(output) = install(&runner, Some(0), &[]) else {
        return;
    };
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains("sky-accel 0.1.0"));
    let path = runner.text("path");
    assert!(Path::new(path.trim()).join("sky-accel").exists(), "{path}");
    assert_eq!(
        runner.text("programs/gh-arguments"),
        "attestation verify sky-accel-0.1.0-x86_64-unknown-linux-musl.tgz --repo owner/sky-accel \
         --source-ref refs/tags/v0.1.0 --signer-workflow owner/sky-accel/.github/workflows/release.yml \
         --deny-self-hosted-runners\n"
    );
}

#[test]
fn release_without_an_attestation_is_rejected() {
    let runner = Runner::new();
    release(&runner.folder.path().join("releases"), true);
    let Some(output) = install(&runner, Some(1), &[]) else {
        return;
    };
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("no valid attestation of owner/sky-accel for v0.1.0"));
    assert!(!said(&output).contains("sky-accel 0.1.0\n"), "nothing ran");
    assert_eq!(runner.text("path"), "");
}

#[test]
fn attestation_is_skipped_only_on_request() {
    let runner = Runner::new();
    release(&runner.folder.path().join("releases"), true);
    for (variables, code, text) in [
        (&[][..], 2, "gh is not installed"),
        (
            &[("ATTESTATION", "no")],
            2,
            "attestation is required or skip",
        ),
        (&[("ATTESTATION", "skip")], 0, "sky-accel 0.1.0"),
    ] {
        fs::remove_dir_all(runner.folder.path().join("programs")).unwrap_or_default();
        let Some(output) = install(&runner, None, variables) else {
            return;
        };
        assert_eq!(output.status.code(), Some(code), "{}", said(&output));
        assert!(said(&output).contains(text), "{}", said(&output));
    }
}

#[test]
fn release_with_a_wrong_checksum_is_rejected() {
    let runner = Runner::new();
    release(&runner.folder.path().join("releases"), false);
    for (version, text) in [
        ("0.1.0", "is not what SHA256SUMS says"),
        ("0.2.0", "release 0.2.0 has no"),
        ("../../etc", "the version is like 0.1.0"),
        ("0.1.0; touch owned", "the version is like 0.1.0"),
    ] {
        fs::remove_dir_all(runner.folder.path().join("programs")).unwrap_or_default();
        let variables = [("VERSION", version), ("ATTESTATION", "skip")];
        let Some(output) = install(&runner, None, &variables) else {
            return;
        };
        assert_eq!(
            output.status.code(),
            Some(2),
            "{version}: {}",
            said(&output)
        );
        assert!(said(&output).contains(text), "{version}: {}", said(&output));
        assert_eq!(runner.text("path"), "");
    }
}

/// The checksums of a release, for the archives of all platforms.
fn sums(version: &str) -> String {
    let targets = [
        "aarch64-apple-darwin",
        "aarch64-unknown-linux-musl",
        "x86_64-apple-darwin",
        "x86_64-unknown-linux-musl",
    ];
    let line = |(at, target): (usize, &str)| {
        let sum = at.to_string().repeat(64);
        format!("{sum}  sky-accel-{version}-{target}.tgz\n")
    };
    targets
        .into_iter()
        .enumerate()
        .map(line)
        .collect::<Vec<_>>()
        .concat()
}

#[test]
fn templates_get_the_values_of_a_release() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    let sums_file = folder.path().join("SHA256SUMS");
    let fill = |template: &str, version: &str| {
        Command::new(root.join("packaging/fill.sh"))
            .arg(root.join("packaging").join(template))
            .args([version, "https://example.org/o/r"])
            .arg(&sums_file)
            .output()
            .unwrap()
    };
    fs::write(&sums_file, sums("1.2.3")).unwrap();
    for template in ["homebrew/sky-accel.rb.in", "nix/flake.nix.in"] {
        let filled = fill(template, "1.2.3");
        assert!(filled.status.success(), "{}", said(&filled));
        let text = String::from_utf8(filled.stdout).unwrap();
        assert!(!text.contains('@'), "{text}");
        let of_release = "https://example.org/o/r/releases/download/v1.2.3";
        assert!(
            text.contains(of_release) && text.contains(&"3".repeat(64)),
            "{text}"
        );
        // A release that lacks an archive, and an invalid version.
        for version in ["1.2.4", "1.2", "1.2.3; true"] {
            let refused = fill(template, version);
            assert_eq!(
                refused.status.code(),
                Some(2),
                "{version}: {}",
                said(&refused)
            );
        }
    }
}

#[test]
fn files_named_by_release_scripts_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |file: &str| fs::read_to_string(root.join(file)).unwrap();
    let action: serde_json::Value = serde_saphyr::from_str(&read("action.yml")).unwrap();
    assert_eq!(action["runs"]["using"], "composite");
    let steps = action["runs"]["steps"].as_array().unwrap();
    for step in steps {
        let script = step["run"].as_str().unwrap().trim_matches('"');
        let script = script.strip_prefix("$ACTION_FOLDER/").unwrap();
        assert!(root.join(script).exists(), "{script}");
        // The script of a step reads each of its variables.
        let text = read(script);
        for name in step["env"]
            .as_object()
            .unwrap()
            .keys()
            // `gh` reads its token.
            .filter(|name| !["ACTION_FOLDER", "GH_TOKEN"].contains(&name.as_str()))
        {
            assert!(
                text.contains(&format!("${name}")) || text.contains(&format!("${{{name}")),
                "{script}: {name}"
            );
        }
    }
    let release: serde_json::Value =
        serde_saphyr::from_str(&read(".github/workflows/release.yml")).unwrap();
    let built = release["jobs"]["build"]["strategy"]["matrix"]["include"]
        .as_array()
        .unwrap();
    let targets: Vec<&str> = built
        .iter()
        .map(|row| row["target"].as_str().unwrap())
        .collect();
    for file in [
        "packaging/action/install.sh",
        "packaging/homebrew/sky-accel.rb.in",
        "packaging/nix/flake.nix.in",
    ] {
        let text = read(file);
        let named = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'));
        let named = named.filter(|word| {
            ["-unknown-linux-", "-apple-darwin", "-pc-windows-"]
                .iter()
                .any(|part| word.contains(part))
        });
        let named: Vec<&str> = named.map(|word| word.trim_matches('-')).collect();
        assert!(
            !named.is_empty() && named.iter().all(|word| targets.contains(word)),
            "{file}: {named:?}"
        );
    }
}
