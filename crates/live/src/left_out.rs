//! Rows of answers that did not become offers, and the notes that say so.

use std::collections::BTreeMap;

use sky_accel_core::note::Note;
use sky_accel_providers::{Listing, ProviderError};

/// Names of unknown devices that a note repeats.
const NAMED: usize = 3;

/// Counts of rows that did not become offers, and whether the catalog's prices stand in for any.
#[derive(Default)]
pub(crate) struct LeftOut {
    /// Whether a price of the catalog stands where a live one is missing.
    pub from_catalog: bool,
    /// Names of devices that nobody knows, and how many offers have them.
    pub unknown: BTreeMap<String, u32>,
    pub implausible: u32,
    pub in_unknown_currency: u32,
    /// Rows of an aggregator whose form factor nobody knows, or which are no machine of the provider.
    pub ambiguous: u32,
    /// Rows of an aggregator that say something else of a type than what is known.
    pub contradictory: u32,
    /// Rows of an aggregator of a provider that charges in another currency than the dollar.
    pub of_other_currency: u32,
}

/// The note on a provider that was not asked.
pub(crate) fn not_asked(error: &ProviderError) -> Note {
    let message = format!(
        "{}: not asked, its prices are the catalog's: {}",
        error.provider, error.message
    );
    Note::new("key-missing", message)
}

/// `1 price`, `2 prices`.
fn counted(prices: u32) -> String {
    let plural = if prices == 1 { "" } else { "s" };
    format!("{prices} price{plural}")
}

/// Adds the notes about a listing.
pub(crate) fn notes(provider: &str, listing: &Listing, left: &LeftOut, notes: &mut Vec<Note>) {
    if left.from_catalog {
        let message = format!(
            "{provider}: where live on-demand prices are missing, those of the catalog stand, with their dates"
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
    if left.implausible > 0 {
        let message = format!(
            "{provider}: {} left out: three times off what is known, or spot above on-demand",
            counted(left.implausible)
        );
        notes.push(Note::new("implausible-prices", message));
    }
    if left.in_unknown_currency > 0 {
        let message = format!(
            "{provider}: {} left out: in a currency whose rate is not known",
            counted(left.in_unknown_currency)
        );
        notes.push(Note::new("unknown-currency", message));
    }
    for (rows, code, why) in [
        (
            left.ambiguous,
            "ambiguous-rows",
            "of types whose form factor or tier nobody knows",
        ),
        (
            left.contradictory,
            "contradictory-rows",
            "with another count or memory than the provider's own type",
        ),
        (
            left.of_other_currency,
            "foreign-currency-rows",
            "of a provider that charges in another currency than USD",
        ),
    ] {
        if rows > 0 {
            let message = format!("{provider}: rows left out: {rows} {why}");
            notes.push(Note::new(code, message));
        }
    }
    let unknown = &left.unknown;
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
            "{provider}: {offers} {} with accelerators that the catalog does not know: {}",
            if offers == 1 { "offer" } else { "offers" },
            names.join(", ")
        );
        notes.push(Note::new("unknown-accelerator", message));
    }
}
