//! Specs and names, read or refused.

use sky_accel_core::bind::{Wanted, interpret};
use sky_accel_core::catalog::{AcceleratorId, Catalog};
use sky_accel_core::note::Note;

use crate::error::{Error, Problem, Result};

/// Reads a spec such as `A100:80GB:x8|H100:x8`: one [`Wanted`] for each choice.
///
/// # Errors
///
/// [`ErrorCode::Spec`](crate::ErrorCode::Spec) with a problem, and its place in the text, for each
/// fault.
pub fn read_spec(catalog: &Catalog<'_>, text: &str) -> Result<Vec<Wanted>> {
    interpret(catalog, text).map_err(|errors| Error::spec(text, &errors, None))
}

/// The canonical form of a spec: its choices, joined by `|`.
pub fn canonical(wanted: &[Wanted]) -> String {
    let choices: Vec<&str> = wanted.iter().map(|choice| choice.spec.as_str()).collect();
    choices.join("|")
}

/// The accelerators that a name or spec may mean, the preferred one first, and notes on the
/// reading.
///
/// # Errors
///
/// Same as [`read_spec`].
pub fn read_accelerators(
    catalog: &Catalog<'_>,
    text: &str,
) -> Result<(Vec<AcceleratorId>, Vec<Note>)> {
    let mut ids: Vec<AcceleratorId> = Vec::new();
    let mut notes = Vec::new();
    for wanted in read_spec(catalog, text)? {
        for candidate in &wanted.candidates {
            if !ids.contains(&candidate.accelerator) {
                ids.push(candidate.accelerator);
            }
        }
        notes.extend(wanted.notes);
    }
    Ok((ids, notes))
}

/// Replaces an error about arguments that make sense as one, as in `resolve RTX 4090`, by the
/// advice to quote them.
pub(crate) fn unless_one(catalog: &Catalog<'_>, arguments: &[String], error: Error) -> Error {
    let whole = arguments.join(" ");
    if arguments.len() < 2 || interpret(catalog, &whole).is_err() {
        return error;
    }
    let problem = error.problems.into_iter().next().map(|problem| Problem {
        hints: vec![format!("'{whole}', in quotes")],
        ..problem
    });
    Error {
        kind: error.kind,
        problems: problem.into_iter().collect(),
    }
}
