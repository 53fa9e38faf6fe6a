//! JSON that is safe to look at: what would move a cursor or hide text is escaped, not only what
//! the format demands.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};
use sky_accel_core::text::is_unprintable;

/// An indented document and a line feed.
pub fn write_pretty(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    let formatter = Escaping(PrettyFormatter::new());
    value.serialize(&mut Serializer::with_formatter(&mut *out, formatter))?;
    writeln!(out)
}

/// One line.
pub fn write_line(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    let formatter = Escaping(CompactFormatter);
    value.serialize(&mut Serializer::with_formatter(&mut *out, formatter))?;
    writeln!(out)
}

/// A formatter that escapes unprintable characters as `\u…`.
struct Escaping<F>(F);

macro_rules! delegate {
    ($($method:ident($($argument:ident: $type:ty),*));* $(;)?) => {
        $(fn $method<W: ?Sized + Write>(&mut self, writer: &mut W $(, $argument: $type)*) -> io::Result<()> {
            self.0.$method(writer $(, $argument)*)
        })*
    };
}

impl<F: Formatter> Formatter for Escaping<F> {
    delegate! {
        begin_array();
        end_array();
        begin_array_value(first: bool);
        end_array_value();
        begin_object();
        end_object();
        begin_object_key(first: bool);
        end_object_key();
        begin_object_value();
        end_object_value();
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if fragment.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
            return self.0.write_string_fragment(writer, fragment);
        }
        let mut from = 0;
        for (at, c) in fragment.char_indices().filter(|(_, c)| is_unprintable(*c)) {
            self.0.write_string_fragment(writer, &fragment[from..at])?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            from = at + c.len_utf8();
        }
        self.0.write_string_fragment(writer, &fragment[from..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unprintable_is_escaped_and_comes_back() {
        let text = "a\u{1b}[31m\u{202e}b\u{e0001}ö—\u{7f}";
        let mut line = Vec::new();
        write_line(&mut line, &text).unwrap();
        let line = String::from_utf8(line).unwrap();
        assert_eq!(line, "\"a\\u001b[31m\\u202eb\\udb40\\udc01ö—\\u007f\"\n");
        assert_eq!(serde_json::from_str::<String>(&line).unwrap(), text);
    }
}
