//! Converts results to text in every output format.

mod csv;
mod html;
mod line;
mod table;
mod yaml;

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Write as _};
use std::mem::ManuallyDrop;

use anstyle::Style;
use maud::Markup;
use serde::Serialize;
use serde_json::{Map, Value};
use sky_accel_core::text::{grouped, printable};
use sky_accel_engine::contract::{CatalogInfo, Envelope, Nothing};
use sky_accel_engine::{Error, json};
use unicode_width::UnicodeWidthStr;

pub use html::HtmlAnswer;
pub use line::Line;
pub use table::{Column, RowStyle, Table};
#[cfg(not(target_family = "wasm"))]
pub use table::{LaidOut, cut};

use crate::cli::OutputFormat;
use crate::exit_code::ExitCode;
use crate::flags::{replace, translate_notes, translated, with_flags};
use crate::ui::{BOLD, Ui};
pub use crate::ui::{Footer, MarkNote};

/// Result of a command, for any output format.
pub struct Report<'r, Req, Res, More = Nothing> {
    pub envelope: Envelope<'r, Req, Res, More>,
    /// CSV columns: paths into a result, such as `on_demand.usd_per_hour`.
    pub csv: &'static [&'static str],
    /// Lines of `-o names`.
    pub names: Vec<String>,
    /// Builds the page for people from the results and a flag for all columns.
    pub page: MakePage<'r, Res>,
    /// Lines on standard error after a page.
    pub footer: Footer,
    pub exit_code: ExitCode,
}

type MakePage<'r, Res> = Box<dyn FnOnce(&[Res], bool) -> Page + 'r>;

/// Output for people.
#[derive(Default)]
pub struct Page {
    pub blocks: Vec<Block>,
}

/// Part of a page.
pub enum Block {
    Heading(String),
    Text(String),
    /// A command to type, after a label.
    Command {
        label: String,
        command: String,
    },
    /// Labels with texts next to them.
    Items(Vec<(String, String)>),
    /// Preformatted lines, such as a chart.
    Picture(Vec<Line>),
    /// A drawing, which only a page has.
    Drawing(Markup),
    Table(Table),
}

impl Page {
    pub fn table(table: Table) -> Self {
        Self {
            blocks: vec![Block::Table(table)],
        }
    }

    /// Writes the page alone.
    #[cfg(not(target_family = "wasm"))]
    pub fn print(self, ui: &mut Ui) -> io::Result<()> {
        let width = ui.width();
        show(ui, self, width, &[]).map(drop)
    }
}

/// Writes a report: data, then notes and footer. A page contains both.
pub fn print<Req: Serialize, Res: Serialize, More: Serialize>(
    ui: &mut Ui,
    format: OutputFormat,
    report: Report<'_, Req, Res, More>,
) -> io::Result<ExitCode> {
    if format.is_html() {
        let exit_code = report.exit_code;
        let text = page_of(ui, report, format == OutputFormat::Html)?;
        ui.stdout().write_all(text.as_bytes())?;
        return Ok(exit_code);
    }
    let Report {
        envelope,
        csv,
        names,
        page,
        footer,
        exit_code,
    } = report;
    let mut kept = ManuallyDrop::new(envelope);
    translate_notes(&mut kept.notes);
    for answer in &mut kept.live {
        translate_notes(&mut answer.errors);
    }
    let envelope: &Envelope<'_, Req, Res, More> = &kept;
    let mut printed = PrintedPage::default();
    match format {
        OutputFormat::Json => json::write_pretty(ui.stdout(), envelope)?,
        OutputFormat::Jsonl => json_lines(ui, envelope)?,
        OutputFormat::Csv => csv::write(ui.stdout(), csv, &envelope.results)?,
        OutputFormat::Yaml => {
            // Convert to `serde_json::Value` first: the YAML serializer is then compiled for one type.
            let values = serde_json::to_value(envelope)?;
            ui.stdout().write_all(yaml::document(&values)?.as_bytes())?;
        }
        OutputFormat::Names => {
            // A program that receives the names as arguments would parse this name as an option.
            let (options, names): (Vec<String>, Vec<String>) =
                names.into_iter().partition(|name| name.starts_with('-'));
            for name in names {
                ui.name(&name)?;
            }
            for name in options {
                ui.footer(&format!("skipped '{name}': it would be read as a flag"))?;
            }
        }
        // `page_of` wrote them.
        OutputFormat::Html | OutputFormat::Fragment => {}
        OutputFormat::Table | OutputFormat::Wide => {
            let wide = format == OutputFormat::Wide;
            let width = if wide { None } else { ui.width() };
            printed = show(ui, page(&envelope.results, wide), width, &footer.marks)?;
        }
    }
    ui.flush()?;
    ui.notes(&envelope.notes)?;
    let mut footer = if format.is_page() {
        footer
    } else {
        Footer::default()
    };
    let marks = std::mem::take(&mut footer.marks).into_iter();
    let seen = marks.zip(printed.has_marks).filter(|(_, is_seen)| *is_seen);
    footer.parts.extend(seen.map(|(note, _)| note.to_string()));
    let left_off = envelope
        .left_off
        .filter(|more| format.is_page() && *more > 0);
    let more = left_off.map(|more| format!("{} more: raise --limit", grouped(more as f64)));
    footer.parts.splice(0..0, more);
    // JSON and YAML documents list overlays in their `catalog` block.
    let overlays = overlays(&envelope.catalog).filter(|_| !format.is_document());
    footer.parts.extend(overlays);
    if footer.parts.is_empty() {
        let last = footer.advice.pop().or_else(|| footer.lines.pop());
        footer.parts.extend(last);
    }
    for line in footer.lines.iter().chain(&footer.advice) {
        ui.footer(line)?;
    }
    let hidden = printed.hidden;
    let columns = (!hidden.is_empty()).then(|| hidden.join(", "));
    ui.last_line(&footer, columns.as_deref())?;
    if !ui.ends_process() {
        drop(ManuallyDrop::into_inner(kept));
    }
    Ok(exit_code)
}

/// Returns a report as a page for browsers, or as the sections of one.
pub fn page_of<Req: Serialize, Res, More>(
    ui: &mut Ui,
    report: Report<'_, Req, Res, More>,
    is_whole: bool,
) -> io::Result<String> {
    let Report {
        envelope,
        page,
        footer,
        ..
    } = report;
    let (catalog, left_off) = (&envelope.catalog, envelope.left_off);
    let mut source = vec![format!("catalog {} of {}", catalog.version, catalog.as_of)];
    source.extend(overlays(catalog));
    let marks = footer.marks.iter().map(MarkNote::to_string).collect();
    let told = [footer.lines, footer.parts, marks, footer.hints].concat();
    let live = envelope.live.iter().flat_map(|answer| &answer.errors);
    let notes = live.chain(&envelope.notes).map(|note| note.message.clone());
    let answer = HtmlAnswer {
        request: serde_json::to_value(&envelope.request)?,
        schema: envelope.schema,
        page: page(&envelope.results, true),
        left_off: left_off.unwrap_or_default(),
        said: ui.take_page_messages(),
        source,
        notes: told.into_iter().chain(notes).collect(),
    };
    Ok(if is_whole {
        answer.document(&ui.today().to_string())
    } else {
        answer.fragment()
    })
}

/// Writes each result as a JSON line with its schema and request.
fn json_lines<Req: Serialize, Res: Serialize, More>(
    ui: &mut Ui,
    envelope: &Envelope<'_, Req, Res, More>,
) -> io::Result<()> {
    let request = serde_json::to_value(&envelope.request)?;
    for result in &envelope.results {
        let mut line = Map::new();
        line.insert("schema".to_owned(), Value::from(envelope.schema));
        line.insert("request".to_owned(), request.clone());
        if let Value::Object(fields) = serde_json::to_value(result)? {
            line.extend(fields);
        }
        json::write_line(ui.stdout(), &line)?;
    }
    Ok(())
}

/// Error in place of a result.
pub fn error_line(error: &Error) -> io::Result<Map<String, Value>> {
    match serde_json::to_value(error.envelope())? {
        Value::Object(line) => Ok(line),
        _ => Ok(Map::new()),
    }
}

/// Maximum number of notes over all answers of a stream.
const MAX_NOTED: usize = 1000;

/// Minimum width of the text next to a label, in columns.
const LEAST_BESIDE: usize = 20;

/// Streams answers as JSON lines or CSV, without keeping them.
pub struct StreamedRows {
    format: OutputFormat,
    columns: &'static [&'static str],
    has_header: bool,
    /// Hashes of the notes already written.
    noted: HashSet<u64>,
}

impl StreamedRows {
    /// Whether a format can be streamed.
    pub fn are_of(format: OutputFormat) -> bool {
        matches!(format, OutputFormat::Jsonl | OutputFormat::Csv)
    }

    pub fn new(format: OutputFormat, columns: &'static [&'static str]) -> Self {
        Self {
            format,
            columns,
            has_header: false,
            noted: HashSet::new(),
        }
    }

    /// Writes the results of an answer, and its notes unless an earlier answer had them.
    pub fn answer<Req: Serialize, Res: Serialize, More>(
        &mut self,
        ui: &mut Ui,
        mut envelope: Envelope<'_, Req, Res, More>,
    ) -> io::Result<()> {
        match self.format {
            OutputFormat::Csv if self.has_header => {
                csv::write_rows(ui.stdout(), self.columns, &envelope.results)?;
            }
            OutputFormat::Csv => {
                csv::write(ui.stdout(), self.columns, &envelope.results)?;
                self.has_header = true;
            }
            _ => json_lines(ui, &envelope)?,
        }
        translate_notes(&mut envelope.notes);
        let noted = self.noted.len();
        envelope.notes.retain(|note| {
            let mut hasher = DefaultHasher::new();
            note.message.hash(&mut hasher);
            noted < MAX_NOTED && self.noted.insert(hasher.finish())
        });
        if envelope.notes.is_empty() {
            return Ok(());
        }
        ui.flush()?;
        ui.notes(&envelope.notes)
    }

    /// Writes an error: as a JSON line among the answers, or to standard error.
    pub fn error(&self, ui: &mut Ui, error: &Error) -> io::Result<()> {
        match self.format {
            OutputFormat::Jsonl => {
                let Some(envelope) = translated(error).envelope() else {
                    return Ok(());
                };
                json::write_line(ui.stdout(), &envelope)
            }
            _ => ui.error(error, false),
        }
    }
}

/// Returns `catalog with the overlay ours/prices.toml`; `None` without overlays.
pub fn overlays(catalog: &CatalogInfo<'_>) -> Option<String> {
    match &catalog.overlays[..] {
        [] => None,
        [only] => Some(format!("catalog with the overlay {only}")),
        [.., last] => Some(format!(
            "catalog with {} overlays, the last one {last}",
            catalog.overlays.len()
        )),
    }
}

/// The hidden columns of a printed page, and the marks on it.
#[derive(Default)]
struct PrintedPage {
    /// The titles of hidden columns.
    hidden: Vec<Cow<'static, str>>,
    /// For each mark, whether the page has it.
    has_marks: Vec<bool>,
}

/// Prints a page, and looks for marks on it.
fn show(
    ui: &mut Ui,
    page: Page,
    width: Option<usize>,
    marks: &[MarkNote],
) -> io::Result<PrintedPage> {
    let mut printed = PrintedPage {
        hidden: Vec::new(),
        has_marks: vec![false; marks.len()],
    };
    for (at, block) in page.blocks.into_iter().enumerate() {
        if at > 0 && matches!(block, Block::Heading(_)) {
            ui.line("")?;
        }
        let mut look = |text: &[u8]| {
            for (has_mark, note) in printed.has_marks.iter_mut().zip(marks) {
                let mark = note.mark.as_bytes();
                *has_mark = *has_mark || text.windows(mark.len()).any(|part| part == mark);
            }
        };
        let titles = match block {
            Block::Table(table) => table.each_line(width, |style, line| {
                look(line);
                ui.styled_text(style, line)
            })?,
            block => {
                let (lines, titles) = block.lines(width);
                for line in lines {
                    for (_, text) in &line {
                        look(text.as_bytes());
                    }
                    ui.styled_line(&line)?;
                }
                titles
            }
        };
        for title in titles {
            if !printed.hidden.contains(&title) {
                printed.hidden.push(title);
            }
        }
    }
    Ok(printed)
}

impl Block {
    /// Returns the lines for a width, and the titles of hidden columns. Sentences of the library get flags in place of
    /// fields; a text stays, because it may be a document.
    pub fn lines(self, width: Option<usize>) -> (Vec<Line>, Vec<Cow<'static, str>>) {
        let in_style = |style: Style, text: &str| -> Vec<Line> {
            let lines = wrap(text, width).into_iter();
            lines.map(|line| vec![(style, line)]).collect()
        };
        let lines = match self {
            Self::Heading(text) => in_style(BOLD, &with_flags(&text)),
            Self::Text(text) => in_style(Style::new(), &text),
            Self::Command { label, command } => {
                in_style(Style::new(), &format!("{label}: {command}"))
            }
            Self::Items(mut items) => {
                for (_, text) in &mut items {
                    replace(text);
                }
                items_in_lines(&items, width)
            }
            Self::Picture(lines) => lines,
            Self::Drawing(_) => Vec::new(),
            Self::Table(table) => return table.styled_lines(width),
        };
        (lines, Vec::new())
    }
}

/// Lays out labels with texts next to them. A label that would leave little room for the texts has a separate line.
fn items_in_lines(items: &[(String, String)], width: Option<usize>) -> Vec<Line> {
    let most = width.map_or(usize::MAX, |width| width / 2);
    let width_of = |label: &str| UnicodeWidthStr::width(label);
    let labels = items.iter().map(|(label, _)| width_of(label));
    let indent = labels.filter(|width| *width < most).max().unwrap_or(0) + 2;
    let mut lines = Vec::new();
    for (label, text) in items {
        let mut label = label.as_str();
        if width_of(label) >= most {
            lines.push(vec![(Style::new(), label.to_owned())]);
            label = "";
        }
        let beside = width.map(|width| width.saturating_sub(indent).max(LEAST_BESIDE));
        for line in wrap(text, beside) {
            lines.push(vec![(Style::new(), format!("{label:<indent$}{line}"))]);
            label = "";
        }
    }
    lines
}

/// Wraps a text at spaces to lines of at most `width` columns.
fn wrap(text: &str, width: Option<usize>) -> Vec<String> {
    let text = &printable(text);
    let Some(width) = width else {
        return vec![text.clone()];
    };
    let options = textwrap::Options::new(width)
        .break_words(false)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    let lines = textwrap::wrap(text, options).into_iter();
    lines.map(Cow::into_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::{items_in_lines, wrap};

    #[test]
    fn wide_labels_have_their_own_line() {
        let item = |label: &str| (label.to_owned(), "one two".to_owned());
        let items = [item("--a 1"), item("--long-option 2")];
        let lines = |width| {
            let lines = items_in_lines(&items, width).into_iter().flatten();
            lines.map(|(_, line)| line).collect::<Vec<_>>()
        };
        assert_eq!(
            lines(Some(20)),
            ["--a 1  one two", "--long-option 2", "       one two"]
        );
        assert_eq!(
            lines(None),
            ["--a 1            one two", "--long-option 2  one two"]
        );
        // A label of half the width has its own line, and a shorter one does not.
        let items = [item("--a 1"), item("--ninecol"), item("--tencolum")];
        let lines = |width| {
            let lines = items_in_lines(&items, width).into_iter().flatten();
            lines.map(|(_, line)| line).collect::<Vec<_>>()
        };
        assert_eq!(
            lines(Some(18)),
            [
                "--a 1  one two",
                "--ninecol",
                "       one two",
                "--tencolum",
                "       one two"
            ]
        );
        assert_eq!(
            lines(Some(20)),
            [
                "--a 1      one two",
                "--ninecol  one two",
                "--tencolum",
                "           one two"
            ]
        );
    }

    #[test]
    fn long_texts_break_at_spaces() {
        assert_eq!(wrap("one two three", Some(7)), ["one two", "three"]);
        assert_eq!(wrap("one two three", None), ["one two three"]);
        assert_eq!(wrap("one\u{1b}[2Jtwo", Some(20)), ["one\\u{1b}[2Jtwo"]);
    }
}
