//! The only code that writes to a stream: data to standard output, talk to standard error.

use std::io::{self, BufWriter, IsTerminal as _, Stderr, Stdout, Write};

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use clap::ColorChoice;
use sky_accel_core::text::printable;
use sky_accel_engine::asking::{Event, Progress};
use sky_accel_engine::contract::NoteOut;
use sky_accel_engine::{Error, Problem, TextPosition};
use unicode_width::UnicodeWidthChar;

use crate::cli::{translate_error, with_flags};
use crate::settings::Settings;

/// Tables are laid out for so many columns at least and at most.
const WIDTHS: std::ops::RangeInclusive<usize> = 60..=160;

/// The least columns that a message is wrapped to.
const MIN_WIDTH: usize = 20;

/// The most notes of an answer, without `--verbose`.
const MAX_NOTES: usize = 2;

/// Bold, for headings.
pub const BOLD: Style = Style::new().bold();
/// For what matters less.
pub const DIM: Style = Style::new().dimmed();
/// For the best row.
pub const BEST: Style = AnsiColor::Green.on_default().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();
const NOTE: Style = AnsiColor::Cyan.on_default().bold();

/// Both streams.
pub struct Ui {
    stdout: BufWriter<AutoStream<Stdout>>,
    /// Whether styles are written to standard output.
    colour: bool,
    /// The choice of colour that was asked for.
    choice: anstream::ColorChoice,
    stderr: AutoStream<Stderr>,
    /// Whether names end with NUL.
    null: bool,
    quiet: bool,
    width: Option<usize>,
    /// Columns of the terminal that standard error is.
    talk_width: Option<usize>,
    /// Whether notes are talk; in JSON and YAML they are part of the data.
    notes_are_data: bool,
    verbose: bool,
    /// Whether a line of standard error may be written over.
    shows_progress: bool,
    /// Whether such a line stands there now.
    progress_is_shown: bool,
}

impl Ui {
    pub fn new(settings: &Settings) -> Self {
        let choice = match settings.color {
            ColorChoice::Auto => anstream::ColorChoice::Auto,
            ColorChoice::Always => anstream::ColorChoice::Always,
            ColorChoice::Never => anstream::ColorChoice::Never,
        };
        let stdout = io::stdout();
        let colour = match choice {
            anstream::ColorChoice::Auto => {
                AutoStream::choice(&stdout) != anstream::ColorChoice::Never
            }
            choice => choice != anstream::ColorChoice::Never,
        };
        // Without colour no style is written, so nothing has to be looked through and stripped.
        let choice_out = if colour {
            choice
        } else {
            anstream::ColorChoice::AlwaysAnsi
        };
        Self {
            stdout: BufWriter::new(AutoStream::new(stdout, choice_out)),
            colour,
            choice,
            stderr: AutoStream::new(io::stderr(), choice),
            null: settings.null,
            quiet: settings.quiet,
            width: settings.width.or_else(terminal_width),
            talk_width: talk_width(settings),
            notes_are_data: settings.output.is_document(),
            verbose: settings.verbose,
            shows_progress: !settings.quiet
                && !settings.verbose
                && io::stderr().is_terminal()
                && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
            progress_is_shown: false,
        }
    }

    /// Tells of a live question that is under way.
    pub fn live_progress(&mut self, progress: Progress<'_>) {
        match progress {
            Progress::Waiting(providers) => self.progress(providers),
            Progress::Event(event) => self.event(&event),
        }
    }

    /// Shows who has not answered yet, on a line that is written over later.
    pub fn progress(&mut self, waiting: &[&str]) {
        if !self.shows_progress {
            return;
        }
        self.clear_progress();
        if !waiting.is_empty() {
            let _ = write!(self.stderr, "asking {} …", waiting.join(", "));
            let _ = self.stderr.flush();
            self.progress_is_shown = true;
        }
    }

    /// How it stands, in the place of what stood there before.
    pub fn status(&mut self, text: &str) {
        if !self.shows_progress {
            return;
        }
        self.clear_progress();
        let columns = self.width().unwrap_or(80).saturating_sub(1);
        let text: String = printable(text).chars().take(columns).collect();
        let _ = write!(self.stderr, "{text}");
        let _ = self.stderr.flush();
        self.progress_is_shown = true;
    }

    /// Whether people read standard output as it comes.
    pub fn is_terminal() -> bool {
        io::stdout().is_terminal()
    }

    fn clear_progress(&mut self) {
        if std::mem::take(&mut self.progress_is_shown) {
            // Back to the first column, and clear the line.
            let _ = write!(self.stderr, "\r\u{1b}[2K");
        }
    }

    /// With `--verbose`: what happens while providers are asked.
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

    /// Whether what is drawn on the terminal has colours.
    pub fn colours_terminal(&self) -> bool {
        match self.choice {
            anstream::ColorChoice::Auto => {
                std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            }
            choice => choice != anstream::ColorChoice::Never,
        }
    }

    /// Columns of the terminal that standard output is; `None` in a pipe, where nothing is cut.
    pub fn width(&self) -> Option<usize> {
        self.width
            .map(|width| width.clamp(*WIDTHS.start(), *WIDTHS.end()))
    }

    /// Standard output.
    pub fn stdout(&mut self) -> &mut impl Write {
        &mut self.stdout
    }

    /// A line of standard output.
    pub fn line(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        writeln!(self.stdout, "{}", text.as_ref())
    }

    /// A name on standard output: a line, or with `-0` a text that ends with NUL.
    pub fn name(&mut self, name: &str) -> io::Result<()> {
        let end = if self.null { '\0' } else { '\n' };
        write!(self.stdout, "{}{end}", printable(name))
    }

    /// A line of standard output from pieces in their styles.
    pub fn pieces(&mut self, pieces: &[(Style, String)]) -> io::Result<()> {
        for (style, text) in pieces {
            if self.colour {
                write!(self.stdout, "{style}{text}{style:#}")?;
            } else {
                self.stdout.write_all(text.as_bytes())?;
            }
        }
        self.line("")
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.stdout.flush()
    }

    /// The notes of an answer: without `--verbose` at most two, and no details. The data must be
    /// written first.
    pub fn notes(&mut self, notes: &[NoteOut]) -> io::Result<()> {
        if self.notes_are_data {
            return Ok(());
        }
        let shown = notes.iter().filter(|note| self.verbose || !note.is_detail);
        let shown: Vec<&NoteOut> = shown.collect();
        let room = if self.verbose { usize::MAX } else { MAX_NOTES };
        for note in shown.iter().take(room) {
            self.labelled(NOTE, "note", &note.message)?;
        }
        match shown.len().saturating_sub(room) {
            0 => Ok(()),
            1 => self.footer("1 more note: -v shows it"),
            more => self.footer(&format!("{more} more notes: -v shows them")),
        }
    }

    /// A line of standard error without a label.
    pub fn footer(&mut self, message: &str) -> io::Result<()> {
        if self.quiet {
            return Ok(());
        }
        self.flush()?;
        for line in self.wrapped("", message) {
            writeln!(self.stderr, "{DIM}{line}{DIM:#}")?;
        }
        Ok(())
    }

    /// A message made printable, in lines as wide as the terminal that standard error is. Lines
    /// after the first are indented under the label, or as the message is.
    fn wrapped(&self, label: &str, message: &str) -> Vec<String> {
        let message = printable(&with_flags(message));
        let Some(width) = self.talk_width else {
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

    /// A line of standard error that is said even when quiet.
    pub fn always(&mut self, message: &str) -> io::Result<()> {
        self.flush()?;
        writeln!(self.stderr, "{}", printable(&with_flags(message)))
    }

    fn labelled(&mut self, style: Style, label: &str, message: &str) -> io::Result<()> {
        if self.quiet {
            return Ok(());
        }
        self.flush()?;
        for (at, line) in self.wrapped(label, message).into_iter().enumerate() {
            if at == 0 {
                writeln!(self.stderr, "{style}{label}:{style:#} {line}")?;
            } else {
                writeln!(self.stderr, "{line}")?;
            }
        }
        Ok(())
    }

    /// Prints an error with its place.
    pub fn error(&mut self, error: &Error, as_json: bool) -> io::Result<()> {
        // What cannot be written any more must not hide what went wrong.
        let _ = self.flush();
        if as_json {
            if let Some(mut envelope) = error.envelope() {
                translate_error(&mut envelope);
                serde_json::to_writer_pretty(&mut self.stderr, &envelope)?;
                writeln!(self.stderr)?;
            }
            return Ok(());
        }
        for problem in &error.problems {
            writeln!(
                self.stderr,
                "{ERROR}error:{ERROR:#} {}",
                printable(&with_flags(&sentence(problem)))
            )?;
            if let Some(place) = &problem.place {
                self.place(place)?;
            }
            if let Some(advice) = &problem.advice {
                let advice = printable(&with_flags(advice));
                writeln!(self.stderr, "  {DIM}hint:{DIM:#} {advice}")?;
            }
        }
        Ok(())
    }

    /// The text and a caret under the place.
    fn place(&mut self, place: &TextPosition) -> io::Result<()> {
        if let Some(file) = &place.file {
            writeln!(self.stderr, "  {DIM}-->{DIM:#} {}", printable(file))?;
        }
        let (line, start, width) = caret(&place.text, &place.span);
        if line.trim().is_empty() {
            return Ok(());
        }
        writeln!(self.stderr, "  {DIM}|{DIM:#} {line}")?;
        writeln!(
            self.stderr,
            "  {DIM}|{DIM:#} {:start$}{ERROR}{}{ERROR:#}",
            "",
            "^".repeat(width)
        )
    }
}

/// The message with what could have been meant.
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

/// A text made printable, and the columns that a span of it takes. Long texts are cut around the
/// span.
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

/// A span of time in one unit: `40 s`, `12 min`, `3 h`, `2 d`.
pub fn duration(seconds: i64) -> String {
    match seconds {
        ..90 => format!("{seconds} s"),
        90..5400 => format!("{} min", (seconds + 30) / 60),
        5400..172_800 => format!("{} h", (seconds + 1800) / 3600),
        _ => format!("{} d", (seconds + 43_200) / 86_400),
    }
}

fn talk_width(settings: &Settings) -> Option<usize> {
    if !io::stderr().is_terminal() {
        return None;
    }
    let terminal =
        || terminal_size::terminal_size_of(io::stderr()).map(|(width, _)| width.0.into());
    settings.width.or_else(terminal)
}

fn terminal_width() -> Option<usize> {
    terminal_size::terminal_size().map(|(width, _)| width.0 as usize)
}

#[cfg(test)]
mod tests {
    use super::caret;

    #[test]
    fn carets_stand_under_what_is_meant() {
        assert_eq!(caret("H10:x8", &(0..3)), ("H10:x8".to_owned(), 0, 3));
        assert_eq!(caret("H100:x0", &(5..7)), ("H100:x0".to_owned(), 5, 2));
        assert_eq!(caret("H100:", &(5..5)), ("H100:".to_owned(), 5, 1));
        // What would move the cursor is spelled out, and the caret counts that.
        assert_eq!(caret("a\u{1b}b", &(1..2)), ("a\\u{1b}b".to_owned(), 1, 6));
        // A mark of any length takes one line.
        let long = "x".repeat(10_000);
        let (line, start, width) = caret(&long, &(0..10_000));
        assert_eq!((line.chars().count(), start, width), (97, 0, 96));
    }
}
