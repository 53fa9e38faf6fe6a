//! The offers of a spec, and the subset that matches the typed words.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32String};
use sky_accel_core::catalog::OfferKind;
use sky_accel_core::text::number;
use sky_accel_engine::contract::OfferOut;
use sky_accel_engine::{Engine, Money, OfferFilter, ResolveAnswer, ResolveRequest, Result};

use super::query::Query;
use crate::present::offers::OfferTable;
use crate::render::LaidOut;

/// Spec that matches every offer.
const EVERYTHING: &str = "any";
/// Maximum number of rows; further offers are worse.
const MOST_ROWS: u32 = 10_000;

/// Minimum and maximum width of a text cell, and its share of the row: a long name must not hide other columns.
/// The pane shows the whole text.
const OF_A_TEXT: (usize, usize, usize) = (14, 26, 4);

/// Identity of an offer across answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RowKey {
    provider: String,
    instance_type: String,
    /// Accelerator id.
    spec: String,
}

impl RowKey {
    pub fn of(offer: &OfferOut<'_>) -> Self {
        Self {
            provider: offer.provider.to_owned(),
            instance_type: offer.instance_type.to_owned(),
            spec: offer.exact_spec(),
        }
    }

    /// Returns the offer with its prices by region; `None` if the answer no longer has it.
    pub fn find<'e>(&self, engine: &Engine<'e>, offers: &OfferFilter) -> Option<OfferOut<'e>> {
        let request = ResolveRequest {
            specs: vec![engine.read_hardware(&self.spec).ok()?.into()],
            offers: OfferFilter {
                providers: vec![self.provider.clone()],
                limit: None,
                ..offers.clone()
            },
            map: true,
            ..ResolveRequest::default()
        };
        let answer = engine.resolve(&request).ok()?;
        let mut found = answer.envelope.results.into_iter();
        found.find(|offer| Self::of(offer) == *self)
    }
}

/// Offers of a spec, best first.
pub struct Listing<'e> {
    pub answer: ResolveAnswer<'e>,
    /// Instance type that the spec names, if any.
    instance_type: Option<String>,
    /// Searchable names of each row.
    names: Vec<Utf32String>,
    /// Laid-out rows, and the width for which they are laid out.
    table: Option<(u16, LaidOut)>,
}

impl<'e> Listing<'e> {
    /// Resolves a spec; an empty spec matches every offer.
    ///
    /// # Errors
    ///
    /// Same as [`Engine::resolve`], and invalid specs.
    pub fn find(engine: &Engine<'e>, offers: &OfferFilter, spec: &str) -> Result<Self> {
        let text = if spec.is_empty() { EVERYTHING } else { spec };
        let choices = engine.read_hardware(text)?;
        let instance_type = choices
            .iter()
            .find_map(|choice| choice.instance_type.clone());
        let has_count = choices.iter().any(|choice| choice.count_given);
        let request = ResolveRequest {
            specs: vec![choices.into()],
            offers: OfferFilter {
                limit: Some(offers.limit.unwrap_or(MOST_ROWS).min(MOST_ROWS)),
                ..offers.clone()
            },
            ..ResolveRequest::default()
        };
        let mut answer = engine.resolve(&request)?;
        // A query without a number of accelerators is about whole ones.
        if !has_count {
            let is_share = |offer: &OfferOut<'_>| offer.sells == OfferKind::Share;
            answer.envelope.results.sort_by_key(is_share);
        }
        let names = answer.envelope.results.iter().map(names);
        Ok(Self {
            names: names.collect(),
            table: None,
            instance_type,
            answer,
        })
    }

    pub fn rows(&self) -> &[OfferOut<'e>] {
        &self.answer.envelope.results
    }

    /// Lays the rows out for a width, unless they already are.
    pub fn lay_out(&mut self, columns: u16, money: &Money<'_>) {
        if self.table.as_ref().is_some_and(|(of, _)| *of == columns) {
            return;
        }
        let envelope = &self.answer.envelope;
        let table = OfferTable {
            lead: None,
            offers: envelope.results.iter().collect(),
            capacity_filter: envelope.request.offers.capacity_type,
            money: money.clone(),
            wide: false,
            is_by_one: false,
        };
        let (least, most, share) = OF_A_TEXT;
        let text = (usize::from(columns) / share).clamp(least, most);
        let table = table.build().with_texts_cut(text).laid_out(columns.into());
        self.table = Some((columns, table));
    }

    /// Returns the rows of the last layout.
    pub fn table(&self) -> Option<&LaidOut> {
        self.table.as_ref().map(|(_, table)| table)
    }

    /// Returns the indices of the rows that match a query: the instance type that the spec names first, then by
    /// quality of the match.
    pub fn filtered(&self, query: &Query) -> Vec<usize> {
        if query.is_unreadable() {
            return Vec::new();
        }
        let rows = self.rows().iter().enumerate().filter(|(_, offer)| {
            query.providers.is_empty() || query.providers.iter().any(|id| id == offer.provider)
        });
        if query.words.is_empty() {
            let is_named =
                |offer: &OfferOut<'_>| self.instance_type.as_deref() == Some(offer.instance_type);
            let (mut named, others): (Vec<_>, Vec<_>) = rows.partition(|(_, row)| is_named(row));
            named.extend(others);
            return named.into_iter().map(|(at, _)| at).collect();
        }
        let pattern = Pattern::parse(&query.words, CaseMatching::Ignore, Normalization::Smart);
        let mut matcher = Matcher::new(Config::DEFAULT);
        let scored = rows.filter_map(|(at, _)| {
            let score = pattern.score(self.names[at].slice(..), &mut matcher)?;
            Some((score, at))
        });
        let mut scored: Vec<(u32, usize)> = scored.collect();
        scored.sort_by_key(|(score, at)| (std::cmp::Reverse(*score), *at));
        scored.into_iter().map(|(_, at)| at).collect()
    }
}

fn names(offer: &OfferOut<'_>) -> Utf32String {
    let region = offer.on_demand.as_ref().and_then(|price| price.region);
    let names = [
        offer.provider,
        offer.instance_type,
        offer.accelerator,
        offer.display_name.unwrap_or_default(),
        region.unwrap_or_default(),
    ];
    let count = format!("x{}", number(offer.count.0));
    format!("{} {count}", names.join(" ")).into()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use sky_accel_engine::{Engine, OfferFilter};

    use super::{Listing, RowKey};

    /// Checks that each row has a unique key that finds it again.
    #[test]
    fn keys_are_of_one_offer() {
        let (engine, offers) = (Engine::embedded(), OfferFilter::default());
        for spec in ["", "H100:x5", "A100:80GB:mig=3g.40gb|L4"] {
            let listing = Listing::find(&engine, &offers, spec).unwrap();
            let keys: Vec<RowKey> = listing.rows().iter().map(RowKey::of).collect();
            let twice: Vec<&RowKey> = {
                let mut seen = HashSet::new();
                keys.iter().filter(|key| !seen.insert(*key)).collect()
            };
            assert!(twice.is_empty(), "{spec}: {twice:?}");
            // Each lookup is slow: take a sample.
            let lost = keys.iter().step_by(keys.len() / 200 + 1);
            let lost = lost.filter(|key| key.find(&engine, &offers).is_none());
            let lost: Vec<&RowKey> = lost.collect();
            assert!(lost.is_empty(), "{spec}: {lost:?}");
        }
    }
}
