//! The commands' own arguments.

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use sky_accel_engine::Nodes;
use sky_accel_engine::asking::DEFAULT_DISK_GB;

use super::Output;
use super::lazy::{Lazy, Overriding};
use super::plan::{ConvertArgs, PlanArgs};
use super::sizing::RunArgs;
use super::written::Written;
use crate::completion::values;

/// The heading of the flags about asking the providers.
const LIVE: &str = "Live answers";

/// The keys of `browse`.
const KEYS: &str = "\
What you type filters: a spec, ids of providers, and words of the names, as in h100:x8 aws gcp. Keys:
  ↑ ↓ PgUp PgDn        select an offer            Shift-↑ Shift-↓  scroll what is known of it
  Enter                print the choice           Tab              mark the offer, to compare or choose several
  Ctrl-S               sort by the next column    Ctrl-O           reverse the order
  Ctrl-F               size a model               Ctrl-P           show the plan for an engine
  Ctrl-R               ask the providers          Esc, Ctrl-C      quit: exit code 130";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the accelerators in the catalog
    List(Lazy<ListArgs>),
    /// Show everything known about an accelerator, an instance type or a provider's id
    Show(Lazy<ShowArgs>),
    /// Compare accelerators figure by figure, with ratios to the first
    Compare(Lazy<CompareArgs>),
    /// Find each provider's instance types, prices and regions for a spec
    Resolve(Lazy<ResolveArgs>),
    /// Browse offers in the terminal, filter them as you type, and print the one you choose
    #[command(allow_negative_numbers = true, after_help = KEYS)]
    Browse(Overriding<ChoiceArgs, BrowseArgs>),
    /// Recommend machines to rent for a model or a kind of work
    #[command(allow_negative_numbers = true)]
    Recommend(Lazy<RecommendArgs>),
    /// Write a recommendation, or an answer of resolve or compare, as a web page with chart and table
    #[command(allow_negative_numbers = true)]
    Report(Lazy<ReportArgs>),
    /// Check whether a model fits on some hardware, term by term: exit 0 or 1
    #[command(allow_negative_numbers = true)]
    Fit(Lazy<FitArgs>),
    /// List the models that are known by name, or show one
    Models(Lazy<ModelsArgs>),
    /// Rank the places to try, and write the plan for the engine that applies it
    Plan(Lazy<PlanArgs>),
    /// Write a spec in another tool's words
    Convert(Lazy<ConvertArgs>),
    /// Plan MIG slices: profiles, placements, and the fewest GPUs for a mix
    #[command(subcommand)]
    Mig(Lazy<MigCommand>),
    /// Ask the providers again and again until an offer is in stock or cheap enough
    Watch(Lazy<WatchArgs>),
    /// Detect this machine's accelerators, and find the same hardware at each provider
    Detect(Lazy<DetectArgs>),
    /// Check whether an accelerator is of a given kind: exit 0 or 1
    Is(Lazy<IsArgs>),
    /// Serve the same answers to agents: the Model Context Protocol on standard input and output
    Mcp(Lazy<McpArgs>),
    /// Check, compare, locate and update catalogs
    #[command(subcommand)]
    Catalog(Lazy<CatalogCommand>),
    /// Show the settings and where each comes from
    #[command(subcommand)]
    Config(Lazy<ConfigCommand>),
    /// Print a shell completion script
    Completions(Lazy<CompletionsArgs>),
    /// Explain a command, or a topic: spec, prices, mig, sizing, no-instance, out-of-memory, mig-failed
    Help(Lazy<HelpArgs>),
    /// Print a manual page: sky-accel man plan | man -l -
    Man(Lazy<ManArgs>),
}

/// Output format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// A table that fits the terminal
    #[default]
    Table,
    /// A table with all columns
    Wide,
    /// One JSON object
    Json,
    /// One JSON object per line, one line per result
    Jsonl,
    /// Comma-separated values with a header
    Csv,
    /// Ids alone, one per line; `provider/id` where several providers are listed
    Names,
    /// YAML
    Yaml,
}

impl OutputFormat {
    /// Whether errors are documents too.
    pub fn is_json(self) -> bool {
        matches!(self, Self::Json | Self::Jsonl)
    }

    /// Whether the answer is one document, which carries notes, funnels and reasons itself.
    pub fn is_document(self) -> bool {
        matches!(self, Self::Json | Self::Yaml)
    }

    /// Whether people read it.
    pub fn is_page(self) -> bool {
        matches!(self, Self::Table | Self::Wide)
    }
}

#[derive(Debug, Args)]
pub struct ListArgs {
    /// Only accelerators that match all of these names or parts of a spec: `hopper`, `A100`, `40GB+`, `SXM`, `cc>=8.9`
    #[arg(value_name = "FILTER", add = values::spec())]
    pub filters: Vec<String>,
    /// Only this maker: nvidia, amd, intel, google, aws, …
    #[arg(long, value_name = "NAME", add = values::vendor())]
    pub vendor: Option<String>,
    /// Only this class: datacenter, workstation, consumer, asic or media
    #[arg(long, value_name = "NAME", add = values::class())]
    pub class: Option<String>,
    /// Only this architecture: hopper, ampere, cdna3, …
    #[arg(long, value_name = "NAME", add = values::architecture())]
    pub arch: Option<String>,
    /// Only accelerators that this provider sells; may be repeated
    #[arg(long, value_name = "ID", value_delimiter = ',', add = values::provider())]
    pub provider: Vec<String>,
    /// Only devices with at least this much memory; GB unless a unit is given
    #[arg(long, value_name = "SIZE")]
    pub min_memory: Option<String>,
    /// Only GPUs that support MIG
    #[arg(long)]
    pub mig: bool,
    /// Sort rows by this key [default: class, then newest first]
    #[arg(long, value_enum, value_name = "KEY")]
    pub sort: Option<ListSort>,
    /// Show at most N rows
    #[arg(long, value_name = "N", value_parser = from_one)]
    pub limit: Option<u32>,
}

/// Order of `list`; figures descend, names ascend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ListSort {
    Name,
    Memory,
    Bandwidth,
    Tflops,
    Tdp,
    Year,
}

#[derive(Debug, Args)]
pub struct ShowArgs {
    /// An accelerator in any dialect, an instance type, or a provider's id
    #[arg(value_name = "NAME", required = true, add = values::spec())]
    pub names: Vec<String>,
}

#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Two or more accelerators; ratios are to the first
    #[arg(value_name = "NAME", required = true, num_args = 2.., add = values::spec())]
    pub names: Vec<String>,
}

#[derive(Debug, Args)]
pub struct ResolveArgs {
    /// Specs such as H100:x8 or any:24GB; `-` reads them from standard input, one per line, and with
    /// -o jsonl or -o csv answers each as it is read
    #[arg(value_name = "SPEC", required = true, add = values::spec())]
    pub specs: Vec<String>,
    #[command(flatten)]
    pub offers: OfferArgs,
    /// Also match machines with more accelerators
    #[arg(long)]
    pub at_least: bool,
    /// Sort rows by this key [default: price]
    #[arg(long, value_enum, value_name = "KEY")]
    pub sort: Option<SortArg>,
    /// Show prices by region as a heat map; `region_prices` in JSON
    #[arg(long)]
    pub map: bool,
    /// Fold rows into one each: how many offers, from which price to which, and the best
    #[arg(long, value_enum, value_name = "KEY", conflicts_with = "map")]
    pub group_by: Option<GroupArg>,
    /// Show every row of the table, not ten of those that are best
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub live: LiveArgs,
    /// Include this much disk in marketplace prices
    #[arg(long, value_name = "GB", requires = "live", default_value_t = DEFAULT_DISK_GB, value_parser = clap::value_parser!(u32).range(0..=100_000), help_heading = LIVE)]
    pub disk: u32,
}

#[derive(Debug, Args)]
pub struct BrowseArgs {
    /// The text to begin with: a spec, providers, words
    #[arg(value_name = "SPEC", add = values::spec())]
    pub query: Vec<String>,
    #[command(flatten)]
    pub offers: OfferArgs,
    /// Ask the providers at once, as Ctrl-R does
    #[arg(long, help_heading = LIVE)]
    pub live: bool,
    /// Ask without a key also where a provider's terms restrict automated access: RunPod, Vast.ai
    #[arg(long, help_heading = LIVE)]
    pub public: bool,
    /// Ask again even if an answer is cached
    #[arg(long, conflicts_with = "offline", help_heading = LIVE)]
    pub refresh: bool,
    /// Print no choice whose price is older than 90s, 30m, 12h, 7d: exit 7
    #[arg(long, value_name = "AGE", value_parser = parse_age, help_heading = LIVE)]
    pub max_age: Option<Duration>,
    /// Wait at most this many seconds for each provider
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=600), help_heading = LIVE)]
    pub timeout: u32,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Debug, Args)]
pub struct ChoiceArgs {
    /// How to print the choice [default: names]
    #[arg(short, long, id = "output", value_name = "FORMAT", value_parser = Output::choice())]
    pub output: Option<Output>,
}

/// How a choice is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ChoiceFormat {
    /// The id of the machine; `provider/id` where several are of several providers
    Names,
    /// The document of `resolve`
    Json,
    /// A spec of the hardware, such as H100-80GB-SXM:x8
    Spec,
}

/// Asking the providers themselves.
#[derive(Debug, Args)]
#[command(next_help_heading = LIVE)]
pub struct LiveArgs {
    /// Ask the providers for current offers, prices and stock: with your keys, without a key where that is
    /// allowed
    #[arg(long)]
    pub live: bool,
    /// Ask without a key also where a provider's terms restrict automated access: RunPod, Vast.ai
    #[arg(long, requires = "live")]
    pub public: bool,
    /// Ask again even if an answer is cached
    #[arg(long, requires = "live", conflicts_with = "offline")]
    pub refresh: bool,
    /// Accept no price older than 90s, 30m, 12h, 7d: `resolve` exits 7, `plan` leaves it out
    #[arg(long, value_name = "AGE", value_parser = parse_age)]
    pub max_age: Option<Duration>,
    /// Wait at most this many seconds for each provider
    #[arg(long, value_name = "SECONDS", requires = "live", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=600))]
    pub timeout: u32,
    /// AWS: show how likely spot capacity is, from 1 to 10 by region
    #[arg(long, requires = "live")]
    pub spot_scores: bool,
    /// AWS: show capacity blocks of this many hours [default when given: 24]
    #[arg(long, value_name = "HOURS", requires = "live", num_args = 0..=1, default_missing_value = "24", require_equals = true, value_parser = clap::value_parser!(u32).range(1..=4368))]
    pub capacity_blocks: Option<u32>,
    /// AWS: check whether the account's quota allows one such machine
    #[arg(long, requires = "live")]
    pub check_quota: bool,
}

/// The server for agents.
#[derive(Debug, Args)]
pub struct McpArgs {
    #[command(flatten)]
    pub live: LiveArgs,
}

/// A span of time: `90s`, `30m`, `12h`, `7d`.
fn parse_age(text: &str) -> Result<Duration, String> {
    let wrong = |_| "write a number with its unit: 90s, 30m, 12h or 7d".to_owned();
    let age = humantime::parse_duration(text).map_err(wrong)?;
    if age > LONGEST_AGE {
        return Err("that is longer than 100 years".to_owned());
    }
    Ok(age)
}

/// Hours: a number, or a span of time such as `90m`. Of numbers, the engine says which are out of bounds.
fn hours(text: &str) -> Result<f64, String> {
    text.parse().or_else(|_| {
        // Other units are too short or, as `M`, mean something else beside --tokens.
        let is_known = text
            .chars()
            .all(|c| c.is_ascii_digit() || " smhd".contains(c));
        let time = humantime::parse_duration(text).ok();
        let time = time.filter(|time| is_known && time.as_secs() > 0);
        time.map(|time| time.as_secs_f64() / 3600.0).ok_or_else(|| {
            "write hours as a number, or a time with its unit: 90m, 12h or 2d".to_owned()
        })
    })
}

/// A whole number that is not zero.
fn from_one(text: &str) -> Result<u32, String> {
    let number: Result<NonZero<u32>, _> = text.parse();
    number
        .map(NonZero::get)
        .map_err(|_| "write a whole number from 1".to_owned())
}

/// US dollars; the engine says what is wrong with an amount below zero.
fn usd(text: &str) -> Result<f64, String> {
    let wrong = |_| "write US dollars per hour without a sign, such as 2.50".to_owned();
    text.parse().map_err(wrong)
}

const LONGEST_AGE: Duration = Duration::from_secs(100 * 366 * 86_400);

/// Filters on offers.
#[derive(Clone, Debug, Args)]
pub struct OfferArgs {
    /// Only this provider (aws, gcp, azure, …), group (hyperscalers, marketplaces, neoclouds, brokers, eu)
    /// or, with `!` in front, none of it; may be repeated
    #[arg(long, value_name = "ID", value_delimiter = ',', add = values::provider())]
    pub provider: Vec<String>,
    /// Only this region, pattern (eu-*), country, or group of countries (EU, EEA, Europe, Asia, …); may be
    /// repeated
    #[arg(long, value_name = "REGION", value_delimiter = ',', add = values::region())]
    pub region: Vec<String>,
    /// How to buy; with `any`, the cheaper one; `plan` tries both [default: ranked by on-demand]
    #[arg(long, value_enum, value_name = "TYPE")]
    pub capacity_type: Option<CapacityArg>,
    /// Price tier of providers that have several [default: the cheapest]: secure, community or any;
    /// `recommend` ranks marketplaces, consumer cards and weak prices below the others with `list`, its
    /// default, and together with them with `any`
    #[arg(long, value_name = "TIER", add = values::tier())]
    pub tier: Option<String>,
    /// Leave out machines that cost more than this per hour
    #[arg(long, value_name = "USD", allow_negative_numbers = true, value_parser = usd)]
    pub max_price: Option<f64>,
    /// Keep at most N offers, machines or candidates [default: plan 15, recommend 10]
    #[arg(long, value_name = "N", value_parser = from_one)]
    pub limit: Option<u32>,
    /// Show prices in this currency, by a dated rate of the catalog: EUR, GBP, …; limits stay in USD
    #[arg(long, value_name = "CODE", add = values::currency())]
    pub currency: Option<String>,
}

/// The price that ranks: on demand, spot, or the cheaper of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CapacityArg {
    OnDemand,
    Spot,
    Any,
}

/// The key by which rows of `resolve` are folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GroupArg {
    Accelerator,
    Provider,
    Region,
    Count,
}

/// Order of `resolve`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SortArg {
    Price,
    PricePerGpu,
    PricePerGb,
    PricePerTflop,
}

#[derive(Debug, Args)]
pub struct RecommendArgs {
    /// Show the rules of thumb, and how much each strategy really saves
    #[arg(long, conflicts_with_all = ["model_word", "model", "model_size", "workload"])]
    pub guide: bool,
    /// Draw a chart of price against speed
    #[arg(long)]
    pub chart: bool,
    #[command(flatten)]
    pub search: SearchArgs,
}

/// The goal of a search for machines.
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// The model: what --model takes, or a size such as 13B
    #[arg(value_name = "MODEL", conflicts_with_all = ["model", "model_size"], add = values::model())]
    pub model_word: Option<String>,
    /// Only this hardware, as a spec: 'H100|H200', any:x1 for one device, amd; without a count, any count
    #[arg(long, value_name = "SPEC", add = values::spec())]
    pub on: Option<String>,
    /// Machines that work together, a number or a range such as 1..8 [default: several only if one will not
    /// do]
    #[arg(long, value_name = "N", value_parser = nodes)]
    pub nodes: Option<Nodes>,
    /// Rank by this [default: cost]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub objective: Option<Objective>,
    /// Total tokens to train on or generate: 10M, 2B; ranks by their total price
    #[arg(long, value_name = "TOKENS", value_parser = parse_tokens)]
    pub tokens: Option<f64>,
    /// Leave out machines that need longer for --tokens: hours, or a time such as 90m or 2d
    #[arg(long, value_name = "TIME", value_parser = hours, requires = "tokens")]
    pub deadline: Option<f64>,
    /// Leave out machines that cost more for --tokens
    #[arg(long, value_name = "USD", requires = "tokens")]
    pub budget: Option<f64>,
    /// Download the configuration of --model hf:organisation/name from its hub
    #[arg(long)]
    pub live: bool,
    #[command(flatten)]
    pub offers: OfferArgs,
    #[command(flatten)]
    pub run: Written<RunArgs>,
}

/// A number of machines, or a range of them.
fn nodes(text: &str) -> Result<Nodes, String> {
    let most = Nodes::MOST;
    Nodes::parse(text).ok_or_else(|| {
        format!("write a number of machines such as 4, or a range such as 1..8, up to {most}")
    })
}

/// `10M`, `2B` or a plain number.
fn parse_tokens(text: &str) -> Result<f64, String> {
    let plain = text.parse::<f64>().ok().filter(|n| *n >= 1.0 && *n < 1e18);
    let tokens = plain.or_else(|| sky_accel_engine::text::billions(text).map(|n| n * 1e9));
    tokens.ok_or_else(|| "write a number of tokens such as 10M or 2B".to_owned())
}

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// File to write; `-` is standard output
    #[arg(value_name = "FILE.html")]
    pub file: PathBuf,
    /// Write the page of this document instead: what `resolve`, `browse` or `compare` printed with -o json;
    /// `-` is standard input
    #[arg(long, value_name = "ANSWER.json", conflicts_with_all = ["SearchArgs", "OfferArgs"])]
    pub from: Option<PathBuf>,
    #[command(flatten)]
    pub search: SearchArgs,
}

/// The figure by which `recommend` ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Objective {
    /// Lowest price for the work: all tokens with --tokens, a million tokens at a given load and in
    /// training, else an hour
    #[default]
    Cost,
    /// Most tokens per second
    Speed,
    /// Most tokens per second of one user
    Latency,
    /// Least memory over all devices
    Memory,
}

#[derive(Debug, Args)]
pub struct FitArgs {
    /// Hardware such as A100:80GB:x2, left out with --on-this-machine; `-` reads requests from standard
    /// input, one JSON object per line
    #[arg(value_name = "SPEC", required_unless_present = "on_this_machine", add = values::spec())]
    pub spec: Option<String>,
    /// The model: what --model takes, or a size such as 13B
    #[arg(value_name = "MODEL", conflicts_with_all = ["model", "model_size"], add = values::model())]
    pub model_word: Option<String>,
    /// Use the hardware of this machine, as `detect` finds it
    #[arg(long)]
    pub on_this_machine: bool,
    /// Read a recorded machine instead, as `detect` does
    #[arg(long, value_name = "PATH", requires = "on_this_machine")]
    pub from: Option<PathBuf>,
    /// Machines of the SPEC, joined by their network
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub nodes: Option<u32>,
    /// Download the configurations of models named hf:organisation/name from their hub
    #[arg(long)]
    pub live: bool,
    #[command(flatten)]
    pub run: Written<RunArgs>,
}

#[derive(Debug, Args)]
pub struct ModelsArgs {
    /// A name, a part of one such as qwen3, or a kind: text, encoder, image, video, speech
    #[arg(value_name = "FILTER", add = values::model())]
    pub filter: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum MigCommand {
    /// List the MIG profiles of a GPU
    Profiles(Lazy<MigProfilesArgs>),
    /// Check whether a mix of slices fits on one GPU, and where: exit 0 or 1
    Fit(Lazy<MigFitArgs>),
    /// Find the fewest GPUs for many slices
    Pack(Lazy<MigPackArgs>),
}

#[derive(Debug, Args)]
pub struct MigProfilesArgs {
    /// A GPU: H100, A100:40GB, A30
    #[arg(value_name = "GPU", add = values::spec())]
    pub gpu: String,
}

#[derive(Debug, Args)]
pub struct MigFitArgs {
    /// A GPU: H100, A100:40GB, A30
    #[arg(value_name = "GPU", add = values::spec())]
    pub gpu: String,
    /// Slices: 3g.40gb 1g.10gb+me 1g.10gb*2
    #[arg(value_name = "PROFILE", required = true, add = values::profile())]
    pub profiles: Vec<String>,
    /// Slices that are on the GPU already: 2g.20gb@0 1g.10gb@5
    #[arg(long, value_name = "PROFILE@START", num_args = 1.., value_delimiter = ',', add = values::profile_place())]
    pub occupied: Vec<String>,
    /// Print the commands or configuration that make the slices with this tool
    #[arg(long, value_enum, value_name = "TOOL")]
    pub to: Option<MigTool>,
}

/// A tool that makes slices, or asks for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MigTool {
    /// Commands that make the slices
    NvidiaSmi,
    /// Commands that remove the slices again
    NvidiaSmiUndo,
    /// A configuration file for nvidia-mig-parted
    MigParted,
    /// Container resources, for the device plugin's strategies mixed and single
    Kubernetes,
    /// A node label, or a configuration, for the NVIDIA GPU operator
    GpuOperator,
    /// Resource claim templates for the NVIDIA DRA driver
    Dra,
    /// Resources of the Flyte SDK
    Flyte,
    /// A node pool of Google Kubernetes Engine
    Gke,
    /// A node pool of Azure Kubernetes Service
    Aks,
}

#[derive(Debug, Args)]
pub struct MigPackArgs {
    /// A GPU: H100, A100:40GB, A30; `any` compares all GPUs that tenants may cut
    #[arg(value_name = "GPU", add = values::spec())]
    pub gpu: String,
    /// Slices and their numbers: 3g.40gb=10 1g.10gb=20
    #[arg(value_name = "PROFILE=N", required_unless_present = "slice", add = values::profile_count())]
    pub slices: Vec<String>,
    /// Slices by size instead of name: 10GB*20, 9.5GiB*20, 2g.10GB*20
    #[arg(
        long,
        value_name = "SIZE*N",
        value_delimiter = ',',
        conflicts_with = "slices"
    )]
    pub slice: Vec<String>,
    /// Use at most N GPUs, and show which slices are left over
    #[arg(long, value_name = "N", value_parser = from_one)]
    pub gpus: Option<u32>,
    /// Fill existing GPUs first: a JSON file or the table of `nvidia-smi mig -lgi`; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub onto: Option<String>,
    /// Print the commands or configuration that make the slices with this tool
    #[arg(long, value_enum, value_name = "TOOL")]
    pub to: Option<MigTool>,
}

#[derive(Debug, Args)]
pub struct WatchArgs {
    /// A spec such as H100:x8
    #[arg(value_name = "SPEC", add = values::spec())]
    pub spec: String,
    #[command(flatten)]
    pub offers: OfferArgs,
    /// Also accept machines with more accelerators
    #[arg(long)]
    pub at_least: bool,
    /// Time between two rounds of questions: 30s, 5m, 1h; at least 5s
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_interval)]
    pub interval: Duration,
    /// Give up after this long: 30m, 12h, 7d; exit 1 when nothing was found
    #[arg(long, value_name = "TIME", value_parser = parse_age)]
    pub timeout: Option<Duration>,
    /// Ask without a key also where a provider's terms restrict automated access: RunPod, Vast.ai
    #[arg(long)]
    pub public: bool,
    /// Run this shell command when an offer is found; SKY_ACCEL_OFFER_… variables describe it
    #[arg(long, value_name = "COMMAND")]
    pub exec: Option<String>,
    /// Let the command of --exec see the providers' keys in the environment
    #[arg(long, requires = "exec")]
    pub exec_keys: bool,
    /// Include this much disk in marketplace prices
    #[arg(long, value_name = "GB", default_value_t = DEFAULT_DISK_GB, value_parser = clap::value_parser!(u32).range(0..=100_000))]
    pub disk: u32,
}

/// Providers allow some questions a minute, and one of ours is several.
const MIN_INTERVAL: Duration = Duration::from_secs(5);

fn parse_interval(text: &str) -> Result<Duration, String> {
    let interval = parse_age(text)?;
    if interval < MIN_INTERVAL {
        return Err("providers are not asked more often than every 5s".to_owned());
    }
    Ok(interval)
}

#[derive(Debug, Args)]
pub struct DetectArgs {
    /// Exit 0 if the machine has this, else 1; one device is enough unless a count is given
    #[arg(long, value_name = "SPEC", add = values::spec())]
    pub check: Option<String>,
    /// Read a recorded machine: a folder with sys, dev and the output of tools, or one such file
    #[arg(long, value_name = "PATH")]
    pub from: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct IsArgs {
    /// Vendor, product line, class, architecture or SDK: nvidia, trainium, tpu, asic, hopper, cuda; or `gpu` or `mig`
    #[arg(value_name = "KIND", add = values::kind())]
    pub kind: String,
    /// An accelerator in any dialect
    #[arg(value_name = "NAME", add = values::spec())]
    pub name: String,
}

#[derive(Debug, Subcommand)]
pub enum CatalogCommand {
    /// Check the catalog with your overlays, or with these paths instead
    Verify {
        /// Overlay folders or files
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf>,
    },
    /// Write the catalog with your overlays, or with these paths instead, as one file for --catalog
    Compile {
        /// Overlay folders or files
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// File to write
        #[arg(short, long, id = "output", value_name = "FILE", required = true, value_parser = Output::file())]
        output: Output,
    },
    /// Describe the differences between two catalogs
    Diff {
        /// Overlay folder or file, or `embedded`; one alone is compared with the embedded catalog
        #[arg(value_name = "A")]
        before: Option<PathBuf>,
        /// Later catalog; without A and B, your overlays are compared with the embedded catalog
        #[arg(value_name = "B")]
        after: Option<PathBuf>,
    },
    /// Show where the catalog and its overlays are
    Path,
    /// Download current prices from the providers into your own overlay
    Update {
        /// Ask this provider only; may be repeated
        #[arg(long, value_name = "ID", value_delimiter = ',')]
        provider: Vec<String>,
        /// Ask the providers, or a project that collects their prices; may be repeated
        #[arg(
            long,
            value_enum,
            value_name = "SOURCE",
            value_delimiter = ',',
            default_value = "providers"
        )]
        from: Vec<UpdateSource>,
        /// Write to this folder [default: catalog/ beside your config.toml]
        #[arg(long, value_name = "DIR")]
        into: Option<PathBuf>,
        /// Show the changes without writing them
        #[arg(long)]
        dry_run: bool,
        /// Ask without a key also where a provider's terms restrict automated access: RunPod, Vast.ai
        #[arg(long)]
        public: bool,
        /// Wait at most this many seconds for each provider
        #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..=600))]
        timeout: u32,
    },
}

/// Who is asked for an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum UpdateSource {
    /// The providers themselves: with your keys, without a key where that is allowed
    Providers,
    /// dstack's catalogs of nine clouds, which are made anew every hour
    Gpuhunt,
    /// SkyPilot's catalog of 20 clouds, without dates
    Skypilot,
}

#[derive(Clone, Copy, Debug, Subcommand)]
pub enum ConfigCommand {
    /// Show every setting, and the flag, variable or file that set it
    Show,
    /// Trust the catalogs that ./sky-accel.toml names, as they are now
    Trust {
        /// Trust them no longer
        #[arg(long)]
        revoke: bool,
    },
}

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    #[arg(value_enum)]
    pub shell: Shell,
    /// Print a script that does not call the program: it completes commands and options, but no names
    #[arg(long = "static")]
    pub fixed: bool,
}

#[derive(Debug, Args)]
pub struct ManArgs {
    /// Command, as in `mig fit`; the program itself if left out
    #[arg(value_name = "COMMAND", num_args = 0..=2, add = values::command())]
    pub command: Vec<String>,
}

#[derive(Debug, Args)]
pub struct HelpArgs {
    /// Command, as in `mig fit`, or topic
    #[arg(value_name = "COMMAND|TOPIC", num_args = 0..=2, add = values::topic())]
    pub words: Vec<String>,
}

/// A shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    Bash,
    Elvish,
    Fish,
    #[value(name = "powershell")]
    PowerShell,
    Zsh,
}
