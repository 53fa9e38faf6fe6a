//! Specs and names, bound to the catalog.

use std::borrow::Cow;
use std::collections::HashMap;

use sky_accel_core::bind::{self, BoundChoice, interpret};
use sky_accel_core::catalog::{AcceleratorId, Catalog};
use sky_accel_core::memory::Gigabytes;
use sky_accel_core::money::Count;
use sky_accel_core::note::Note;
use sky_accel_core::spec::{self, CountRange, MemoryRange, PartKind, SpecPart};
use sky_accel_core::text::{counted, printable};

use crate::error::{Error, Problem, Result};

/// A spec of a request.
#[derive(Clone, Debug)]
pub enum Spec {
    /// The text of a spec, which the engine parses.
    Text {
        /// The spec as it was written.
        text: String,
        /// The line of the spec in a list, from 1; `None` if it is not from a list.
        line: Option<usize>,
    },
    /// The alternatives of a spec that is already bound to the catalog, from
    /// [`Engine::bind`](crate::Engine::bind).
    Bound(Vec<BoundChoice>),
}

impl From<String> for Spec {
    fn from(text: String) -> Self {
        Self::Text { text, line: None }
    }
}

impl From<&str> for Spec {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl From<Vec<BoundChoice>> for Spec {
    fn from(choices: Vec<BoundChoice>) -> Self {
        Self::Bound(choices)
    }
}

/// The maximum number of problems of specs that an error lists. A list of specs may be of any length.
const MAX_PROBLEMS: usize = 20;

/// Returns the alternatives of each spec.
///
/// # Errors
///
/// [`ErrorCode::Spec`](crate::ErrorCode::Spec) with a problem, and its position, for each fault in any of the
/// specs.
pub(crate) fn bind<'s>(
    catalog: &Catalog<'_>,
    specs: &'s [Spec],
) -> Result<Vec<Cow<'s, [BoundChoice]>>> {
    let mut bound = Vec::new();
    let mut problems: Vec<Problem> = Vec::new();
    let mut more = 0;
    // The faults of specs that are not listed. Names near an unknown one are searched once, because that takes long.
    let mut unlisted: HashMap<&str, usize> = HashMap::new();
    for spec in specs {
        match spec {
            Spec::Bound(choices) => bound.push(Cow::Borrowed(&choices[..])),
            Spec::Text { text, .. } if unlisted.contains_key(&text[..]) => {
                more += unlisted[&text[..]];
            }
            Spec::Text { text, line } => match interpret(catalog, text) {
                Ok(choices) => bound.push(Cow::Owned(choices)),
                Err(errors) => {
                    let room = MAX_PROBLEMS.saturating_sub(problems.len());
                    let mut found = Error::spec(text, &errors, *line).problems;
                    if room == 0 {
                        unlisted.insert(text, found.len());
                    }
                    more += found.len().saturating_sub(room);
                    found.truncate(room);
                    problems.extend(found);
                }
            },
        }
    }
    let Some(first) = problems.first() else {
        return Ok(bound);
    };
    if more > 0 {
        let message = format!("{} in the specs", counted(more, "more error"));
        problems.push(Problem::new(first.code, message));
    }
    let texts: Vec<String> = specs
        .iter()
        .filter_map(|spec| match spec {
            Spec::Text { text, .. } => Some(text.clone()),
            Spec::Bound(_) => None,
        })
        .collect();
    let error = unless_one(catalog, &texts, Error::several(problems));
    Err(with_model(catalog, &texts, error))
}

/// Adds the commands that take a model, if one of the specs is the name of one.
fn with_model(catalog: &Catalog<'_>, specs: &[String], error: Error) -> Error {
    let model = specs.iter().find(|spec| catalog.model(spec).is_some());
    match model.map(|name| printable(name)) {
        Some(model) => error.advise(format!(
            "{model} is a model: `sky-accel fit SPEC {model}`, or `sky-accel recommend {model}`"
        )),
        None => error,
    }
}

/// Parses a spec such as `A100:80GB:x8|H100:x8`: one [`BoundChoice`] per alternative.
///
/// # Errors
///
/// [`ErrorCode::Spec`](crate::ErrorCode::Spec) with a problem, and its position in the text, for each
/// fault.
pub fn read_spec(catalog: &Catalog<'_>, text: &str) -> Result<Vec<BoundChoice>> {
    interpret(catalog, text).map_err(|errors| Error::spec(text, &errors, None))
}

/// The spec in a line of a list, where `#` begins a comment; `None` for a blank line.
pub fn spec_of_line(line: &str) -> Option<&str> {
    let spec = line.split('#').next().unwrap_or_default().trim();
    (!spec.is_empty()).then_some(spec)
}

/// Every accelerator with known memory: no marketed size is smaller.
const KNOWN_MEMORY: MemoryRange = MemoryRange::Between {
    min: Some(Gigabytes(1.0)),
    max: None,
};

/// Any number of devices, and parts of a device: providers sell no smaller part.
const ANY_COUNT: CountRange = CountRange::at_least(Count(10));

/// Parses a spec where `any` without a condition, which other specs reject as too wide, matches every accelerator
/// with known memory.
///
/// # Errors
///
/// The errors of [`read_spec`].
pub(crate) fn read_spec_or_any(catalog: &Catalog<'_>, text: &str) -> Result<Vec<BoundChoice>> {
    Ok(read_with_syntax(catalog, text)?.1)
}

/// Parses a spec like [`read_spec_or_any`]; alternatives without a count match any count.
///
/// # Errors
///
/// The errors of [`read_spec`].
pub(crate) fn read_hardware(catalog: &Catalog<'_>, text: &str) -> Result<Vec<BoundChoice>> {
    let (syntax, mut bound) = read_with_syntax(catalog, text)?;
    // Without errors, there is one bound choice for each choice of the syntax.
    for (mut choice, bound) in syntax.choices.into_iter().zip(&mut bound) {
        if bound.count_given || bound.mig.is_some() || bound.instance_type.is_some() {
            continue;
        }
        choice.add(PartKind::Count(ANY_COUNT));
        let of_any_count = spec::Spec {
            choices: vec![choice],
        };
        let mut errors = Vec::new();
        let wide = bind::bind(catalog, &of_any_count, &mut errors);
        // A name that has its own count, such as a slice of a pod, accepts no further count.
        if let ([wide], true) = (&wide[..], errors.is_empty()) {
            *bound = wide.clone();
        }
    }
    Ok(bound)
}

/// Parses a spec, adds [`KNOWN_MEMORY`] to `any` without a condition, and binds it.
fn read_with_syntax<'t>(
    catalog: &Catalog<'_>,
    text: &'t str,
) -> Result<(spec::Spec<'t>, Vec<BoundChoice>)> {
    let (mut syntax, mut errors) = spec::parse(text);
    for choice in &mut syntax.choices {
        let has_condition = |part: &SpecPart<'_>| !matches!(part.kind, PartKind::Count(_));
        if choice.name.is_any() && !choice.parts.iter().any(has_condition) {
            choice.add(PartKind::Memory(KNOWN_MEMORY));
        }
    }
    let bound = bind::bind(catalog, &syntax, &mut errors);
    if errors.is_empty() {
        return Ok((syntax, bound));
    }
    errors.sort_by_key(|error| error.span.start);
    Err(Error::spec(text, &errors, None))
}

/// The canonical form of a spec: its alternatives, joined by `|`.
pub fn canonical(wanted: &[BoundChoice]) -> String {
    let choices: Vec<&str> = wanted.iter().map(|choice| choice.spec.as_str()).collect();
    choices.join("|")
}

/// The accelerators that a name or spec may mean, preferred first, and notes on the interpretation.
///
/// # Errors
///
/// The errors of [`read_spec`].
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

/// If separate arguments form one valid spec, as in `resolve RTX 4090`, replaces the suggestions of an error by
/// the joined spec in quotes.
pub(crate) fn unless_one(catalog: &Catalog<'_>, arguments: &[String], error: Error) -> Error {
    let joined = arguments.join(" ");
    if arguments.len() < 2 || interpret(catalog, &joined).is_err() {
        return error;
    }
    let problem = error.problems.into_iter().next().map(|problem| Problem {
        hints: vec![format!("'{joined}', in quotes")],
        ..problem
    });
    Error {
        kind: error.kind,
        problems: problem.into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::EMBEDDED;
    use crate::code::ErrorCode;

    #[test]
    fn reports_faults_of_all_specs_with_their_lines() {
        let line = |text: &str, line| Spec::Text {
            text: text.to_owned(),
            line: Some(line),
        };
        let specs = [line("H100:x8", 1), line("H100:x0", 2), line("H100:", 4)];
        let error = bind(&EMBEDDED, &specs).unwrap_err();
        let messages: Vec<&str> = error.problems.iter().map(|p| &p.message[..]).collect();
        assert_eq!(messages.len(), 2, "{messages:?}");
        assert!(messages[0].starts_with("line 2: "), "{messages:?}");
        assert!(messages[1].starts_with("line 4: "), "{messages:?}");
        assert!(matches!(error.problems[0].code, ErrorCode::Spec(_)));
    }

    #[test]
    fn bound_specs_are_used_unchanged() {
        let choices = read_spec(&EMBEDDED, "A100:80GB:x8|H100:x8").unwrap();
        let specs = [Spec::from(choices.clone())];
        let bound = bind(&EMBEDDED, &specs).unwrap();
        assert!(matches!(bound[0], Cow::Borrowed(_)));
        assert_eq!(canonical(&bound[0]), canonical(&choices));
    }

    #[test]
    fn suggests_quotes_for_a_name_split_at_spaces() {
        let error = bind(&EMBEDDED, &["RTX".into(), "4090".into()]).unwrap_err();
        assert_eq!(error.problems.len(), 1);
        assert_eq!(error.problems[0].hints, ["'RTX 4090', in quotes"]);
    }

    #[test]
    fn any_alone_matches_every_accelerator_with_memory() {
        for (spec, expanded) in [
            ("any", "any:1GB+"),
            ("Any :x8", "any:1GB+:x8"),
            ("A100|any", "A100|any:1GB+"),
            ("any:24GB", "any:24GB"),
            ("any:vendor=amd", "any:vendor=amd"),
        ] {
            let choices = read_spec_or_any(&EMBEDDED, spec).unwrap();
            assert_eq!(canonical(&choices), expanded);
        }
    }

    #[test]
    fn errors_of_a_spec_with_any_point_at_its_text() {
        let error = read_hardware(&EMBEDDED, "any|H100:x0").unwrap_err();
        let place = error.problems[0].place.as_ref().unwrap();
        assert_eq!(&place.text[place.span.clone()], "x0");
    }

    #[test]
    fn an_open_count_keeps_the_notes_on_the_name() {
        let closed = read_spec(&EMBEDDED, "nvidia-tesla-a100").unwrap();
        let open = read_hardware(&EMBEDDED, "nvidia-tesla-a100").unwrap();
        assert_eq!(open[0].notes, closed[0].notes);
    }

    #[test]
    fn hardware_without_a_count_has_any_count() {
        let [open] = &read_hardware(&EMBEDDED, "H100").unwrap()[..] else {
            panic!("one alternative");
        };
        assert!(open.count_given);
        let [counted] = &read_hardware(&EMBEDDED, "H100:x8").unwrap()[..] else {
            panic!("one alternative");
        };
        assert!(counted.spec.ends_with(":x8"), "{}", counted.spec);
    }

    #[test]
    fn comments_and_blank_lines_have_no_spec() {
        assert_eq!(spec_of_line(" L4 # small"), Some("L4"));
        assert_eq!(spec_of_line("# nothing"), None);
        assert_eq!(spec_of_line("  "), None);
    }
}
