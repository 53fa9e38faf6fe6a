//! Arguments of `plan` and `convert`.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use sky_accel_engine::{Dialect, Target};

use super::args::{LiveArgs, OfferArgs};
use crate::completion::values;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct PlanArgs {
    #[command(subcommand)]
    pub command: Option<PlanCommand>,
    /// A spec such as H100:x8; `-` reads one, or what `recommend -o json` prints, from standard input
    #[arg(value_name = "SPEC", required = true, add = values::spec())]
    pub spec: Option<String>,
    #[command(flatten)]
    pub offers: OfferArgs,
    /// Spot wherever it is sold, on demand behind it
    #[arg(long, conflicts_with = "capacity_type")]
    pub spot_first: bool,
    /// Take each region once for each way of buying
    #[arg(long, value_enum, value_name = "WHAT")]
    pub distinct: Option<Distinct>,
    /// No larger machine, even where a provider sells no exact one
    #[arg(long)]
    pub exact: bool,
    /// Machines that are wanted
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub nodes: u32,
    /// Hours that they are wanted for
    #[arg(long, value_name = "HOURS", allow_negative_numbers = true)]
    pub hours: Option<f64>,
    /// US dollars for all machines: over --hours where it is given, else per hour
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub budget: Option<f64>,
    /// What the accelerators are to be joined by
    #[arg(long, value_enum, value_name = "KIND")]
    pub interconnect: Option<InterconnectArg>,
    /// CUDA version of the image: devices and drivers that cannot run it are left out
    #[arg(long, value_name = "VERSION", value_parser = parse_version)]
    pub cuda: Option<String>,
    /// GB of disk
    #[arg(long, value_name = "GB", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub disk: Option<u32>,
    #[command(flatten)]
    pub work: WorkArgs,
    #[command(flatten)]
    pub hand_over: HandOverArgs,
    #[command(flatten)]
    pub live: LiveArgs,
}

/// What is to run.
#[derive(Debug, Args)]
#[command(next_help_heading = "The work")]
pub struct WorkArgs {
    /// Name of the task, cluster or machine
    #[arg(long, value_name = "NAME", default_value = "sky-accel")]
    pub name: String,
    /// Container image; for machines of AWS also ami-… or resolve:ssm:…
    #[arg(long, value_name = "IMAGE", allow_hyphen_values = true, value_parser = parse_image)]
    pub image: Option<String>,
    /// What a shell is to run [default: what lists the devices]
    #[arg(long, value_name = "COMMAND")]
    pub run: Option<String>,
    /// An on-demand capacity reservation of AWS to launch into
    #[arg(long, value_name = "ID", conflicts_with_all = ["capacity_block", "spot_first"], value_parser = parse_reservation)]
    pub reservation: Option<String>,
    /// A capacity block of AWS to launch into
    #[arg(long, value_name = "ID", conflicts_with = "spot_first", value_parser = parse_reservation)]
    pub capacity_block: Option<String>,
    /// What a Slurm site calls a GPU or a slice: 3g.40gb=TYPE; may be repeated
    #[arg(long, value_name = "NAME=TYPE", value_parser = parse_slurm_type)]
    pub slurm_map: Vec<(String, String)>,
}

/// To whom the plan goes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Handing over")]
pub struct HandOverArgs {
    /// Print the plan for this engine
    #[arg(long, value_name = "TARGET", value_parser = target())]
    pub to: Option<Target>,
    /// Write the engine's files into this folder
    #[arg(long, value_name = "DIR", requires = "to")]
    pub out: Option<PathBuf>,
    /// Fail when the engine cannot say all that is asked
    #[arg(long, requires = "to")]
    pub strict: bool,
    /// Write what was decided to this file
    #[arg(long, value_name = "FILE")]
    pub lock: Option<PathBuf>,
    /// Hold the plan against the file of --lock instead: exit 7 when anything moved
    #[arg(long, requires = "lock")]
    pub locked: bool,
}

#[derive(Debug, Subcommand)]
pub enum PlanCommand {
    /// What differs between two plans, or lock files
    Diff(PlanDiffArgs),
}

#[derive(Debug, Args)]
pub struct PlanDiffArgs {
    /// What `plan -o json` or `plan --lock` wrote; `-` is standard input
    #[arg(value_name = "A")]
    pub a: String,
    /// The later one
    #[arg(value_name = "B")]
    pub b: String,
}

/// What candidates are to differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Distinct {
    Regions,
}

/// How accelerators are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InterconnectArg {
    /// Elastic Fabric Adapters between machines
    Efa,
    /// InfiniBand between machines
    Infiniband,
    /// NVLink inside a machine
    Nvlink,
    /// Any of them
    Any,
}

#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// A spec such as A100:80GB:x8
    #[arg(value_name = "SPEC", add = values::spec())]
    pub spec: String,
    /// The tool whose words are wanted
    #[arg(long, value_name = "DIALECT", value_parser = dialect())]
    pub to: Dialect,
    /// Fail when the tool cannot say all that is asked
    #[arg(long)]
    pub strict: bool,
}

/// A target by its name.
fn target() -> impl TypedValueParser<Value = Target> {
    let names = Target::ALL.map(|target| PossibleValue::new(target.name()).help(target.about()));
    PossibleValuesParser::new(names)
        .try_map(|name| Target::named(&name).ok_or("not one of the targets"))
}

/// A dialect by its name.
fn dialect() -> impl TypedValueParser<Value = Dialect> {
    let names =
        Dialect::ALL.map(|dialect| PossibleValue::new(dialect.name()).help(dialect.about()));
    PossibleValuesParser::new(names)
        .try_map(|name| Dialect::named(&name).ok_or("not one of the dialects"))
}

/// `12.8`.
fn parse_version(text: &str) -> Result<String, String> {
    let mut parts = text.split('.');
    let is_number = |part: &str| {
        !part.is_empty() && part.len() <= 3 && part.bytes().all(|b| b.is_ascii_digit())
    };
    let fine = parts
        .by_ref()
        .take(2)
        .filter(|part| is_number(part))
        .count()
        == 2
        && parts.next().is_none();
    if fine {
        Ok(text.to_owned())
    } else {
        Err("write a CUDA release, such as 12.8".to_owned())
    }
}

/// An image is no option of the program that it is handed to.
fn parse_image(text: &str) -> Result<String, String> {
    if text.is_empty() || text.starts_with('-') {
        return Err("an image has a name, which does not begin with a dash".to_owned());
    }
    Ok(text.to_owned())
}

/// `cr-0123456789abcdef0`.
fn parse_reservation(text: &str) -> Result<String, String> {
    let id = text.strip_prefix("cr-").unwrap_or_default();
    if id.is_empty() || !id.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return Err(
            "write the id of a capacity reservation, such as cr-0123456789abcdef0".to_owned(),
        );
    }
    Ok(text.to_owned())
}

/// `3g.40gb=TYPE`.
fn parse_slurm_type(text: &str) -> Result<(String, String), String> {
    let wrong = || "write a name and the site's type, such as 3g.40gb=h100_3g".to_owned();
    let (name, site) = text.split_once('=').ok_or_else(wrong)?;
    let is_word = |word: &str| {
        !word.is_empty()
            && word
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"._+-".contains(&b))
    };
    if is_word(name) && is_word(site) {
        Ok((name.to_owned(), site.to_owned()))
    } else {
        Err(wrong())
    }
}
