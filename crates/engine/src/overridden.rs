//! The overlay changes that results depend on.

use std::collections::BTreeSet;

use crate::catalog::builtin::EMBEDDED;
use sky_accel_catalog::{Change, OfferKey, diff_offers, overrides};
use sky_accel_core::catalog::{Catalog, FactKind};
use sky_accel_core::note::Note;

use crate::catalog::sentences;
use crate::compare::CompareOut;
use crate::contract::{
    AcceleratorOut, BilledOut, CandidateOut, Envelope, FitOut, HardwareOut, OfferOut, RecommendOut,
    ShowOut, ShownOut,
};
use crate::mix::MixOut;

/// Overlay changes that a note repeats, and that a document lists.
const MAX_TOLD: usize = 2;
const MAX_OVERRIDDEN: usize = 100;

impl<Req, Res: Cites, More> Envelope<'_, Req, Res, More> {
    /// Lists the overlay changes that affect the results, in the `catalog` block and in a note. If `model`
    /// is given, all results depend on its facts.
    #[must_use]
    pub(crate) fn with_overridden(
        mut self,
        overlaid: Option<&Catalog<'_>>,
        model: Option<&str>,
    ) -> Self {
        let Some(overlaid) = overlaid else {
            return self;
        };
        let mut cited = Cited::default();
        for result in &self.results {
            result.cite(&mut cited);
        }
        let model = model.map(|name| format!("{} {name}", FactKind::Model));
        let is_touched = |what: &str, fact: Option<FactKind>| match (&model, fact) {
            (Some(model), Some(FactKind::Model)) => what == model,
            // Sizing does not record which coefficients, formats and families it used.
            (Some(_), Some(_)) => true,
            (_, _) => cited.accelerators.contains(what),
        };
        let mut touched: Vec<Change> = overrides(overlaid, is_touched).collect();
        touched.extend(diff_offers(&EMBEDDED, overlaid, cited.offers));
        let mut sentences = sentences(&touched);
        if sentences.is_empty() {
            return self;
        }
        let more = match sentences.len().saturating_sub(MAX_TOLD) {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        let listed = sentences[..sentences.len().min(MAX_TOLD)].join("; ");
        sentences.truncate(MAX_OVERRIDDEN);
        self.catalog.overridden = sentences;
        let message = format!("overlays changed data used for these results: {listed}{more}");
        self.with_notes([Note::new("overlay", message)])
    }
}

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

impl Cites for ShownOut<'_> {
    fn cite<'r>(&'r self, cited: &mut Cited<'r>) {
        if let Some(show) = self.accelerator() {
            show.cite(cited);
        }
    }
}

impl Cites for FitOut {
    fn cite<'r>(&'r self, cited: &mut Cited<'r>) {
        cited.accelerators.insert(&self.accelerator);
    }
}

/// Implements [`Cites`] for types with the fields of an offer.
macro_rules! cite_offers {
    ($($type:ident),*) => {$(
        impl Cites for $type<'_> {
            fn cite<'r>(&'r self, cited: &mut Cited<'r>) {
                cited.accelerators.insert(self.accelerator);
                if self.may_be_overlaid {
                    cited.offers.insert(OfferKey {
                        provider: self.provider,
                        id: self.instance_type,
                        accelerator: self.accelerator,
                    });
                }
            }
        }
    )*};
}

cite_offers!(OfferOut, BilledOut, CandidateOut);

impl Cites for MixOut<'_> {
    fn cite<'r>(&'r self, cited: &mut Cited<'r>) {
        self.offer.cite(cited);
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
