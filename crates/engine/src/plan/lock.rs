//! Lock files: a plan and its catalog. Each part has a checksum, so that an edited lock file is
//! distinguished from a changed plan.

use serde::Serialize;
use serde_json::{Value, json};

use super::answer::PlanAnswer;
use super::changes::{Side, changes};
use crate::code::ErrorCode;
use crate::contract::PlanChange;
use crate::digest::sha256;
use crate::document;
use crate::error::{Error, Problem, Result, TextPosition};

const SCHEMA: &str = "sky-accel.lock.v1";
const SCHEMA_NAME: &str = "sky-accel.lock.";

/// A lock file: a plan to compare later plans with.
#[derive(Debug)]
pub struct PlanLock(Side);

impl PlanLock {
    /// Parses a lock file and verifies its checksums. `name` is the file name.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::LockInvalid`] with the invalid line.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        Ok(Self(parse(name, text)?))
    }

    /// Compares a plan with the lock. A changed catalog is accepted as long as the candidates are the same.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::LockDrift`] with all differences.
    pub fn hold(&self, plan: &PlanAnswer<'_>, catalog_sha256: &str) -> Result<()> {
        let moved = changes(&self.0, &side(plan, catalog_sha256));
        if moved
            .iter()
            .all(|change| change.change == PlanChange::Catalog)
        {
            return Ok(());
        }
        let problem = |message: String| Problem::new(ErrorCode::LockDrift, message);
        let mut problems = vec![problem("the plan differs from the lock file".to_owned())];
        problems.extend(moved.into_iter().map(|change| problem(change.message)));
        Err(Error::several(problems))
    }
}

impl PlanAnswer<'_> {
    /// The content of a lock file for this plan. `catalog_sha256` is [`digest`](crate::catalog::digest) of
    /// the overlays.
    pub fn lock(&self, catalog_sha256: &str) -> String {
        let side = side(self, catalog_sha256);
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
        serde_json::to_string_pretty(&lock).unwrap_or_default() + "\n"
    }
}

fn side(plan: &PlanAnswer<'_>, catalog_sha256: &str) -> Side {
    let envelope = &plan.envelope;
    Side {
        catalog: json!({
            "version": envelope.catalog.version,
            "as_of": envelope.catalog.as_of,
            "sha256": catalog_sha256,
        }),
        request: value(&envelope.request),
        results: envelope.results.iter().map(value).collect(),
    }
}

/// In the form of the JSON output.
fn value(part: &impl Serialize) -> Value {
    serde_json::to_value(part).unwrap_or_default()
}

/// Parses a lock file.
pub(super) fn parse(name: &str, text: &str) -> Result<Side> {
    let wrong = |message: String, marker: &str, nth: usize| {
        invalid(name, text, message, line_of(text, marker, nth))
    };
    let lock = document::parse(text).map_err(|error| {
        let line = error.line().saturating_sub(1);
        invalid(name, text, format!("not a lock file: {error}"), line)
    })?;
    let schema = lock["schema"].as_str().unwrap_or_default();
    if schema != SCHEMA {
        let message = if schema.starts_with(SCHEMA_NAME) {
            format!("unsupported version of the lock file: {schema}; this program reads {SCHEMA}")
        } else {
            format!("not a lock file: `schema` is not {SCHEMA}")
        };
        return Err(wrong(message, "\"schema\"", 0));
    }
    let sums = &lock["sums"];
    let edited = |what: &str| format!("{what} was edited");
    let advice = "write the file again with `lock`";
    for part in ["catalog", "request"] {
        if sums[part] != sum(&lock[part]) {
            let message = edited(&format!("`{part}`"));
            return Err(wrong(message, &format!("\"{part}\""), 0).advise(advice));
        }
    }
    let results = lock["results"].as_array().cloned().unwrap_or_default();
    let locked_sums = sums["results"].as_array().cloned().unwrap_or_default();
    for (at, candidate) in results.iter().enumerate() {
        if locked_sums.get(at) != Some(&Value::from(sum(candidate))) {
            let message = edited(&format!("candidate {}", at + 1));
            return Err(wrong(message, "\"rank\"", at).advise(advice));
        }
    }
    if locked_sums.len() != results.len() {
        return Err(wrong(edited("the list of candidates"), "\"results\"", 0).advise(advice));
    }
    Ok(Side {
        catalog: lock["catalog"].clone(),
        request: lock["request"].clone(),
        results,
    })
}

fn sum(value: &impl Serialize) -> String {
    sha256([&serde_json::to_vec(value).unwrap_or_default()[..]])
}

/// The line of the nth occurrence of a key.
fn line_of(text: &str, marker: &str, nth: usize) -> usize {
    let mut lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| line.contains(marker));
    lines.nth(nth).map_or(0, |(line, _)| line)
}

fn invalid(name: &str, text: &str, message: String, line: usize) -> Error {
    let shown = text.lines().nth(line).unwrap_or_default();
    let start = shown.len() - shown.trim_start().len();
    let shown: String = shown.chars().take(200).collect();
    let problem = Problem {
        place: Some(TextPosition {
            file: Some(format!("{name}:{}:{}", line + 1, start + 1)),
            span: start.min(shown.len())..shown.len(),
            text: shown,
        }),
        ..Problem::new(ErrorCode::LockInvalid, message)
    };
    Error::several(vec![problem])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;
    use crate::plan::PlanRequest;

    fn plan(spec: &str) -> PlanAnswer<'static> {
        Engine::embedded().plan(&PlanRequest::new(spec)).unwrap()
    }

    #[test]
    fn an_unchanged_plan_matches_its_lock() {
        let plan = plan("H100:x8");
        let lock = PlanLock::parse("plan.lock", &plan.lock("hash")).unwrap();
        assert!(lock.hold(&plan, "hash").is_ok());
        // Another catalog with the same candidates is accepted.
        assert!(lock.hold(&plan, "other").is_ok());
    }

    #[test]
    fn a_different_plan_lists_its_differences() {
        let lock = PlanLock::parse("plan.lock", &plan("H100:x8").lock("hash")).unwrap();
        let error = lock.hold(&plan("L4"), "hash").unwrap_err();
        assert_eq!(error.problems[0].code, ErrorCode::LockDrift);
        assert!(error.problems.len() > 2);
    }

    #[test]
    fn edits_are_reported_with_their_line() {
        let text = plan("H100:x8").lock("hash");
        for (from, to, marker) in [
            ("\"rank\": 2", "\"rank\": 1", "\"rank\": 1"),
            (
                "\"sha256\": \"hash\"",
                "\"sha256\": \"other\"",
                "\"catalog\"",
            ),
        ] {
            let edited = text.replacen(from, to, 1);
            assert_ne!(edited, text);
            let error = PlanLock::parse("plan.lock", &edited).unwrap_err();
            let position = error.problems[0].place.as_ref().unwrap();
            assert_eq!(error.problems[0].code, ErrorCode::LockInvalid);
            assert!(position.text.contains(marker), "{position:?}");
            assert!(position.file.as_ref().unwrap().starts_with("plan.lock:"));
        }
    }

    #[test]
    fn rejects_other_documents_and_versions() {
        let text = plan("H100:x8").lock("hash");
        for text in [
            "[",
            "{}",
            &text.replacen("sky-accel.lock.v1", "sky-accel.lock.v2", 1),
        ] {
            assert!(PlanLock::parse("plan.lock", text).is_err());
        }
    }
}
