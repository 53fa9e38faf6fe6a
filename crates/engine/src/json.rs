//! JSON that is safe to print: besides what the format requires, characters that move a cursor or hide text
//! are escaped.

use std::io::{self, BufWriter, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{CompactFormatter, Formatter};
use sky_accel_core::text::is_unprintable;

/// A comma, and a line feed with indentation for several levels.
const NEXT_LINE: &[u8; 34] = b",\n                                ";
/// Columns per level.
const INDENT: usize = 2;
/// The depth that is fully indented.
const DEPTHS: usize = (NEXT_LINE.len() - 2) / INDENT + 1;
/// Bytes per write.
const BUFFER: usize = 32 << 10;

/// Writes an indented document and a line feed.
///
/// # Errors
///
/// Fails if writing to `out` fails, or if `value` cannot be represented in JSON.
pub fn write_pretty(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    write(out, value, Indented::default())
}

/// Writes a document on one line, with a line feed.
///
/// # Errors
///
/// Same as [`write_pretty`].
pub fn write_line(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    write(out, value, CompactFormatter)
}

fn write(out: &mut impl Write, value: &impl Serialize, form: impl Formatter) -> io::Result<()> {
    // Other formats make a value from each type too. A module has room for one serializer of all types.
    #[cfg(target_family = "wasm")]
    let value = &serde_json::to_value(value)?;
    let mut out = BufWriter::with_capacity(BUFFER, Escaping(out));
    value.serialize(&mut Serializer::with_formatter(&mut out, form))?;
    writeln!(out)?;
    out.flush()
}

/// Escapes unprintable characters as `\u…`. In JSON text they occur only inside strings. Characters must
/// not be split between writes: a serializer writes whole characters, and a [`BufWriter`] passes on whole
/// writes.
struct Escaping<W>(W);

impl<W: Write> Write for Escaping<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A comparison of the maximum is vectorized, a search is not.
        if bytes.iter().copied().fold(0, u8::max) < 0x7f {
            self.0.write_all(bytes)?;
            return Ok(bytes.len());
        }
        let text = std::str::from_utf8(bytes).map_err(io::Error::other)?;
        let mut from = 0;
        let is_hidden = |c: char| c != '\n' && is_unprintable(c);
        for (at, c) in text.char_indices().filter(|(_, c)| is_hidden(*c)) {
            self.0.write_all(&bytes[from..at])?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(self.0, "\\u{unit:04x}")?;
            }
            from = at + c.len_utf8();
        }
        self.0.write_all(&bytes[from..])?;
        Ok(bytes.len())
    }

    // The inner writer has a buffer, which its owner flushes.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Indents values like the pretty formatter of `serde_json`, in fewer writes.
#[derive(Default)]
struct Indented {
    depth: usize,
    /// The part of [`NEXT_LINE`] for the current depth.
    line: &'static [u8],
    /// Whether the current array or object has a value.
    has_value: bool,
}

impl Indented {
    fn begin<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.set_depth(self.depth + 1);
        self.has_value = false;
        writer.write_all(bracket)
    }

    fn end<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.set_depth(self.depth.saturating_sub(1));
        if self.has_value {
            self.next_line(writer, true)?;
        }
        self.has_value = true;
        writer.write_all(bracket)
    }

    fn set_depth(&mut self, depth: usize) {
        self.depth = depth;
        self.line = &NEXT_LINE[..NEXT_LINE.len().min(2 + depth * INDENT)];
    }

    fn next_line<W: ?Sized + Write>(&self, writer: &mut W, is_first: bool) -> io::Result<()> {
        // No comma before the first value.
        let line = self.line.get(usize::from(is_first)..);
        writer.write_all(line.unwrap_or_default())?;
        for _ in DEPTHS..=self.depth {
            writer.write_all(&[b' '; INDENT])?;
        }
        Ok(())
    }
}

impl Formatter for Indented {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.next_line(writer, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, _writer: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.next_line(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _writer: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indents_like_serde_json() {
        let mut deep = serde_json::json!([{}, [], [1, [{"a": null, "b": {"c": [true, {}]}}]]]);
        for _ in 0..20 {
            deep = serde_json::json!({ "in": [deep], "text": "a \"word\"\n" });
        }
        let mut pretty = Vec::new();
        write_pretty(&mut pretty, &deep).unwrap();
        let expected = serde_json::to_string_pretty(&deep).unwrap() + "\n";
        assert_eq!(String::from_utf8(pretty).unwrap(), expected);
        let mut line = Vec::new();
        write_line(&mut line, &deep).unwrap();
        assert_eq!(String::from_utf8(line).unwrap(), format!("{deep}\n"));
    }

    #[test]
    fn escapes_unprintable_characters_in_long_texts() {
        for len in [1, 4000, 8190, 8191, 8192, 20_000] {
            let texts = [
                "ö".repeat(len),
                "x\u{7f}".repeat(len),
                "\u{202e}\u{e0001}\n".repeat(len),
            ];
            let mut document = Vec::new();
            write_pretty(&mut document, &texts).unwrap();
            let document = String::from_utf8(document).unwrap();
            assert!(!document.chars().any(|c| c != '\n' && is_unprintable(c)));
            assert_eq!(
                serde_json::from_str::<Vec<String>>(&document).unwrap(),
                texts
            );
        }
    }

    #[test]
    fn escaped_text_parses_to_the_original() {
        let text = "a\u{1b}[31m\u{202e}b\u{e0001}ö—\u{7f}";
        let mut line = Vec::new();
        write_line(&mut line, &text).unwrap();
        let line = String::from_utf8(line).unwrap();
        assert_eq!(line, "\"a\\u001b[31m\\u202eb\\udb40\\udc01ö—\\u007f\"\n");
        assert_eq!(serde_json::from_str::<String>(&line).unwrap(), text);
    }
}
