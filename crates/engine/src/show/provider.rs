//! A provider, with a summary of its offers and of its live client.

use std::collections::BTreeSet;

use sky_accel_core::catalog::{Catalog, Charge, Offer, ProviderId, Status, Term};
use sky_accel_core::resolve::LikelyPrices;
use sky_accel_core::suggest;
use sky_accel_live::{ProviderApi, providers};
use sky_accel_targets::Target;

use crate::contract::{
    ChargeOut, ChargeTierOut, LiveClientOut, PreciseNum, ProviderOut, ShownKind, SoldCommitmentOut,
};
use crate::error::Error;

/// Suggests providers of similar names if an error of a name suggests nothing else.
pub(super) fn suggested(catalog: &Catalog<'_>, name: &str, mut error: Error) -> Error {
    if let Some(problem) = error.problems.first_mut()
        && problem.hints.is_empty()
    {
        let rows = catalog.providers.iter();
        let names = rows.flat_map(|row| {
            std::iter::once(catalog.str(row.id)).chain(catalog.strings(row.aliases))
        });
        problem.hints = suggest::closest(name, names);
    }
    error
}

/// Returns the facts about a provider in the catalog and in the declaration of the live client. Prices that are too old
/// do not count.
pub(super) fn summary<'a>(
    catalog: &Catalog<'a>,
    id: ProviderId,
    likely: &LikelyPrices,
) -> ProviderOut<'a> {
    let row = catalog.provider(id);
    let offers = || {
        let offers = catalog.provider_offers(id).iter();
        offers.filter(|offer| offer.status != Status::Retired)
    };
    let prices_of = |offer: Offer| {
        let prices = catalog.prices(&offer).iter();
        prices.filter(|price| !likely.is_too_old(catalog, price))
    };
    let prices = || offers().flat_map(prices_of);
    let dates = || prices().map(|price| catalog.str(price.as_of));
    let types: BTreeSet<&str> = offers().map(|offer| catalog.str(offer.id)).collect();
    let with_price = offers().filter(|offer| prices_of(*offer).next().is_some());
    let with_price: BTreeSet<&str> = with_price.map(|offer| catalog.str(offer.id)).collect();
    let capacity_types: BTreeSet<_> = prices().map(|price| price.capacity).collect();
    let accelerators = offers().flat_map(|offer| catalog.accelerators(offer.accelerators).iter());
    let accelerators: BTreeSet<_> = accelerators.collect();
    let own_id = catalog.str(row.id);
    let live = providers().find(|api| api.id == own_id);
    let targets = Target::ALL.into_iter();
    ProviderOut {
        kind: ShownKind::Provider,
        id: own_id,
        name: catalog.str(row.name),
        aliases: catalog.strings(row.aliases).collect(),
        groups: catalog.strings(row.groups).collect(),
        broker: row.is_broker,
        auction: row.is_auction,
        billing: catalog.text(row.billing),
        billing_unit_s: Some(row.billing_unit_s).filter(|seconds| *seconds > 0),
        billing_minimum_s: Some(row.billing_minimum_s).filter(|seconds| *seconds > 0),
        charges: catalog
            .charges_of(id)
            .iter()
            .map(|charge| charge_out(catalog, &charge))
            .collect(),
        docs: catalog.text(row.docs),
        url: catalog.pricing_page(&row),
        tiers: catalog.strings(row.tiers).collect(),
        commitments: commitments(catalog, id),
        capacity_types: capacity_types.into_iter().collect(),
        regions: catalog
            .regions
            .run(row.regions)
            .iter()
            .map(|region| catalog.str(region.id))
            .collect(),
        accelerators: accelerators
            .into_iter()
            .map(|id| catalog.accelerator_id(id))
            .collect(),
        instance_types: types.len(),
        priced_instance_types: with_price.len(),
        oldest_price: dates().min(),
        newest_price: dates().max(),
        price_max_age_days: row.price_max_age_days,
        live: live.map(client),
        targets: targets
            .filter(|target| target.rents_from(catalog, id))
            .map(Target::name)
            .collect(),
    }
}

fn charge_out<'a>(catalog: &Catalog<'a>, charge: &Charge) -> ChargeOut<'a> {
    let price = |nano: u64| PreciseNum(nano as f64 / 1e9);
    let seconds = |seconds: u32| Some(seconds).filter(|seconds| *seconds > 0);
    let tiers = catalog.tiers_of(charge).iter();
    ChargeOut {
        item: charge.item,
        region: charge.region.map(|region| catalog.region_id(region)),
        rule: charge.rule,
        price: charge.price.map(price),
        per: charge.price.map(|_| charge.unit),
        currency: charge.price.and_then(|_| catalog.text(charge.currency)),
        free: Some(charge.free).filter(|free| *free > 0),
        tiers: tiers
            .map(|tier| ChargeTierOut {
                above: tier.above,
                price: price(tier.price),
            })
            .collect(),
        least_s: seconds(charge.least_s),
        most_s: seconds(charge.most_s),
        note: catalog.text(charge.note),
        sure: charge.sure,
        source: catalog.str(charge.source),
        as_of: catalog.str(charge.as_of),
    }
}

fn client(api: &'static ProviderApi) -> LiveClientOut {
    let text = |text: &'static str| Some(text).filter(|text| !text.is_empty());
    LiveClientOut {
        published: api.published,
        unpublished: text(api.unpublished),
        terms: api.restrictive_terms,
        key_variables: api.key_variables().collect(),
        key_files: api.key_files.to_vec(),
        key_rights: text(api.key_rights),
    }
}

/// The kinds of commitments that a provider sells.
fn commitments<'a>(catalog: &Catalog<'a>, id: ProviderId) -> Vec<SoldCommitmentOut<'a>> {
    let programs = catalog.commitment_programs.iter().enumerate();
    let own = programs.filter(|(_, program)| program.provider == id);
    own.map(|(at, program)| {
        let rows = catalog.commitments.iter();
        let of_program = rows.filter(|row| usize::from(row.program) == at);
        let terms: BTreeSet<Term> = of_program.map(|row| row.term()).collect();
        SoldCommitmentOut {
            program: catalog.str(program.id),
            name: catalog.str(program.name),
            terms: terms.iter().map(Term::to_string).collect(),
        }
    })
    .collect()
}
