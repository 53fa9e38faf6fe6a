//! The compiler from documents to tables, which collects all errors.

mod accelerators;
mod charges;
mod collected;
mod commitments;
mod currencies;
mod engines;
mod guide;
mod history;
mod hosts;
mod media_models;
mod mig;
mod model_names;
mod models;
mod names;
mod networks;
mod offers;
mod prices;
mod providers;
mod recipes;
mod regions;
mod scores;
mod sharing;
mod token_prices;
mod tools;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use sky_accel_core::catalog::{AcceleratorId, GeometryId, Header, MAX_PER_MACHINE, ProviderId};
use sky_accel_core::money::Count;

use self::collected::CollectedRegions;
use crate::bounds::{Bounds, MAX_COUNT, MAX_ERRORS, MAX_ROWS};
use crate::rows::RowsSeen;
use crate::schema::{CommitmentEntry, FileContent, Spanned};
use crate::source::{CatalogDocument, Sources};
use crate::tables::Tables;
use crate::{Diagnostic, Layer, Source};

/// Compiles files to tables, in which later layers override earlier ones.
///
/// # Errors
///
/// Returns a [`Diagnostic`] for each error in the files, such as an unknown reference, a missing
/// field, a value that the field does not accept, or a name with two meanings.
pub fn compile(sources: &[Source]) -> Result<Tables, Vec<Diagnostic>> {
    let sources = &Sources::read(sources)?;
    let documents = &sources.documents[..];
    if let Some(error) = too_many(documents) {
        return Err(vec![error]);
    }
    let mut compiler = Compiler {
        sources,
        documents,
        tables: Tables::default(),
        header: Header::default(),
        errors: Vec::new(),
        accelerators: BTreeMap::new(),
        geometries: HashMap::new(),
        providers: hashbrown::HashMap::new(),
        regions: CollectedRegions::default(),
        default_regions: Vec::new(),
        last_date: String::new(),
    };
    compiler.header();
    compiler.vendors();
    compiler.mig();
    compiler.accelerators();
    compiler.names();
    compiler.sharing();
    compiler.models();
    compiler.token_prices();
    compiler.currencies();
    compiler.region_groups();
    compiler.providers();
    compiler.tools();
    compiler.offers();
    // These tables refer to offers and regions, so they need the final numbers.
    if compiler.fits() {
        compiler.instance_types();
        compiler.hosts();
        compiler.networks();
        compiler.charges();
        compiler.history();
        compiler.commitments();
        compiler.guide();
    }
    compiler.contradictions();
    let mut errors = compiler.errors;
    if errors.is_empty() {
        compiler.tables.header.push(compiler.header);
        return Ok(compiler.tables);
    }
    errors.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    Err(errors)
}

/// The maximum number of bytes of a text: notes are printed with every answer that they belong to.
const MAX_TEXT: usize = 4096;

/// The maximum number of rows of tables that are searched linearly.
const MAX_SMALL: usize = 1000;
/// The maximum number of rows of tables whose rows are large.
const MAX_LARGE: usize = 10_000;
/// The maximum number of past prices: ten times the history of the embedded catalog and of a user.
const MAX_HISTORY: usize = 100_000;

/// Returns an error if a table has too many rows.
fn too_many(documents: &[CatalogDocument]) -> Option<Diagnostic> {
    type TableLimit = (&'static str, usize, fn(&FileContent) -> usize);
    const TABLES: [TableLimit; 32] = [
        ("vendors", MAX_SMALL, |content| content.vendor.len()),
        ("providers", MAX_SMALL, |content| content.provider.len()),
        ("currencies", MAX_SMALL, |content| content.currency.len()),
        ("hosts", MAX_SMALL, |content| content.host.len()),
        ("limits of hosts", MAX_SMALL, |content| {
            content.host_limit.len()
        }),
        ("scores of models", MAX_LARGE, |content| {
            let boards = content.leaderboard.iter();
            boards.map(|board| board.scores.len()).sum()
        }),
        ("model releases", MAX_SMALL, |content| {
            content.model_release.len()
        }),
        ("media models", MAX_SMALL, |content| {
            content.media_model.len()
        }),
        ("networks", MAX_SMALL, |content| content.network.len()),
        ("charges", MAX_LARGE, |content| content.charge.len()),
        ("groups of regions", MAX_SMALL, |content| {
            content.region_group.len()
        }),
        ("geometries", MAX_SMALL, |content| content.geometry.len()),
        ("compute instances", MAX_SMALL, |content| {
            content.compute_instance.len()
        }),
        ("SDKs", MAX_SMALL, |content| content.sdk.len()),
        ("tools", MAX_SMALL, |content| content.tool.len()),
        ("families", MAX_SMALL, |content| content.family.len()),
        ("formats", MAX_SMALL, |content| content.weight_format.len()),
        ("losses of quality", MAX_SMALL, |content| {
            content.quality_loss.len()
        }),
        ("coefficients", MAX_SMALL, |content| {
            content.coefficient.len()
        }),
        ("links", MAX_SMALL, |content| content.link.len()),
        ("formats of engines", MAX_SMALL, |content| {
            content.engine_format.len()
        }),
        ("lacks of engines", MAX_SMALL, |content| {
            content.engine_lack.len()
        }),
        ("images of engines", MAX_SMALL, |content| {
            content.engine_image.len()
        }),
        ("recipes", MAX_SMALL, |content| content.recipe.len()),
        ("accelerators", MAX_LARGE, |content| {
            content.accelerator.len()
        }),
        ("models", MAX_LARGE, |content| content.model.len()),
        ("past prices", MAX_HISTORY, |content| {
            content.history.iter().map(|entry| entry.prices.len()).sum()
        }),
        ("sellers of tokens", MAX_SMALL, |content| {
            content.token_seller.len()
        }),
        ("prices of tokens", MAX_HISTORY, |content| {
            content.token_price.len()
        }),
        ("kinds of commitments", MAX_SMALL, |content| {
            content.commitment_program.len()
        }),
        ("prices of commitments", MAX_HISTORY, |content| {
            content.commitment.iter().map(CommitmentEntry::rows).sum()
        }),
        ("ways of sharing", MAX_LARGE, |content| {
            content.sharing.len()
        }),
    ];
    TABLES.iter().find_map(|(what, most, rows)| {
        let mut sum = 0;
        let at = documents.iter().find(|document| {
            sum += rows(&document.content);
            sum > *most
        })?;
        let message = format!("there are more than {most} {what} in total");
        Some(at.error(0..0, message))
    })
}

struct Compiler<'d> {
    sources: &'d Sources<'d>,
    documents: &'d [CatalogDocument],
    tables: Tables,
    header: Header,
    errors: Vec<Diagnostic>,
    /// By id, sorted so that suggestions do not differ between runs.
    accelerators: BTreeMap<String, AcceleratorId>,
    geometries: HashMap<String, GeometryId>,
    /// Looked up for every row, so it uses a faster hash than the standard library.
    providers: hashbrown::HashMap<String, ProviderId>,
    regions: CollectedRegions,
    /// The default regions of providers, which offers may be the first to name.
    default_regions: Vec<(ProviderId, &'d CatalogDocument, Spanned<String>)>,
    /// The last valid date, because most rows repeat it.
    last_date: String,
}

impl Compiler<'_> {
    /// Keeps an error, once: the offer and the prices of a row of a CSV file have the same values.
    fn report(&mut self, error: Diagnostic) {
        if self.errors.len() < MAX_ERRORS && !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    /// Adds the rows that contradict each other to the errors of files that have some: everything that is wrong with a
    /// file appears at once. Alone, they are no errors, and the checks of `catalog verify` find them.
    fn contradictions(&mut self) {
        if self.errors.is_empty() {
            return;
        }
        let mut rows = RowsSeen::default();
        let sells = |id: &str| {
            let provider = self.providers.get(id)?;
            Some(self.tables.providers.at(provider.index()).sells)
        };
        self.sources.each_with_offers(|_, document| {
            if let Ok(document) = document {
                rows.read(document, &sells);
            }
        });
        for error in rows.found {
            self.report(error);
        }
    }

    fn fail<T>(&mut self, document: &CatalogDocument, at: &Spanned<T>, message: impl Into<String>) {
        if self.errors.len() < MAX_ERRORS {
            self.report(document.error(at.span(), message));
        }
    }

    /// Checks that a text can be printed, and returns it.
    fn checked<'t>(&mut self, document: &CatalogDocument, text: &'t Spanned<String>) -> &'t str {
        let value = text.get_ref();
        // Nearly every text is plain ASCII, which needs no further checks.
        let is_plain = value.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        let has_margin = value.starts_with(' ') || value.ends_with(' ');
        if is_plain && !has_margin && value.len() <= MAX_TEXT {
            return value;
        }
        if value.chars().any(sky_accel_core::text::is_unprintable) {
            self.fail(
                document,
                text,
                "control characters and invisible marks are not allowed",
            );
        } else if value.trim() != value {
            self.fail(
                document,
                text,
                "remove white space at the beginning and the end",
            );
        } else if value.len() > MAX_TEXT {
            self.fail(
                document,
                text,
                format!("a text has at most {MAX_TEXT} bytes"),
            );
        }
        value
    }

    fn text(
        &mut self,
        document: &CatalogDocument,
        text: Option<&Spanned<String>>,
    ) -> sky_accel_core::catalog::Str {
        let Some(text) = text else {
            return sky_accel_core::catalog::Str::default();
        };
        let value = self.checked(document, text);
        self.tables.intern(value)
    }

    fn texts(
        &mut self,
        document: &CatalogDocument,
        texts: &[Spanned<String>],
    ) -> sky_accel_core::catalog::Rows {
        let values: Vec<String> = texts
            .iter()
            .map(|text| self.checked(document, text).to_owned())
            .collect();
        self.tables.intern_all(values.iter().map(String::as_str))
    }

    /// Interns a date: a day, a month or a year.
    fn date(
        &mut self,
        document: &CatalogDocument,
        text: &Spanned<String>,
    ) -> sky_accel_core::catalog::Str {
        if text.get_ref() == &self.last_date {
            return self.tables.intern(text.get_ref());
        }
        if is_date(text.get_ref()) {
            self.last_date.clone_from(text.get_ref());
        } else {
            self.fail(
                document,
                text,
                "not a date: write 2026-07-20, or 2026-07 or 2026 when the day is unknown",
            );
        }
        self.text(document, Some(text))
    }

    /// Returns a figure, and reports it if it is out of bounds.
    fn figure(
        &mut self,
        document: &CatalogDocument,
        figure: Option<&Spanned<f64>>,
        bounds: &Bounds,
    ) -> Option<f64> {
        let figure = figure?;
        let value = *figure.get_ref();
        self.within(document, figure, value, bounds);
        Some(value)
    }

    /// Reports a value that is out of bounds, at the position of `at`.
    fn within<T>(
        &mut self,
        document: &CatalogDocument,
        at: &Spanned<T>,
        value: f64,
        bounds: &Bounds,
    ) {
        if !bounds.contains(value) {
            self.fail(document, at, bounds.message(value));
        }
    }

    /// Returns the meaning of one of a fixed set of words.
    fn one_of<T: Copy>(
        &mut self,
        document: &CatalogDocument,
        text: &Spanned<String>,
        words: &[(&str, T)],
    ) -> Option<T> {
        let found = words
            .iter()
            .find(|(word, _)| word == text.get_ref())
            .map(|(_, value)| *value);
        if found.is_none() {
            let known_words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            self.fail(
                document,
                text,
                format!("unknown value: it is one of {}", known_words.join(", ")),
            );
        }
        found
    }

    fn accelerator_ref(
        &mut self,
        document: &CatalogDocument,
        id: &Spanned<String>,
    ) -> Option<AcceleratorId> {
        let found = self.accelerators.get(id.get_ref()).copied();
        if found.is_none() && self.errors.len() < MAX_ERRORS {
            let near = sky_accel_core::suggest::closest(
                id.get_ref(),
                self.accelerators.keys().map(String::as_str),
            );
            let hint = if near.is_empty() {
                String::new()
            } else {
                format!(": did you mean {}?", near.join(", "))
            };
            self.fail(
                document,
                id,
                format!("no accelerator has the id '{}'{hint}", id.get_ref()),
            );
        }
        found
    }

    fn accelerator_refs(
        &mut self,
        document: &CatalogDocument,
        ids: &[Spanned<String>],
    ) -> Vec<AcceleratorId> {
        ids.iter()
            .filter_map(|id| self.accelerator_ref(document, id))
            .collect()
    }

    /// Returns whether offers and regions fit into their ids.
    fn fits(&mut self) -> bool {
        let tables = &self.tables;
        let counts = [
            ("offers", tables.offers.len()),
            ("regions", tables.regions.len()),
        ];
        let Some((what, _)) = counts.into_iter().find(|(_, count)| *count > MAX_ROWS) else {
            return true;
        };
        let message = format!("there are more than {MAX_ROWS} {what} in total");
        if let Some(last) = self.documents.last() {
            self.errors.push(last.error(0..0, message));
        }
        false
    }

    /// Returns a number of devices of one machine.
    fn per_machine(
        &mut self,
        document: &CatalogDocument,
        count: Option<&Spanned<f64>>,
    ) -> Option<Count> {
        let found = self.count(document, count)?;
        if let Some(spanned) = count.filter(|_| found > MAX_PER_MACHINE) {
            self.fail(
                document,
                spanned,
                format!("a machine has at most {MAX_PER_MACHINE} devices"),
            );
        }
        Some(found)
    }

    /// Returns a count of devices.
    fn count(&mut self, document: &CatalogDocument, count: Option<&Spanned<f64>>) -> Option<Count> {
        let spanned = count?;
        let value = *spanned.get_ref();
        let count = Count::from_decimal(value).filter(|_| value <= MAX_COUNT);
        if count.is_none() {
            self.fail(
                document,
                spanned,
                format!("a count is between 0.001 and {MAX_COUNT}"),
            );
        }
        count
    }

    fn header(&mut self) {
        for file in self.sources.overlays() {
            let file = self.tables.intern(file);
            self.tables.overlays.push(file);
        }
        for document in self.documents {
            let Some(header) = &document.content.catalog else {
                continue;
            };
            self.date(document, &header.as_of);
            if document.layer.is_embedded() {
                self.header.version = self.tables.intern(header.version.get_ref());
                self.header.as_of = self.tables.intern(header.as_of.get_ref());
            } else {
                let message = "an overlay cannot have a `[catalog]` section: the version of the catalog is the version of the program";
                self.fail(document, &header.version, message);
            }
        }
    }

    fn vendors(&mut self) {
        for document in self.documents {
            for vendor in &document.content.vendor {
                let catalog = self.tables.catalog();
                let mut words = std::iter::once(&vendor.name).chain(&vendor.aliases);
                let taken = words.find(|word| catalog.vendor(word.get_ref()).is_some());
                if let Some(word) = taken {
                    self.fail(document, word, "another vendor has this name");
                    continue;
                }
                let name = self.text(document, Some(&vendor.name));
                let aliases = self.texts(document, &vendor.aliases);
                self.tables
                    .vendors
                    .push(sky_accel_core::catalog::Vendor { name, aliases });
            }
        }
    }

    fn list(&mut self, ids: &[AcceleratorId]) -> sky_accel_core::catalog::Rows {
        self.tables.accelerator_lists.append(ids.iter().copied())
    }
}

impl<'d> Compiler<'d> {
    /// Merges items by id: later layers override earlier ones, and within a layer an id may appear only once. `merge`
    /// lays the second item over the first.
    fn layered<T: Clone>(
        &mut self,
        items: impl Fn(&'d CatalogDocument) -> &'d [T],
        id: impl Fn(&'d CatalogDocument, &'d T) -> (String, &'d Spanned<String>),
        merge: impl Fn(&mut T, &T),
    ) -> Vec<(&'d CatalogDocument, Cow<'d, T>)> {
        let mut order: Vec<(&CatalogDocument, Cow<'d, T>)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for document in self.documents {
            for item in items(document) {
                let (key, at) = id(document, item);
                match places.get(&key) {
                    Some(place) if order[*place].0.layer == document.layer => {
                        self.fail(document, at, format!("'{}' is defined twice", at.get_ref()));
                    }
                    Some(place) => {
                        merge(order[*place].1.to_mut(), item);
                        order[*place].0 = document;
                    }
                    None => {
                        places.insert(key, order.len());
                        order.push((document, Cow::Borrowed(item)));
                    }
                }
            }
        }
        order
    }
}

fn is_date(text: &str) -> bool {
    let number = |part: &str, len: usize| -> Option<u32> {
        let is_one = part.len() == len && part.bytes().all(|b| b.is_ascii_digit());
        part.parse().ok().filter(|_| is_one)
    };
    let parts: Vec<&str> = text.split('-').collect();
    let month = |part: &str| number(part, 2).filter(|month| (1..=12).contains(month));
    match parts[..] {
        [year] => number(year, 4).is_some(),
        [year, month_text] => number(year, 4).is_some() && month(month_text).is_some(),
        [year, month_text, day] => {
            let (Some(year), Some(month_number), Some(day)) =
                (number(year, 4), month(month_text), number(day, 2))
            else {
                return false;
            };
            let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let last = match month_number {
                2 if is_leap => 29,
                2 => 28,
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            (1..=last).contains(&day)
        }
        _ => false,
    }
}

#[cfg(test)]
mod model_tests;
#[cfg(test)]
mod tests;
