//! The flags of a run: the options that the engine declares, with completions.

use std::ops::Deref;

use clap::{ArgMatches, Args, Command, Error, FromArgMatches, Id};
use sky_accel_engine::{CompletedBy, RunRequest};

use crate::completion::values;

/// The model and the work of `fit`, `recommend` and `report`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunArgs(RunRequest);

impl Deref for RunArgs {
    type Target = RunRequest;

    fn deref(&self) -> &RunRequest {
        &self.0
    }
}

/// Shorter descriptions for the first screen of help.
const SHORT: &[(&str, &str)] = &[
    ("workload", "Work: inference, lora, qlora, full, …"),
    ("precision", "Weights: bf16, fp8, awq, gguf:Q4_K_M, …"),
    ("context", "Tokens of a prompt or a sequence: 4096, 32k"),
    ("generate", "Tokens generated after the prompt"),
    ("engine", "vllm, sglang, llama.cpp, tensorrt-llm, …"),
];

/// Shortens the descriptions of the first screen of help. Options that it shows have no heading, so they come first.
fn describe(mut command: Command) -> Command {
    for (name, short) in SHORT {
        command = command.mut_arg(*name, |arg| {
            let long = arg.get_help().cloned().unwrap_or_default();
            arg.help(*short).long_help(long)
        });
    }
    command.mut_args(|arg| {
        if arg.is_global_set() || arg.is_hide_short_help_set() {
            arg
        } else {
            arg.help_heading(None)
        }
    })
}

/// Adds completions, which the engine does not know about.
fn complete(command: Command) -> Command {
    // Options after these have another heading.
    let mut command = describe(command).next_help_heading(None);
    for option in RunRequest::OPTIONS {
        if let Some(names) = option.completed_by {
            command = command.mut_arg(option.name, |arg| {
                arg.add(match names {
                    CompletedBy::Models => values::model(),
                    CompletedBy::WeightFormats => values::precision(),
                })
            });
        }
    }
    command
}

impl Args for RunArgs {
    fn augment_args(command: Command) -> Command {
        complete(RunRequest::augment_args(command))
    }

    fn augment_args_for_update(command: Command) -> Command {
        complete(RunRequest::augment_args_for_update(command))
    }

    fn group_id() -> Option<Id> {
        RunRequest::group_id()
    }
}

impl FromArgMatches for RunArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        RunRequest::from_arg_matches(matches).map(Self)
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, Error> {
        RunRequest::from_arg_matches_mut(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}
