//! Rows of answers that did not become offers, and the notes about them.

use std::collections::BTreeMap;

use sky_accel_core::note::Note;
use sky_accel_core::text::counted;
use sky_accel_providers::{Listing, ProviderError};

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
    if !listing.dropped.is_empty() {
        let parts = listing
            .dropped
            .iter()
            .map(|d| format!("{} {}", d.rows, d.because.words()));
        let message = format!(
            "{provider}: rows left out: {}",
            parts.collect::<Vec<_>>().join(", ")
        );
        notes.push(Note::new("rows-left-out", message));
    }
    if skipped.implausible > 0 {
        let message = format!(
            "{provider}: {} skipped: three times above or below the known price, or spot above on-demand",
            counted(skipped.implausible, "price")
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
    let unknown = &skipped.unknown;
    if !unknown.is_empty() {
        let offers: u32 = unknown.values().sum();
        let mut names: Vec<String> = unknown
            .keys()
            .take(NAMED)
            .map(|name| format!("'{name}'"))
            .collect();
        if unknown.len() > NAMED {
            names.push(format!("{} more", unknown.len() - NAMED));
        }
        let message = format!(
            "{provider}: {} with accelerators that are not in the catalog: {}",
            counted(offers, "offer"),
            names.join(", ")
        );
        notes.push(Note::new("unknown-accelerator", message));
    }
}
