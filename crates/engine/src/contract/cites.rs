//! The catalog facts that a result depends on.

use std::collections::BTreeSet;

use sky_accel_catalog::OfferKey;

use super::{AcceleratorOut, CandidateOut, FitOut, HardwareOut, OfferOut, RecommendOut, ShowOut};
use crate::compare::CompareOut;

/// The accelerators and offers that results depend on, by id.
#[derive(Debug, Default)]
pub struct Cited<'r> {
    /// The accelerators.
    pub accelerators: BTreeSet<&'r str>,
    /// The offers.
    pub offers: BTreeSet<OfferKey<'r>>,
}

/// A result that depends on catalog facts.
pub trait Cites {
    /// Adds the accelerators and offers that the result depends on.
    fn cite<'r>(&'r self, cited: &mut Cited<'r>);
}

impl Cites for AcceleratorOut<'_> {
    fn cite<'r>(&'r self, cited: &mut Cited<'r>) {
        cited.accelerators.insert(self.id);
    }
}

impl Cites for CompareOut<'_> {
    fn cite<'r>(&'r self, cited: &mut Cited<'r>) {
        self.accelerator.cite(cited);
    }
}

impl Cites for ShowOut<'_> {
    fn cite<'r>(&'r self, cited: &mut Cited<'r>) {
        self.accelerator.cite(cited);
        for offer in &self.instance_types {
            offer.cite(cited);
        }
    }
}

impl Cites for FitOut {
    fn cite<'r>(&'r self, cited: &mut Cited<'r>) {
        cited.accelerators.insert(&self.accelerator);
    }
}

impl<'r> Cited<'r> {
    /// Adds an accelerator, and its offer if an overlay may have changed the offer.
    fn offer(&mut self, offer: OfferKey<'r>, may_be_overlaid: bool) {
        self.accelerators.insert(offer.accelerator);
        if may_be_overlaid {
            self.offers.insert(offer);
        }
    }
}

impl Cites for OfferOut<'_> {
    fn cite<'r>(&'r self, cited: &mut Cited<'r>) {
        let offer = OfferKey {
            provider: self.provider,
            id: self.instance_type,
            accelerator: self.accelerator,
        };
        cited.offer(offer, self.may_be_overlaid);
    }
}

impl Cites for CandidateOut<'_> {
    fn cite<'r>(&'r self, cited: &mut Cited<'r>) {
        let offer = OfferKey {
            provider: self.provider,
            id: self.instance_type,
            accelerator: self.accelerator,
        };
        cited.offer(offer, self.may_be_overlaid);
    }
}

impl Cites for RecommendOut<'_> {
    fn cite<'r>(&'r self, cited: &mut Cited<'r>) {
        self.offer.cite(cited);
    }
}

impl Cites for HardwareOut<'_> {
    fn cite<'r>(&'r self, cited: &mut Cited<'r>) {
        cited
            .accelerators
            .extend(self.accelerators.iter().map(|id| &id[..]));
        for offer in &self.offers {
            offer.cite(cited);
        }
    }
}
