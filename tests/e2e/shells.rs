//! Completion in real shells: each completes a line and reports the arguments that it passes to the program. Names of
//! files are hostile: each would create the file `PWNED` if a shell ran it.

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

/// Names of files, each with a different first letter. The last ones have control characters.
const NAMES: &[&str] = &[
    "0a$(touch${IFS}PWNED).gguf",
    "0b`touch PWNED`",
    "0c;touch PWNED;",
    "0d && touch PWNED",
    "0e|touch PWNED",
    "0f' ; touch PWNED; 'z",
    "0g\"$(touch PWNED)\"",
    "0h\\';touch PWNED;'z",
    "0i!touch",
    "0j{1,2}[3]*?",
    "0k(touch PWNED)",
    "0l=~:#@%^,z",
    "0mä\u{a0}ö\u{2019};touch PWNED;\u{2019}",
    "0n>PWNED",
    "0o&touch PWNED&",
    "1:`touch PWNED`.gguf",
    "2=$(touch PWNED)",
    "0p\u{1b}[31m$(touch PWNED)",
    "0q\ntouch PWNED\n",
    "0r\ttouch\tPWNED",
];

/// The number of names with control characters, at the end of `NAMES`.
const CONTROL: usize = 3;

/// A line for each argument that is a path, up to the path.
const PATHS: &[&str] = &[
    "list --catalog ",
    "list --config ",
    "list --config=",
    "fit L4 ",
    "fit L4 --model ",
    "fit L4 8B --from ",
    "recommend ",
    "report ",
    "report --from=",
    "plan H100 --out ",
    "plan H100 --lock ",
    "detect --from ",
    "catalog verify ",
    "catalog compile ",
    "catalog diff x ",
    "catalog update --into=",
];

struct Shell {
    session: PtySession,
    name: &'static str,
    /// The folder in which it runs.
    folder: PathBuf,
}

impl Shell {
    /// Starts a shell without the user's settings, in which `sky-accel` prints the bytes of its last word, and which
    /// completes with a script of that kind. Returns `None` if the shell is not installed.
    fn start(name: &'static str, kind: Script, folder: &str) -> Option<Self> {
        let shell = tools::program(&[name])?;
        let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("home-{name}-{folder}"));
        let _ = fs::remove_dir_all(&home);
        fs::create_dir_all(&home).unwrap();
        let program = env!("CARGO_BIN_EXE_sky-accel");
        let script = registration(program, name, kind);
        // The names of files in the folder of the shell are the test's.
        let file = home.with_extension("completion");
        fs::write(&file, script).unwrap();
        let (arguments, setup) = match name {
            "bash" => (&["--norc", "--noprofile", "-i"][..], BASH),
            "zsh" => (&["-f", "-i"][..], ZSH),
            _ => (&["--no-config", "-i"][..], FISH),
        };
        let mut command = Command::new(shell);
        command
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", &home)
            .env("XDG_CONFIG_HOME", home.join(".config"))
            .env("XDG_DATA_HOME", home.join(".data"))
            .env("TERM", "dumb")
            .env("LC_ALL", "C.UTF-8")
            .env(TEST_CATALOG_VARIABLE, "1")
            .env("COLUMNS", "200")
            .current_dir(&home);
        let mut session = spawn_command(command, Some(60_000)).unwrap();
        let setup = setup.replace("FILE", &file.display().to_string());
        session.send_line(&setup).unwrap();
        session.exp_string("<ready>").unwrap();
        Some(Self {
            session,
            name,
            folder: home,
        })
    }

    /// The last word of a line after Tab.
    fn complete(&mut self, line: &str) -> String {
        self.complete_and_type(line, "")
    }

    /// The last word of a line after Tab and more text.
    fn complete_and_type(&mut self, line: &str, rest: &str) -> String {
        self.session.send(&format!("sky-accel {line}")).unwrap();
        self.session.send("\t").unwrap();
        self.session.flush().unwrap();
        // The shell calls the program before it reads more input.
        self.session.send_line(rest).unwrap();
        let wrong = |error| format!("{}: {line}: {error}", self.name);
        let answer = self.session.exp_regex("<last [0-9a-f]*>").map_err(wrong);
        let (_, word) = answer.unwrap();
        let digits = &word["<last ".len()..word.len() - 1];
        let bytes = digits.as_bytes().chunks(2).map(|pair| {
            let pair = std::str::from_utf8(pair).unwrap();
            u8::from_str_radix(pair, 16).unwrap()
        });
        String::from_utf8(bytes.collect()).unwrap()
    }

    /// Completes hostile names as an argument, with and without an open quote. Returns the wrong words.
    fn complete_names(&mut self, before: &str, names: usize, kind: Script) -> Vec<String> {
        let mut wrong = Vec::new();
        let option = before.rsplit(' ').next().unwrap();
        // Only bash completes names with control characters.
        let completed = match self.name {
            "bash" => NAMES.len(),
            _ => NAMES.len() - CONTROL,
        };
        for (at, name) in NAMES.iter().enumerate().take(names) {
            let typed = &name[..2];
            for quote in ["", "\"", "'"] {
                // After a name with a single quote, zsh leaves the quote open.
                let stays_open = self.name == "zsh" && quote == "'" && name.contains('\'');
                // The static scripts complete no part of a name after a separator. The static script of bash completes
                // neither after a quote nor names with control characters.
                let may_be_left = at >= completed
                    || (kind == Script::Static
                        && (typed.ends_with([':', '='])
                            || (self.name == "bash"
                                && (!quote.is_empty() || at >= NAMES.len() - CONTROL))));
                if stays_open || (may_be_left && !quote.is_empty()) {
                    continue;
                }
                let got = self.complete(&format!("{before}{quote}{typed}"));
                let expected = format!("{option}{name}");
                let is_left = may_be_left && got == format!("{option}{typed}");
                if got != expected && !is_left {
                    wrong.push(format!("{}: {before}{quote}{typed}: {got:?}", self.name));
                }
            }
        }
        assert!(
            !self.folder.join("PWNED").exists(),
            "{}: {before}",
            self.name
        );
        wrong
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        // Interactive shells ignore the signal that ends a session.
        let _ = self.session.send_line("exit");
    }
}

/// The scripts that the program prints.
#[derive(Clone, Copy, PartialEq)]
enum Script {
    Dynamic,
    Static,
}

fn registration(program: &str, shell: &str, kind: Script) -> Vec<u8> {
    let kind = match kind {
        Script::Dynamic => None,
        Script::Static => Some("--static"),
    };
    let output = Command::new(program)
        .args(["completions", shell])
        .args(kind)
        .output();
    output.unwrap().stdout
}

const BASH: &str = "source FILE; sky-accel() { printf '<last %s>\\n' \"$(printf %s \"${@: -1}\" | od -An -v -tx1 | tr -d ' \\n')\"; }; printf '<%s>\\n' ready";
const ZSH: &str = "autoload -Uz compinit && compinit -u; source FILE; sky-accel() { printf '<last %s>\\n' \"$(printf %s \"${@[-1]}\" | od -An -v -tx1 | tr -d ' \\n')\" }; printf '<%s>\\n' ready";
const FISH: &str = "source FILE; function sky-accel; printf '<last %s>\\n' (printf %s $argv[-1] | od -An -v -tx1 | tr -d ' \\n'); end; printf '<%s>\\n' ready";

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
    let Some(mut shell) = Shell::start("bash", Script::Dynamic, "values") else {
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
    let Some(mut shell) = Shell::start("zsh", Script::Dynamic, "values") else {
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
    if let Some(shell) = Shell::start("fish", Script::Dynamic, "values") {
        check(shell);
    }
}

/// No shell runs the name of a file that completion inserts, and each passes the whole name.
fn names_are_not_run(name: &'static str) {
    for (kind, folder) in [(Script::Dynamic, "dynamic"), (Script::Static, "static")] {
        let Some(mut shell) = Shell::start(name, kind, folder) else {
            return;
        };
        for file in NAMES {
            fs::write(shell.folder.join(file), "").unwrap();
        }
        let mut wrong = Vec::new();
        for (at, before) in PATHS.iter().enumerate() {
            // The static scripts complete the paths of options only.
            if at < 3 || kind == Script::Dynamic {
                let names = if at == 0 { NAMES.len() } else { 1 };
                wrong.extend(shell.complete_names(before, names, kind));
            }
        }
        assert!(wrong.is_empty(), "{folder}: {}", wrong.join("\n"));
    }
}

#[test]
fn bash_runs_no_name() {
    names_are_not_run("bash");
}

/// Readline inserts the common part of several names, and takes a name that begins with the open quote for a whole
/// word.
#[test]
fn bash_quotes_parts_of_names() {
    for (kind, folder) in [
        (Script::Dynamic, "dynamic-parts"),
        (Script::Static, "static-parts"),
    ] {
        let Some(mut shell) = Shell::start("bash", kind, folder) else {
            return;
        };
        for file in [
            "3:`touch PWNED`a",
            "3:`touch PWNED`b",
            "4$(touch PWNED)a",
            "4$(touch PWNED)b",
            "5:'touch PWNED;'",
            "6:\"$(touch PWNED)\"",
        ] {
            fs::write(shell.folder.join(file), "").unwrap();
        }
        for (typed, completed) in [
            ("3:", "3:`touch PWNED`"),
            ("4", "4$(touch PWNED)"),
            ("5:", "5:'touch PWNED;'"),
        ] {
            let got = shell.complete(&format!("list --catalog {typed}"));
            // The static script completes no part of a name after a separator.
            let is_left = kind == Script::Static && got == typed && typed.ends_with(':');
            assert!(got == completed || is_left, "{folder}: {typed}: {got}");
        }
        if kind == Script::Dynamic {
            for (typed, completed) in [
                ("5:'", "5:'touch PWNED;'"),
                ("6:\"", "6:\"$(touch PWNED)\""),
            ] {
                assert_eq!(shell.complete(&format!("fit L4 {typed}")), completed);
            }
        }
        assert!(!shell.folder.join("PWNED").exists(), "{folder}");
    }
}

/// Within `$'` and `$"`, and in expansions, bash reads other characters than within quotes: nothing is offered there.
#[test]
fn bash_offers_nothing_in_other_quotes() {
    for (kind, folder) in [
        (Script::Dynamic, "dynamic-quotes"),
        (Script::Static, "static-quotes"),
    ] {
        let Some(mut shell) = Shell::start("bash", kind, folder) else {
            return;
        };
        for file in NAMES
            .iter()
            .chain(&["$x\\';touch PWNED;#", "$y\\\";touch PWNED;#"])
            .chain(&["7';touch PWNED;#"])
        {
            fs::write(shell.folder.join(file), "").unwrap();
        }
        for before in ["fit L4 ", "list --catalog ", "list --config="] {
            for (typed, rest, expected) in [
                ("$'", "'", ""),
                ("$'0h", "'", "0h"),
                ("$'0q", "'", "0q"),
                ("0$'h", "'", "0h"),
                ("$\"", "\"", ""),
                ("$\"0a", "\"", "0a"),
                ("$'a\\'b \"7", "'", "a'b \"7"),
            ] {
                let option = before.rsplit(' ').next().unwrap();
                let got = shell.complete_and_type(&format!("{before}{typed}"), rest);
                assert_eq!(got, format!("{option}{expected}"), "{before}{typed}");
            }
        }
        assert!(!shell.folder.join("PWNED").exists(), "{folder}");
    }
}

/// Bash 3 has no `compopt`.
#[test]
fn bash_without_options_quotes_too() {
    let Some(mut shell) = Shell::start("bash", Script::Dynamic, "old") else {
        return;
    };
    for file in ["plain-1.toml", NAMES[0]] {
        fs::write(shell.folder.join(file), "").unwrap();
    }
    shell.session.send_line("enable -n compopt").unwrap();
    assert_eq!(shell.complete("list --catalog pl"), "plain-1.toml");
    assert_eq!(shell.complete("list --catalog 0"), NAMES[0]);
    assert!(!shell.folder.join("PWNED").exists());
}

#[test]
fn zsh_runs_no_name() {
    names_are_not_run("zsh");
}

#[test]
fn fish_runs_no_name() {
    names_are_not_run("fish");
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
