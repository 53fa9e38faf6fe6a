//! The only code that writes to a stream: data to standard output, messages to standard error.

use std::fmt;
use std::io::{self, BufRead, BufWriter, Cursor, IsTerminal as _, Stderr, Stdin, Stdout, Write};

use anstream::AutoStream;
use anstream::stream::RawStream;
use anstyle::{AnsiColor, Style};
use clap::ColorChoice;
use jiff::civil::Date;
use sky_accel_core::text::{printable, some_of};
use sky_accel_engine::NAMED;
use sky_accel_engine::asking::{Event, Progress};
use sky_accel_engine::contract::NoteOut;
use sky_accel_engine::{Error, Problem, TextPosition};
use unicode_width::UnicodeWidthChar;

use crate::flags::{translated, with_flags};
use crate::settings::Settings;

/// Minimum and maximum table width, in columns.
const WIDTHS: std::ops::RangeInclusive<usize> = 60..=160;

/// Minimum width of a wrapped message, in columns.
const MIN_WIDTH: usize = 20;

/// Maximum number of notes shown without `--verbose`.
const MAX_NOTES: usize = 2;

/// Style of headings.
pub const BOLD: Style = Style::new().bold();
/// Style of secondary text.
pub const DIM: Style = Style::new().dimmed();
/// Style of the best row.
pub const BEST: Style = AnsiColor::Green.on_default().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();
const NOTE: Style = AnsiColor::Cyan.on_default().bold();

/// Lines on standard error after a page.
#[derive(Default)]
pub struct Footer {
    /// Separate lines.
    pub lines: Vec<String>,
    /// Parts of the last line; with `--verbose`, a line for each.
    pub parts: Vec<String>,
    /// Explanations of marks, as parts after the others. A table without a mark leaves its explanation out.
    pub marks: Vec<MarkNote>,
    /// Parts that are left out if the last line has no room for them.
    pub hints: Vec<String>,
    /// Suggested commands, as separate lines; a page leaves them out.
    pub advice: Vec<String>,
    /// Whether `--verbose` shows more than the footer.
    pub has_details: bool,
}

/// The explanation of a mark that cells begin with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkNote {
    pub mark: &'static str,
    pub meaning: String,
}

impl fmt::Display for MarkNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.mark, self.meaning)
    }
}

impl From<Vec<String>> for Footer {
    fn from(lines: Vec<String>) -> Self {
        Self {
            lines,
            ..Self::default()
        }
    }
}

/// Where a command reads its input.
enum Input {
    Process(Stdin),
    Memory(Cursor<Vec<u8>>),
}

/// Where a command writes: a stream of the process, or memory.
enum Sink<S: RawStream> {
    Process(AutoStream<S>),
    Memory(AutoStream<Vec<u8>>),
}

impl<S: RawStream> Sink<S> {
    /// The captured bytes; none for a stream of the process.
    fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Process(_) => Vec::new(),
            Self::Memory(bytes) => bytes.into_inner(),
        }
    }
}

impl<S: RawStream> Write for Sink<S>
where
    AutoStream<S>: Write,
{
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Process(stream) => stream.write(bytes),
            Self::Memory(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Process(stream) => stream.flush(),
            Self::Memory(stream) => stream.flush(),
        }
    }
}

/// Standard input, standard output and standard error, with the settings that control them.
pub struct Ui {
    input: Input,
    stdout: BufWriter<Sink<Stdout>>,
    /// Whether styles are written to standard output.
    color: bool,
    /// The requested color mode.
    #[cfg(not(target_family = "wasm"))]
    choice: anstream::ColorChoice,
    stderr: Sink<Stderr>,
    /// Whether styles are written to standard error.
    stderr_color: bool,
    /// Whether names end with NUL instead of a line feed.
    null: bool,
    quiet: bool,
    width: Option<usize>,
    /// Width of the terminal on standard error; `None` if it is not a terminal.
    stderr_width: Option<usize>,
    /// Whether notes are part of the data, as in JSON and YAML, instead of messages.
    notes_are_data: bool,
    verbose: bool,
    /// Whether standard error is a terminal on which a progress line can be overwritten.
    shows_progress: bool,
    /// Whether a progress line is on the terminal now.
    progress_is_shown: bool,
    /// Messages that a page will contain, instead of standard error; `None` for other formats.
    page_messages: Option<Vec<String>>,
    /// The day of the answer.
    today: Option<Date>,
}

impl Ui {
    pub fn new(settings: &Settings) -> Self {
        let choice = match settings.color {
            ColorChoice::Auto => anstream::ColorChoice::Auto,
            ColorChoice::Always => anstream::ColorChoice::Always,
            ColorChoice::Never => anstream::ColorChoice::Never,
        };
        let stdout = io::stdout();
        let color = has_color(&stdout, choice);
        // Without color no style is written, so skip the scan that strips escape sequences.
        let choice_out = if color {
            choice
        } else {
            anstream::ColorChoice::AlwaysAnsi
        };
        let stderr = io::stderr();
        let stderr_color = has_color(&stderr, choice);
        // Without color no style is written, so skip the scan that strips escape sequences. A terminal also gets
        // sequences without a style, for example to clear a line.
        let choice_err = if stderr_color || stderr.is_terminal() {
            choice
        } else {
            anstream::ColorChoice::AlwaysAnsi
        };
        Self {
            input: Input::Process(io::stdin()),
            stdout: BufWriter::new(Sink::Process(AutoStream::new(stdout, choice_out))),
            color,
            #[cfg(not(target_family = "wasm"))]
            choice,
            stderr: Sink::Process(AutoStream::new(stderr, choice_err)),
            stderr_color,
            null: settings.null,
            quiet: settings.quiet,
            width: settings.width.or_else(terminal_width),
            stderr_width: stderr_width(settings),
            notes_are_data: settings.output.has_notes(),
            verbose: settings.verbose,
            shows_progress: !settings.quiet
                && !settings.verbose
                && io::stderr().is_terminal()
                && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
            progress_is_shown: false,
            page_messages: settings.output.is_html().then(Vec::new),
            today: settings.today,
        }
    }

    /// Reads the input from memory, and keeps all output in memory.
    pub fn captured(settings: &Settings, input: Vec<u8>) -> Self {
        Self {
            input: Input::Memory(Cursor::new(input)),
            // Without color no style is written, so skip the scan that strips escape sequences.
            stdout: BufWriter::new(Sink::Memory(AutoStream::always_ansi(Vec::new()))),
            color: false,
            #[cfg(not(target_family = "wasm"))]
            choice: anstream::ColorChoice::Never,
            stderr: Sink::Memory(AutoStream::never(Vec::new())),
            stderr_color: false,
            null: settings.null,
            quiet: settings.quiet,
            width: settings.width,
            stderr_width: None,
            notes_are_data: settings.output.has_notes(),
            verbose: settings.verbose,
            shows_progress: false,
            progress_is_shown: false,
            page_messages: settings.output.is_html().then(Vec::new),
            today: settings.today,
        }
    }

    /// The captured standard output and standard error.
    pub fn into_captured(self) -> io::Result<(Vec<u8>, Vec<u8>)> {
        let stdout = self.stdout.into_inner()?;
        Ok((stdout.into_bytes(), self.stderr.into_bytes()))
    }

    /// Whether the process ends after this command, so that freeing memory would only cost time.
    pub fn ends_process(&self) -> bool {
        matches!(self.input, Input::Process(_))
    }

    /// Reads from standard input. What is not read stays for the next reader.
    pub fn read<T>(&mut self, read: impl FnOnce(&mut dyn BufRead) -> T) -> T {
        match &mut self.input {
            Input::Process(stdin) => read(&mut stdin.lock()),
            Input::Memory(bytes) => read(bytes),
        }
    }

    /// Returns a reader of all remaining standard input, for commands that write while they read.
    pub fn rest_of_input(&mut self) -> Box<dyn BufRead> {
        match &mut self.input {
            Input::Process(stdin) => Box::new(stdin.lock()),
            Input::Memory(bytes) => Box::new(std::mem::take(bytes)),
        }
    }

    /// Shows the progress of a live query.
    pub fn live_progress(&mut self, progress: Progress<'_>) {
        match progress {
            Progress::Waiting(providers) => self.progress(providers),
            Progress::Event(event) => self.event(&event),
        }
    }

    /// Shows the providers that have not answered yet, on a line that is overwritten later.
    pub fn progress(&mut self, waiting: &[&str]) {
        if !self.shows_progress {
            return;
        }
        self.clear_progress();
        if !waiting.is_empty() {
            self.overwritten(&format!("querying {} …", some_of(waiting)));
        }
    }

    /// Shows a status line, replacing the previous one.
    #[cfg(not(target_family = "wasm"))]
    pub fn status(&mut self, text: &str) {
        if !self.shows_progress {
            return;
        }
        self.clear_progress();
        self.overwritten(text);
    }

    /// Writes a line that is overwritten later. Of a line that wraps, only the last row could be cleared.
    fn overwritten(&mut self, text: &str) {
        let columns = self.width().unwrap_or(80).saturating_sub(1);
        let text: String = printable(text).chars().take(columns).collect();
        let _ = write!(self.stderr, "{text}");
        let _ = self.stderr.flush();
        self.progress_is_shown = true;
    }

    /// Whether standard output is a terminal.
    pub fn is_terminal(&self) -> bool {
        self.ends_process() && io::stdout().is_terminal()
    }

    /// The style of a text on standard error: none without color.
    fn of_stderr(&self, style: Style) -> Style {
        if self.stderr_color {
            style
        } else {
            Style::new()
        }
    }

    fn clear_progress(&mut self) {
        if std::mem::take(&mut self.progress_is_shown) {
            // Return to the first column and clear the line.
            let _ = write!(self.stderr, "\r\u{1b}[2K");
        }
    }

    /// With `--verbose`, prints each call to a provider.
    fn event(&mut self, event: &Event<'_>) {
        if !self.verbose {
            return;
        }
        let line = match event {
            Event::Call {
                provider,
                operation,
                outcome,
                milliseconds,
                attempt,
            } => {
                let again = if *attempt > 1 {
                    format!(", attempt {attempt}")
                } else {
                    String::new()
                };
                format!("{provider}: {operation}: {outcome} ({milliseconds} ms{again})")
            }
            Event::Cached {
                provider,
                operation,
                age_s,
            } => format!("{provider}: {operation}: cached {} ago", duration(*age_s)),
            Event::CacheUnwritable { reason } => format!("the cache cannot be written: {reason}"),
        };
        let _ = self.footer(&line);
    }

    /// Whether the terminal browser uses color.
    #[cfg(not(target_family = "wasm"))]
    pub fn colors_terminal(&self) -> bool {
        match self.choice {
            anstream::ColorChoice::Auto => {
                std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            }
            choice => choice != anstream::ColorChoice::Never,
        }
    }

    /// Width of the terminal on standard output; `None` in a pipe, where nothing is truncated.
    pub fn width(&self) -> Option<usize> {
        self.width
            .map(|width| width.clamp(*WIDTHS.start(), *WIDTHS.end()))
    }

    /// Returns the writer of standard output.
    pub fn stdout(&mut self) -> &mut impl Write {
        &mut self.stdout
    }

    /// Writes a line to standard output.
    pub fn line(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        writeln!(self.stdout, "{}", text.as_ref())
    }

    /// Writes a name to standard output, ended by a line feed or, with `-0`, by NUL.
    pub fn name(&mut self, name: &str) -> io::Result<()> {
        let end = if self.null { '\0' } else { '\n' };
        write!(self.stdout, "{}{end}", printable(name))
    }

    /// Writes a line of styled text to standard output.
    pub fn styled_line(&mut self, spans: &[(Style, String)]) -> io::Result<()> {
        for (style, text) in spans {
            self.span(*style, text.as_bytes())?;
        }
        self.stdout.write_all(b"\n")
    }

    /// Writes a line of text in one style to standard output.
    pub fn styled_text(&mut self, style: Style, text: &[u8]) -> io::Result<()> {
        self.span(style, text)?;
        self.stdout.write_all(b"\n")
    }

    fn span(&mut self, style: Style, text: &[u8]) -> io::Result<()> {
        if !self.color {
            return self.stdout.write_all(text);
        }
        write!(self.stdout, "{style}")?;
        self.stdout.write_all(text)?;
        write!(self.stdout, "{style:#}")
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.stdout.flush()
    }

    /// Writes what no page contains, and flushes.
    pub fn finish(&mut self) -> io::Result<()> {
        for message in self.take_page_messages() {
            writeln!(self.stderr, "{}", printable(&with_flags(&message)))?;
        }
        self.flush()
    }

    /// Returns the messages so far, for a page.
    pub fn take_page_messages(&mut self) -> Vec<String> {
        let messages = self.page_messages.as_mut();
        messages.map(std::mem::take).unwrap_or_default()
    }

    /// Keeps a message for a page; returns whether there will be one.
    fn keep_for_page(&mut self, message: &str) -> bool {
        let messages = self.page_messages.as_mut();
        messages
            .map(|messages| messages.push(message.to_owned()))
            .is_some()
    }

    /// Returns the day of the answer.
    pub fn today(&self) -> Date {
        self.today.unwrap_or_else(sky_accel_engine::age::today)
    }

    /// Prints the notes of an answer; without `--verbose` at most [`MAX_NOTES`], and no details.
    /// Write the data first, so that notes follow it on a terminal.
    pub fn notes(&mut self, notes: &[NoteOut]) -> io::Result<()> {
        if self.notes_are_data {
            return Ok(());
        }
        let shown = notes.iter().filter(|note| self.verbose || !note.is_detail);
        // Each named card has a row or a note.
        let (named, others): (Vec<&NoteOut>, Vec<&NoteOut>) =
            shown.partition(|note| note.code == NAMED);
        let room = if self.verbose { usize::MAX } else { MAX_NOTES };
        for note in named.iter().chain(others.iter().take(room)) {
            self.labeled(NOTE, "note", &note.message)?;
        }
        match others.len().saturating_sub(room) {
            0 => Ok(()),
            1 => self.footer("1 more note: -v shows it"),
            more => self.footer(&format!("{more} more notes: -v shows them")),
        }
    }

    /// Writes a line to standard error without a label, unless `--quiet`.
    pub fn footer(&mut self, message: &str) -> io::Result<()> {
        if self.quiet || self.keep_for_page(message) {
            return Ok(());
        }
        self.flush()?;
        let dim = self.of_stderr(DIM);
        for line in self.wrapped("", message) {
            writeln!(self.stderr, "{dim}{line}{dim:#}")?;
        }
        Ok(())
    }

    /// Writes the parts of a footer as one line, then the hints for which the line has room. With `--verbose`, writes a
    /// line for each, and the names of hidden columns.
    pub fn last_line(&mut self, footer: &Footer, hidden_columns: Option<&str>) -> io::Result<()> {
        if self.verbose {
            for part in footer.parts.iter().chain(&footer.hints) {
                self.footer(part)?;
            }
            return match hidden_columns {
                Some(columns) => {
                    self.footer(&format!("hidden columns: {columns} (-o wide shows all)"))
                }
                None => Ok(()),
            };
        }
        let mut line = footer.parts.join("; ");
        let hints = footer.hints.iter().map(String::as_str);
        let hints = hints
            .chain(hidden_columns.map(|_| "-o wide: all columns"))
            .chain(footer.has_details.then_some("-v: more"));
        add_within(&mut line, hints, self.stderr_width);
        if line.is_empty() {
            Ok(())
        } else {
            self.footer(&line)
        }
    }

    /// Escapes a message and wraps it to the width of standard error. Continuation lines are
    /// aligned with the text after the label, or with the indentation of the message.
    fn wrapped(&self, label: &str, message: &str) -> Vec<String> {
        let message = printable(&with_flags(message));
        let Some(width) = self.stderr_width else {
            return vec![message];
        };
        let lead = message.len() - message.trim_start().len();
        let indent = " ".repeat(lead + if label.is_empty() { 0 } else { label.len() + 2 });
        let options = textwrap::Options::new(width.saturating_sub(indent.len()).max(MIN_WIDTH))
            .break_words(false)
            .word_splitter(textwrap::WordSplitter::NoHyphenation);
        let lines = textwrap::wrap(&message, options).into_iter().enumerate();
        lines
            .map(|(at, line)| match at {
                0 => line.into_owned(),
                _ => format!("{indent}{}", line.trim_start()),
            })
            .collect()
    }

    /// Writes a line to standard error, even with `--quiet`.
    pub fn stderr_line(&mut self, message: &str) -> io::Result<()> {
        if self.keep_for_page(message) {
            return Ok(());
        }
        self.flush()?;
        writeln!(self.stderr, "{}", printable(&with_flags(message)))
    }

    fn labeled(&mut self, style: Style, label: &str, message: &str) -> io::Result<()> {
        if self.quiet {
            return Ok(());
        }
        self.flush()?;
        let style = self.of_stderr(style);
        for (at, line) in self.wrapped(label, message).into_iter().enumerate() {
            if at == 0 {
                writeln!(self.stderr, "{style}{label}:{style:#} {line}")?;
            } else {
                writeln!(self.stderr, "{line}")?;
            }
        }
        Ok(())
    }

    /// Writes a suggested command to standard error; a page leaves it out.
    pub fn advice(&mut self, message: &str) -> io::Result<()> {
        if self.page_messages.is_some() {
            return Ok(());
        }
        self.stderr_line(message)
    }

    /// Prints an error beside an answer; a page contains it.
    pub fn error_beside(&mut self, error: &Error, as_json: bool) -> io::Result<()> {
        if self.page_messages.is_none() {
            return self.error(error, as_json);
        }
        for problem in &error.problems {
            self.keep_for_page(&sentence(problem));
        }
        Ok(())
    }

    /// Prints an error with the text that it points at.
    pub fn error(&mut self, error: &Error, as_json: bool) -> io::Result<()> {
        // A failed flush must not hide the error.
        let _ = self.finish();
        let mut error = translated(error);
        if as_json {
            if let Some(envelope) = error.envelope() {
                serde_json::to_writer_pretty(&mut self.stderr, &envelope)?;
                writeln!(self.stderr)?;
            }
            return Ok(());
        }
        if !self.verbose {
            error = error.condensed();
        }
        let (red, dim) = (self.of_stderr(ERROR), self.of_stderr(DIM));
        for problem in &error.problems {
            writeln!(
                self.stderr,
                "{red}error:{red:#} {}",
                printable(&sentence(problem))
            )?;
            if let Some(place) = &problem.place {
                self.place(place)?;
            }
            if let Some(advice) = &problem.advice {
                let advice = printable(advice);
                writeln!(self.stderr, "  {dim}hint:{dim:#} {advice}")?;
            }
        }
        Ok(())
    }

    /// Prints the source text with carets under the faulty part.
    fn place(&mut self, place: &TextPosition) -> io::Result<()> {
        let (red, dim) = (self.of_stderr(ERROR), self.of_stderr(DIM));
        if let Some(file) = &place.file {
            writeln!(self.stderr, "  {dim}-->{dim:#} {}", printable(file))?;
        }
        let (line, start, width) = caret(&place.text, &place.span);
        if line.trim().is_empty() {
            return Ok(());
        }
        writeln!(self.stderr, "  {dim}|{dim:#} {line}")?;
        writeln!(
            self.stderr,
            "  {dim}|{dim:#} {:start$}{red}{}{red:#}",
            "",
            "^".repeat(width)
        )
    }
}

/// Whether styles are written to a stream of the process.
fn has_color(stream: &impl RawStream, choice: anstream::ColorChoice) -> bool {
    let choice = match choice {
        anstream::ColorChoice::Auto => AutoStream::choice(stream),
        choice => choice,
    };
    choice != anstream::ColorChoice::Never
}

/// Returns the message with its suggestions.
fn sentence(problem: &Problem) -> String {
    if problem.hints.is_empty() {
        problem.message.clone()
    } else {
        format!(
            "{}: did you mean {}?",
            problem.message,
            problem.hints.join(", ")
        )
    }
}

/// Returns the printable text, and the first column and width of a span in it. Long texts are truncated
/// around the span.
fn caret(text: &str, span: &std::ops::Range<usize>) -> (String, usize, usize) {
    const SHOWN: usize = 96;
    let mut line = String::new();
    let (mut column, mut start, mut end) = (0, None, 0);
    let span = span.start..span.end.min(span.start + SHOWN);
    let from = span.start.saturating_sub(SHOWN / 2);
    for (at, c) in text.char_indices() {
        if at < from {
            continue;
        }
        if at >= span.start && start.is_none() {
            start = Some(column);
        }
        if column >= SHOWN && at >= span.end.max(span.start + 1) {
            line.push('…');
            break;
        }
        let shown = if c == '\t' {
            " ".to_owned()
        } else {
            printable(c.encode_utf8(&mut [0; 4]))
        };
        column += shown.chars().map(|c| c.width().unwrap_or(0)).sum::<usize>();
        line.push_str(&shown);
        if at < span.end {
            end = column;
        }
    }
    let start = start.unwrap_or(column);
    (line, start, end.saturating_sub(start).max(1))
}

/// Formats a duration in one unit: `40 s`, `12 min`, `3 h`, `2 d`.
pub fn duration(seconds: i64) -> String {
    match seconds {
        ..90 => format!("{seconds} s"),
        90..5400 => format!("{} min", (seconds + 30) / 60),
        5400..172_800 => format!("{} h", (seconds + 1800) / 3600),
        _ => format!("{} d", (seconds + 43_200) / 86_400),
    }
}

fn stderr_width(settings: &Settings) -> Option<usize> {
    if !io::stderr().is_terminal() {
        return None;
    }
    settings.width.or_else(stderr_terminal_width)
}

#[cfg(not(target_family = "wasm"))]
fn stderr_terminal_width() -> Option<usize> {
    terminal_size::terminal_size_of(io::stderr()).map(|(width, _)| width.0.into())
}

#[cfg(target_family = "wasm")]
fn stderr_terminal_width() -> Option<usize> {
    None
}

fn terminal_width() -> Option<usize> {
    terminal_size::terminal_size().map(|(width, _)| width.0 as usize)
}

/// Adds the parts for which a line has room.
fn add_within<'t>(line: &mut String, parts: impl Iterator<Item = &'t str>, width: Option<usize>) {
    const SEPARATOR: &str = "; ";
    for part in parts {
        let length = line.chars().count() + SEPARATOR.len() + part.chars().count();
        if line.is_empty() {
            line.push_str(part);
        } else if width.is_none_or(|width| length <= width) {
            line.push_str(SEPARATOR);
            line.push_str(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{add_within, caret, duration};

    #[test]
    fn durations_are_rounded_to_one_unit() {
        for (seconds, text) in [
            (0, "0 s"),
            (89, "89 s"),
            (90, "2 min"),
            (149, "2 min"),
            (150, "3 min"),
            (5399, "90 min"),
            (5400, "2 h"),
            (8999, "2 h"),
            (9000, "3 h"),
            (172_799, "48 h"),
            (172_800, "2 d"),
            (215_999, "2 d"),
            (216_000, "3 d"),
        ] {
            assert_eq!(duration(seconds), text);
        }
    }

    #[test]
    fn a_line_takes_the_parts_for_which_it_has_room() {
        let line = |width| {
            let mut line = "3 more: --all".to_owned();
            add_within(&mut line, ["a long hint", "-v: more"].into_iter(), width);
            line
        };
        assert_eq!(line(None), "3 more: --all; a long hint; -v: more");
        assert_eq!(line(Some(26)), "3 more: --all; a long hint");
        assert_eq!(line(Some(25)), "3 more: --all; -v: more");
        assert_eq!(line(Some(10)), "3 more: --all");
    }

    #[test]
    fn carets_underline_the_span() {
        assert_eq!(caret("H10:x8", &(0..3)), ("H10:x8".to_owned(), 0, 3));
        assert_eq!(caret("H100:x0", &(5..7)), ("H100:x0".to_owned(), 5, 2));
        assert_eq!(caret("H100:", &(5..5)), ("H100:".to_owned(), 5, 1));
        // Control characters are escaped, and the caret counts the escaped columns.
        assert_eq!(caret("a\u{1b}b", &(1..2)), ("a\\u{1b}b".to_owned(), 1, 6));
        // A span of any length is truncated to one line.
        let long = "x".repeat(10_000);
        let (line, start, width) = caret(&long, &(0..10_000));
        assert_eq!((line.chars().count(), start, width), (97, 0, 96));
    }
}
