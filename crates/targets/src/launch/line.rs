//! The parts that the commands of all serving engines and trainers share.

use std::fmt::Display;

use sky_accel_core::sizing::{Layout, Run};

use crate::{Rendezvous, write};

/// The shell variable with the number of a machine, from 0.
pub(super) const NODE_RANK: &str = "NODE_RANK";
/// The shell variable with the address of machine 0.
pub(super) const MASTER_ADDR: &str = "MASTER_ADDR";
/// The port for the rendezvous of several machines, which is the default of torchrun.
pub(super) const PORT: u16 = 29_500;

/// The weights to load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checkpoint {
    /// A folder, or the id of a model hub.
    Named(String),
    /// The path of a GGUF file.
    GgufFile(String),
    /// An unknown checkpoint, with a description such as `a checkpoint of Qwen3-32B in awq`.
    Missing(String),
}

/// The input of a command: a run, a model and a layout.
#[derive(Clone, Debug)]
pub struct Launch<'l> {
    /// The run, with its serving engine or its training method.
    pub run: &'l Run,
    /// The layout over all machines.
    pub layout: &'l Layout,
    /// The number of machines.
    pub nodes: u32,
    /// Tokens of the longest request that a server admits.
    pub longest: u64,
    /// The limits of a job that reads its requests from a file and ends; `None` for a server.
    pub batch_job: Option<PassLimits>,
    /// The weights.
    pub checkpoint: Checkpoint,
    /// The format to which weights are quantized while they load, by its name in the catalog; `None` if
    /// they are loaded unchanged.
    pub quantize: Option<&'l str>,
    /// The fraction of device memory for weights and cache; `None` if the memory is unknown.
    pub static_share: Option<f64>,
    /// Whether the model is a mixture of experts.
    pub is_mixture: bool,
    /// The context extension; `None` if the sequences fit the context of the model.
    pub yarn: Option<Stretch>,
    /// Whether to compute in float16, because the devices do not support bfloat16.
    pub is_half: bool,
    /// The arguments and variables that start this model.
    pub recipe: Recipe<'l>,
}

/// The limits of one step of a serving engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassLimits {
    /// The number of sequences in flight.
    pub sequences: f64,
    /// The number of tokens.
    pub tokens: f64,
}

/// Arguments and variables that a serving engine needs to start a model, in addition to the layout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recipe<'l> {
    /// The words of the command line.
    pub arguments: Vec<&'l str>,
    /// The variables of the environment, each as `NAME=value` in plain characters.
    pub variables: Vec<&'l str>,
}

impl Recipe<'_> {
    /// Returns the assignments before the name of a program, which end with a space.
    pub(super) fn assignments(&self) -> String {
        let mut text = self.variables.join(" ");
        if !text.is_empty() {
            text.push(' ');
        }
        text
    }
}

/// A context extension by YaRN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// The extended context divided by the original context.
    pub factor: f64,
    /// The context length of the training, in tokens.
    pub original_context: u32,
    /// The base of the rotary position embedding.
    pub rope_theta: u32,
}

/// A command, and the variables that the user must set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// The command line.
    pub text: String,
    /// The required shell variables, each with its meaning.
    pub variables: Vec<(&'static str, String)>,
    /// Tokens of the longest request that the server admits; `None` for other commands.
    pub longest: Option<u64>,
    /// Whether the command exits when its work is done, unlike a server.
    pub ends: bool,
}

impl Launch<'_> {
    /// Returns the number of devices of one machine.
    pub(super) fn devices(&self) -> u32 {
        self.layout.devices() / self.nodes.max(1)
    }

    /// Returns the number of tokens of a complete sequence.
    pub(super) fn tokens(&self) -> u64 {
        self.run.sequence() as u64
    }
}

impl Command {
    /// Returns a command that the user has to set, with its meaning.
    pub fn unknown(meaning: &str) -> Self {
        let mut line = CommandLine::new("eval");
        let command = line.variable("COMMAND", meaning);
        line.word(&command);
        line.finish()
    }

    /// Sets the variables of the rendezvous from the variables of a target that provides them.
    #[must_use]
    pub fn met_by(mut self, rendezvous: Option<Rendezvous>) -> Self {
        let is_required = |name: &str| self.variables.iter().any(|(variable, _)| *variable == name);
        if let Some(Rendezvous { rank, address }) = rendezvous
            && is_required(NODE_RANK)
        {
            let address_assignment =
                address.map_or_else(String::new, |address| format!(" {MASTER_ADDR}={address}"));
            self.text = format!(
                "export {NODE_RANK}={rank}{address_assignment}\n{}",
                self.text
            );
            self.variables.retain(|(name, _)| {
                *name != NODE_RANK && (*name != MASTER_ADDR || address.is_none())
            });
        }
        self
    }
}

/// A builder of a command.
pub(super) struct CommandLine {
    pub(super) command: Command,
}

impl CommandLine {
    /// Starts a command with a program, which may include its first arguments.
    pub(super) fn new(program: &str) -> Self {
        Self {
            command: Command {
                text: program.to_owned(),
                variables: Vec::new(),
                longest: None,
                ends: false,
            },
        }
    }

    /// Adds text verbatim.
    pub(super) fn word(&mut self, word: &str) -> &mut Self {
        self.command.text.push(' ');
        self.command.text.push_str(word);
        self
    }

    /// Adds an option with a value that needs no quoting.
    pub(super) fn option(&mut self, name: &str, value: impl Display) -> &mut Self {
        self.word(name).word(&value.to_string())
    }

    /// Adds a degree of parallelism, unless it is the default of 1.
    pub(super) fn degree(&mut self, name: &str, value: u32) -> &mut Self {
        if value > 1 {
            self.option(name, value);
        }
        self
    }

    /// Adds a flag if it is set.
    pub(super) fn flag(&mut self, name: &str, is_set: bool) -> &mut Self {
        if is_set {
            self.word(name);
        }
        self
    }

    /// Adds the options of a recipe, except the options that the line has already.
    pub(super) fn recipe(&mut self, recipe: &Recipe<'_>) -> &mut Self {
        let is_option = |word: &str| word.starts_with("--");
        let mut arguments = recipe.arguments.iter().peekable();
        while let Some(option) = arguments.next() {
            let has_option = self.command.text.split(' ').any(|word| word == *option);
            let mut values = Vec::new();
            while let Some(value) = arguments.next_if(|word| !is_option(word)) {
                values.push(write::shell(value));
            }
            if !has_option {
                self.word(&write::shell(option));
                for value in &values {
                    self.word(value);
                }
            }
        }
        self
    }

    /// Declares a required variable and returns its expansion, which fails with the meaning if the
    /// variable is not set.
    pub(super) fn variable(&mut self, name: &'static str, meaning: &str) -> String {
        if !self
            .command
            .variables
            .iter()
            .any(|(variable, _)| *variable == name)
        {
            self.command.variables.push((name, meaning.to_owned()));
        }
        // The expansion is in double quotes, so the message must not contain `"`, `$`, `` ` `` or `}`.
        let plain: String = meaning
            .chars()
            .filter(|c| c.is_alphanumeric() || " ,.:/-+_".contains(*c))
            .collect();
        format!("\"${{{name}:?{plain}}}\"")
    }

    /// Returns the weights as a shell word.
    pub(super) fn checkpoint(&mut self, checkpoint: &Checkpoint) -> String {
        match checkpoint {
            Checkpoint::Named(name) | Checkpoint::GgufFile(name) => write::shell(name),
            Checkpoint::Missing(meaning) => self.variable("MODEL", meaning),
        }
    }

    /// Declares the number of this machine.
    pub(super) fn node_rank(&mut self) -> String {
        self.variable(NODE_RANK, "the number of this machine, from 0")
    }

    /// Declares the address of machine 0.
    pub(super) fn master_address(&mut self) -> String {
        self.variable(MASTER_ADDR, "the address of machine 0")
    }

    /// Sets the option for the longest request that the server admits.
    pub(super) fn longest(&mut self, option: &str, tokens: u64) -> &mut Self {
        self.command.longest = Some(tokens);
        self.option(option, tokens)
    }

    /// Sets the option for the tokens of all slots, each of which holds the longest request.
    pub(super) fn slots(&mut self, option: &str, tokens: u64, slots: u64) -> &mut Self {
        self.command.longest = Some(tokens);
        self.option(option, tokens * slots)
    }

    /// Returns the finished command.
    pub(super) fn finish(self) -> Command {
        self.command
    }
}
