//! The text of a generated overlay, of which rows can be left out.

use std::collections::HashSet;

/// An overlay as text, with counts of its contents.
#[derive(Clone, Debug, Default)]
pub struct Fresh {
    /// The overlay as a TOML file.
    pub text: String,
    /// The number of offers in the overlay.
    pub types: usize,
    /// The number of prices in the overlay, counting every region.
    pub prices: usize,
    /// The number of prices that were kept from the earlier overlay; `prices` includes them.
    pub kept: usize,
    /// The rows that were left out.
    pub left_out: LeftOut,
    /// The number of an aggregator's prices that were left out because other prices take precedence.
    pub superseded: usize,
    /// The beginning of `text`, before the entries.
    pub(super) heading: String,
    /// The entries of `text`, in order.
    pub(super) entries: Vec<OverlayEntry>,
}

/// An `[[offer]]` or a `[[price]]` of an overlay.
#[derive(Clone, Debug)]
pub(super) struct OverlayEntry {
    /// The id of the offer, or of the offer that the price is for.
    pub offer: String,
    pub is_price: bool,
    /// The lines of the entry in the file.
    pub text: String,
}

/// The reason for leaving out a price whose offer is left out.
pub(super) const PRICE_OF_NOTHING: &str = "prices of offers that are left out";
/// The maximum number of reasons that are kept.
const MAX_REASONS: usize = 100;

/// The numbers of rows that were left out, by reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    by_reason: Vec<(String, usize)>,
    /// The rows with further reasons.
    others: usize,
}

impl LeftOut {
    pub(super) fn add(&mut self, reason: &str, rows: usize) {
        let known = self.by_reason.iter_mut().find(|(known, _)| known == reason);
        if let Some((_, sum)) = known {
            *sum += rows;
        } else if self.by_reason.len() < MAX_REASONS && rows > 0 {
            self.by_reason.push((reason.to_owned(), rows));
        } else {
            self.others += rows;
        }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.others + self.by_reason.iter().map(|(_, rows)| rows).sum::<usize>()
    }

    /// Returns the first reasons, each with its number of rows.
    pub fn reasons(&self) -> impl Iterator<Item = (&str, usize)> {
        self.by_reason
            .iter()
            .map(|(reason, rows)| (&**reason, *rows))
    }
}

impl Fresh {
    /// Removes the entries that contain a line of the text, and the prices of offers that are removed. `faults` are
    /// lines, which count from 1, with the reasons. Returns the number of removed entries.
    pub fn leave_out(&mut self, faults: &[(usize, &str)]) -> usize {
        let before = self.entries.len();
        let mut next_line = 1 + self.heading.matches('\n').count();
        let mut first_lines = Vec::with_capacity(self.entries.len());
        for entry in &self.entries {
            first_lines.push(next_line);
            next_line += entry.text.matches('\n').count();
        }
        let mut is_removed = vec![false; self.entries.len()];
        for (line, reason) in faults {
            // Entries follow each other without a gap, so the last entry that begins before the line contains it.
            let begun = first_lines.partition_point(|first| first <= line);
            if let Some(entry) = begun.checked_sub(1)
                && !std::mem::replace(&mut is_removed[entry], true)
            {
                let reason = format!("{}: {reason}", self.entries[entry].offer);
                self.left_out.add(&reason, 1);
            }
        }
        let entries = std::mem::take(&mut self.entries);
        let hit = entries.iter().zip(&is_removed);
        let removed_offers: HashSet<String> = hit
            .filter(|(entry, is_removed)| **is_removed && !entry.is_price)
            .map(|(entry, _)| entry.offer.clone())
            .collect();
        for (entry, is_removed) in entries.into_iter().zip(is_removed) {
            if !is_removed && !removed_offers.contains(&entry.offer) {
                self.entries.push(entry);
                continue;
            }
            if !is_removed {
                self.left_out.add(PRICE_OF_NOTHING, 1);
            }
            let count = if entry.is_price {
                &mut self.prices
            } else {
                &mut self.types
            };
            *count = count.saturating_sub(1);
        }
        self.write();
        before - self.entries.len()
    }

    /// Sets the text to the heading and the entries.
    pub(super) fn write(&mut self) {
        self.text.clone_from(&self.heading);
        self.text
            .extend(self.entries.iter().map(|entry| &entry.text[..]));
    }
}
