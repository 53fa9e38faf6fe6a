//! Rows of answers that did not become offers, and the notes about them.

use std::collections::BTreeMap;

use sky_accel_core::note::Note;
use sky_accel_core::text::{counted, some_of};
use sky_accel_providers::{Dropped, DroppedBecause, ErrorKind, Listing, ProviderError};

use crate::answers::{Live, QueryOutcome};
use crate::sources::providers;

/// The number of unknown devices that a note names.
const NAMED: usize = 3;

/// The numbers of rows that did not become offers.
#[derive(Default)]
pub(crate) struct SkippedRows {
    /// True if a price of the catalog replaces a missing live price.
    pub from_catalog: bool,
    /// The names of unknown devices, and the number of offers with each.
    pub unknown: BTreeMap<String, u32>,
    pub implausible: u32,
    /// Prices far from the usual prices of their accelerator.
    pub unusual: u32,
    /// Offers with a number of devices that no machine has.
    pub impossible_counts: u32,
    pub in_unknown_currency: u32,
    /// Rows of an aggregator with an unknown form factor, or without a machine of the provider.
    pub ambiguous: u32,
    /// Rows of an aggregator that contradict the catalog's data of the type.
    pub contradictory: u32,
    /// Rows of an aggregator for a provider that charges in another currency than US dollars.
    pub of_other_currency: u32,
}

/// Returns the note about a provider that was not queried.
pub(crate) fn not_asked(error: &ProviderError) -> Note {
    let message = format!(
        "{}: not queried, so its prices are from the catalog: {}",
        error.provider, error.message
    );
    Note::new("key-missing", message)
}

/// Returns the note about a provider that was not queried because the catalog has none of the requested
/// accelerators there.
pub(crate) fn sells_none(provider: &str) -> Note {
    let message = format!(
        "{provider}: not queried, because the catalog has none of these accelerators there"
    );
    Note::new("nothing-to-query", message)
}

/// Returns the note on the providers that were not queried because the network may not be used and
/// nothing is cached.
pub(crate) fn not_cached(live: &Live) -> Option<Note> {
    let providers = live
        .answers
        .iter()
        .filter_map(|answer| match &answer.outcome {
            QueryOutcome::NotAsked(error) if error.kind == ErrorKind::NotCached => {
                Some(error.provider)
            }
            _ => None,
        });
    let providers: Vec<&str> = providers.collect();
    (!providers.is_empty()).then(|| {
        let message = format!(
            "`offline`: no answer of {} is cached, so the offers shown are from the catalog",
            some_of(&providers)
        );
        Note::new("not-cached", message)
    })
}

/// Returns the numbers of rows that the provider's parser left out, with the reasons.
fn left_out(listing: &Listing) -> Vec<String> {
    let dropped = listing.dropped.iter();
    let dropped = dropped.filter(|dropped| dropped.because != DroppedBecause::NotRequested);
    let in_words = |dropped: &Dropped| {
        let rows = format!("{} {}", dropped.rows, dropped.because.words());
        match dropped.line {
            Some(line) if dropped.rows > 1 => format!("{rows} (the first in line {line})"),
            Some(line) => format!("{rows} (line {line})"),
            None => rows,
        }
    };
    dropped.map(in_words).collect()
}

/// Returns the error of a provider if nothing in its answer can be used. Such an answer must not
/// count as empty: it does not prove that nothing is sold.
pub(crate) fn nothing_usable(
    id: &str,
    listing: &Listing,
    skipped: &SkippedRows,
) -> Option<ProviderError> {
    let mut reasons = left_out(listing);
    let has = |because| listing.dropped.iter().any(|row| row.because == because);
    let unknown: u32 = skipped.unknown.values().sum();
    for (rows, why) in [
        (unknown, "with unknown accelerators"),
        (skipped.refused_prices(), "with implausible prices"),
        (
            skipped.impossible_counts,
            "with impossible numbers of devices",
        ),
        (skipped.contradictory, "with several numbers of devices"),
        (skipped.in_unknown_currency, "in an unknown currency"),
    ] {
        if rows > 0 {
            reasons.push(format!("{rows} {why}"));
        }
    }
    let is_of_aggregator = listing.edition.is_some();
    // A table of prices without a price is useless.
    let is_faulty = unknown > 0
        || has(DroppedBecause::Unreadable)
        || has(DroppedBecause::Contradictory)
        || skipped.is_faulty()
        || is_of_aggregator && has(DroppedBecause::NoPrice);
    let is_wrong = |because| {
        matches!(
            because,
            DroppedBecause::Unreadable | DroppedBecause::NoPrice | DroppedBecause::Contradictory
        )
    };
    // Much of an aggregator's data is left out although it can be read.
    let is_expected = has(DroppedBecause::NotRequested)
        || has(DroppedBecause::NotRentable)
        || is_of_aggregator
            && (skipped.is_doubtful() || listing.dropped.iter().any(|row| !is_wrong(row.because)));
    if !is_faulty || is_expected {
        return None;
    }
    let message = format!("no row of its answer can be used: {}", reasons.join(", "));
    let names = listing.edition.as_ref().map(|edition| edition.name);
    let name = names.or_else(|| providers().find(|api| api.id == id).map(|api| api.id));
    let error = ProviderError::new(name.unwrap_or_default(), ErrorKind::Protocol, message);
    Some(match skipped.names() {
        Some(names) => error.hint(format!("unknown accelerators: {names}")),
        None => error,
    })
}

impl SkippedRows {
    /// Returns true if any row of an aggregator was left out because it may be wrong.
    fn is_doubtful(&self) -> bool {
        self.ambiguous + self.contradictory + self.of_other_currency > 0
    }

    /// Returns the number of prices that are too far from known prices.
    pub(crate) fn refused_prices(&self) -> u32 {
        self.implausible + self.unusual
    }

    /// Returns true if any offer was left out because its figures are wrong.
    fn is_faulty(&self) -> bool {
        self.refused_prices()
            + self.impossible_counts
            + self.contradictory
            + self.in_unknown_currency
            > 0
    }

    /// Returns true if no row was left out because of its figures.
    pub(crate) fn leaves_out_none(&self) -> bool {
        !self.is_faulty()
    }

    /// Returns the names of some unknown devices.
    fn names(&self) -> Option<String> {
        let mut names: Vec<String> = self
            .unknown
            .keys()
            .take(NAMED)
            .map(|name| format!("'{name}'"))
            .collect();
        if self.unknown.len() > NAMED {
            names.push(format!("{} more", self.unknown.len() - NAMED));
        }
        (!names.is_empty()).then(|| names.join(", "))
    }
}

/// Adds the notes about a listing.
pub(crate) fn notes(
    provider: &str,
    listing: &Listing,
    skipped: &SkippedRows,
    notes: &mut Vec<Note>,
) {
    if skipped.from_catalog {
        let message = format!(
            "{provider}: some live on-demand prices are missing: the catalog's prices are shown, with their dates"
        );
        notes.push(Note::new("catalog-prices", message));
    }
    for remark in &listing.remarks {
        notes.push(Note::new(
            "provider-remark",
            format!("{provider}: {remark}"),
        ));
    }
    let left_out = left_out(listing);
    if !left_out.is_empty() {
        let message = format!("{provider}: rows left out: {}", left_out.join(", "));
        notes.push(Note::new("rows-left-out", message));
    }
    if skipped.implausible > 0 {
        let message = format!(
            "{provider}: {} skipped: several times above or below the known price, or spot above on-demand",
            counted(skipped.implausible, "price")
        );
        notes.push(Note::new("implausible-prices", message));
    }
    if skipped.unusual > 0 {
        let message = format!(
            "{provider}: {} skipped: far from the usual prices of the accelerator",
            counted(skipped.unusual, "price")
        );
        notes.push(Note::new("implausible-prices", message));
    }
    if skipped.in_unknown_currency > 0 {
        let message = format!(
            "{provider}: {} skipped: in a currency without a known rate",
            counted(skipped.in_unknown_currency, "price")
        );
        notes.push(Note::new("unknown-currency", message));
    }
    for (rows, code, why) in [
        (
            skipped.ambiguous,
            "ambiguous-rows",
            "of types with an unknown form factor or tier",
        ),
        (
            skipped.impossible_counts,
            "impossible-rows",
            "with a number of devices that no machine has",
        ),
        (
            skipped.contradictory,
            "contradictory-rows",
            "with another count or memory than the catalog's type",
        ),
        (
            skipped.of_other_currency,
            "foreign-currency-rows",
            "of a provider that charges in another currency than USD",
        ),
    ] {
        if rows > 0 {
            let message = format!("{provider}: rows left out: {rows} {why}");
            notes.push(Note::new(code, message));
        }
    }
    if let Some(names) = skipped.names() {
        let offers: u32 = skipped.unknown.values().sum();
        let message = format!(
            "{provider}: {} with accelerators that are not in the catalog: {names}",
            counted(offers, "offer"),
        );
        notes.push(Note::new("unknown-accelerator", message));
    }
}
