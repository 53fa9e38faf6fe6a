//! Lines of standard input with a bounded length, and the specs in them.

use std::io::{self, BufRead, Read as _};

use sky_accel_engine::{Error, ErrorCode, Spec, spec_of_line};
use sky_accel_files::input::{MAX_TEXT, read_bounded};

use crate::ui::Ui;

/// Maximum length of a line with a spec, in bytes.
const MAX_SPEC_LINE: u64 = 4096;
/// The maximum number of specs of standard input in an answer that is one document or table.
const MAX_SPECS: usize = 100_000;

/// A line with its number, starting at 1, including the line feed if present.
pub struct InputLine {
    pub number: usize,
    pub bytes: Vec<u8>,
}

/// Iterator over the lines of standard input. A line that is too long is an error; the next line follows.
pub struct Lines {
    input: Box<dyn BufRead>,
    max_len: u64,
    number: usize,
    is_broken: bool,
}

impl Lines {
    /// Creates an iterator over lines of at most `max_len` bytes.
    pub fn of_stdin(ui: &mut Ui, max_len: u64) -> Self {
        Self {
            input: ui.rest_of_input(),
            max_len,
            number: 0,
            is_broken: false,
        }
    }

    fn read(&mut self) -> io::Result<Option<Result<InputLine, Error>>> {
        let mut bytes = Vec::new();
        let mut start = self.input.by_ref().take(self.max_len);
        if start.read_until(b'\n', &mut bytes)? == 0 {
            return Ok(None);
        }
        self.number += 1;
        let number = self.number;
        let is_whole = (bytes.len() as u64) < self.max_len
            || bytes.ends_with(b"\n")
            || self.input.fill_buf()?.is_empty();
        if is_whole {
            return Ok(Some(Ok(InputLine { number, bytes })));
        }
        self.input.skip_until(b'\n')?;
        let message = format!("line {number} is too long: at most {} bytes", self.max_len);
        Ok(Some(Err(Error::new(ErrorCode::Line, message))))
    }
}

impl Iterator for Lines {
    type Item = Result<InputLine, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_broken {
            return None;
        }
        self.read().unwrap_or_else(|error| {
            self.is_broken = true;
            Some(Err(unreadable(&error)))
        })
    }
}

/// Result of peeking at standard input.
#[derive(Clone, Copy, Default)]
pub struct Start {
    /// Whether standard input starts with a JSON object.
    pub is_object: bool,
    /// Number of blank lines skipped.
    lines: usize,
}

/// Checks whether standard input starts with a JSON object. Skips only the blanks before it.
pub fn start_of_stdin(ui: &mut Ui) -> Result<Start, Error> {
    ui.read(|input| {
        let mut start = Start::default();
        loop {
            let bytes = input.fill_buf().map_err(|error| unreadable(&error))?;
            let text = bytes.trim_ascii_start();
            if !text.is_empty() || bytes.is_empty() {
                start.is_object = text.starts_with(b"{");
                return Ok(start);
            }
            let skipped = bytes.len();
            start.lines += bytes.split(|byte| *byte == b'\n').count() - 1;
            input.consume(skipped);
        }
    })
}

/// Reads all of standard input, up to the limit for texts.
pub fn text_of_stdin(ui: &mut Ui) -> Result<String, Error> {
    let text = ui.read(|input| read_bounded(input, MAX_TEXT));
    text.map_err(|error| unreadable(&error))
}

/// Returns the error for unreadable standard input.
pub fn unreadable(error: &io::Error) -> Error {
    let message = format!("cannot read standard input: {error}");
    Error::new(ErrorCode::Stdin, message)
}

/// Reads the specs of standard input, one per line; `#` starts a comment.
pub fn specs_of_stdin(
    ui: &mut Ui,
    start: Start,
) -> impl Iterator<Item = Result<Spec, Error>> + use<> {
    let lines = Lines {
        number: start.lines,
        ..Lines::of_stdin(ui, MAX_SPEC_LINE)
    };
    lines.filter_map(|line| line.map(|line| spec(&line)).transpose())
}

/// Adds the specs of standard input to those of a document. `advice` names a way to answer more of them.
pub fn add_specs_of_stdin(
    ui: &mut Ui,
    start: Start,
    specs: &mut Vec<Spec>,
    advice: &str,
) -> Result<(), Error> {
    for spec in specs_of_stdin(ui, start) {
        specs.push(spec?);
        if specs.len() > MAX_SPECS {
            let message = format!("more than {MAX_SPECS} specs; {advice}");
            return Err(Error::new(ErrorCode::Stdin, message));
        }
    }
    Ok(())
}

fn spec(line: &InputLine) -> Option<Spec> {
    let text = String::from_utf8_lossy(&line.bytes);
    spec_of_line(&text).map(|text| Spec::Text {
        text: text.to_owned(),
        line: Some(line.number),
    })
}

/// Returns the error for standard input without a spec.
pub fn no_spec() -> Error {
    let message = "standard input has no spec";
    Error::new(ErrorCode::SpecEmpty, message)
}
