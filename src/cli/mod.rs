//! Arguments: clap types and nothing else. `crate::requests` turns them into requests.

mod args;
mod lazy;
mod plan;
mod sizing;

pub use args::{
    BuyingArg, CatalogCommand, Command, CompareArgs, CompletionsArgs, ConfigCommand, DetectArgs,
    FitArgs, HelpArgs, IsArgs, ListArgs, ListSort, LiveArgs, ManArgs, MigCommand, MigFitArgs,
    MigPackArgs, MigProfilesArgs, MigTool, Objective, OfferArgs, OutputFormat, RecommendArgs,
    ReportArgs, ResolveArgs, SearchArgs, Shell, ShowArgs, SortArg, WatchArgs,
};

pub use lazy::Lazy;
pub use plan::{ConvertArgs, InterconnectArg, PlanArgs, PlanCommand, PlanDiffArgs};
pub use sizing::{RunArgs, WorkArg};

use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, ColorChoice, Parser, ValueEnum};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

const EXAMPLES: &str = "\
Examples:
  sky-accel resolve H100 --provider aws          each provider's names and prices for one spec
  sky-accel resolve 'A100:80GB:x8|H100:x8'       either, those of the first choice first
  sky-accel resolve any:24GB --max-price 0.5     anything with 24 GB for 50 cents an hour
  sky-accel resolve H100:x8 --live               what the providers sell now, and whether it is in stock
  sky-accel recommend --model Llama-3.1-8B       what to rent for a model
  sky-accel fit L4 --model Llama-3.1-8B          whether it fits, term by term
  sky-accel plan H100:x8 --to skypilot           where to try, for the engine that rents it
  sky-accel list --vendor amd --min-memory 64    the catalog
  sky-accel show p4de.24xlarge                   all about an accelerator or an instance type";

const EXIT_CODES: &str = "\
Exit codes: 0 found, 1 nothing matches, 2 usage or spec error, 3 credentials missing or refused,
4 no provider answered, 5 some provider did not answer, 6 config, catalog or lock file invalid,
7 older than --max-age, or not what is locked, 70 bug, 74 output not writable, 130 interrupted.";

/// One GPU spec or model in; each cloud's own instance types, prices and regions out.
#[derive(Debug, Parser)]
#[command(name = "sky-accel", version, styles = STYLES, max_term_width = 100)]
#[command(before_help = EXAMPLES, after_help = EXIT_CODES, propagate_version = true, disable_help_subcommand = true)]
pub struct Cli {
    #[command(flatten)]
    pub global: GlobalArgs,
    #[command(subcommand)]
    pub command: Command,
}

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub struct GlobalArgs {
    /// Form of the output [default: table]
    #[arg(short, long, global = true, value_enum, value_name = "FORMAT")]
    pub output: Option<OutputFormat>,

    /// End each line of `-o names` with NUL instead of a line feed, for xargs -0
    #[arg(short = '0', long = "null", global = true)]
    pub null: bool,

    /// When to use colour [default: auto]
    #[arg(long, global = true, value_enum, value_name = "WHEN")]
    pub color: Option<ColorChoice>,

    /// Say only what went wrong, not notes and footers
    #[arg(short, long, global = true)]
    pub quiet: bool,

    /// Say more: where prices and figures are from
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub verbose: bool,

    /// Say on standard error why each candidate was kept or dropped (resolve, plan)
    #[arg(long, global = true)]
    pub explain: bool,

    /// Overlay catalog, a folder or a file; may be repeated, the last one wins
    #[arg(long, global = true, value_name = "DIR")]
    pub catalog: Vec<PathBuf>,

    /// Config file instead of ./sky-accel.toml and the user's
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "no_config")]
    pub config: Option<PathBuf>,

    /// Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers
    #[arg(long, global = true)]
    pub no_config: bool,

    /// Never touch the network: with --live, cached answers alone
    #[arg(long, global = true)]
    pub offline: bool,
}

/// How a value is written on the command line.
pub fn word_of(value: impl ValueEnum + Copy) -> String {
    value
        .to_possible_value()
        .map_or_else(String::new, |word| word.get_name().to_owned())
}
