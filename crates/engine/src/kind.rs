//! `is`: whether an accelerator is of a kind.

use serde::Serialize;
use sky_accel_core::catalog::{AcceleratorClass, AcceleratorId, Catalog};
use sky_accel_core::suggest;
use sky_accel_core::text::same_name;

use crate::code::ErrorCode;
use crate::contract::Envelope;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::specs::read_accelerators;

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

impl<'c> Engine<'c> {
    /// Checks whether every accelerator that a name may mean is of a kind: a vendor, product line, class,
    /// architecture, family or SDK of the catalog, or `gpu` or `mig`. The answer has one result.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::UnknownKind`] for an unknown kind, and [`ErrorCode::Spec`] for an unknown name.
    pub fn is(&self, request: &IsRequest) -> Result<Envelope<'c, IsRequest, IsOut>> {
        let catalog = self.catalog();
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

fn unknown_kind(catalog: &Catalog<'_>, kind: &str) -> Error {
    let words = catalog.accelerators.iter().flat_map(|row| {
        [row.vendor, row.line, row.class, row.architecture, row.sdk].map(|word| catalog.str(word))
    });
    let words = words.filter(|word| !word.is_empty()).chain([GPU, MIG]);
    let near = suggest::closest(kind, words);
    let message = format!("no accelerator is of the kind '{kind}'");
    Error::new(ErrorCode::UnknownKind, message).hint(near.iter().map(|word| word.to_lowercase()))
}

fn is_of_kind(catalog: &Catalog<'_>, id: AcceleratorId, kind: &str) -> bool {
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
        catalog.str(row.family),
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
