//! The command line of sky-accel: arguments and settings in, text out.
//!
//! [`main`] is all that the binary calls; [`answer`] is the same for programs that link this library. The layers below are [`cli`] (clap types), `settings`
//! (merged from arguments, environment and config files), `requests` (arguments to requests),
//! `commands` (one file per command), `browse` (the terminal browser), `present` (tables, footers and ages
//! for people), `render` (every output format) and `ui` (the only code that writes to a stream for
//! people). Everything that is computed is computed by `sky-accel-engine`.

mod answer;
mod browse;
pub mod cli;
mod commands;
mod completion;
mod context;
mod env_vars;
pub mod exit_code;
mod files;
mod flags;
#[doc(hidden)]
pub mod fuzzing;
mod help_topics;
mod html;
mod present;
mod render;
mod requests;
#[cfg(feature = "schema")]
mod schema;
mod settings;
pub mod shell;
mod ui;

use std::ffi::OsString;
use std::io;

use clap::error::{ContextKind, ContextValue, ErrorKind};

pub use answer::{Answer, Host, answer, answer_with};
#[cfg(feature = "schema")]
pub use schema::schemas;

use sky_accel_core::text::is_unprintable;
use sky_accel_engine::{Error, ErrorCode};

use crate::cli::{Cli, Output};
use crate::context::Failure;
use crate::exit_code::ExitCode;
use crate::settings::Settings;
use crate::ui::Ui;

/// Runs the program. `args` starts with the program's name.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        browse::give_back();
        // Report the location only: the panic message may quote user data.
        let place = panic
            .location()
            .map(|l| format!(" at {}:{}", l.file(), l.line()))
            .unwrap_or_default();
        let _ = io::Write::write_all(
            &mut io::stderr(),
            format!("error: internal error{place}; please report it\n").as_bytes(),
        );
        #[allow(clippy::exit, reason = "a panic has no other way to an exit code")]
        std::process::exit(ExitCode::Internal as i32);
    }));
    let args: Vec<OsString> = args.into_iter().collect();
    if let Some(answered) = completion::answer(&args) {
        // A shell that closed the pipe needs no message.
        return match answered {
            Ok(()) => ExitCode::Found,
            Err(_) => ExitCode::Usage,
        };
    }
    run(&cli::with_command(args))
}

fn run(args: &[OsString]) -> ExitCode {
    let cli = match parse(args) {
        Ok(cli) => cli,
        Err(exit_code) => return exit_code,
    };
    let as_json = matches!(cli.global.output, Some(Output::Format(format)) if format.is_json());
    let settings = match Settings::load(&cli.global) {
        Ok(settings) => settings,
        Err(error) => return report(&mut Ui::new(&Settings::default()), &error, as_json),
    };
    let as_json = settings.output.is_json();
    let mut ui = Ui::new(&settings);
    let outcome = commands::run(cli.command, &settings, &mut ui).and_then(|code| {
        ui.finish()?;
        Ok(code)
    });
    match outcome {
        Ok(exit_code) => exit_code,
        Err(Failure::Error(error)) => report(&mut ui, &error, as_json),
        Err(Failure::Io(error)) => output_failed(&mut ui, &error, as_json),
    }
}

fn report(ui: &mut Ui, error: &Error, as_json: bool) -> ExitCode {
    // Ignore failures: a closed standard error leaves no other channel.
    let _ = ui.error(error, as_json);
    error.kind.into()
}

/// Parses the arguments, or returns the exit code if the run is complete (help, version, usage error).
fn parse(args: &[OsString]) -> Result<Cli, ExitCode> {
    if args.len() <= 1 {
        let mut ui = Ui::new(&Settings::default());
        let _ = ui
            .line(help_topics::START.trim_end())
            .and_then(|()| ui.flush());
        return Err(ExitCode::Found);
    }
    Cli::read(args).map_err(|error| {
        if !error.use_stderr() {
            let mut ui = Ui::new(&Settings::default());
            return match error.print() {
                Ok(()) => ExitCode::Found,
                Err(error) => output_failed(&mut ui, &error, false),
            };
        }
        if asks_json(args) {
            return report(
                &mut Ui::new(&Settings::default()),
                &usage_error(&error),
                true,
            );
        }
        let has_odd_characters = args
            .iter()
            .any(|arg| arg.to_string_lossy().chars().any(is_unprintable));
        if has_odd_characters {
            // clap repeats arguments verbatim, control characters included: escape them.
            let mut ui = Ui::new(&Settings::default());
            for line in error.render().to_string().lines() {
                let _ = ui.stderr_line(line);
            }
        } else {
            let _ = error.print();
        }
        ExitCode::Usage
    })
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
fn asks_json(args: &[OsString]) -> bool {
    let is_json = |format: &str| matches!(format, "json" | "jsonl");
    let mut words = args.iter().filter_map(|arg| arg.to_str());
    let mut format = std::env::var(env_vars::OUTPUT).ok();
    while let Some(word) = words.next() {
        let given = match word {
            "-o" | "--output" => words.next(),
            _ => word
                .strip_prefix("--output=")
                .or_else(|| Some(word.strip_prefix("-o")?.trim_start_matches('='))),
        };
        format = given.map(str::to_owned).or(format);
    }
    format.is_some_and(|format| is_json(&format))
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
