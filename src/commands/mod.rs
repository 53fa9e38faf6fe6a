//! One module per command: settings and arguments in, a report out.

mod bill;
#[cfg(not(target_family = "wasm"))]
mod browse;
mod catalog;
mod committed;
mod compare;
#[cfg(not(target_family = "wasm"))]
mod completions;
mod config;
mod convert;
#[cfg(not(target_family = "wasm"))]
mod detect;
#[cfg(not(target_family = "wasm"))]
mod doctor;
mod fit;
pub mod help;
mod input;
mod is;
mod list;
mod live;
#[cfg(not(target_family = "wasm"))]
mod man;
mod map;
#[cfg(not(target_family = "wasm"))]
mod mcp;
mod mig;
mod mix;
mod models;
mod models_on;
mod own_models;
mod plan;
mod prices;
#[cfg(not(target_family = "wasm"))]
mod quota;
mod recommend;
mod report;
mod resolve;
mod show;
mod stream;
#[cfg(not(target_family = "wasm"))]
mod watch;
#[cfg(not(target_family = "wasm"))]
mod web;

use sky_accel_engine::asking::Session;
use sky_accel_engine::catalog::Loaded;
use sky_accel_engine::{Engine, Error, ErrorCode};

use crate::cli::{Command, Lazy};
#[cfg(not(target_family = "wasm"))]
use crate::cli::{LiveCommand, Overriding};
use crate::context::{Context, Result};
use crate::exit_code::ExitCode;
use crate::requests;
use crate::settings::{Settings, compiled_folder};
use crate::ui::Ui;

use committed::committed;

/// Runs a command with the catalog of the host, if it has one, or with the overlays of the settings.
pub fn run(
    command: Command,
    settings: &Settings,
    ui: &mut Ui,
    catalog: Option<&Loaded>,
) -> Result<ExitCode> {
    let with = |ui: &mut Ui, verb: &mut dyn FnMut(&mut Context<'_>) -> Result<ExitCode>| {
        with_catalog(settings, ui, catalog, verb)
    };
    check_page(&command, settings)?;
    match command {
        Command::List(Lazy(args)) => with(ui, &mut |context| list::run(context, &args)),
        Command::Show(Lazy(args)) => with(ui, &mut |context| show::run(context, &args)),
        Command::Compare(Lazy(args)) => with(ui, &mut |context| {
            let offers = requests::offers_under(&args.offers, &args.commit, &settings.offers);
            committed(context, &offers, false, |context| {
                compare::run(context, &args)
            })
        }),
        Command::Resolve(Lazy(args)) => with(ui, &mut |context| {
            requests::check_hours(args.hours, &args.commit)?;
            let offers = requests::resolve(&args, settings).offers;
            let is_live = args.live.live;
            committed(context, &offers, is_live, |context| {
                resolve::run(context, &args)
            })
        }),
        Command::Mix(Lazy(args)) => with(ui, &mut |context| mix::run(context, &args)),
        Command::Bill(Lazy(args)) => with(ui, &mut |context| bill::run(context, &args)),
        Command::Prices(Lazy(args)) => with(ui, &mut |context| prices::run(context, &args)),
        #[cfg(not(target_family = "wasm"))]
        Command::Browse(Overriding { given, args }) => {
            with(ui, &mut |context| browse::run(context, &given, &args))
        }
        Command::Recommend(Lazy(args)) => with(ui, &mut |context| {
            requests::check_hours(args.search.hours, &args.search.commit)?;
            requests::check_sessions(args.search.hours, &args.whole_bill)?;
            let offers = requests::offers_of_search(&args.search, settings);
            committed(context, &offers, false, |context| {
                recommend::run(context, &args)
            })
        }),
        Command::Report(Lazy(args)) => with(ui, &mut |context| {
            requests::check_hours(args.search.hours, &args.search.commit)?;
            let offers = requests::offers_of_search(&args.search, settings);
            committed(context, &offers, false, |context| {
                report::run(context, &args)
            })
        }),
        Command::Fit(Lazy(args)) => with(ui, &mut |context| fit::run(context, &args)),
        Command::Models(Lazy(args)) => with(ui, &mut |context| own_models::run(context, &args)),
        Command::Plan(Lazy(args)) => with(ui, &mut |context| {
            requests::check_hours(args.hours, &args.commit)?;
            requests::check_sessions(args.hours, &args.whole_bill)?;
            let offers = requests::plan(&args, settings).offers;
            let is_live = args.live.live;
            committed(context, &offers, is_live, |context| {
                plan::run(context, &args)
            })
        }),
        Command::Convert(Lazy(args)) => with(ui, &mut |context| convert::run(context, &args)),
        Command::Mig(Lazy(command)) => with(ui, &mut |context| mig::run(context, &command)),
        #[cfg(not(target_family = "wasm"))]
        Command::Watch(Lazy(args)) => with(ui, &mut |context| watch::run(context, &args)),
        #[cfg(not(target_family = "wasm"))]
        Command::Quota(Lazy(args)) => with(ui, &mut |context| quota::run(context, &args)),
        #[cfg(not(target_family = "wasm"))]
        Command::Live(Lazy(LiveCommand::Doctor(args))) => {
            with(ui, &mut |context| doctor::run(context, &args))
        }
        #[cfg(not(target_family = "wasm"))]
        Command::Detect(Lazy(args)) => with(ui, &mut |context| detect::run(context, &args)),
        #[cfg(not(target_family = "wasm"))]
        Command::Mcp(Lazy(args)) => with(ui, &mut |context| mcp::run(context, &args)),
        #[cfg(not(target_family = "wasm"))]
        Command::Web(Lazy(args)) => with(ui, &mut |context| web::run(context, &args)),
        Command::Is(Lazy(args)) => with(ui, &mut |context| is::run(context, &args)),
        // These commands work without a catalog, or with an invalid one.
        #[cfg(not(target_family = "wasm"))]
        Command::Completions(Lazy(args)) => Ok(completions::run(&args, ui)?),
        Command::Help(Lazy(args)) => help::run(&args, ui),
        #[cfg(not(target_family = "wasm"))]
        Command::Man(Lazy(args)) => man::run(&args, ui),
        Command::Config(Lazy(command)) => config::run(command, settings, ui),
        Command::Catalog(Lazy(command)) => {
            if let Some(why) = &settings.ignored_project {
                ui.footer(why)?;
            }
            catalog::run(command, settings, ui)
        }
        #[cfg(target_family = "wasm")]
        _ => Err(needs_terminal().into()),
    }
}

/// Runs a command that needs a catalog.
fn with_catalog(
    settings: &Settings,
    ui: &mut Ui,
    catalog: Option<&Loaded>,
    verb: &mut dyn FnMut(&mut Context<'_>) -> Result<ExitCode>,
) -> Result<ExitCode> {
    if let Some(why) = &settings.ignored_project {
        ui.footer(why)?;
    }
    settings.check_catalogs()?;
    let own;
    let loaded = match catalog {
        Some(loaded) if settings.overlays.is_empty() => loaded,
        _ => {
            let loaded = Loaded::load(&settings.overlays, compiled_folder().as_deref());
            own = loaded.map_err(|error| settings.without_quotes(error))?;
            &own
        }
    };
    let engine = Engine::over(loaded, settings.today());
    engine.check_history()?;
    let session = Session::new().allowing_plain_http(settings.insecure);
    verb(&mut Context {
        engine,
        session: &session,
        settings,
        ui,
    })
}

/// Rejects output for browsers of commands that print text.
fn check_page(command: &Command, settings: &Settings) -> std::result::Result<(), Error> {
    let is_text = matches!(
        command,
        Command::Completions(_) | Command::Help(_) | Command::Man(_)
    );
    if is_text && settings.output.is_html() {
        let message = "this command prints text and has no page: leave out `output`";
        return Err(Error::new(ErrorCode::Format, message));
    }
    Ok(())
}

/// The error of a command that no host can run.
pub fn needs_terminal() -> Error {
    Error::new(ErrorCode::Usage, "this command runs only in a terminal")
}

/// Documents that only the command line prints.
#[cfg(feature = "schema")]
pub mod schemas {
    pub use super::catalog::PathOut;
    pub use super::config::{ConfigRequest, SettingOut, TrustOut};
    pub use super::report::{ReportOut, ReportRequest};
    pub use super::web::{WebOut, WebRequest};
}
