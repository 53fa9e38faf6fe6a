//! Lines of standard input, none of which is read further than it may be long, and the specs in them.

use std::io::{self, BufRead, Read as _, StdinLock};

use sky_accel_engine::{Error, ErrorCode, Spec, spec_of_line};

/// The longest line with a spec.
const MAX_SPEC_LINE: u64 = 4096;

/// A line with its number, from 1. It ends with its line feed, if it has one.
pub struct InputLine {
    pub number: usize,
    pub bytes: Vec<u8>,
}

/// The lines of standard input. One that is too long is an error, and the next one follows.
pub struct Lines {
    input: StdinLock<'static>,
    max_len: u64,
    number: usize,
    is_broken: bool,
}

impl Lines {
    /// Lines of at most so many bytes.
    pub fn of_stdin(max_len: u64) -> Self {
        Self {
            input: io::stdin().lock(),
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

/// The start of standard input that was looked at.
#[derive(Clone, Copy, Default)]
pub struct Start {
    /// Whether a JSON object follows.
    pub is_object: bool,
    /// The lines that were skipped, all of which are blank.
    lines: usize,
}

/// Looks whether standard input begins with a JSON object. Blanks before it are skipped as far as they have to be.
pub fn start_of_stdin() -> Result<Start, Error> {
    let mut input = io::stdin().lock();
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
}

/// The error of standard input that cannot be read.
pub fn unreadable(error: &io::Error) -> Error {
    let message = format!("cannot read standard input: {error}");
    Error::new(ErrorCode::Stdin, message)
}

/// The specs of standard input, one on a line; `#` begins a comment.
pub fn specs_of_stdin(start: Start) -> impl Iterator<Item = Result<Spec, Error>> {
    let lines = Lines {
        number: start.lines,
        ..Lines::of_stdin(MAX_SPEC_LINE)
    };
    lines.filter_map(|line| line.map(|line| spec(&line)).transpose())
}

fn spec(line: &InputLine) -> Option<Spec> {
    let text = String::from_utf8_lossy(&line.bytes);
    spec_of_line(&text).map(|text| Spec::Text {
        text: text.to_owned(),
        line: Some(line.number),
    })
}

/// The error of standard input without a spec.
pub fn no_spec() -> Error {
    let message = "there is no spec on standard input";
    Error::new(ErrorCode::SpecEmpty, message)
}
