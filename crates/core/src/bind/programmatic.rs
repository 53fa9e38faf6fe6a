//! Bound choices made by programs, without the text of a spec.

use super::binder::Binder;
use super::bound::{BoundChoice, Candidate};
use super::names::{NameMeaning, Scope};
use super::narrowing::Narrowing;

use crate::catalog::{AcceleratorId, Catalog};
use crate::memory::Gigabytes;
use crate::mig::{ProfileRef, SliceList, SliceRequest};
use crate::money::Count;
use crate::spec::{CountRange, MemoryRange, SpecErrors};

/// The minimum memory of an accelerator that counts as having memory.
const SOME_MEMORY: Gigabytes = Gigabytes(1.0);

impl BoundChoice {
    /// Returns every accelerator with memory except video cards, like `any:>=1GB:x8`. `count` is
    /// the number of devices in one machine.
    pub fn any_with_memory(catalog: &Catalog<'_>, count: CountRange) -> Self {
        let memory = MemoryRange::Between {
            min: Some(SOME_MEMORY),
            max: None,
        };
        let has_memory = |id: &AcceleratorId| {
            let gb = catalog.accelerator(*id).memory_gb;
            gb.is_some_and(|gb| memory.contains(gb)) && !catalog.only_by_name(*id)
        };
        Self {
            spec: format!("any:{memory}:{count}"),
            name: "any".to_owned(),
            candidates: catalog
                .accelerator_ids()
                .filter(has_memory)
                .map(Candidate::whole)
                .collect(),
            count,
            count_given: true,
            mig: None,
            instance_type: None,
            notes: Vec::new(),
        }
    }

    /// Returns one accelerator, like `H100-80GB-SXM:x8`, without notes. `count` is the number of
    /// devices in one machine; `None` means one device, which the canonical spec does not state.
    pub fn accelerator(
        catalog: &Catalog<'_>,
        accelerator: AcceleratorId,
        count: Option<CountRange>,
    ) -> Self {
        let name = catalog.accelerator_id(accelerator).to_owned();
        Self {
            spec: count.map_or_else(|| name.clone(), |count| format!("{name}:{count}")),
            name,
            candidates: vec![Candidate::whole(accelerator)],
            count: count.unwrap_or(CountRange::exactly(Count::ONE)),
            count_given: count.is_some(),
            mig: None,
            instance_type: None,
            notes: Vec::new(),
        }
    }

    /// Returns one MIG slice of an accelerator, like `H100-80GB-SXM:mig=3g.40gb`.
    ///
    /// # Errors
    ///
    /// Fails when the accelerator has no MIG or not that profile. The spans of the errors are
    /// empty.
    pub fn slice(
        catalog: &Catalog<'_>,
        accelerator: AcceleratorId,
        profile: ProfileRef,
    ) -> Result<Self, SpecErrors> {
        let slice = SliceRequest {
            profile,
            count: 1,
            span: 0..0,
        };
        let list = SliceList {
            slices: vec![slice],
        };
        let id = catalog.accelerator_id(accelerator);
        let meaning = NameMeaning::new(id.to_owned(), id, Scope::Listed, vec![accelerator]);
        let parts = Narrowing {
            mig: Some((list, 0..0)),
            ..Narrowing::default()
        };
        let mut errors = Vec::new();
        let mut binder = Binder::new(catalog, &mut errors);
        let wanted = binder.narrow(&(0..0), meaning, &parts);
        wanted.ok_or(errors)
    }
}
