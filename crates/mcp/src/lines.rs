//! BoundedLines of input, of which no more than a limit is kept.

use std::io;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// The size of the input buffer in bytes.
const BUFFER: usize = 1 << 16;

/// Reads lines of at most a number of bytes.
pub struct BoundedLines<R> {
    input: BufReader<R>,
    max: usize,
    line: Vec<u8>,
    /// True within a line that is too long.
    is_skipping: bool,
}

/// A line without its line feed.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    Complete(Vec<u8>),
    /// The line exceeds the limit. Its bytes are skipped.
    TooLong,
    /// The input has ended. An incomplete line is not a message.
    End,
}

impl<R: AsyncRead + Unpin> BoundedLines<R> {
    pub fn new(input: R, max: usize) -> Self {
        Self {
            input: BufReader::with_capacity(BUFFER, input),
            max,
            line: Vec::new(),
            is_skipping: false,
        }
    }

    /// Reads the next line. It may be dropped before it is done: the next call continues.
    pub async fn next(&mut self) -> io::Result<Line> {
        loop {
            let bytes = self.input.fill_buf().await?;
            if bytes.is_empty() {
                return Ok(Line::End);
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let part = &bytes[..end.unwrap_or(bytes.len())];
            let is_too_long = self.line.len() + part.len() > self.max;
            if !self.is_skipping && !is_too_long {
                self.line.extend_from_slice(part);
            }
            let read = part.len() + usize::from(end.is_some());
            self.input.consume(read);
            if self.is_skipping {
                self.is_skipping = end.is_none();
            } else if is_too_long {
                self.line = Vec::new();
                self.is_skipping = end.is_none();
                return Ok(Line::TooLong);
            } else if end.is_some() {
                return Ok(Line::Complete(std::mem::take(&mut self.line)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt as _;

    fn read(input: impl AsyncRead + Unpin, max: usize) -> (Vec<Line>, usize) {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.unwrap().block_on(async {
            let mut lines = BoundedLines::new(input, max);
            let mut found = Vec::new();
            loop {
                match lines.next().await.unwrap() {
                    Line::End => return (found, lines.line.capacity()),
                    line => found.push(line),
                }
            }
        })
    }

    #[test]
    fn long_lines_are_skipped() {
        let complete = |text: &str| Line::Complete(text.into());
        assert_eq!(
            read(&b"four\nfives\n\nten letters\nend\ninc"[..], 4).0,
            [
                complete("four"),
                Line::TooLong,
                complete(""),
                Line::TooLong,
                complete("end"),
            ]
        );
    }

    #[test]
    fn an_endless_line_is_not_kept() {
        let endless = tokio::io::repeat(b'x').take(50 << 20);
        let (lines, kept) = read(endless, 1 << 20);
        assert_eq!(lines, [Line::TooLong]);
        assert!(kept < 1 << 20, "{kept}");
    }
}
