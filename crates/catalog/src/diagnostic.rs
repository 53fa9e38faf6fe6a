//! Errors in catalog files, with their positions.

use std::fmt;
use std::ops::Range;

use sky_accel_core::text::shortened;

/// An error in a catalog file, with its position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Diagnostic {
    /// The path of the file, as in [`Source::file`](crate::Source::file).
    pub file: String,
    /// The number of the line, from 1.
    pub line: usize,
    /// The column of the first marked character, in characters from 1.
    pub column: usize,
    /// The number of marked characters in `text`, at least 1.
    pub width: usize,
    /// The message: a sentence that begins in lower case, without a period.
    pub message: String,
    /// The text of the line, or the part of a long line around the marked characters.
    pub text: String,
    /// The column of the first character of `text`, from 1.
    pub text_column: usize,
}

/// The maximum number of characters of a line that are kept before the mark, and after its beginning.
const MAX_TEXT: usize = 200;
/// The maximum number of characters of a message, because messages quote text of files.
const MAX_MESSAGE: usize = 1000;

impl Diagnostic {
    /// Creates a diagnostic for a span of bytes in a file's text.
    pub fn new(file: &str, text: &str, span: Range<usize>, message: impl Into<String>) -> Self {
        let start = floor_boundary(text, span.start);
        let end = floor_boundary(text, span.end.max(span.start));
        let before = &text[..start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let column = text[line_start..start].chars().count() + 1;
        let text_column = column.saturating_sub(MAX_TEXT).max(1);
        let line = text[line_start..].lines().next().unwrap_or_default();
        let shown = line.chars().skip(text_column - 1);
        let marked = text[start..end].lines().next().unwrap_or_default();
        Self {
            file: file.to_owned(),
            line: before.matches('\n').count() + 1,
            column,
            width: marked.chars().take(MAX_TEXT).count().max(1),
            message: shortened(&message.into(), MAX_MESSAGE).into_owned(),
            text: shown.take(column - text_column + MAX_TEXT).collect(),
            text_column,
        }
    }

    /// Returns the position as `file:line:column`.
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
    fn positions_count_lines_and_characters() {
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

    #[test]
    fn truncates_long_lines_around_the_mark() {
        let text = format!("{}é = {}\n", "x".repeat(900), "y".repeat(900));
        let at = text.find('é').unwrap();
        let diagnostic = Diagnostic::new("f.toml", &text, at..text.len(), "z".repeat(5000));
        assert_eq!((diagnostic.column, diagnostic.text_column), (901, 701));
        assert_eq!(diagnostic.text.chars().nth(200), Some('é'));
        assert_eq!(diagnostic.text.chars().count(), 400);
        assert_eq!(
            (diagnostic.width, diagnostic.message.chars().count()),
            (200, 1001)
        );
    }
}
