//! The command line of sky-accel: arguments and settings in, text out.
//!
//! [`main`] is all that the binary calls. The layers below it are [`cli`] (clap types),
//! `settings` (merged with environment and config files), `commands` (one file for each
//! verb), `output` (the JSON contract), `render` (every output format) and `ui` (the only code
//! that writes to a stream). What is computed is computed in `sky-accel-core`.

pub mod catalog;
pub mod cli;
mod commands;
mod completion;
mod digest;
mod env_vars;
mod error;
pub mod exit_code;
mod files;
mod live;
mod output;
mod render;
#[cfg(feature = "schema")]
mod schema;
mod settings;
mod sizing;
mod ui;

use std::ffi::OsString;
use std::io;

use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};

#[cfg(feature = "schema")]
pub use commands::schemas::answer_line;
#[cfg(feature = "schema")]
pub use schema::schemas;

use crate::cli::{Cli, OutputFormat};
use crate::commands::Failure;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::settings::Settings;
use crate::ui::Ui;

/// Runs the program: `args` begins with its name.
pub fn main(args: impl IntoIterator<Item = OsString>) -> std::process::ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        // A bug: say so, and nothing of what was being worked on.
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
        // A shell that has stopped reading is not told.
        return match answered {
            Ok(()) => ExitCode::Found.into(),
            Err(_) => ExitCode::Usage.into(),
        };
    }
    run(&args).into()
}

fn run(args: &[OsString]) -> ExitCode {
    let cli = match parse(args) {
        Ok(cli) => cli,
        Err(exit_code) => return exit_code,
    };
    let as_json = wants_json(cli.global.output);
    let settings = match Settings::load(&cli.global) {
        Ok(settings) => settings,
        Err(error) => return report(&mut Ui::new(&Settings::default()), &error, as_json),
    };
    let as_json = wants_json(Some(settings.output));
    let mut ui = Ui::new(&settings);
    let outcome = commands::run(cli.command, &settings, &mut ui).and_then(|code| {
        ui.flush()?;
        Ok(code)
    });
    match outcome {
        Ok(exit_code) => exit_code,
        Err(Failure::Error(error)) => report(&mut ui, &error, as_json),
        // Whoever read our output has read enough.
        Err(Failure::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::Found,
        Err(Failure::Io(error)) => {
            let error = CliError::new(
                ExitCode::Internal,
                "io.output",
                format!("cannot write the output: {error}"),
            );
            report(&mut ui, &error, as_json)
        }
    }
}

fn wants_json(output: Option<OutputFormat>) -> bool {
    matches!(output, Some(OutputFormat::Json | OutputFormat::Jsonl))
}

fn report(ui: &mut Ui, error: &CliError, as_json: bool) -> ExitCode {
    // When standard error is closed there is nobody left to tell.
    let _ = ui.error(error, as_json);
    error.exit_code
}

/// The arguments, or the exit code when there is nothing more to do.
fn parse(args: &[OsString]) -> Result<Cli, ExitCode> {
    if args.len() <= 1 {
        let mut ui = Ui::new(&Settings::default());
        let _ = ui
            .line(commands::help::START.trim_end())
            .and_then(|()| ui.flush());
        return Err(ExitCode::Found);
    }
    Cli::try_parse_from(args).map_err(|error| {
        if !error.use_stderr() {
            let _ = error.print();
            return ExitCode::Found;
        }
        let asks_json = args.windows(2).any(|pair| {
            matches!(pair[0].to_str(), Some("-o" | "--output"))
                && matches!(pair[1].to_str(), Some("json" | "jsonl"))
        }) || args.iter().any(|arg| {
            matches!(
                arg.to_str(),
                Some("-ojson" | "-ojsonl" | "--output=json" | "--output=jsonl")
            )
        });
        if asks_json {
            return report(
                &mut Ui::new(&Settings::default()),
                &usage_error(&error),
                true,
            );
        }
        let _ = error.print();
        ExitCode::Usage
    })
}

/// clap's error without its decoration.
fn usage_error(error: &clap::Error) -> CliError {
    let text = error.render().to_string();
    // The first paragraph; the rest is advice for people.
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.is_empty())
        .collect();
    let message = lines.join(" ").trim_start_matches("error: ").to_owned();
    let code = match error.kind() {
        ErrorKind::InvalidSubcommand | ErrorKind::MissingSubcommand => "usage.command",
        ErrorKind::UnknownArgument => "usage.unknown-argument",
        ErrorKind::MissingRequiredArgument => "usage.missing-argument",
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => "usage.bad-value",
        _ => "usage",
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
    CliError::usage(code, message).hint(hints)
}
