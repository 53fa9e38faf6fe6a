//! Updates of prices of tokens from public lists: one overlay file, whose rows replace those of the catalog.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use jiff::civil::Date;
use sky_accel_catalog::{Change, Source, compile, diff_facts, lint, token_csv};
use sky_accel_core::catalog::{Catalog, TokenPrice, TokenUnit};
use sky_accel_core::money::Usd;
use sky_accel_core::note::Note;
use sky_accel_core::text::{is_unprintable, number};
use sky_accel_live::{FeedPrice, TokenFeed};

use super::accept::replace;
use super::update::{READ_BY, Update};
use super::{EMBEDDED, compiled_tables, invalid, sources};
use crate::error::Result;
use crate::recommend::BATCH;

/// The file with prices of tokens. It sorts after the files of the user in most folders, and before `via-` files.
const FILE: &str = "token-prices.csv";
/// The maximum factor between an old price and its change, and between a price and the median of the model.
const MOVED: f64 = 4.0;
/// The minimum number of other prices of a model that a price is compared with.
const MIN_OTHERS: usize = 4;
/// The share of the known prices that may be implausible. Above it, the list as a whole is wrong.
const MAX_IMPLAUSIBLE: f64 = 0.2;
/// The minimum number of known prices for that share.
const MIN_KNOWN: usize = 5;
/// The number of times that rejected rows are left out.
const MAX_PASSES: usize = 10;
/// The maximum length of a name in bytes.
const MAX_NAME: usize = 200;

/// The update from one list.
#[derive(Debug)]
pub struct TokenUpdate {
    /// The list.
    pub feed: TokenFeed,
    /// The number of models in the list that the catalog knows.
    pub models: usize,
    /// The number of prices of the list in the file.
    pub prices: usize,
    /// The number of prices of earlier updates in the file.
    pub kept: usize,
    /// The reason why nothing of the list is used; `None` if it is.
    pub failure: Option<String>,
    /// Notes on rows that were left out.
    pub notes: Vec<Note>,
}

/// The updates from lists, and the file with all of their prices.
#[derive(Debug)]
pub struct TokenFile {
    /// The update from each list.
    pub updates: Vec<TokenUpdate>,
    /// The file and its text; `None` if no list can be used.
    pub file: Option<(PathBuf, String)>,
    /// The changes of prices.
    pub changes: Vec<Change>,
}

/// The seller's index and its name of the model.
type Key = (u16, String);

/// Rows that are left out, by reason.
#[derive(Default)]
struct LeftOutRows {
    moved: Vec<String>,
    far: usize,
    unreadable: usize,
    unknown_sellers: BTreeSet<String>,
}

impl LeftOutRows {
    fn notes(&self, feed: TokenFeed) -> Vec<Note> {
        let name = feed.name();
        let mut reasons = Vec::new();
        if !self.moved.is_empty() {
            let shown: Vec<&str> = self.moved.iter().take(3).map(String::as_str).collect();
            reasons.push(format!(
                "{} changed by more than {MOVED} times ({})",
                self.moved.len(),
                shown.join(", ")
            ));
        }
        if self.far > 0 {
            reasons.push(format!(
                "{} more than {MOVED} times off the median of the model",
                self.far
            ));
        }
        if self.unreadable > 0 {
            reasons.push(format!("{} without a usable price", self.unreadable));
        }
        if !self.unknown_sellers.is_empty() {
            reasons.push(format!(
                "models of {} sellers without a `[[token_seller]]`",
                self.unknown_sellers.len()
            ));
        }
        if reasons.is_empty() {
            return Vec::new();
        }
        let message = format!("{name}: left out: {}", reasons.join("; "));
        vec![Note::new("rows-left-out", message)]
    }
}

impl Update {
    /// Builds the file with the prices of lists, which are untrusted, without writing it. A later list replaces prices
    /// of an earlier one.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::CatalogInvalid`](crate::ErrorCode::CatalogInvalid) if the catalog without the update is invalid,
    /// and the errors of [`Loaded::load`](super::Loaded::load).
    pub fn token_file(
        &self,
        lists: Vec<(TokenFeed, Vec<FeedPrice>)>,
        today: Date,
    ) -> Result<TokenFile> {
        let sources = sources::with_embedded(self.overlays())?;
        let before = compiled_tables(&sources)?;
        let before = before.catalog();
        let day = today.to_string();
        let mut rows: BTreeMap<Key, token_csv::Row> = before
            .token_prices
            .iter()
            .filter(|row| before.str(row.source).ends_with(READ_BY))
            .map(|row| (key(&before, &row), known_row(&before, &row)))
            .collect();
        let earlier = rows.len();
        let mut updates = Vec::new();
        for (feed, prices) in lists {
            let (update, fresh) = checked(&before, feed, prices, &day);
            rows.extend(fresh);
            updates.push(update);
        }
        let fresh: usize = updates.iter().map(|update| update.prices).sum();
        for update in &mut updates {
            update.kept = rows.len().saturating_sub(fresh).min(earlier);
        }
        if fresh == 0 {
            return Ok(TokenFile {
                updates,
                file: None,
                changes: Vec::new(),
            });
        }
        let path = self.folder().join(FILE);
        let (text, after) = self.accepted_rows(&sources, &path, rows.into_values().collect())?;
        let after = compiled_tables(&after)?;
        let changes = diff_facts(&before, &after.catalog());
        Ok(TokenFile {
            updates,
            file: Some((path, text)),
            changes,
        })
    }

    /// The text of a file with rows that the compiler and the checks accept, and the files of the catalog with it.
    fn accepted_rows(
        &self,
        before: &[Source],
        path: &std::path::Path,
        mut rows: Vec<token_csv::Row>,
    ) -> Result<(String, Vec<Source>)> {
        let file = path.display().to_string();
        for _ in 0..MAX_PASSES {
            let text = token_csv::written(&rows);
            let mut sources = before.to_vec();
            replace(&mut sources, self.layer(), path, &text);
            let faults = match compile(&sources) {
                Ok(after) => lint(&sources, &after.catalog(), &EMBEDDED, &|_| None),
                Err(errors) => errors,
            };
            let (own, others): (Vec<_>, Vec<_>) =
                faults.into_iter().partition(|fault| fault.file == file);
            if own.is_empty() {
                // Faults of the user's own files are reported when the catalog is used.
                return match compile(&sources) {
                    Ok(_) => Ok((text, sources)),
                    Err(_) => Err(invalid(&others)),
                };
            }
            // The first line names the columns.
            let lines: BTreeSet<usize> = own.iter().map(|fault| fault.line).collect();
            let mut line = 1;
            rows.retain(|_| {
                line += 1;
                !lines.contains(&line)
            });
        }
        Ok((String::new(), before.to_vec()))
    }
}

/// The key of a price.
fn key(catalog: &Catalog<'_>, row: &TokenPrice) -> Key {
    (row.seller, catalog.str(row.id).to_lowercase())
}

/// The row of a price of the catalog.
fn known_row(catalog: &Catalog<'_>, row: &TokenPrice) -> token_csv::Row {
    let text = |text| catalog.str(text).to_owned();
    let usd = |usd: Option<Usd>| usd.map_or_else(String::new, |usd| number(usd.decimal()));
    token_csv::Row {
        model: text(row.model),
        seller: text(catalog.token_seller(row).id),
        model_id: text(row.id),
        variant: text(row.variant),
        precision: text(row.precision),
        unit: row.unit.word().to_owned(),
        input_usd: usd(row.input),
        output_usd: usd(row.output),
        cached_usd: usd(row.cached),
        context: match row.context {
            0 => String::new(),
            tokens => tokens.to_string(),
        },
        since: text(row.since),
        as_of: text(row.as_of),
        retires: text(row.retires),
        source: text(row.source),
    }
}

/// The rows of a list that pass the checks.
fn checked(
    catalog: &Catalog<'_>,
    feed: TokenFeed,
    prices: Vec<FeedPrice>,
    day: &str,
) -> (TokenUpdate, BTreeMap<Key, token_csv::Row>) {
    let known: BTreeMap<Key, TokenPrice> = catalog
        .token_prices
        .iter()
        .map(|row| (key(catalog, &row), row))
        .collect();
    let medians = medians(catalog);
    let mut left_out = LeftOutRows::default();
    let mut rows = BTreeMap::new();
    let mut compared = 0;
    for price in prices {
        let Some(seller) = catalog.token_seller_named(&price.seller) else {
            if catalog.priced_name(&price.model_id).is_some() {
                left_out.unknown_sellers.insert(price.seller);
            }
            continue;
        };
        let seller_id = catalog.str(catalog.token_sellers.at(seller.into()).id);
        let id = own_name(&price.model_id);
        let key = (seller, id.to_lowercase());
        let old = known.get(&key);
        let model = match old {
            Some(old) => catalog.str(old.model),
            None => match catalog.priced_name(id) {
                Some(name) => name,
                None => continue,
            },
        };
        let is_name = id.len() <= MAX_NAME && !id.chars().any(is_unprintable);
        let Some(level) = level(&price).filter(|_| is_name) else {
            left_out.unreadable += 1;
            continue;
        };
        if let Some(old) = old.filter(|old| old.unit == price.unit) {
            compared += 1;
            if is_far(level, known_level(old)) {
                left_out.moved.push(format!("{seller_id} {id}"));
                continue;
            }
        } else if let Some(median) = medians
            .get(model)
            .filter(|_| price.unit == TokenUnit::Tokens)
            && is_far(level, *median)
        {
            left_out.far += 1;
            continue;
        }
        let row = fresh_row(catalog, feed, (model, seller_id, id), &price, old, day);
        rows.insert(key, row);
    }
    let moved = left_out.moved.len();
    let is_wrong = compared >= MIN_KNOWN && moved as f64 > compared as f64 * MAX_IMPLAUSIBLE;
    let failure = if is_wrong {
        Some(format!(
            "{moved} of {compared} known prices changed by more than {MOVED} times: existing prices are kept"
        ))
    } else if rows.is_empty() {
        Some("nothing in its answer can be used: existing prices are kept".to_owned())
    } else {
        None
    };
    if failure.is_some() {
        rows.clear();
    }
    let models: BTreeSet<&str> = rows
        .values()
        .map(|row: &token_csv::Row| row.model.as_str())
        .collect();
    let update = TokenUpdate {
        feed,
        models: models.len(),
        prices: rows.len(),
        kept: 0,
        failure,
        notes: left_out.notes(feed),
    };
    (update, rows)
}

/// The seller's name of a model, without the folder of models of Fireworks.
fn own_name(id: &str) -> &str {
    let id = id.trim();
    id.rsplit_once("/models/").map_or(id, |(_, name)| name)
}

fn fresh_row(
    catalog: &Catalog<'_>,
    feed: TokenFeed,
    (model, seller, id): (&str, &str, &str),
    price: &FeedPrice,
    old: Option<&TokenPrice>,
    day: &str,
) -> token_csv::Row {
    let usd = |usd: Option<f64>| {
        let usd = usd.filter(|usd| *usd > 0.0).and_then(Usd::from_decimal);
        let usd = usd.filter(|usd| usd.0 > 0);
        usd.map_or_else(String::new, |usd| number(usd.decimal()))
    };
    let text = |text| catalog.str(text).to_owned();
    let cached = price.cached.filter(|cached| Some(*cached) <= price.input);
    let is_same = |old: &&TokenPrice| {
        let stated = [old.input, old.output].map(|usd| usd.map_or(0, |usd| usd.0));
        let listed = [price.input, price.output]
            .map(|usd| usd.and_then(Usd::from_decimal).map_or(0, |usd| usd.0));
        stated == listed
    };
    token_csv::Row {
        model: model.to_owned(),
        seller: seller.to_owned(),
        // The spelling of the catalog, whose row it replaces.
        model_id: old.map_or_else(|| id.to_owned(), |old| text(old.id)),
        variant: old.map_or_else(|| variant(id), |old| text(old.variant)),
        precision: old.map_or_else(|| precision(catalog, id), |old| text(old.precision)),
        unit: price.unit.word().to_owned(),
        input_usd: usd(price.input),
        output_usd: usd(price.output),
        cached_usd: usd(cached),
        context: price
            .context
            .filter(|tokens| (1.0..=1e9).contains(tokens))
            .map_or_else(String::new, |tokens| format!("{tokens:.0}")),
        // A price that did not change stands since its first day.
        since: old.filter(is_same).map_or_else(
            || {
                if old.is_some() {
                    day.to_owned()
                } else {
                    String::new()
                }
            },
            |old| text(old.since),
        ),
        as_of: day.to_owned(),
        retires: price.retires.clone().unwrap_or_default(),
        source: format!("{}{READ_BY}", feed.name()),
    }
}

/// The format that the name of a model ends with, such as `Llama-4-Maverick-17B-128E-Instruct-FP8`; empty without any.
fn precision(catalog: &Catalog<'_>, id: &str) -> String {
    let last = id.rsplit(['-', '_', '/']).next().unwrap_or_default();
    let format = catalog.weight_format(last);
    format.map_or_else(String::new, |format| catalog.str(format.name).to_owned())
}

/// The kind of service for batches, if the name of a model has the word; empty otherwise.
fn variant(id: &str) -> String {
    let mut words = id.split(['-', '_', '/', ':', '.']);
    let is_batch = words.any(|word| word.eq_ignore_ascii_case(BATCH));
    if is_batch { BATCH } else { "" }.to_owned()
}

/// The price of equal numbers of tokens of input and output, or of a unit; `None` without a price.
fn level(price: &FeedPrice) -> Option<f64> {
    let level = match price.unit {
        TokenUnit::Tokens => price.input.filter(|usd| *usd > 0.0)? + price.output.unwrap_or(0.0),
        _ => price.output?,
    };
    (level.is_finite() && level > 0.0).then_some(level)
}

fn known_level(row: &TokenPrice) -> f64 {
    let usd = |usd: Option<Usd>| usd.map_or(0.0, Usd::decimal);
    usd(row.input) + usd(row.output)
}

/// The median price of each model with several prices.
fn medians<'a>(catalog: &Catalog<'a>) -> BTreeMap<&'a str, f64> {
    let mut levels: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for row in catalog.token_prices {
        if row.unit == TokenUnit::Tokens {
            let model = catalog.str(row.model);
            levels.entry(model).or_default().push(known_level(&row));
        }
    }
    let several = levels
        .into_iter()
        .filter(|(_, levels)| levels.len() >= MIN_OTHERS);
    several
        .map(|(model, mut levels)| {
            levels.sort_by(f64::total_cmp);
            (model, levels[levels.len() / 2])
        })
        .collect()
}

fn is_far(new: f64, old: f64) -> bool {
    old > 0.0 && !(1.0 / MOVED..=MOVED).contains(&(new / old))
}
