//! Writers of the output formats. Each takes any text and escapes it so that a parser reads back the
//! same text.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::ser::{Serialize, SerializeMap as _, SerializeSeq as _, Serializer};
use serde_json::Value;
use serde_saphyr::{DoubleQuoted, FlowSeq, LitStr};

/// A YAML value with its style.
#[derive(Clone, Debug, PartialEq)]
pub enum Yaml {
    /// A string, quoted only if a parser would otherwise read another type.
    Text(String),
    /// A string in double quotes.
    Quoted(String),
    /// A literal block, which keeps its lines.
    Literal(String),
    /// A number.
    Number(u32),
    /// A boolean.
    Bool(bool),
    /// A list with one item per line.
    List(Vec<Yaml>),
    /// A list on a single line.
    Flow(Vec<Yaml>),
    /// A mapping in this order.
    Map(Vec<(String, Yaml)>),
}

impl Yaml {
    /// Returns a string.
    pub fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    /// Returns a mapping in this order.
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

/// Writes a YAML document in the style of its values, with lists indented below their keys.
pub fn yaml_styled(document: &Yaml) -> String {
    let options = serde_saphyr::ser_options! { compact_list_indent: false };
    serde_saphyr::to_string_with_options(document, options).unwrap_or_default()
}

/// Writes the lines of a comment, for YAML or a shell.
pub fn comment(text: &str) -> String {
    let mut comment = String::new();
    for line in text.lines() {
        let _ = writeln!(comment, "# {line}");
    }
    comment
}

/// Writes a string literal of the Common Expression Language (CEL).
pub fn cel(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// Writes a YAML document. Strings that YAML 1.1 reads as another type, such as `yes`, are quoted.
pub fn yaml(document: &Value) -> String {
    serde_saphyr::to_string(document).unwrap_or_default()
}

/// Writes several YAML documents in a stream.
pub fn yaml_stream(documents: &[Value]) -> String {
    let documents: Vec<String> = documents.iter().map(yaml).collect();
    documents.join("---\n")
}

/// Writes an indented JSON document.
pub fn json(document: &Value) -> String {
    let text = serde_json::to_string_pretty(document).unwrap_or_default();
    text + "\n"
}

/// Writes a word for bash. Control characters except tab and line feed are written as escapes, because a
/// terminal would interpret them when the script is displayed. NUL is dropped: process arguments cannot
/// contain it.
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

/// Writes a string literal of Python. JSON's escapes are valid in Python.
pub fn python(text: &str) -> String {
    Value::from(text).to_string()
}

/// Returns text that is a dotted name in Python, such as `accelerators.H100`; `None` for other text.
pub fn python_name(text: &str) -> Option<&str> {
    let is_name = |part: &str| {
        let mut bytes = part.bytes();
        let is_first = |byte: u8| byte == b'_' || byte.is_ascii_alphabetic();
        bytes.next().is_some_and(is_first)
            && bytes.all(|byte| is_first(byte) || byte.is_ascii_digit())
    };
    text.split('.').all(is_name).then_some(text)
}

/// Escapes text for Terraform's JSON, whose strings are templates.
pub fn terraform(text: &str) -> String {
    text.replace("${", "$${").replace("%{", "%%{")
}

/// Escapes text for a Compose file, which interpolates variables.
pub fn compose(text: &str) -> String {
    text.replace('$', "$$")
}

/// Escapes text for a dstack command. dstack interpolates `${{ }}`, and reads `$$` as a dollar sign only
/// up to the first single one, so text without either must not be escaped.
pub fn dstack(text: &str) -> String {
    let first = text.find('$').map_or("", |at| &text[at..]);
    if first.starts_with("$$") || text.contains("${{") {
        text.replace('$', "$$")
    } else {
        text.to_owned()
    }
}

/// Returns a name of lowercase letters, digits and dashes that starts with a letter, with at most `len`
/// characters.
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
    fn writes_yaml_in_the_style_of_its_values() {
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
    fn python_names_are_dotted_identifiers() {
        for name in ["H100", "accelerators.TPUv5p_8", "_a"] {
            assert_eq!(python_name(name), Some(name));
        }
        for text in ["", "a.", "4090", "H100(count=1)", "a b", "a\nb", "é"] {
            assert_eq!(python_name(text), None, "{text}");
        }
    }

    #[test]
    fn comments_and_cel_strings_are_escaped() {
        assert_eq!(comment("one\ntwo"), "# one\n# two\n");
        assert_eq!(cel("it's"), r"'it\'s'");
    }

    proptest! {
        #[test]
        fn shells_read_back_quoted_text(text in "[\\PC\n\t]*") {
            prop_assert_eq!(shlex::split(&shell(&text)), Some(vec![text]));
        }

        #[test]
        fn slugs_are_valid_names(text in ".*") {
            let slug = slug(&text, 20);
            prop_assert!(slug.len() <= 20 && slug.starts_with(|c: char| c.is_ascii_lowercase()));
            prop_assert!(slug.bytes().all(|b| b == b'-' || b.is_ascii_lowercase() || b.is_ascii_digit()));
            prop_assert!(!slug.ends_with('-'));
        }
    }
}
