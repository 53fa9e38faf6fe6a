//! A word of a command line of bash, as the user typed it.

/// A word that may have quotes, and may end within them.
#[derive(Debug, PartialEq, Eq)]
pub struct BashWord {
    /// The word without its quotes.
    pub text: String,
    /// The length of the text that bash keeps when it inserts a reply.
    kept: usize,
    /// The quote that is still open.
    open: Option<char>,
}

impl BashWord {
    /// Removes the quotes of a word. Bash replaces the text after the last of the characters `breaks` that is not
    /// quoted, or after a quote that is still open.
    ///
    /// Variables in the word stay unchanged: nothing is run. Returns `None` for a word with `$'`, `$"` or the start of
    /// an expansion with brackets: there, other characters are special, and a reply could end the quote.
    pub fn new(raw: &str, breaks: &str) -> Option<Self> {
        let mut text = String::new();
        let mut kept = 0;
        // The open quote, and the length of the text before it.
        let mut open: Option<(char, usize)> = None;
        let mut rest = raw.chars().peekable();
        while let Some(c) = rest.next() {
            match (open, c) {
                (Some((quote, _)), _) if c == quote => open = None,
                (Some(('"', _)), '\\') => match rest.next_if(|c| "\\\"$`".contains(*c)) {
                    Some(escaped) => text.push(escaped),
                    None => text.push(c),
                },
                (None, '\\') => text.extend(rest.next()),
                (None, '$') if rest.peek().is_some_and(|c| "'\"({[".contains(*c)) => return None,
                (Some(('"', _)), '$') if rest.peek().is_some_and(|c| "({[".contains(*c)) => {
                    return None;
                }
                (None | Some(('"', _)), '`') => return None,
                (None, '\'' | '"') => open = Some((c, text.len())),
                (None, _) if breaks.contains(c) => {
                    text.push(c);
                    kept = text.len();
                }
                _ => text.push(c),
            }
        }
        Some(Self {
            kept: open.map_or(kept, |(_, before)| before),
            open: open.map(|(quote, _)| quote),
            text,
        })
    }

    /// The text that bash keeps when it inserts a reply.
    pub fn kept(&self) -> &str {
        &self.text[..self.kept]
    }

    /// Quotes a reply, which bash inserts unchanged: after the kept text, and after the open quote. Bash closes the
    /// quote if the reply does not end with it.
    pub fn quoted(&self, reply: &[u8]) -> Vec<u8> {
        let mut quoted = Vec::with_capacity(reply.len() + 8);
        for chunk in reply.utf8_chunks() {
            for c in chunk.valid().chars() {
                let mut bytes = [0; 4];
                let text = c.encode_utf8(&mut bytes);
                match self.open {
                    _ if c.is_control() => self.outside(&escaped(text.as_bytes()), &mut quoted),
                    Some('\'') if c == '\'' => self.outside(b"\\'", &mut quoted),
                    // Within double quotes, a backslash stops the history expansion of bash, but stays.
                    Some('"') if c == '!' => self.outside(b"\\!", &mut quoted),
                    Some('"') if "\\\"$`".contains(c) => quoted.extend([b'\\', c as u8]),
                    None if c.is_ascii() && !is_plain(c) => quoted.extend([b'\\', c as u8]),
                    _ => quoted.extend(text.as_bytes()),
                }
            }
            if !chunk.invalid().is_empty() {
                self.outside(&escaped(chunk.invalid()), &mut quoted);
            }
        }
        // Readline takes a reply that begins with the open quote as the whole word, with its opening quote.
        if let Some(quote) = self.open.map(|quote| quote as u8) {
            if quoted.first() == Some(&quote) {
                quoted.insert(0, quote);
            }
            // It takes a quote at the end for the closing one.
            if quoted.last() == Some(&quote) {
                quoted.push(quote);
            }
        }
        quoted
    }

    /// Writes text outside of the open quote.
    fn outside(&self, text: &[u8], quoted: &mut Vec<u8>) {
        let quote = self.open.map(|quote| quote as u8);
        quoted.extend(quote);
        quoted.extend(text);
        quoted.extend(quote);
    }
}

/// Returns true for ASCII characters that mean themselves in every place of a command.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_-./:=@+,%".contains(c)
}

/// Writes bytes as bash reads them between `$'` and `'`.
fn escaped(bytes: &[u8]) -> Vec<u8> {
    let mut text = b"$'".to_vec();
    for byte in bytes {
        text.extend(format!("\\x{byte:02x}").bytes());
    }
    text.push(b'\'');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_removed() {
        for (raw, text, kept) in [
            ("", "", ""),
            ("H100:x8", "H100:x8", "H100:"),
            (r"a\ b\$\(c", "a b$(c", ""),
            (r"a\:b", "a:b", ""),
            ("'a:b'", "a:b", ""),
            ("'a:b", "a:b", ""),
            ("x:'a:b", "x:a:b", "x:"),
            ("'a'\\''b", "a'b", "a'"),
            ("\"a\\$b\\x", "a$b\\x", ""),
            ("\"a'b", "a'b", ""),
            ("--config=\"my dir\"/a", "--config=my dir/a", "--config="),
            ("--config=\"my:dir", "--config=my:dir", "--config="),
            ("a\\", "a", ""),
            ("'$(id)`id`'\\$\\(\\`$HOME", "$(id)`id`$(`$HOME", ""),
            ("a\\$'b", "a$b", "a$"),
            ("\"a$'b$\"", "a$'b$", ""),
            ("ä'ö", "äö", "ä"),
        ] {
            let word = BashWord::new(raw, "\"'=: ").unwrap();
            assert_eq!((word.text.as_str(), word.kept()), (text, kept), "{raw}");
        }
    }

    #[test]
    fn words_with_other_quotes_and_expansions_are_left() {
        for raw in [
            "$'", "a$'b", "a$'b'c", "'a'$'b", "$\"", "a$\"b", "\"a\"$'", "$(", "a${x", "$[1", "`",
            "a`b`", "\"$(", "\"a${x:-", "\"$[", "\"a`",
        ] {
            assert_eq!(BashWord::new(raw, "\"'=: "), None, "{raw}");
        }
    }

    #[test]
    fn replies_are_quoted_for_their_place() {
        for (typed, reply, expected) in [
            ("a", "a b$(c)`d`!e", r"a\ b\$\(c\)\`d\`\!e"),
            (
                "a",
                "~#{1,2}[3]*?^&|;<>",
                r"\~\#\{1,2\}\[3\]\*\?\^\&\|\;\<\>",
            ),
            ("a", "a:b=c@d+e%f,g/h-i_j.k", "a:b=c@d+e%f,g/h-i_j.k"),
            ("a", "größe\u{a0}\u{2019}", "größe\u{a0}\u{2019}"),
            ("a", "a\nb\u{9b}c", r"a$'\x0a'b$'\xc2\x9b'c"),
            ("'a", "a'b c$d", r"a'\''b c$d"),
            ("'a", "a\tb", r"a'$'\x09''b"),
            ("'", "'a", r"''\''a"),
            ("\"a", "a\"b$c`d`!e'f", "a\\\"b\\$c\\`d\\`\"\\!\"e'f"),
            ("\"", "!a", "\"\"\\!\"a"),
            ("\"a", "a\"", "a\\\"\""),
            ("'a", "a'", r"a'\'''"),
        ] {
            let quoted = BashWord::new(typed, ":=").unwrap().quoted(reply.as_bytes());
            assert_eq!(
                String::from_utf8(quoted).unwrap(),
                expected,
                "{typed}: {reply}"
            );
        }
        assert_eq!(
            BashWord::new("a", "").unwrap().quoted(b"a\xff"),
            br"a$'\xff'"
        );
    }
}
