//! Errors of a spec: a stable code, a message, the location and suggestions.

use std::ops::Range;

use super::code::SpecErrorCode;

/// A location in the text of a spec, in bytes.
pub type Span = Range<usize>;

/// One error of a spec.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.sentence())]
pub struct SpecError {
    /// The stable code.
    pub code: SpecErrorCode,
    /// A lowercase sentence without a period. May hold characters from the spec: print it with
    /// [`crate::text::printable`].
    pub message: String,
    /// The location of the error in the spec, in bytes.
    pub span: Span,
    /// At most three suggested specs or words.
    pub suggestions: Vec<String>,
}

/// An error whose location only the caller knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnplacedError {
    pub(crate) code: SpecErrorCode,
    pub(crate) message: String,
}

impl UnplacedError {
    pub(crate) fn new(code: SpecErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    /// Adds the location.
    pub(crate) fn at(self, span: Span) -> SpecError {
        SpecError::new(self.code, span, self.message)
    }
}

/// All errors of a spec; never empty.
pub type SpecErrors = Vec<SpecError>;

impl SpecError {
    pub(crate) fn new(code: SpecErrorCode, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            span,
            suggestions: Vec::new(),
        }
    }

    /// Adds suggestions, at most three in all.
    #[must_use]
    pub(crate) fn suggest(mut self, suggestions: impl IntoIterator<Item = String>) -> Self {
        for suggestion in suggestions {
            if self.suggestions.len() < 3 && !self.suggestions.contains(&suggestion) {
                self.suggestions.push(suggestion);
            }
        }
        self
    }

    /// Returns the message with its suggestions.
    pub fn sentence(&self) -> String {
        if self.suggestions.is_empty() {
            self.message.clone()
        } else {
            format!(
                "{}: did you mean {}?",
                self.message,
                self.suggestions.join(", ")
            )
        }
    }
}
