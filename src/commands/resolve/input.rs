//! Specs from arguments and from standard input.

use sky_accel_engine::{Error, ErrorCode, SpecText};

use crate::commands::input::{InputLine, Lines};

/// The most specs of an answer that is one document or table.
const MAX_SPECS: usize = 100_000;
/// The longest line.
const MAX_LEN: u64 = 4096;

/// The specs of the arguments; `-` is standard input.
pub(super) fn texts(arguments: &[String]) -> Result<Vec<SpecText>, Error> {
    let mut texts = Vec::new();
    for argument in arguments {
        if argument == "-" {
            for text in of_stdin() {
                texts.push(text?);
                if texts.len() > MAX_SPECS {
                    let message = format!(
                        "there are more than {MAX_SPECS} specs: `resolve - -o jsonl` reads any number, without --live"
                    );
                    return Err(Error::new(ErrorCode::Stdin, message));
                }
            }
        } else {
            texts.push(SpecText::from(argument.clone()));
        }
    }
    if texts.is_empty() {
        return Err(none());
    }
    Ok(texts)
}

/// The specs of standard input, one on a line; `#` begins a comment.
pub(super) fn of_stdin() -> impl Iterator<Item = Result<SpecText, Error>> {
    Lines::of_stdin(MAX_LEN).filter_map(|line| line.map(|line| spec(&line)).transpose())
}

fn spec(line: &InputLine) -> Option<SpecText> {
    let text = String::from_utf8_lossy(&line.bytes);
    let text = text.split('#').next().unwrap_or_default().trim();
    (!text.is_empty()).then(|| SpecText {
        text: text.to_owned(),
        line: Some(line.number),
    })
}

/// The error of standard input without a spec.
pub(super) fn none() -> Error {
    let message = "there is no spec on standard input";
    Error::new(ErrorCode::SpecEmpty, message)
}
