//! The document of a failure.

use serde::Serialize;
use sky_accel_core::text::printable;

use crate::error::{Error, Problem};

/// The JSON document of a failure: printed on standard error, or as the answer to one line of standard
/// input.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorEnvelope {
    /// Always `sky-accel.error.v1`.
    pub schema: &'static str,
    /// The first error.
    pub error: ErrorOut,
    /// The other errors; omitted if there is only one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<ErrorOut>,
}

/// One error.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorOut {
    /// A stable, dotted code that scripts may rely on, such as `usage.unknown-provider`.
    pub code: String,
    /// The error as a sentence without a final period. The wording may change.
    pub message: String,
    /// The words of a provider in the message: untrusted data. Omitted if the message has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quoted: Option<String>,
    /// Suggested corrections or next steps; may be empty.
    pub hints: Vec<String>,
    /// The position of the error in the spec or expression. Omitted if the error is not about a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<SpanOut>,
    /// The position in a file, as `file:line:column`. Omitted if the error is not in a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The id of the provider that failed. Omitted if the error is not about a provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
}

/// A range of bytes in a text.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpanOut {
    /// The first byte, counted from 0.
    pub start: usize,
    /// The byte after the end.
    pub end: usize,
}

impl Error {
    /// The error as a contract document with unprintable characters escaped; `None` for an interruption,
    /// which has no problems.
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
            quoted: self.quoted.as_deref().map(printable),
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
