//! `catalog update`: requests all offers from the providers and writes them to an overlay of the user, one file for
//! each provider. A file is replaced atomically.

use std::time::Instant;

use sky_accel_core::catalog::ProviderId;
use sky_accel_core::text::counted;
use sky_accel_engine::asking::{Aggregator, Cache, CacheMode, LiveRequest, Session};
use sky_accel_engine::catalog::{
    Answers, ProviderUpdate, Update as CatalogUpdate, UpdateFiles, sentences,
};
use sky_accel_engine::contract::{
    DifferenceOut, Envelope, UpdateFrom, UpdateOut, UpdateRequest, UpdateStatus,
};
use sky_accel_engine::{Error, ErrorCode};
use sky_accel_files::remove;
use sky_accel_files::write::Access;

use super::super::live::with_progress;
use super::options::{UpdateOptions, asked, filter};
use super::own_folder::{access, lock, unwritable, write_file};
use super::update_report::{CSV, SHOWN, page};
use super::{published, token_prices};
use crate::cli::{PublishedCatalog, UpdateSource};
use crate::context::Result;
use crate::ctrl_c::EndsOnCtrlC;
use crate::exit_code::ExitCode;
use crate::render::{Report, print};
use crate::settings::{Settings, cache_folder, compiled_folder, overlay_folder};
use crate::ui::Ui;

pub(super) fn run(args: &UpdateOptions, settings: &Settings, ui: &mut Ui) -> Result<ExitCode> {
    let Some(folder) = args.into.clone().or_else(overlay_folder) else {
        let message = "no home folder to write to";
        let error = Error::new(ErrorCode::CatalogUnwritable, message);
        return Err(error.advise("set the folder with --into").into());
    };
    let published = published::published(args)?;
    let is_local = matches!(published, Some(PublishedCatalog::File(_)));
    if settings.offline && !is_local {
        let message = "catalog update needs the network, which --offline disables";
        return Err(Error::new(ErrorCode::Offline, message).into());
    }
    settings.check_catalogs()?;
    let start = Instant::now();
    let held = if args.dry_run {
        None
    } else {
        Some(lock(&folder, args.into.is_none(), ui)?)
    };
    let update = CatalogUpdate::open(&folder, &settings.overlays, compiled_folder().as_deref())
        .map_err(|error| settings.without_quotes(error))?
        .until(start + args.timeout * args.from.len().max(1) as u32);
    let catalog = update.catalog();
    let providers = asked(&catalog, settings, &args.providers)?;
    let mut from: Vec<UpdateFrom> = args.from.iter().map(UpdateFrom::from).collect();
    from.sort_unstable();
    from.dedup();
    if let Some(feeds) = token_prices::feeds(&from)? {
        let results = token_prices::run(&update, &feeds, (args, settings), ui)?;
        drop(held);
        return Ok(results);
    }
    let (answers, files) = if let Some(source) = published {
        let files = published::files(&update, source, args, settings, ui);
        (Vec::new(), files)
    } else {
        let answers = answers(&update, &providers, &from, args, settings, ui)?;
        let _ends = EndsOnCtrlC::new();
        let files = update.files(&answers, settings.today());
        (answers, files)
    };
    let UpdateFiles {
        updates,
        history,
        notes,
    } = files.map_err(|error| settings.without_quotes(error))?;
    let outcome = UpdateSummary::of(&updates);
    let of_updates = updates.iter().flat_map(ProviderUpdate::notes);
    let update_notes: Vec<_> = notes.into_iter().chain(of_updates).collect();
    let results = write(updates, access(args.into.is_none()), args.dry_run)?;
    if let Some((file, text)) = history.filter(|_| !args.dry_run) {
        write_file(&file, &text, access(args.into.is_none()))?;
    }
    drop(held);
    let mut exit_code = outcome.exit_code();
    if let Some(partial) = Error::partial(answers.iter().map(|answers| &answers.live)) {
        ui.error(&partial, settings.output.is_json())?;
        if exit_code == ExitCode::Found {
            exit_code = partial.kind.into();
        }
    }
    let live_notes = answers
        .iter()
        .flat_map(|answers| answers.live.notes.clone());
    let mut notes: Vec<_> = live_notes.collect();
    let mut footer = outcome.footer(args.dry_run);
    // Every reason is printed; a table shows only the first notes.
    if settings.output.is_document() {
        notes.extend(update_notes);
    } else {
        footer.extend(update_notes.into_iter().map(|note| note.message));
    }
    let request = UpdateRequest {
        from,
        published: published.map(published::name),
        providers: providers
            .iter()
            .map(|id| catalog.provider_id(*id).to_owned())
            .collect(),
        into: super::paths::shown(&folder),
        dry_run: args.dry_run,
    };
    let mut lines = outcome.lines;
    lines.truncate(SHOWN);
    let report = Report {
        envelope: Envelope::new("sky-accel.catalog-update.v1", &catalog, request, results)
            .with_notes(notes),
        csv: CSV,
        names: Vec::new(),
        page: Box::new(move |results: &[UpdateOut], _| page(results, lines)),
        footer: footer.into(),
        exit_code,
    };
    Ok(print(ui, settings.output, report)?)
}

/// Queries the sources for offers.
fn answers(
    update: &CatalogUpdate,
    providers: &[ProviderId],
    from: &[UpdateFrom],
    args: &UpdateOptions,
    settings: &Settings,
    ui: &mut Ui,
) -> Result<Vec<Answers>> {
    let session = Session::new().allowing_plain_http(settings.insecure);
    let request = LiveRequest {
        timeout: args.timeout,
        cache: Cache {
            folder: cache_folder(),
            mode: CacheMode::Refresh,
            max_age: None,
        },
        public: args.public.clone(),
        required: filter(settings, &args.providers).providers_by_name(&update.catalog()),
        ..LiveRequest::default()
    };
    let mut answers = Vec::new();
    for source in from {
        let request = LiveRequest {
            aggregator: aggregator(*source),
            ..request.clone()
        };
        let live = with_progress(ui, |progress| {
            update.ask(&session, providers, &request, progress)
        })?;
        answers.push(Answers {
            aggregator: request.aggregator,
            live,
        });
    }
    match Error::unanswered(answers.iter().map(|answers| &answers.live)) {
        Some(error) => Err(error.into()),
        None => Ok(answers),
    }
}

fn is_of_aggregator(source: UpdateFrom) -> bool {
    aggregator(source).is_some()
}

fn aggregator(source: UpdateFrom) -> Option<Aggregator> {
    match source {
        UpdateFrom::Providers
        | UpdateFrom::Published
        | UpdateFrom::Litellm
        | UpdateFrom::GenaiPrices => None,
        UpdateFrom::Gpuhunt => Some(Aggregator::GpuHunt),
        UpdateFrom::Skypilot => Some(Aggregator::SkyPilot),
    }
}

impl From<&UpdateSource> for UpdateFrom {
    fn from(source: &UpdateSource) -> Self {
        match source {
            UpdateSource::Listed(from) => *from,
            UpdateSource::Published(_) => Self::Published,
        }
    }
}

/// The summary of an update.
struct UpdateSummary {
    /// A line for each change.
    lines: Vec<String>,
    /// The number of prices that were left out.
    left_out: usize,
    /// The number of an aggregator's prices that other prices supersede.
    superseded: usize,
    /// True if any provider answered with offers.
    has_answer: bool,
    /// True if any provider keeps its old rows.
    has_failed: bool,
}

impl UpdateSummary {
    fn of(updates: &[ProviderUpdate]) -> Self {
        let files = || updates.iter().filter_map(|update| update.file.as_ref());
        Self {
            lines: updates
                .iter()
                .flat_map(|update| sentences(&update.changes))
                .collect(),
            left_out: files().map(|(_, fresh)| fresh.left_out.rows()).sum(),
            superseded: files().map(|(_, fresh)| fresh.superseded).sum(),
            has_answer: files().next().is_some(),
            has_failed: updates
                .iter()
                .any(|update| update.status == UpdateStatus::Failed),
        }
    }

    fn exit_code(&self) -> ExitCode {
        match (self.has_failed, self.has_answer) {
            (false, _) => ExitCode::Found,
            (true, true) => ExitCode::Partial,
            (true, false) => ExitCode::Provider,
        }
    }

    fn footer(&self, dry_run: bool) -> Vec<String> {
        let mut footer = Vec::new();
        if self.lines.len() > SHOWN {
            footer.push(format!(
                "{}: `sky-accel catalog diff` lists them all",
                counted(self.lines.len() - SHOWN, "more change")
            ));
        } else if self.lines.is_empty() && self.has_answer {
            footer.push("only dates changed".to_owned());
        }
        if self.left_out > 0 {
            footer.push(format!("{} left out", counted(self.left_out, "row")));
        }
        if self.superseded > 0 {
            footer.push(format!(
                "{} of aggregators skipped: newer prices of the provider or of a preferred aggregator exist",
                counted(self.superseded, "price")
            ));
        }
        if dry_run || !self.has_answer {
            footer.push("nothing was written".to_owned());
        }
        footer
    }
}

/// Writes the files, and returns the results.
fn write(
    updates: Vec<ProviderUpdate>,
    access: Access,
    dry_run: bool,
) -> std::result::Result<Vec<UpdateOut>, Error> {
    let mut results = Vec::new();
    for update in updates {
        let mut path = None;
        if let Some((file, fresh)) = update.file.as_ref().filter(|_| !dry_run) {
            // No file is removed before the file that supersedes it is complete.
            write_file(file, &fresh.text, access)?;
            for path in &update.removed {
                remove(path).map_err(|error| unwritable(path, &error))?;
            }
            path = Some(super::paths::shown(file));
        }
        let fresh = update.file.map(|(_, fresh)| fresh).unwrap_or_default();
        results.push(UpdateOut {
            provider: update.provider,
            from: update.from,
            status: update.status,
            path,
            types: fresh.types,
            prices: fresh.prices,
            kept: fresh.kept,
            superseded: is_of_aggregator(update.from).then_some(fresh.superseded),
            errors: update.errors,
            changes: update.changes.iter().map(DifferenceOut::from).collect(),
        });
    }
    Ok(results)
}
