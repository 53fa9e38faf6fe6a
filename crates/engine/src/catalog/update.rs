//! Updates: answers of providers as overlay files, one per provider.

use std::path::{Path, PathBuf};
use std::time::Instant;

use jiff::ToSpan as _;
use jiff::civil::Date;
use sky_accel_catalog::{Layer, Origin, Precedence, Source, diff, overlay};
use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::{Catalog, ProviderId};
use sky_accel_core::money::Count;
use sky_accel_core::note::Note;
use sky_accel_core::resolve::CapacityFilter;
use sky_accel_core::spec::CountRange;
use sky_accel_live::{
    Aggregator, ErrorKind, Live, LiveRequest, Progress, ProviderAnswer, QueryOutcome, Session,
    source_name,
};

use super::accept::{accepted, with_updates};
use super::provider_update::ProviderUpdate;
use super::{Loaded, compiled_tables, has_files, history, sources};
use crate::contract::{UpdateFrom, UpdateStatus};
use crate::error::Result;
use crate::live::problems;

/// The end of the source of every price of an update, which distinguishes it from the user's entries.
pub(super) const READ_BY: &str = ", read by sky-accel catalog update";
/// The file name prefix for answers of providers.
const PROVIDER_PREFIX: &str = "live-";

/// The file name prefix for newer rows of a published catalog. These names sort after the names of provider files.
pub(super) const PUBLISHED_PREFIX: &str = "via-published-";

/// An overlay to update, and its catalog.
pub struct Update {
    folder: PathBuf,
    overlays: Vec<PathBuf>,
    /// The overlay folder's layer.
    layer: Layer,
    loaded: Loaded,
    /// The end of the time limit.
    until: Option<Instant>,
}

/// Answers and their origin.
pub struct Answers {
    /// The aggregator that provided them; `None` for the providers.
    pub aggregator: Option<Aggregator>,
    /// The answers.
    pub live: Live,
}

/// The files of an update.
pub struct UpdateFiles {
    /// The update of each provider.
    pub updates: Vec<ProviderUpdate>,
    /// The history of prices, continued, with its path; `None` if nothing new was seen.
    pub history: Option<(PathBuf, String)>,
    /// Notes about the whole update.
    pub notes: Vec<Note>,
}

impl Update {
    /// Prepares the update of the overlay in a folder, on top of the overlays in use. Earlier answers in
    /// the folder are considered even if the folder is not in use.
    ///
    /// # Errors
    ///
    /// The errors of [`Loaded::load`].
    pub fn open(folder: &Path, overlays: &[PathBuf], compiled: Option<&Path>) -> Result<Self> {
        let mut overlays = overlays.to_vec();
        if has_files(folder) && !overlays.iter().any(|overlay| overlay == folder) {
            overlays.push(folder.to_owned());
        }
        let at = overlays.iter().position(|overlay| overlay == folder);
        Ok(Self {
            folder: folder.to_owned(),
            layer: Layer::overlay(at.unwrap_or(overlays.len())),
            loaded: Loaded::load(&overlays, compiled)?,
            overlays,
            until: None,
        })
    }

    /// Sets the time until which rejected rows are left out; later, a provider with such rows keeps its old rows.
    #[must_use]
    pub fn until(self, until: Instant) -> Self {
        Self {
            until: Some(until),
            ..self
        }
    }

    pub(super) fn time_limit(&self) -> Option<Instant> {
        self.until
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn layer(&self) -> Layer {
        self.layer
    }

    pub(super) fn overlays(&self) -> &[PathBuf] {
        &self.overlays
    }

    /// The catalog before the update.
    pub fn catalog(&self) -> Catalog<'_> {
        self.loaded.catalog()
    }

    /// Queries providers for all their offers; the time, the cache and the permissions are taken from
    /// `request`.
    ///
    /// # Errors
    ///
    /// The errors of [`Session::ask`].
    pub fn ask(
        &self,
        session: &Session,
        providers: &[ProviderId],
        request: &LiveRequest,
        progress: &dyn Fn(Progress<'_>),
    ) -> Result<Live> {
        let catalog = self.catalog();
        let everything = BoundChoice::any_with_memory(&catalog, CountRange::at_least(Count(1)));
        let request = LiveRequest {
            capacity_filter: CapacityFilter::Any,
            at_least: true,
            widely: true,
            stock: false,
            ..request.clone()
        };
        Ok(session.ask(&catalog, &[&everything], providers, &request, progress)?)
    }

    /// Builds the files with the answers, dated `today`, without writing them. Answers of providers come
    /// first.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::CatalogInvalid`](crate::ErrorCode::CatalogInvalid) if the catalog with the answers
    /// would be invalid, and the errors of [`Loaded::load`].
    pub fn files(&self, answers: &[Answers], today: Date) -> Result<UpdateFiles> {
        let sources = sources::with_embedded(&self.overlays)?;
        // Prices of an earlier update must not suppress new prices.
        let users = sources.iter().filter(|source| !self.wrote(&source.file));
        let users: Vec<_> = users.cloned().collect();
        let user_tables = compiled_tables(&users)?;
        let before = compiled_tables(&sources)?;
        let mut updates = Vec::new();
        let (of_providers, of_aggregators): (Vec<_>, Vec<_>) = answers
            .iter()
            .partition(|answers| answers.aggregator.is_none());
        let catalogs = (&user_tables.catalog(), &self.catalog());
        for answers in of_providers {
            self.add(&mut updates, answers, today, catalogs, None);
        }
        for answers in of_aggregators {
            let counts_more = |source: &&Source| {
                let is_of = |other: Aggregator| self.wrote_with(&source.file, prefix(other));
                let mut less = below(answers.aggregator).iter();
                !less.any(|other| is_of(*other)) && !answers.aggregator.is_some_and(is_of)
            };
            // Rows that the catalog rejects take no precedence.
            let _ = accepted(&sources, self.layer, &mut updates, self.until)?;
            let stronger = with_updates(&sources, self.layer, &updates);
            let stronger: Vec<_> = stronger.iter().filter(counts_more).cloned().collect();
            let stronger = compiled_tables(&stronger)?;
            let stronger = Some(&stronger.catalog());
            self.add(&mut updates, answers, today, catalogs, stronger);
        }
        let after = accepted(&sources, self.layer, &mut updates, self.until)?;
        let updates = assigned(updates, &before.catalog(), &after.catalog());
        let has_file = updates.iter().any(|update| update.file.is_some());
        let history = history::continued(&after.catalog(), today);
        let history = history.filter(|_| has_file);
        Ok(UpdateFiles {
            updates,
            history: history.map(|text| (self.folder.join(history::FILE), text)),
            notes: Vec::new(),
        })
    }

    /// Adds the updates from some answers. For an aggregator's answers, prices in `stronger` take
    /// precedence.
    fn add(
        &self,
        updates: &mut Vec<ProviderUpdate>,
        answers: &Answers,
        today: Date,
        (known, earlier): (&Catalog<'_>, &Catalog<'_>),
        stronger: Option<&Catalog<'_>>,
    ) {
        let live = answers.live.tables.catalog();
        let day = today.to_string();
        for answer in &answers.live.answers {
            let provider = live.provider_id(answer.provider).to_owned();
            let mut update = ProviderUpdate {
                from: from(answers.aggregator),
                status: status(answer),
                file: None,
                removed: Vec::new(),
                changes: Vec::new(),
                errors: problems(answer),
                provider,
            };
            if let QueryOutcome::Answered { access, .. } = answer.outcome {
                let name = live.str(live.provider(answer.provider).name);
                let source = format!("{}{READ_BY}", source_name(name, access));
                let since = first_kept(&live, answer.provider, today);
                let version = live
                    .offers
                    .iter()
                    .filter(|offer| offer.provider == answer.provider)
                    .map(|offer| live.str(offer.source))
                    .next();
                let origin = Origin {
                    provider: answer.provider,
                    source: match answers.aggregator {
                        None => &source,
                        Some(_) => version.unwrap_or(&source),
                    },
                    day: &day,
                    is_complete: answer.is_whole,
                    precedence: stronger.map(|catalog| Precedence {
                        catalog,
                        since: &since,
                        aggregator: (answers.aggregator == Some(Aggregator::SkyPilot))
                            .then(|| Aggregator::GpuHunt.name()),
                    }),
                };
                let fresh = overlay(known, earlier, &live, origin);
                let path = self.path(answers.aggregator, &update.provider);
                let is_empty = fresh.types + fresh.prices == 0;
                // Prices of an aggregator may all be superseded by others.
                let is_useless = fresh.left_out.rows() > 0 && fresh.superseded == 0;
                if is_empty && (answers.aggregator.is_none() || is_useless) {
                    // Providers do not withdraw all offers at once: keep the existing offers.
                    let message = "nothing in its answer can be used";
                    update.keep_old_rows(ErrorKind::Protocol, message);
                } else if !is_empty || path.exists() {
                    update.removed = self.superseded(answers.aggregator, &update.provider);
                    update.file = Some((path, fresh));
                }
            }
            updates.push(update);
        }
    }

    /// The files of less reliable sources for a provider that answered, if they exist.
    fn superseded(&self, aggregator: Option<Aggregator>, provider: &str) -> Vec<PathBuf> {
        let others = below(aggregator).iter().map(|other| prefix(*other));
        // An aggregator ranks below a published catalog, which has the answers of providers.
        let published = aggregator.is_none().then_some(PUBLISHED_PREFIX);
        let paths = others.chain(published);
        let paths = paths.map(|prefix| self.folder.join(format!("{prefix}{provider}.toml")));
        paths.filter(|path| path.exists()).collect()
    }

    fn path(&self, aggregator: Option<Aggregator>, provider: &str) -> PathBuf {
        let prefix = aggregator.map_or(PROVIDER_PREFIX, prefix);
        self.folder.join(format!("{prefix}{provider}.toml"))
    }

    /// Returns true if an earlier update wrote a file.
    fn wrote(&self, file: &str) -> bool {
        let prefixes = [
            PROVIDER_PREFIX,
            prefix(Aggregator::GpuHunt),
            prefix(Aggregator::SkyPilot),
            PUBLISHED_PREFIX,
        ];
        prefixes.iter().any(|prefix| self.wrote_with(file, prefix))
    }

    /// Returns true if a file is in the folder and its name has this prefix.
    pub(super) fn wrote_with(&self, file: &str, prefix: &str) -> bool {
        let file = Path::new(file);
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        file.parent() == Some(&*self.folder) && name.starts_with(prefix)
    }
}

/// The file name prefix for an aggregator's answers. These names sort after the names of provider files, so
/// their prices have precedence: prices that the provider published recently are skipped, and the files are
/// removed when the provider answers again.
fn prefix(aggregator: Aggregator) -> &'static str {
    match aggregator {
        Aggregator::GpuHunt => "via-gpuhunt-",
        Aggregator::SkyPilot => "via-skypilot-",
    }
}

/// The aggregators that are less reliable than the source of the answers.
fn below(aggregator: Option<Aggregator>) -> &'static [Aggregator] {
    match aggregator {
        None => &[Aggregator::GpuHunt, Aggregator::SkyPilot],
        Some(Aggregator::GpuHunt) => &[Aggregator::SkyPilot],
        Some(Aggregator::SkyPilot) => &[],
    }
}

/// The first date of prices of a provider that are still kept.
fn first_kept(catalog: &Catalog<'_>, provider: ProviderId, today: Date) -> String {
    let days = catalog.provider(provider).price_max_age_days;
    let since = today.checked_sub(i64::from(days).days());
    since.unwrap_or(Date::MIN).to_string()
}

/// Assigns the changes between two catalogs to the first update of their provider.
pub(super) fn assigned(
    mut updates: Vec<ProviderUpdate>,
    before: &Catalog<'_>,
    after: &Catalog<'_>,
) -> Vec<ProviderUpdate> {
    for change in diff(before, after) {
        let mut of_provider = updates.iter_mut().filter(|update| update.file.is_some());
        if let Some(update) = of_provider.find(|update| update.provider == change.provider) {
            update.changes.push(change);
        }
    }
    updates
}

fn from(aggregator: Option<Aggregator>) -> UpdateFrom {
    match aggregator {
        None => UpdateFrom::Providers,
        Some(Aggregator::GpuHunt) => UpdateFrom::Gpuhunt,
        Some(Aggregator::SkyPilot) => UpdateFrom::Skypilot,
    }
}

fn status(answer: &ProviderAnswer) -> UpdateStatus {
    match &answer.outcome {
        QueryOutcome::Failed(_) => UpdateStatus::Failed,
        QueryOutcome::NotAsked(_) => UpdateStatus::NotAsked,
        QueryOutcome::FromCatalog => UpdateStatus::NoLiveSource,
        QueryOutcome::Answered { .. } if answer.problems.is_empty() => UpdateStatus::Updated,
        QueryOutcome::Answered { .. } => UpdateStatus::Partial,
    }
}
