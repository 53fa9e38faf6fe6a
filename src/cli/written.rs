//! Flags that a hint can repeat verbatim for another command.

use std::ops::Deref;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches, Id};

/// Parsed arguments with the flags that the user wrote. Hints that name another command repeat the flags.
#[derive(Debug)]
pub struct Written<T> {
    args: T,
    /// Flags with their values.
    flags: Vec<(String, String)>,
}

impl<T> Written<T> {
    /// Returns the flags as shell words, each preceded by a space.
    pub fn flags(&self) -> String {
        let words = self.flags.iter().map(|(flag, value)| {
            // Arguments cannot contain NUL, the only failure of `try_quote`.
            let value = shlex::try_quote(value).unwrap_or_default();
            format!(" {flag}={value}")
        });
        words.collect()
    }

    /// Returns the flags without their values.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.flags.iter().map(|(flag, _)| flag.as_str())
    }
}

impl<T> Deref for Written<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.args
    }
}

impl<T: Args> Args for Written<T> {
    fn augment_args(command: Command) -> Command {
        T::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        T::augment_args_for_update(command)
    }

    fn group_id() -> Option<Id> {
        T::group_id()
    }
}

impl<T: Args> FromArgMatches for Written<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches(matches).map(|args| Self {
            args,
            flags: flags::<T>(matches),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.flags = flags::<T>(matches);
        self.args.update_from_arg_matches(matches)
    }
}

/// Returns the flags of `T` on the command line. clap derives each name from the field.
fn flags<T: Args>(matches: &ArgMatches) -> Vec<(String, String)> {
    let ids = T::group_id().and_then(|group| matches.get_many::<Id>(group.as_str()));
    let written = ids
        .into_iter()
        .flatten()
        .filter(|id| matches.value_source(id.as_str()) == Some(ValueSource::CommandLine));
    let mut flags = Vec::new();
    for id in written {
        let flag = format!("--{}", id.as_str().replace('_', "-"));
        for value in matches.get_raw(id.as_str()).into_iter().flatten() {
            flags.push((flag.clone(), value.to_string_lossy().into_owned()));
        }
    }
    flags
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::Written;
    use crate::cli::RunArgs;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        run: Written<RunArgs>,
    }

    #[test]
    fn repeated_flags_parse_to_the_same_arguments() {
        let line = [
            "fit",
            "--model",
            "my models/a.gguf",
            "--compile",
            "--context=4096",
            "--workload",
            "lora",
            "--users=4",
            "--disaggregated",
        ];
        let first = Cli::parse_from(line);
        let words = shlex::split(&format!("fit{}", first.run.flags())).unwrap();
        let again = Cli::parse_from(&words);
        assert_eq!(*first.run, *again.run);
        assert_eq!(words.len(), 7, "{words:?}");
        assert!(Cli::parse_from(["fit"]).run.flags().is_empty());
    }
}
