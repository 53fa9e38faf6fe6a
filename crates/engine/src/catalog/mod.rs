//! The catalog behind answers: the embedded tables, or tables compiled with overlays.

mod accept;
pub(crate) mod builtin;
mod compiled;
mod diff;
mod handover;
mod header;
mod history;
mod own_models;
mod provider_update;
mod published;
mod shipped;
mod sources;
mod token_update;
mod update;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use jiff::civil::Date;
use sky_accel_catalog::{
    Diagnostic, OfferKey, Source, Tables, Warning, WarningKind, compile, diff, diff_facts,
    diff_offers, lint, warnings,
};
use sky_accel_core::catalog::Catalog;
use sky_accel_core::text::{printable, shortened};

use self::compiled::{CompiledFile, Folder};
use self::sources::OverlayFile;
use crate::age::days;
use crate::code::ErrorCode;
use crate::contract::{VerifyOut, WarningOut};
use crate::error::{Error, Result};

pub use self::diff::sentences;
pub use self::handover::{HandedOver, hand_over};
pub use self::own_models::{OwnModel, OwnModelRequest};
pub use self::provider_update::ProviderUpdate;
pub use self::published::{check_digest, digest_of, published_file};
pub use self::sources::{digest, fingerprint, has_files, overlay_files};
pub use self::token_update::{TokenFile, TokenUpdate};
pub use self::update::{Answers, Update, UpdateFiles};
pub use builtin::EMBEDDED;
pub use sky_accel_catalog::Change;

/// Changes that `verify` lists.
const MAX_OVERRIDES: usize = 1000;

/// Characters of a skipped table name.
const MAX_NAME: usize = 100;

/// A loaded catalog: the embedded one, or one with overlays.
pub struct Loaded(TableStorage);

/// The storage of the tables.
enum TableStorage {
    /// Embedded in the program: nothing is read or parsed.
    Program,
    /// In memory: compiled by this process.
    Memory(Box<Tables>),
    /// In a file: compiled earlier.
    File(CompiledFile),
    /// In memory: the bytes of a compiled catalog.
    Bytes(Vec<u8>),
}

impl Loaded {
    /// The embedded catalog.
    pub const EMBEDDED: Self = Self(TableStorage::Program);

    /// Applies overlays to the embedded catalog; the last overlay has precedence. Each is a TOML or CSV
    /// file, or a folder of such files. A compiled catalog replaces the embedded catalog and all overlays
    /// before it. Compiled tables are cached in the folder `compiled`; `None` disables the cache.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::CatalogUnreadable`] if an overlay cannot be read, and [`ErrorCode::CatalogInvalid`],
    /// with file, line and column, if it is invalid.
    pub fn load(overlays: &[PathBuf], compiled: Option<&Path>) -> Result<Self> {
        if overlays.is_empty() {
            return Ok(Self::EMBEDDED);
        }
        let files = sources::above_compiled(sources::list(overlays)?)?;
        let Some(folder) = compiled.and_then(Folder::at) else {
            return Self::read(&files, None);
        };
        if let Some(found) = folder.of_files(&files) {
            return Ok(Self(TableStorage::File(found)));
        }
        let turn = folder.turn();
        // Another process may have compiled them in the meantime.
        match folder.of_files(&files) {
            Some(found) => Ok(Self(TableStorage::File(found))),
            // Without the lock, nothing is stored.
            None => Self::read(&files, turn.is_some().then_some(&folder)),
        }
    }

    /// Reads the files of overlays, and compiles them unless the cache has their tables.
    fn read(files: &[OverlayFile], folder: Option<&Folder>) -> Result<Self> {
        if let [file] = files
            && file.is_compiled
        {
            let bytes = shipped::read(file)?;
            let kept = folder.and_then(|folder| folder.keep_shipped(file, &bytes));
            return Ok(Self(
                kept.map_or(TableStorage::Bytes(bytes), TableStorage::File),
            ));
        }
        let overlays = sources::read(files)?;
        if let Some(found) = folder.and_then(|folder| folder.of_sources(files, &overlays)) {
            return Ok(Self(TableStorage::File(found)));
        }
        let sources: Vec<Source> = sources::embedded().chain(overlays).collect();
        let mut tables = compile(&sources).map_err(|errors| invalid(&errors))?;
        tables.set_overrides(&EMBEDDED);
        if let Some(folder) = folder {
            folder.keep(files, &sources[sources.len() - files.len()..], &tables);
        }
        Ok(tables.into())
    }

    /// The tables of the catalog.
    pub fn catalog(&self) -> Catalog<'_> {
        match &self.0 {
            TableStorage::Program => *EMBEDDED,
            TableStorage::Memory(tables) => tables.catalog(),
            TableStorage::File(file) => file.catalog(),
            TableStorage::Bytes(bytes) => shipped::catalog(bytes).unwrap_or_default(),
        }
    }

    /// Returns true if there are no overlays.
    pub fn is_embedded(&self) -> bool {
        matches!(self.0, TableStorage::Program)
    }
}

impl From<Tables> for Loaded {
    fn from(tables: Tables) -> Self {
        Self(TableStorage::Memory(Box::new(tables)))
    }
}

/// The changes from one catalog to another; each is given by its overlays on the embedded catalog.
///
/// # Errors
///
/// The errors of [`Loaded::load`].
pub fn changes(
    before: &[PathBuf],
    after: &[PathBuf],
    compiled: Option<&Path>,
) -> Result<Vec<Change>> {
    let (before, after) = (
        Loaded::load(before, compiled)?,
        Loaded::load(after, compiled)?,
    );
    Ok(diff(&before.catalog(), &after.catalog()))
}

/// Returns the bytes of a compiled catalog.
pub fn to_bytes(loaded: &Loaded) -> Vec<u8> {
    shipped::to_bytes(&loaded.catalog())
}

/// Checks a catalog with these overlays more thoroughly than [`Loaded::load`], and counts its entries. Ages
/// are relative to `today`.
///
/// # Errors
///
/// [`ErrorCode::CatalogFault`] with all faults, and the errors of [`Loaded::load`].
pub fn verify(overlays: &[PathBuf], today: Date) -> Result<(Loaded, VerifyOut)> {
    let sources = sources::with_embedded(overlays)?;
    let mut tables = compile(&sources).map_err(|errors| invalid(&errors))?;
    let catalog = tables.catalog();
    let faults = lint(&sources, &catalog, &EMBEDDED, &|date| days(today, date));
    if !faults.is_empty() {
        return Err(Error::files(ErrorCode::CatalogFault, &faults));
    }
    tables.set_overrides(&EMBEDDED);
    let catalog = tables.catalog();
    let embedded = EMBEDDED.offers.iter();
    let embedded = embedded.map(|offer| OfferKey::of(&EMBEDDED, &offer));
    let mut changed = diff_facts(&EMBEDDED, &catalog);
    changed.extend(diff_offers(&EMBEDDED, &catalog, embedded));
    changed.retain(|change| !change.kind.is_addition());
    let mut overrides = sentences(&changed);
    let more = overrides.len().saturating_sub(MAX_OVERRIDES);
    overrides.truncate(MAX_OVERRIDES);
    if more > 0 {
        overrides.push(format!("and {more} more"));
    }
    let left_out = tables.left_out.iter();
    let left_out = left_out.map(|name| shortened(&printable(name), MAX_NAME).into_owned());
    let counts = VerifyOut {
        valid: true,
        accelerators: catalog.accelerators.len(),
        names: catalog.names.len(),
        providers: catalog.providers.len(),
        offers: catalog.offers.len(),
        models: catalog.models.len(),
        prices: catalog.prices.len(),
        left_out: left_out.collect(),
        providers_without_link: without_link(&catalog),
        overrides,
        warnings: new_warnings(&catalog, !overlays.is_empty(), today),
    };
    Ok((tables.into(), counts))
}

/// Returns the warnings about a catalog. With overlays, only the warnings that the overlays cause: prices that make the
/// prices of an embedded provider look old say nothing about the overlays, and their own prices have a maximum age.
fn new_warnings(catalog: &Catalog<'_>, has_overlays: bool, today: Date) -> Vec<WarningOut> {
    let today = today.to_string();
    let mut found = warnings(catalog, &today);
    if has_overlays {
        let known: BTreeSet<Warning> = warnings(&EMBEDDED, &today).into_iter().collect();
        found.retain(|warning| warning.kind != WarningKind::OldPrices && !known.contains(warning));
    } else {
        // Vendors publish no rates of old devices, which no provider sells any more.
        let is_unsold = |warning: &Warning| warning.provider.is_empty();
        found.retain(|warning| warning.kind != WarningKind::MissingRate || !is_unsold(warning));
    }
    found.into_iter().map(WarningOut::from).collect()
}

/// Returns the ids of the providers whose offers have no link to a page.
fn without_link(catalog: &Catalog<'_>) -> Vec<String> {
    let rows = catalog.providers.iter().filter(|row| row.link.len == 0);
    rows.map(|row| catalog.str(row.id).to_owned()).collect()
}

/// Compiles files that were compiled before.
fn compiled_tables(sources: &[Source]) -> Result<Tables> {
    compile(sources).map_err(|errors| invalid(&errors))
}

/// Creates an error from catalog diagnostics.
pub fn invalid(errors: &[Diagnostic]) -> Error {
    Error::files(ErrorCode::CatalogInvalid, errors)
}
