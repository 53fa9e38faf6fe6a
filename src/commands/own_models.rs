//! `models`, `models add` and `models remove`: models of the catalog, and of the user's own catalog.

use std::path::PathBuf;

use sky_accel_core::text::printable;
use sky_accel_engine::catalog::{OwnModel, OwnModelRequest};
use sky_accel_engine::{Engine, Error, ErrorCode, ModelsRequest};
use sky_accel_files::write::Access;

use super::catalog::own_folder::{lock, unwritable, write_file};
use super::live::with_hub;
use super::models::{self, report};
use crate::cli::{Lazy, ModelsAddArgs, ModelsArgs, ModelsCommand, ModelsRemoveArgs};
use crate::context::{Context, Result};
use crate::exit_code::ExitCode;
use crate::render::print;
use crate::settings::overlay_folder;

/// Lists models, or changes the models of the user's catalog.
pub fn run(context: &mut Context<'_>, args: &ModelsArgs) -> Result<ExitCode> {
    match &args.command {
        None => models::run(context, args),
        Some(_) if args.filter.is_some() => {
            let message = "a filter is for the list: `models add` and `models remove` take the model after the word";
            Err(Error::new(ErrorCode::BadValue, message).into())
        }
        Some(ModelsCommand::Add(Lazy(args))) => add(context, args),
        Some(ModelsCommand::Remove(Lazy(args))) => remove(context, args),
    }
}

/// Keeps a model, and prints its facts.
fn add(context: &mut Context<'_>, args: &ModelsAddArgs) -> Result<ExitCode> {
    let folder = own_folder()?;
    let request = OwnModelRequest {
        model: args.model.clone(),
        name: args.name.clone(),
        assume: args.assume.clone(),
    };
    let (engine, settings) = (context.engine, context.settings);
    // A model that cannot be read leaves no trace, not even a folder.
    let mut own = with_hub(context, args.live, |hub| {
        OwnModel::read(&engine, &request, &folder, &settings.overlays, hub)
    })?;
    let held = lock(&folder, true, context.ui)?;
    // Another process may have changed the folder before this one had the lock.
    own.check(&folder, &settings.overlays)?;
    write_file(&own.path, &own.text, Access::Private)?;
    drop(held);
    let done = if own.replaces { "replaced" } else { "kept" };
    let footer = format!(
        "{done} in {}; `sky-accel models remove {}` removes it",
        printable(&own.path.display().to_string()),
        own.id
    );
    let answer = Engine::over(&own.loaded, settings.today()).models(&ModelsRequest {
        filter: Some(own.id.clone()),
        ..ModelsRequest::default()
    });
    let envelope = answer.envelope.with_notes(own.notes);
    Ok(print(
        context.ui,
        settings.output,
        report(envelope, vec![footer], settings.output),
    )?)
}

/// Removes a model that was kept, and prints the facts that were removed.
fn remove(context: &mut Context<'_>, args: &ModelsRemoveArgs) -> Result<ExitCode> {
    let folder = own_folder()?;
    let path = OwnModel::file(&context.engine, &args.name, &folder)?;
    let held = lock(&folder, true, context.ui)?;
    sky_accel_files::remove(&path).map_err(|error| unwritable(&path, &error))?;
    drop(held);
    let answer = context.engine.models(&ModelsRequest {
        filter: Some(args.name.clone()),
        ..ModelsRequest::default()
    });
    let footer = format!("removed {}", printable(&path.display().to_string()));
    let format = context.settings.output;
    let report = report(answer.envelope, vec![footer], format);
    print(context.ui, format, report)?;
    Ok(ExitCode::Found)
}

/// The folder of the user's own catalog.
fn own_folder() -> std::result::Result<PathBuf, Error> {
    overlay_folder().ok_or_else(|| {
        let message = "no home folder to write to";
        Error::new(ErrorCode::CatalogUnwritable, message)
    })
}
