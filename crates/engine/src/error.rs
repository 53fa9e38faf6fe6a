//! Errors: a kind for calling programs; problems with codes and positions for people.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};

use sky_accel_catalog::Diagnostic;
use sky_accel_core::resolve::UnknownRegion;
use sky_accel_core::spec::SpecError;
use sky_accel_core::text::{list_and, shortened};
use sky_accel_live::{
    ErrorKind as ProviderErrorKind, Live, ProviderAnswer, ProviderError, QueryOutcome, SessionError,
};

use crate::code::ErrorCode;

pub use crate::code::ErrorKind;

/// The result of engine methods.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why a request has no answer, or only a partial one.
#[derive(Clone, Debug)]
pub struct Error {
    /// The kind of error, for decisions in programs; the command line maps each kind to an exit code.
    pub kind: ErrorKind,
    /// The individual problems, most important first; empty after Ctrl-C.
    pub problems: Vec<Problem>,
}

/// One problem.
#[derive(Clone, Debug)]
pub struct Problem {
    /// A stable code; `docs/errors.md` lists every one.
    pub code: ErrorCode,
    /// The problem as a sentence without a final period. Fields of requests are in backquotes, such as ``
    /// `max_age` ``; each user interface translates them to its notation.
    pub message: String,
    /// The words of a provider in the message; `None` if it has none.
    pub quoted: Option<String>,
    /// Suggested corrections; may be empty.
    pub hints: Vec<String>,
    /// The suggested next step, as an imperative sentence; `None` if nothing can be suggested.
    pub advice: Option<String>,
    /// The id of the provider that failed; `None` if the problem is not about a provider.
    pub provider: Option<&'static str>,
    /// Why the provider could not be reached; `None` if it answered. Equal causes can be
    /// [reported together](Error::condensed).
    pub cause: Option<String>,
    /// The position of the problem in a text; `None` if it is not in a text.
    pub place: Option<TextPosition>,
}

/// A position in a text.
#[derive(Clone, Debug)]
pub struct TextPosition {
    /// The position in a file, as `file:line:column`; `None` if the text is not part of a file.
    pub file: Option<String>,
    /// The line of text.
    pub text: String,
    /// The invalid bytes of `text`, counted from 0; the end is exclusive.
    pub span: std::ops::Range<usize>,
}

/// The number of providers whose unusable answers have one line.
const MANY_BAD_ANSWERS: usize = 3;
/// The maximum number of providers that a common problem names.
const MOST_NAMED: usize = 3;

/// The maximum number of characters in a message.
const MAX_MESSAGE: usize = 2000;

impl Problem {
    /// Creates a problem without suggestions and position. Long messages are truncated, because parsers
    /// quote their input.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            code,
            message: shortened(&message, MAX_MESSAGE).into_owned(),
            quoted: None,
            hints: Vec::new(),
            advice: None,
            provider: None,
            cause: None,
            place: None,
        }
    }

    /// Returns whether a provider has no key.
    fn is_missing_key(&self) -> bool {
        self.code == ErrorCode::Provider(ProviderErrorKind::CredentialsMissing)
    }

    /// Returns true if another provider could not be reached for the same reason.
    fn has_cause_of(&self, other: &Self) -> bool {
        let is_same = self.code == other.code && self.cause == other.cause;
        is_same && (self.cause.is_some() || self.is_bad_answer())
    }

    /// Returns whether a provider gave an unusable answer, as a proxy does in its place.
    fn is_bad_answer(&self) -> bool {
        use sky_accel_live::ErrorKind::{Protocol, Server};
        matches!(self.code, ErrorCode::Provider(Server | Protocol))
    }
}

impl Error {
    /// Creates an error with one problem, of the kind of its code.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            kind: code.kind(),
            problems: vec![Problem::new(code, message)],
        }
    }

    /// Creates an error with several problems, of the kind of the first problem's code.
    pub fn several(problems: Vec<Problem>) -> Self {
        let kind = problems.first().map(|problem| problem.code.kind());
        Self {
            kind: kind.unwrap_or(ErrorKind::Internal),
            problems,
        }
    }

    /// Creates the error after Ctrl-C. It has no problems, because the user knows the reason.
    pub fn interrupted() -> Self {
        Self {
            kind: ErrorKind::Interrupted,
            problems: Vec::new(),
        }
    }

    /// Adds suggested corrections.
    #[must_use]
    pub fn hint(mut self, hints: impl IntoIterator<Item = String>) -> Self {
        if let Some(problem) = self.problems.first_mut() {
            problem.hints.extend(hints);
        }
        self
    }

    /// Adds a suggestion of what to do next.
    #[must_use]
    pub fn advise(mut self, advice: impl Into<String>) -> Self {
        if let Some(problem) = self.problems.first_mut() {
            problem.advice = Some(advice.into());
        }
        self
    }

    /// Creates an error from the problems of a spec; `line` is its line in a list of specs, from 1.
    pub fn spec(text: &str, errors: &[SpecError], line: Option<usize>) -> Self {
        let problems = errors.iter().map(|error| Problem {
            hints: error.suggestions.clone(),
            place: Some(TextPosition {
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

    /// Creates an error from the problems of catalog or config files, each with its position.
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
                place: Some(TextPosition {
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

    /// The error of a live query that no provider answered; `None` if a provider did.
    pub fn no_answer(live: &Live) -> Option<Self> {
        live.all_failed().map(Self::of_failures)
    }

    /// Like [`Self::no_answer`], but providers without an API do not count as answered.
    pub fn unanswered<'l>(live: impl Iterator<Item = &'l Live> + Clone) -> Option<Self> {
        let is_answer =
            |answer: &ProviderAnswer| matches!(answer.outcome, QueryOutcome::Answered { .. });
        let is_answered = live.clone().any(|live| live.answers.iter().any(is_answer));
        let failed: Vec<&ProviderError> = live.flat_map(Live::failures).collect();
        (!failed.is_empty() && !is_answered).then(|| Self::of_failures(failed))
    }

    pub(crate) fn of_failures(failed: Vec<&ProviderError>) -> Self {
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

    /// Returns the error with one problem for all providers that could not be reached for the same reason, and one for
    /// many providers without a key.
    #[must_use]
    pub fn condensed(self) -> Self {
        let mut rest = self.problems;
        let mut problems: Vec<Problem> = Vec::new();
        if let Some(common) = common_cause(&rest) {
            rest.retain(|problem| problem.cause.is_none());
            problems.push(common);
        }
        let without_keys = without_keys(&rest);
        if without_keys.is_some() {
            rest.retain(|problem| !problem.is_missing_key());
        }
        while !rest.is_empty() {
            let first = rest.remove(0);
            let (same, others): (Vec<_>, Vec<_>) = rest
                .into_iter()
                .partition(|problem| problem.has_cause_of(&first));
            rest = others;
            let providers = std::iter::once(&first).chain(&same);
            let providers: BTreeSet<&str> = providers.filter_map(|one| one.provider).collect();
            let condensed = match &first.cause {
                Some(cause) if providers.len() > 1 => {
                    let message = format!("{} could not be reached: {cause}", reached(&providers));
                    Problem {
                        advice: first.advice.clone(),
                        ..Problem::new(first.code, message)
                    }
                }
                None if providers.len() >= MANY_BAD_ANSWERS => {
                    let message = format!(
                        "{} gave unusable answers, the first {}",
                        reached(&providers),
                        first.message
                    );
                    Problem {
                        advice: Some(
                            "a proxy or a sign-in page of the network may answer in their place"
                                .to_owned(),
                        ),
                        ..Problem::new(first.code, message)
                    }
                }
                _ => {
                    problems.push(first);
                    problems.extend(same);
                    continue;
                }
            };
            problems.push(condensed);
        }
        problems.extend(without_keys);
        Self { problems, ..self }
    }

    /// The error of a live answer with failed providers: of the kind of [`Self::no_answer`] if no provider
    /// answered, and otherwise [`ErrorKind::Partial`]. `None` if no provider failed.
    pub fn of_live(live: &Live) -> Option<Self> {
        Self::no_answer(live).or_else(|| Self::partial([live]))
    }

    /// The error of live queries that some providers failed and others answered.
    pub fn partial<'l>(live: impl IntoIterator<Item = &'l Live>) -> Option<Self> {
        let failures = live.into_iter().flat_map(Live::failures);
        let problems: Vec<Problem> = failures.map(Problem::from).collect();
        (!problems.is_empty()).then_some(Self {
            kind: ErrorKind::Partial,
            problems,
        })
    }
}

/// Returns one problem for providers that could not be reached, most of them for one reason: without a network, some
/// queries fail at once and others only at the timeout. `None` if they have one reason, or no common one.
fn common_cause(problems: &[Problem]) -> Option<Problem> {
    let mut by_cause: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for problem in problems {
        let cause = problem.cause.as_deref();
        if let Some((cause, provider)) = cause.zip(problem.provider) {
            by_cause.entry(cause).or_default().insert(provider);
        }
    }
    let all: BTreeSet<&str> = by_cause.values().flatten().copied().collect();
    let (common, of_common) = by_cause
        .iter()
        .max_by_key(|(_, providers)| providers.len())?;
    let is_common = of_common.len() > MOST_NAMED && of_common.len() * 2 > all.len();
    if by_cause.len() < 2 || !is_common {
        return None;
    }
    let mut message = format!(
        "{} could not be reached: {common}, for {} of them",
        reached(&all),
        of_common.len()
    );
    for (cause, providers) in by_cause.iter().filter(|(cause, _)| *cause != common) {
        let _ = write!(message, "; {}: {cause}", reached(providers));
    }
    let mut problems = problems.iter();
    let first = problems.find(|problem| problem.cause.as_deref() == Some(*common))?;
    Some(Problem {
        advice: first.advice.clone(),
        ..Problem::new(first.code, message)
    })
}

/// Returns one problem for providers without a key; `None` for a few.
fn without_keys(problems: &[Problem]) -> Option<Problem> {
    let missing = problems.iter().filter(|problem| problem.is_missing_key());
    let providers: BTreeSet<&str> = missing.filter_map(|problem| problem.provider).collect();
    (providers.len() > MOST_NAMED).then(|| Problem {
        advice: Some("`sky-accel live doctor` says how to get the key of each provider".to_owned()),
        ..Problem::new(
            ErrorCode::Provider(ProviderErrorKind::CredentialsMissing),
            format!("no API key for {}", reached(&providers)),
        )
    })
}

/// Names a few providers, and counts many.
fn reached(providers: &BTreeSet<&str>) -> String {
    if providers.len() <= MOST_NAMED {
        let names: Vec<&str> = providers.iter().copied().collect();
        return list_and(&names);
    }
    format!("{} providers", providers.len())
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
        let text = |text: &Option<Box<str>>| text.as_deref().map(str::to_owned);
        Self {
            advice: text(&error.hint),
            provider: Some(error.provider),
            cause: text(&error.cause),
            quoted: text(&error.quoted),
            ..Self::new(ErrorCode::Provider(error.kind), error.to_string())
        }
    }
}

impl From<UnknownRegion> for Error {
    fn from(unknown: UnknownRegion) -> Self {
        let message = format!(
            "none of the selected providers has a region '{}'",
            unknown.pattern
        );
        // A country code that is the start of a longer word was hardly meant, such as NO in "nowhere".
        let is_similar = |name: &String| {
            name.len() * 2 >= unknown.pattern.len() && !name.eq_ignore_ascii_case(&unknown.pattern)
        };
        let suggestions = unknown.suggestions.iter().filter(|name| is_similar(name));
        Self::new(ErrorCode::UnknownRegion, message)
            .hint(suggestions.cloned())
            .advise("a region is an id such as eu-north-1, a pattern such as eu-*, or a country such as DE")
    }
}

impl From<SessionError> for Error {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Interrupted => Self::interrupted(),
            SessionError::NoNetwork => Self::new(ErrorCode::Usage, error.to_string())
                .advise("install sky-accel to query providers"),
            SessionError::Start(why) | SessionError::Run(why) => {
                Self::new(ErrorCode::LiveRuntime, format!("cannot start: {why}"))
            }
            SessionError::File(error) => Self {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_providers_without_a_key_are_one_problem() {
        let missing = |provider| {
            let kind = ProviderErrorKind::CredentialsMissing;
            Problem::from(&ProviderError::new(provider, kind, "no API key"))
        };
        let condensed = |ids: &[&'static str]| {
            let error = Error {
                kind: ErrorKind::Credentials,
                problems: ids.iter().map(|id| missing(id)).collect(),
            };
            error.condensed().problems
        };
        assert_eq!(condensed(&["lambda", "runpod"]).len(), 2);
        let many = condensed(&["crusoe", "gcp", "lambda", "nebius", "runpod"]);
        let [one] = &many[..] else { panic!("{many:?}") };
        assert_eq!(one.message, "no API key for 5 providers");
        assert!(one.advice.as_deref().unwrap().contains("live doctor"));
    }

    #[test]
    fn providers_with_the_same_cause_are_one_problem() {
        let failed = |provider, kind, cause: &str| {
            let error = ProviderError::new(provider, kind, format!("{cause} ({provider})"));
            Problem::from(&error.because(cause))
        };
        let network = ProviderErrorKind::Network;
        let mut problems: Vec<Problem> = ["aws", "azure", "oci", "verda"]
            .map(|provider| failed(provider, network, "the name does not resolve (DNS)"))
            .into();
        let server = ProviderError::new("vultr", ProviderErrorKind::Server, "HTTP 500");
        problems.insert(1, Problem::from(&server));
        problems.push(failed("lium", network, "Connection refused"));
        problems.push(failed("runpod", ProviderErrorKind::Timeout, "no answer"));
        problems.push(failed("vastai", ProviderErrorKind::Timeout, "no answer"));
        let error = Error {
            kind: ErrorKind::Partial,
            problems: problems.clone(),
        };
        let condensed = error.condensed().problems;
        let messages: Vec<&str> = condensed.iter().map(|one| &*one.message).collect();
        assert_eq!(
            messages,
            [
                "7 providers could not be reached: the name does not resolve (DNS), for 4 of them; lium: Connection refused; runpod and vastai: no answer",
                "vultr: HTTP 500",
            ]
        );
        problems.retain(|problem| !["aws", "azure"].map(Some).contains(&problem.provider));
        let error = Error {
            kind: ErrorKind::Partial,
            problems,
        };
        let condensed = error.condensed().problems;
        let messages: Vec<&str> = condensed.iter().map(|one| &*one.message).collect();
        assert_eq!(
            messages,
            [
                "vultr: HTTP 500",
                "oci and verda could not be reached: the name does not resolve (DNS)",
                "lium: Connection refused (lium)",
                "runpod and vastai could not be reached: no answer",
            ]
        );
    }
}
