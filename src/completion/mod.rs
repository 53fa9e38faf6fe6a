//! Dynamic shell completion: clap completes options, this module completes values. It uses only the embedded
//! catalog, without files or network.

mod bash;
mod bash_word;
mod path;
mod powershell;
pub mod values;
mod variables;

use std::ffi::OsString;
use std::io;

use clap::{Command, CommandFactory as _};
#[cfg(not(target_family = "wasm"))]
use clap_complete::env::EnvCompleter;
use clap_complete::env::{CompleteEnv, Elvish, Fish, Shells, Zsh};

use crate::cli::Cli;
#[cfg(not(target_family = "wasm"))]
use crate::cli::{PROGRAM, Shell};
use bash::Bash;
use powershell::PowerShell;
use variables::{INDEX, VARIABLE};

/// Answers a completion request of a shell; `None` for a normal run.
pub fn answer(args: &[OsString]) -> Option<io::Result<()>> {
    std::env::var_os(VARIABLE).filter(|shell| !shell.is_empty())?;
    let mut args = args.to_vec();
    // The words of the command line, starting with the program, follow the first `--`.
    let start = args
        .iter()
        .position(|word| word == "--")
        .map_or(args.len(), |at| at + 1);
    let index = std::env::var(INDEX)
        .ok()
        .and_then(|index| index.parse().ok());
    // Some shells drop an empty last word.
    if index == Some(args.len() - start) {
        args.push(OsString::new());
    }
    let words = args.iter().skip(start);
    let words: Vec<String> = words
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let folder = std::env::current_dir().ok();
    let done = CompleteEnv::with_factory(|| command(&words))
        .var(VARIABLE)
        .shells(Shells(&[&Bash, &Elvish, &Fish, &PowerShell, &Zsh]))
        .try_complete(args, folder.as_deref());
    match done {
        Ok(true) => Some(Ok(())),
        Ok(false) => None,
        Err(error) => Some(Err(io::Error::other(error.to_string()))),
    }
}

/// Returns the registration script with which a shell calls `program`.
#[cfg(not(target_family = "wasm"))]
pub fn registration(shell: Shell, program: &str, out: &mut dyn io::Write) -> io::Result<()> {
    let shell: &dyn EnvCompleter = match shell {
        Shell::Bash => &Bash,
        Shell::Elvish => &Elvish,
        Shell::Fish => &Fish,
        Shell::PowerShell => &PowerShell,
        Shell::Zsh => &Zsh,
    };
    shell.write_registration(VARIABLE, PROGRAM, PROGRAM, program, out)
}

/// Returns the commands with full descriptions for the typed command only: describing all arguments would be
/// most of the cost of a completion.
pub fn command(words: &[String]) -> Command {
    let cli = Cli::command();
    let mut typed = words.iter().skip(1).rev().skip(1).rev();
    let chosen = typed.find_map(|word| cli.find_subcommand(word)).cloned();
    let command = Cli::without_commands();
    let mut command = match chosen {
        Some(chosen) => command.subcommand(chosen),
        None => command.subcommands(cli.get_subcommands().cloned().map(named)),
    };
    command.build();
    path::completed(command)
}

/// Returns a command without its arguments.
fn named(command: Command) -> Command {
    command.defer(|command| command).mut_subcommands(named)
}
