//! `docs/errors.md`: every error code, with its meaning and its exit code.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use anyhow::{Context as _, Result};
use sky_accel::exit_code::ExitCode;
use sky_accel_core::spec::{MAX_CHOICES, MAX_SPEC_LEN, SpecErrorCode};
use sky_accel_engine::ErrorCode;
use sky_accel_engine::asking::ErrorKind as ProviderErrorKind;

use crate::root;

const HEAD: &str = "# Errors

This page lists the exit codes and the error codes. `cargo xtask generate` writes it.

An error is reported on standard error. With `-o json` or `-o jsonl` it is an object with the schema
`sky-accel.error.v1`:

```json
{
  \"schema\": \"sky-accel.error.v1\",
  \"error\": { \"code\": \"spec.unknown-accelerator\", \"message\": \"…\", \"hints\": [\"RTX4090\"], \"span\": { \"start\": 0, \"end\": 4 } }
}
```

- `code` is one of the codes below. Scripts may depend on codes: they are never renamed or removed.
- `message` is for people and may change.
- `hints` lists corrections or advice. It may be empty.
- `span` is the position in the spec, in bytes from 0; `end` is exclusive.
- `place` is `file:line:column`, if the error is in a file.
- `provider` is the provider that failed.
- `more`, next to `error`, lists further errors.

## Exit codes

| exit code | meaning |
|---|---|
| 0 | Something was found, or the answer is yes. |
| 1 | The request is valid, but nothing matches, nothing fits, or the answer is no. |
| 2 | The command line, a spec or a value is invalid. Standard output is empty, except for `fit -`, `plan -` and `resolve -`, which answer the valid lines. |
| 3 | Credentials are missing or were rejected. |
| 4 | No provider answered. |
| 5 | Some providers answered and some failed. The answers are printed. |
| 6 | A config file, a catalog or a lock file is invalid. |
| 7 | The data is older than `--max-age` allows, or the plan differs from its lock file. |
| 70 | A bug in sky-accel. Please report it. |
| 74 | The output cannot be written, for example because the disk is full. |
| 130 | Ctrl-C was pressed, a signal ended `watch --exec`, or nothing was chosen in `browse`. |

A closed pipe, as in `sky-accel list | head -1`, is not an error: the exit code is 0.
";

/// The heading of each group of codes, by the word before the dot.
const GROUPS: [(&str, &str); 14] = [
    ("usage", "Options and values"),
    ("spec", "Specs"),
    ("model", "Models"),
    ("provider", "Providers"),
    ("live", "The network runtime"),
    ("data", "Age of prices"),
    ("mig", "MIG"),
    ("plan", "Plans"),
    ("lock", "Lock files"),
    ("convert", "`convert`"),
    ("detect", "`detect`"),
    ("watch", "`watch`"),
    ("catalog", "Catalogs"),
    ("config", "Config files"),
];

const PROVIDER_NOTE: &str = "
Each failed provider has a separate error object. The table gives the exit code if no provider answered. If another
provider answered, the exit code is 5.
";

/// Every kind of provider error; [`page`] fails when one is missing.
const PROVIDER_KINDS: [ProviderErrorKind; 13] = [
    ProviderErrorKind::CredentialsMissing,
    ProviderErrorKind::CredentialsRefused,
    ProviderErrorKind::Permission,
    ProviderErrorKind::RateLimited,
    ProviderErrorKind::DailyQuota,
    ProviderErrorKind::Timeout,
    ProviderErrorKind::Network,
    ProviderErrorKind::Server,
    ProviderErrorKind::Protocol,
    ProviderErrorKind::Incomplete,
    ProviderErrorKind::NotCached,
    ProviderErrorKind::TooOld,
    ProviderErrorKind::Frozen,
];

/// The page as Markdown.
///
/// # Errors
///
/// When a code has no meaning or no group.
pub fn page() -> Result<String> {
    let codes = codes()?;
    let mut text = HEAD.to_owned();
    text.push_str("\n## Error codes\n");
    let grouped: Vec<&str> = GROUPS.iter().map(|(prefix, _)| *prefix).collect();
    for (prefix, title) in GROUPS {
        write!(text, "\n### {title}\n")?;
        if prefix == "provider" {
            text.push_str(PROVIDER_NOTE);
        }
        table(&mut text, &codes, |of| of == prefix)?;
    }
    text.push_str("\n### Output files\n");
    table(&mut text, &codes, |of| !grouped.contains(&of))?;
    Ok(text)
}

/// A table of the codes whose first word passes.
fn table(
    text: &mut String,
    codes: &BTreeMap<&str, (u8, String)>,
    passes: impl Fn(&str) -> bool,
) -> Result<()> {
    text.push_str("\n| code | exit code | meaning |\n|---|---|---|\n");
    for (code, (exit, meaning)) in codes {
        if passes(code.split('.').next().unwrap_or_default()) {
            writeln!(text, "| `{code}` | {exit} | {meaning} |")?;
        }
    }
    Ok(())
}

/// Exit code and meaning of every code.
fn codes() -> Result<BTreeMap<&'static str, (u8, String)>> {
    let mut codes = BTreeMap::new();
    for (code, meaning) in ErrorCode::ALL {
        codes.insert(code.as_str(), (exit(*code), meaning.trim().to_owned()));
    }
    let source = read("crates/core/src/spec/code.rs")?;
    let documented = meanings(&source);
    for code in SpecErrorCode::ALL {
        let variant = format!("{code:?}");
        let meaning = documented
            .get(variant.as_str())
            .with_context(|| format!("{variant} has no documentation"))?;
        codes.insert(
            code.as_str(),
            (exit(ErrorCode::Spec(*code)), meaning.clone()),
        );
    }
    let source = read("crates/providers/src/error.rs")?;
    let documented = meanings(&source);
    for kind in PROVIDER_KINDS {
        let variant = format!("{kind:?}");
        let meaning = documented
            .get(variant.as_str())
            .with_context(|| format!("{variant} has no documentation"))?;
        codes.insert(
            kind.code(),
            (exit(ErrorCode::Provider(kind)), meaning.clone()),
        );
    }
    for code in source.split('"').filter(|word| is_provider_code(word)) {
        anyhow::ensure!(
            codes.contains_key(code),
            "{code} is missing in PROVIDER_KINDS"
        );
    }
    Ok(codes)
}

fn is_provider_code(word: &str) -> bool {
    let kind = word.strip_prefix("provider.");
    kind.is_some_and(|kind| kind.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'))
}

fn exit(code: ErrorCode) -> u8 {
    ExitCode::from(code.kind()) as u8
}

fn read(path: &str) -> Result<String> {
    fs::read_to_string(root().join(path)).with_context(|| path.to_owned())
}

/// The documentation of each variant of the enums of a source file: the meaning of a code stands
/// beside its declaration and nowhere else.
fn meanings(source: &str) -> BTreeMap<&str, String> {
    let mut meanings = BTreeMap::new();
    let mut doc: Vec<&str> = Vec::new();
    for line in source.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("///") {
            doc.push(text.trim());
            continue;
        }
        let name = line
            .split(|c: char| !c.is_ascii_alphanumeric())
            .next()
            .unwrap_or_default();
        let is_variant = name.starts_with(|c: char| c.is_ascii_uppercase()) && line.ends_with(',');
        if is_variant && !doc.is_empty() {
            meanings.insert(name, plain(&doc.join(" ")));
        }
        doc.clear();
    }
    meanings
}

/// Documentation without links, with the bounds that it names.
fn plain(doc: &str) -> String {
    doc.replace(
        "[`MAX_SPEC_LEN`](super::MAX_SPEC_LEN)",
        &MAX_SPEC_LEN.to_string(),
    )
    .replace(
        "[`MAX_CHOICES`](super::MAX_CHOICES)",
        &MAX_CHOICES.to_string(),
    )
    .replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_stands_once_with_an_exit_code_of_the_table() -> Result<()> {
        let page = page()?;
        for (code, (exit, meaning)) in codes()? {
            let row = format!("| `{code}` | {exit} | {meaning} |");
            assert_eq!(page.matches(&row).count(), 1, "{row}");
            assert!(page.contains(&format!("\n| {exit} | ")), "{exit}");
            assert!(!meaning.contains("]("), "{meaning}");
        }
        Ok(())
    }

    #[test]
    fn the_meaning_of_a_variant_is_its_documentation() {
        let source = "enum E {\n    /// No name\n    /// at all.\n    Empty => \"spec.empty\",\n    Bare,\n}";
        let expected = BTreeMap::from([("Empty", "No name at all.".to_owned())]);
        assert_eq!(meanings(source), expected);
    }
}
