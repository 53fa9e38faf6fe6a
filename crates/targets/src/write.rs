//! Writers of the formats: each takes any text and makes it what a parser reads back.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::Value;

/// A YAML document. What YAML 1.1 reads as something else than text is quoted.
pub fn yaml(document: &Value) -> String {
    serde_saphyr::to_string(document).unwrap_or_default()
}

/// Several documents in one stream.
pub fn yaml_stream(documents: &[Value]) -> String {
    let all: Vec<String> = documents.iter().map(yaml).collect();
    all.join("---\n")
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
