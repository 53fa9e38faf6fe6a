//! Catalog files, read in parts: a price list may be far larger than the tables that are kept of it.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, mpsc};

use crate::csv::{self, Columns};
use crate::schema::{FileContent, OfferDefaults, Spanned, SpannedText, count_values};
use crate::{Diagnostic, Layer, parallel, token_csv, toml_file};

/// A catalog file as text: CSV if its name ends in `.csv`, otherwise TOML.
#[derive(Clone, Debug)]
pub struct Source {
    /// The layer that the file belongs to.
    pub layer: Layer,
    /// The path of the file. It names the provider of a CSV file without such a column.
    pub file: String,
    /// The text of the file.
    pub text: Cow<'static, str>,
    /// The date of rows of a CSV file that have none, such as `2026-11-20`.
    pub day: String,
    /// The earlier result of [`Source::parsed`] for a TOML file; empty if it is to be parsed.
    pub parsed: &'static [u8],
}

/// The maximum number of values in one part of a TOML file, and in all parts whose offers and prices are kept.
const MAX_VALUES: usize = 1 << 18;
/// The maximum number of values in all parts that hold more than offers and prices.
const MAX_KEPT: usize = 4 * MAX_VALUES;
/// The maximum number of bytes of one part of a CSV file.
const MAX_ROWS_LEN: usize = 64 * PART;
/// The maximum number of files that are parsed before they are counted.
const AHEAD: usize = 64;
/// The minimum number of bytes of a part, except for the last part of a file.
const PART: usize = 1 << 16;

/// The folder of the embedded catalog with its updates.
const UPDATES: &str = "updates";

impl Source {
    /// Creates a TOML source.
    pub fn toml(layer: Layer, file: &str, text: impl Into<Cow<'static, str>>) -> Self {
        Self {
            layer,
            file: file.to_owned(),
            text: text.into(),
            day: String::new(),
            parsed: &[],
        }
    }

    /// Creates a TOML source of the embedded catalog. Files of its folder [`UPDATES`] override the others.
    pub fn embedded(file: &str, text: impl Into<Cow<'static, str>>) -> Self {
        let mut folders = file.split('/');
        let layer = match folders.nth(1) {
            Some(UPDATES) if folders.next().is_some() => Layer::UPDATES,
            _ => Layer::EMBEDDED,
        };
        Self::toml(layer, file, text)
    }

    /// Parses a TOML file to bytes for [`Source::parsed`], which are read many times faster.
    ///
    /// # Errors
    ///
    /// Fails if the file does not match its schema.
    pub fn parse(&self) -> Result<Vec<u8>, Diagnostic> {
        let document = FilePart::of_all(self).parse(0)?;
        rmp_serde::to_vec(&document.content).map_err(|error| self.error(0..0, error.to_string()))
    }

    pub(crate) fn is_csv(&self) -> bool {
        self.file.to_ascii_lowercase().ends_with(".csv")
    }

    fn error(&self, at: Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(&self.file, &self.text, at, message)
    }

    /// The parts of a TOML file, each with the lines before it.
    fn toml_parts(&self) -> impl Iterator<Item = (&str, usize)> {
        // A line of a multi-line string can look like a header.
        let has_long_texts = || self.text.contains("\"\"\"") || self.text.contains("'''");
        let may_split = self.parsed.is_empty() && !has_long_texts();
        let end = move |text: &str| {
            if may_split {
                item_end(text)
            } else {
                text.len()
            }
        };
        parts(&self.text, 0, end)
    }

    /// The first part of a small TOML file, parsed.
    fn ahead(&self) -> Option<Result<CatalogDocument, Diagnostic>> {
        if self.is_csv() || self.text.len() > 2 * PART {
            return None;
        }
        let (text, _) = self.toml_parts().next()?;
        let part = FilePart {
            text,
            ..FilePart::of_all(self)
        };
        Some(part.parse(0))
    }
}

/// A part of a file, parsed.
#[derive(Clone, Debug)]
pub(crate) struct CatalogDocument {
    pub layer: Layer,
    pub file: String,
    text: String,
    /// The lines of the file before the part.
    lines_before: usize,
    /// True if several items may describe one offer, as rows of a CSV file do.
    pub has_rows: bool,
    /// The project whose columns and words a CSV file has. Some of its words may be unknown. `None` for files in the
    /// format of this project.
    pub dialect: Option<&'static str>,
    pub content: FileContent,
    /// The errors of rows of a CSV file that cannot be read, and of which `content` has nothing.
    pub row_errors: Vec<Diagnostic>,
    part: usize,
    /// True if the offers and prices of the part are kept.
    is_whole: bool,
}

impl CatalogDocument {
    /// Returns an error at a position in the part.
    pub fn error(&self, at: Range<usize>, message: impl Into<String>) -> Diagnostic {
        let mut error = Diagnostic::new(&self.file, &self.text, at, message);
        error.line += self.lines_before;
        error
    }

    /// Returns the line in the file of a position in the part.
    pub fn line(&self, at: Range<usize>) -> usize {
        self.error(at, "").line
    }
}

/// A part of a file.
struct FilePart<'s> {
    source: &'s Source,
    text: &'s str,
    lines_before: usize,
    form: PartFormat<'s>,
}

enum PartFormat<'s> {
    Toml(Arc<FileSettings>),
    Csv(Arc<Columns<'s>>),
}

/// The settings at the beginning of a file, which apply to all of its parts. Empty for the first part, which contains
/// them.
#[derive(Default)]
struct FileSettings {
    sold_by: Option<SpannedText>,
    defaults: Option<OfferDefaults>,
}

/// Files in parts. Parts with more than offers and prices are parsed and kept.
pub(crate) struct Sources<'s> {
    files: &'s [Source],
    parts: Vec<FilePart<'s>>,
    pub documents: Vec<CatalogDocument>,
}

impl<'s> Sources<'s> {
    /// Reads everything but offers and prices, which may be too many to be kept.
    pub fn read(sources: &'s [Source]) -> Result<Self, Vec<Diagnostic>> {
        let mut read = Self {
            files: sources,
            parts: Vec::new(),
            documents: Vec::new(),
        };
        let mut errors = Vec::new();
        let mut values = 0;
        // The values of files that are parsed ahead are not counted yet, so only a few small files are.
        for sources in sources.chunks(AHEAD) {
            let ahead = parallel::map(sources, Source::ahead);
            for (source, ahead) in sources.iter().zip(ahead) {
                if let Err(error) = read.add(source, ahead, &mut values) {
                    errors.push(error);
                }
                if errors.len() == crate::bounds::MAX_ERRORS {
                    return Err(errors);
                }
            }
        }
        if errors.is_empty() {
            Ok(read)
        } else {
            Err(errors)
        }
    }

    fn add(
        &mut self,
        source: &'s Source,
        mut first: Option<Result<CatalogDocument, Diagnostic>>,
        values: &mut usize,
    ) -> Result<(), Diagnostic> {
        let text = &source.text[..];
        if source.is_csv() && token_csv::has_token_prices(text) {
            let content = token_csv::read(text).map_err(|(at, why)| source.error(at, why))?;
            self.documents.push(CatalogDocument {
                layer: source.layer,
                file: source.file.clone(),
                text: text.to_owned(),
                lines_before: 0,
                has_rows: true,
                dialect: None,
                content,
                row_errors: Vec::new(),
                part: self.parts.len(),
                is_whole: false,
            });
            return Ok(());
        }
        if source.is_csv() {
            let (columns, header) = csv::columns(&source.file, text, &source.day)
                .map_err(|(at, why)| source.error(at, why))?;
            let columns = Arc::new(columns);
            let lines = text[..header].matches('\n').count();
            for (text, lines_before) in parts(&text[header..], lines, row_end) {
                if text.len() > MAX_ROWS_LEN {
                    let start = header + text.len().min(MAX_ROWS_LEN);
                    let message = "a quoted value that begins before this position does not end";
                    return Err(source.error(start..start, message));
                }
                self.parts.push(FilePart {
                    source,
                    text,
                    lines_before,
                    form: PartFormat::Csv(columns.clone()),
                });
            }
            return Ok(());
        }
        let mut head = Arc::<FileSettings>::default();
        for (at, (text, lines_before)) in source.toml_parts().enumerate() {
            let part = FilePart {
                source,
                text,
                lines_before,
                form: PartFormat::Toml(head.clone()),
            };
            if at == 0 || !has_only_offers(text) {
                let mut document = match first.take() {
                    Some(first) => first?,
                    None => part.parse(self.parts.len())?,
                };
                document.part = self.parts.len();
                *values += count_values(text);
                if *values > MAX_KEPT {
                    let message = format!(
                        "the parts of files with more than offers and prices have more than {MAX_KEPT} values in all"
                    );
                    return Err(document.error(0..0, message));
                }
                if *values > MAX_VALUES {
                    // Most values are offers and prices: they are read again when they are needed.
                    document.is_whole = false;
                    document.content.offer = Vec::new();
                    document.content.price = Vec::new();
                }
                if at == 0 {
                    let FileContent {
                        sold_by, defaults, ..
                    } = &document.content;
                    head = Arc::new(FileSettings {
                        sold_by: sold_by.as_ref().map(Spanned::elsewhere),
                        defaults: defaults.as_ref().map(OfferDefaults::elsewhere),
                    });
                }
                self.documents.push(document);
            }
            self.parts.push(part);
        }
        Ok(())
    }

    /// Returns the files of overlays, in order.
    pub fn overlays(&self) -> impl Iterator<Item = &'s str> {
        let files = self.files.iter();
        let files = files.filter(|source| !source.layer.is_embedded());
        files.map(|source| &source.file[..])
    }

    /// Calls `then` with every part that may have offers or prices, in order, and its number.
    pub fn each_with_offers(
        &self,
        mut then: impl FnMut(usize, Result<&CatalogDocument, Diagnostic>),
    ) {
        let whole_documents = self.documents.iter().filter(|document| document.is_whole);
        let whole_parts: BTreeSet<usize> = whole_documents.map(|document| document.part).collect();
        let read: Vec<usize> = (0..self.parts.len())
            .filter(|at| !whole_parts.contains(at) && self.parts[*at].may_have_offers())
            .collect();
        let kept = self.documents.iter().filter(|document| document.is_whole);
        let mut kept = kept.peekable();
        self.parse_each(&read, |at, document| {
            while let Some(earlier) = kept.next_if(|kept| kept.part < at) {
                then(earlier.part, Ok(earlier));
            }
            then(at, document.as_ref().map_err(Diagnostic::clone));
        });
        for document in kept {
            then(document.part, Ok(document));
        }
    }

    /// Parses parts on all cores, and calls `then` with each in order.
    fn parse_each(
        &self,
        read: &[usize],
        mut then: impl FnMut(usize, &Result<CatalogDocument, Diagnostic>),
    ) {
        let threads = parallel::threads(read.len().div_ceil(2));
        if threads < 2 {
            return read
                .iter()
                .for_each(|at| then(*at, &self.parts[*at].parse(*at)));
        }
        std::thread::scope(|scope| {
            // Each thread has a channel and parses every n-th part, so parts arrive in order.
            let parsers = (0..threads).map(|thread| {
                let (send, parsed) = mpsc::sync_channel(1);
                // Documents go back to their thread: freeing many small texts is faster where they were allocated.
                let (give_back, used) = mpsc::channel::<Result<CatalogDocument, Diagnostic>>();
                let parse = move || {
                    for at in read.iter().skip(thread).step_by(threads) {
                        used.try_iter().for_each(drop);
                        if send.send(self.parts[*at].parse(*at)).is_err() {
                            break;
                        }
                    }
                };
                // Without a thread, its parts are parsed below.
                let _ = std::thread::Builder::new().spawn_scoped(scope, parse);
                (parsed, give_back)
            });
            let parsers: Vec<_> = parsers.collect();
            for (turn, at) in read.iter().enumerate() {
                let (parsed, give_back) = &parsers[turn % threads];
                let document = parsed.recv();
                let document = document.unwrap_or_else(|_| self.parts[*at].parse(*at));
                then(*at, &document);
                let _ = give_back.send(document);
            }
        });
    }
}

impl<'s> FilePart<'s> {
    /// A TOML file in one part.
    fn of_all(source: &'s Source) -> Self {
        Self {
            source,
            text: &source.text,
            lines_before: 0,
            form: PartFormat::Toml(Arc::default()),
        }
    }

    fn may_have_offers(&self) -> bool {
        self.source.is_csv() || self.text.contains("offer") || self.text.contains("price")
    }

    fn parse(&self, part: usize) -> Result<CatalogDocument, Diagnostic> {
        let document = |content| CatalogDocument {
            layer: self.source.layer,
            file: self.source.file.clone(),
            text: self.text.to_owned(),
            lines_before: self.lines_before,
            has_rows: self.source.is_csv(),
            dialect: match &self.form {
                PartFormat::Csv(columns) => columns.dialect,
                PartFormat::Toml(_) => None,
            },
            content,
            row_errors: Vec::new(),
            part,
            is_whole: true,
        };
        let failed = |at, message| document(FileContent::default()).error(at, message);
        match &self.form {
            PartFormat::Csv(columns) => {
                let (content, errors) = columns.read(self.text);
                let mut document = document(content);
                let errors = errors.into_iter();
                document.row_errors = errors
                    .map(|(at, message)| document.error(at, message))
                    .collect();
                Ok(document)
            }
            PartFormat::Toml(head) => {
                if count_values(self.text) > MAX_VALUES {
                    let message = format!(
                        "there are more than {MAX_VALUES} values in one piece: write each item as `[[…]]`, and no text over several lines"
                    );
                    return Err(failed(0..0, message));
                }
                // A host hands over texts only.
                #[cfg(not(target_family = "wasm"))]
                if let Ok(content) = rmp_serde::from_slice(self.source.parsed) {
                    return Ok(document(content));
                }
                let mut content: FileContent = toml_file::read(self.text).map_err(|error| {
                    let message = error.message.trim().replace('\n', "; ");
                    failed(error.span.unwrap_or(0..0), message)
                })?;
                if head.sold_by.is_some() {
                    content.sold_by.clone_from(&head.sold_by);
                }
                let defaults = head.defaults.clone().or_else(|| content.defaults.clone());
                if let Some(defaults) = defaults {
                    content.complete(&defaults, !self.source.layer.is_embedded());
                }
                Ok(document(content))
            }
        }
    }
}

/// Splits a text into parts, each with the lines before it: `end` finds the end of the first part of a
/// text. There is at least one.
fn parts(
    text: &str,
    mut lines_before: usize,
    end: impl Fn(&str) -> usize,
) -> impl Iterator<Item = (&str, usize)> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let (part, later) = rest.map(|text| text.split_at(end(text)))?;
        rest = Some(later).filter(|later| !later.is_empty());
        let lines = lines_before;
        lines_before += memchr::memchr_iter(b'\n', part.as_bytes()).count();
        Some((part, lines))
    })
}

/// The ends of lines after the minimum length of a part.
fn line_ends(text: &str) -> impl Iterator<Item = usize> {
    let rest = text.as_bytes().get(PART..).unwrap_or_default();
    memchr::memchr_iter(b'\n', rest).map(|at| PART + at + 1)
}

/// Returns the end of the first rows of a CSV file. A quoted line break does not end a row.
fn row_end(text: &str) -> usize {
    let (mut from, mut is_quoted) = (0, false);
    let ends_row = |end: &usize| {
        let quotes = memchr::memchr_iter(b'"', &text.as_bytes()[from..*end]).count();
        is_quoted ^= quotes % 2 == 1;
        from = *end;
        !is_quoted
    };
    let end = line_ends(text).find(ends_row);
    end.unwrap_or(text.len())
}

/// Returns the end of the first items of a TOML text: before the header of the next item. The header of a part of an
/// item has a dot, as in `[[accelerator.disputed]]`.
fn item_end(text: &str) -> usize {
    let begins_item = |at: &usize| {
        let name = text[*at..]
            .strip_prefix("[[")
            .and_then(|rest| rest.lines().next()?.split_once("]]"));
        name.is_some_and(|(name, _)| name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'))
    };
    let end = line_ends(text).find(begins_item);
    end.unwrap_or(text.len())
}

/// Returns whether a part that begins with the header of an item has only offers and prices.
fn has_only_offers(text: &str) -> bool {
    let mut headers = text
        .lines()
        .filter(|line| line.trim_start().starts_with('['));
    headers.all(|line| matches!(line.trim_end(), "[[offer]]" | "[[price]]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_split(text: &str, end: impl Fn(&str) -> usize) -> Vec<usize> {
        let found: Vec<(&str, usize)> = parts(text, 3, end).collect();
        let joined: String = found.iter().map(|(part, _)| *part).collect();
        assert_eq!(joined, text);
        let mut lines = 3;
        for (part, before) in &found {
            assert_eq!(*before, lines);
            lines += part.matches('\n').count();
        }
        found.iter().map(|(part, _)| part.len()).collect()
    }

    #[test]
    fn splits_before_items_and_rows_only() {
        assert_eq!(is_split("", item_end), [0]);
        assert_eq!(is_split("[[offer]]\nid = 1\n", item_end), [17]);
        // Comments up to the minimum length of a part, then a header that belongs to an item.
        let long = "# 345678901234\n".repeat(PART / 15 + 1);
        let inner = format!("{long}[[offer.part]]\n[x]\n[[1]]\n");
        let text = format!("{inner}[[offer]]\nid = 1\n");
        assert_eq!(is_split(&text, item_end), [inner.len(), 17]);
        // A quoted line break.
        let quoted = format!("{long}a,\"b\nc\",d\n");
        let text = format!("{quoted}e,f\n");
        assert_eq!(
            is_split(&text, row_end),
            [long.len(), text.len() - long.len()]
        );
        let text = format!("\"\n{long}");
        assert_eq!(is_split(&text, row_end), [text.len()]);
    }

    #[test]
    fn reads_parsed_files() {
        let text = r#"
sold_by = "p"
[[tool]]
id = "t"
name = "T"
version = "1"
providers = { p = "P" }
source = "s"
as_of = "2026"
[[price]]
offer = "x"
capacity_type = "spot"
as_of = "2026"
usd_per_hour = { a = 1.5 }
[[price]]
offer = "y"
capacity_type = "spot"
as_of = "2026"
usd_per_accelerator_hour = 2
"#;
        let written = Source::toml(Layer::EMBEDDED, "a.toml", text);
        let read = Source {
            text: "not parsed".into(),
            parsed: written.parse().unwrap().leak(),
            ..written.clone()
        };
        let content = |source| {
            let documents = Sources::read(std::slice::from_ref(source))
                .unwrap()
                .documents;
            let contents = documents.into_iter().map(|document| document.content);
            format!("{:?}", contents.collect::<Vec<_>>())
        };
        assert_eq!(content(&written), content(&read));
        assert!(content(&read).contains("ByRegion({\"a\": 1.5})"));
        assert!(
            Source::toml(Layer::EMBEDDED, "a.toml", "a = ")
                .parse()
                .is_err()
        );
    }

    #[test]
    fn recognizes_parts_with_only_offers() {
        assert!(has_only_offers("[[offer]]\nid = 1\n[[price]]\nx = [1]\n"));
        for other in ["[[offer]]\n[[model]]\n", "[[ offer ]]\n", "[catalog]\n"] {
            assert!(!has_only_offers(other), "{other}");
        }
    }
}
