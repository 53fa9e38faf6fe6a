//! The command that starts an engine with a model, in the layout that was computed.
//!
//! A command is a line for a POSIX shell, the same on every machine. What only the user knows is a variable that
//! the shell asks for by its meaning, so that a command with a gap fails at once and says why.

mod llama_cpp;
mod sglang;
mod tensorrt_llm;
mod training;
mod vllm;

use std::fmt::Display;

use sky_accel_core::sizing::{CacheFormat, Engine, Layout, Run};

use crate::{Target, write};

/// The number of a machine, from 0, and the address of machine 0, as variables of a shell.
const NODE_RANK: &str = "NODE_RANK";
const MASTER_ADDR: &str = "MASTER_ADDR";
/// The port on which machines meet: that of torchrun.
const PORT: u16 = 29_500;

/// The weights that an engine loads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checkpoint {
    /// A folder, or an id of a hub.
    Named(String),
    /// The path of a GGUF file.
    GgufFile(String),
    /// None that is known, in words: `a checkpoint of Qwen3-32B in awq`.
    Missing(String),
}

/// An engine, a model and a layout.
#[derive(Clone, Debug)]
pub struct Launch<'l> {
    /// The work.
    pub run: &'l Run,
    /// The layout, of all machines together.
    pub layout: &'l Layout,
    /// The number of machines.
    pub nodes: u32,
    /// The weights.
    pub checkpoint: Checkpoint,
    /// The format that weights are quantized to while they are loaded, in the catalog's words; `None` where they
    /// are loaded as they are.
    pub quantize: Option<&'l str>,
    /// The share of a device that weights and cache take; `None` where its memory is not known.
    pub static_share: Option<f64>,
    /// Whether the model is a mixture of experts.
    pub is_mixture: bool,
    /// How positions are stretched; `None` where the model takes the sequences as it is.
    pub yarn: Option<Stretch>,
    /// Whether products are in half precision, because the devices have no bfloat16.
    pub is_half: bool,
}

/// Positions that are stretched by YaRN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// How many times as many tokens as the positions were trained for.
    pub factor: f64,
    /// The tokens that the positions were trained for.
    pub original_context: u32,
    /// The base of the rotations.
    pub rope_theta: u32,
}

/// A command, and what the user has to set for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// The command.
    pub text: String,
    /// Variables of the shell, each with its meaning.
    pub variables: Vec<(&'static str, String)>,
}

/// The command of a launch; `None` where the engine has none for that layout.
pub fn command(launch: &Launch<'_>) -> Option<Command> {
    let run = launch.run;
    if run.rollouts.is_some() {
        return None;
    }
    if run.workload.is_training() {
        return training::command(launch);
    }
    let is_apart = run.load.is_some_and(|load| load.is_disaggregated);
    let layout = launch.layout;
    // Where engines share experts among data-parallel ranks, all ranks of a server share them.
    let is_partial = layout.expert > layout.tensor && layout.expert != layout.tensor * layout.data;
    let has_options = layout.context == 1 && run.speculation.is_none() && has_cache(run);
    if is_apart || is_partial || !has_options {
        return None;
    }
    match run.engine {
        Engine::Vllm => vllm::command(launch),
        Engine::Sglang => sglang::command(launch),
        Engine::TensorRtLlm => tensorrt_llm::command(launch),
        Engine::LlamaCpp => llama_cpp::command(launch),
        Engine::Transformers | Engine::None => None,
    }
}

/// Whether the engine has an option for the format of the cache. What would be left out of a command changes
/// its memory and its speed.
fn has_cache(run: &Run) -> bool {
    match run.cache {
        CacheFormat::Bf16 => true,
        CacheFormat::Fp8 => {
            matches!(
                run.engine,
                Engine::Vllm | Engine::Sglang | Engine::TensorRtLlm
            )
        }
        CacheFormat::Q8_0 | CacheFormat::Q4_0 => run.engine == Engine::LlamaCpp,
        CacheFormat::Int8 => false,
    }
}

impl Launch<'_> {
    /// Devices of one machine.
    fn devices(&self) -> u32 {
        self.layout.devices() / self.nodes.max(1)
    }

    /// Tokens of a sequence at its end.
    fn tokens(&self) -> u64 {
        self.run.sequence() as u64
    }
}

impl Command {
    /// The same for a target that tells its machines their number and where to meet.
    #[must_use]
    pub fn met_by(mut self, target: Option<Target>) -> Self {
        let is_asked = |name: &str| self.variables.iter().any(|(asked, _)| *asked == name);
        if let Some((rank, address)) = target.and_then(Target::meeting)
            && is_asked(NODE_RANK)
        {
            let address_told =
                address.map_or_else(String::new, |address| format!(" {MASTER_ADDR}={address}"));
            self.text = format!("export {NODE_RANK}={rank}{address_told}\n{}", self.text);
            self.variables.retain(|(name, _)| {
                *name != NODE_RANK && (*name != MASTER_ADDR || address.is_none())
            });
        }
        self
    }
}

/// A command that is being written.
struct Line {
    command: Command,
}

impl Line {
    fn new(program: &str) -> Self {
        Self {
            command: Command {
                text: program.to_owned(),
                variables: Vec::new(),
            },
        }
    }

    /// Adds text as it is.
    fn word(&mut self, word: &str) -> &mut Self {
        self.command.text.push(' ');
        self.command.text.push_str(word);
        self
    }

    /// Adds an option with a value that a shell reads as it is.
    fn option(&mut self, name: &str, value: impl Display) -> &mut Self {
        self.word(name).word(&value.to_string())
    }

    /// The same where the value is not the default of a degree of parallelism.
    fn degree(&mut self, name: &str, value: u32) -> &mut Self {
        if value > 1 {
            self.option(name, value);
        }
        self
    }

    fn flag(&mut self, name: &str, is_set: bool) -> &mut Self {
        if is_set {
            self.word(name);
        }
        self
    }

    /// The value of a variable, which the shell asks for by its meaning.
    fn variable(&mut self, name: &'static str, meaning: &str) -> String {
        if !self
            .command
            .variables
            .iter()
            .any(|(known, _)| *known == name)
        {
            self.command.variables.push((name, meaning.to_owned()));
        }
        // The meaning is a word of the shell between double quotes.
        let plain: String = meaning
            .chars()
            .filter(|c| c.is_alphanumeric() || " ,.:/-+_".contains(*c))
            .collect();
        format!("\"${{{name}:?{plain}}}\"")
    }

    /// The weights as a word of the shell.
    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> String {
        match checkpoint {
            Checkpoint::Named(name) | Checkpoint::GgufFile(name) => write::shell(name),
            Checkpoint::Missing(meaning) => self.variable("MODEL", meaning),
        }
    }

    fn node_rank(&mut self) -> String {
        self.variable(NODE_RANK, "the number of this machine, from 0")
    }

    fn master_address(&mut self) -> String {
        self.variable(MASTER_ADDR, "the address of machine 0")
    }

    fn finish(self) -> Command {
        self.command
    }
}
