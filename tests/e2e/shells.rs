//! Completion in real shells: each completes a line and reports the arguments that it passes to the program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rexpect::session::{PtySession, spawn_command};
use sky_accel_embedded::TEST_CATALOG_VARIABLE;

use crate::support::tools;

/// The text typed before Tab, and the last word that the shell then passes to the program.
const LINES: &[(&str, &str)] = &[
    ("reco", "recommend"),
    ("resolve H100-94GB-N", "H100-94GB-NVL"),
    ("resolve h100-cn", "h100-cnx"),
    ("resolve p4de", "p4de.24xlarge"),
    ("resolve H100:80", "H100:80GB"),
    ("resolve H100:x8:pc", "H100:x8:pcie"),
    ("resolve H100:80GB:mig=7", "H100:80GB:mig=7g.80gb"),
    ("resolve A30:mig=1g.6gb+4", "A30:mig=1g.6gb+4g.24gb"),
    ("resolve H100 --provider ver", "verda"),
    ("resolve H100 --provider aws,ver", "aws,verda"),
    ("resolve H100 --provider=run", "--provider=runpod"),
    ("resolve H100 --provider aws --region il", "il-central-1"),
    ("mig fit A100:40GB 7", "7g.40gb"),
    ("mig fit A30 --occupied 4", "4g.24gb@"),
    ("plan H100 --to skyp", "skypilot"),
    ("convert H100 --to slu", "slurm"),
    ("fit L4 --model Llama-3.1-4", "Llama-3.1-405B"),
    ("is train", "trainium"),
];

struct Shell {
    session: PtySession,
    /// The key that ends a typed line.
    name: &'static str,
}

impl Shell {
    /// Starts a shell without the user's settings, in which `sky-accel` prints its last word. Returns
    /// `None` if the shell is not installed.
    fn start(name: &'static str, arguments: &[&str], setup: &str) -> Option<Self> {
        let shell = tools::program(&[name])?;
        let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("home-{name}"));
        fs::create_dir_all(&home).unwrap();
        let program = env!("CARGO_BIN_EXE_sky-accel");
        let script = registration(program, name);
        let file = home.join("completion");
        fs::write(&file, script).unwrap();
        let mut command = Command::new(shell);
        command
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", &home)
            .env("XDG_CONFIG_HOME", home.join("config"))
            .env("XDG_DATA_HOME", home.join("data"))
            .env("TERM", "dumb")
            .env(TEST_CATALOG_VARIABLE, "1")
            .env("COLUMNS", "200")
            .current_dir(&home);
        let mut session = spawn_command(command, Some(20_000)).unwrap();
        let setup = setup.replace("FILE", &file.display().to_string());
        session.send_line(&setup).unwrap();
        session.exp_string("<ready>").unwrap();
        Some(Self { session, name })
    }

    /// The last word of a line after Tab.
    fn complete(&mut self, line: &str) -> String {
        self.session.send(&format!("sky-accel {line}")).unwrap();
        self.session.send("\t").unwrap();
        self.session.flush().unwrap();
        // The shell calls the program before it reads more input.
        self.session.send_line("").unwrap();
        let wrong = |error| format!("{}: {line}: {error}", self.name);
        let answer = self.session.exp_regex("<last [^>]*>").map_err(wrong);
        let (_, word) = answer.unwrap();
        word["<last ".len()..word.len() - 1].to_owned()
    }
}

fn registration(program: &str, shell: &str) -> Vec<u8> {
    let output = Command::new(program).args(["completions", shell]).output();
    output.unwrap().stdout
}

fn check(mut shell: Shell) {
    let wrong: Vec<String> = LINES
        .iter()
        .filter_map(|(line, expected)| {
            let got = shell.complete(line);
            (got != *expected).then(|| format!("{}: {line}: {got}, not {expected}", shell.name))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn bash() {
    let Some(mut shell) = Shell::start(
        "bash",
        &["--norc", "--noprofile", "-i"],
        "source FILE; sky-accel() { printf '<last %s>\\n' \"${@: -1}\"; }; printf '<%s>\\n' ready",
    ) else {
        return;
    };
    // Within quotes, bash replaces the whole word and closes the quote.
    assert_eq!(
        shell.complete("resolve 'H100:80GB:mig=7"),
        "H100:80GB:mig=7g.80gb"
    );
    check(shell);
}

#[test]
fn zsh() {
    let Some(mut shell) = Shell::start(
        "zsh",
        &["-f", "-i"],
        "autoload -Uz compinit && compinit -u; source FILE; sky-accel() { printf '<last %s>\\n' \"${@[-1]}\" }; printf '<%s>\\n' ready",
    ) else {
        return;
    };
    assert_eq!(
        shell.complete("resolve 'H100:80GB:mig=7"),
        "H100:80GB:mig=7g.80gb"
    );
    check(shell);
}

#[test]
fn fish() {
    let Some(shell) = Shell::start(
        "fish",
        &["--no-config", "-i"],
        "source FILE; function sky-accel; printf '<last %s>\\n' $argv[-1]; end; printf '<%s>\\n' ready",
    ) else {
        return;
    };
    check(shell);
}

/// Each shell reads the static scripts that packages install without errors.
#[test]
fn static_scripts_are_read() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("completions");
    for (shell, arguments, file) in [
        ("bash", &["-n"][..], "sky-accel.bash"),
        ("zsh", &["-n"][..], "_sky-accel"),
        ("fish", &["--no-execute"][..], "sky-accel.fish"),
    ] {
        let Some(program) = tools::program(&[shell]) else {
            continue;
        };
        let output = Command::new(program)
            .args(arguments)
            .arg(folder.join(file))
            .output()
            .unwrap();
        assert!(
            output.status.success() && output.stderr.is_empty(),
            "{shell}: {output:?}"
        );
    }
}
