//! Bound choices: the result of binding.

use crate::catalog::AcceleratorId;
use crate::mig::SliceList;
use crate::money::Count;
use crate::note::Note;
use crate::spec::CountRange;

/// One choice of a spec, bound to a catalog.
#[derive(Clone, Debug)]
pub struct BoundChoice {
    /// The canonical spec of the choice.
    pub spec: String,
    /// The name in its canonical spelling.
    pub name: String,
    /// The accelerators that match, the one to display first; never empty.
    pub candidates: Vec<Candidate>,
    /// The number of devices in one machine.
    pub count: CountRange,
    /// Whether the spec states the number of devices.
    pub count_given: bool,
    /// The requested MIG slices; `None` for whole devices.
    pub mig: Option<SliceList>,
    /// The provider's id of the instance type; `None` unless the name is an instance type.
    pub instance_type: Option<String>,
    /// Notes on how the choice was read.
    pub notes: Vec<Note>,
}

/// An accelerator that matches a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// The accelerator.
    pub accelerator: AcceleratorId,
    /// The number of GPUs that the requested slices take; 1 without slices.
    pub gpus_needed: u32,
}

impl Candidate {
    /// Returns a candidate for whole devices.
    pub(super) fn whole(accelerator: AcceleratorId) -> Self {
        Self {
            accelerator,
            gpus_needed: 1,
        }
    }
}

impl BoundChoice {
    /// Returns the number of devices that a machine with this accelerator must have.
    pub fn count_for(&self, candidate: Candidate) -> CountRange {
        if self.mig.is_none() {
            return self.count;
        }
        // Slices are made on whole GPUs; a machine may have more GPUs than the slices take.
        let gpus = Count::whole(candidate.gpus_needed);
        CountRange::at_least(if self.count_given {
            self.count.min.max(gpus)
        } else {
            gpus
        })
    }
}
