//! Runs the program in an isolated environment: no config, no user catalog, a fixed day.

pub mod chromium;
pub mod snapshots;
#[cfg(unix)]
pub mod terminal;
pub mod tools;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::Value;
use sky_accel_embedded::TEST_CATALOG_VARIABLE;
use sky_accel_engine::asking::public_url_variables;

/// The result of a run.
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// A command that is about to run.
#[must_use]
pub struct Sky {
    command: Command,
    stdin: Option<Vec<u8>>,
}

/// `sky-accel` with some arguments.
pub fn sky<I: IntoIterator<Item = S>, S: AsRef<std::ffi::OsStr>>(args: I) -> Sky {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sky-accel"));
    let nowhere = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-home");
    command
        .args(args)
        .env_clear()
        .env("HOME", &nowhere)
        .env("XDG_CONFIG_HOME", nowhere.join("config"))
        .env("XDG_DATA_HOME", nowhere.join("data"))
        // Each run starts with an empty cache.
        .env("XDG_CACHE_HOME", "/dev/null")
        .env("SKY_ACCEL_TODAY", "2026-11-20")
        .env(TEST_CATALOG_VARIABLE, "1")
        // No test reaches a real provider: nothing listens on this port. A test may set the address
        // of a stand-in instead.
        .envs(public_url_variables().map(|name| (name, "http://127.0.0.1:9")))
        .current_dir(env!("CARGO_TARGET_TMPDIR"))
        .stdin(Stdio::null());
    Sky {
        command,
        stdin: None,
    }
}

/// `sky-accel` with arguments separated by spaces.
pub fn sky_line(line: &str) -> Sky {
    sky(line.split_whitespace())
}

impl Sky {
    pub fn arg(mut self, arg: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.arg(arg);
        self
    }

    pub fn args<S: AsRef<std::ffi::OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.command.args(args);
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Answers from the shipped catalog instead of `tests/catalog`.
    pub fn on_shipped_catalog(self) -> Self {
        self.remove_env(TEST_CATALOG_VARIABLE)
    }

    pub fn remove_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// Limits the memory of the program.
    pub fn memory_limit_mib(mut self, mib: u64) -> Self {
        let limited = format!("ulimit -v {}; exec \"$0\" \"$@\"", mib * 1024);
        self.command = wrapped(&self.command, &limited);
        self
    }

    /// Runs in a new session, which has no terminal.
    pub fn without_terminal(mut self) -> Self {
        self.command = wrapped(&self.command, "exec setsid \"$0\" \"$@\"");
        self
    }

    /// Limits the size of files. Longer writes fail like on a full disk.
    pub fn file_size_limit_kib(mut self, kib: u64) -> Self {
        let limit = format!("ulimit -f {kib}; exec \"$0\" \"$@\"");
        self.command = wrapped(&self.command, &limit);
        self
    }

    /// Runs under another program, given with its options.
    pub fn under(mut self, program: &str) -> Self {
        self.command = wrapped(&self.command, &format!("exec {program} \"$0\" \"$@\""));
        self
    }

    /// Sets the permissions that new files do not get.
    pub fn umask(mut self, umask: u32) -> Self {
        let masked = format!("umask {umask:o}; exec \"$0\" \"$@\"");
        self.command = wrapped(&self.command, &masked);
        self
    }

    /// Returns the command, for tests that need more than its output.
    pub fn command(self) -> Command {
        self.command
    }

    pub fn folder(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    pub fn stdin(mut self, text: impl Into<Vec<u8>>) -> Self {
        self.command.stdin(Stdio::piped());
        self.stdin = Some(text.into());
        self
    }

    pub fn run(mut self) -> Run {
        self.command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().expect("the binary starts");
        // A thread avoids a deadlock if both pipes are full.
        let feeder = self.stdin.map(|text| {
            let mut stdin = child.stdin.take().expect("stdin is piped");
            std::thread::spawn(move || {
                // The program may have ended without reading all input.
                let _ = stdin.write_all(&text);
            })
        });
        let Output {
            status,
            stdout,
            stderr,
        } = child.wait_with_output().expect("the binary ends");
        if let Some(feeder) = feeder {
            feeder.join().expect("a thread that only writes");
        }
        Run {
            code: status.code().expect("no signal"),
            stdout: String::from_utf8(stdout).expect("stdout is UTF-8"),
            stderr: String::from_utf8(stderr).expect("stderr is UTF-8"),
        }
    }

    /// Runs and reads standard output as JSON.
    pub fn json(self) -> Value {
        let run = self.run();
        serde_json::from_str(&run.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}{}", run.stdout, run.stderr))
    }
}

/// A command that bash runs after some preparation.
fn wrapped(inner: &Command, script: &str) -> Command {
    let mut command = Command::new("bash");
    command
        .arg("-c")
        .arg(script)
        .arg(inner.get_program())
        .args(inner.get_args());
    command.env_clear().stdin(Stdio::null());
    for (name, value) in inner.get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    if let Some(folder) = inner.get_current_dir() {
        command.current_dir(folder);
    }
    command
}

impl Run {
    #[track_caller]
    pub fn expect_code(self, code: i32) -> Self {
        assert_eq!(
            self.code, code,
            "stdout: {}\nstderr: {}",
            self.stdout, self.stderr
        );
        self
    }

    /// Each line of standard output as JSON.
    pub fn json_lines(&self) -> Vec<Value> {
        json_lines(&self.stdout)
    }
}

/// Each line of a text as JSON.
pub fn json_lines(text: &str) -> Vec<Value> {
    let parsed = |line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
    text.lines().map(parsed).collect()
}

/// Collected `config.json` files: each has the name of its `model`, its `config`, and its `parameters`, if published.
pub fn collected_configs() -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/configs.jsonl");
    json_lines(&fs::read_to_string(path).expect("configurations"))
}

/// The JSON Schemas of the repository.
pub fn schemas() -> BTreeMap<String, Validator> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    let mut schemas = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("schemas") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("a schema");
        let schema: Value = serde_json::from_str(&text).expect("JSON");
        let name = path.file_stem().expect("a name").to_string_lossy();
        let validator = jsonschema::validator_for(&schema).expect("a valid schema");
        schemas.insert(name.into_owned(), validator);
    }
    schemas
}

/// Checks a JSON document against the schema that it names.
#[track_caller]
pub fn validate(line: &str, answer: &Value) {
    static SCHEMAS: LazyLock<BTreeMap<String, Validator>> = LazyLock::new(schemas);
    let name = answer["schema"]
        .as_str()
        .unwrap_or_else(|| panic!("{line}: no schema: {answer}"));
    let schema = SCHEMAS
        .get(name)
        .unwrap_or_else(|| panic!("{line}: unknown schema {name}"));
    let errors: Vec<String> = schema
        .iter_errors(answer)
        .map(|e| format!("{} at {}", e, e.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{line}: {errors:?}");
}

/// The values at a path of every result.
pub fn column<'v>(answer: &'v Value, path: &str) -> Vec<&'v Value> {
    let results = answer["results"].as_array().expect("results");
    results
        .iter()
        .map(|result| result.pointer(path).unwrap_or(&Value::Null))
        .collect()
}

/// The texts at a path of every result.
pub fn texts<'v>(answer: &'v Value, path: &str) -> Vec<&'v str> {
    column(answer, path)
        .into_iter()
        .map(|value| value.as_str().expect("a text"))
        .collect()
}

/// A folder with these files: names and texts.
pub fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, text).expect("a file");
    }
    folder
}
