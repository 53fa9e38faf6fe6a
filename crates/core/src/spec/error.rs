//! What is wrong with a spec: a stable code, a sentence, the place, what would be right.

use super::Span;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.sentence())]
pub struct SpecError {
    /// Stable, dotted: `spec.unknown-accelerator`.
    pub code: &'static str,
    /// Lower-case sentence without a period. May hold characters from the spec: print it with
    /// [`crate::text::printable`].
    pub message: String,
    pub span: Span,
    /// What could have been meant, at most three.
    pub suggestions: Vec<String>,
}

/// All that is wrong with a spec; never empty.
pub type SpecErrors = Vec<SpecError>;

impl SpecError {
    pub(crate) fn new(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            span,
            suggestions: Vec::new(),
        }
    }

    /// At most three suggestions.
    #[must_use]
    pub(crate) fn suggest(mut self, suggestions: impl IntoIterator<Item = String>) -> Self {
        for suggestion in suggestions {
            if self.suggestions.len() < 3 && !self.suggestions.contains(&suggestion) {
                self.suggestions.push(suggestion);
            }
        }
        self
    }

    /// The message with its suggestions.
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
