//! Completion as a person types: what the shell asks of the program itself, beside what clap knows of
//! its options. The facts are those of the embedded catalog: nothing is read, nothing is asked.

mod bash;
pub mod values;

use std::ffi::OsString;
use std::io::{self, Write};

use clap::{Command, CommandFactory as _};
use clap_complete::env::{CompleteEnv, Elvish, EnvCompleter, Fish, Powershell, Shells, Zsh};

use crate::cli::{Cli, PROGRAM, Shell};
use bash::Bash;

/// Set by the scripts that are registered with a shell; its value is the name of the shell.
const VARIABLE: &str = "SKY_ACCEL_COMPLETE";

/// Answers a shell, when it is one that asks.
pub fn answer(args: &[OsString]) -> Option<io::Result<()>> {
    std::env::var_os(VARIABLE).filter(|shell| !shell.is_empty())?;
    // The line that is being typed, the program's name first, stands behind the first `--`.
    let words = args.iter().skip_while(|word| *word != "--").skip(1);
    let words: Vec<String> = words
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let folder = std::env::current_dir().ok();
    let done = CompleteEnv::with_factory(|| command(&words))
        .var(VARIABLE)
        .shells(Shells(&[&Bash, &Elvish, &Fish, &Powershell, &Zsh]))
        .try_complete(args.iter().cloned(), folder.as_deref());
    match done {
        Ok(true) => Some(Ok(())),
        Ok(false) => None,
        Err(error) => Some(Err(io::Error::other(error.to_string()))),
    }
}

/// The script that has a shell ask `program`.
pub fn registration(shell: Shell, program: &str, out: &mut dyn Write) -> io::Result<()> {
    let shell: &dyn EnvCompleter = match shell {
        Shell::Bash => &Bash,
        Shell::Elvish => &Elvish,
        Shell::Fish => &Fish,
        Shell::PowerShell => &Powershell,
        Shell::Zsh => &Zsh,
    };
    shell.write_registration(VARIABLE, PROGRAM, PROGRAM, program, out)
}

/// The commands, as far as they matter to what is typed: describing the arguments of all of them is
/// most of what an answer would cost.
fn command(words: &[String]) -> Command {
    let cli = Cli::command();
    let mut typed = words.iter().skip(1).rev().skip(1).rev();
    let chosen = typed.find_map(|word| cli.find_subcommand(word)).cloned();
    let command = Cli::without_commands();
    let mut command = match chosen {
        Some(chosen) => command.subcommand(chosen),
        None => command.subcommands(cli.get_subcommands().cloned().map(named)),
    };
    command.build();
    command
}

/// A command of which only the name is asked: its arguments are not described.
fn named(command: Command) -> Command {
    command.defer(|command| command).mut_subcommands(named)
}
