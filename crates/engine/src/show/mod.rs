//! `show`: all data on an accelerator or a provider.

mod provider;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use sky_accel_core::catalog::{AcceleratorId, Catalog, Meaning, OfferId, ProviderId, Status};
use sky_accel_core::money::{Count, Usd};
use sky_accel_core::note::Note;
use sky_accel_core::resolve::{LikelyPrices, Match, Setback, offer_at};

use crate::age;
use crate::contract::{
    self, DisputedOut, Envelope, Num, PriceRangeOut, SellerOut, ShowOut, ShownOut, profile,
};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::specs::{read_accelerators, unless_one};
use crate::too_old::no_price_of;

/// Names of accelerators, in any dialect; `show` accepts providers too.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NamesRequest {
    /// Accelerators, instance types, provider ids, or instance types of one provider as `provider/id`.
    pub names: Vec<String>,
    /// The maximum age of prices in seconds: only offers with a price of that age are shown. Omitted without a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_age_s: Option<u64>,
}

/// Accelerators and providers with all their data.
#[derive(Debug)]
pub struct ShowAnswer<'c> {
    /// The JSON document: every accelerator that a name may mean, or the provider.
    pub envelope: Envelope<'c, NamesRequest, ShownOut<'c>>,
    /// Indexes of the results to show in full: the first reading of each name.
    pub first_readings: Vec<usize>,
}

/// The meaning of a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    Accelerator(AcceleratorId),
    Provider(ProviderId),
}

impl<'c> Engine<'c> {
    /// Returns figures, names, MIG profiles, offers and sources of the named accelerators, and a summary
    /// of the named providers.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::Spec`](crate::ErrorCode::Spec) for an unknown name;
    /// [`ErrorCode::DataTooOld`](crate::ErrorCode::DataTooOld) if `max_age` leaves no offer.
    pub fn show(&self, request: &NamesRequest) -> Result<ShowAnswer<'c>> {
        let catalog = self.catalog();
        let likely = self.likely_prices();
        let likely = likely.not_older_than(request.max_age_s.map(age::whole_days));
        let mut named: Vec<Named> = Vec::new();
        let mut first_readings = Vec::new();
        let mut machines: Vec<(AcceleratorId, OfferId)> = Vec::new();
        let mut notes = Vec::new();
        for name in &request.names {
            if let Some(first) = add_machines(&catalog, name, &mut named, &mut machines) {
                first_readings.push(first);
                continue;
            }
            let provider = catalog.provider_named(name);
            let (found, more) = match (read_accelerators(&catalog, name), provider) {
                (Ok((found, more)), _) => {
                    // The id `aws` means the provider before the accelerators of the vendor. Aliases of providers,
                    // such as `google`, are not ids.
                    let is_id =
                        |id: &ProviderId| catalog.provider_id(*id).eq_ignore_ascii_case(name);
                    let provider = provider.filter(is_id).map(Named::Provider);
                    let found = found.into_iter().map(Named::Accelerator);
                    (provider.into_iter().chain(found).collect(), more)
                }
                (Err(_), Some(provider)) => (vec![Named::Provider(provider)], Vec::new()),
                (Err(error), None) => {
                    let error = unless_one(&catalog, &request.names, error);
                    return Err(provider::suggested(&catalog, name, error));
                }
            };
            // An instance type means its machine first.
            let of_name = machines_called(&catalog, name);
            let first = found.first().copied();
            if let Some(Named::Accelerator(first)) = first {
                machines.extend(of_name.into_iter().map(|offer| (first, offer)));
            }
            for meaning in found {
                if !named.contains(&meaning) {
                    named.push(meaning);
                }
            }
            first_readings
                .extend(first.and_then(|first| named.iter().position(|other| *other == first)));
            notes.extend(more);
        }
        let asked = named.clone();
        let (mut has_older, mut has_other) = (false, false);
        let mut kept: Vec<OfferId> = Vec::new();
        let results = named.into_iter().map(|meaning| match meaning {
            Named::Provider(id) => {
                let summary = provider::summary(&catalog, id, &likely);
                let has_price = summary.priced_instance_types > 0;
                has_older |= likely.has_max_age() && !has_price;
                has_other |= !likely.has_max_age() || has_price;
                ShownOut::Provider(Box::new(summary))
            }
            Named::Accelerator(id) => {
                let mut offers = offers_of(&catalog, id, &likely);
                let known = offers.len();
                offers
                    .retain(|m| !likely.has_max_age() || m.on_demand.is_some() || m.spot.is_some());
                has_older |= offers.len() < known;
                has_other |= !offers.is_empty();
                let mut shown = show(&catalog, id, &offers, &likely);
                let named: Vec<&Match> = offers
                    .iter()
                    .filter(|m| machines.contains(&(id, m.offer)))
                    .collect();
                kept.extend(named.iter().map(|m| m.offer));
                shown.price_summary = self.price_summary(id, request.max_age_s);
                shown.markets = self.markets_of(id, request.max_age_s);
                let id = catalog.accelerator_id(id);
                shown.instance_types = named
                    .into_iter()
                    .map(|m| contract::offer(&catalog, Some(&likely), id, m, |_| true, false))
                    .collect();
                ShownOut::Accelerator(Box::new(shown))
            }
        });
        let results: Vec<ShownOut<'c>> = results.collect();
        // Without a maximum age, every machine is kept.
        let hidden = machines.iter().filter(|(_, offer)| !kept.contains(offer));
        let hidden: Vec<OfferId> = hidden.map(|(_, offer)| *offer).collect();
        if has_older && !has_other {
            return Err(none_new_enough(&catalog, &likely, &asked, &hidden));
        }
        notes.extend(hidden.into_iter().map(|id| {
            let id = catalog.str(catalog.offer(id).id);
            let message = format!("the price of {id} is older than `max_age` allows");
            Note::new("old-price", message)
        }));
        let envelope = Envelope::new("sky-accel.show.v1", &catalog, request.clone(), results);
        Ok(ShowAnswer {
            envelope: envelope
                .with_overridden(self.overlaid(), None)
                .with_notes(notes),
            first_readings,
        })
    }
}

/// Adds the machines that a `provider/id` names, as in answers of ids only, and their accelerators. Returns the index
/// of the first accelerator; `None` for other names.
fn add_machines(
    catalog: &Catalog<'_>,
    name: &str,
    named: &mut Vec<Named>,
    machines: &mut Vec<(AcceleratorId, OfferId)>,
) -> Option<usize> {
    let (provider, id) = name.split_once('/')?;
    let provider = catalog.provider_named(provider)?;
    let mut first = None;
    for offer in catalog.offers_with_id(provider, id) {
        let accelerator = catalog.offer(offer).accelerator;
        machines.push((accelerator, offer));
        let meaning = Named::Accelerator(accelerator);
        let at = named.iter().position(|other| *other == meaning);
        let at = at.unwrap_or_else(|| {
            named.push(meaning);
            named.len() - 1
        });
        first.get_or_insert(at);
    }
    first
}

/// The error if all prices of accelerators and providers, or of the machines among them, are older than the limit.
fn none_new_enough(
    catalog: &Catalog<'_>,
    likely: &LikelyPrices,
    named: &[Named],
    machines: &[OfferId],
) -> Error {
    if !machines.is_empty() {
        return no_price_of(catalog, likely, machines.iter().copied());
    }
    // A name such as `aws` means a provider first, and then the accelerators of a vendor.
    let is_provider = |named: &&Named| matches!(named, Named::Provider(_));
    let has_provider = named.iter().any(|named| is_provider(&named));
    let meant = named
        .iter()
        .filter(|named| !has_provider || is_provider(named));
    let offers = meant.flat_map(|named| -> Vec<OfferId> {
        match named {
            Named::Provider(id) => {
                let all = catalog
                    .accelerator_ids()
                    .flat_map(|id| catalog.offers_of(id));
                all.filter(|offer| catalog.offer(*offer).provider == *id)
                    .collect()
            }
            Named::Accelerator(id) => catalog.offers_of(*id).collect(),
        }
    });
    no_price_of(catalog, likely, offers)
}

/// The machines that a name means, if it is not the name of an accelerator.
fn machines_called(catalog: &Catalog<'_>, name: &str) -> Vec<OfferId> {
    match catalog.name(name).map(|row| row.meaning) {
        Some(Meaning::InstanceType(offer)) => vec![offer],
        // Pod slices, and names from before the catalog had the machine.
        Some(Meaning::Sized { .. }) => offers_called(catalog, name),
        _ => Vec::new(),
    }
}

/// The offers of all providers with this id.
fn offers_called(catalog: &Catalog<'_>, id: &str) -> Vec<OfferId> {
    let providers = (0..catalog.providers.len()).map(ProviderId::of_index);
    providers
        .flat_map(|provider| catalog.offers_with_id(provider, id))
        .collect()
}

/// The offers of an accelerator, lowest price per device first, and doubtful prices last.
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
        let offer = catalog.offer(m.offer);
        let price = m.on_demand.map(|quote| catalog.price(quote.price));
        let setback = Setback::of(&offer, m.count, price.as_ref(), &m.reasons);
        (
            offer.status,
            m.on_demand.is_none(),
            setback,
            per_device,
            m.offer,
        )
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
    let setback = |m: &Match| {
        let price = m.on_demand.map(|quote| catalog.price(quote.price));
        Setback::of(&catalog.offer(m.offer), m.count, price.as_ref(), &m.reasons)
    };
    let priced = || {
        offers.iter().filter(|m| {
            let offer = catalog.offer(m.offer);
            offer.status == Status::Offered && offer.mig_profile.len == 0 && m.on_demand.is_some()
        })
    };
    // Doubtful prices count only where no other is known.
    let soundest = priced().map(setback).min();
    let per_device = || {
        let sound = priced().filter(|m| Some(setback(m)) == soundest);
        sound.filter_map(|m| m.on_demand.map(|quote| quote.likely.usd.per(m.count)))
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

#[cfg(test)]
mod tests;
