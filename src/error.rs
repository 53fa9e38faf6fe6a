//! What goes wrong, for the person who reads it and the script that checks the exit code.

use sky_accel_catalog::Diagnostic;
use sky_accel_core::resolve::UnknownRegion;
use sky_accel_core::spec::SpecError;

use crate::exit_code::ExitCode;

/// An error that ends the command.
#[derive(Debug)]
pub struct CliError {
    pub exit_code: ExitCode,
    /// The first one is the headline; none where there is nothing to say.
    pub problems: Vec<Problem>,
}

/// One thing that is wrong.
#[derive(Debug, Default)]
pub struct Problem {
    /// Stable, dotted.
    pub code: String,
    pub message: String,
    /// What could have been meant.
    pub hints: Vec<String>,
    /// What to do about it.
    pub advice: Option<String>,
    /// Whose failure it is.
    pub provider: Option<&'static str>,
    /// The text that it is in, and where.
    pub place: Option<Place>,
}

/// A place in a text.
#[derive(Debug)]
pub struct Place {
    /// `file:line:column`, where the text is part of a file.
    pub file: Option<String>,
    /// One line.
    pub text: String,
    /// In bytes of `text`.
    pub span: std::ops::Range<usize>,
}

impl CliError {
    /// One problem without a place.
    pub fn new(exit_code: ExitCode, code: &str, message: impl Into<String>) -> Self {
        let problem = Problem {
            code: code.to_owned(),
            message: message.into(),
            ..Problem::default()
        };
        Self {
            exit_code,
            problems: vec![problem],
        }
    }

    /// Ctrl-C: whoever pressed it knows.
    pub fn interrupted() -> Self {
        Self {
            exit_code: ExitCode::Interrupted,
            problems: Vec::new(),
        }
    }

    /// A wrong argument or value.
    pub fn usage(code: &str, message: impl Into<String>) -> Self {
        Self::new(ExitCode::Usage, code, message)
    }

    /// With what could have been meant.
    #[must_use]
    pub fn hint(mut self, hints: impl IntoIterator<Item = String>) -> Self {
        if let Some(problem) = self.problems.first_mut() {
            problem.hints.extend(hints);
        }
        self
    }

    /// With what to do about it.
    #[must_use]
    pub fn advise(mut self, advice: &str) -> Self {
        if let Some(problem) = self.problems.first_mut() {
            problem.advice = Some(advice.to_owned());
        }
        self
    }

    /// All that is wrong with a spec; `line` is its place in a list of specs.
    pub fn spec(text: &str, errors: &[SpecError], line: Option<usize>) -> Self {
        let problems = errors.iter().map(|error| Problem {
            code: error.code.to_owned(),
            message: match line {
                Some(line) => format!("line {line}: {}", error.message),
                None => error.message.clone(),
            },
            hints: error.suggestions.clone(),
            place: Some(Place {
                file: None,
                text: text.to_owned(),
                span: error.span.clone(),
            }),
            ..Problem::default()
        });
        Self {
            exit_code: ExitCode::Usage,
            problems: problems.collect(),
        }
    }

    /// Catalog or config files that are wrong.
    pub fn files(code: &str, diagnostics: &[Diagnostic]) -> Self {
        let problems = diagnostics.iter().map(|diagnostic| {
            let at = |characters: usize| {
                diagnostic
                    .text
                    .char_indices()
                    .nth(characters)
                    .map_or(diagnostic.text.len(), |(at, _)| at)
            };
            let start = diagnostic.column - 1;
            Problem {
                code: code.to_owned(),
                message: diagnostic.message.clone(),
                place: Some(Place {
                    file: Some(diagnostic.place()),
                    text: diagnostic.text.clone(),
                    span: at(start)..at(start + diagnostic.width),
                }),
                ..Problem::default()
            }
        });
        Self {
            exit_code: ExitCode::Catalog,
            problems: problems.collect(),
        }
    }
}

impl From<UnknownRegion> for CliError {
    fn from(unknown: UnknownRegion) -> Self {
        let message = format!("no provider asked for has a region '{}'", unknown.pattern);
        Self::usage("usage.unknown-region", message).hint(unknown.suggestions)
    }
}
