//! `catalog update`: asks the providers for everything that they sell, and writes the answers to an
//! overlay of the user: one file for each provider, replaced whole or not at all.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use sky_accel_catalog::{Change, Fresh, Layer, Origin, compile, diff, overlay, parse};
use sky_accel_core::bind::Wanted;
use sky_accel_core::catalog::{Catalog, ProviderId};
use sky_accel_core::money::Count;
use sky_accel_core::resolve::CapacityFilter;
use sky_accel_core::spec::CountRange;
use sky_accel_engine::asking::{Answer, Cache, CacheMode, Live, LiveRequest, Outcome, Session};
use sky_accel_engine::catalog::{Loaded, documents, has_files, invalid};
use sky_accel_engine::contract::{Envelope, NoteOut};
use sky_accel_engine::{Error, ErrorCode, OfferFilter};

use super::super::Result;
use super::super::live::with_progress;
use super::diff::{DifferenceOut, sentences};
use crate::exit_code::ExitCode;
use crate::files;
use crate::render::{Block, Column, Page, Report, RowStyle, Table, print};
use crate::settings::{Settings, cache_folder, overlay_folder};
use crate::ui::Ui;

/// The source of every price written here; it tells them from the user's entries.
const SOURCE: &str = "asked by sky-accel catalog update";
/// How the names of the files begin.
const WRITTEN: &str = "live-";
/// Lines on what changed.
const SHOWN: usize = 30;

/// The options of an update.
pub(super) struct Update {
    pub providers: Vec<String>,
    pub into: Option<PathBuf>,
    pub dry_run: bool,
    pub timeout: u32,
}

/// The question as it was understood.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UpdateRequest {
    pub providers: Vec<String>,
    pub into: String,
    pub dry_run: bool,
}

/// The outcome for one provider.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UpdateOut {
    pub provider: String,
    /// `failed`: all that was known stands, with its date; `partial`: so does what was not answered.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["updated", "partial", "failed", "no-live-source"])))]
    pub status: &'static str,
    /// The overlay's file, where it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    pub types: usize,
    pub prices: usize,
    /// Prices of an earlier update that were not answered this time, with their old dates.
    pub kept: usize,
    pub errors: Vec<NoteOut>,
    pub changes: Vec<DifferenceOut>,
}

pub(super) fn run(args: &Update, settings: &Settings, ui: &mut Ui) -> Result<ExitCode> {
    let Some(folder) = args.into.clone().or_else(overlay_folder) else {
        let message = "there is no home folder to write to";
        let error = Error::new(ErrorCode::CatalogUnwritable, message);
        return Err(error.advise("say where with --into").into());
    };
    if settings.offline {
        let message = "catalog update asks the providers, and --offline forbids it";
        return Err(Error::new(ErrorCode::Offline, message).into());
    }
    let lock = if args.dry_run {
        None
    } else {
        Some(locked(&folder, ui)?)
    };
    // An earlier answer counts also where it is written for others.
    let mut overlays = settings.overlays.clone();
    if has_files(&folder) && !overlays.contains(&folder) {
        overlays.push(folder.clone());
    }
    let loaded = Loaded::load(&overlays)?;
    let catalog = loaded.catalog();
    let providers = asked(&catalog, settings, &args.providers)?;
    let live = ask(&catalog, &providers, args, settings, ui)?;
    if let Some(error) = Error::unanswered(&live) {
        return Err(error.into());
    }
    let outcome = Overlays {
        folder: &folder,
        paths: &overlays,
        catalog: &catalog,
        dry_run: args.dry_run,
        today: settings.today().to_string(),
    }
    .update(&live)?;
    drop(lock);
    let mut exit_code = ExitCode::Found;
    if let Some(partial) = Error::partial(&live) {
        ui.error(&partial, settings.output.is_json())?;
        exit_code = partial.kind.into();
    }
    let request = UpdateRequest {
        providers: providers
            .iter()
            .map(|id| catalog.provider_id(*id).to_owned())
            .collect(),
        into: super::shown(&folder),
        dry_run: args.dry_run,
    };
    let footer = outcome.footer(args.dry_run);
    let Updated {
        results, mut lines, ..
    } = outcome;
    lines.truncate(SHOWN);
    let report = Report {
        envelope: Envelope::new("sky-accel.catalog-update.v1", &catalog, request, results)
            .with_notes(live.notes.clone()),
        csv: &["provider", "status", "path", "types", "prices", "kept"],
        names: Vec::new(),
        page: Box::new(move |results: &[UpdateOut], _| page(results, lines)),
        footer,
        exit_code,
    };
    Ok(print(ui, settings.output, report)?)
}

/// The overlays that are updated.
struct Overlays<'o, 'c> {
    folder: &'o Path,
    paths: &'o [PathBuf],
    /// With all overlays.
    catalog: &'o Catalog<'c>,
    dry_run: bool,
    today: String,
}

/// The outcome of an update.
#[derive(Default)]
struct Updated {
    results: Vec<UpdateOut>,
    /// The changes in words.
    lines: Vec<String>,
    /// Prices that were left out.
    left_out: usize,
    /// Whether any provider gave something to write.
    has_answer: bool,
}

impl Overlays<'_, '_> {
    /// Writes the answer of each provider, and tells what changed.
    fn update(&self, live: &Live) -> std::result::Result<Updated, Error> {
        // Files of an earlier update are no reason to write less now.
        let mut others = documents(self.paths)?;
        others.retain(|document| !is_written_here(self.folder, &document.file));
        let known = compile(&others).map_err(|errors| invalid(&errors))?;
        let mut updated = Updated::default();
        for answer in &live.answers {
            let id = self.catalog.provider_id(answer.provider).to_owned();
            let file = self.folder.join(format!("{WRITTEN}{id}.toml"));
            let fresh = fresh(&known.catalog(), self.catalog, live, answer, &self.today);
            let mut changes: Vec<Change> = Vec::new();
            let mut path = None;
            if let Some(fresh) = &fresh {
                updated.has_answer = true;
                updated.left_out += fresh.left_out;
                changes = moved(self.catalog, self.paths, &file, fresh)?;
                if !self.dry_run {
                    write(self.folder, &file, fresh.text.as_bytes())?;
                    path = Some(super::shown(&file));
                }
            }
            updated.lines.extend(sentences(&changes));
            let fresh = fresh.unwrap_or_default();
            updated.results.push(UpdateOut {
                provider: id,
                status: status(answer),
                path,
                types: fresh.types,
                prices: fresh.prices,
                kept: fresh.kept,
                errors: errors(answer),
                changes: DifferenceOut::list(&changes),
            });
        }
        Ok(updated)
    }
}

impl Updated {
    fn footer(&self, dry_run: bool) -> Vec<String> {
        let mut footer = Vec::new();
        if self.lines.len() > SHOWN {
            footer.push(format!(
                "{} more changes: `sky-accel catalog diff` lists them all",
                self.lines.len() - SHOWN
            ));
        } else if self.lines.is_empty() && self.has_answer {
            footer.push("nothing changed but the dates".to_owned());
        }
        if self.left_out > 0 {
            footer.push(format!(
                "{} left out: spot prices above on-demand, and names that cannot be printed",
                self.left_out
            ));
        }
        if dry_run || !self.has_answer {
            footer.push("nothing was written".to_owned());
        }
        footer
    }
}

fn status(answer: &Answer) -> &'static str {
    match &answer.outcome {
        Outcome::Failed(_) => "failed",
        Outcome::FromCatalog => "no-live-source",
        Outcome::Answered { .. } if answer.problems.is_empty() => "updated",
        Outcome::Answered { .. } => "partial",
    }
}

fn errors(answer: &Answer) -> Vec<NoteOut> {
    let failure = match &answer.outcome {
        Outcome::Failed(error) => Some(error),
        _ => None,
    };
    let errors = failure.into_iter().chain(&answer.problems);
    errors
        .map(|error| NoteOut {
            code: error.kind.code().to_owned(),
            message: error.message.clone(),
            is_detail: false,
        })
        .collect()
}

fn page(results: &[UpdateOut], lines: Vec<String>) -> Page {
    let mut table = Table::new([
        Column::left("PROVIDER", 0),
        Column::left("STATUS", 0),
        Column::right("TYPES", 0),
        Column::right("PRICES", 0),
        Column::right("KEPT", 1),
        Column::left("FILE", 2),
    ]);
    for row in results {
        let [types, prices, kept] = [row.types, row.prices, row.kept].map(|n| n.to_string());
        let file = row.path.clone().unwrap_or_default();
        let cells = [
            row.provider.clone(),
            row.status.to_owned(),
            types,
            prices,
            kept,
            file,
        ];
        table.row(RowStyle::Plain, cells);
    }
    let lines = lines.into_iter().map(Block::Text);
    Page {
        blocks: std::iter::once(Block::Table(table)).chain(lines).collect(),
    }
}

fn asked(
    catalog: &Catalog<'_>,
    settings: &Settings,
    names: &[String],
) -> std::result::Result<Vec<ProviderId>, Error> {
    let names = if names.is_empty() {
        &settings.offers.provider
    } else {
        names
    };
    let filter = OfferFilter {
        providers: names.to_vec(),
        ..OfferFilter::default()
    };
    filter.providers_or_all(catalog)
}

fn ask(
    catalog: &Catalog<'_>,
    providers: &[ProviderId],
    args: &Update,
    settings: &Settings,
    ui: &mut Ui,
) -> std::result::Result<Live, Error> {
    // Everything that anybody sells.
    let wanted = Wanted::any_with_memory(catalog, CountRange::at_least(Count(1)));
    let request = LiveRequest {
        capacity_filter: CapacityFilter::Any,
        at_least: true,
        widely: true,
        timeout: Duration::from_secs(args.timeout.into()),
        cache: Cache {
            folder: cache_folder(),
            mode: if settings.offline {
                CacheMode::Only
            } else {
                CacheMode::Refresh
            },
            max_age: None,
        },
        ..LiveRequest::default()
    };
    let session = Session::new();
    let live = with_progress(ui, |progress| {
        session.ask(catalog, &[&wanted], providers, &request, progress)
    });
    Ok(live?)
}

/// The overlay of a provider that answered.
fn fresh(
    known: &Catalog<'_>,
    earlier: &Catalog<'_>,
    live: &Live,
    answer: &Answer,
    day: &str,
) -> Option<Fresh> {
    let Outcome::Answered { .. } = answer.outcome else {
        return None;
    };
    let origin = Origin {
        provider: answer.provider,
        source: SOURCE,
        day,
        is_complete: answer.problems.is_empty(),
    };
    Some(overlay(known, earlier, &live.tables.catalog(), origin))
}

fn is_written_here(folder: &Path, file: &str) -> bool {
    let file = Path::new(file);
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    file.parent() == Some(folder) && name.starts_with(WRITTEN)
}

/// The changes that a file's new text makes; an error if the catalog would not pass its checks with
/// it.
fn moved(
    catalog: &Catalog<'_>,
    overlays: &[PathBuf],
    file: &Path,
    fresh: &Fresh,
) -> std::result::Result<Vec<Change>, Error> {
    let name = file.display().to_string();
    let mut documents = documents(overlays)?;
    let layer = documents
        .iter()
        .find(|document| document.file == name)
        .map(|document| document.layer);
    let last = documents.iter().map(|document| document.layer).max();
    let layer = layer.unwrap_or(Layer(last.map_or(1, |layer| layer.0 + 1)));
    documents.retain(|document| document.file != name);
    documents.push(parse(layer, &name, &fresh.text).map_err(|error| invalid(&[error]))?);
    documents.sort_by_key(|document| document.layer);
    let tables = compile(&documents).map_err(|errors| invalid(&errors))?;
    Ok(diff(catalog, &tables.catalog()))
}

/// Only one update is at work in a folder; a second one waits for it.
fn locked(folder: &Path, ui: &mut Ui) -> Result<File> {
    let unwritable = |error: &dyn std::fmt::Display| unwritable(folder, error);
    fs::create_dir_all(folder).map_err(|error| unwritable(&error))?;
    let lock = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(folder.join(".lock"))
        .map_err(|error| unwritable(&error))?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            ui.footer("another update is at work: waiting for it")?;
            lock.lock().map_err(|error| unwritable(&error))?;
        }
        Err(TryLockError::Error(error)) => return Err(unwritable(&error).into()),
    }
    // What an update left that was killed.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_string_lossy().starts_with(files::TEMPORARY) {
            let _ = fs::remove_file(entry.path());
        }
    }
    // Nobody is asked in vain.
    files::prepared(folder, b"", 0o644).map_err(|error| unwritable(&error))?;
    Ok(lock)
}

fn write(folder: &Path, file: &Path, text: &[u8]) -> std::result::Result<(), Error> {
    let ready = files::prepared(folder, text, 0o644).map_err(|error| unwritable(file, &error))?;
    ready
        .persist(file)
        .map_err(|error| unwritable(file, &error.error))?;
    Ok(())
}

fn unwritable(path: &Path, why: &dyn std::fmt::Display) -> Error {
    let message = format!("cannot write {}: {why}", path.display());
    Error::new(ErrorCode::CatalogUnwritable, message)
}
