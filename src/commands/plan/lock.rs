//! Lock files: what was decided, from which catalog. Every part has a sum, so that an edit is told
//! from a change of the world.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Value, json};
use sky_accel_core::catalog::Catalog;

use super::diff::{Side, changes};
use crate::catalog::{digest, read_text};
use crate::digest::sha256;
use crate::error::{CliError, Place, Problem};
use crate::exit_code::ExitCode;
use crate::files;
use crate::output::{CandidateOut, PlanRequest};

const SCHEMA: &str = "sky-accel.lock.v1";
const SCHEMA_NAME: &str = "sky-accel.lock.";

/// The plan of this moment.
pub(super) struct Now<'n, 'a> {
    pub catalog: &'n Catalog<'a>,
    pub overlays: &'n [PathBuf],
    pub request: &'n PlanRequest,
    pub results: &'n [CandidateOut<'a>],
}

impl Now<'_, '_> {
    fn side(&self) -> Result<Side, CliError> {
        Ok(Side {
            catalog: json!({
                "version": self.catalog.version,
                "as_of": self.catalog.as_of,
                "sha256": digest(self.overlays)?,
            }),
            request: value(self.request),
            results: self.results.iter().map(value).collect(),
        })
    }
}

/// As it is printed.
fn value(own: &impl Serialize) -> Value {
    serde_json::to_value(own).unwrap_or_default()
}

/// Writes the file.
pub(super) fn write(path: &Path, now: &Now<'_, '_>) -> Result<(), CliError> {
    let side = now.side()?;
    let lock = json!({
        "schema": SCHEMA,
        "tool": env!("CARGO_PKG_VERSION"),
        "catalog": side.catalog,
        "request": side.request,
        "results": side.results,
        "sums": {
            "catalog": sum(&side.catalog),
            "request": sum(&side.request),
            "results": side.results.iter().map(sum).collect::<Vec<_>>(),
        },
    });
    let text = serde_json::to_string_pretty(&lock).unwrap_or_default() + "\n";
    files::write(path, text.as_bytes())
}

/// Reads a file and sees that nobody edited it.
pub(super) fn read(path: &Path) -> Result<Side, CliError> {
    let name = path.display().to_string();
    let text = read_text(path).map_err(|error| {
        let message = format!("cannot read the lock file {name}: {error}");
        CliError::new(ExitCode::Catalog, "lock.unreadable", message)
    })?;
    parse(&name, &text)
}

/// The same, from its text.
pub(super) fn parse(name: &str, text: &str) -> Result<Side, CliError> {
    let wrong = |message: String, marker: &str, nth: usize| {
        invalid(name, text, message, line_of(text, marker, nth))
    };
    let lock: Value = serde_json::from_str(text).map_err(|error| {
        let line = error.line().saturating_sub(1);
        invalid(name, text, format!("this is no lock file: {error}"), line)
    })?;
    let schema = lock["schema"].as_str().unwrap_or_default();
    if schema != SCHEMA {
        let message = if schema.starts_with(SCHEMA_NAME) {
            format!("this lock file is of another version, {schema}; this program reads {SCHEMA}")
        } else {
            format!("this is no lock file: its `schema` is not {SCHEMA}")
        };
        return Err(wrong(message, "\"schema\"", 0));
    }
    let sums = &lock["sums"];
    let edited = |what: &str| format!("{what} was edited by hand: make the file anew with --lock");
    for part in ["catalog", "request"] {
        if sums[part] != sum(&lock[part]) {
            return Err(wrong(
                edited(&format!("`{part}`")),
                &format!("\"{part}\""),
                0,
            ));
        }
    }
    let results = lock["results"].as_array().cloned().unwrap_or_default();
    let known = sums["results"].as_array().cloned().unwrap_or_default();
    for (at, own) in results.iter().enumerate() {
        if known.get(at) != Some(&Value::from(sum(own))) {
            let message = edited(&format!("candidate {}", at + 1));
            return Err(wrong(message, "\"rank\"", at));
        }
    }
    if known.len() != results.len() {
        return Err(wrong(edited("the list of candidates"), "\"results\"", 0));
    }
    Ok(Side {
        catalog: lock["catalog"].clone(),
        request: lock["request"].clone(),
        results,
    })
}

/// Holds a plan against a lock file.
pub(super) fn hold(lock: &Side, now: &Now<'_, '_>) -> Result<(), CliError> {
    let moved = changes(lock, &now.side()?);
    if moved.is_empty() {
        return Ok(());
    }
    let problem = |message: String| Problem {
        code: "lock.drift".to_owned(),
        message,
        ..Problem::default()
    };
    let mut problems = vec![problem("the plan is not the one that is locked".to_owned())];
    problems.extend(moved.into_iter().map(|change| problem(change.message)));
    Err(CliError {
        exit_code: ExitCode::TooOld,
        problems,
    })
}

fn sum(value: &impl Serialize) -> String {
    sha256([&serde_json::to_vec(value).unwrap_or_default()[..]])
}

/// The line of the nth place where a key stands.
fn line_of(text: &str, marker: &str, nth: usize) -> usize {
    let mut all = text
        .lines()
        .enumerate()
        .filter(|(_, line)| line.contains(marker));
    all.nth(nth).map_or(0, |(line, _)| line)
}

fn invalid(name: &str, text: &str, message: String, line: usize) -> CliError {
    let shown = text.lines().nth(line).unwrap_or_default();
    let start = shown.len() - shown.trim_start().len();
    let shown: String = shown.chars().take(200).collect();
    let problem = Problem {
        code: "lock.invalid".to_owned(),
        message,
        place: Some(Place {
            file: Some(format!("{name}:{}:{}", line + 1, start + 1)),
            span: start.min(shown.len())..shown.len(),
            text: shown,
        }),
        ..Problem::default()
    };
    CliError {
        exit_code: ExitCode::Catalog,
        problems: vec![problem],
    }
}
