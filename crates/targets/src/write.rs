//! Writers of the formats: each takes any text and makes it what a parser reads back.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::ser::{Serialize, SerializeMap as _, SerializeSeq as _, Serializer};
use serde_json::Value;
use serde_saphyr::{DoubleQuoted, FlowSeq, LitStr};

/// A YAML value with the style that it is written in.
#[derive(Clone, Debug, PartialEq)]
pub enum Yaml {
    /// Quoted where YAML would read something else.
    Text(String),
    /// In double quotes.
    Quoted(String),
    /// A block that keeps its lines.
    Literal(String),
    Number(u32),
    Bool(bool),
    /// One item a line.
    List(Vec<Yaml>),
    /// All items in one line.
    Flow(Vec<Yaml>),
    /// In this order.
    Map(Vec<(String, Yaml)>),
}

impl Yaml {
    pub fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    /// A mapping in this order.
    pub fn map<'k>(entries: impl IntoIterator<Item = (&'k str, Self)>) -> Self {
        let entries = entries.into_iter();
        Self::Map(
            entries
                .map(|(key, value)| (key.to_owned(), value))
                .collect(),
        )
    }
}

impl Serialize for Yaml {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => text.serialize(serializer),
            Self::Quoted(text) => DoubleQuoted(text).serialize(serializer),
            Self::Literal(text) => LitStr(text).serialize(serializer),
            Self::Number(number) => number.serialize(serializer),
            Self::Bool(value) => value.serialize(serializer),
            Self::List(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(item)?;
                }
                list.end()
            }
            Self::Flow(items) => FlowSeq(items).serialize(serializer),
            Self::Map(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (key, value) in entries {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

/// A YAML document in the style of its values, lists indented below their keys.
pub fn yaml_styled(document: &Yaml) -> String {
    let options = serde_saphyr::ser_options! { compact_list_indent: false };
    serde_saphyr::to_string_with_options(document, options).unwrap_or_default()
}

/// Lines of a comment, in YAML or a shell.
pub fn comment(text: &str) -> String {
    let mut comment = String::new();
    for line in text.lines() {
        let _ = writeln!(comment, "# {line}");
    }
    comment
}

/// A string of the Common Expression Language.
pub fn cel(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// A YAML document. What YAML 1.1 reads as something else than text is quoted.
pub fn yaml(document: &Value) -> String {
    serde_saphyr::to_string(document).unwrap_or_default()
}

/// Several documents in one stream.
pub fn yaml_stream(documents: &[Value]) -> String {
    let documents: Vec<String> = documents.iter().map(yaml).collect();
    documents.join("---\n")
}

pub fn json(document: &Value) -> String {
    let text = serde_json::to_string_pretty(document).unwrap_or_default();
    text + "\n"
}

/// A word of bash. No argument of a process has a NUL in it. What would move a cursor, or end a
/// line otherwise than a line feed does, is written as an escape.
pub fn shell(text: &str) -> String {
    let text = text.replace('\0', "");
    let is_shown = |c: char| c == '\n' || c == '\t' || !c.is_control();
    if !text.chars().all(is_shown) {
        let mut word = String::from("$'");
        for c in text.chars() {
            match c {
                '\\' | '\'' => word.extend(['\\', c]),
                c if is_shown(c) => word.push(c),
                c => {
                    for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                        let _ = write!(word, "\\x{byte:02x}");
                    }
                }
            }
        }
        return word + "'";
    }
    shlex::try_quote(&text).map_or_else(|_| "''".to_owned(), Cow::into_owned)
}

/// A string literal of Python: JSON's escapes are Python's too.
pub fn python(text: &str) -> String {
    Value::from(text).to_string()
}

/// Text that stands as a name in Python, such as `accelerators.H100`; `None` where it is none.
pub fn python_name(text: &str) -> Option<&str> {
    let is_name = |part: &str| {
        let mut bytes = part.bytes();
        let is_first = |byte: u8| byte == b'_' || byte.is_ascii_alphabetic();
        bytes.next().is_some_and(is_first)
            && bytes.all(|byte| is_first(byte) || byte.is_ascii_digit())
    };
    text.split('.').all(is_name).then_some(text)
}

/// Text in Terraform's JSON, whose strings are templates.
pub fn terraform(text: &str) -> String {
    text.replace("${", "$${").replace("%{", "%%{")
}

/// Text in a Compose file, which interpolates variables.
pub fn compose(text: &str) -> String {
    text.replace('$', "$$")
}

/// Text in a dstack command, which interpolates `${{ }}`. There `$$` stands for a dollar sign, until
/// a single one comes.
pub fn dstack(text: &str) -> String {
    let first = text.find('$').map_or("", |at| &text[at..]);
    if first.starts_with("$$") || text.contains("${{") {
        text.replace('$', "$$")
    } else {
        text.to_owned()
    }
}

/// A name of letters, digits and dashes that begins with a letter, at most `len` long.
pub fn slug(text: &str, len: usize) -> String {
    let mut slug = String::new();
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    if !slug.starts_with(|c: char| c.is_ascii_alphabetic()) {
        slug.insert_str(0, "sky-");
    }
    slug.truncate(len);
    slug.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn bash_reads_back_control_characters() {
        for text in [
            "a\r\nb",
            "\u{1b}[31m'\\'$(id)",
            "\u{7}\u{85}\u{9f}é",
            "\\x41\r",
        ] {
            let script = format!("printf %s {}", shell(text));
            assert!(
                script.chars().all(|c| c == '\n' || !c.is_control()),
                "{script:?}"
            );
            let output = std::process::Command::new("bash")
                .args(["-c", &script])
                .output();
            let output = output.expect("bash starts").stdout;
            assert_eq!(String::from_utf8_lossy(&output), text, "{script}");
        }
    }

    #[test]
    fn styles_are_those_that_were_asked_for() {
        let entry = Yaml::map([
            (
                "devices",
                Yaml::Flow(vec![Yaml::Number(0), Yaml::Number(1)]),
            ),
            ("expression", Yaml::Quoted("a == 'b'".to_owned())),
        ]);
        let document = Yaml::map([
            ("list", Yaml::List(vec![entry])),
            ("text", Yaml::Literal("a: 1\nb: 2\n".to_owned())),
        ]);
        let text = yaml_styled(&document);
        let wanted =
            "list:\n  - devices: [0, 1]\n    expression: \"a == 'b'\"\ntext: |\n  a: 1\n  b: 2\n";
        assert_eq!(text, wanted);
    }

    #[test]
    fn names_of_python_are_names_alone() {
        for name in ["H100", "accelerators.TPUv5p_8", "_a"] {
            assert_eq!(python_name(name), Some(name));
        }
        for text in ["", "a.", "4090", "H100(count=1)", "a b", "a\nb", "é"] {
            assert_eq!(python_name(text), None, "{text}");
        }
    }

    #[test]
    fn a_comment_never_ends_inside_its_text() {
        assert_eq!(comment("one\ntwo"), "# one\n# two\n");
        assert_eq!(cel("it's"), r"'it\'s'");
    }

    proptest! {
        #[test]
        fn shells_read_back_what_was_quoted(text in "[\\PC\n\t]*") {
            prop_assert_eq!(shlex::split(&shell(&text)), Some(vec![text]));
        }

        #[test]
        fn names_are_made_of_what_names_are_made_of(text in ".*") {
            let slug = slug(&text, 20);
            prop_assert!(slug.len() <= 20 && slug.starts_with(|c: char| c.is_ascii_lowercase()));
            prop_assert!(slug.bytes().all(|b| b == b'-' || b.is_ascii_lowercase() || b.is_ascii_digit()));
            prop_assert!(!slug.ends_with('-'));
        }
    }
}
