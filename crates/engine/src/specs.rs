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

/// The spec in a line of a list, where `#` begins a comment; `None` where there is none.
pub fn spec_of_line(line: &str) -> Option<&str> {
    let spec = line.split('#').next().unwrap_or_default().trim();
    (!spec.is_empty()).then_some(spec)
}

/// Any accelerator that has memory.
const ANY: &str = "any:>=1GB";
/// Any number of devices, or a part of one.
const ANY_COUNT: &str = "x0.01+";

/// A spec in which `any` may stand alone, for every accelerator that has memory.
pub(crate) fn with_anything(spec: &str) -> String {
    let choice = |choice: &str| match choice.trim().strip_prefix("any") {
        Some("") => ANY.to_owned(),
        Some(rest) if rest.starts_with(":x") => format!("{ANY}{rest}"),
        _ => choice.to_owned(),
    };
    let choices: Vec<String> = spec.split('|').map(choice).collect();
    choices.join("|")
}

/// Reads a spec in which a choice without a count stands for any count, and `any` for every
/// accelerator that has memory.
///
/// # Errors
///
/// Same as [`read_spec`].
pub(crate) fn read_hardware(catalog: &Catalog<'_>, text: &str) -> Result<Vec<Wanted>> {
    let mut choices = read_spec(catalog, &with_anything(text))?;
    for choice in &mut choices {
        let is_open = !choice.count_given && choice.mig.is_none() && choice.instance_type.is_none();
        let of_any_count = format!("{}:{ANY_COUNT}", choice.spec);
        if is_open && let Ok([wide]) = read_spec(catalog, &of_any_count).as_deref() {
            *choice = wide.clone();
        }
    }
    Ok(choices)
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
