//! The overlay changes that results depend on.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::catalog::builtin::EMBEDDED;
use sky_accel_catalog::{Change, OfferKey, diff_offers, overrides};
use sky_accel_core::catalog::{Catalog, ChangeKind, FactKind, Sells};
use sky_accel_core::note::Note;
use sky_accel_core::suggest;
use sky_accel_core::text::{printable, shortened};

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
/// The length of a note in characters: names of regions may have any length.
const MAX_NOTE: usize = 300;

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
        let note = without_effect(overlaid, &mut touched);
        self = self.with_notes(note);
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

/// Removes prices in regions where their machines are not sold, such as a misspelled region, and returns a note on them.
/// Such a price never applies.
fn without_effect(overlaid: &Catalog<'_>, changes: &mut Vec<Change>) -> Option<Note> {
    let mut sold_in: HashMap<(String, String), HashSet<&str>> = HashMap::new();
    let unsold: Vec<Change> = changes
        .extract_if(.., |change| {
            let Some(region) = change.region.as_deref().filter(|_| is_price(change)) else {
                return false;
            };
            let machine = (change.provider.clone(), change.what.clone());
            let regions = sold_in
                .entry(machine)
                .or_insert_with(|| regions_of(overlaid, change).collect());
            !regions.is_empty() && !regions.contains(region)
        })
        .collect();
    let first = unsold.first()?;
    let region = first.region.as_deref().unwrap_or_default();
    let hint = suggest::closest(region, regions_of(overlaid, first));
    let hint = hint
        .first()
        .map(|first| format!(" (did you mean {first}?)"));
    let more = match unsold.len() - 1 {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let message = format!(
        "a price of an overlay has no effect: {} {} is not sold in {region}{}{more}",
        first.provider,
        first.what,
        hint.unwrap_or_default()
    );
    let message = shortened(&printable(&message), MAX_NOTE).into_owned();
    Some(Note::new("overlay-without-effect", message))
}

fn is_price(change: &Change) -> bool {
    matches!(change.kind, ChangeKind::PriceAdded | ChangeKind::PriceMoved)
}

/// Returns the regions in which a machine is sold; none if its provider does not list them.
fn regions_of<'c>(overlaid: &'c Catalog<'_>, machine: &Change) -> impl Iterator<Item = &'c str> {
    let provider = overlaid.provider_named(&machine.provider);
    // The regions of a marketplace are countries where machines were seen.
    let provider = provider.filter(|id| overlaid.provider(*id).sells != Sells::Marketplace);
    let offers = provider
        .into_iter()
        .flat_map(|id| overlaid.offers_with_id(id, &machine.what));
    offers
        .flat_map(|id| overlaid.regions(overlaid.offer(id).regions))
        .map(|region| overlaid.region_id(region))
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
