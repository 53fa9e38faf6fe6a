//! Arguments: clap types and nothing else. `crate::requests` turns them into requests.

mod args;
mod flags;
mod lazy;
mod plan;
mod sizing;
mod written;

pub use args::{
    BrowseArgs, CapacityArg, CatalogCommand, ChoiceArgs, ChoiceFormat, Command, CompareArgs,
    CompletionsArgs, ConfigCommand, DetectArgs, FitArgs, GroupArg, HelpArgs, IsArgs, ListArgs,
    ListSort, LiveArgs, ManArgs, McpArgs, MigCommand, MigFitArgs, MigPackArgs, MigProfilesArgs,
    MigTool, ModelsArgs, Objective, OfferArgs, OutputFormat, RecommendArgs, ReportArgs,
    ResolveArgs, SearchArgs, Shell, ShowArgs, SortArg, UpdateSource, WatchArgs,
};

pub use flags::{translate_error, translate_notes, with_flags};
pub use lazy::{Lazy, Overriding};
pub use plan::{ConvertArgs, InterconnectArg, PlanArgs, PlanCommand, PlanDiffArgs};
pub use sizing::RunArgs;
pub use written::Written;

use std::ffi::OsString;
use std::mem::ManuallyDrop;
use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::builder::{EnumValueParser, PathBufValueParser, TypedValueParser};
use clap::{
    Args, ColorChoice, CommandFactory as _, FromArgMatches as _, Parser, Subcommand as _, ValueEnum,
};

/// The name of the program.
pub const PROGRAM: &str = env!("CARGO_PKG_NAME");

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

const EXAMPLES: &str = "\
Examples:
  sky-accel resolve H100 --provider aws          names and prices at one provider
  sky-accel resolve 'A100:80GB:x8|H100:x8'       either; the first choice is listed first
  sky-accel resolve any:24GB --max-price 0.5     anything with 24 GB for 50 cents an hour
  sky-accel resolve H100:x8 --live               current offers, prices and stock
  sky-accel recommend --model Llama-3.1-8B       what to rent for a model
  sky-accel fit L4 --model Llama-3.1-8B          whether the model fits, term by term
  sky-accel plan H100:x8 --to skypilot           places to try, as a file for SkyPilot
  sky-accel list --vendor amd --min-memory 64    AMD GPUs with 64 GB or more
  sky-accel show p4de.24xlarge                   everything about an accelerator or instance type";

const EXIT_CODES: &str = "\
Exit codes: 0 found, 1 nothing matches, 2 usage or spec error, 3 credentials missing or refused,
4 no provider answered, 5 some provider did not answer, 6 config, catalog or lock file invalid,
7 prices older than --max-age, or a plan that differs from its lock file, 70 bug, 74 output not writable, 130 interrupted.";

/// Find cloud GPUs, check whether a model fits on them, and plan where to rent them.
#[derive(Debug, Parser)]
#[command(name = PROGRAM, version, styles = STYLES, max_term_width = 100)]
#[command(before_help = EXAMPLES, after_help = EXIT_CODES, propagate_version = true, disable_help_subcommand = true)]
pub struct Cli {
    #[command(flatten)]
    pub global: GlobalArgs,
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Reads a command line, whose first word is the name of the program.
    ///
    /// # Errors
    ///
    /// An error of the command line, or a text that was asked for, such as help.
    pub fn read(words: &[OsString]) -> Result<Self, clap::Error> {
        let commands = clap::Command::new(PROGRAM);
        let commands = ManuallyDrop::new(Command::augment_subcommands(commands));
        let mut typed = words.iter().skip(1);
        let named = typed
            .find_map(|word| commands.find_subcommand(word))
            .cloned();
        let of_one =
            named.map(|named| Self::parsed(Self::without_commands().subcommand(named), words));
        match of_one {
            Some(Ok(parsed)) => Ok(parsed),
            // Help and errors tell of all commands.
            _ => Self::parsed(Self::command(), words),
        }
    }

    /// The global options, without any command. To hand them down to all commands is most of what parsing costs, and
    /// a command line is of one of them.
    pub fn without_commands() -> clap::Command {
        let command = clap::Command::new(PROGRAM).disable_help_subcommand(true);
        GlobalArgs::augment_args(command)
    }

    fn parsed(command: clap::Command, words: &[OsString]) -> Result<Self, clap::Error> {
        // Dropping descriptions would be a good part of parsing, and the process ends soon.
        let mut command = ManuallyDrop::new(command);
        let mut matches = ManuallyDrop::new(command.try_get_matches_from_mut(words)?);
        Self::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
    }
}

/// Options of every command. Flags have no default, since each would be handed down to the command, at a good part of
/// the cost of parsing.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub struct GlobalArgs {
    /// Output format [default: table]
    #[arg(short, long, global = true, value_name = "FORMAT", value_parser = Output::format())]
    pub output: Option<Output>,

    /// End each line of `-o names` with NUL instead of a line feed, for xargs -0
    #[arg(
        short = '0',
        long = "null",
        global = true,
        num_args = 0,
        default_missing_value = "true"
    )]
    pub null: Option<bool>,

    /// When to use colour [default: auto]
    #[arg(long, global = true, value_enum, value_name = "WHEN")]
    pub color: Option<ColorChoice>,

    /// Print only data, losses and errors: no notes, no footer
    #[arg(
        short,
        long,
        global = true,
        num_args = 0,
        default_missing_value = "true"
    )]
    pub quiet: Option<bool>,

    /// Print all notes, and the sources of prices and figures
    #[arg(
        short,
        long,
        global = true,
        conflicts_with = "quiet",
        num_args = 0,
        default_missing_value = "true"
    )]
    pub verbose: Option<bool>,

    /// Explain on standard error why each candidate was kept or dropped (resolve, plan)
    #[arg(long, global = true, num_args = 0, default_missing_value = "true")]
    pub explain: Option<bool>,

    /// Add an overlay catalog, a folder or a file; may be repeated, the last one wins
    #[arg(long, global = true, value_name = "DIR")]
    pub catalog: Vec<PathBuf>,

    /// Read this config file instead of ./sky-accel.toml and your user config.toml
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "no_config")]
    pub config: Option<PathBuf>,

    /// Ignore config files, your catalog and SKY_ACCEL_* variables: for reproducible answers
    #[arg(long, global = true, num_args = 0, default_missing_value = "true")]
    pub no_config: Option<bool>,

    /// Do not use the network: --live uses cached answers only
    #[arg(long, global = true, num_args = 0, default_missing_value = "true")]
    pub offline: Option<bool>,

    /// Send keys to base URLs that begin with http://, which others can read on the way
    #[arg(
        long,
        global = true,
        hide_short_help = true,
        num_args = 0,
        default_missing_value = "true"
    )]
    pub insecure: Option<bool>,
}

/// Where an answer goes: in which form to standard output, or, with `catalog compile`, to which file. What is chosen in
/// `browse` has forms of its own.
#[derive(Clone, Debug)]
pub enum Output {
    Format(OutputFormat),
    File(PathBuf),
    Choice(ChoiceFormat),
}

impl Output {
    fn format() -> impl TypedValueParser<Value = Self> {
        EnumValueParser::<OutputFormat>::new().map(Self::Format)
    }

    fn choice() -> impl TypedValueParser<Value = Self> {
        EnumValueParser::<ChoiceFormat>::new().map(Self::Choice)
    }

    fn file() -> impl TypedValueParser<Value = Self> {
        PathBufValueParser::new().map(Self::File)
    }
}

/// How a value is written on the command line.
pub fn word_of(value: impl ValueEnum + Copy) -> String {
    value
        .to_possible_value()
        .map_or_else(String::new, |word| word.get_name().to_owned())
}
