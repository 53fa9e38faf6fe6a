//! Lookup keys of names, and text that is safe to print on a terminal.

use std::fmt::Write as _;

/// The longest name that is looked up, in bytes of its key.
pub const MAX_NAME_KEY: usize = 96;

/// A name in lower case without spaces, `-` and `_`.
///
/// Keys are compared as a whole, never by substring: `L40` and `L40S` are different names.
#[derive(Clone, Copy, Debug)]
pub struct NameKey {
    bytes: [u8; MAX_NAME_KEY],
    len: usize,
}

impl NameKey {
    /// Returns the key of a text; `None` when the key is empty or longer than [`MAX_NAME_KEY`].
    pub fn new(text: &str) -> Option<Self> {
        let mut key = Self {
            bytes: [0; MAX_NAME_KEY],
            len: 0,
        };
        for byte in text.bytes() {
            if matches!(byte, b' ' | b'-' | b'_') {
                continue;
            }
            *key.bytes.get_mut(key.len)? = byte.to_ascii_lowercase();
            key.len += 1;
        }
        (key.len > 0).then_some(key)
    }

    /// Returns the bytes of the key.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// Returns the key of a name as a string, for tables and messages.
pub fn name_key(text: &str) -> String {
    key_chars(text).collect()
}

/// The characters of [`name_key`].
pub(crate) fn key_chars(text: &str) -> impl Iterator<Item = char> {
    let is_kept = |c: &char| !matches!(c, ' ' | '-' | '_');
    text.chars().filter(is_kept).map(|c| c.to_ascii_lowercase())
}

/// Returns whether two names are the same once case, spaces, `-` and `_` are ignored.
pub fn same_name(a: &str, b: &str) -> bool {
    fn significant(text: &str) -> impl Iterator<Item = u8> {
        text.bytes()
            .filter(|byte| !matches!(byte, b' ' | b'-' | b'_'))
            .map(|byte| byte.to_ascii_lowercase())
    }
    significant(a).eq(significant(b))
}

/// Returns whether a character changes how the text around it is displayed: control characters,
/// bidirectional marks and overrides, invisible characters and line separators.
pub fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{00AD}' | '\u{061C}' | '\u{180E}' | '\u{FEFF}')
        || matches!(c, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}')
        || matches!(c, '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

/// Escapes untrusted text for a terminal or a log: every [unprintable](is_unprintable) character
/// becomes `\u{…}`.
pub fn printable(text: &str) -> String {
    // Nearly all text is printable ASCII, and this check is vectorized.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unprintable(c) {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

/// Returns true for an address that a browser opens as a page.
pub fn is_web_address(text: &str) -> bool {
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty() && !rest.contains([' ', '"', '<', '>', '\\']))
}

/// The maximum number of names in a sentence.
const MOST_NAMES: usize = 6;

/// Joins names as [`list_and`] does, and shortens a long list: `a, b, c and 20 others`.
pub fn some_of(names: &[&str]) -> String {
    if names.len() <= MOST_NAMES {
        return list_and(names);
    }
    let (first, others) = names.split_at(MOST_NAMES / 2);
    format!("{} and {} others", first.join(", "), others.len())
}

/// Returns a count with its noun: `1 device`, `8 devices`, `1 query`, `2 queries`.
pub fn counted(count: impl std::fmt::Display, noun: &str) -> String {
    let count = count.to_string();
    if count == "1" {
        return format!("1 {noun}");
    }
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{count} {stem}ies"),
        _ => format!("{count} {noun}s"),
    }
}

/// Joins the items of a list: `a`, `a and b`, `a, b and c`.
pub fn list_and<T: AsRef<str>>(items: &[T]) -> String {
    list(items, "and")
}

/// Lists alternatives: `a`, `a or b`, `a, b or c`.
pub fn list_or<T: AsRef<str>>(items: &[T]) -> String {
    list(items, "or")
}

fn list<T: AsRef<str>>(items: &[T], word: &str) -> String {
    match items {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [head @ .., last] => {
            let head: Vec<&str> = head.iter().map(AsRef::as_ref).collect();
            format!("{} {word} {}", head.join(", "), last.as_ref())
        }
    }
}

/// Formats a number without trailing zeros: `80`, `0.125`, `30.5`.
pub fn number(value: f64) -> String {
    let mut out = String::new();
    push_number(&mut out, value);
    out
}

/// Appends a number as [`number`] formats it.
pub fn push_number(out: &mut String, value: f64) {
    if value.abs() < MOST_FIGURE {
        push_figure(out, value, MOST_PLACES, String::push_str);
    } else if value.fract() == 0.0 && value.abs() < 1e15 {
        let _ = write!(out, "{}", value as i64);
    } else {
        let _ = write!(out, "{}", (value * 1e6).round() / 1e6);
    }
}

/// Formats a number for people: as [`number`], with digits in groups of three: `40,179.2`.
pub fn grouped(value: f64) -> String {
    let mut out = String::new();
    push_grouped(&mut out, value);
    out
}

/// Appends a number as [`grouped`] formats it.
pub fn push_grouped(out: &mut String, value: f64) {
    if value.abs() < MOST_FIGURE {
        push_figure(out, value, MOST_PLACES, push_groups);
    } else {
        out.push_str(&with_groups(&number(value)));
    }
}

/// A number that is rounded to a number of decimal places, at most six, and printed as [`number`] does.
#[derive(Clone, Copy, Debug)]
pub struct Rounded {
    /// The number before it is rounded.
    pub value: f64,
    /// The maximum number of digits after the decimal point.
    pub places: usize,
}

impl Rounded {
    /// Appends the digits.
    pub fn push_to(self, out: &mut String) {
        if self.value.abs() < MOST_FIGURE {
            push_figure(out, self.value, self.places, String::push_str);
        } else {
            let unit = UNITS[self.places.min(MOST_PLACES)] as f64;
            push_number(out, (self.value * unit).round() / unit);
        }
    }
}

impl std::fmt::Display for Rounded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = String::new();
        self.push_to(&mut text);
        f.pad(&text)
    }
}

/// The number of decimal places of numbers.
const MOST_PLACES: usize = 6;

/// The parts of a unit that the last decimal place counts, by the number of places.
const UNITS: [u64; MOST_PLACES + 1] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000];

/// The bound below which a number with six decimal places has at most 15 digits. No two such numbers are the same float,
/// so the digits of the integer are the digits of the float, which take several times longer to find.
const MOST_FIGURE: f64 = 1e9;

/// Appends a number below [`MOST_FIGURE`], rounded to some decimal places and without trailing zeros.
fn push_figure(out: &mut String, value: f64, places: usize, push_whole: fn(&mut String, &str)) {
    let mut places = places.min(MOST_PLACES);
    let unit = UNITS[places];
    // Rounds as `f64::round` does, which many processors have only as a function of the C library.
    let scaled = value.abs() * unit as f64;
    let whole = scaled as u64;
    let units = whole + u64::from(scaled - whole as f64 >= 0.5);
    if value < 0.0 {
        out.push('-');
    }
    let mut digits = itoa::Buffer::new();
    push_whole(out, digits.format(units / unit));
    let mut fraction = units % unit;
    if fraction > 0 {
        while fraction.is_multiple_of(10) {
            fraction /= 10;
            places -= 1;
        }
        out.push('.');
        let digits = digits.format(fraction);
        for _ in digits.len()..places {
            out.push('0');
        }
        out.push_str(digits);
    }
}

/// Appends digits in groups of three.
fn push_groups(out: &mut String, digits: &str) {
    let (first, mut rest) = digits.split_at((digits.len() - 1) % 3 + 1);
    out.push_str(first);
    while let Some((group, others)) = rest.split_at_checked(3) {
        out.push(',');
        out.push_str(group);
        rest = others;
    }
}

/// Formats a number for people with a number of decimal places: `40,179.20`.
pub fn grouped_to(value: f64, places: usize) -> String {
    with_groups(&format!("{value:.places$}"))
}

/// Separates the digits before the decimal point in groups of three.
fn with_groups(number: &str) -> String {
    let start = usize::from(number.starts_with('-'));
    let end = number.find('.').unwrap_or(number.len());
    let is_digits = number[start..end].bytes().all(|byte| byte.is_ascii_digit());
    let mut out = String::with_capacity(number.len() + 4);
    for (at, digit) in number.char_indices() {
        if is_digits && at > start && at < end && (end - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The maximum number of values in a JSON document that is parsed into memory: a parsed value takes
/// up to a hundred times the memory of its text. An answer with a thousand offers has about 60,000
/// values.
pub const MAX_JSON_VALUES: usize = 1 << 18;

/// Estimates the number of values in a JSON text without parsing it.
pub fn count_json_values(text: &[u8]) -> usize {
    let (mut values, mut at, mut in_string) = (0, 0, false);
    while let Some(byte) = text.get(at) {
        match byte {
            b'\\' if in_string => at += 1,
            b'"' => in_string = !in_string,
            b',' | b'[' | b'{' if !in_string => values += 1,
            _ => {}
        }
        at += 1;
    }
    values
}

/// Truncates a text to `most` characters, followed by `…` when anything was cut.
pub fn shortened(text: &str, most: usize) -> std::borrow::Cow<'_, str> {
    // A text has at most as many characters as bytes.
    if text.len() <= most {
        return text.into();
    }
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]).into(),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_digits_from_the_right() {
        let groups = [
            (0.0, "0"),
            (512.0, "512"),
            (4096.0, "4,096"),
            (1e6, "1,000,000"),
            (-40_179.25, "-40,179.25"),
            (999.5, "999.5"),
            (f64::INFINITY, "inf"),
        ];
        for (value, expected) in groups {
            assert_eq!(grouped(value), expected);
        }
        assert_eq!(grouped_to(40_179.2, 2), "40,179.20");
        assert_eq!(grouped_to(999.999, 2), "1,000.00");
        assert_eq!(grouped_to(0.25, 3), "0.250");
    }

    #[test]
    fn figures_have_the_digits_of_their_floats() {
        let by_float = |value: f64| ((value * 1e6).round() / 1e6).to_string();
        let mut state = 1_u64;
        for _ in 0..20_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let places = (state >> 60) as i32;
            let value = (state >> 24) as f64 / 10_f64.powi(places);
            for value in [value, -value] {
                assert_eq!(number(value), by_float(value), "{value:?}");
                assert_eq!(grouped(value), with_groups(&by_float(value)), "{value:?}");
            }
        }
        for value in [
            0.0,
            0.1,
            0.000_000_4,
            999_999_999.999_999_9,
            1e9,
            1e15,
            1e300,
        ] {
            assert_eq!(number(value), by_float(value));
        }
        assert_eq!(number(-0.0), "0");
    }

    #[test]
    fn rounded_numbers_have_no_trailing_zeros() {
        let rounded = |value, places| Rounded { value, places }.to_string();
        assert_eq!(rounded(12.345, 1), "12.3");
        assert_eq!(rounded(12.04, 1), "12");
        assert_eq!(rounded(0.999, 2), "1");
        assert_eq!(rounded(0.005, 2), "0.01");
        assert_eq!(rounded(2_500_000_000.26, 1), "2500000000.3");
        assert_eq!(rounded(1234.5, 0), "1235");
    }

    #[test]
    fn recognizes_unprintable_characters() {
        let outside = [
            '\u{AC}',
            '\u{AE}',
            '\u{61B}',
            '\u{61D}',
            '\u{180D}',
            '\u{180F}',
            '\u{FEFE}',
            '\u{200A}',
            '\u{2010}',
            '\u{2027}',
            '\u{202F}',
            '\u{205F}',
            '\u{2070}',
            '\u{FFF8}',
            '\u{FFFC}',
            '\u{DFFFF}',
            '\u{E0080}',
            ' ',
            '~',
            '\u{A0}',
        ];
        for c in outside {
            assert!(!is_unprintable(c), "{c:?}");
            assert_eq!(printable(&format!("a{c}b")), format!("a{c}b"));
        }
        for c in [
            '\0',
            '\u{1b}',
            '\u{7f}',
            '\u{9f}',
            '\u{AD}',
            '\u{61C}',
            '\u{180E}',
            '\u{FEFF}',
            '\u{200B}',
            '\u{200F}',
            '\u{2028}',
            '\u{202E}',
            '\u{2060}',
            '\u{206F}',
            '\u{FFF9}',
            '\u{FFFB}',
            '\u{E0000}',
            '\u{E007F}',
        ] {
            assert!(is_unprintable(c), "{c:?}");
            let escaped = format!("a\\u{{{:x}}}b", u32::from(c));
            assert_eq!(printable(&format!("a{c}b")), escaped);
        }
    }

    #[test]
    fn web_addresses_are_links_of_one_word() {
        for address in ["https://a", "http://a/b?c=d"] {
            assert!(is_web_address(address), "{address}");
        }
        for text in [
            "https://",
            "http://",
            "ftp://a",
            "a.example",
            "https://a b",
            "https://a\"",
            "https://<a",
            "https://a>",
            "https://a\\b",
        ] {
            assert!(!is_web_address(text), "{text}");
        }
    }

    #[test]
    fn nouns_agree_with_their_counts() {
        for (count, noun, expected) in [
            (1, "device", "1 device"),
            (0, "device", "0 devices"),
            (8, "device", "8 devices"),
            (1, "query", "1 query"),
            (2, "query", "2 queries"),
            (2, "day", "2 days"),
        ] {
            assert_eq!(super::counted(count, noun), expected);
        }
        assert_eq!(super::counted("4,096", "token"), "4,096 tokens");
    }

    #[test]
    fn keys_ignore_case_and_separators_only() {
        let key = |text| NameKey::new(text).map(|k| k.as_bytes().to_vec());
        assert_eq!(key("RTX_4070-Ti Super"), Some(b"rtx4070tisuper".to_vec()));
        assert_ne!(key("L40"), key("L40S"));
        assert_eq!(key(" -_"), None);
        assert_eq!(key(&"x".repeat(MAX_NAME_KEY + 1)), None);
        assert!(same_name("A100-80GB", "a100_80 gb"));
        assert!(!same_name("B300", "GB300"));
    }

    #[test]
    fn escapes_control_and_bidirectional_characters() {
        assert_eq!(printable("a\u{1b}[31m\u{202e}b"), "a\\u{1b}[31m\\u{202e}b");
        assert_eq!(printable("8×H100"), "8×H100");
    }

    #[test]
    fn formats_numbers_without_trailing_zeros() {
        assert_eq!(number(80.0), "80");
        assert_eq!(number(0.125), "0.125");
        assert_eq!(number(0.1 + 0.2), "0.3");
        assert_eq!(number(30.5), "30.5");
        assert_eq!(number(-2.0), "-2");
        assert_eq!(number(0.000_000_4), "0");
        assert_eq!(number(1.000_000_6), "1.000001");
        assert_eq!(number(9.5e14), "950000000000000");
        assert_eq!(number(1e15), "1000000000000000");
    }

    #[test]
    fn joins_and_shortens_lists() {
        assert_eq!(list_and::<&str>(&[]), "");
        assert_eq!(list_and(&["a"]), "a");
        assert_eq!(list_and(&["a", "b"]), "a and b");
        assert_eq!(list_and(&["a", "b", "c"]), "a, b and c");
        assert_eq!(list_or(&["a", "b", "c"]), "a, b or c");
        let names = ["a", "b", "c", "d", "e", "f", "g"];
        assert_eq!(some_of(&names[..6]), "a, b, c, d, e and f");
        assert_eq!(some_of(&names), "a, b, c and 4 others");
    }

    #[test]
    fn truncates_after_a_number_of_characters() {
        assert_eq!(shortened("abc", 3), "abc");
        assert_eq!(shortened("abcd", 3), "abc…");
        assert_eq!(shortened("äöü", 3), "äöü");
        assert_eq!(shortened("äöüß", 3), "äöü…");
    }

    #[test]
    fn counts_json_values_outside_strings() {
        assert_eq!(count_json_values(b"[1, 2, {\"a\": 3}]"), 4);
        assert_eq!(count_json_values(br#"["a, [ { \" ,", 2]"#), 2);
        assert_eq!(count_json_values(b"1"), 0);
    }
}
