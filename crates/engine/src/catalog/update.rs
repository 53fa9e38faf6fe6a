//! Updates: the answers of providers as files of an overlay, one for each provider.

use std::path::{Path, PathBuf};

use sky_accel_catalog::{Change, Fresh, Layer, Origin, Source, compile, diff, overlay};
use sky_accel_core::bind::Wanted;
use sky_accel_core::catalog::{Catalog, ProviderId};
use sky_accel_core::money::Count;
use sky_accel_core::resolve::CapacityFilter;
use sky_accel_core::spec::CountRange;
use sky_accel_live::{Answer, Live, LiveRequest, Outcome, Progress, Session};

use super::{Loaded, has_files, invalid, sources};
use crate::contract::{NoteOut, UpdateStatus};
use crate::error::Result;
use crate::live::problems;

/// The source of every price in an update; it tells them from the user's entries.
const SOURCE: &str = "asked by sky-accel catalog update";
/// The start of the name of each file.
const PREFIX: &str = "live-";

/// An overlay to be updated, and the catalog with it.
pub struct Update {
    folder: PathBuf,
    overlays: Vec<PathBuf>,
    loaded: Loaded,
}

/// The update of one provider.
#[derive(Debug)]
pub struct ProviderUpdate {
    /// The id of the provider.
    pub provider: String,
    /// The outcome.
    pub status: UpdateStatus,
    /// The file to write, and its place; `None` where the provider gave no answer.
    pub file: Option<(PathBuf, Fresh)>,
    /// The changes of the catalog once the file is written.
    pub changes: Vec<Change>,
    /// The errors of the provider; empty when there are none.
    pub errors: Vec<NoteOut>,
}

impl Update {
    /// Prepares the update of the overlay in a folder, under the overlays that are in use. Earlier
    /// answers in the folder count even if it is not one of them.
    ///
    /// # Errors
    ///
    /// As [`Loaded::load`].
    pub fn open(folder: &Path, overlays: &[PathBuf], compiled: Option<&Path>) -> Result<Self> {
        let mut overlays = overlays.to_vec();
        if has_files(folder) && !overlays.iter().any(|overlay| overlay == folder) {
            overlays.push(folder.to_owned());
        }
        Ok(Self {
            folder: folder.to_owned(),
            loaded: Loaded::load(&overlays, compiled)?,
            overlays,
        })
    }

    /// The catalog before the update.
    pub fn catalog(&self) -> Catalog<'_> {
        self.loaded.catalog()
    }

    /// Asks providers for everything that they sell; the time, the cache and the permissions are those
    /// of `request`.
    ///
    /// # Errors
    ///
    /// As [`Session::ask`].
    pub fn ask(
        &self,
        session: &Session,
        providers: &[ProviderId],
        request: &LiveRequest,
        progress: &dyn Fn(Progress<'_>),
    ) -> Result<Live> {
        let catalog = self.catalog();
        let everything = Wanted::any_with_memory(&catalog, CountRange::at_least(Count(1)));
        let request = LiveRequest {
            capacity_filter: CapacityFilter::Any,
            at_least: true,
            widely: true,
            ..request.clone()
        };
        Ok(session.ask(&catalog, &[&everything], providers, &request, progress)?)
    }

    /// The files that hold the answers. `day` is their date, such as `2026-11-20`. Nothing is
    /// written.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::CatalogInvalid`](crate::ErrorCode::CatalogInvalid) when the catalog would not
    /// pass its checks with an answer, and the errors of [`Loaded::load`].
    pub fn files(&self, live: &Live, day: &str) -> Result<Vec<ProviderUpdate>> {
        let mut sources = sources::with_embedded(&self.overlays)?;
        // Prices of an earlier update are no reason to write fewer now.
        let users = sources.iter().filter(|source| !self.wrote(&source.file));
        let users: Vec<_> = users.cloned().collect();
        let known = compile(&users).map_err(|errors| invalid(&errors))?;
        let mut before = compile(&sources).map_err(|errors| invalid(&errors))?;
        let mut updates = Vec::new();
        for answer in &live.answers {
            let provider = self.catalog().provider_id(answer.provider).to_owned();
            let mut update = ProviderUpdate {
                status: status(answer),
                file: None,
                changes: Vec::new(),
                errors: problems(answer),
                provider,
            };
            if let Outcome::Answered { .. } = answer.outcome {
                let origin = Origin {
                    provider: answer.provider,
                    source: SOURCE,
                    day,
                    is_complete: answer.problems.is_empty(),
                };
                let live = live.tables.catalog();
                let fresh = overlay(&known.catalog(), &self.catalog(), &live, origin);
                let path = self
                    .folder
                    .join(format!("{PREFIX}{}.toml", update.provider));
                let name = path.display().to_string();
                let same = sources.iter().position(|source| source.file == name);
                let last = sources.iter().map(|source| source.layer.0).max();
                let layer = same.map_or(Layer(last.unwrap_or_default() + 1), |at| {
                    sources.remove(at).layer
                });
                sources.push(Source::toml(layer, &name, fresh.text.clone()));
                sources.sort_by_key(|source| source.layer);
                let after = compile(&sources).map_err(|errors| invalid(&errors))?;
                update.changes = diff(&before.catalog(), &after.catalog());
                update.file = Some((path, fresh));
                before = after;
            }
            updates.push(update);
        }
        Ok(updates)
    }

    /// Whether an earlier update wrote a file.
    fn wrote(&self, file: &str) -> bool {
        let file = Path::new(file);
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        file.parent() == Some(&*self.folder) && name.starts_with(PREFIX)
    }
}

fn status(answer: &Answer) -> UpdateStatus {
    match &answer.outcome {
        Outcome::Failed(_) => UpdateStatus::Failed,
        Outcome::NotAsked(_) => UpdateStatus::NotAsked,
        Outcome::FromCatalog => UpdateStatus::NoLiveSource,
        Outcome::Answered { .. } if answer.problems.is_empty() => UpdateStatus::Updated,
        Outcome::Answered { .. } => UpdateStatus::Partial,
    }
}
