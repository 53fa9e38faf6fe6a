//! What is planned for: a spec, or what `recommend` or `resolve` printed.

use std::io::Read as _;

use serde_json::Value;
use sky_accel_core::bind::Wanted;
use sky_accel_core::catalog::Catalog;
use sky_accel_core::note::Note;
use sky_accel_core::spec::{MAX_CHOICES, MAX_SPEC_LEN};

use super::super::read_spec;
use crate::error::CliError;

/// Bytes of standard input that are read.
const MAX_INPUT: u64 = 16 << 20;

/// A spec of the command line; `-` is standard input.
pub(super) fn read(
    catalog: &Catalog<'_>,
    argument: &str,
) -> Result<(Vec<Wanted>, Vec<Note>), CliError> {
    if argument != "-" {
        return Ok((read_spec(catalog, argument)?, Vec::new()));
    }
    let unreadable = |why: String| CliError::usage("usage.stdin", why);
    let mut text = String::new();
    std::io::stdin()
        .lock()
        .take(MAX_INPUT + 1)
        .read_to_string(&mut text)
        .map_err(|error| unreadable(format!("cannot read standard input: {error}")))?;
    if text.len() as u64 > MAX_INPUT {
        return Err(unreadable(
            "standard input is larger than 16 MiB".to_owned(),
        ));
    }
    let specs = if text.trim_start().starts_with('{') {
        of_results(&text)?
    } else {
        let lines = text
            .lines()
            .map(|line| line.split('#').next().unwrap_or_default().trim());
        lines
            .filter(|line| !line.is_empty())
            .map(str::to_owned)
            .collect()
    };
    if specs.is_empty() {
        return Err(CliError::usage(
            "spec.empty",
            "there is no spec on standard input",
        ));
    }
    let mut spec = String::new();
    let mut taken = 0;
    for own in &specs {
        let more = spec.len() + own.len() + 1;
        let choices = spec.matches('|').count() + own.matches('|').count() + 2;
        if taken > 0 && (more > MAX_SPEC_LEN || choices > MAX_CHOICES) {
            break;
        }
        if taken > 0 {
            spec.push('|');
        }
        spec.push_str(own);
        taken += 1;
    }
    let left = specs.len() - taken;
    let note = (left > 0).then(|| {
        let message = format!(
            "the first {taken} specs of standard input are planned for, {left} are left out"
        );
        Note::new("specs-left-out", message)
    });
    Ok((read_spec(catalog, &spec)?, note.into_iter().collect()))
}

/// The specs of results, each once, in their order.
fn of_results(text: &str) -> Result<Vec<String>, CliError> {
    let wrong = |why: &str| {
        let message = format!("standard input is not what `recommend -o json` prints: {why}");
        CliError::usage("usage.stdin", message)
    };
    let mut specs: Vec<String> = Vec::new();
    let mut add = |result: &Value| match result["spec"].as_str() {
        Some(spec) if !specs.iter().any(|own| own == spec) => specs.push(spec.to_owned()),
        _ => {}
    };
    for document in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        let document = document.map_err(|error| wrong(&error.to_string()))?;
        let schema = document["schema"].as_str().unwrap_or_default();
        if !schema.starts_with("sky-accel.") {
            return Err(wrong("it has no `schema` of sky-accel"));
        }
        match document["results"].as_array() {
            Some(results) => results.iter().for_each(&mut add),
            None => add(&document),
        }
    }
    if specs.is_empty() {
        return Err(wrong("none of its results has a `spec`"));
    }
    Ok(specs)
}
