//! Arguments whose descriptions are built on demand.

use clap::{ArgMatches, Args, Command, Error, FromArgMatches, Subcommand};

use crate::invocation;

/// Arguments or subcommands of a command, described only if that command runs. Descriptions are most of the cost of
/// parsing a command line.
#[derive(Debug)]
pub struct Lazy<T>(pub T);

impl<T: Args> Args for Lazy<T> {
    fn augment_args(command: Command) -> Command {
        command.defer(describe::<T>)
    }

    fn augment_args_for_update(command: Command) -> Command {
        command.defer(T::augment_args_for_update)
    }
}

impl<T: Subcommand> Subcommand for Lazy<T> {
    fn augment_subcommands(command: Command) -> Command {
        command.defer(T::augment_subcommands)
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        command.defer(T::augment_subcommands_for_update)
    }

    fn has_subcommand(name: &str) -> bool {
        T::has_subcommand(name)
    }
}

/// Adds the arguments but keeps the description that the command has.
fn describe<T: Args>(command: Command) -> Command {
    let about = command.get_about().cloned();
    let command = T::augment_args(command);
    let command = fitting(command);
    match about {
        Some(about) => command.about(about),
        None => command,
    }
}

/// Leaves out, in the first screen of help, the lists of values that would take several lines; `--help` has them.
pub(super) fn fitting(command: Command) -> Command {
    if invocation::words().iter().any(|word| word == "-h") {
        without_long_lists(command)
    } else {
        command
    }
}

fn without_long_lists(command: Command) -> Command {
    const LONGEST: usize = 20;
    command.mut_args(|arg| {
        let values = arg.get_possible_values();
        let length: usize = values.iter().map(|value| value.get_name().len() + 2).sum();
        arg.hide_possible_values(length > LONGEST)
    })
}

impl<T: FromArgMatches> FromArgMatches for Lazy<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches(matches).map(Self)
    }

    // Without this, all matches are copied.
    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches_mut(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

/// Same as [`Lazy`], with additional arguments that override global ones: clap needs their descriptions before it
/// propagates the global arguments.
#[derive(Debug)]
pub struct Overriding<O, T> {
    pub given: O,
    pub args: T,
}

impl<O: Args, T: Args> Args for Overriding<O, T> {
    fn augment_args(command: Command) -> Command {
        let about = command.get_about().cloned();
        let command = O::augment_args(command).defer(describe::<T>);
        match about {
            Some(about) => command.about(about),
            None => command,
        }
    }

    fn augment_args_for_update(command: Command) -> Command {
        O::augment_args_for_update(command).defer(T::augment_args_for_update)
    }
}

impl<O: FromArgMatches, T: FromArgMatches> FromArgMatches for Overriding<O, T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        Ok(Self {
            given: O::from_arg_matches(matches)?,
            args: T::from_arg_matches(matches)?,
        })
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, Error> {
        Ok(Self {
            given: O::from_arg_matches_mut(matches)?,
            args: T::from_arg_matches_mut(matches)?,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.given.update_from_arg_matches(matches)?;
        self.args.update_from_arg_matches(matches)
    }
}
