//! Faults of a file with their places.

use std::fmt;
use std::ops::Range;

/// One thing that is wrong with a catalog file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Diagnostic {
    pub file: String,
    /// Both from 1; the column counts characters.
    pub line: usize,
    pub column: usize,
    /// How many characters are meant.
    pub width: usize,
    /// Lower-case sentence without a period.
    pub message: String,
    /// The line itself.
    pub text: String,
}

impl Diagnostic {
    /// Points at a span of a file's text.
    pub fn new(file: &str, text: &str, span: Range<usize>, message: impl Into<String>) -> Self {
        let start = floor_boundary(text, span.start);
        let end = floor_boundary(text, span.end.max(span.start));
        let before = &text[..start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line_text = text[line_start..].lines().next().unwrap_or_default();
        let marked = &text[start..end];
        Self {
            file: file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: text[line_start..start].chars().count() + 1,
            width: marked
                .lines()
                .next()
                .unwrap_or_default()
                .chars()
                .count()
                .max(1),
            message: message.into(),
            text: line_text.to_owned(),
        }
    }

    /// `file:line:column`.
    pub fn place(&self) -> String {
        format!("{}:{}:{}", self.file, self.line, self.column)
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place(), self.message)
    }
}

fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters() {
        let text = "a = 1\nbé = \"x\"\n";
        let at = text.find('"').unwrap();
        let diagnostic = Diagnostic::new("f.toml", text, at..at + 3, "wrong");
        assert_eq!(diagnostic.to_string(), "f.toml:2:6: wrong");
        assert_eq!(
            (diagnostic.width, diagnostic.text.as_str()),
            (3, "bé = \"x\"")
        );
        let end = Diagnostic::new("f.toml", text, text.len()..text.len() + 9, "end");
        assert_eq!((end.line, end.column), (3, 1));
    }
}
