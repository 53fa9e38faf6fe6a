//! A word of a command line of bash, as the user typed it.

/// A word that may have quotes, and may end within them.
#[derive(Debug, PartialEq, Eq)]
pub struct BashWord {
    /// The word without its quotes.
    pub text: String,
    /// The length of the text that bash keeps when it inserts a reply.
    kept: usize,
}

impl BashWord {
    /// Removes the quotes of a word. Bash replaces the text after the last of the characters `breaks` that is not quoted, or
    /// after a quote that is still open.
    ///
    /// Variables and commands in the word stay unchanged: nothing is run.
    pub fn new(raw: &str, breaks: &str) -> Self {
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
                (None, '\'' | '"') => open = Some((c, text.len())),
                (None, _) if breaks.contains(c) => {
                    text.push(c);
                    kept = text.len();
                }
                _ => text.push(c),
            }
        }
        Self {
            kept: open.map_or(kept, |(_, before)| before),
            text,
        }
    }

    /// The text that bash keeps when it inserts a reply.
    pub fn kept(&self) -> &str {
        &self.text[..self.kept]
    }
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
            ("$(id)`id`$HOME", "$(id)`id`$HOME", ""),
            ("ä'ö", "äö", "ä"),
        ] {
            let word = BashWord::new(raw, "\"'=: ");
            assert_eq!((word.text.as_str(), word.kept()), (text, kept), "{raw}");
        }
    }
}
