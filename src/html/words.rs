//! Translates fields, flags and titles to plain words for readers of a page, as `src/flags.rs` translates fields to
//! flags.

use std::borrow::Cow;

use maud::{Markup, html};
use sky_accel_core::text::{is_web_address, printable};

use super::linked;
use crate::flags::is_flag;

/// Names of fields that are not their words.
const FIELDS: [(&str, &str); 15] = [
    ("all", "all rows"),
    ("concurrency", "users at once"),
    ("kv precision", "precision of the KV cache"),
    ("live", "live prices"),
    ("max age", "maximum age of prices"),
    ("max price", "maximum price"),
    ("max tpot", "maximum time per token"),
    ("max ttft", "maximum time to the first token"),
    ("min memory", "minimum memory"),
    ("min tokens per s", "minimum tokens per second"),
    ("min vcpu", "minimum vCPUs"),
    ("nodes", "machines"),
    ("provider", "providers"),
    ("public", "public data"),
    ("region", "regions"),
];

/// Words of titles that are not in lower case.
const TITLE_WORDS: [(&str, &str); 36] = [
    ("API", "API"),
    ("CPU", "CPU"),
    ("CPUS", "CPUs"),
    ("CUDA", "CUDA"),
    ("FLOPS", "FLOPS"),
    ("G", "g"),
    ("GB", "GB"),
    ("GIB", "GiB"),
    ("GPU", "GPU"),
    ("GPUS", "GPUs"),
    ("H", "h"),
    ("ID", "ID"),
    ("KB", "kB"),
    ("KV", "KV"),
    ("M", "M"),
    ("MB", "MB"),
    ("MEM", "memory"),
    ("MIB", "MiB"),
    ("MIG", "MIG"),
    ("MS", "ms"),
    ("NVL", "NVL"),
    ("PCI", "PCI"),
    ("RAM", "RAM"),
    ("S", "s"),
    ("SDK", "SDK"),
    ("SM", "SM"),
    ("SXM", "SXM"),
    ("TB", "TB"),
    ("TFLOPS", "TFLOPS"),
    ("TOK", "tokens"),
    ("TOPS", "TOPS"),
    ("TPU", "TPU"),
    ("TTFT", "first token,"),
    ("VCPU", "vCPU"),
    ("W", "W"),
    ("WH", "Wh"),
];

/// Codes of currencies beside words in titles.
const CURRENCIES: [&str; 5] = ["EUR", "GBP", "INR", "JPY", "USD"];

/// A part of a message.
#[derive(Debug, PartialEq, Eq)]
enum Part<'t> {
    Text(&'t str),
    /// The plain words for a field or flag.
    Field(Cow<'t, str>),
    /// A command to type.
    Command(&'t str),
}

/// Renders a message with plain words for fields and flags, and commands as code. A web address is a link.
pub fn in_words(text: &str) -> Markup {
    if is_web_address(text) {
        return linked(&printable(text), Some(text));
    }
    let text = printable(text);
    html! {
        @for part in parts(&text) {
            @match part {
                Part::Text(text) => (text),
                Part::Field(words) => em { (words) },
                Part::Command(command) => code { (command) },
            }
        }
    }
}

/// Splits a message at fields, flags and commands.
fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = text;
    let mut from = 0;
    while let Some(at) = rest[from..].find(['`', '-', 's']).map(|at| from + at) {
        let is_word_start = rest[..at]
            .chars()
            .next_back()
            .is_none_or(|c| matches!(c, ' ' | '(' | '/' | '"' | '\''));
        let found = match rest.as_bytes()[at] {
            b'`' => quoted(&rest[at..]),
            b'-' if is_word_start => flag(&rest[at..]),
            b's' if is_word_start => command(&rest[at..]),
            _ => None,
        };
        match found {
            Some((part, len)) => {
                if at > 0 {
                    parts.push(Part::Text(&rest[..at]));
                }
                parts.push(part);
                rest = &rest[at + len..];
                from = 0;
            }
            None => from = at + 1,
        }
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest));
    }
    parts
}

/// Reads a text in backquotes: a field, or else a command.
fn quoted(text: &str) -> Option<(Part<'_>, usize)> {
    let inside = text[1..].split_once('`')?.0;
    let is_field = !inside.is_empty()
        && inside
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    let part = match flag(inside) {
        Some((field, len)) if len == inside.len() => field,
        _ if is_field => Part::Field(field_in_words(inside)),
        _ => Part::Command(inside),
    };
    Some((part, inside.len() + 2))
}

/// Reads a flag such as `--max-age`.
fn flag(text: &str) -> Option<(Part<'_>, usize)> {
    let name = text.strip_prefix("--")?;
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let len = name.bytes().take_while(|byte| is_part(*byte)).count();
    let name = name[..len].trim_end_matches('-');
    if name.is_empty() {
        return None;
    }
    let len = name.len() + 2;
    if is_flag(name) {
        Some((Part::Field(field_in_words(name)), len))
    } else {
        Some((Part::Command(&text[..len]), len))
    }
}

/// Reads a command such as `sky-accel help prices`, up to the next clause.
fn command(text: &str) -> Option<(Part<'_>, usize)> {
    let rest = text.strip_prefix("sky-accel ")?;
    if !rest.starts_with(|first: char| first.is_ascii_lowercase()) {
        return None;
    }
    let len = text.find([';', ')']).unwrap_or(text.len());
    Some((Part::Command(&text[..len]), len))
}

/// The words of a field or flag.
pub fn field_in_words(name: &str) -> Cow<'_, str> {
    let plain = name.replace(['_', '-'], " ");
    if let Some((_, words)) = FIELDS.iter().find(|(field, _)| *field == plain) {
        return Cow::Borrowed(*words);
    }
    let words: Vec<&str> = plain.split(' ').map(abbreviated).collect();
    Cow::Owned(words.join(" "))
}

/// The spelling of an abbreviation, such as `GPU` for `gpu`, or the word.
fn abbreviated(word: &str) -> &str {
    let upper = word.to_ascii_uppercase();
    let known = TITLE_WORDS.iter().find(|(title, _)| *title == upper);
    // Letters of units are words elsewhere.
    known
        .filter(|(title, unit)| title.len() > 1 && unit.len() < LONGER_THAN_UNITS)
        .map_or(word, |(_, unit)| *unit)
}

/// Returns the plain title of a column: `Instance type` for `INSTANCE TYPE`. Words with digits or small letters, and
/// codes of currencies, stay.
pub fn title_in_words(title: &str) -> String {
    let mut words = String::new();
    let mut rest = title;
    while !rest.is_empty() {
        let end = rest.find([' ', '/', ',']).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let is_currency = word.len() == 3 && (after.starts_with('/') || CURRENCIES.contains(&word));
        let is_plain = word
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte == b'-');
        let known = TITLE_WORDS.iter().find(|(upper, _)| *upper == word);
        match known {
            Some((_, unit)) if unit.len() < LONGER_THAN_UNITS => words.push_str(unit),
            Some((_, known)) => push_in_case(&mut words, known),
            None if is_currency || !is_plain => words.push_str(word),
            None => push_in_case(&mut words, &word.to_ascii_lowercase()),
        }
        let gap = after.find(|c| !matches!(c, ' ' | '/' | ','));
        let (gap, next) = after.split_at(gap.unwrap_or(after.len()));
        words.push_str(gap);
        rest = next;
    }
    words
}

/// The length of the shortest known word that is not a unit or an abbreviation.
const LONGER_THAN_UNITS: usize = 6;

/// Adds a word, with a capital letter at the start.
fn push_in_case(words: &mut String, word: &str) {
    let is_first = words.is_empty();
    let mut letters = word.chars();
    if let Some(first) = letters.next() {
        words.push(if is_first {
            first.to_ascii_uppercase()
        } else {
            first
        });
        words.push_str(letters.as_str());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_flags_and_commands_are_found() {
        let shown = |text: &str| in_words(text).into_string();
        for (text, html) in [
            (
                "raise `max_age` or --limit",
                "raise <em>maximum age of prices</em> or <em>limit</em>",
            ),
            (
                "all formats: --precision any",
                "all formats: <em>precision</em> any",
            ),
            (
                "pass `--trust-remote-code` and --enforce-eager",
                "pass <code>--trust-remote-code</code> and <code>--enforce-eager</code>",
            ),
            (
                "use `--live`; see `mig fit`",
                "use <em>live prices</em>; see <code>mig fit</code>",
            ),
            (
                "(sky-accel list --provider x)",
                "(<code>sky-accel list --provider x</code>)",
            ),
            (
                "an odd ` backquote -- and -5",
                "an odd ` backquote -- and -5",
            ),
            ("sky-accel 0.1.0", "sky-accel 0.1.0"),
            ("pay-as-you-go a--b", "pay-as-you-go a--b"),
            ("--", "--"),
            ("", ""),
        ] {
            assert_eq!(shown(text), html, "{text}");
        }
    }

    #[test]
    fn abbreviations_in_fields_have_capitals() {
        for (field, words) in [
            ("gpu", "GPU"),
            ("gpu_memory_utilization", "GPU memory utilization"),
            ("max_ttft", "maximum time to the first token"),
            ("h", "h"),
            ("spec", "spec"),
        ] {
            assert_eq!(field_in_words(field), words);
        }
    }

    #[test]
    fn messages_are_escaped() {
        let shown = in_words("`<script>` --limit<b> \"x\" \u{1b}[31m ü").into_string();
        assert!(!shown.contains("<script>") && !shown.contains("<b>"));
        assert!(!shown.contains('\u{1b}') && shown.contains('ü'));
        let link = in_words("https://example.com/a?b&c").into_string();
        assert!(link.contains("href=\"https://example.com/a?b&amp;c\""));
        assert!(!in_words("javascript:alert(1)").into_string().contains("<a"));
    }

    #[test]
    fn titles_are_in_words() {
        for (title, words) in [
            ("INSTANCE TYPE", "Instance type"),
            ("USD/H", "USD/h"),
            ("ALL EUR/H", "All EUR/h"),
            ("TOTAL EUR", "Total EUR"),
            ("USD/M TOK", "USD/M tokens"),
            ("EUR/730 H", "EUR/730 h"),
            ("TOK/S EACH", "Tokens/s each"),
            ("OF GIB", "Of GiB"),
            ("RAM GIB", "RAM GiB"),
            ("VCPU", "vCPU"),
            ("H100-80GB-SXM", "H100-80GB-SXM"),
            ("KV bf16, GIB", "KV bf16, GiB"),
            ("BREAK-EVEN", "Break-even"),
            ("Bandwidth GB/s", "Bandwidth GB/s"),
            ("", ""),
            ("#", "#"),
        ] {
            assert_eq!(title_in_words(title), words);
        }
    }
}
