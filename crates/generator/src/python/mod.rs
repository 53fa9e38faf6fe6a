//! The generated modules of the Python package: one function per command, and the types of the answers.

mod answers;
mod commands;
mod kinds;
mod parameter;

use std::fs;

use anyhow::{Context as _, Result};

use crate::paths::root;

/// Generates the modules, each with its path from the root of the repository.
pub fn modules() -> Result<Vec<(&'static str, String)>> {
    let commands = commands::module()?;
    Ok(vec![
        ("python/sky_accel/_commands.py", commands),
        ("python/sky_accel/_kinds.py", kinds::module()?),
        ("python/sky_accel/answers.py", answers::module()?),
    ])
}

/// Writes the modules.
///
/// # Errors
///
/// If a module cannot be generated or written.
pub fn write() -> Result<()> {
    modules()?
        .into_iter()
        .try_for_each(|(path, text)| fs::write(root().join(path), text).context(path))
}

/// Returns words in `CamelCase`, as Python names classes.
fn camel_case(words: &str) -> String {
    let words = words.split(|c: char| !c.is_ascii_alphanumeric());
    words
        .map(|word| {
            let (first, rest) = word.split_at(word.len().min(1));
            first.to_ascii_uppercase() + rest
        })
        .collect()
}

/// Returns the class of the answers with a schema, such as `mig-fit`.
fn answer_class(schema: &str) -> String {
    camel_case(schema) + "Answer"
}

/// Returns a name that is not a keyword of Python.
fn identifier(name: &str) -> String {
    let name = name.replace('-', "_");
    if is_keyword(&name) { name + "_" } else { name }
}

/// Whether a word is a keyword of Python that a field or an option could have as its name.
fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "as" | "class" | "from" | "global" | "if" | "in" | "is" | "not" | "or" | "raise" | "with"
    )
}

/// Returns text without line breaks in which Python finds no escape and no end of a string.
fn prose(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words
        .join(" ")
        .replace('\\', "\\\\")
        .replace("\"\"\"", "'''")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_python() {
        assert_eq!(answer_class("mig-fit"), "MigFitAnswer");
        assert_eq!(identifier("max-price"), "max_price");
        assert_eq!(identifier("from"), "from_");
        assert_eq!(prose("a\n  \\b"), "a \\\\b");
    }
}
