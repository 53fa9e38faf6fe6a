//! `catalog update --from FILE`: the newer offers and prices of a published catalog.

use sky_accel_engine::asking::Session;
use sky_accel_engine::catalog::{Update, UpdateFiles, check_digest, published_file};
use sky_accel_engine::{Error, ErrorCode};

use super::super::live::with_progress;
use super::options::{UpdateOptions, asked};
use crate::cli::{PublishedCatalog, UpdateSource};
use crate::ctrl_c::EndsOnCtrlC;
use crate::settings::Settings;
use crate::ui::Ui;

/// Returns the published catalog among the sources; `None` for other sources.
pub(super) fn published(args: &UpdateOptions) -> Result<Option<&PublishedCatalog>, Error> {
    let published = args.from.iter().find_map(|source| match source {
        UpdateSource::Listed(_) => None,
        UpdateSource::Published(place) => Some(place),
    });
    let why = match published {
        Some(_) if args.from.len() > 1 => "a published catalog is the only source of an update",
        None if args.digest.is_some() => {
            "`digest` is for a published catalog: name its file with `from`"
        }
        _ => return Ok(published),
    };
    Err(Error::new(ErrorCode::Usage, why))
}

/// Returns the name of a published catalog, as the user wrote it.
pub(super) fn name(place: &PublishedCatalog) -> String {
    match place {
        PublishedCatalog::File(path) => super::paths::shown(path),
        PublishedCatalog::Address(address) => sky_accel_core::text::printable(address),
    }
}

/// Reads a published catalog, and returns the files of the update.
pub(super) fn files(
    update: &Update,
    place: &PublishedCatalog,
    args: &UpdateOptions,
    settings: &Settings,
    ui: &mut Ui,
) -> Result<UpdateFiles, Error> {
    let bytes = match place {
        PublishedCatalog::File(path) => published_file(path)?,
        PublishedCatalog::Address(address) => {
            let session = Session::new().allowing_plain_http(settings.insecure);
            with_progress(ui, |progress| {
                session.published_catalog(address, args.timeout, progress)
            })?
        }
    };
    if let Some(expected) = &args.digest {
        check_digest(&bytes, expected)?;
    }
    let catalog = update.catalog();
    let providers = asked(&catalog, settings, &args.providers)?;
    let providers: Vec<&str> = providers
        .iter()
        .map(|id| catalog.provider_id(*id))
        .collect();
    let _ends = EndsOnCtrlC::new();
    update.published_files(&bytes, &providers, settings.today())
}
