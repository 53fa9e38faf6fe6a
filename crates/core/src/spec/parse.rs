//! The parser of specs, which collects all errors.

use super::code::SpecErrorCode;
use super::error::{Span, SpecError, SpecErrors};
use super::op::Op;
use super::quantity::{count_range, memory_range, strip_times};
use super::slices::parse_slices;
use super::syntax::{MAX_CHOICES, MAX_SPEC_LEN, PartKind, Spec, SpecChoice, SpecName, SpecPart};
use crate::memory;
use crate::mig;
use crate::text::is_unprintable;

/// The prefixes that Slurm and Kubernetes put in front of a GPU's name.
const PREFIXES: [&str; 7] = [
    "--gres=",
    "gres:",
    "gres/",
    "--gpus=",
    "gpu:",
    "gpus:",
    "nvidia.com/gpu.product=",
];

/// Reads a spec. On errors, the spec holds the parts that could be read, so that binding can report
/// their errors too.
pub fn parse(text: &str) -> (Spec<'_>, SpecErrors) {
    let mut errors = Vec::new();
    let mut spec = Spec {
        choices: Vec::new(),
    };
    if text.len() > MAX_SPEC_LEN {
        errors.push(SpecError::new(
            SpecErrorCode::TooLong,
            0..0,
            format!(
                "the spec is {} bytes long; at most {MAX_SPEC_LEN} are read",
                text.len()
            ),
        ));
        return (spec, errors);
    }
    for (at, c) in text.char_indices() {
        if is_unprintable(c) && c != '\t' {
            errors.push(SpecError::new(
                SpecErrorCode::ForbiddenCharacter,
                at..at + c.len_utf8(),
                format!(
                    "the character U+{:04X} is not allowed in a spec",
                    u32::from(c)
                ),
            ));
        }
    }
    if !errors.is_empty() {
        return (spec, errors);
    }
    if text.trim().is_empty() {
        errors.push(SpecError::new(
            SpecErrorCode::Empty,
            0..text.len(),
            "the spec is empty: write a name such as H100, A100:80GB:x8 or any:24GB",
        ));
        return (spec, errors);
    }
    for segment in split(text, 0..text.len(), b'|') {
        if spec.choices.len() == MAX_CHOICES {
            errors.push(SpecError::new(
                SpecErrorCode::TooManyChoices,
                segment,
                format!("a spec has at most {MAX_CHOICES} choices"),
            ));
            break;
        }
        let mut reader = ChoiceReader {
            text,
            errors: &mut errors,
        };
        spec.choices.extend(reader.choice(segment));
    }
    (spec, errors)
}

/// Reads the parts of a choice without its name: `vendor=amd:24GB+`. Spans refer to `text`.
pub(crate) fn parse_parts(text: &str) -> (Vec<SpecPart<'_>>, SpecErrors) {
    let mut errors = Vec::new();
    let mut parts = Vec::new();
    let mut reader = ChoiceReader {
        text,
        errors: &mut errors,
    };
    for segment in split(text, 0..text.len(), b':') {
        reader.part(trim(text, segment), &mut parts);
    }
    (parts, errors)
}

struct ChoiceReader<'t, 'e> {
    text: &'t str,
    errors: &'e mut SpecErrors,
}

impl<'t> ChoiceReader<'t, '_> {
    fn fail(&mut self, code: SpecErrorCode, span: Span, message: impl Into<String>) {
        self.errors.push(SpecError::new(code, span, message));
    }

    fn choice(&mut self, span: Span) -> Option<SpecChoice<'t>> {
        let span = trim(self.text, span);
        if span.is_empty() {
            self.fail(
                SpecErrorCode::EmptyChoice,
                span,
                "a choice is empty: `|` needs a choice on both sides",
            );
            return None;
        }
        let span = self.skip_prefix(span);
        let mut segments = split(self.text, span.clone(), b':');
        if is_pci_id(&self.text[span.clone()]) {
            // The first `:` of `10de:2330` is part of the name.
            segments[0].end = segments.remove(1).end;
        }
        let mut segments = segments
            .into_iter()
            .map(|s| trim(self.text, s))
            .collect::<Vec<_>>();
        let first = segments[0].clone();
        let mut parts = Vec::new();

        let name = if first.is_empty() {
            self.fail(
                SpecErrorCode::EmptyName,
                span.start..span.start,
                "a name is missing before `:`",
            );
            segments.remove(0);
            SpecName {
                text: "",
                span: span.start..span.start,
                call: None,
                version: None,
                counted: None,
                vendor: None,
            }
        } else if starts_like_quantity(&self.text[first.clone()])
            && !is_count(&self.text[first.clone()])
        {
            // `24GB..80GB` without a name means any accelerator with that memory.
            let anything = first.start..first.start;
            SpecName {
                text: "any",
                span: anything,
                call: None,
                version: None,
                counted: None,
                vendor: None,
            }
        } else {
            segments.remove(0);
            self.name(first, &mut parts)
        };
        for segment in segments {
            self.part(segment, &mut parts);
        }
        Some(SpecChoice { span, name, parts })
    }

    fn skip_prefix(&self, span: Span) -> Span {
        let mut start = span.start;
        for prefix in PREFIXES {
            let rest = &self.text[start..span.end];
            let Some(head) = rest.get(..prefix.len()) else {
                continue;
            };
            if head.eq_ignore_ascii_case(prefix) && rest.len() > prefix.len() {
                start += prefix.len();
            }
        }
        start..span.end
    }

    /// Reads the name, and the parts that some dialects write into it: `8xH100`, `H100 x8`,
    /// `A100(memory="40GB")`.
    fn name(&mut self, span: Span, parts: &mut Vec<SpecPart<'t>>) -> SpecName<'t> {
        let mut span = span;
        if let Some(at) = trailing_count(&self.text[span.clone()]) {
            let count_span = span.start + at..span.end;
            self.part(count_span.clone(), parts);
            span = trim(self.text, span.start..count_span.start);
        }
        let mut counted = None;
        if let Some((count, rest)) = leading_count(&self.text[span.clone()]) {
            let count_span = span.start..span.start + count;
            counted = Some((&self.text[span.clone()], count_span.clone()));
            self.count(&self.text[count_span.clone()], count_span, parts);
            span = trim(self.text, span.end - rest..span.end);
        }
        let name_text = &self.text[span.clone()];
        let mut name = SpecName {
            text: name_text,
            span: span.clone(),
            call: None,
            version: None,
            counted,
            vendor: None,
        };
        let Some(open) = name_text.find('(') else {
            // Modal's `!` prevents an upgrade to a larger GPU; specs never upgrade, so it is
            // ignored.
            name.text = name_text.strip_suffix('!').unwrap_or(name_text);
            return name;
        };
        // `TITAN X (Pascal)` is a name; `A100(...)` is a call.
        if name_text[..open].ends_with(' ') || !is_identifier(&name_text[..open]) {
            return name;
        }
        if !name_text.ends_with(')') {
            self.fail(
                SpecErrorCode::UnclosedCall,
                span.start + open..span.end,
                "the `(` is never closed",
            );
        }
        name.text = &name_text[..open];
        name.call = Some(name_text);
        let end = if name_text.ends_with(')') {
            span.end - 1
        } else {
            span.end
        };
        self.arguments(span.start + open + 1..end, &mut name, parts);
        name
    }

    fn arguments(&mut self, span: Span, name: &mut SpecName<'t>, parts: &mut Vec<SpecPart<'t>>) {
        if self.text[span.clone()].trim().is_empty() {
            return;
        }
        let custom = name.text.eq_ignore_ascii_case("custom") || name.text.ends_with(".Custom");
        for argument in split(self.text, span, b',') {
            let argument = trim(self.text, argument);
            let text = &self.text[argument.clone()];
            let Some(equals) = text.find('=') else {
                if custom && name.version.is_none() {
                    let inner = unquote(self.text, argument);
                    name.text = &self.text[inner.clone()];
                    name.span = inner;
                } else {
                    self.fail(
                        SpecErrorCode::BadArgument,
                        argument,
                        format!("`{text}` is not `name=value`"),
                    );
                }
                continue;
            };
            let value = trim(self.text, argument.start + equals + 1..argument.end);
            let value = unquote(self.text, value);
            match text[..equals].trim() {
                "memory" => self.memory(value, parts),
                "count" => self.count(&self.text[value.clone()], value, parts),
                "form_factor" | "form" => parts.push(SpecPart {
                    kind: PartKind::Word(&self.text[value.clone()]),
                    span: value,
                }),
                "mig" => self.mig_argument(value, parts),
                "version" => name.version = Some(&self.text[value]),
                // Other arguments of a custom accelerator are ignored: its overlay describes it.
                _ if custom => {}
                other => {
                    let error = SpecError::new(
                        SpecErrorCode::BadArgument,
                        argument.start..argument.start + other.len(),
                        format!("unknown argument '{other}'"),
                    );
                    let arguments = ["memory", "count", "form_factor", "mig", "version"];
                    self.errors
                        .push(error.suggest(crate::suggest::closest(other, arguments)));
                }
            }
        }
    }

    /// `mig="3g.40gb"` or `mig=["3g.40gb","2g.20gb"]`.
    fn mig_argument(&mut self, value: Span, parts: &mut Vec<SpecPart<'t>>) {
        let text = &self.text[value.clone()];
        let Some(inner) = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) else {
            return self.mig(value.clone(), value, parts);
        };
        let before = self.errors.len();
        let mut list = mig::SliceList::default();
        let start = value.start + 1;
        for item in split(self.text, start..start + inner.len(), b',') {
            let item = trim(self.text, item);
            let item = unquote(self.text, item);
            match parse_slices(&self.text[item.clone()], item.start) {
                Ok(mut more) => list.slices.append(&mut more.slices),
                Err(mut errors) => self.errors.append(&mut errors),
            }
        }
        if self.errors.len() > before {
            return;
        }
        if let Err(error) = list.check_size() {
            return self.fail(SpecErrorCode::BadMig, value, error.to_string());
        }
        parts.push(SpecPart {
            span: value,
            kind: PartKind::Mig(list),
        });
    }

    fn part(&mut self, span: Span, parts: &mut Vec<SpecPart<'t>>) {
        let text = &self.text[span.clone()];
        if text.is_empty() {
            let at = span.start.saturating_sub(1)..span.start;
            return self.fail(SpecErrorCode::EmptyPart, at, "a part is missing after `:`");
        }
        if let Some((key, op, value)) = comparison(self.text, span.clone()) {
            let name = &self.text[key.clone()];
            if name.eq_ignore_ascii_case("mig") && op == Op::Equal {
                return self.mig(value, span, parts);
            }
            parts.push(SpecPart {
                kind: PartKind::Compare {
                    key: name,
                    op,
                    value: &self.text[value.clone()],
                    value_span: value,
                },
                span,
            });
        } else if mig::looks_like_profile(text) {
            self.mig(span.clone(), span, parts);
        } else if is_count(text) {
            self.count(text, span, parts);
        } else if starts_like_quantity(text) {
            self.memory(span, parts);
        } else {
            parts.push(SpecPart {
                kind: PartKind::Word(text),
                span,
            });
        }
    }

    fn mig(&mut self, value: Span, span: Span, parts: &mut Vec<SpecPart<'t>>) {
        match parse_slices(&self.text[value.clone()], value.start) {
            Ok(list) => parts.push(SpecPart {
                span,
                kind: PartKind::Mig(list),
            }),
            Err(mut errors) => self.errors.append(&mut errors),
        }
    }

    fn count(&mut self, text: &str, span: Span, parts: &mut Vec<SpecPart<'t>>) {
        match count_range(text) {
            Ok(range) => parts.push(SpecPart {
                span,
                kind: PartKind::Count(range),
            }),
            Err(error) => self.errors.push(error.at(span)),
        }
    }

    fn memory(&mut self, span: Span, parts: &mut Vec<SpecPart<'t>>) {
        match memory_range(&self.text[span.clone()]) {
            Ok(range) => parts.push(SpecPart {
                span,
                kind: PartKind::Memory(range),
            }),
            Err(error) => self.errors.push(error.at(span)),
        }
    }
}

/// Splits at separators outside brackets and quotes.
fn split(text: &str, span: Span, separator: u8) -> Vec<Span> {
    let mut spans = Vec::with_capacity(4);
    let (mut depth, mut quote, mut start) = (0_u32, None, span.start);
    for (at, byte) in text.as_bytes()[span.clone()].iter().enumerate() {
        let at = span.start + at;
        if let Some(open) = quote {
            if *byte == open {
                quote = None;
            }
            continue;
        }
        match *byte {
            b'"' | b'\'' => quote = Some(*byte),
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            byte if byte == separator && depth == 0 => {
                spans.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    spans.push(start..span.end);
    spans
}

fn trim(text: &str, span: Span) -> Span {
    let inner = &text[span.clone()];
    let start = span.start + (inner.len() - inner.trim_start().len());
    let end = start + inner.trim().len();
    start..end
}

fn unquote(text: &str, span: Span) -> Span {
    let inner = &text[span.clone()];
    let quoted = inner.len() >= 2
        && (inner.starts_with('"') && inner.ends_with('"')
            || inner.starts_with('\'') && inner.ends_with('\''));
    if quoted {
        span.start + 1..span.end - 1
    } else {
        span
    }
}

/// Splits `key op value`; `None` unless the text begins with a key and an operator.
fn comparison(text: &str, span: Span) -> Option<(Span, Op, Span)> {
    let inner = &text[span.clone()];
    let key_len = inner
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_')
        .count();
    if key_len == 0 || !inner.as_bytes()[0].is_ascii_alphabetic() {
        return None;
    }
    let (op, rest) = Op::strip(inner[key_len..].trim_start())?;
    let value = trim(text, span.end - rest.len()..span.end);
    Some((span.start..span.start + key_len, op, unquote(text, value)))
}

/// Returns the lengths of the count and of the name in `8xH100`, `8 x H100` or `8×H100`.
fn leading_count(text: &str) -> Option<(usize, usize)> {
    let digits = text
        .bytes()
        .take_while(|b| b.is_ascii_digit() || *b == b'.')
        .count();
    if digits == 0 {
        return None;
    }
    let rest = text[digits..].trim_start();
    let name = ["x", "X", "×", "*"]
        .into_iter()
        .find_map(|times| rest.strip_prefix(times))?;
    let name = name.trim_start();
    (!name.is_empty()).then_some((digits, name.len()))
}

/// Returns the start of the count in `H100 x8`.
fn trailing_count(text: &str) -> Option<usize> {
    let at = text.rfind(|c: char| c.is_ascii_whitespace())? + 1;
    let tail = &text[at..];
    (is_count(tail) && strip_times(tail).len() < tail.len()).then_some(at)
}

/// Returns whether a part is a count: a number or a range without a unit, with or without `x`.
pub(crate) fn is_count(text: &str) -> bool {
    let body = strip_times(text);
    let has_times = body.len() < text.len();
    let numeric = !body.is_empty()
        && body
            .bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'+' | b'-' | b'x' | b'X'))
        && body.bytes().any(|b| b.is_ascii_digit())
        && matches!(body.as_bytes()[0], b'0'..=b'9' | b'-' | b'.');
    numeric && (has_times || !body.starts_with(".."))
}

/// Returns whether a text begins like a memory size or a count.
fn starts_like_quantity(text: &str) -> bool {
    if Op::strip(text).is_some() || text.starts_with("..") {
        return true;
    }
    let digits = text
        .bytes()
        .take_while(|b| b.is_ascii_digit() || *b == b'.')
        .count();
    if digits == 0 {
        return is_count(text) && text.starts_with('-');
    }
    // A name may begin with a digit (`8H100.80S.176V`); a quantity continues with its unit.
    let unit: String = text[digits..]
        .trim_start()
        .chars()
        .take_while(char::is_ascii_alphabetic)
        .collect();
    let unit_end = text[digits..]
        .find(&unit)
        .map(|at| digits + at + unit.len());
    let rest = unit_end.and_then(|end| text.get(end..)).unwrap_or_default();
    // The number of a product, as in `1GB300.32V`, follows a unit without a space.
    let is_name = !unit.is_empty() && rest.starts_with(|c: char| c.is_ascii_digit());
    unit.is_empty() && is_count(text) || !is_name && memory::with_unit(1.0, &unit).is_some()
}

fn is_identifier(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'))
}

/// Returns whether a text begins with a PCI id such as `10de:2330`.
fn is_pci_id(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 9
        && bytes[..4]
            .iter()
            .chain(&bytes[5..9])
            .all(u8::is_ascii_hexdigit)
        && bytes[4] == b':'
        && (bytes.len() == 9 || bytes[9] == b':')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ok(text: &str) -> Spec<'_> {
        let (spec, errors) = parse(text);
        assert!(errors.is_empty(), "{text}: {errors:?}");
        spec
    }

    fn codes(text: &str) -> Vec<&'static str> {
        parse(text)
            .1
            .into_iter()
            .map(|error| error.code.word())
            .collect()
    }

    fn name_and_parts(text: &str) -> (&str, Vec<String>) {
        let choice = ok(text).choices.remove(0);
        let parts = choice.parts.iter().map(|part| match &part.kind {
            PartKind::Memory(range) => format!("memory {range}"),
            PartKind::Count(range) => format!("count {range}"),
            PartKind::Mig(list) => format!("mig {list}"),
            PartKind::Compare { key, op, value, .. } => format!("{key}{}{value}", op.spelling()),
            PartKind::Word(word) => format!("word {word}"),
        });
        (choice.name.text, parts.collect())
    }

    #[test]
    fn parses_all_forms_of_counts() {
        for text in [
            "H100:x8",
            "H100:8",
            "8xH100",
            "8 x H100",
            "H100 x8",
            "8×H100",
            "gpu:H100:8",
            "gres/gpu:H100:8",
            "H100(count=8)",
            "--gres=gpu:H100:8",
        ] {
            assert_eq!(
                name_and_parts(text),
                ("H100", vec!["count x8".to_owned()]),
                "{text}"
            );
        }
        assert_eq!(name_and_parts("L4:x0.5").1, ["count x0.5"]);
        assert_eq!(name_and_parts("L4:x2..8").1, ["count x2..8"]);
        assert_eq!(name_and_parts("L4:2..x8").1, ["count x2..8"]);
        assert_eq!(name_and_parts("L4:4+").1, ["count x4+"]);
    }

    #[test]
    fn parses_all_forms_of_memory() {
        for (text, read) in [
            ("A100:40GB", "memory 40GB"),
            ("A100:40gib", "memory 40GB"),
            ("A100:40 G", "memory 40GB"),
            ("A100:>=40GB", "memory 40GB+"),
            ("A100:40GB+", "memory 40GB+"),
            ("A100:24GB..80GB", "memory 24..80GB"),
            ("A100:24..80GB", "memory 24..80GB"),
            ("A100:..80GB", "memory ..80GB"),
            ("A100:<80GB", "memory <80GB"),
            ("A100(memory='40GB')", "memory 40GB"),
        ] {
            assert_eq!(name_and_parts(text).1, [read], "{text}");
        }
        assert_eq!(
            name_and_parts("24GB"),
            ("any", vec!["memory 24GB".to_owned()])
        );
    }

    #[test]
    fn keeps_colons_parentheses_and_digits_of_names() {
        assert_eq!(name_and_parts("10de:2330"), ("10de:2330", vec![]));
        assert_eq!(name_and_parts("1GB300.32V"), ("1GB300.32V", vec![]));
        assert_eq!(
            name_and_parts("10de:2330:x8"),
            ("10de:2330", vec!["count x8".to_owned()])
        );
        assert_eq!(name_and_parts("8H100.80S.176V").0, "8H100.80S.176V");
        assert_eq!(name_and_parts("TITAN X (Pascal)").0, "TITAN X (Pascal)");
        assert_eq!(
            name_and_parts("H100!:8"),
            ("H100", vec!["count x8".to_owned()])
        );
        assert_eq!(
            name_and_parts("H100:mig=3g.40gb*2+1g.10gb+me").1,
            ["mig 3g.40gb*2+1g.10gb+me"]
        );
        assert_eq!(
            name_and_parts(r#"H100(mig=["3g.40gb","3g.40gb"])"#).1,
            ["mig 3g.40gb*2"]
        );
        assert_eq!(
            name_and_parts("any:vendor = amd:cc>=8.9").1,
            ["vendor=amd", "cc>=8.9"]
        );
        assert_eq!(ok("H100:x8 | A100:80GB:x8").choices.len(), 2);
    }

    #[test]
    fn all_errors_are_reported_at_once() {
        assert_eq!(codes(""), ["spec.empty"]);
        assert_eq!(codes("  "), ["spec.empty"]);
        assert_eq!(
            codes("H100:x0:40XB:"),
            ["spec.zero-count", "spec.empty-part"]
        );
        assert_eq!(codes("H100:x-1"), ["spec.zero-count"]);
        assert_eq!(codes("H100:x8..2"), ["spec.bad-count"]);
        assert_eq!(codes("H100:80GB..24GB"), ["spec.bad-memory"]);
        assert_eq!(codes("H100:x99999999999"), ["spec.bad-count"]);
        assert_eq!(codes("H100||A100"), ["spec.empty-choice"]);
        assert_eq!(codes(":x8"), ["spec.empty-name"]);
        assert_eq!(name_and_parts("x8").0, "x8");
        assert_eq!(codes("H100\u{202e}:x8"), ["spec.forbidden-character"]);
        assert_eq!(codes("H100\u{1b}[31m"), ["spec.forbidden-character"]);
        assert_eq!(codes(&"H".repeat(600)), ["spec.too-long"]);
        assert_eq!(codes("A100(memory=\"40GB\""), ["spec.unclosed-call"]);
        assert_eq!(codes("A100(color=red)"), ["spec.bad-argument"]);
    }
}
