//! Runs one command line: parses it, reads the settings, and reports errors.

use std::ffi::OsString;
use std::io;

use clap::ValueEnum as _;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use sky_accel_core::text::is_unprintable;
use sky_accel_engine::{Error, ErrorCode};

use crate::cli::{Cli, Command, Output, OutputFormat, with_command};
use crate::context::{Failure, Result};
use crate::exit_code::ExitCode;
use crate::host::Host;
use crate::settings::Settings;
use crate::ui::Ui;
use crate::{commands, env_vars, help_topics};

/// Where a command line runs.
pub enum Place<'h> {
    /// In the process, with its environment and its streams.
    Process,
    /// In memory, with a text as standard input.
    Memory { host: &'h Host, input: Vec<u8> },
}

impl Place<'_> {
    fn ui(&mut self, settings: &Settings) -> Ui {
        match self {
            Self::Process => Ui::new(settings),
            Self::Memory { input, .. } => Ui::captured(settings, std::mem::take(input)),
        }
    }

    fn parse(&self, args: &[OsString]) -> std::result::Result<Cli, clap::Error> {
        match self {
            Self::Process => Cli::read(args),
            Self::Memory { .. } => Cli::read_one(args),
        }
    }

    /// Whether errors are JSON documents. A program that shows pages needs their parts.
    fn has_json_errors(&self, format: OutputFormat) -> bool {
        format.is_json() || format.is_html() && matches!(self, Self::Memory { .. })
    }

    /// The format of the output by the environment.
    fn default_format(&self) -> Option<String> {
        match self {
            Self::Process => std::env::var(env_vars::OUTPUT).ok(),
            Self::Memory { .. } => None,
        }
    }

    fn settings(&self, cli: &mut Cli) -> std::result::Result<Settings, Error> {
        match self {
            Self::Process => Settings::load(&cli.global),
            Self::Memory { host, .. } => {
                cli.global.no_config = Some(cli.global.config.is_none());
                let mut settings = Settings::load(&cli.global)?;
                settings.today = host.today.or(settings.today);
                Ok(settings)
            }
        }
    }

    fn run(&self, command: Command, settings: &Settings, ui: &mut Ui) -> Result<ExitCode> {
        let Self::Memory { host, .. } = self else {
            return commands::run(command, settings, ui, None);
        };
        let needs_terminal = matches!(
            command,
            Command::Browse(_) | Command::Watch(_) | Command::Mcp(_) | Command::Completions(_)
        );
        if needs_terminal {
            return Err(commands::needs_terminal().into());
        }
        commands::run(command, settings, ui, host.catalog.as_ref())
    }
}

/// Runs a command line, which starts with the name of the program.
pub fn run(args: Vec<OsString>, place: &mut Place<'_>) -> (ExitCode, Ui) {
    let args = with_command(args);
    let mut cli = match parse(&args, place) {
        Ok(cli) => cli,
        Err(done) => return *done,
    };
    let as_json =
        matches!(cli.global.output, Some(Output::Format(format)) if place.has_json_errors(format));
    let settings = match place.settings(&mut cli) {
        Ok(settings) => settings,
        Err(error) => return reported(place, &error, as_json),
    };
    let as_json = place.has_json_errors(settings.output);
    let mut ui = place.ui(&settings);
    let outcome = place.run(cli.command, &settings, &mut ui).and_then(|code| {
        ui.finish()?;
        Ok(code)
    });
    let exit_code = match outcome {
        Ok(exit_code) => exit_code,
        Err(Failure::Error(error)) => report(&mut ui, &error, as_json),
        Err(Failure::Io(error)) => output_failed(&mut ui, &error, as_json),
    };
    (exit_code, ui)
}

fn reported(place: &mut Place<'_>, error: &Error, as_json: bool) -> (ExitCode, Ui) {
    let mut ui = place.ui(&Settings::default());
    (report(&mut ui, error, as_json), ui)
}

fn report(ui: &mut Ui, error: &Error, as_json: bool) -> ExitCode {
    // Ignore failures: a closed standard error leaves no other channel.
    let _ = ui.error(error, as_json);
    error.kind.into()
}

/// Parses the arguments, or returns the exit code if the run is complete (help, version, usage error).
fn parse(
    args: &[OsString],
    place: &mut Place<'_>,
) -> std::result::Result<Cli, Box<(ExitCode, Ui)>> {
    if args.len() <= 1 {
        let mut ui = place.ui(&Settings::default());
        let _ = ui
            .line(help_topics::START.trim_end())
            .and_then(|()| ui.flush());
        return Err(Box::new((ExitCode::Found, ui)));
    }
    place.parse(args).map_err(|error| {
        if error.use_stderr() && asks_json(args, place) {
            return Box::new(reported(place, &usage_error(&error), true));
        }
        let mut ui = place.ui(&Settings::default());
        if !error.use_stderr() {
            let exit_code = match print(&mut ui, &error) {
                Ok(()) => ExitCode::Found,
                Err(error) => output_failed(&mut ui, &error, false),
            };
            return Box::new((exit_code, ui));
        }
        let has_odd_characters = args
            .iter()
            .any(|arg| arg.to_string_lossy().chars().any(is_unprintable));
        if has_odd_characters || !ui.ends_process() {
            // clap repeats arguments verbatim, control characters included: escape them.
            for line in error.render().to_string().lines() {
                let _ = ui.stderr_line(line);
            }
        } else {
            let _ = error.print();
        }
        Box::new((ExitCode::Usage, ui))
    })
}

/// Prints requested text, such as help.
fn print(ui: &mut Ui, text: &clap::Error) -> io::Result<()> {
    if ui.ends_process() {
        return text.print();
    }
    ui.line(text.render().to_string().trim_end())?;
    ui.flush()
}

/// Reports a failed write to standard output and returns the exit code.
fn output_failed(ui: &mut Ui, error: &io::Error, as_json: bool) -> ExitCode {
    // The reader closed the pipe, as `head` does.
    if error.kind() == io::ErrorKind::BrokenPipe {
        return ExitCode::Found;
    }
    let message = format!("cannot write the output: {error}");
    let error = Error::new(ErrorCode::Output, message);
    report(ui, &error, as_json)
}

/// Whether to print errors as JSON when clap could not parse the arguments.
fn asks_json(args: &[OsString], place: &Place<'_>) -> bool {
    let mut words = args.iter().filter_map(|arg| arg.to_str());
    let mut format = place.default_format();
    while let Some(word) = words.next() {
        let given = match word {
            "-o" | "--output" => words.next(),
            _ => word
                .strip_prefix("--output=")
                .or_else(|| Some(word.strip_prefix("-o")?.trim_start_matches('='))),
        };
        format = given.map(str::to_owned).or(format);
    }
    let format = format.and_then(|format| OutputFormat::from_str(&format, false).ok());
    format.is_some_and(|format| place.has_json_errors(format))
}

/// Converts a clap error to a plain error without usage text and color.
fn usage_error(error: &clap::Error) -> Error {
    let text = error.render().to_string();
    // Keep the first paragraph; the rest is usage text.
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.is_empty())
        .collect();
    let message = lines.join(" ").trim_start_matches("error: ").to_owned();
    let code = match error.kind() {
        ErrorKind::InvalidSubcommand | ErrorKind::MissingSubcommand => ErrorCode::UnknownCommand,
        ErrorKind::UnknownArgument => ErrorCode::UnknownArgument,
        ErrorKind::MissingRequiredArgument => ErrorCode::MissingArgument,
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => ErrorCode::BadValue,
        _ => ErrorCode::Usage,
    };
    let mut hints = Vec::new();
    for kind in [
        ContextKind::SuggestedSubcommand,
        ContextKind::SuggestedArg,
        ContextKind::SuggestedValue,
    ] {
        match error.get(kind) {
            Some(ContextValue::String(word)) => hints.push(word.clone()),
            Some(ContextValue::Strings(words)) => hints.extend(words.iter().cloned()),
            _ => {}
        }
    }
    let error_out = Error::new(code, message).hint(hints);
    match error.get(ContextKind::Suggested) {
        Some(ContextValue::StyledStrs(tips)) => tips
            .iter()
            .fold(error_out, |error, tip| error.advise(tip.to_string())),
        _ => error_out,
    }
}
