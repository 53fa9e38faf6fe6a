//! Command-line arguments as clap types. `crate::requests` converts them to engine requests.

mod accounts;
mod args;
mod bill;
mod command;
mod durations;
mod examples;
mod global;
mod lazy;
mod numbers;
mod offers;
mod output;
mod plan;
mod sizing;
mod sources;
mod tips;
mod typed;
mod words;
mod written;

pub use accounts::{DoctorArgs, LiveCommand, QuotaArgs};
pub use args::{
    BrowseArgs, CatalogCommand, ChoiceArgs, CompareArgs, CompletionsArgs, ConfigCommand,
    DetectArgs, FitArgs, IsArgs, ListArgs, McpArgs, MigCommand, MigFitArgs, MigPackArgs,
    MigProfilesArgs, MixArgs, ModelsAddArgs, ModelsArgs, ModelsCommand, ModelsRemoveArgs,
    PricePolicyArgs, PricesArgs, RecommendArgs, ReportArgs, ResolveArgs, SearchArgs, Shell,
    ShowArgs, WatchArgs, WebArgs,
};
pub use bill::{BillArgs, UseArgs, WholeBillArgs};
pub use command::{Command, HelpArgs, ManArgs};
pub use global::{GlobalArgs, PROGRAM};
pub use lazy::{Lazy, Overriding};
pub use offers::{CommitArgs, HoursArgs, LiveArgs, OfferArgs, is_capacity_type};
pub use output::{ChoiceFormat, Detail, Output, OutputFormat, word_of};
pub use plan::{ConvertArgs, PlanArgs, PlanCommand, PlanDiffArgs};
pub use sizing::RunArgs;
pub use sources::{PublishedCatalog, UpdateSource};
pub use typed::with_command;
pub use written::Written;

use std::ffi::OsString;
use std::mem::ManuallyDrop;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand as _};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

const EXAMPLES: &str = "\
Examples:
  sky-accel resolve H100 --provider aws          names and prices at one provider
  sky-accel resolve 'A100:80GB:x8|H100:x8'       either, in order of preference
  sky-accel resolve any:24GB --max-price 0.5     anything with 24 GB for 50 cents an hour
  sky-accel resolve H100:x8 --live               current offers, prices and stock
  sky-accel recommend Llama-3.1-8B               what to rent for a model
  sky-accel fit L4 Llama-3.1-8B                  whether the model fits, term by term
  sky-accel plan H100:x8 --to skypilot           offers to try, as a SkyPilot task file
  sky-accel list --vendor amd --min-memory 64    AMD GPUs with 64 GB or more
  sky-accel show p4de.24xlarge                   everything about an accelerator or instance type";

const EXIT_CODES: &str = "\
Exit codes: 0 found, 1 nothing matches, 2 usage or spec error, 3 credentials missing or rejected,
4 no provider answered, 5 some provider did not answer, 6 config, catalog or lock file invalid,
7 prices older than --max-age, or a plan that differs from its lock file, 70 bug, 74 output not writable, 130 interrupted.";

/// Find cloud GPUs, check whether a model fits on them, and plan where to rent them.
#[derive(Debug, Parser)]
#[command(name = PROGRAM, version, styles = STYLES, max_term_width = 100)]
#[command(before_long_help = EXAMPLES, after_long_help = EXIT_CODES, propagate_version = true, disable_help_subcommand = true)]
pub struct Cli {
    #[command(flatten)]
    pub global: GlobalArgs,
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Parses the command line of the process, which starts with the name of the program.
    ///
    /// # Errors
    ///
    /// A usage error, or requested text such as help.
    pub fn read(words: &[OsString]) -> Result<Self, clap::Error> {
        // Dropping the descriptions costs a good part of parsing, and the process ends soon anyway.
        let mut leftovers = ManuallyDrop::new(Leftovers::default());
        Self::parse(words, &mut leftovers)
    }

    /// Parses one of many command lines of a process.
    ///
    /// # Errors
    ///
    /// Same as [`Cli::read`].
    pub fn read_one(words: &[OsString]) -> Result<Self, clap::Error> {
        Self::parse(words, &mut Leftovers::default())
    }

    fn parse(words: &[OsString], leftovers: &mut Leftovers) -> Result<Self, clap::Error> {
        let commands = Command::augment_subcommands(clap::Command::new(PROGRAM));
        let mut typed = words.iter().skip(1);
        let named = typed
            .find_map(|word| commands.find_subcommand(word))
            .cloned();
        leftovers.commands.push(commands);
        let lists_commands = named.is_none();
        let single = named.map(|named| {
            let command = Self::without_commands().subcommand(named);
            Self::parsed(command, words, leftovers)
        });
        if let Some(Ok(parsed)) = single {
            return Ok(parsed);
        }
        // Help and errors list all commands. The list of commands leaves no room for others.
        let all = if lists_commands {
            lazy::fitting(Self::command())
        } else {
            Self::command()
        };
        Self::parsed(all, words, leftovers).map_err(|error| {
            let mut root = Self::command();
            root.build();
            tips::with_tip(error, &root, words)
        })
    }

    /// Returns the global options without commands. Propagating them to every command is most of the cost of
    /// parsing, and a command line uses one command.
    pub fn without_commands() -> clap::Command {
        let command = clap::Command::new(PROGRAM).disable_help_subcommand(true);
        GlobalArgs::augment_args(command)
    }

    fn parsed(
        mut command: clap::Command,
        words: &[OsString],
        leftovers: &mut Leftovers,
    ) -> Result<Self, clap::Error> {
        let outcome = command.try_get_matches_from_mut(words);
        let parsed = outcome.and_then(|mut matches| {
            let parsed = Self::from_arg_matches_mut(&mut matches);
            leftovers.matches.push(matches);
            parsed.map_err(|error| error.format(&mut command))
        });
        leftovers.commands.push(command);
        parsed
    }
}

/// Descriptions of commands that are no longer needed after parsing.
#[derive(Default)]
struct Leftovers {
    commands: Vec<clap::Command>,
    matches: Vec<clap::ArgMatches>,
}
