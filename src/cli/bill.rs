//! Arguments of `bill`, and of commands that compute bills.

use clap::{ArgMatches, Args, Command, Error, FromArgMatches};

use super::durations;
use super::numbers::{gigabytes, positive, whole};
use super::offers::{CommitArgs, OfferArgs};
use crate::completion::values;

/// Help heading of the flags for the use of a machine.
pub const USE: &str = "Use of the machine";

#[derive(Debug, Args)]
pub struct BillArgs {
    /// Specs such as H100:x8 or any:24GB; `-` is standard input
    ///
    /// Standard input has one spec per line, or the -o json output of `resolve` or `recommend`.
    #[arg(value_name = "SPEC", required = true, add = values::spec())]
    pub specs: Vec<String>,
    /// Time of work: 100, 90m, 2d [default: 730 hours]
    ///
    /// A number without a unit is in hours. By default, the machine works for a month.
    #[arg(long, value_name = "HOURS", allow_negative_numbers = true, value_parser = durations::hours)]
    pub hours: Option<f64>,
    /// Bill a whole month, with its time off
    ///
    /// The disk is kept while the machine does not work too.
    #[arg(long)]
    pub month: bool,
    /// Download the checkpoint of this model
    ///
    /// The bill has its traffic, and the time of the machine. With --storage, one session downloads it; without, each
    /// session does.
    #[arg(long, value_name = "MODEL", add = values::model())]
    pub model: Option<String>,
    /// Download the configuration of --model organization/name or hf:organization/name from its hub
    #[arg(long, requires = "model", hide_short_help = true)]
    pub live: bool,
    #[command(flatten)]
    pub commit: CommitArgs,
    #[command(flatten)]
    pub offers: OfferArgs,
    /// Show every row, not the best of each provider
    #[arg(long, conflicts_with = "limit")]
    pub all: bool,
    #[command(flatten)]
    pub of: UseArgs,
}

/// The use of a machine, apart from its hours.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = USE)]
pub struct UseArgs {
    /// Number of sessions in a month
    ///
    /// Between sessions, the machine is stopped or deleted.
    #[arg(long, value_name = "N", value_parser = whole::<1, 100_000>)]
    pub sessions: Option<u32>,
    /// Time of work in each session: 3, 90m
    #[arg(long, value_name = "HOURS", allow_negative_numbers = true, value_parser = durations::hours)]
    pub hours_per_session: Option<f64>,
    /// Disk that each machine keeps: 200GB, 1TB
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true, value_parser = gigabytes)]
    pub storage: Option<f64>,
    /// Traffic to the internet: 50GB, 2TB
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true, value_parser = gigabytes)]
    pub egress: Option<f64>,
    /// Traffic from the internet, without the checkpoint: 50GB
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true, value_parser = gigabytes, hide_short_help = true)]
    pub ingress: Option<f64>,
    /// Idle time at the end of each session: 15m
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, value_parser = durations::hours)]
    pub idle: Option<f64>,
    /// Time of each start: 5m [default: as the catalog has it for the provider]
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, value_parser = durations::hours, hide_short_help = true)]
    pub start: Option<f64>,
    /// Bandwidth of the download in Gbit/s [default: 1]
    #[arg(long, value_name = "GBIT", allow_negative_numbers = true, value_parser = positive, hide_short_help = true)]
    pub bandwidth: Option<f64>,
    /// Public IPv4 addresses of each machine [default: 1]
    #[arg(long, value_name = "N", value_parser = whole::<0, 1000>, hide_short_help = true)]
    pub ipv4: Option<u32>,
}

/// The request for whole bills in another command. A flag for the use implies it.
#[derive(Clone, Debug, Args)]
pub struct WholeBillArgs {
    /// Add the whole bill: disk, traffic, starts, …
    ///
    /// Each flag below `Use of the machine` implies it.
    #[arg(long)]
    pub bill: bool,
    #[command(flatten)]
    pub of: Hidden<UseArgs>,
}

impl WholeBillArgs {
    /// Returns the use if whole bills are requested.
    pub fn requested(&self) -> Option<&UseArgs> {
        let of = &self.of.0;
        (self.bill || of.is_given()).then_some(of)
    }
}

impl UseArgs {
    /// Returns whether any flag is given.
    fn is_given(&self) -> bool {
        let times = [self.hours_per_session, self.idle, self.start];
        let sizes = [self.storage, self.egress, self.ingress, self.bandwidth];
        let has_number = times.iter().chain(&sizes).any(Option::is_some);
        has_number || self.sessions.is_some() || self.ipv4.is_some()
    }
}

/// Arguments that only `--help` lists.
#[derive(Clone, Debug)]
pub struct Hidden<T>(pub T);

impl<T: Args> Args for Hidden<T> {
    fn augment_args(command: Command) -> Command {
        let own = T::augment_args(Command::new(""));
        let hidden = own
            .get_arguments()
            .map(|arg| arg.clone().hide_short_help(true).help_heading(USE));
        command.args(hidden)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<T: FromArgMatches> FromArgMatches for Hidden<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}
