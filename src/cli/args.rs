//! Arguments of each command.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use sky_accel_core::resolve::{CapacityFilter, PriceBasis, Sort};
use sky_accel_engine::asking::DEFAULT_DISK_GB;
use sky_accel_engine::catalog::digest_of;
use sky_accel_engine::{ComparedWith, GroupBy, ListSort, MAX_NODES, MigTool, Nodes, Objective};

use super::bill::WholeBillArgs;
use super::durations::{self, hours};
use super::examples;
use super::lazy::Lazy;
use super::numbers::{from_one, positive, whole};
use super::offers::{CommitArgs, HoursArgs, LIVE, LiveArgs, OfferArgs, is_capacity_type};
use super::output::Output;
use super::sizing::RunArgs;
use super::sources::{UpdateSource, UpdateSourceParser};
use super::words::{any_word, words_where};
use super::written::Written;
use crate::completion::values;

#[derive(Debug, Args)]
pub struct ListArgs {
    /// Only accelerators that match all of these names or spec parts: `hopper`, `A100`, `40GB+`, `SXM`, `cc>=8.9`
    #[arg(value_name = "FILTER", add = values::spec())]
    pub filters: Vec<String>,
    /// Only this vendor: nvidia, amd, intel, google, aws, …
    #[arg(long, value_name = "NAME", add = values::vendor())]
    pub vendor: Option<String>,
    /// Only this class: datacenter, workstation, consumer, asic or media
    #[arg(long, value_name = "NAME", add = values::class())]
    pub class: Option<String>,
    /// Only this architecture: hopper, ampere, cdna3, …
    #[arg(long, value_name = "NAME", add = values::architecture())]
    pub arch: Option<String>,
    /// Only accelerators that this provider sells; repeatable
    #[arg(long, value_name = "ID", value_delimiter = ',', add = values::provider())]
    pub provider: Vec<String>,
    /// Only devices with at least this much memory, in GB unless a unit is given
    #[arg(long, value_name = "SIZE")]
    pub min_memory: Option<String>,
    /// Only GPUs that support MIG
    #[arg(long)]
    pub mig: bool,
    /// Sort rows by this key [default: class, then newest first]
    #[arg(long, value_parser = any_word::<ListSort>(), value_name = "KEY")]
    pub sort: Option<ListSort>,
    /// Show at most N rows
    #[arg(long, value_name = "N", value_parser = from_one)]
    pub limit: Option<u32>,
    /// Only accelerators and providers with a price that is at most this old (12h, 30d); exits 7 without a result
    #[arg(long, value_name = "AGE", allow_hyphen_values = true, value_parser = durations::age)]
    pub max_age: Option<Duration>,
}

#[derive(Debug, Args)]
pub struct ShowArgs {
    /// An accelerator in any dialect, an instance type, or a provider's id
    #[arg(value_name = "NAME", required = true, add = values::spec())]
    pub names: Vec<String>,
    /// Only offers with a price that is at most this old (12h, 30d); exits 7 without a result
    #[arg(long, value_name = "AGE", allow_hyphen_values = true, value_parser = durations::age)]
    pub max_age: Option<Duration>,
}

#[derive(Debug, Args)]
pub struct PricesArgs {
    /// Specs such as H100 or 'A100:80GB|L40S'; prices are for one accelerator, whatever the count
    #[arg(value_name = "SPEC", required = true, add = values::spec())]
    pub specs: Vec<String>,
    /// Print the dated prices of the past themselves
    #[arg(long)]
    pub history: bool,
    /// Only prices of these providers or groups (hyperscalers, marketplaces, …); `!aws` excludes one; repeatable
    #[arg(long, value_name = "ID", value_delimiter = ',', add = values::provider())]
    pub provider: Vec<String>,
    /// Only this capacity type: on-demand, spot or any [default: any]
    #[arg(long, value_parser = words_where(is_capacity_type), value_name = "TYPE")]
    pub capacity_type: Option<CapacityFilter>,
    /// Only prices of today that are at most this old (12h, 30d); exits 7 if no price is left
    #[arg(long, value_name = "AGE", allow_hyphen_values = true, value_parser = durations::age, conflicts_with = "history")]
    pub max_age: Option<Duration>,
    /// Show prices in this currency (EUR, GBP, …), at a dated rate of the catalog
    #[arg(long, value_name = "CODE", add = values::currency())]
    pub currency: Option<String>,
}

#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Two or more accelerators; ratios are to the first
    ///
    /// With --model, each column begins with the best machine that has the accelerator and serves the model.
    #[arg(value_name = "NAME", required = true, num_args = 2.., add = values::spec())]
    pub names: Vec<String>,
    #[command(flatten)]
    pub offers: OfferArgs,
    #[command(flatten)]
    pub commit: CommitArgs,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Debug, Args)]
pub struct MixArgs {
    /// The machine, as a spec such as H100:x8
    #[arg(value_name = "SPEC", required = true, add = values::spec())]
    pub spec: String,
    /// Machines that are needed in each hour of a week: weekdays:9-18=8,else=2
    ///
    /// Days are daily, weekdays, weekends, mon, tue or mon-thu; hours are 0 to 24; hours without an entry need no
    /// machine.
    #[arg(long, value_name = "PROFILE", conflicts_with = "base_hours")]
    pub profile: Option<String>,
    /// Hours of a month that each machine is needed, such as 730,730,120
    #[arg(long, value_name = "HOURS", value_delimiter = ',', allow_negative_numbers = true, value_parser = positive)]
    pub base_hours: Vec<f64>,
    /// Maximum number of spot machines at once, which the provider may take back
    #[arg(long, value_name = "N", default_value = "0", value_parser = whole::<0, 10_000>)]
    pub spot: u32,
    #[command(flatten)]
    pub commit: CommitArgs,
    #[command(flatten)]
    pub offers: OfferArgs,
}

#[derive(Debug, Args)]
pub struct ResolveArgs {
    /// Specs such as H100:x8 or any:24GB; `-` reads them from standard input
    ///
    /// Standard input has one spec per line; with -o jsonl or -o csv, each answer is printed immediately.
    #[arg(value_name = "SPEC", required = true, add = values::spec())]
    pub specs: Vec<String>,
    #[command(flatten)]
    pub offers: OfferArgs,
    #[command(flatten)]
    pub hours: HoursArgs,
    #[command(flatten)]
    pub commit: CommitArgs,
    /// Also match machines with more accelerators
    #[arg(long)]
    pub at_least: bool,
    /// Sort rows by this key [default: price]
    #[arg(long, value_parser = any_word::<Sort>(), value_name = "KEY")]
    pub sort: Option<Sort>,
    /// Show prices by region as a heat map
    ///
    /// JSON has them as `region_prices`.
    #[arg(long, conflicts_with_all = ["hours", "month", "year"])]
    pub map: bool,
    /// Fold rows by this key
    ///
    /// Each row shows the number of offers, the price range and the best offer.
    #[arg(long, value_parser = any_word::<GroupBy>(), value_name = "KEY", conflicts_with = "map")]
    pub group_by: Option<GroupBy>,
    /// Show every row, not only the ten best
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub live: LiveArgs,
    /// Ask for this many machines together: spot scores, capacity blocks and quotas
    #[arg(long, value_name = "N", requires = "live", default_value_t = 1, value_parser = whole::<1, MAX_NODES>, help_heading = LIVE, hide_short_help = true)]
    pub nodes: u32,
    /// Include this much disk in marketplace prices
    #[arg(long, value_name = "GB", requires = "live", default_value_t = DEFAULT_DISK_GB, value_parser = whole::<0, 100_000>, help_heading = LIVE, hide_short_help = true)]
    pub disk: u32,
}

#[derive(Debug, Args)]
pub struct BrowseArgs {
    /// Initial filter: a spec, providers, words
    #[arg(value_name = "SPEC", add = values::spec())]
    pub query: Vec<String>,
    #[command(flatten)]
    pub offers: OfferArgs,
    /// Query the providers at start, as Ctrl-R does
    #[arg(long, help_heading = LIVE)]
    pub live: bool,
    /// Also query without a key where a provider's terms restrict automated access: RunPod, Vast.ai
    #[arg(long, help_heading = LIVE, hide_short_help = true)]
    pub public: bool,
    /// Query again even if an answer is cached
    #[arg(long, conflicts_with = "offline", help_heading = LIVE, hide_short_help = true)]
    pub refresh: bool,
    /// Timeout for each provider, up to 10m; a number without a unit is in seconds
    #[arg(long, value_name = "TIME", default_value = "30s", allow_hyphen_values = true, value_parser = durations::timeout, help_heading = LIVE, hide_short_help = true)]
    pub timeout: Duration,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Debug, Args)]
pub struct ChoiceArgs {
    /// Output format of the choice [default: names]
    #[arg(short, long, id = "output", value_name = "FORMAT", value_parser = Output::choice())]
    pub output: Option<Output>,
}

/// Arguments of the MCP server.
#[derive(Debug, Args)]
pub struct McpArgs {
    /// Folder with models that agents may name by path; repeatable
    #[arg(long, value_name = "DIR")]
    pub allow: Vec<PathBuf>,
    /// Only offers whose price is at most this old (12h, 30d, 90d)
    #[arg(long, value_name = "AGE", allow_hyphen_values = true, value_parser = durations::age)]
    pub max_age: Option<Duration>,
    #[command(flatten)]
    pub live: LiveArgs,
}

#[derive(Debug, Args)]
pub struct RecommendArgs {
    #[command(flatten)]
    pub search: SearchArgs,
    /// Show rules of thumb, and the computed savings of each strategy
    #[arg(long, conflicts_with_all = ["model_word", "model", "model_size", "workload"], hide_short_help = true)]
    pub guide: bool,
    /// Draw a chart of price against speed
    #[arg(long, hide_short_help = true)]
    pub chart: bool,
    /// List machines too on which the model is a tight fit: it may run or run out of memory
    #[arg(long, conflicts_with = "guide", hide_short_help = true)]
    pub accept_tight: bool,
    /// Compare the machine with APIs that sell the model by the token: break-even, and the cheaper way for this load
    #[arg(long, value_parser = any_word::<ComparedWith>(), value_name = "WHAT", conflicts_with = "guide", hide_short_help = true)]
    pub compare: Option<ComparedWith>,
    /// Compare with a machine of your own: 'price=250000,years=3,kw=10.2,usd_per_kwh=0.12,utilization=0.6'
    ///
    /// US dollars, years until it is paid off, kilowatts, and the share of all hours in which it works. It counts as
    /// fast as the first result.
    #[arg(
        long,
        value_name = "FIGURES",
        conflicts_with = "guide",
        hide_short_help = true
    )]
    pub own: Option<String>,
    #[command(flatten)]
    pub whole_bill: WholeBillArgs,
}

/// Model, hardware and limits of a search for machines.
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// A model as for --model, or a size such as 13B
    #[arg(value_name = "MODEL", conflicts_with_all = ["model", "model_size"], add = values::model())]
    pub model_word: Option<String>,
    #[command(flatten)]
    pub run: Written<RunArgs>,
    /// Only this hardware: 'H100|H200', any:x1 or amd
    ///
    /// Without a count, any count matches; any:x1 is one device of any kind.
    #[arg(long, value_name = "SPEC", add = values::spec())]
    pub on: Option<String>,
    /// Number of machines that work together, or a range such as 1..8 [default: as few as possible]
    #[arg(long, value_name = "N", value_parser = nodes, hide_short_help = true)]
    pub nodes: Option<Nodes>,
    /// Rank by this [default: cost]
    #[arg(long, value_parser = any_word::<Objective>(), value_name = "WHAT", hide_short_help = true)]
    pub objective: Option<Objective>,
    /// Tokens to train on or generate: 10M, 2B
    ///
    /// Machines rank by the price of all of them.
    #[arg(long, value_name = "TOKENS", value_parser = parse_tokens, conflicts_with_all = ["hours", "month", "year"])]
    pub tokens: Option<f64>,
    /// Exclude machines that may need longer for --tokens or --images: hours, or a duration such as 90m or 2d
    ///
    /// The slow end of the band of their speed has to meet it.
    #[arg(long, value_name = "TIME", value_parser = hours, hide_short_help = true)]
    pub deadline: Option<f64>,
    /// Exclude machines above this price for --tokens, --images or --hours
    #[arg(long, value_name = "USD", value_parser = whole_budget)]
    pub budget: Option<f64>,
    /// Download the configuration of --model organization/name or hf:organization/name from its hub
    #[arg(long, hide_short_help = true)]
    pub live: bool,
    #[command(flatten)]
    pub hours: HoursArgs,
    #[command(flatten)]
    pub offers: OfferArgs,
    #[command(flatten)]
    pub commit: CommitArgs,
}

/// Parses a number of machines, or a range.
fn nodes(text: &str) -> Result<Nodes, String> {
    let max = Nodes::MOST;
    Nodes::parse(text).ok_or_else(|| {
        format!("write a number of machines such as 4, or a range such as 1..8, up to {max}")
    })
}

/// Parses a number of tokens: `10M`, `2B` or a plain number.
fn parse_tokens(text: &str) -> Result<f64, String> {
    let tokens = sky_accel_engine::text::quantity(text).filter(|n| *n >= 1.0 && *n < 1e18);
    tokens.ok_or_else(|| "write a number of tokens such as 10M or 2B".to_owned())
}

#[derive(Debug, Args)]
#[command(mut_arg("commit", |arg| arg.hide_short_help(true)))]
pub struct ReportArgs {
    /// File to write; `-` is standard output
    #[arg(value_name = "FILE.html")]
    pub file: PathBuf,
    /// Write the page of this document instead; `-` is standard input
    ///
    /// The document is the -o json output of `resolve`, `browse` or `compare`.
    #[arg(long, value_name = "ANSWER.json", conflicts_with_all = ["SearchArgs", "OfferArgs", "HoursArgs", "CommitArgs"])]
    pub from: Option<PathBuf>,
    #[command(flatten)]
    pub search: SearchArgs,
}

#[derive(Debug, Args)]
pub struct WebArgs {
    /// File to write; `-` is standard output
    #[arg(long, value_name = "FILE.html", default_value = "sky-accel.html")]
    pub out: PathBuf,
    /// Open the page in the browser
    #[arg(long)]
    pub open: bool,
    /// Module of the page, as built by `cargo xtask web`; default: the module in the program
    #[arg(long, value_name = "FILE")]
    pub module: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct FitArgs {
    /// Hardware such as A100:80GB:x2, or cpu:64GB; omitted with --on-this-machine
    ///
    /// `-` reads requests from standard input, one JSON object per line.
    #[arg(value_name = "SPEC", required_unless_present = "on_this_machine", add = values::spec())]
    pub spec: Option<String>,
    /// A model as for --model, or a size such as 13B
    #[arg(value_name = "MODEL", conflicts_with_all = ["model", "model_size"], add = values::model())]
    pub model_word: Option<String>,
    /// Use the hardware of this machine, as reported by `detect`
    #[arg(long)]
    pub on_this_machine: bool,
    /// Read a recorded machine instead, in the format of `detect --from`
    #[arg(long, value_name = "PATH", requires = "on_this_machine")]
    pub from: Option<PathBuf>,
    /// Number of machines of SPEC, connected by their network
    #[arg(long, value_name = "N", value_parser = whole::<1, 4096>)]
    pub nodes: Option<u32>,
    /// Download the configurations of models named organization/name or hf:organization/name from their hub
    #[arg(long, hide_short_help = true)]
    pub live: bool,
    /// Exit 0 for a tight fit too, which may run or run out of memory: the usable memory is within the uncertainty
    #[arg(long)]
    pub accept_tight: bool,
    /// Also state the price of the hardware: likely (of today, estimated) or stated (as last seen)
    #[arg(long, value_parser = any_word::<PriceBasis>(), value_name = "PRICE", conflicts_with = "on_this_machine")]
    pub price: Option<PriceBasis>,
    /// Also state the price of the hardware, if at most this old: 12h, 30d; exits 7 if all are older
    #[arg(long, value_name = "AGE", allow_hyphen_values = true, value_parser = durations::age, conflicts_with = "on_this_machine")]
    pub max_age: Option<Duration>,
    #[command(flatten)]
    pub run: Written<RunArgs>,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(mut_arg("price", |arg| arg.requires("on")))]
#[command(mut_arg("max_age", |arg| arg.requires("on")))]
pub struct ModelsArgs {
    /// A name, part of a name such as qwen3, or a kind: text, encoder, image, video, speech
    #[arg(value_name = "FILTER", add = values::model())]
    pub filter: Option<String>,
    /// Only models that run on this hardware: RTX4090, 4090:x2, 'M4 Max:64GB', cpu:32GB, or `detect` for this machine
    ///
    /// Each model is listed in its published precision if that fits, else in the largest format that the device and the
    /// engine run, with its speed and the longest prompt that fits. The best come first.
    #[arg(long, value_name = "SPEC", add = values::spec_or_detect())]
    pub on: Option<String>,
    /// Users who wait for answers at once [default: 1]
    #[arg(id = "concurrency", long = "users", value_name = "N", value_parser = whole::<1, 1_000_000>, requires = "on")]
    pub concurrency: Option<u32>,
    /// Tokens of a prompt: 4096, 32k
    #[arg(long, value_name = "TOKENS", value_parser = parse_tokens, requires = "on")]
    pub context: Option<f64>,
    /// Tokens of an answer
    #[arg(long, value_name = "TOKENS", value_parser = parse_tokens, requires = "on")]
    pub generate: Option<f64>,
    /// Only hardware for at most this many US dollars per hour, as many devices as it pays for: 1 or 1/h
    #[arg(long, value_name = "USD/H", value_parser = per_hour, requires = "on")]
    pub budget: Option<f64>,
    /// Show at most N models [default: 15]
    #[arg(long, value_name = "N", value_parser = from_one, requires = "on")]
    pub limit: Option<u32>,
    /// Read a recorded machine for `--on detect`, in the format of `detect --from`
    #[arg(long, value_name = "PATH", requires = "on")]
    pub from: Option<PathBuf>,
    #[command(flatten)]
    pub prices: PricePolicyArgs,
    #[command(subcommand)]
    pub command: Option<ModelsCommand>,
}

/// Parses a budget in US dollars for the whole work.
fn whole_budget(text: &str) -> Result<f64, String> {
    if let Some((amount, "h" | "hour")) = text.split_once('/') {
        return Err(format!(
            "a budget is for the whole work, and --max-price {amount} limits the price of an hour"
        ));
    }
    positive(text)
}

/// Parses US dollars per hour: `1`, `0.5/h` or `$2`.
fn per_hour(text: &str) -> Result<f64, String> {
    let amount = text.trim().trim_start_matches('$');
    let amount = amount
        .strip_suffix("/h")
        .or_else(|| amount.strip_suffix("/hour"))
        .unwrap_or(amount);
    positive(amount)
}

#[derive(Debug, Subcommand)]
pub enum ModelsCommand {
    /// Keep a model in your catalog, from its config.json or from its hub
    #[command(before_long_help = examples::MODELS_ADD)]
    Add(Lazy<ModelsAddArgs>),
    /// Remove a model that `models add` keeps
    #[command(before_long_help = examples::MODELS_REMOVE)]
    Remove(Lazy<ModelsRemoveArgs>),
}

#[derive(Debug, Args)]
pub struct ModelsAddArgs {
    /// A config.json, a folder, a GGUF file, or with --live the name of a model of a hub: organization/name
    #[arg(value_name = "MODEL")]
    pub model: String,
    /// Name in your catalog; default: the name that the hub has
    #[arg(long = "as", value_name = "NAME")]
    pub name: Option<String>,
    /// Architecture to assume if the catalog does not know its `model_type`
    #[arg(long, value_name = "TYPE")]
    pub assume: Option<String>,
    /// Download the configuration from the hub
    #[arg(long)]
    pub live: bool,
}

#[derive(Debug, Args)]
pub struct ModelsRemoveArgs {
    /// Name in your catalog
    #[arg(value_name = "NAME", add = values::model())]
    pub name: String,
}

#[derive(Debug, Subcommand)]
pub enum MigCommand {
    /// List the MIG profiles of a GPU
    #[command(before_long_help = examples::MIG_PROFILES)]
    Profiles(Lazy<MigProfilesArgs>),
    /// Check whether a mix of slices fits on one GPU, and where: exit 0 or 1
    #[command(before_long_help = examples::MIG_FIT)]
    Fit(Lazy<MigFitArgs>),
    /// Find the fewest GPUs for many slices
    #[command(before_long_help = examples::MIG_PACK)]
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
    /// Slices: 3g.40gb 1g.10gb+me 1g.10gb*2, or a model
    #[arg(value_name = "PROFILE", required = true, add = values::profile())]
    pub profiles: Vec<String>,
    /// Slices already on the GPU: 2g.20gb@0 1g.10gb@5
    #[arg(long, value_name = "PROFILE@START", num_args = 1.., value_delimiter = ',', add = values::profile_place())]
    pub occupied: Vec<String>,
    /// Print the commands or configuration that create the slices with this tool
    #[arg(long, value_parser = any_word::<MigTool>(), value_name = "TOOL")]
    pub to: Option<MigTool>,
}

#[derive(Debug, Args)]
pub struct MigPackArgs {
    /// A GPU: H100, A100:40GB, A30; `any` compares all GPUs that tenants may partition
    #[arg(value_name = "GPU", add = values::spec())]
    pub gpu: String,
    /// Slices with counts: 3g.40gb=10 1g.10gb=20
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
    /// Use at most N GPUs, and show the slices that do not fit
    #[arg(long, value_name = "N", value_parser = from_one)]
    pub gpus: Option<u32>,
    /// Fill existing GPUs first: a JSON file or the table of `nvidia-smi mig -lgi`; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub onto: Option<String>,
    /// Print the commands or configuration that create the slices with this tool
    #[arg(long, value_parser = any_word::<MigTool>(), value_name = "TOOL")]
    pub to: Option<MigTool>,
    #[command(flatten)]
    pub prices: PricePolicyArgs,
}

/// The price that ranks machines, and its maximum age.
#[derive(Debug, Args)]
pub struct PricePolicyArgs {
    /// Price that ranks and limits machines: likely (of today, estimated) or stated (as last seen) [default: likely]
    #[arg(long, value_parser = any_word::<PriceBasis>(), value_name = "PRICE", hide_short_help = true)]
    pub price: Option<PriceBasis>,
    /// Only prices of at most this age: 12h, 30d
    #[arg(long, value_name = "AGE", allow_hyphen_values = true, value_parser = durations::age, hide_short_help = true)]
    pub max_age: Option<Duration>,
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
    /// The number of machines that are needed together
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<1, MAX_NODES>, hide_short_help = true)]
    pub nodes: u32,
    /// Wait until a provider's score is at least this, on its own scale: aws=7, gcp=high; repeatable
    ///
    /// AWS scores spot capacity from 1 to 10, and Google Cloud from 0 to 1; high, medium and low are bands that a
    /// provider defines. Scores are read at most every 15 minutes.
    #[arg(
        long,
        value_name = "PROVIDER=SCORE",
        value_delimiter = ',',
        hide_short_help = true
    )]
    pub min_score: Vec<String>,
    /// Wait until the account's quotas admit the machines, where a provider reports quotas
    #[arg(long, hide_short_help = true)]
    pub check_quota: bool,
    /// Time between two polls: 30s, 5m, 1h; at least 5s
    #[arg(long, value_name = "TIME", default_value = "60s", allow_hyphen_values = true, value_parser = durations::interval)]
    pub interval: Duration,
    /// Stop after this time: 30m, 12h, 7d, or a number of seconds; exit 1 if nothing was found
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = durations::wait)]
    pub timeout: Option<Duration>,
    /// Stop with exit code 4 after this time without an answer of any provider
    #[arg(long, value_name = "TIME", default_value = "10m", allow_hyphen_values = true, value_parser = durations::wait, hide_short_help = true)]
    pub give_up: Duration,
    /// Also query without a key where a provider's terms restrict automated access: RunPod, Vast.ai
    #[arg(long, hide_short_help = true)]
    pub public: bool,
    /// Run this shell command when an offer is found; SKY_ACCEL_OFFER_… variables describe the offer
    #[arg(long, value_name = "COMMAND")]
    pub exec: Option<String>,
    /// Pass the providers' keys to the --exec command in the environment
    #[arg(long, requires = "exec", hide_short_help = true)]
    pub exec_keys: bool,
    /// Include this much disk in marketplace prices
    #[arg(long, value_name = "GB", default_value_t = DEFAULT_DISK_GB, value_parser = whole::<0, 100_000>, hide_short_help = true)]
    pub disk: u32,
}

#[derive(Debug, Args)]
pub struct DetectArgs {
    /// Exit 0 if the machine matches this spec, else 1; one device suffices unless the spec has a count
    #[arg(long, value_name = "SPEC", add = values::spec())]
    pub check: Option<String>,
    /// Read a recorded machine: a folder with sys, dev and tool output, or one file of it
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
    #[command(before_long_help = examples::CATALOG_VERIFY)]
    Verify {
        /// Overlay folders or files
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf>,
    },
    /// Write the catalog with your overlays, or with these paths instead, as one file for --catalog
    #[command(before_long_help = examples::CATALOG_COMPILE)]
    Compile {
        /// Overlay folders or files
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// File to write
        #[arg(short, long, id = "output", value_name = "FILE", required = true, value_parser = Output::file())]
        output: Output,
    },
    /// Describe the differences between two catalogs
    #[command(before_long_help = examples::CATALOG_DIFF)]
    Diff {
        /// Overlay folder or file, or `embedded`; without B, compared with the embedded catalog
        #[arg(value_name = "A")]
        before: Option<PathBuf>,
        /// Second catalog; without A and B, compares your overlays with the embedded catalog
        #[arg(value_name = "B")]
        after: Option<PathBuf>,
    },
    /// Show where the catalog and its overlays are
    #[command(before_long_help = examples::CATALOG_PATH)]
    Path,
    /// Download current prices from the providers into your own overlay
    #[command(before_long_help = examples::CATALOG_UPDATE)]
    Update {
        /// Query only this provider; repeatable
        #[arg(long, value_name = "ID", value_delimiter = ',')]
        provider: Vec<String>,
        /// Source of the prices: the providers, a project that collects them, or the path or address of a
        /// file that `catalog compile` wrote; repeatable
        #[arg(
            long,
            value_parser = UpdateSourceParser,
            value_name = "SOURCE",
            value_delimiter = ',',
            default_value = "providers"
        )]
        from: Vec<UpdateSource>,
        /// SHA-256 digest that the file of --from must have
        #[arg(long, value_name = "SHA256", value_parser = digest_of)]
        digest: Option<String>,
        /// Write to this folder [default: catalog/ beside your config.toml]
        #[arg(long, value_name = "DIR")]
        into: Option<PathBuf>,
        /// Show the changes without writing them
        #[arg(long)]
        dry_run: bool,
        /// Also query without a key where a provider's terms restrict automated access: RunPod, Vast.ai
        #[arg(long)]
        public: bool,
        /// Timeout for each provider, up to 10m; a number without a unit is in seconds
        #[arg(long, value_name = "TIME", default_value = "2m", allow_hyphen_values = true, value_parser = durations::timeout)]
        timeout: Duration,
    },
}

#[derive(Clone, Copy, Debug, Subcommand)]
pub enum ConfigCommand {
    /// Show every setting, and the flag, variable or file that set it
    #[command(before_long_help = examples::CONFIG_SHOW)]
    Show,
    /// Trust the current contents of the catalogs that ./sky-accel.toml names
    #[command(before_long_help = examples::CONFIG_TRUST)]
    Trust {
        /// Revoke the trust
        #[arg(long)]
        revoke: bool,
    },
}

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    #[arg(value_enum)]
    pub shell: Shell,
    /// Print a script that does not call the program; it completes commands and options, but no names
    #[arg(long = "static")]
    pub fixed: bool,
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
