//! Errors: a kind for the program that called, problems with codes and places for people.

use std::fmt;

use sky_accel_catalog::Diagnostic;
use sky_accel_core::resolve::UnknownRegion;
use sky_accel_core::spec::SpecError;
use sky_accel_core::text::{printable, shortened};
use sky_accel_live::{Answer, Live, Outcome, ProviderError, SessionError};

use crate::code::ErrorCode;
use crate::contract::{ErrorEnvelope, ErrorOut, SpanOut};

/// The engine's result.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why a request has no answer, or only a partial one.
#[derive(Debug)]
pub struct Error {
    /// The kind of error, on which programs decide; the command line has an exit code for each.
    pub kind: ErrorKind,
    /// The individual problems, the most important first; empty after Ctrl-C.
    pub problems: Vec<Problem>,
}

/// The kinds of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The request is well-formed, and nothing fulfils it.
    NothingMatches,
    /// A spec, a value or a combination of options is wrong.
    Usage,
    /// Credentials are missing or refused.
    Credentials,
    /// No provider answered.
    Provider,
    /// Some providers answered and some failed.
    Partial,
    /// A config file, a catalog or a lock file is invalid or cannot be written.
    Catalog,
    /// The data is older than allowed, or not what was locked.
    TooOld,
    /// The output could not be written.
    Output,
    /// A bug.
    Internal,
    /// Ctrl-C was pressed.
    Interrupted,
}

/// One thing that is wrong.
#[derive(Debug)]
pub struct Problem {
    /// A stable code; `docs/errors.md` lists every one.
    pub code: ErrorCode,
    /// The problem as a sentence without a full stop. It names a choice as the command line does, such as
    /// `--max-age`, and a field of a JSON document by its name.
    pub message: String,
    /// Likely corrections; empty when there are none.
    pub hints: Vec<String>,
    /// A way out, as an imperative sentence; `None` where there is none.
    pub advice: Option<String>,
    /// The id of the provider that failed; `None` where no provider is concerned.
    pub provider: Option<&'static str>,
    /// The place of the fault in a text; `None` where it is not in a text.
    pub place: Option<Place>,
}

/// A place in a text.
#[derive(Debug)]
pub struct Place {
    /// The position in a file, as `file:line:column`; `None` where the text is not part of a file.
    pub file: Option<String>,
    /// The line of text.
    pub text: String,
    /// The bytes of `text` that are wrong, from 0; the end is exclusive.
    pub span: std::ops::Range<usize>,
}

/// The most characters of a message.
const MAX_MESSAGE: usize = 2000;

impl Problem {
    /// A problem without hints and place. Its message is cut where it is too long to be read:
    /// parsers repeat what they do not understand.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            code,
            message: shortened(&message, MAX_MESSAGE).into_owned(),
            hints: Vec::new(),
            advice: None,
            provider: None,
            place: None,
        }
    }
}

impl Error {
    /// One problem, of the kind that its code has.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            kind: code.kind(),
            problems: vec![Problem::new(code, message)],
        }
    }

    /// Several problems, of the kind that the first one's code has.
    pub fn several(problems: Vec<Problem>) -> Self {
        let kind = problems.first().map(|problem| problem.code.kind());
        Self {
            kind: kind.unwrap_or(ErrorKind::Internal),
            problems,
        }
    }

    /// The error after Ctrl-C. It has no problems, because the user knows the reason.
    pub fn interrupted() -> Self {
        Self {
            kind: ErrorKind::Interrupted,
            problems: Vec::new(),
        }
    }

    /// Adds corrections that may be meant.
    #[must_use]
    pub fn hint(mut self, hints: impl IntoIterator<Item = String>) -> Self {
        if let Some(problem) = self.problems.first_mut() {
            problem.hints.extend(hints);
        }
        self
    }

    /// Adds the way out.
    #[must_use]
    pub fn advise(mut self, advice: impl Into<String>) -> Self {
        if let Some(problem) = self.problems.first_mut() {
            problem.advice = Some(advice.into());
        }
        self
    }

    /// Everything that is wrong with a spec; `line` is its place in a list of specs, from 1.
    pub fn spec(text: &str, errors: &[SpecError], line: Option<usize>) -> Self {
        let problems = errors.iter().map(|error| Problem {
            hints: error.suggestions.clone(),
            place: Some(Place {
                file: None,
                text: text.to_owned(),
                span: error.span.clone(),
            }),
            ..Problem::new(
                ErrorCode::Spec(error.code),
                match line {
                    Some(line) => format!("line {line}: {}", error.message),
                    None => error.message.clone(),
                },
            )
        });
        Self {
            kind: ErrorKind::Usage,
            problems: problems.collect(),
        }
    }

    /// Catalog or config files that are wrong, each at its place.
    pub fn files(code: ErrorCode, diagnostics: &[Diagnostic]) -> Self {
        let problems = diagnostics.iter().map(|diagnostic| {
            let at = |characters: usize| {
                diagnostic
                    .text
                    .char_indices()
                    .nth(characters)
                    .map_or(diagnostic.text.len(), |(at, _)| at)
            };
            let start = diagnostic.column - diagnostic.text_column;
            Problem {
                place: Some(Place {
                    file: Some(diagnostic.place()),
                    text: diagnostic.text.clone(),
                    span: at(start)..at(start + diagnostic.width),
                }),
                ..Problem::new(code, diagnostic.message.clone())
            }
        });
        Self {
            kind: code.kind(),
            problems: problems.collect(),
        }
    }

    /// The error of a live answer in which no provider answered; `None` where one did.
    pub fn no_answer(live: &Live) -> Option<Self> {
        live.all_failed().map(Self::of_failures)
    }

    /// As [`Self::no_answer`], for those who want nothing but live answers: providers that have no
    /// API do not count.
    pub fn unanswered<'l>(live: impl Iterator<Item = &'l Live> + Clone) -> Option<Self> {
        let is_answer = |answer: &Answer| matches!(answer.outcome, Outcome::Answered { .. });
        let is_answered = live.clone().any(|live| live.answers.iter().any(is_answer));
        let failed: Vec<&ProviderError> = live.flat_map(Live::failures).collect();
        (!failed.is_empty() && !is_answered).then(|| Self::of_failures(failed))
    }

    fn of_failures(failed: Vec<&ProviderError>) -> Self {
        let about_credentials = failed.iter().all(|error| error.kind.is_about_credentials());
        let too_old = failed
            .iter()
            .all(|error| error.kind == sky_accel_live::ErrorKind::TooOld);
        Self {
            kind: if about_credentials {
                ErrorKind::Credentials
            } else if too_old {
                ErrorKind::TooOld
            } else {
                ErrorKind::Provider
            },
            problems: failed.into_iter().map(Problem::from).collect(),
        }
    }

    /// The error of a live answer in which some providers failed while others answered.
    pub fn partial<'l>(live: impl IntoIterator<Item = &'l Live>) -> Option<Self> {
        let failures = live.into_iter().flat_map(Live::failures);
        let problems: Vec<Problem> = failures.map(Problem::from).collect();
        (!problems.is_empty()).then_some(Self {
            kind: ErrorKind::Partial,
            problems,
        })
    }
}

impl Error {
    /// The error as a document of the contract, in which nothing unprintable is left; `None` for an interruption, which
    /// has no problems.
    pub fn envelope(&self) -> Option<ErrorEnvelope> {
        let mut problems = self.problems.iter().map(Problem::contract);
        Some(ErrorEnvelope {
            schema: "sky-accel.error.v1",
            error: problems.next()?,
            more: problems.collect(),
        })
    }
}

impl Problem {
    fn contract(&self) -> ErrorOut {
        let place = self.place.as_ref();
        let hints = self.hints.iter().chain(&self.advice);
        ErrorOut {
            code: self.code.as_str().to_owned(),
            message: printable(&self.message),
            hints: hints.map(|hint| printable(hint)).collect(),
            span: place.filter(|p| p.file.is_none()).map(|p| SpanOut {
                start: p.span.start,
                end: p.span.end,
            }),
            place: place.and_then(|p| p.file.as_deref().map(printable)),
            provider: self.provider.map(str::to_owned),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut problems = self.problems.iter();
        let Some(first) = problems.next() else {
            return f.write_str("interrupted");
        };
        f.write_str(&first.message)?;
        problems.try_for_each(|problem| write!(f, "; {}", problem.message))
    }
}

impl std::error::Error for Error {}

impl From<&ProviderError> for Problem {
    fn from(error: &ProviderError) -> Self {
        Self {
            advice: error.hint.clone(),
            provider: Some(error.provider),
            ..Self::new(ErrorCode::Provider(error.kind), error.to_string())
        }
    }
}

impl From<UnknownRegion> for Error {
    fn from(unknown: UnknownRegion) -> Self {
        let message = format!(
            "none of the providers asked for has a region '{}'",
            unknown.pattern
        );
        Self::new(ErrorCode::UnknownRegion, message)
            .hint(unknown.suggestions)
            .advise("a region is an id such as eu-north-1, a pattern such as eu-*, or a two-letter country code such as DE")
    }
}

impl From<SessionError> for Error {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Interrupted => Self::interrupted(),
            SessionError::Start(why) | SessionError::Run(why) => {
                Self::new(ErrorCode::LiveRuntime, format!("cannot start: {why}"))
            }
            SessionError::Hub(error) => Self {
                kind: if error.kind.is_about_credentials() {
                    ErrorKind::Credentials
                } else {
                    ErrorKind::Provider
                },
                problems: vec![Problem::from(&*error)],
            },
        }
    }
}
