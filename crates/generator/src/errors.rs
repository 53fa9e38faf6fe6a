//! `docs/errors.md`: every error code, with its meaning and its exit code.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;
use sky_accel::exit_code::ExitCode;
use sky_accel_core::spec::{MAX_CHOICES, MAX_SPEC_LEN};
use sky_accel_core::word::Word;
use sky_accel_engine::ErrorCode;

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

/// The heading of each group of codes, by the prefix before the dot.
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

/// Renders the page as Markdown.
///
/// # Errors
///
/// Fails if text cannot be formatted.
pub fn page() -> Result<String> {
    let codes = codes();
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

/// Appends a table of the codes whose prefix passes.
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

/// Returns the exit code and the meaning of every error code.
fn codes() -> BTreeMap<&'static str, (u8, String)> {
    let own = ErrorCode::ALL.iter().copied();
    let of_specs = documented(ErrorCode::Spec);
    let of_providers = documented(ErrorCode::Provider);
    own.chain(of_specs)
        .chain(of_providers)
        .map(|(code, meaning)| (code.as_str(), (exit(code), plain(meaning.trim()))))
        .collect()
}

/// Returns the codes that are the words of an enum, with the documentation of each.
fn documented<T: Word>(
    code: impl Fn(T) -> ErrorCode,
) -> impl Iterator<Item = (ErrorCode, &'static str)> {
    let words = T::ALL.iter().zip(T::ABOUT);
    words.map(move |((_, word), about)| (code(*word), *about))
}

fn exit(code: ErrorCode) -> u8 {
    ExitCode::from(code.kind()) as u8
}

/// Replaces links in documentation with the limits that they name.
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
    fn every_code_appears_once_with_a_listed_exit_code() -> Result<()> {
        let page = page()?;
        for (code, (exit, meaning)) in codes() {
            let row = format!("| `{code}` | {exit} | {meaning} |");
            assert_eq!(page.matches(&row).count(), 1, "{row}");
            assert!(page.contains(&format!("\n| {exit} | ")), "{exit}");
            assert!(
                !meaning.is_empty() && !meaning.contains("]("),
                "{code}: {meaning}"
            );
        }
        Ok(())
    }
}
