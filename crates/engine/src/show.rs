//! `show`: all data on an accelerator.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use sky_accel_core::catalog::{AcceleratorId, Catalog, Meaning, OfferId, ProviderId, Status};
use sky_accel_core::money::{Count, Usd};
use sky_accel_core::resolve::{LikelyPrices, Match, offer_at};

use crate::contract::{
    self, DisputedOut, Envelope, Num, PriceRangeOut, SellerOut, ShowOut, profile,
};
use crate::engine::Engine;
use crate::error::Result;
use crate::specs::{read_accelerators, unless_one};

/// Names of accelerators, in any dialect.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NamesRequest {
    /// Accelerators, instance types or provider ids.
    pub names: Vec<String>,
}

/// Accelerators with all their data.
#[derive(Debug)]
pub struct ShowAnswer<'c> {
    /// The JSON document: every accelerator that a name may mean.
    pub envelope: Envelope<'c, NamesRequest, ShowOut<'c>>,
    /// Indexes of the results to show in full: the first reading of each name.
    pub first_readings: Vec<usize>,
}

impl<'c> Engine<'c> {
    /// Returns figures, names, MIG profiles, offers and sources of the named accelerators.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::Spec`](crate::ErrorCode::Spec) for an unknown name.
    pub fn show(&self, request: &NamesRequest) -> Result<ShowAnswer<'c>> {
        let catalog = self.catalog();
        let likely = self.likely_prices();
        let mut ids: Vec<AcceleratorId> = Vec::new();
        let mut first_readings = Vec::new();
        let mut machines: Vec<(AcceleratorId, OfferId)> = Vec::new();
        let mut notes = Vec::new();
        for name in &request.names {
            let (found, more) = read_accelerators(&catalog, name)
                .map_err(|error| unless_one(&catalog, &request.names, error))?;
            // An instance type means its machine first.
            let of_name = match catalog.name(name).map(|row| row.meaning) {
                Some(Meaning::InstanceType(offer)) => vec![offer],
                // Pod slices, and names from before the catalog had the machine.
                Some(Meaning::Sized { .. }) => offers_called(&catalog, name),
                _ => Vec::new(),
            };
            if let Some(first) = found.first() {
                machines.extend(of_name.into_iter().map(|offer| (*first, offer)));
            }
            for id in &found {
                if !ids.contains(id) {
                    ids.push(*id);
                }
            }
            let first = found.first();
            first_readings.extend(first.and_then(|first| ids.iter().position(|id| id == first)));
            notes.extend(more);
        }
        let results = ids.iter().map(|id| {
            let offers = offers_of(&catalog, *id, &likely);
            let mut shown = show(&catalog, *id, &offers, &likely);
            let named = offers.iter().filter(|m| machines.contains(&(*id, m.offer)));
            shown.price_summary = self.price_summary(*id);
            let id = catalog.accelerator_id(*id);
            shown.instance_types = named
                .map(|m| contract::offer(&catalog, Some(&likely), id, m, |_| true, false))
                .collect();
            shown
        });
        let results: Vec<ShowOut<'c>> = results.collect();
        let envelope = Envelope::new("sky-accel.show.v1", &catalog, request.clone(), results);
        Ok(ShowAnswer {
            envelope: envelope
                .with_overridden(self.overlaid(), None)
                .with_notes(notes),
            first_readings,
        })
    }
}

/// The offers of all providers with this id.
fn offers_called(catalog: &Catalog<'_>, id: &str) -> Vec<OfferId> {
    let providers = (0..catalog.providers.len()).map(ProviderId::of_index);
    providers
        .flat_map(|provider| catalog.offers_with_id(provider, id))
        .collect()
}

/// The offers of an accelerator, lowest price per device first.
fn offers_of(catalog: &Catalog<'_>, id: AcceleratorId, likely: &LikelyPrices) -> Vec<Match> {
    let mut found: Vec<Match> = catalog
        .offers_of(id)
        .map(|offer| {
            offer_at(
                catalog,
                offer,
                id,
                catalog.offer(offer).count.unwrap_or(Count::ONE),
                Some(likely),
            )
        })
        .collect();
    found.sort_by_key(|m| {
        let per_device = m
            .on_demand
            .map_or(Usd(u64::MAX), |quote| quote.likely.usd.per(m.count));
        (catalog.offer(m.offer).status, per_device, m.offer)
    });
    found
}

fn show<'a>(
    catalog: &Catalog<'a>,
    id: AcceleratorId,
    offers: &[Match],
    likely: &LikelyPrices,
) -> ShowOut<'a> {
    let row = catalog.accelerator(id);
    let text = |s| catalog.str(s);
    let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for spelling in catalog.spellings_of(id) {
        names
            .entry(text(spelling.dialect))
            .or_default()
            .push(text(spelling.text));
    }
    let disputed = catalog.disputed(&row).iter().map(|d| DisputedOut {
        field: text(d.field),
        also: text(d.also),
        why: text(d.why),
        source: text(d.source),
        as_of: text(d.as_of),
    });
    let geometry = catalog.geometry(&row);
    let mig_profiles = geometry.into_iter().flat_map(|geometry| {
        let profiles = catalog.profiles(&geometry).iter();
        profiles.map(move |row| profile(catalog, &geometry, &row))
    });
    let per_device = || {
        offers
            .iter()
            .filter(|m| {
                catalog.offer(m.offer).status == Status::Offered
                    && catalog.offer(m.offer).mig_profile.len == 0
            })
            .filter_map(|m| m.on_demand.map(|quote| quote.likely.usd.per(m.count)))
    };
    let price_range = per_device()
        .min()
        .zip(per_device().max())
        .map(|(low, high)| PriceRangeOut {
            low_usd_per_accelerator_hour: Num(low.decimal()),
            high_usd_per_accelerator_hour: Num(high.decimal()),
        });
    let accelerator_id = catalog.accelerator_id(id);
    ShowOut {
        names,
        disputed: disputed.collect(),
        mig_profiles: mig_profiles.collect(),
        mig_driver_min: geometry.and_then(|geometry| catalog.text(geometry.driver_min)),
        sharing: catalog
            .sharing(id)
            .map(|row| contract::sharing(catalog, &row))
            .collect(),
        offers: offers
            .iter()
            .map(|m| contract::offer(catalog, Some(likely), accelerator_id, m, |_| true, false))
            .collect(),
        sellers: sellers(catalog, offers),
        price_range,
        ..ShowOut::new(catalog, id)
    }
}

/// The providers of offers, in catalog order.
fn sellers<'a>(catalog: &Catalog<'a>, offers: &[Match]) -> Vec<SellerOut<'a>> {
    let providers = offers.iter().map(|m| catalog.offer(m.offer).provider);
    let providers: BTreeSet<ProviderId> = providers.collect();
    let seller = |id| {
        let row = catalog.provider(id);
        SellerOut {
            id: catalog.str(row.id),
            name: catalog.str(row.name),
            billing: catalog.text(row.billing),
            docs: catalog.text(row.docs),
        }
    };
    providers.into_iter().map(seller).collect()
}
