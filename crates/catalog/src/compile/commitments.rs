//! `[[commitment_program]]` and `[[commitment]]`: prices for a promise to pay for a term.

use std::collections::{BTreeMap, HashMap};

use sky_accel_core::catalog::{
    Commitment, CommitmentBasis, CommitmentBilling, CommitmentProgram, DerivedPayment, MILLION,
    ProviderId, Quality, RegionId, Str, Term, Upfront,
};
use sky_accel_core::money::Usd;
use sky_accel_core::word::Word as _;

use super::Compiler;
use super::regions::RegionsByName;
use crate::bounds::{self, Bounds};
use crate::schema::{
    CommitmentEntry, CommitmentProgramEntry, DerivedPaymentEntry, HourlyAmount, Layer, Spanned,
};
use crate::source::CatalogDocument;

/// The key of a committed price. A layer states each key once.
type CommitmentKey = (
    ProviderId,
    String,
    u16,
    u16,
    u16,
    Option<Upfront>,
    Option<RegionId>,
);

/// The ids of the kinds of commitments, with their rows.
type Programs = HashMap<String, (u16, ProviderId)>;

impl Compiler<'_> {
    /// Compiles commitments. Offers and regions already have their final ids.
    pub(super) fn commitments(&mut self) {
        let programs = self.programs();
        if programs.is_empty() {
            self.commitments_without_programs();
            return;
        }
        let regions = self.regions_by_name();
        let mut rows: BTreeMap<CommitmentKey, (Layer, Commitment)> = BTreeMap::new();
        for document in self.documents {
            for item in &document.content.commitment {
                self.commitment(document, item, &programs, &regions, &mut rows);
            }
        }
        self.tables.commitments = rows.into_values().map(|(_, row)| row).collect();
    }

    /// Reports commitments without any kind that they could be of.
    fn commitments_without_programs(&mut self) {
        for document in self.documents {
            for item in &document.content.commitment {
                self.unknown_program(document, &item.program, &Programs::new());
            }
        }
    }

    fn unknown_program(
        &mut self,
        document: &CatalogDocument,
        id: &Spanned<String>,
        programs: &Programs,
    ) {
        let mut known: Vec<&str> = programs.keys().map(String::as_str).collect();
        known.sort_unstable();
        let message = format!(
            "no [[commitment_program]] has the id '{}': known ids are {}",
            id.get_ref(),
            known.join(", ")
        );
        self.fail(document, id, message);
    }

    fn programs(&mut self) -> Programs {
        let mut merged: BTreeMap<String, (Layer, CommitmentProgram)> = BTreeMap::new();
        for document in self.documents {
            for item in &document.content.commitment_program {
                let Some(row) = self.program(document, item) else {
                    continue;
                };
                let replaced = merged.insert(item.id.get_ref().clone(), (document.layer, row));
                if replaced.is_some_and(|(layer, _)| layer == document.layer) {
                    self.fail(
                        document,
                        &item.id,
                        "this kind of commitment is defined twice",
                    );
                }
            }
        }
        let mut ids = Programs::new();
        for (at, (id, (_, row))) in merged.into_iter().enumerate() {
            ids.insert(id, (at as u16, row.provider));
            self.tables.commitment_programs.push(row);
        }
        ids
    }

    fn program(
        &mut self,
        document: &CatalogDocument,
        item: &CommitmentProgramEntry,
    ) -> Option<CommitmentProgram> {
        let provider = self.provider_of(document, item.provider.as_ref(), &item.id)?;
        let billing = match &item.billing {
            Some(word) => self.one_of(document, word, CommitmentBilling::ALL)?,
            None => CommitmentBilling::WholeTerm,
        };
        let mut derived = Vec::new();
        for payment in &item.derived {
            derived.extend(self.derived(document, payment));
        }
        Some(CommitmentProgram {
            provider,
            id: self.text(document, Some(&item.id)),
            name: self.text(document, Some(&item.name)),
            billing,
            at_end: self.text(document, item.at_end.as_ref()),
            ends_machines: item.ends_machines,
            weeks_above_days: item.weeks_above_days.unwrap_or(0),
            note: self.text(document, item.note.as_ref()),
            source: self.text(document, Some(&item.source)),
            as_of: self.date(document, &item.as_of),
            derived: self.tables.derived_payments.append(derived),
        })
    }

    fn derived(
        &mut self,
        document: &CatalogDocument,
        item: &DerivedPaymentEntry,
    ) -> Option<DerivedPayment> {
        let term = self.term(document, &item.term)?;
        let Some(days) = term.days() else {
            self.fail(document, &item.term, "a share is for a term of one length");
            return None;
        };
        let upfront = self.one_of(document, &item.upfront, Upfront::ALL)?;
        let share = *item.share.get_ref();
        if upfront == Upfront::None || share > 1.0 {
            let message = "a share applies to an upfront payment and is at most 1";
            self.fail(document, &item.share, message);
        }
        self.within(document, &item.share, share, &bounds::PRICE_SHARE);
        Some(DerivedPayment {
            days,
            upfront,
            share: (share * MILLION as f64).round() as u32,
            source: self.text(document, Some(&item.source)),
            as_of: self.date(document, &item.as_of),
        })
    }

    fn term(&mut self, document: &CatalogDocument, text: &Spanned<String>) -> Option<Term> {
        let term = Term::parse(text.get_ref());
        if term.is_none() {
            let message = "not a term: write 1y, 3mo, 2w, 7d, a range such as 1d-182d, or 1mo+";
            self.fail(document, text, message);
        }
        term
    }

    fn commitment(
        &mut self,
        document: &CatalogDocument,
        item: &CommitmentEntry,
        programs: &Programs,
        regions: &RegionsByName,
        rows: &mut BTreeMap<CommitmentKey, (Layer, Commitment)>,
    ) {
        let Some((program, provider)) = programs.get(item.program.get_ref()).copied() else {
            self.unknown_program(document, &item.program, programs);
            return;
        };
        let Some(row) = self.commitment_row(document, item, program, provider) else {
            return;
        };
        let places = self.commitment_places(document, item, provider, regions);
        let every_offer = [Str::default()];
        let mut offers = Vec::new();
        for id in &item.offers {
            offers.extend(self.committed_offer(document, provider, id));
        }
        let offers = if item.offers.is_empty() {
            &every_offer[..]
        } else {
            &offers[..]
        };
        for text in &item.terms {
            let Some(term) = self.term(document, text) else {
                continue;
            };
            for offer in offers {
                for (region, figure) in &places {
                    let row = Commitment {
                        offer: *offer,
                        from_days: term.from,
                        until_days: term.until,
                        region: *region,
                        figure: *figure,
                        ..row
                    };
                    let id = self.tables.catalog().str(*offer).to_owned();
                    let upfront = row.upfront;
                    let key = (
                        provider, id, program, term.from, term.until, upfront, *region,
                    );
                    let replaced = rows.insert(key, (document.layer, row));
                    if replaced.is_some_and(|(layer, _)| layer == document.layer) {
                        let message = "a price of this commitment is stated twice";
                        self.fail(document, text, message);
                    }
                }
            }
        }
    }

    /// Returns the row of an entry without its offer, term, region and figure.
    fn commitment_row(
        &mut self,
        document: &CatalogDocument,
        item: &CommitmentEntry,
        program: u16,
        provider: ProviderId,
    ) -> Option<Commitment> {
        if item.figures().count() > 1 {
            let message = "a commitment has one of `usd_per_hour`, `usd_per_accelerator_hour`, \
                           `usd_per_accelerator_alone_hour` and `share_of_on_demand`";
            self.fail(document, &item.program, message);
            return None;
        }
        let stated = [
            (item.usd_per_hour.is_some(), CommitmentBasis::Machine),
            (
                item.usd_per_accelerator_hour.is_some(),
                CommitmentBasis::Accelerator,
            ),
            (
                item.usd_per_accelerator_alone_hour.is_some(),
                CommitmentBasis::AcceleratorAlone,
            ),
            (item.share_of_on_demand.is_some(), CommitmentBasis::Share),
        ];
        let basis = stated.into_iter().find(|(is_stated, _)| *is_stated);
        let basis = basis.map_or(CommitmentBasis::Unknown, |(_, basis)| basis);
        let is_machine = basis == CommitmentBasis::Machine;
        if is_machine && item.offers.is_empty() {
            let message = "the price of a machine names its `offers`";
            self.fail(document, &item.program, message);
        }
        let up_to_discount = item.up_to_discount.as_ref();
        let up_to_discount = self.figure(document, up_to_discount, &bounds::DISCOUNT);
        let upfront = match &item.upfront {
            Some(word) => Some(self.one_of(document, word, Upfront::ALL)?),
            None => None,
        };
        let quality = match &item.quality {
            Some(word) => self.one_of(document, word, Quality::ALL)?,
            None => Quality::default(),
        };
        Some(Commitment {
            provider,
            offer: Str::default(),
            program,
            from_days: 0,
            until_days: 0,
            upfront,
            basis,
            figure: 0,
            is_lowest: item.is_lowest,
            up_to_discount: (up_to_discount.unwrap_or(0.0) * MILLION as f64).round() as u32,
            tier: item
                .tier
                .as_ref()
                .map(|tier| self.tier(document, provider, Some(tier))),
            region: None,
            quality,
            note: self.text(document, item.note.as_ref()),
            source: self.text(document, Some(&item.source)),
            as_of: self.date(document, &item.as_of),
        })
    }

    /// Returns the figures of an entry by region; one figure of 0 without a price.
    fn commitment_places(
        &mut self,
        document: &CatalogDocument,
        item: &CommitmentEntry,
        provider: ProviderId,
        regions: &RegionsByName,
    ) -> Vec<(Option<RegionId>, u64)> {
        let Some(figure) = item.figures().next() else {
            return vec![(None, 0)];
        };
        let bounds = if item.share_of_on_demand.is_some() {
            &bounds::PRICE_SHARE
        } else {
            &bounds::USD_PER_HOUR
        };
        let by_region = match figure.get_ref() {
            HourlyAmount::Everywhere(amount) => {
                let amount = self.committed_figure(document, figure, *amount, bounds);
                return amount.map(|amount| (None, amount)).into_iter().collect();
            }
            HourlyAmount::ByRegion(by_region) => by_region,
        };
        let mut places = Vec::with_capacity(by_region.len());
        for (name, amount) in by_region {
            let Some(amount) = self.committed_figure(document, figure, *amount, bounds) else {
                continue;
            };
            if let Some(region) = regions.get(&(provider, name.clone())) {
                places.push((Some(*region), amount));
            } else {
                self.unknown_region(document, figure, name);
            }
        }
        places
    }

    fn committed_figure(
        &mut self,
        document: &CatalogDocument,
        at: &Spanned<HourlyAmount>,
        amount: f64,
        bounds: &Bounds,
    ) -> Option<u64> {
        self.within(document, at, amount, bounds);
        Usd::from_decimal(amount).map(|usd| usd.0)
    }

    /// Returns the id of an offer of a provider. A missing offer is an error.
    fn committed_offer(
        &mut self,
        document: &CatalogDocument,
        provider: ProviderId,
        id: &Spanned<String>,
    ) -> Option<Str> {
        let catalog = self.tables.catalog();
        let known = catalog.offers_with_id(provider, id.get_ref()).next();
        let known = known.map(|offer| catalog.offer(offer).id);
        if known.is_none() {
            let message = format!("no offer has the id '{}'", id.get_ref());
            self.fail(document, id, message);
        }
        known
    }
}
