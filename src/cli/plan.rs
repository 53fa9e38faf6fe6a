//! Arguments of `plan` and `convert`.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use sky_accel_core::plan::PlanObjective;
use sky_accel_engine::{CudaVersion, Dialect, Image, MAX_NODES, ReservationId, SlurmType, Target};

use super::bill::WholeBillArgs;
use super::numbers::{positive, whole};
use super::offers::{CommitArgs, HoursArgs, LiveArgs, OfferArgs};
use super::words::any_word;
use crate::completion::values;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct PlanArgs {
    #[command(subcommand)]
    pub command: Option<PlanCommand>,
    /// A spec such as H100:x8; `-` reads specs from standard input
    ///
    /// Standard input may also be the output of `recommend -o json`.
    #[arg(value_name = "SPEC", required = true, add = values::spec())]
    pub spec: Option<String>,
    #[command(flatten)]
    pub offers: OfferArgs,
    /// Try spot first, then on-demand
    #[arg(long, conflicts_with = "capacity_type", hide_short_help = true)]
    pub spot_first: bool,
    /// List each region once per capacity type
    #[arg(long, value_enum, value_name = "WHAT", hide_short_help = true)]
    pub distinct: Option<Distinct>,
    /// Rank the candidates by price or by obtainability [default: price]
    ///
    /// With obtainability: stock, then quota, then the start, then the price. Only --live knows them.
    #[arg(long, value_parser = any_word::<PlanObjective>(), value_name = "WHAT", hide_short_help = true)]
    pub objective: Option<PlanObjective>,
    /// Leave out larger machines, even if a provider sells no exact match
    #[arg(long, hide_short_help = true)]
    pub exact: bool,
    /// Number of machines [default: 1, or as recommended]
    #[arg(long, value_name = "N", value_parser = whole::<1, MAX_NODES>)]
    pub nodes: Option<u32>,
    #[command(flatten)]
    pub hours: HoursArgs,
    #[command(flatten)]
    pub commit: CommitArgs,
    /// Limit for all machines together: total with --hours, --month or --year, else per hour
    #[arg(long, value_name = "USD", allow_negative_numbers = true, value_parser = positive)]
    pub budget: Option<f64>,
    /// Leave out devices that cannot run this CUDA version
    #[arg(long, value_name = "VERSION", hide_short_help = true)]
    pub cuda: Option<CudaVersion>,
    /// Disk size
    #[arg(long, value_name = "GB", value_parser = whole::<1, 100_000>, hide_short_help = true)]
    pub disk: Option<u32>,
    #[command(flatten)]
    pub whole_bill: WholeBillArgs,
    #[command(flatten)]
    pub work: WorkArgs,
    #[command(flatten)]
    pub hand_over: HandOverArgs,
    #[command(flatten)]
    pub live: LiveArgs,
}

/// Workload of the plan.
#[derive(Debug, Args)]
#[command(next_help_heading = "The work")]
pub struct WorkArgs {
    /// Name of the task, cluster or machine
    #[arg(
        long,
        value_name = "NAME",
        default_value = "sky-accel",
        hide_short_help = true
    )]
    pub name: String,
    /// Container image; on AWS machines also ami-… or resolve:ssm:…
    #[arg(
        long,
        value_name = "IMAGE",
        allow_hyphen_values = true,
        hide_short_help = true
    )]
    pub image: Option<Image>,
    /// Shell command to run [default: list the devices]
    #[arg(long, value_name = "COMMAND", hide_short_help = true)]
    pub run: Option<String>,
    /// Launch into this AWS on-demand capacity reservation
    #[arg(long, value_name = "ID", conflicts_with_all = ["capacity_block", "spot_first"], hide_short_help = true)]
    pub reservation: Option<ReservationId>,
    /// Launch into this AWS capacity block
    #[arg(
        long,
        value_name = "ID",
        conflicts_with = "spot_first",
        hide_short_help = true
    )]
    pub capacity_block: Option<ReservationId>,
    /// Map a GPU or slice to the name that a Slurm site uses: 3g.40gb=TYPE; repeatable
    #[arg(
        long,
        alias = "slurm-types",
        value_name = "NAME=TYPE",
        hide_short_help = true
    )]
    pub slurm_map: Vec<SlurmType>,
}

/// Target of the plan.
#[derive(Debug, Args)]
#[command(next_help_heading = "Handover")]
pub struct HandOverArgs {
    /// Print the plan as a file for this target
    #[arg(long, value_name = "TARGET", value_parser = target())]
    pub to: Option<Target>,
    /// Write the target's files into this folder
    #[arg(long, value_name = "DIR", requires = "to", hide_short_help = true)]
    pub out: Option<PathBuf>,
    /// Fail if the target's format cannot express the whole request
    #[arg(long, requires = "to", hide_short_help = true)]
    pub strict: bool,
    /// Write the candidates and the catalog's hash to this lock file
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub lock: Option<PathBuf>,
    /// Compare the plan with the --lock file instead: exit 7 if a candidate changed
    #[arg(long, requires = "lock", hide_short_help = true)]
    pub locked: bool,
}

impl HandOverArgs {
    /// Returns true if the plan writes no files.
    pub fn is_terminal_only(&self) -> bool {
        self.out.is_none() && self.lock.is_none()
    }
}

#[derive(Debug, Subcommand)]
pub enum PlanCommand {
    /// Describe the differences between two plans or lock files
    #[command(before_long_help = super::examples::PLAN_DIFF)]
    Diff(PlanDiffArgs),
}

#[derive(Debug, Args)]
pub struct PlanDiffArgs {
    /// Output of `plan -o json`, or a lock file; `-` is standard input
    #[arg(value_name = "A")]
    pub a: String,
    /// Later plan or lock file
    #[arg(value_name = "B")]
    pub b: String,
}

/// Property that must differ between all candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Distinct {
    Regions,
}

#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// A spec such as A100:80GB:x8
    #[arg(value_name = "SPEC", add = values::spec())]
    pub spec: String,
    /// Target tool or format
    #[arg(long, value_name = "DIALECT", value_parser = dialect())]
    pub to: Dialect,
    /// Fail if the tool cannot express the whole spec
    #[arg(long)]
    pub strict: bool,
}

/// Parses the name of a plan target.
fn target() -> impl TypedValueParser<Value = Target> {
    let names = Target::ALL.map(|target| PossibleValue::new(target.name()).help(target.about()));
    PossibleValuesParser::new(names)
        .try_map(|name| Target::named(&name).ok_or("not one of the targets"))
}

/// Parses the name of a dialect.
fn dialect() -> impl TypedValueParser<Value = Dialect> {
    let names =
        Dialect::ALL.map(|dialect| PossibleValue::new(dialect.name()).help(dialect.about()));
    PossibleValuesParser::new(names)
        .try_map(|name| Dialect::named(&name).ok_or("not one of the dialects"))
}
