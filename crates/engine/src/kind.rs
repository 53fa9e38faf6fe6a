//! `is`: whether an accelerator is of a kind.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;
use sky_accel_core::catalog::{Accelerator, AcceleratorClass, AcceleratorId, Catalog, Str};
use sky_accel_core::suggest;
use sky_accel_core::text::same_name;

use crate::code::ErrorCode;
use crate::contract::Envelope;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::specs::{read_accelerators, read_spec};

/// A request to check the kind of an accelerator.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IsRequest {
    /// A vendor, product line, class, architecture, family or SDK of the catalog, or `gpu` or `mig`.
    pub kind: String,
    /// The name of an accelerator, or a spec.
    pub name: String,
}

/// The result of checking the kind of an accelerator.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IsOut {
    /// The kind, as requested.
    pub kind: String,
    /// The name, as requested.
    pub name: String,
    /// The catalog's ids of the accelerators that the name may mean.
    pub accelerators: Vec<String>,
    /// True if all of them are of the kind.
    pub is: bool,
}

/// Kinds that are not in the catalog.
const GPU: &str = "gpu";
const MIG: &str = "mig";
/// The words of a column that an error names.
const SHOWN_KINDS: usize = 4;

impl<'c> Engine<'c> {
    /// Checks whether every accelerator that a name may mean is of a kind: a vendor, product line, class,
    /// architecture, family or SDK of the catalog, or `gpu` or `mig`. The answer has one result.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::UnknownKind`] for an unknown kind and for a name in place of the kind, and [`ErrorCode::Spec`] for
    /// an unknown name.
    pub fn is(&self, request: &IsRequest) -> Result<Envelope<'c, IsRequest, IsOut>> {
        let catalog = self.catalog();
        check_order(&catalog, request)?;
        let mut every = catalog.accelerator_ids();
        if !every.any(|id| is_of_kind(&catalog, id, &request.kind)) {
            return Err(unknown_kind(&catalog, &request.kind));
        }
        let (ids, notes) = read_accelerators(&catalog, &request.name)?;
        let names = ids.iter().map(|id| catalog.accelerator_id(*id).to_owned());
        let result = IsOut {
            kind: request.kind.clone(),
            name: request.name.clone(),
            accelerators: names.collect(),
            is: ids
                .iter()
                .all(|id| is_of_kind(&catalog, *id, &request.kind)),
        };
        let envelope = Envelope::new("sky-accel.is.v1", &catalog, request.clone(), vec![result]);
        Ok(envelope.with_notes(notes))
    }
}

/// Fails if the name is in the place of the kind, and the kind in the place of the name: the answer would be no.
fn check_order(catalog: &Catalog<'_>, request: &IsRequest) -> Result<()> {
    let (kind, name) = (&request.kind, &request.name);
    let is_general = |word: &str| {
        catalog
            .accelerator_ids()
            .any(|id| is_of_general_kind(catalog, id, word))
    };
    if is_general(kind) || !is_general(name) || read_spec(catalog, kind).is_err() {
        return Ok(());
    }
    let message = format!(
        "'{kind}' is an accelerator and '{name}' is a kind: the kind comes first, as in `is {name} {kind}`"
    );
    Err(Error::new(ErrorCode::UnknownKind, message))
}

fn unknown_kind(catalog: &Catalog<'_>, kind: &str) -> Error {
    let words = catalog.accelerators.iter().flat_map(|row| {
        [row.vendor, row.line, row.class, row.architecture, row.sdk].map(|word| catalog.str(word))
    });
    let words = words.filter(|word| !word.is_empty()).chain([GPU, MIG]);
    let near = suggest::closest(kind, words);
    let kinds = if near.is_empty() {
        known_kinds(catalog)
    } else {
        String::new()
    };
    let message = format!("no accelerator is of the kind '{kind}'{kinds}");
    Error::new(ErrorCode::UnknownKind, message).hint(near.iter().map(|word| word.to_lowercase()))
}

/// The kinds that the catalog has, the most frequent words of each column.
fn known_kinds(catalog: &Catalog<'_>) -> String {
    let some = |column: fn(&Accelerator) -> Str| {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let words = catalog
            .accelerators
            .iter()
            .map(|row| catalog.str(column(&row)));
        for word in words.filter(|word| !word.is_empty()) {
            *counts.entry(word).or_default() += 1;
        }
        let mut words: Vec<(&str, usize)> = counts.into_iter().collect();
        words.sort_by_key(|(_, count)| Reverse(*count));
        let words: Vec<String> = words
            .iter()
            .take(SHOWN_KINDS)
            .map(|(word, _)| word.to_lowercase())
            .collect();
        words.join(", ")
    };
    format!(
        " (vendors: {}, …; architectures: {}, …; classes: {}; SDKs: {}, …; also {GPU}, {MIG}, product lines and families; `sky-accel list 'fp8>0'` compares figures)",
        some(|row| row.vendor),
        some(|row| row.architecture),
        some(|row| row.class),
        some(|row| row.sdk),
    )
}

fn is_of_kind(catalog: &Catalog<'_>, id: AcceleratorId, kind: &str) -> bool {
    let family = catalog.str(catalog.accelerator(id).family);
    !family.is_empty() && same_name(family, kind) || is_of_general_kind(catalog, id, kind)
}

/// Whether an accelerator is of a kind that is not the name of accelerators.
fn is_of_general_kind(catalog: &Catalog<'_>, id: AcceleratorId, kind: &str) -> bool {
    let row = catalog.accelerator(id);
    match kind.to_ascii_lowercase().as_str() {
        GPU => {
            let class = catalog.class(&row);
            return !matches!(
                class,
                Some(AcceleratorClass::Asic | AcceleratorClass::Media)
            );
        }
        MIG => return row.mig == Some(true),
        _ => {}
    }
    let architecture = catalog.str(row.architecture);
    let words = [
        catalog.str(row.line),
        catalog.str(row.class),
        architecture,
        catalog.str(row.sdk),
    ];
    catalog
        .vendor(kind)
        .is_some_and(|vendor| catalog.str(vendor.name) == catalog.str(row.vendor))
        || words
            .iter()
            .any(|word| !word.is_empty() && same_name(word, kind))
        || architecture
            .split(' ')
            .next()
            .is_some_and(|first| !first.is_empty() && same_name(first, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(kind: &str, name: &str) -> Result<bool> {
        let (kind, name) = (kind.to_owned(), name.to_owned());
        let envelope = Engine::embedded().is(&IsRequest { kind, name })?;
        Ok(envelope.results.iter().all(|result| result.is))
    }

    #[test]
    fn a_name_in_place_of_the_kind_is_an_error() {
        for (name, kind) in [
            ("H100", "nvidia"),
            ("H100", "amd"),
            ("H100-80GB-SXM", "hopper"),
            ("p5.48xlarge", "gpu"),
            ("MI300X", "rocm"),
        ] {
            let error = is(name, kind).unwrap_err();
            assert_eq!(error.problems[0].code, ErrorCode::UnknownKind);
            let right = format!("`is {kind} {name}`");
            assert!(error.to_string().contains(&right), "{error}");
            assert!(is(kind, name).is_ok(), "{kind} {name}");
        }
    }

    #[test]
    fn a_word_like_no_kind_is_answered_with_kinds() {
        let error = is("fp8", "H100").unwrap_err();
        assert!(error.problems[0].hints.is_empty(), "{error}");
        for word in ["nvidia", "cuda", "datacenter", "gpu", "fp8>0"] {
            assert!(error.problems[0].message.contains(word), "{error}");
        }
    }

    #[test]
    fn a_mistyped_kind_has_the_nearest_kind_as_a_hint() {
        for (typed, kind) in [
            ("gpuu", "gpu"),
            ("migg", "mig"),
            ("nvidea", "nvidia"),
            ("hoper", "hopper"),
        ] {
            let error = is(typed, "H100").unwrap_err();
            assert_eq!(error.problems[0].hints, [kind]);
        }
    }

    #[test]
    fn families_are_kinds() {
        assert!(is("H100", "H100-80GB-SXM").unwrap());
        assert!(!is("H100", "A100").unwrap());
        assert!(!is("hopper", "nvidia").unwrap());
    }
}
