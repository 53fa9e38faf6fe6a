//! The commands.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};

use super::accounts::{LiveCommand, QuotaArgs};
use super::args::{
    BrowseArgs, CatalogCommand, ChoiceArgs, CompareArgs, CompletionsArgs, ConfigCommand,
    DetectArgs, FitArgs, IsArgs, ListArgs, McpArgs, MigCommand, MixArgs, ModelsArgs, PricesArgs,
    RecommendArgs, ReportArgs, ResolveArgs, ShowArgs, WatchArgs, WebArgs,
};
use super::bill::BillArgs;
use super::examples;
use super::global::PROGRAM;
use super::lazy::{Lazy, Overriding};
use super::plan::{ConvertArgs, PlanArgs};
use crate::completion::values;
use crate::help_topics::TOPICS;

/// Keys of `browse`.
const KEYS: &str = "\
Type to filter by spec, provider id and words of offer names, as in h100:x8 aws gcp. Keys:
  ↑ ↓ PgUp PgDn        select an offer            Shift-↑ Shift-↓  scroll its details
  Enter                print the choice           Tab              mark the offer to compare or choose several
  Ctrl-S               sort by the next column    Ctrl-O           reverse the order
  Ctrl-F               size a model               Ctrl-P           show the plan for a target
  Ctrl-R               query the providers        Esc, Ctrl-C      quit with exit code 130";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the accelerators in the catalog
    #[command(before_long_help = examples::LIST)]
    List(Lazy<ListArgs>),
    /// Show all facts about an accelerator, a type or a provider
    #[command(before_long_help = examples::SHOW)]
    Show(Lazy<ShowArgs>),
    /// Compare accelerators figure by figure, with ratios to the first
    #[command(before_long_help = examples::COMPARE)]
    Compare(Lazy<CompareArgs>),
    /// Find each provider's types, prices and regions for a spec
    #[command(before_long_help = examples::RESOLVE)]
    Resolve(Lazy<ResolveArgs>),
    /// Compute the whole bill: machine, disk, traffic, starts
    ///
    /// Machines rank by their total. A line without a known price is left out of the total.
    #[command(allow_negative_numbers = true)]
    #[command(before_long_help = examples::BILL)]
    Bill(Lazy<BillArgs>),
    /// Split a load into reserved, on-demand and spot machines
    #[command(before_long_help = examples::MIX)]
    Mix(Lazy<MixArgs>),
    /// Show whether a price is good
    ///
    /// The answer has today's prices by kind of market, and their range since 2023.
    #[command(before_long_help = examples::PRICES)]
    Prices(Lazy<PricesArgs>),
    /// Browse offers in the terminal, and print your choice
    #[command(allow_negative_numbers = true, after_long_help = KEYS)]
    #[command(before_long_help = examples::BROWSE)]
    Browse(Overriding<ChoiceArgs, BrowseArgs>),
    /// Recommend machines to rent for a model or a kind of work
    #[command(allow_negative_numbers = true)]
    #[command(before_long_help = examples::RECOMMEND)]
    Recommend(Lazy<RecommendArgs>),
    /// Write a recommendation or an answer as a web page
    ///
    /// The page has a chart and a table. The answer is of `resolve`, `browse` or `compare`.
    #[command(allow_negative_numbers = true)]
    #[command(before_long_help = examples::REPORT)]
    Report(Lazy<ReportArgs>),
    /// Write a page that answers offline, in a browser
    #[command(before_long_help = examples::WEB)]
    Web(Lazy<WebArgs>),
    /// Check whether a model fits on hardware, term by term: exit 0 or 1
    #[command(allow_negative_numbers = true)]
    #[command(before_long_help = examples::FIT)]
    Fit(Lazy<FitArgs>),
    /// List the models in the catalog, or show one
    #[command(before_long_help = examples::MODELS)]
    Models(Lazy<ModelsArgs>),
    /// Rank offers to try, and write the plan for SkyPilot, Terraform, …
    #[command(before_long_help = examples::PLAN)]
    Plan(Lazy<PlanArgs>),
    /// Convert a spec to another tool's syntax
    #[command(before_long_help = examples::CONVERT)]
    Convert(Lazy<ConvertArgs>),
    /// Plan MIG slices: profiles, placements, the fewest GPUs
    #[command(subcommand)]
    #[command(before_long_help = examples::MIG)]
    Mig(Lazy<MigCommand>),
    /// Poll the providers until an offer is in stock or cheap enough
    #[command(before_long_help = examples::WATCH)]
    Watch(Lazy<WatchArgs>),
    /// Check whether your accounts' quotas admit machines: exit 0 or 1
    #[command(before_long_help = examples::QUOTA)]
    Quota(Lazy<QuotaArgs>),
    /// Check the credentials for live answers
    #[command(subcommand)]
    #[command(before_long_help = examples::DOCTOR)]
    Live(Lazy<LiveCommand>),
    /// Detect this machine's accelerators, and where to rent the same
    #[command(before_long_help = examples::DETECT)]
    Detect(Lazy<DetectArgs>),
    /// Check the vendor, class or SDK of an accelerator: exit 0 or 1
    #[command(before_long_help = examples::IS)]
    Is(Lazy<IsArgs>),
    /// Serve the same answers to agents (Model Context Protocol)
    #[command(before_long_help = examples::MCP)]
    Mcp(Lazy<McpArgs>),
    /// Check, compare, locate and update catalogs
    #[command(subcommand)]
    #[command(before_long_help = examples::CATALOG)]
    Catalog(Lazy<CatalogCommand>),
    /// Show the settings and where each comes from
    #[command(subcommand)]
    #[command(before_long_help = examples::CONFIG)]
    Config(Lazy<ConfigCommand>),
    /// Print a shell completion script
    #[command(before_long_help = examples::COMPLETIONS)]
    Completions(Lazy<CompletionsArgs>),
    /// Explain a command, or a topic such as prices
    ///
    /// Topics are spec, prices, mig, sizing, no-instance, out-of-memory and mig-failed.
    #[command(before_long_help = examples::HELP)]
    Help(Lazy<HelpArgs>),
    /// Print a manual page: sky-accel man plan | man -l -
    #[command(before_long_help = examples::MAN)]
    Man(Lazy<ManArgs>),
}

#[derive(Debug, Args)]
pub struct ManArgs {
    /// Command, as in `mig fit`; default: the program itself
    #[arg(value_name = "COMMAND", num_args = 0..=2, add = command_names())]
    pub command: Vec<String>,
    /// Write all manual pages into this folder instead, for packages
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct HelpArgs {
    /// Command, as in `mig fit`, or help topic
    #[arg(value_name = "COMMAND|TOPIC", num_args = 0..=2, add = topic_names())]
    pub words: Vec<String>,
}

/// Completes the names of commands. Defined here because the names come from [`Command`].
fn command_names() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| complete(typed, &[]))
}

/// Completes help topics and the names of commands.
fn topic_names() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| complete(typed, TOPICS))
}

fn complete(typed: &OsStr, topics: &[(&str, &str)]) -> Vec<CompletionCandidate> {
    let commands = Command::augment_subcommands(clap::Command::new(PROGRAM));
    let names = commands.get_subcommands().map(clap::Command::get_name);
    let topics = topics.iter().map(|(name, _)| *name);
    values::words("", typed.to_str().unwrap_or_default(), topics.chain(names))
}
