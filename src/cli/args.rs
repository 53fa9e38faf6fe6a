//! The commands' own arguments.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use super::lazy::Lazy;
use super::plan::{ConvertArgs, PlanArgs};
use super::sizing::RunArgs;
use crate::completion::values;

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Which accelerators exist
    List(Lazy<ListArgs>),
    /// All about one accelerator, instance type or provider id
    Show(Lazy<ShowArgs>),
    /// The same figures side by side, with ratios against the first
    Compare(Lazy<CompareArgs>),
    /// Each provider's own instance types, prices and regions for a spec
    Resolve(Lazy<ResolveArgs>),
    /// What to rent for a model or a kind of work, with offers
    #[command(allow_negative_numbers = true)]
    Recommend(Lazy<RecommendArgs>),
    /// What recommend says, as one page for a browser: the sum, the chart, the offers
    #[command(allow_negative_numbers = true)]
    Report(Lazy<ReportArgs>),
    /// Whether a model fits on some hardware, term by term: exit 0 or 1
    #[command(allow_negative_numbers = true)]
    Fit(Lazy<FitArgs>),
    /// Where to try, in which order, and the plan in the words of the engine that applies it
    Plan(Lazy<PlanArgs>),
    /// The same hardware in the words of another tool
    Convert(Lazy<ConvertArgs>),
    /// MIG slices: what a GPU can be cut into, where they go, how few GPUs they take
    #[command(subcommand)]
    Mig(MigCommand),
    /// Ask the providers again and again, until an offer appears or is cheap enough
    Watch(Lazy<WatchArgs>),
    /// What this machine has, as a spec, and what that is at each provider
    Detect(Lazy<DetectArgs>),
    /// Whether a name is of a kind: exit 0 or 1
    Is(Lazy<IsArgs>),
    /// Check catalogs and see where they are
    #[command(subcommand)]
    Catalog(CatalogCommand),
    /// Settings, and where each came from
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Print a shell completion script
    Completions(Lazy<CompletionsArgs>),
    /// A command, or a topic: spec, prices, mig, sizing, no-instance, out-of-memory, mig-failed
    Help(Lazy<HelpArgs>),
    /// Print a manual page: sky-accel man plan | man -l -
    Man(Lazy<ManArgs>),
}

/// Form of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// Columns that fit the terminal
    #[default]
    Table,
    /// All columns
    Wide,
    /// One JSON object
    Json,
    /// One JSON object a line, one line a result
    Jsonl,
    /// Comma-separated values with a header
    Csv,
    /// The provider's own id, one a line, nothing else
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
    /// Names or parts of a spec: `hopper`, `A100`, `40GB+`, `SXM`, `cc>=8.9`
    #[arg(value_name = "FILTER", add = values::spec())]
    pub filters: Vec<String>,
    /// By maker: nvidia, amd, intel, google, aws, …
    #[arg(long, value_name = "NAME", add = values::vendor())]
    pub vendor: Option<String>,
    /// datacenter, workstation, consumer, asic or media
    #[arg(long, value_name = "NAME", add = values::class())]
    pub class: Option<String>,
    /// By architecture: hopper, ampere, cdna3, …
    #[arg(long, value_name = "NAME", add = values::architecture())]
    pub arch: Option<String>,
    /// Sold by this provider; may be repeated
    #[arg(long, value_name = "ID", value_delimiter = ',', add = values::provider())]
    pub provider: Vec<String>,
    /// At least so much memory per device; no unit means GB
    #[arg(long, value_name = "SIZE")]
    pub min_memory: Option<String>,
    /// Only what can be cut into MIG slices
    #[arg(long)]
    pub mig: bool,
    /// Order of the rows [default: by class, the newest first]
    #[arg(long, value_enum, value_name = "KEY")]
    pub sort: Option<ListSort>,
    /// At most so many rows
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
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
    /// Two or more accelerators; the first one is the measure
    #[arg(value_name = "NAME", required = true, num_args = 2.., add = values::spec())]
    pub names: Vec<String>,
}

#[derive(Debug, Args)]
pub struct ResolveArgs {
    /// Specs such as H100:x8 or any:24GB; `-` reads them from standard input, one a line
    #[arg(value_name = "SPEC", required = true, add = values::spec())]
    pub specs: Vec<String>,
    #[command(flatten)]
    pub offers: OfferArgs,
    /// Machines with more accelerators match too
    #[arg(long)]
    pub at_least: bool,
    /// Order of the rows [default: price]
    #[arg(long, value_enum, value_name = "KEY")]
    pub sort: Option<SortArg>,
    /// Prices by region, as a heat map; in JSON as `region_prices`
    #[arg(long)]
    pub map: bool,
    #[command(flatten)]
    pub live: LiveArgs,
    /// Disk in GB that a marketplace's price is to include
    #[arg(long, value_name = "GB", requires = "live", default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=100_000), help_heading = "Live answers")]
    pub disk: u32,
}

/// Asking the providers themselves.
#[derive(Debug, Args)]
#[command(next_help_heading = "Live answers")]
pub struct LiveArgs {
    /// Ask the providers what they sell now; needs an account with each
    #[arg(long)]
    pub live: bool,
    /// Ask again even where an answer is cached
    #[arg(long, requires = "live", conflicts_with = "offline")]
    pub refresh: bool,
    /// Use nothing older than this: 90s, 30m, 12h, 7d; exit 7 when only older prices are known
    #[arg(long, value_name = "AGE", value_parser = parse_age)]
    pub max_age: Option<Duration>,
    /// Seconds that a provider has for its answer
    #[arg(long, value_name = "SECONDS", requires = "live", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=600))]
    pub timeout: u32,
    /// AWS: how likely spot capacity is, from 1 to 10 by region
    #[arg(long, requires = "live")]
    pub spot_scores: bool,
    /// AWS: reserved blocks of so many hours [default when given: 24]
    #[arg(long, value_name = "HOURS", requires = "live", num_args = 0..=1, default_missing_value = "24", require_equals = true, value_parser = clap::value_parser!(u32).range(1..=4368))]
    pub capacity_blocks: Option<u32>,
    /// AWS: whether the account's quota allows one such machine
    #[arg(long, requires = "live")]
    pub check_quota: bool,
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

const LONGEST_AGE: Duration = Duration::from_secs(100 * 366 * 86_400);

/// What narrows offers.
#[derive(Clone, Debug, Args)]
pub struct OfferArgs {
    /// Only this provider: aws, runpod, vastai, verda, or one of an overlay; may be repeated
    #[arg(long, value_name = "ID", value_delimiter = ',', add = values::provider())]
    pub provider: Vec<String>,
    /// Only this region, pattern (eu-*) or country; may be repeated
    #[arg(long, value_name = "REGION", value_delimiter = ',', add = values::region())]
    pub region: Vec<String>,
    /// How it is bought; by default ranked on demand, with the spot price beside it
    #[arg(long, value_enum, value_name = "TYPE")]
    pub capacity_type: Option<BuyingArg>,
    /// Price tier of providers that have several [default: the cheapest]: secure, community or any
    #[arg(long, value_name = "TIER", add = values::tier())]
    pub tier: Option<String>,
    /// At most so many US dollars per hour for the whole machine
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub max_price: Option<f64>,
    /// At most so many rows
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: Option<u32>,
}

/// How capacity is bought.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BuyingArg {
    OnDemand,
    Spot,
    Any,
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
    /// The rule-of-thumb tables, with what the strategies really save
    #[arg(long, conflicts_with_all = ["model", "model_size", "workload"])]
    pub guide: bool,
    /// Draw price against speed
    #[arg(long)]
    pub chart: bool,
    #[command(flatten)]
    pub search: SearchArgs,
}

/// For what machines are searched.
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// What to rank by [default: cost]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub objective: Option<Objective>,
    /// Tokens to train on, or to generate in all: 10M, 2B
    #[arg(long, value_name = "TOKENS", value_parser = parse_tokens)]
    pub tokens: Option<f64>,
    /// Hours that these tokens may take
    #[arg(long, value_name = "HOURS", requires = "tokens")]
    pub deadline: Option<f64>,
    /// US dollars that these tokens may cost
    #[arg(long, value_name = "USD", requires = "tokens")]
    pub budget: Option<f64>,
    /// Read the configuration of --model hf:organisation/name from its hub
    #[arg(long)]
    pub live: bool,
    #[command(flatten)]
    pub offers: OfferArgs,
    #[command(flatten)]
    pub run: RunArgs,
}

/// `10M`, `2B` or a plain number.
fn parse_tokens(text: &str) -> Result<f64, String> {
    let plain = text.parse::<f64>().ok().filter(|n| *n >= 1.0 && *n < 1e18);
    let tokens = plain.or_else(|| sky_accel_engine::billions(text).map(|n| n * 1e9));
    tokens.ok_or_else(|| "write a number of tokens such as 10M or 2B".to_owned())
}

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The page to write; `-` is standard output
    #[arg(value_name = "FILE.html")]
    pub file: PathBuf,
    #[command(flatten)]
    pub search: SearchArgs,
}

/// What `recommend` ranks by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Objective {
    /// The price of the machine, or of all tokens where they are given
    #[default]
    Cost,
    /// Tokens per second
    Speed,
    /// Memory that is rented
    Memory,
}

#[derive(Debug, Args)]
pub struct FitArgs {
    /// Hardware such as A100:80GB:x2; `-` reads requests from standard input, one JSON object a line
    #[arg(
        value_name = "SPEC",
        required_unless_present = "on_this_machine",
        conflicts_with = "on_this_machine", add = values::spec())]
    pub spec: Option<String>,
    /// The hardware of this machine, as `detect` finds it
    #[arg(long)]
    pub on_this_machine: bool,
    /// A recorded machine, as for `detect`
    #[arg(long, value_name = "PATH", requires = "on_this_machine")]
    pub from: Option<PathBuf>,
    /// Read the configuration of --model hf:organisation/name from its hub
    #[arg(long)]
    pub live: bool,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Debug, Subcommand)]
pub enum MigCommand {
    /// The profiles of a GPU
    Profiles(Lazy<MigProfilesArgs>),
    /// Whether a mix of slices can be placed on one GPU, and where: exit 0 or 1
    Fit(Lazy<MigFitArgs>),
    /// The fewest GPUs for many slices
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
    /// What is on the GPU already: 2g.20gb@0 1g.10gb@5
    #[arg(long, value_name = "PROFILE@START", num_args = 1.., value_delimiter = ',', add = values::profile_place())]
    pub occupied: Vec<String>,
    /// Print what makes the slices instead, for this tool
    #[arg(long, value_enum, value_name = "TOOL")]
    pub to: Option<MigTool>,
}

/// A tool that cuts GPUs, or asks for slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MigTool {
    /// Commands to make the slices
    NvidiaSmi,
    /// Commands to take all slices off again
    NvidiaSmiUndo,
    /// A configuration file for nvidia-mig-parted
    MigParted,
    /// What containers ask for, with the device plugin's strategies mixed and single
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
    /// A GPU: H100, A100:40GB, A30; `any` compares all that are rented out to be cut
    #[arg(value_name = "GPU", add = values::spec())]
    pub gpu: String,
    /// Slices and how many: 3g.40gb=10 1g.10gb=20
    #[arg(value_name = "PROFILE=N", required_unless_present = "slice", add = values::profile_count())]
    pub slices: Vec<String>,
    /// Slices by the memory that they must have, and compute: 10GB*20, 9.5GiB*20, 2g.10GB*20
    #[arg(
        long,
        value_name = "SIZE*N",
        value_delimiter = ',',
        conflicts_with = "slices"
    )]
    pub slice: Vec<String>,
    /// GPUs that there are at most: what fits on them, and what is left
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub gpus: Option<u32>,
    /// GPUs that are there already, with what is on them: JSON, or the table of `nvidia-smi mig -lgi`; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub onto: Option<String>,
    /// Print what makes the slices instead, for this tool
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
    /// Machines with more accelerators will do too
    #[arg(long)]
    pub at_least: bool,
    /// How long to wait between two questions: 30s, 5m, 1h; from 5s
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_interval)]
    pub interval: Duration,
    /// How long to go on: 30m, 12h, 7d; exit 1 when nothing was found by then
    #[arg(long, value_name = "TIME", value_parser = parse_age)]
    pub timeout: Option<Duration>,
    /// Run this in a shell once, with the offer in SKY_ACCEL_OFFER_… variables
    #[arg(long, value_name = "COMMAND")]
    pub exec: Option<String>,
    /// Disk in GB that a marketplace's price is to include
    #[arg(long, value_name = "GB", default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=100_000))]
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
    /// Exit 0 when the machine has this, else 1; without a count one is enough
    #[arg(long, value_name = "SPEC", add = values::spec())]
    pub check: Option<String>,
    /// A recorded machine: a folder with sys, dev and what tools printed, or one such file
    #[arg(long, value_name = "PATH")]
    pub from: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct IsArgs {
    /// A vendor, product line, class, architecture or SDK: nvidia, trainium, tpu, asic, hopper, cuda; or `gpu`, `mig`
    #[arg(value_name = "KIND", add = values::kind())]
    pub kind: String,
    /// An accelerator in any dialect
    #[arg(value_name = "NAME", add = values::spec())]
    pub name: String,
}

#[derive(Debug, Subcommand)]
pub enum CatalogCommand {
    /// Check the catalog with its overlays, or with the paths given instead
    Verify {
        /// Overlay folders or files
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf>,
    },
    /// What differs between two catalogs, in words
    Diff {
        /// An overlay folder or file, or `embedded`; one alone is held against the embedded one
        #[arg(value_name = "A")]
        before: Option<PathBuf>,
        /// The later one; without both, the catalog with your overlays
        #[arg(value_name = "B")]
        after: Option<PathBuf>,
    },
    /// Where the catalog and its overlays are
    Path,
    /// Ask the providers what they sell, and write it to your own overlay
    Update {
        /// Only this provider; may be repeated
        #[arg(long, value_name = "ID", value_delimiter = ',')]
        provider: Vec<String>,
        /// Folder of the overlay [default: catalog/ in the folder of your settings]
        #[arg(long, value_name = "DIR")]
        into: Option<PathBuf>,
        /// Write nothing, and tell what would change
        #[arg(long)]
        dry_run: bool,
        /// Seconds that a provider has for its answer
        #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..=600))]
        timeout: u32,
    },
}

#[derive(Clone, Copy, Debug, Subcommand)]
pub enum ConfigCommand {
    /// Every setting, and the flag, variable or file that it came from
    Show,
}

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    #[arg(value_enum)]
    pub shell: Shell,
    /// A script that stands alone: it knows commands and options, and no names
    #[arg(long = "static")]
    pub fixed: bool,
}

#[derive(Debug, Args)]
pub struct ManArgs {
    /// A command, as in `mig fit`; without one the page of the program
    #[arg(value_name = "COMMAND", num_args = 0..=2, add = values::command())]
    pub command: Vec<String>,
}

#[derive(Debug, Args)]
pub struct HelpArgs {
    /// A command, as in `mig fit`, or a topic
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
