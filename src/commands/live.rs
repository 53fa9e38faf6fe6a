//! Live queries of commands with `--live`.

use std::cell::{Cell, RefCell};

use sky_accel_core::bind::BoundChoice;
use sky_accel_engine::asking::{Live, LiveRequest, Progress};
use sky_accel_engine::{Engine, Error, ModelHub, OfferFilter};

use crate::context::{Context, Result};
use crate::exit_code::ExitCode;
use crate::ui::Ui;

/// Queries the providers of a request.
pub fn ask(
    context: &mut Context<'_>,
    specs: &[Vec<BoundChoice>],
    offers: &OfferFilter,
    request: &LiveRequest,
) -> Result<Live> {
    let (engine, session) = (context.engine, context.session);
    let live = with_progress(context.ui, |progress| {
        engine.ask(session, specs, offers, request, progress)
    });
    Ok(live?)
}

/// Runs work with a progress line.
pub fn with_progress<T>(ui: &mut Ui, work: impl FnOnce(&dyn Fn(Progress<'_>)) -> T) -> T {
    let ui = RefCell::new(ui);
    work(&|progress| ui.borrow_mut().live_progress(progress))
}

/// Said if `--live` had no effect on an answer about a model.
const NOTHING_DOWNLOADED: &str = "--live downloaded nothing: it is for configurations of models that the catalog does not have; \
                                  prices are from the catalog";

/// Runs work that may read models of a hub. The hub is reachable with `--live` only.
pub fn with_hub<T, E>(
    context: &mut Context<'_>,
    is_live: bool,
    work: impl FnOnce(Option<&ModelHub<'_>>) -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    if !is_live {
        return work(None);
    }
    let (session, offline) = (context.session, context.settings.offline);
    let is_asked = Cell::new(false);
    let done = with_progress(context.ui, |progress| {
        work(Some(&ModelHub {
            session,
            offline,
            is_live: true,
            folders: None,
            progress: &|event| {
                is_asked.set(true);
                progress(event);
            },
        }))
    });
    if done.is_ok() && !is_asked.get() {
        // A remark that cannot be written does not take the answer.
        let _ = context.ui.footer(NOTHING_DOWNLOADED);
    }
    done
}

/// Prints the failures of providers beside an answer and returns its exit code.
pub fn tell_failures(context: &mut Context<'_>, engine: &Engine<'_>) -> Result<Option<ExitCode>> {
    let Some(error) = engine.live().and_then(Error::of_live) else {
        return Ok(None);
    };
    tell(context, &error).map(Some)
}

/// Prints an error beside an answer and returns its exit code.
pub fn tell(context: &mut Context<'_>, error: &Error) -> Result<ExitCode> {
    context
        .ui
        .error_beside(error, context.settings.output.is_json())?;
    Ok(error.kind.into())
}
