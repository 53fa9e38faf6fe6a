//! Filters of accelerator lists: a spec, a word of the catalog, or parts of a spec.

use super::binder::{Binder, bind, restore_counted_name};
use super::bound::BoundChoice;
use super::names::{self, NameMeaning, Scope};
use super::narrowing::{KeyComparison, Narrowing, PartReader, begins_with};
use super::vocabulary;

use crate::catalog::{AcceleratorId, Catalog};
use crate::note::Note;
use crate::spec::{self, KeyKind, Op, Spec, SpecErrors, SpecKey, find_key};

/// The keys whose values are filters without the key: `hopper`, `datacenter`, `instinct`, `rocm`.
const BARE_KEYS: [&str; 4] = ["arch", "class", "line", "sdk"];

/// A parsed filter of accelerators.
#[derive(Clone, Debug)]
pub struct AcceleratorFilter {
    /// By [`AcceleratorId`].
    kept: Vec<bool>,
    notes: Vec<Note>,
}

impl AcceleratorFilter {
    /// Reads a filter: a spec (`A100`, `H100:94GB|H200`), a word of the catalog (`hopper`), or parts
    /// of a spec without a name (`vendor=amd`, `SXM`, `class=consumer:24GB+`).
    ///
    /// # Errors
    ///
    /// Fails when the text is not a filter, and when no accelerator passes it. Spans refer to
    /// `text`.
    pub fn parse(catalog: &Catalog<'_>, text: &str) -> Result<Self, SpecErrors> {
        let (spec, errors) = spec::parse(text);
        if let [choice] = &spec.choices[..] {
            let (name, _) = restore_counted_name(catalog, choice);
            let is_listed =
                |text: &str| catalog.name(text).is_some() || catalog.vendor(text).is_some();
            let key = bare_key(catalog, name.text).filter(|_| !is_listed(name.text));
            if let Some(key) = key.filter(|_| errors.is_empty() && !is_listed(text)) {
                return Self::of_word(catalog, key, &spec);
            }
            if !names::is_known(catalog, &name)
                && let Some(filter) = Self::of_parts(catalog, text)
            {
                return filter;
            }
        }
        Self::of_spec(catalog, &spec, errors)
    }

    /// Returns whether an accelerator passes the filter. The id must be of the catalog that the
    /// filter was parsed with.
    pub fn keeps(&self, accelerator: AcceleratorId) -> bool {
        let kept = self.kept.get(accelerator.0 as usize).copied();
        kept.unwrap_or(false)
    }

    /// Returns notes on how names in the filter were read.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn of_spec(
        catalog: &Catalog<'_>,
        spec: &Spec<'_>,
        mut errors: SpecErrors,
    ) -> Result<Self, SpecErrors> {
        let wanted = bind(catalog, spec, &mut errors);
        if !errors.is_empty() {
            errors.sort_by_key(|error| error.span.start);
            return Err(errors);
        }
        let ids = wanted.iter().flat_map(|w| &w.candidates);
        let mut filter = Self::of_ids(catalog, ids.map(|candidate| candidate.accelerator));
        filter.notes = wanted
            .into_iter()
            .flat_map(|w: BoundChoice| w.notes)
            .collect();
        Ok(filter)
    }

    /// Reads a word of the catalog instead of a name, and the parts after it.
    fn of_word(
        catalog: &Catalog<'_>,
        key: &'static SpecKey,
        spec: &Spec<'_>,
    ) -> Result<Self, SpecErrors> {
        let mut errors = Vec::new();
        let mut narrowing = Narrowing::default();
        for choice in &spec.choices {
            let (name, parts) = restore_counted_name(catalog, choice);
            narrowing.compares.push(KeyComparison {
                kind: key.kind,
                key: key.name,
                op: Op::Equal,
                value: name.text,
                value_span: name.span,
            });
            let mut reader = PartReader {
                catalog,
                errors: &mut errors,
            };
            for part in parts {
                reader.part(&part.kind, part.span.clone(), &mut narrowing);
            }
        }
        Self::of_narrowing(catalog, &narrowing, errors)
    }

    /// Reads parts without a name; `None` when the text is more likely an unknown name.
    fn of_parts(catalog: &Catalog<'_>, text: &str) -> Option<Result<Self, SpecErrors>> {
        let (parts, mut errors) = spec::parse_parts(text);
        let mut narrowing = Narrowing::default();
        // Check bare words first: an unknown word is an unknown name, and the error must say so.
        let is_word = |word: &str| {
            vocabulary::is_form_factor(catalog, word) || vocabulary::is_memory_type(catalog, word)
        };
        let is_strange = parts.iter().any(|part| match part.kind {
            spec::PartKind::Word(word) => !is_word(word),
            _ => false,
        });
        if is_strange && !text.contains(['=', '<', '>']) {
            return None;
        }
        let mut reader = PartReader {
            catalog,
            errors: &mut errors,
        };
        for part in &parts {
            reader.part(&part.kind, part.span.clone(), &mut narrowing);
        }
        if errors.is_empty() && !narrowing.narrows() {
            return None;
        }
        Some(Self::of_narrowing(catalog, &narrowing, errors))
    }

    fn of_narrowing(
        catalog: &Catalog<'_>,
        narrowing: &Narrowing<'_>,
        mut errors: SpecErrors,
    ) -> Result<Self, SpecErrors> {
        let kept = errors.is_empty().then(|| {
            let candidates = catalog.accelerator_ids().collect();
            let meaning = NameMeaning::new("any".to_owned(), "any", Scope::Everything, candidates);
            let mut binder = Binder::new(catalog, &mut errors);
            if narrowing.mig.is_none() {
                let kept = binder.keep(&(0..0), &meaning, narrowing)?;
                return Some(Self::of_ids(catalog, kept.accelerators.into_iter()));
            }
            let wanted = binder.narrow(&(0..0), meaning, narrowing)?;
            let ids = wanted.candidates.iter();
            Some(Self::of_ids(
                catalog,
                ids.map(|candidate| candidate.accelerator),
            ))
        });
        kept.flatten().ok_or(errors)
    }

    fn of_ids(catalog: &Catalog<'_>, ids: impl Iterator<Item = AcceleratorId>) -> Self {
        let mut kept = vec![false; catalog.accelerators.len()];
        for id in ids {
            kept[id.0 as usize] = true;
        }
        Self {
            kept,
            notes: Vec::new(),
        }
    }
}

/// Returns the first bare key whose word some accelerator has.
fn bare_key(catalog: &Catalog<'_>, word: &str) -> Option<&'static SpecKey> {
    if word.is_empty() || word.contains(['=', '<', '>']) {
        return None;
    }
    BARE_KEYS.into_iter().filter_map(find_key).find(|key| {
        let KeyKind::Text(field) = key.kind else {
            return false;
        };
        let mut rows = catalog.accelerators.iter();
        rows.any(|row| begins_with(catalog.str(field(&row)), word))
    })
}
