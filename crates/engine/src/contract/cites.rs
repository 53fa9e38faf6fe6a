//! The facts of the catalog that a result rests on.

use sky_accel_catalog::Change;

use super::{AcceleratorOut, CandidateOut, FitOut, HardwareOut, OfferOut, RecommendOut, ShowOut};
use crate::compare::CompareOut;

/// A result that rests on facts of the catalog.
pub trait Cites {
    /// Whether the result rests on the fact that a change is about.
    fn cites(&self, change: &Change) -> bool;
}

/// Whether a change is about an accelerator.
fn is_of(accelerator: &str, change: &Change) -> bool {
    change.provider.is_empty() && change.what == accelerator
}

impl Cites for AcceleratorOut<'_> {
    fn cites(&self, change: &Change) -> bool {
        is_of(self.id, change)
    }
}

impl Cites for CompareOut<'_> {
    fn cites(&self, change: &Change) -> bool {
        self.accelerator.cites(change)
    }
}

impl Cites for ShowOut<'_> {
    fn cites(&self, change: &Change) -> bool {
        self.accelerator.cites(change)
            || self.instance_types.iter().any(|offer| offer.cites(change))
    }
}

impl Cites for FitOut {
    fn cites(&self, change: &Change) -> bool {
        is_of(&self.accelerator, change)
    }
}

impl Cites for OfferOut<'_> {
    fn cites(&self, change: &Change) -> bool {
        (change.provider == self.provider && change.what == self.instance_type)
            || is_of(self.accelerator, change)
    }
}

impl Cites for CandidateOut<'_> {
    fn cites(&self, change: &Change) -> bool {
        (change.provider == self.provider && change.what == self.instance_type)
            || is_of(self.accelerator, change)
    }
}

impl Cites for RecommendOut<'_> {
    fn cites(&self, change: &Change) -> bool {
        self.offer.cites(change)
    }
}

impl Cites for HardwareOut<'_> {
    fn cites(&self, change: &Change) -> bool {
        let mut accelerators = self.accelerators.iter();
        accelerators.any(|accelerator| is_of(accelerator, change))
            || self.offers.iter().any(|offer| offer.cites(change))
    }
}
