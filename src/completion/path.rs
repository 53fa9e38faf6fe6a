//! Completion of paths. Shells quote the names, but a name must not become an option or another user's home folder.

use std::ffi::OsStr;

use clap::{Arg, Command, ValueHint};
use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter as _,
};

use super::variables::BREAKS;

/// Completes every argument of a command that is a path.
pub fn completed(command: Command) -> Command {
    command.mut_args(with_paths).mut_subcommands(completed)
}

fn with_paths(arg: Arg) -> Arg {
    if arg.get_value_hint() == ValueHint::AnyPath && arg.get::<ArgValueCompleter>().is_none() {
        arg.add(ArgValueCompleter::new(paths))
    } else {
        arg
    }
}

/// Returns the files and folders that begin with the typed text.
///
/// Only bash takes replies with line feeds and tabs. Other shells take a reply per line, so such names have no reply
/// there.
pub fn paths(typed: &OsStr) -> Vec<CompletionCandidate> {
    let is_bash = std::env::var_os(BREAKS).is_some();
    // Other shells pass the typed word with its opening quote.
    let typed = match typed.to_str() {
        Some(text) if !is_bash => OsStr::new(text.trim_start_matches(['\'', '"'])),
        _ => typed,
    };
    let found = PathCompleter::any().complete(typed);
    let one_line = |candidate: &CompletionCandidate| {
        let name = candidate.get_value().to_str();
        name.is_some_and(|name| !name.chars().any(char::is_control))
    };
    found
        .into_iter()
        .filter(|candidate| is_bash || one_line(candidate))
        .map(|candidate| {
            if is_ambiguous(candidate.get_value(), typed) {
                candidate.add_prefix("./")
            } else {
                candidate
            }
        })
        .collect()
}

/// Returns true for a name that would be an option, or that a shell would expand.
fn is_ambiguous(name: &OsStr, typed: &OsStr) -> bool {
    let is_home = typed.as_encoded_bytes().starts_with(b"~/");
    match name.as_encoded_bytes().first() {
        Some(b'-') => true,
        Some(b'~') => !is_home,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::CommandFactory as _;

    #[test]
    fn names_like_options_and_home_folders_are_paths() {
        for (name, typed, expected) in [
            ("--exec=x", "", true),
            ("-o", "-", true),
            ("~root", "", true),
            ("~root", "~", true),
            ("~/model", "~/m", false),
            ("a-b~", "a", false),
        ] {
            assert_eq!(
                is_ambiguous(name.as_ref(), typed.as_ref()),
                expected,
                "{name}"
            );
        }
    }

    #[test]
    fn every_path_is_completed_here() {
        fn check(command: &Command) -> usize {
            let mut paths = 0;
            for arg in command.get_arguments() {
                if arg.get_value_hint() == ValueHint::AnyPath {
                    let name = arg.get_id();
                    assert!(arg.get::<ArgValueCompleter>().is_some(), "{name}");
                    paths += 1;
                }
            }
            paths + command.get_subcommands().map(check).sum::<usize>()
        }
        let mut command = Cli::command();
        command.build();
        assert!(check(&completed(command)) > 10);
    }
}
