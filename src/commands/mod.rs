//! One file for each verb: settings and arguments in, a report out.

mod age;
mod catalog;
mod compare;
mod completions;
mod config;
mod convert;
mod detect;
mod fit;
pub mod help;
mod is;
mod list;
mod live;
mod man;
mod map;
mod mig;
mod offers;
mod plan;
mod recommend;
mod report;
mod resolve;
mod show;
mod watch;

use std::io;

use sky_accel_core::bind::{Wanted, interpret};
use sky_accel_core::catalog::{AcceleratorId, Catalog};
use sky_accel_core::note::Note;

use crate::catalog::Loaded;
use crate::cli::{Command, Lazy};
use crate::error::{CliError, Problem};
use crate::exit_code::ExitCode;
use crate::settings::Settings;
use crate::ui::Ui;

/// What every command works with.
pub struct Context<'a> {
    pub catalog: Catalog<'a>,
    pub settings: &'a Settings,
    pub ui: &'a mut Ui,
}

/// Why a command ended early.
#[derive(Debug)]
pub enum Failure {
    Error(CliError),
    /// A stream could not be written to.
    Io(io::Error),
}

impl From<CliError> for Failure {
    fn from(error: CliError) -> Self {
        Self::Error(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

type Result<T> = std::result::Result<T, Failure>;

/// Runs a command.
pub fn run(command: Command, settings: &Settings, ui: &mut Ui) -> Result<ExitCode> {
    // These work without a catalog, or on a broken one.
    match command {
        Command::Completions(Lazy(args)) => return Ok(completions::run(&args, ui)?),
        Command::Help(Lazy(args)) => return help::run(&args, ui),
        Command::Man(Lazy(args)) => return man::run(&args, ui),
        Command::Config(command) => return config::run(command, settings, ui),
        Command::Catalog(command) => return catalog::run(command, settings, ui),
        _ => {}
    }
    let loaded = Loaded::load(&settings.overlays)?;
    let mut context = Context {
        catalog: loaded.catalog(),
        settings,
        ui,
    };
    match command {
        Command::List(Lazy(args)) => list::run(&mut context, args),
        Command::Show(Lazy(args)) => show::run(&mut context, &args),
        Command::Compare(Lazy(args)) => compare::run(&mut context, &args),
        Command::Resolve(Lazy(args)) => resolve::run(&mut context, &args),
        Command::Recommend(Lazy(args)) => recommend::run(&mut context, &args),
        Command::Report(Lazy(args)) => report::run(&mut context, &args),
        Command::Fit(Lazy(args)) => fit::run(&mut context, &args),
        Command::Plan(Lazy(args)) => plan::run(&mut context, &args),
        Command::Convert(Lazy(args)) => convert::run(&mut context, &args),
        Command::Mig(command) => mig::run(&mut context, command),
        Command::Watch(Lazy(args)) => watch::run(&mut context, &args),
        Command::Detect(Lazy(args)) => detect::run(&mut context, &args),
        Command::Is(Lazy(args)) => is::run(&mut context, &args),
        Command::Completions(_)
        | Command::Help(_)
        | Command::Man(_)
        | Command::Config(_)
        | Command::Catalog(_) => Ok(ExitCode::Internal),
    }
}

/// Reads a spec or says what is wrong with it.
fn read_spec(catalog: &Catalog<'_>, text: &str) -> std::result::Result<Vec<Wanted>, CliError> {
    interpret(catalog, text).map_err(|errors| CliError::spec(text, &errors, None))
}

/// An error about arguments that make sense as one, as in `resolve RTX 4090`, says so instead.
fn unless_one(catalog: &Catalog<'_>, arguments: &[String], error: CliError) -> CliError {
    let whole = arguments.join(" ");
    if arguments.len() < 2 || interpret(catalog, &whole).is_err() {
        return error;
    }
    let problem = error.problems.into_iter().next().map(|problem| Problem {
        hints: vec![format!("'{whole}', in quotes")],
        ..problem
    });
    CliError {
        exit_code: error.exit_code,
        problems: problem.into_iter().collect(),
    }
}

/// The accelerators that a name or spec stands for, the one to display first, and what to note.
fn read_accelerators(
    catalog: &Catalog<'_>,
    text: &str,
) -> std::result::Result<(Vec<AcceleratorId>, Vec<Note>), CliError> {
    let mut ids: Vec<AcceleratorId> = Vec::new();
    let mut notes = Vec::new();
    for wanted in read_spec(catalog, text)? {
        for candidate in &wanted.candidates {
            if !ids.contains(&candidate.accelerator) {
                ids.push(candidate.accelerator);
            }
        }
        notes.extend(wanted.notes);
    }
    Ok((ids, notes))
}

/// The types of the JSON contract that belong to one command.
#[cfg(feature = "schema")]
pub mod schemas {
    pub use super::catalog::{
        CatalogDiffRequest, CatalogRequest, DifferenceOut, PathOut, UpdateOut, UpdateRequest,
        VerifyOut,
    };
    pub use super::compare::CompareOut;
    pub use super::config::{ConfigRequest, SettingOut};
    pub use super::detect::{DetectRequest, HardwareOut};
    pub use super::fit::{ModelFitOut, answer_line};
    pub use super::is::{IsOut, IsRequest};
    pub use super::list::ListRequest;
    pub use super::mig::{FitOut, FitRequest, PackOut, PackRequest, ProfileRow, ProfilesRequest};
    pub use super::plan::{ChangeOut, DiffRequest};
    pub use super::recommend::{GuideOut, GuideRequest, RecommendOut, RecommendRequest};
    pub use super::report::{ReportOut, ReportRequest};
    pub use super::show::NamesRequest;
    pub use super::watch::WatchLine;
    pub use crate::sizing::RequestOut;
}
